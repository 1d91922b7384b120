/* trace/base/order.h - sorts keys by time, in short steps.
 *
 * The algorithm is a merge sort from the bottom up. Events and calls of a thread come nearly in
 * order, and such input is cheap: neighbouring runs in order are not merged, others only where they
 * overlap. */
#ifndef SYN_ORDER_H
#define SYN_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct syn_order_key {
    int64_t time;
    uint32_t place; /* index before sorting */
};

/* All zeros: nothing to sort yet. Memory is kept from one use to the next. */
struct syn_order {
    struct syn_order_key *keys; /* [count]: filled by the caller, sorted once no step is left */
    struct syn_order_key *other;
    size_t capacity, count;
    size_t width; /* length of the runs that are sorted; 0: none yet */
    size_t at;    /* keys before this index are done for this width */
};

/* Reserves room for `count` keys. Returns 0 or SYN_ENOMEM. */
int syn_order_begin(struct syn_order *order, size_t count);
/* Does one step, which handles about a thousand keys or one longer merge. The sort is stable. */
void syn_order_step(struct syn_order *order);
/* Returns the number of steps left. */
size_t syn_order_steps_left(const struct syn_order *order);
void syn_order_free(struct syn_order *order);

#endif
