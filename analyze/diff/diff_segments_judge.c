/* analyze/diff/diff_segments_judge.c - finds segments that changed, the ranks on which they did,
 * and whether more is waited for them: the tests of groups (diff_judge.c), over the segments of
 * both sides.
 *
 * Every rank changed if each rank's interval by itself says so (an intersection of tests needs no
 * adjustment: Berger, Technometrics 24 (1982) 295-300); single ranks are named by Bonferroni's
 * intervals over the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

static int summarize(const struct syn_diff *diff, struct syn_segment_half *half)
{
    struct syn_summary summary;
    if (syn_diff_summarize_runs(diff, half->run_ns, half->run_count, &summary))
        return SYN_ENOMEM;
    half->median = summary.median;
    half->ci_low = summary.ci_low;
    half->ci_high = summary.ci_high;
    return 0;
}

static const struct syn_shift no_shift = {NAN, NAN, NAN, NAN, 0};

static int test_times(const struct syn_diff *diff, struct syn_segment *segment)
{
    const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
    segment->ratio = no_shift;
    segment->test = (struct syn_wilcoxon){NAN, NAN, 0};
    segment->p_adjusted = segment->least_p = NAN;
    if (!syn_segment_is_on_both(segment))
        return 0;
    int status = syn_wilcoxon_test(b->run_ns, b->run_count, a->run_ns, a->run_count,
                                   diff->options.alternative, &segment->test);
    if (status == SYN_OK &&
        syn_diff_runs_suffice(diff, segment->half[0].run_count, segment->half[1].run_count)) {
        status = syn_ratio(b->run_ns, b->run_count, a->run_ns, a->run_count,
                           1 - syn_diff_table_alpha(diff), &segment->ratio);
        segment->p_adjusted = segment->test.p;
        segment->least_p = syn_smallest_p(a->run_count, b->run_count);
    } else if (a->median > 0) {
        segment->ratio.estimate = b->median / a->median;
    }
    segment->change_ns = b->median * b->times - a->median * a->times;
    return status == SYN_ENOMEM ? status : 0;
}

/* ---- over all segments ---- */

static void put_row(struct syn_diff_rows *rows, size_t row, const struct syn_segment *segment,
                    bool waiting)
{
    for (int side = 0; side < 2; side++) {
        const struct syn_segment_half *half = &segment->half[side];
        const size_t count = waiting ? half->waiting_count : half->run_count;
        for (size_t i = 0; i < count; i++)
            syn_diff_rows_put(rows, row, side, waiting ? half->waiting_run[i] : half->run[i],
                              waiting ? half->waiting[i] : half->run_ns[i]);
    }
}

static int adjust(const struct syn_diff *diff, struct syn_diff_segments *segments, bool waiting)
{
    struct syn_diff_rows rows = {0};
    double *p = malloc((segments->count + 1) * sizeof *p);
    int status = p ? syn_diff_rows_begin(diff, segments->count, &rows) : SYN_ENOMEM;
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++) {
        const struct syn_segment *segment = &segments->item[i];
        p[i] = waiting ? segment->waits_p_adjusted : segment->p_adjusted;
        put_row(&rows, i, segment, waiting);
    }
    if (status == SYN_OK && !waiting)
        syn_diff_rows_to_logarithms(&rows);
    if (status == SYN_OK)
        status = syn_diff_adjust(diff, &rows, p, NULL, NULL);
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++)
        *(waiting ? &segments->item[i].waits_p_adjusted : &segments->item[i].p_adjusted) = p[i];
    syn_diff_rows_free(&rows);
    free(p);
    return status;
}

/* Adjusts the least p that each segment could have had. */
static int adjust_least(const struct syn_diff *diff, struct syn_diff_segments *segments)
{
    struct syn_segment *item = segments->item;
    if (segments->count == 0 || diff->adjust == SYN_ADJUST_MAXT)
        return SYN_OK;
    return (diff->adjust == SYN_ADJUST_BH ? syn_adjust_bh_in : syn_adjust_holm_in)(
        &item->least_p, sizeof *item, segments->count);
}

static int find_verdict(const struct syn_diff *diff, struct syn_segment *segment)
{
    const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
    const double sides = diff->options.alternative == SYN_TWO_SIDED ? 1 : 2;
    struct syn_shift narrow = no_shift;
    if (syn_ratio(b->run_ns, b->run_count, a->run_ns, a->run_count, 0.9, &narrow) == SYN_ENOMEM)
        return SYN_ENOMEM;
    const struct syn_evidence evidence = {.runs_a = a->run_count,
                                          .runs_b = b->run_count,
                                          .least_p = isnan(segment->least_p) ? 0 : segment->least_p,
                                          .p_adjusted = segment->p_adjusted * sides,
                                          .alpha = syn_diff_table_alpha(diff),
                                          .delta = diff->options.threshold,
                                          .ratio_low = segment->ratio.low,
                                          .ratio_high = segment->ratio.high,
                                          .low90 = narrow.low,
                                          .high90 = narrow.high};
    segment->verdict = syn_verdict_of(&evidence);
    return 0;
}

/* ---- which ranks ---- */

/* The runs of a rank that have it: their figures into value. */
static size_t rank_values(const struct syn_segment_half *half, int32_t rank, double *value)
{
    size_t count = 0;
    for (size_t i = 0; i < half->run_count; i++) {
        const double ns = half->rank_ns[(size_t)rank * half->rank_stride + i];
        if (ns > 0)
            value[count++] = ns;
    }
    return count;
}

/* Does the interval of the rank's ratio, of that level, lie on the segment's side of 1? */
static bool rank_changed(const struct syn_segment *segment, int32_t rank, double level,
                         double *value)
{
    const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
    struct syn_shift ratio;
    const size_t na = rank_values(a, rank, value);
    const size_t nb = rank_values(b, rank, value + na);
    if (syn_smallest_p(na, nb) > level || syn_ratio(value + na, nb, value, na, 1 - level, &ratio))
        return false;
    return segment->verdict == SYN_VERDICT_SLOWER ? ratio.low > 1 : ratio.high < 1;
}

static int name_ranks(const struct syn_diff *diff, struct syn_segment *segment)
{
    const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
    const int32_t ranks = a->rank_count;
    const double level = syn_diff_table_alpha(diff);
    if (ranks == 0 || ranks != b->rank_count)
        return 0;
    double *value = malloc((a->run_count + b->run_count + 1) * sizeof *value);
    segment->rank = malloc(((size_t)ranks + 1) * sizeof *segment->rank);
    segment->every_rank = value && segment->rank;
    for (int32_t rank = 0; rank < ranks && value && segment->rank; rank++) {
        segment->every_rank &= rank_changed(segment, rank, level, value);
        if (rank_changed(segment, rank, level / ranks, value))
            segment->rank[segment->rank_count++] = rank;
    }
    free(value);
    return value && segment->rank ? 0 : SYN_ENOMEM;
}

/* ---- all ---- */

static int place_of(const struct syn_segment *segment)
{
    static const int places[] = {[SYN_VERDICT_SLOWER] = 0,     [SYN_VERDICT_FASTER] = 1,
                                 [SYN_VERDICT_UNCLEAR] = 2,    [SYN_VERDICT_TOO_FEW_RUNS] = 3,
                                 [SYN_VERDICT_EQUIVALENT] = 3, [SYN_VERDICT_INDISTINGUISHABLE] = 3};
    return syn_segment_is_on_both(segment) ? places[segment->verdict] : 4;
}

static int by_change(const void *left, const void *right)
{
    const struct syn_segment *a = left, *b = right;
    const double change[2] = {fabs(a->change_ns), fabs(b->change_ns)};
    int order = place_of(a) - place_of(b);
    if (order == 0 && change[0] != change[1])
        order = change[0] > change[1] ? -1 : 1;
    order = order ? order
                  : strcmp(a->half[0].from ? a->half[0].from : "",
                           b->half[0].from ? b->half[0].from : "");
    order = order ? order
                  : strcmp(a->half[0].to ? a->half[0].to : "", b->half[0].to ? b->half[0].to : "");
    return order ? order : (int)a->part - (int)b->part;
}

static int judge_each(const struct syn_diff *diff, struct syn_diff_segments *segments)
{
    int status = 0;
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++) {
        struct syn_segment *segment = &segments->item[i];
        if (!syn_segment_is_on_both(segment))
            continue;
        status = find_verdict(diff, segment);
        if (status == SYN_OK &&
            (segment->verdict == SYN_VERDICT_SLOWER || segment->verdict == SYN_VERDICT_FASTER))
            status = name_ranks(diff, segment);
        segments->verdict_count[segment->verdict]++;
        segments->both_count++;
    }
    return status;
}

/* Tests times and waiting of each segment, then adjusts over all segments. */
static int judge(const struct syn_diff *diff, struct syn_diff_segments *segments)
{
    int status = 0;
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++) {
        struct syn_segment *segment = &segments->item[i];
        for (int side = 0; side < 2 && status == SYN_OK; side++)
            status = summarize(diff, &segment->half[side]);
        if (status == SYN_OK)
            status = test_times(diff, segment);
        if (status == SYN_OK) {
            const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
            segment->waits = no_shift;
            segment->waits_test = (struct syn_wilcoxon){NAN, NAN, 0};
            segment->waits_p_adjusted = NAN;
            segment->waiting[0] = syn_diff_median_of(a->waiting, a->waiting_count);
            segment->waiting[1] = syn_diff_median_of(b->waiting, b->waiting_count);
            status = syn_wilcoxon_test(b->waiting, b->waiting_count, a->waiting, a->waiting_count,
                                       diff->options.alternative, &segment->waits_test);
            if (status == SYN_OK)
                status =
                    syn_hodges_lehmann(b->waiting, b->waiting_count, a->waiting, a->waiting_count,
                                       1 - syn_diff_table_alpha(diff), &segment->waits);
            if (status == SYN_OK && syn_diff_runs_suffice(diff, a->waiting_count, b->waiting_count))
                segment->waits_p_adjusted = segment->waits_test.p;
            else
                segment->waits.low = segment->waits.high = segment->waits.confidence = NAN;
            status = status == SYN_ENOMEM ? status : 0;
        }
    }
    if (status == SYN_OK)
        status = adjust(diff, segments, false);
    if (status == SYN_OK)
        status = adjust(diff, segments, true);
    if (status == SYN_OK)
        status = adjust_least(diff, segments);
    if (status == SYN_OK)
        status = judge_each(diff, segments);
    if (status == SYN_OK && segments->count > 1)
        qsort(segments->item, segments->count, sizeof *segments->item, by_change);
    return status;
}

int syn_diff_compare_segments(struct syn_diff *diff)
{
    const int status = syn_diff_find_segments(diff, &diff->segments);
    return status != SYN_OK ? status : judge(diff, &diff->segments);
}
