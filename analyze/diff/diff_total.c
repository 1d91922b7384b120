/* analyze/diff/diff_total.c - compares whole runs: run time, time in collectives, times in
 * messages, and efficiencies. Each run gives one value; Holm's adjustment covers the two times, the
 * efficiencies, and the times in messages, each by itself. Runs that were made in pairs are
 * compared pair by pair: a machine that is busy for longer than a run makes both runs of a pair
 * longer, and does not change their ratio. */
#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/clocks.h"
#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

enum family { TIMES, EFFICIENCIES, MESSAGES };

/* Returns a value of a run; NAN: the run has none, or the value depends on the common clock and the
 * run's clocks are wrong. Transfer of messages depends on it, as the time that is not waiting. */
static double figure_of(const struct syn_run_facts *run, enum family family, int kind)
{
    const struct syn_efficiency *of = &run->findings.efficiency;
    const struct syn_message_sums *sums = &run->messages.sums;
    const double efficiency[] = {of->parallel, of->load_balance, of->communication, of->waiting,
                                 of->transfer};
    const int64_t sum_ns[] = {sums->late_sender_ns, sums->late_receiver_ns, sums->transfer_ns};
    if (family == TIMES)
        return syn_facts_total_ns(run, (enum syn_total)kind);
    const bool rests_on_clocks =
        family == MESSAGES || kind == SYN_EFFICIENCY_WAITING || kind == SYN_EFFICIENCY_TRANSFER;
    if ((rests_on_clocks && syn_clocks_are_lost(&run->causality)) ||
        (family == MESSAGES && run->messages.recorded != SYN_MESSAGES_EVENTS))
        return NAN;
    return family == MESSAGES ? (double)sum_ns[kind] / run->rank_count : efficiency[kind];
}

static int test_pairs(const struct syn_diff *diff, const struct syn_diff_values *pairs,
                      struct syn_diff_total *out)
{
    struct syn_shift *ratio = &out->ratio;
    int status =
        syn_signed_rank_test(pairs->value, pairs->count, diff->options.alternative, &out->test);
    SYN_STEP(status,
             syn_pairs_shift(pairs->value, pairs->count, 1 - syn_diff_table_alpha(diff), ratio));
    ratio->estimate = exp(ratio->estimate);
    ratio->low = exp(ratio->low);
    ratio->high = exp(ratio->high);
    out->p_adjusted = out->test.p;
    out->by_pairs = true;
    return status;
}

/* Compares pairs if there are enough for the test to claim anything: six at 5 %. Else compares the
 * sides, which takes four runs on each. */
static int compare(const struct syn_diff *diff, enum family family, int kind,
                   struct syn_diff_total *out)
{
    struct syn_diff_values value[2] = {{0}, {0}}, pairs = {0};
    int status = syn_diff_values_begin(&pairs, diff->side[0].run_count);
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        const struct syn_report *side = &diff->side[i];
        status = syn_diff_values_begin(&value[i], side->run_count);
        for (size_t r = 0; r < side->run_count && status == SYN_OK; r++) {
            const double figure = figure_of(&side->run[r], family, kind);
            if (!isnan(figure))
                syn_diff_values_add(&value[i], side->run[r].run, figure);
        }
    }
    const struct syn_diff_values *a = &value[0], *b = &value[1];
    *out = (struct syn_diff_total){.p_adjusted = NAN, .ratio = {NAN, NAN, NAN, NAN, 0}};
    if (status == SYN_OK) {
        /* log B/A of each pair: the runs of one number. */
        for (size_t i = 0, k = 0; i < a->count; i++) {
            while (k < b->count && b->run[k] < a->run[i])
                k++;
            if (k == b->count || b->run[k] != a->run[i])
                continue;
            const double ratio = b->value[k] / a->value[i];
            if (ratio > 0 && isfinite(ratio))
                syn_diff_values_add(&pairs, a->run[i], log(ratio));
        }
        out->a = syn_diff_median_of(a->value, a->count);
        out->b = syn_diff_median_of(b->value, b->count);
        status =
            diff->options.in_pairs && pairs.count >= syn_pairs_needed(syn_diff_table_alpha(diff))
                ? test_pairs(diff, &pairs, out)
                : syn_diff_test_runs(diff, a, b, syn_ratio, &out->test, &out->ratio,
                                     &out->p_adjusted);
    }
    syn_diff_values_free(&value[0]);
    syn_diff_values_free(&value[1]);
    syn_diff_values_free(&pairs);
    return status;
}

int syn_diff_compare_totals(struct syn_diff *diff)
{
    const struct {
        struct syn_diff_total *out;
        int count;
    } families[] = {[TIMES] = {diff->total, SYN_TOTAL_COUNT},
                    [EFFICIENCIES] = {diff->efficiency, SYN_EFFICIENCY_COUNT},
                    [MESSAGES] = {diff->message, SYN_MESSAGES_SUM_COUNT}};
    int status = SYN_OK;
    for (int family = TIMES; family <= MESSAGES && status == SYN_OK; family++) {
        struct syn_diff_total *out = families[family].out;
        for (int kind = 0; kind < families[family].count && status == SYN_OK; kind++)
            status = compare(diff, (enum family)family, kind, &out[kind]);
        if (status == SYN_OK)
            status =
                syn_adjust_holm_in(&out->p_adjusted, sizeof *out, (size_t)families[family].count);
    }
    return status;
}
