/* analyze/diff/diff_segments_judge.c - finds the segments that changed, the ranks on which they
 * did, and whether they cause more waiting. The tests are those of groups (diff_judge.c), over the
 * segments of both sides.
 *
 * Every rank changed if the interval of each rank says so. This is an intersection of tests, and
 * needs no adjustment (Berger, Technometrics 24 (1982) 295-300). Single ranks are named by
 * Bonferroni intervals over the ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

/* Returns the runs' values of a side of a segment: mean times, or the waiting caused. */
static struct syn_diff_values values_of(const struct syn_segment *segment, int side, bool waiting)
{
    const struct syn_segment_half *half = &segment->half[side];
    return waiting ? (struct syn_diff_values){half->waiting, half->waiting_run, half->waiting_count}
                   : (struct syn_diff_values){half->run_ns, half->run, half->run_count};
}

/* Summarizes both sides, then tests the waiting caused and the times. */
static int test_segment(const struct syn_diff *diff, struct syn_segment *segment)
{
    const struct syn_segment_half *a = &segment->half[0], *b = &segment->half[1];
    for (int side = 0; side < 2; side++) {
        struct syn_segment_half *half = &segment->half[side];
        if (syn_diff_find_median(diff, half->run_ns, half->run_count, &half->median))
            return SYN_ENOMEM;
        segment->waiting[side] = syn_diff_median_of(half->waiting, half->waiting_count);
    }
    struct syn_diff_values of_a = values_of(segment, 0, true), of_b = values_of(segment, 1, true);
    int status = syn_diff_test_runs(diff, &of_a, &of_b, syn_hodges_lehmann, &segment->waits_test,
                                    &segment->waits, &segment->waits_p_adjusted);
    of_a = values_of(segment, 0, false), of_b = values_of(segment, 1, false);
    SYN_STEP(status, syn_diff_test_runs(diff, &of_a, &of_b, syn_hodges_lehmann, &segment->test,
                                        &segment->change, &segment->p_adjusted));
    SYN_STEP(status, syn_diff_test_runs(diff, &of_a, &of_b, syn_ratio, &segment->test,
                                        &segment->ratio, &segment->p_adjusted));
    segment->least_p = NAN;
    if (!syn_segment_is_on_both(segment))
        return status;
    if (syn_diff_runs_suffice(diff, a->run_count, b->run_count))
        segment->least_p = syn_smallest_p(a->run_count, b->run_count);
    else
        segment->ratio.estimate = a->median.value > 0 ? b->median.value / a->median.value : NAN;
    segment->change_ns = b->median.value * b->times - a->median.value * a->times;
    return status;
}

/* Adjusts p over all segments: that of the times, or of the waiting caused. */
static int adjust(const struct syn_diff *diff, struct syn_diff_segments *segments, bool waiting)
{
    struct syn_segment *item = segments->item;
    SYN_CLEANUP(syn_diff_rows_free) struct syn_diff_rows rows = {0};
    int status = syn_diff_rows_begin(diff, segments->count, &rows);
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++) {
        for (int side = 0; side < 2; side++) {
            const struct syn_diff_values of = values_of(&item[i], side, waiting);
            syn_diff_rows_put(&rows, i, side, of.run, of.value, of.count);
        }
    }
    if (status == SYN_OK && segments->count)
        status = syn_diff_adjust(diff, &rows, !waiting,
                                 waiting ? &item->waits_p_adjusted : &item->p_adjusted,
                                 sizeof *item, NULL, NULL);
    return status;
}

/* Finds the verdict by the ratio. Waiting in messages may be 0 in a run, which has no ratio: then
 * by the change, as a share of A's waiting or of the clock bound, whichever is more. */
static int find_verdict(const struct syn_diff *diff, struct syn_segment *item)
{
    const struct syn_diff_values a = values_of(item, 0, false), b = values_of(item, 1, false);
    const double bound_ns = fmax(item->half[0].bound_ns, item->half[1].bound_ns);
    const double base_ns = fmax(fmax(item->half[0].median.value, bound_ns), 1);
    struct syn_shift ratio = item->ratio;
    if (isnan(ratio.low)) {
        ratio.low = 1 + item->change.low / base_ns;
        ratio.high = 1 + item->change.high / base_ns;
    }
    return syn_diff_find_verdict(diff, &a, &b, &ratio, item->least_p, item->p_adjusted,
                                 fmax(diff->options.threshold, bound_ns / base_ns), &item->verdict);
}

/* ---- which ranks ---- */

/* Copies the mean times of a rank into `value`, for the runs in which the rank has the segment.
 * Returns their number. */
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

/* Says whether the interval of the rank's ratio, at that level, lies wholly on the side of 1 that
 * the segment's verdict claims. */
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
    SYN_FREED double *value = malloc((a->run_count + b->run_count + 1) * sizeof *value);
    segment->rank = malloc(((size_t)ranks + 1) * sizeof *segment->rank);
    segment->every_rank = value && segment->rank;
    for (int32_t rank = 0; rank < ranks && value && segment->rank; rank++) {
        segment->every_rank &= rank_changed(segment, rank, level, value);
        if (rank_changed(segment, rank, level / ranks, value))
            segment->rank[segment->rank_count++] = rank;
    }
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

SYN_ORDER(by_change, struct syn_segment,
          (place_of(a) - place_of(b))
              ?: SYN_COMPARE(fabs(b->change_ns), fabs(a->change_ns))
              ?: strcmp(a->half[0].from ? a->half[0].from : "",
                        b->half[0].from ? b->half[0].from : "")
              ?: strcmp(a->half[0].to ? a->half[0].to : "", b->half[0].to ? b->half[0].to : "")
              ?: SYN_UP(category)
              ?: strcmp(a->op ? a->op : "", b->op ? b->op : "")
              ?: memcmp(&a->messages, &b->messages, sizeof a->messages))

/* Tests times and waiting of each segment, adjusts over all segments, then judges the segments that
 * both sides have. */
static int compare(const struct syn_diff *diff, struct syn_diff_segments *segments)
{
    int status = SYN_OK;
    if (segments->count == 0)
        return SYN_OK;
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++)
        status = test_segment(diff, &segments->item[i]);
    SYN_STEP(status, adjust(diff, segments, false));
    SYN_STEP(status, adjust(diff, segments, true));
    SYN_STEP(status, syn_diff_adjust_least(diff, &segments->item->least_p, sizeof *segments->item,
                                           segments->count));
    for (size_t i = 0; i < segments->count && status == SYN_OK; i++) {
        struct syn_segment *item = &segments->item[i];
        if (!syn_segment_is_on_both(item))
            continue;
        status = find_verdict(diff, item);
        if (status == SYN_OK &&
            (item->verdict == SYN_VERDICT_SLOWER || item->verdict == SYN_VERDICT_FASTER))
            status = name_ranks(diff, item);
        segments->verdict_count[item->verdict]++;
        segments->both_count++;
    }
    if (status == SYN_OK)
        qsort(segments->item, segments->count, sizeof *segments->item, by_change);
    return status;
}

int syn_diff_compare_segments(struct syn_diff *diff)
{
    struct syn_diff_segments *const lists[] = {&diff->segments, &diff->messages};
    int status = SYN_OK;
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        status = syn_diff_find_segments(diff, i == 1, lists[i]);
        SYN_STEP(status, compare(diff, lists[i]));
    }
    return status;
}
