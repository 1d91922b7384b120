/* analyze/stats/series/waves.h - does a series change, or is it a stretch of a slow wave?
 *
 * Noise may go up and down more slowly than a series is long. Such a wave under stronger noise does
 * not show in how neighbours resemble one another, and looks like a step or a trend: the level does
 * differ, but another run's will do so otherwise. So a change is held against the wave that would
 * explain the series best without it: an autoregression of first order, of any strength, under
 * independent noise of any share. What speaks for a change is what the likelihood gains by it
 * beyond that. */
#ifndef SYN_STATS_WAVES_H
#define SYN_STATS_WAVES_H

#include <stddef.h>

/* Twice the logarithm of a likelihood ratio: the normal scores of x [n], which no outlier moves,
 * are a level that changes from index `at` on (a line in time where `at` is 0), a wave and noise,
 * over a wave and noise alone, each at its most likely (of 100 waves). At least 0; NAN where n < 8,
 * x is constant, or there is no memory. A longer series is judged by the means of at most
 * SYN_WAVES_VALUES stretches. */
#define SYN_WAVES_VALUES 1024
double syn_waves_ratio_of_change(const double *x, size_t n, size_t at);

/* Least ratio of a claim: by simulation (docs/experiments.md, "What is claimed"), waves alone reach
 * it, for the step that fits them best, in at most 3 % of the series. Fewer claims of a warm-up
 * rest on waves to begin with. */
#define SYN_WAVES_CHANGE 20
#define SYN_WAVES_WARMUP 8

#endif
