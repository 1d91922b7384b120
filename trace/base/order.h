/* trace/base/order.h - put things into the order of their times, a little at a time.
 *
 * A merge sort from the bottom up. What comes nearly in order, as events and calls of a thread do,
 * costs a look at each: neighbours that are in order are not merged, others only where they
 * overlap. */
#ifndef SYN_ORDER_H
#define SYN_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct syn_order_key {
    int64_t time;
    uint32_t place; /* where it was */
};

/* All zeros: nothing to be sorted yet. Memory is kept from one use to the next. */
struct syn_order {
    struct syn_order_key *keys; /* [count]: filled by the caller, sorted once no step is left */
    struct syn_order_key *other;
    size_t capacity, count;
    size_t width; /* stretches of so many are sorted; 0: none yet */
    size_t at;    /* those before it are done for this width */
};

/* Room for `count` keys. Returns 0 or SYN_ENOMEM. */
int syn_order_begin(struct syn_order *order, size_t count);
/* One step: some thousand keys are looked at. Equal times keep their order. */
void syn_order_step(struct syn_order *order);
/* How many more it takes. */
size_t syn_order_steps_left(const struct syn_order *order);
void syn_order_free(struct syn_order *order);

#endif
