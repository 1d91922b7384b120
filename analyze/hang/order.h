/* analyze/hang/order.h - did a rank make some calls more or fewer than the others? Then all later
 * calls of the communicator disagree, and the first place where they show it is not the fault. */
#ifndef SYN_HANG_ORDER_H
#define SYN_HANG_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One call of a rank on a communicator. */
struct syn_step {
    uint32_t site; /* name number */
    uint16_t op;
};

struct syn_call_shift {
    int calls;   /* that the rank made more (below 0: fewer) than the others */
    size_t at;   /* where the first of them is, or would be */
    uint16_t op; /* of that call */
    uint32_t site;
};

/* Steps before the difference that are looked at, and longest shift. */
#define SYN_ORDER_BEFORE 64
#define SYN_SHIFT_MAX    8

/* Compare a rank's steps with another's, which begin with the same call and differ at index `at` at
 * the latest (at < both counts). Where steps end, what came after the same calls before is taken to
 * follow. The shortest edit that makes the rest equal is a shift. False: there is none. */
bool syn_order_shift(const struct syn_step *mine, size_t mine_count, const struct syn_step *others,
                     size_t others_count, size_t at, struct syn_call_shift *out);

#endif
