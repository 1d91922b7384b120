/* analyze/stats/values/distributions.h - R's distribution functions (libRmath), private to this
 * folder. Rmath.h declares the stand-alone library only where MATHLIB_STANDALONE is defined. */
#ifndef SYN_STATS_DISTRIBUTIONS_H
#define SYN_STATS_DISTRIBUTIONS_H

#define MATHLIB_STANDALONE
#include <Rmath.h>

#endif
