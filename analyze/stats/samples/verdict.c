/* analyze/stats/samples/verdict.c - the verdict of a comparison, and the smallest change that the
 * runs can show. */
#include "analyze/stats/samples/compare.h"
#include "analyze/stats/values/distributions.h"

double syn_smallest_p(size_t na, size_t nb)
{
    if (na == 0 || nb == 0)
        return 1;
    return fmin(1, 2 * exp(-lchoose((double)(na + nb), (double)na)));
}

size_t syn_runs_needed(double alpha)
{
    size_t n = 1;
    if (!(alpha > 0))
        return 0;
    while (syn_smallest_p(n, n) >=
           alpha * (1 - 1e-12)) /* lchoose rounds: equality still counts as too few */
        n++;
    return n;
}

size_t syn_pairs_needed(double alpha)
{
    size_t n = 1;
    if (!(alpha > 0))
        return 0;
    while (2 * pow(0.5, (double)n) >= alpha * (1 - 1e-12))
        n++;
    return n;
}

void syn_detectable_ratio(const struct syn_shift *ratio, double alpha, double *slower,
                          double *faster)
{
    *slower = *faster = NAN;
    if (!(ratio->confidence >= 1 - alpha - 1e-12))
        return;
    *slower = ratio->estimate / ratio->low;
    *faster = ratio->estimate / ratio->high;
}

/* Returns the variance of the logarithms, with divisor n - 1; NAN if a value has none. */
static double log_variance(const double *x, size_t n)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) { /* Welford */
        double step = x[i] > 0 ? log(x[i]) - mean : NAN;
        mean += step / (double)(i + 1);
        squares += step * (log(x[i]) - mean);
    }
    return n > 1 ? squares / (double)(n - 1) : NAN;
}

double syn_runs_for_equivalence(const double *b, size_t nb, const double *a, size_t na,
                                double delta)
{
    double variance = M_PI / 3 * (log_variance(a, na) + log_variance(b, nb)), edge = log1p(delta);
    if (isnan(variance) || !(edge > 0))
        return NAN;
    double power = qnorm(0.9, 0, 1, 1, 0); /* 10 % are lost at each edge */
    double root = (qnorm(0.95, 0, 1, 1, 0) + power) / edge,
           n = fmax(2, ceil(variance * root * root));
    /* t is only slightly above the normal quantile, so a few steps are enough */
    while (edge / sqrt(variance / n) < qt(0.95, 2 * n - 2, 1, 0) + power)
        n++;
    return n;
}

const char *syn_stars(double p)
{
    if (p < 0.001)
        return "***";
    if (p < 0.01)
        return "**";
    return p < 0.05 ? "*" : "";
}

enum syn_verdict syn_verdict_of(const struct syn_evidence *e)
{
    if (fmax(syn_smallest_p(e->runs_a, e->runs_b), e->least_p) >= e->alpha * (1 - 1e-12))
        return SYN_VERDICT_TOO_FEW_RUNS;
    double bottom = 1 - e->delta, top = 1 + e->delta;
    int significant = e->p_adjusted < e->alpha;
    int inside = e->ratio_low >= bottom && e->ratio_high <= top;
    if (significant && e->ratio_low > top)
        return SYN_VERDICT_SLOWER;
    if (significant && e->ratio_high < bottom)
        return SYN_VERDICT_FASTER;
    if (significant && !inside)
        return SYN_VERDICT_UNCLEAR;
    if (e->low90 >= bottom && e->high90 <= top)
        return SYN_VERDICT_EQUIVALENT;
    return SYN_VERDICT_INDISTINGUISHABLE;
}

const char *syn_verdict_text(enum syn_verdict verdict)
{
    switch (verdict) {
    case SYN_VERDICT_TOO_FEW_RUNS:
        return "too few runs";
    case SYN_VERDICT_FASTER:
        return "faster";
    case SYN_VERDICT_SLOWER:
        return "slower";
    case SYN_VERDICT_UNCLEAR:
        return "unclear";
    case SYN_VERDICT_EQUIVALENT:
        return "equivalent";
    case SYN_VERDICT_INDISTINGUISHABLE:
        break;
    }
    return "indistinguishable";
}
