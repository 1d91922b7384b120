/* analyze/diff/page/diff_segments_text.c - writes sentences on segments whose time, or the waiting
 * for which, changed. Wording: docs/reports.md. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/page/diff_words.h"
#include "analyze/print/units.h"
#include "analyze/report/sections/causes_words.h"

/* Numbers of occurrences are said if they differ by more than this share. */
#define TIMES_THAT_DIFFER 0.01
/* Waiting is said if it differs by more than this share of the ranks' time. */
#define POINTS_THAT_MATTER 0.01

static void site(const struct syn_segment_half *half, const char *at, struct syn_text *out)
{
    syn_unit_place(out, at && at[0] ? at : half->run_count ? "the run's end" : "?");
}

static void who(const struct syn_segment *segment, struct syn_text *out)
{
    if (segment->every_rank || segment->rank_count == 0) {
        syn_text_string(out, segment->every_rank ? "every rank" : "a rank in the mean");
        return;
    }
    syn_rank_words(segment->rank, segment->rank_count, false, out);
}

static const char *does(const struct syn_diff *diff, const struct syn_segment *segment)
{
    static const char *const one_sided[] = {"is in one-sided calls", "are in one-sided calls"};
    static const char *const words[][2] = {
        [SYN_CATEGORY_COMPUTING] = {"computes", "compute"},
        [SYN_CATEGORY_MESSAGES] = {"is in messages", "are in messages"},
        [SYN_CATEGORY_OFF_CPU] = {"is off its processor", "are off their processors"},
        [SYN_CATEGORY_OPERATION] = {"takes", "take"}};
    const bool many = !segment->every_rank && segment->rank_count > 1;
    if (segment->category == SYN_CATEGORY_MESSAGES && diff->side[0].run[0].is_one_sided &&
        diff->side[1].run[0].is_one_sided)
        return one_sided[many];
    return words[segment->category][many];
}

/* Says whether the waiting that the segment causes differs, by more than POINTS_THAT_MATTER and
 * than the clock bound. */
static bool waits_differ(const struct syn_diff *diff, const struct syn_segment *segment)
{
    const double bound = fmax(segment->half[0].waiting_bound, segment->half[1].waiting_bound);
    return segment->waits_p_adjusted < 1 - diff->options.confidence &&
           fabs(segment->waits.estimate) > fmax(bound, POINTS_THAT_MATTER);
}

static bool changed(const struct syn_segment *segment)
{
    return syn_segment_is_on_both(segment) &&
           (segment->verdict == SYN_VERDICT_SLOWER || segment->verdict == SYN_VERDICT_FASTER);
}

static bool is_shown(const struct syn_diff *diff, const struct syn_segment *segment)
{
    return syn_segment_is_on_both(segment) && (changed(segment) || waits_differ(diff, segment));
}

size_t syn_segment_sentences(const struct syn_diff *diff)
{
    size_t count = 0;
    for (size_t i = 0; i < diff->segments.count; i++)
        count += is_shown(diff, &diff->segments.item[i]);
    return count;
}

/* Writes "at main.c:31" of a call; else "between solve.c:112 and solve.c:140", or "between one call
 * and the next at solve.c:112", or "before solve.c:9". */
static void place(const struct syn_segment *segment, const struct syn_segment_half *half,
                  struct syn_text *out)
{
    const bool begins = half->from && half->from[0];
    const bool is_one = begins && (segment->op || strcmp(half->from, half->to) == 0);
    syn_text_string(out, segment->op ? "at "
                         : !begins   ? "before "
                         : is_one    ? "between one call and the next at "
                                     : "between ");
    if (begins)
        site(half, half->from, out);
    if (begins && !is_one)
        syn_text_string(out, " and ");
    if (!is_one)
        site(half, half->to, out);
}

/* Writes where the segment lies, how its time has changed, and how the waiting for it has. */
static void write_sentence(const struct syn_diff *diff, const struct syn_segment *segment,
                           struct syn_text *out)
{
    const bool waits = waits_differ(diff, segment);
    if (segment->op)
        syn_text_format(out, "in %s ", segment->op);
    place(segment, &segment->half[segment->half[0].run_count == 0], out);
    if (segment->phase[0])
        syn_text_format(out, " in phase %s", segment->phase);
    if (changed(segment)) {
        syn_text_char(out, ' ');
        who(segment, out);
        syn_text_format(out, " %s ", does(diff, segment));
        /* "8.1 % longer [6.0, 10.2]", "shorter", from tenfold on "14 times as long". */
        if (segment->ratio.estimate >= 10)
            syn_text_format(out, "%.3g times as long [%.3g, %.3g]", segment->ratio.estimate,
                            segment->ratio.low, segment->ratio.high);
        else if (segment->ratio.estimate >= 1)
            syn_text_format(out, "%.3g %% longer [%.3g, %.3g]", 100 * (segment->ratio.estimate - 1),
                            100 * (segment->ratio.low - 1), 100 * (segment->ratio.high - 1));
        else
            syn_text_format(out, "%.3g %% shorter [%.3g, %.3g]",
                            100 * (1 - segment->ratio.estimate), 100 * (1 - segment->ratio.high),
                            100 * (1 - segment->ratio.low));
        syn_words(out, " ({p}): {time} a time in A, {time} in B, {time} {text} of a rank's run",
                  segment->p_adjusted, segment->half[0].median.value, segment->half[1].median.value,
                  fabs(segment->change_ns), segment->change_ns >= 0 ? "more" : "less");
        /* "a rank is there 1000 times in A, 1200 in B". */
        const double a = segment->half[0].times, b = segment->half[1].times;
        if (fabs(b - a) > TIMES_THAT_DIFFER * a)
            syn_text_format(out, "; a rank is there %.0f times in A, %.0f in B", a, b);
    } else
        syn_text_format(out, ", where a rank %s,", does(diff, segment));
    if (waits) {
        syn_text_string(out, changed(segment) ? "; " : " ");
        syn_words(out,
                  "the waiting for it {text} from {share} to {share} of the ranks' time, by "
                  "{number.3g} points",
                  segment->waits.estimate > 0 ? "rises" : "falls", segment->waiting[0],
                  segment->waiting[1], 100 * fabs(segment->waits.estimate));
        const double ends[2] = {fabs(segment->waits.low), fabs(segment->waits.high)};
        syn_words(out, " [{number.3g}, {number.3g}] ({p})", 100 * fmin(ends[0], ends[1]),
                  100 * fmax(ends[0], ends[1]), segment->waits_p_adjusted);
    }
    if (segment->line_differs) {
        syn_text_string(out, " (in B ");
        place(segment, &segment->half[1], out);
        syn_text_char(out, ')');
    }
}

bool syn_segment_sentence(const struct syn_diff *diff, size_t number, struct syn_text *out)
{
    for (size_t i = 0; i < diff->segments.count; i++) {
        if (!is_shown(diff, &diff->segments.item[i]) || number-- > 0)
            continue;
        write_sentence(diff, &diff->segments.item[i], out);
        return true;
    }
    return false;
}

void syn_segments_in_all(const struct syn_diff_segments *segments, struct syn_text *out)
{
    const size_t alone = segments->count - segments->both_count;
    syn_diff_verdict_counts(segments->verdict_count, out);
    if (alone)
        syn_text_format(out, "; %zu more on one side only", alone);
}
