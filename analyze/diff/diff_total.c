/* analyze/diff/diff_total.c - the whole before its parts: did the runs take longer, were they
 * longer in collectives, and less efficient? Tests on one figure a run, Holm over the two times and
 * over the efficiencies. Runs that were made in pairs are compared pair by pair: a machine that is
 * busy for longer than a run makes both runs of a pair longer, and leaves their ratio alone. */
#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/clocks.h"
#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

double syn_diff_median_of(const double *value, size_t count)
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

/* Returns a run's total of this kind; NAN if it has none. */
typedef double (*total_of)(const struct syn_run_facts *run, int kind);

static double time_total(const struct syn_run_facts *run, int kind)
{
    return syn_facts_total_ns(run, (enum syn_total)kind);
}

/* Returns an efficiency of a run; NAN if it rests on the common clock and clocks are wrong. */
static double efficiency_of(const struct syn_run_facts *run, int kind)
{
    const struct syn_efficiency *of = &run->findings.efficiency;
    const double figures[] = {of->parallel, of->load_balance, of->communication, of->waiting,
                              of->transfer};
    const bool rests_on_clocks = kind == SYN_EFFICIENCY_WAITING || kind == SYN_EFFICIENCY_TRANSFER;
    return rests_on_clocks && syn_clocks_are_lost(&run->causality) ? NAN : figures[kind];
}

struct sample {
    double *value; /* [count], owned */
    size_t count;
};

static struct sample sample_of(const struct syn_report *side, total_of of, int kind)
{
    struct sample out = {malloc((side->run_count + 1) * sizeof *out.value), 0};
    for (size_t i = 0; i < side->run_count && out.value; i++) {
        const double total = of(&side->run[i], kind);
        if (!isnan(total))
            out.value[out.count++] = total;
    }
    return out;
}

/* log B/A of the pairs, whose runs have one number; one without a total above 0 is left out. */
static struct sample pairs_of(const struct syn_diff *diff, total_of of, int kind)
{
    const struct syn_report *a = &diff->side[0], *b = &diff->side[1];
    struct sample out = {malloc((a->run_count + 1) * sizeof *out.value), 0};
    for (size_t i = 0, k = 0; i < a->run_count && out.value; i++) {
        while (k < b->run_count && b->run[k].run < a->run[i].run)
            k++;
        if (k == b->run_count || b->run[k].run != a->run[i].run)
            continue;
        const double ratio = of(&b->run[k], kind) / of(&a->run[i], kind);
        if (ratio > 0 && isfinite(ratio))
            out.value[out.count++] = log(ratio);
    }
    return out;
}

static int test_samples(const struct syn_diff *diff, const struct sample *a, const struct sample *b,
                        struct syn_diff_total *out)
{
    int status = syn_wilcoxon_test(b->value, b->count, a->value, a->count,
                                   diff->options.alternative, &out->test);
    if (status == SYN_OK)
        status = syn_ratio(b->value, b->count, a->value, a->count, 1 - syn_diff_table_alpha(diff),
                           &out->ratio);
    out->p_adjusted = out->test.p;
    if (!syn_diff_runs_suffice(diff, a->count, b->count)) {
        out->ratio.low = out->ratio.high = out->ratio.confidence = NAN;
        out->p_adjusted = NAN;
    }
    return status == SYN_ENOMEM ? status : 0;
}

static int test_pairs(const struct syn_diff *diff, const struct sample *pairs,
                      struct syn_diff_total *out)
{
    struct syn_shift *ratio = &out->ratio;
    int status =
        syn_signed_rank_test(pairs->value, pairs->count, diff->options.alternative, &out->test);
    if (status == SYN_OK)
        status = syn_pairs_shift(pairs->value, pairs->count, 1 - syn_diff_table_alpha(diff), ratio);
    ratio->estimate = exp(ratio->estimate);
    ratio->low = exp(ratio->low);
    ratio->high = exp(ratio->high);
    out->p_adjusted = out->test.p;
    out->by_pairs = true;
    return status;
}

/* Pairs are taken where there are enough of them for the test to claim anything: six at 5 %, where
 * four runs a side are enough for the other test. */
static int compare(const struct syn_diff *diff, total_of of, int kind, struct syn_diff_total *out)
{
    struct sample a = sample_of(&diff->side[0], of, kind), b = sample_of(&diff->side[1], of, kind);
    struct sample pairs = pairs_of(diff, of, kind);
    int status = a.value && b.value && pairs.value ? 0 : SYN_ENOMEM;
    *out = (struct syn_diff_total){.p_adjusted = NAN, .ratio = {NAN, NAN, NAN, NAN, 0}};
    out->test.p = out->test.U = NAN;
    if (status == SYN_OK) {
        out->a = syn_diff_median_of(a.value, a.count);
        out->b = syn_diff_median_of(b.value, b.count);
        status =
            diff->options.in_pairs && pairs.count >= syn_pairs_needed(syn_diff_table_alpha(diff))
                ? test_pairs(diff, &pairs, out)
                : test_samples(diff, &a, &b, out);
    }
    free(a.value);
    free(b.value);
    free(pairs.value);
    return status;
}

static int compare_all(const struct syn_diff *diff, total_of of, int count,
                       struct syn_diff_total *out)
{
    int status = 0;
    for (int kind = 0; kind < count && status == SYN_OK; kind++)
        status = compare(diff, of, kind, &out[kind]);
    if (status == SYN_OK)
        status = syn_adjust_holm_in(&out->p_adjusted, sizeof *out, (size_t)count);
    return status;
}

int syn_diff_compare_totals(struct syn_diff *diff)
{
    const int status = compare_all(diff, time_total, SYN_TOTAL_COUNT, diff->total);
    return status != SYN_OK
               ? status
               : compare_all(diff, efficiency_of, SYN_EFFICIENCY_COUNT, diff->efficiency);
}
