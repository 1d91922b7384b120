/* analyze/stats/values/distributions.h - R's distribution functions (libRmath), private to
 * analyze/stats. Rmath.h declares the stand-alone library only if MATHLIB_STANDALONE is defined. */
#ifndef SYN_STATS_DISTRIBUTIONS_H
#define SYN_STATS_DISTRIBUTIONS_H

#define MATHLIB_STANDALONE
#include <Rmath.h>

#endif
