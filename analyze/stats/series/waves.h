/* analyze/stats/series/waves.h - tells whether a series changes its level, or is a part of a slow
 * wave.
 *
 * Noise may vary more slowly than a series is long. Such a wave under stronger noise does not
 * appear in the correlation of neighbouring values, and looks like a step or a trend: the level
 * does differ, but in another run it will differ in another way. So a change is compared with the
 * wave that explains the series best without a change: a first-order autoregression of any
 * strength, plus independent noise of any share. The evidence for a change is the gain of
 * likelihood beyond that wave. */
#ifndef SYN_STATS_WAVES_H
#define SYN_STATS_WAVES_H

#include <stddef.h>

/* Returns twice the logarithm of a likelihood ratio. The values are the normal scores of x [n],
 * which outliers do not affect. One model is a level that changes from index `at` on (a line in
 * time if `at` is 0), a wave and noise; the other is a wave and noise alone; each with the most
 * likely of 100 waves. At least 0; NAN if n < 8, x is constant, or there is no memory. A longer
 * series is represented by the means of at most SYN_WAVES_VALUES stretches. */
#define SYN_WAVES_VALUES 1024
double syn_waves_ratio_of_change(const double *x, size_t n, size_t at);

/* Least ratios for a claim. By simulation (docs/experiments.md, "What is claimed"), waves alone
 * reach SYN_WAVES_CHANGE, for the step that fits them best, in at most 3 % of the series. The ratio
 * for a warm-up is lower because fewer claims of a warm-up come from waves. */
#define SYN_WAVES_CHANGE 20
#define SYN_WAVES_WARMUP 8

#endif
