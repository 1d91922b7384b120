/* tests/unit/analyze/stats_simulate.h - series with a known truth, from the seeded generator of
 * bootstrap.h. */
#ifndef STATS_SIMULATE_H
#define STATS_SIMULATE_H

#include <math.h>
#include <stddef.h>

#include "analyze/stats/samples/bootstrap.h"

/* Standard normal (Box and Muller). */
static inline double simulate_normal(struct syn_random *random)
{
    double u = syn_random_unit(random), v = syn_random_unit(random);
    return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

/* First-order autoregression of variance 1 and median 0: x [n]. rho 0: independent values. */
static inline void simulate_ar1(struct syn_random *random, double rho, double *x, size_t n)
{
    double state = simulate_normal(random), fresh = sqrt(1 - rho * rho);
    for (size_t i = 0; i < n; i++) {
        x[i] = state;
        state = rho * state + fresh * simulate_normal(random);
    }
}

#endif
