/* analyze/diff/diff_total.c - the whole before its parts: did the runs take longer, and were they
 * longer in collectives? Two tests on one figure a run, Holm over the two. */
#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "sync/status.h"

static double *times_of(const struct syn_report *side, enum syn_total kind)
{
    double *value = malloc((side->run_count + 1) * sizeof *value);
    for (size_t i = 0; i < side->run_count && value; i++)
        value[i] = syn_facts_total_ns(&side->run[i], kind);
    return value;
}

static double median_of(const double *value, size_t count)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = value[i];
    if (sorted)
        syn_sort(sorted, count);
    double median = sorted ? syn_quantile_sorted(sorted, count, 0.5) : NAN;
    free(sorted);
    return median;
}

static int test(const struct syn_diff *diff, const double *a, const double *b,
                struct syn_diff_total *out)
{
    size_t na = diff->side[0].run_count, nb = diff->side[1].run_count;
    int status = syn_wilcoxon_test(b, nb, a, na, diff->options.alternative, &out->test);
    if (status == 0)
        status = syn_ratio(b, nb, a, na, 1 - syn_diff_table_alpha(diff), &out->ratio);
    out->p_adjusted = out->test.p;
    if (!syn_diff_runs_suffice(diff, na, nb)) {
        out->ratio.low = out->ratio.high = out->ratio.confidence = NAN;
        out->p_adjusted = NAN;
    }
    return status == SYN_ENOMEM ? status : 0;
}

static int compare(const struct syn_diff *diff, enum syn_total kind, struct syn_diff_total *out)
{
    double *a = times_of(&diff->side[0], kind), *b = times_of(&diff->side[1], kind);
    int status = a && b ? 0 : SYN_ENOMEM;
    *out = (struct syn_diff_total){.p_adjusted = NAN, .ratio = {NAN, NAN, NAN, NAN, 0}};
    out->test.p = out->test.U = NAN;
    if (status == 0) {
        out->a = median_of(a, diff->side[0].run_count);
        out->b = median_of(b, diff->side[1].run_count);
        status = test(diff, a, b, out);
    }
    free(a);
    free(b);
    return status;
}

int syn_diff_compare_totals(struct syn_diff *diff)
{
    double p[SYN_TOTAL_COUNT];
    int status = 0;
    for (int kind = 0; kind < SYN_TOTAL_COUNT && status == 0; kind++) {
        status = compare(diff, (enum syn_total)kind, &diff->total[kind]);
        p[kind] = diff->total[kind].p_adjusted;
    }
    if (status == 0)
        status = syn_adjust_holm(p, SYN_TOTAL_COUNT);
    for (int kind = 0; kind < SYN_TOTAL_COUNT && status == 0; kind++)
        diff->total[kind].p_adjusted = p[kind];
    return status;
}

const char *syn_diff_total_name(enum syn_total kind)
{
    static const char *const names[] = {"run_time", "collectives_time"};
    return names[kind];
}
