/* tests/lab/true_time.h - conversion of a skewed clock's time to true time. */
#ifndef TRUE_TIME_H
#define TRUE_TIME_H

#include "sync/time/clock_skew.h"

/* The inverse of syn_clock_skew_apply without jitter, to within 1 ns: the first true_ns at which
 * the clock shows skewed_ns. */
static inline int64_t true_of_skewed(const struct syn_clock_skew *skew, int64_t skewed_ns)
{
    struct syn_clock_skew still = *skew;
    still.jitter_ns = 0;
    int64_t true_ns = skewed_ns;

    /* The clock's rate is within a tenth of 1, so each step leaves a tenth of the miss at most. */
    for (int i = 0; i < 40; i++) {
        const int64_t miss_ns = skewed_ns - syn_clock_skew_apply(&still, true_ns);
        if (miss_ns == 0)
            break;
        true_ns += miss_ns;
    }
    while (syn_clock_skew_apply(&still, true_ns) < skewed_ns)
        true_ns++;
    while (syn_clock_skew_apply(&still, true_ns - 1) >= skewed_ns)
        true_ns--;
    return true_ns;
}

#endif
