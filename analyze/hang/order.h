/* analyze/hang/order.h - finds whether a rank made some calls more or fewer than the others. If so,
 * all later calls of the communicator disagree, and the first difference comes after the fault. */
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
    int calls;   /* calls that the rank made more (below 0: fewer) than the others */
    size_t at;   /* index of the first of these calls */
    uint16_t op; /* of that call */
    uint32_t site;
};

/* Number of steps before the difference that are compared, and the longest shift. */
#define SYN_ORDER_BEFORE 64
#define SYN_SHIFT_MAX    8

/* Compares a rank's steps with those of another rank. Both begin with the same call and differ at
 * index `at` or before (`at` is below both counts). Beyond the end of the steps, the calls that
 * followed the same calls earlier are taken to follow again. A shift is the smallest number of
 * calls to add or to leave out that makes the rest equal. Returns false if there is no shift. */
bool syn_order_shift(const struct syn_step *mine, size_t mine_count, const struct syn_step *others,
                     size_t others_count, size_t at, struct syn_call_shift *out);

#endif
