/* analyze/diff/diff_segments_json.c - segments of a diff for programs. */
#include "analyze/diff/diff_segments_json.h"

#include <math.h>

#include "analyze/causes/findings.h"
#include "analyze/diff/diff_json_parts.h"

static const char *or_null(const char *site)
{
    return site && site[0] ? site : NULL;
}

static void write_half(struct syn_json *json, const char *key, const struct syn_segment_half *half)
{
    syn_json_open_line(json, key, '{');
    syn_json_count(json, "runs", half->run_count);
    syn_json_string(json, "from", or_null(half->from));
    syn_json_string(json, "to", or_null(half->to));
    syn_json_interval(json, "median", half->median, half->ci_low, half->ci_high);
    syn_json_number(json, "times", half->times);
    syn_json_number(json, "time_share", half->time_share);
    syn_values_json(json, half->run_ns, half->run_count);
    syn_json_close(json);
}

static void write_ranks(struct syn_json *json, const struct syn_segment *segment)
{
    syn_json_bool(json, "every_rank", segment->every_rank);
    syn_json_ranks(json, "ranks", segment->rank, segment->rank_count);
}

static void write_test(struct syn_json *json, const struct syn_segment *segment)
{
    const bool both = syn_segment_is_on_both(segment);
    syn_shift_json(json, "ratio", &segment->ratio);
    syn_test_json(json, &segment->test, segment->p_adjusted);
    syn_json_string(json, "stars", syn_stars(segment->p_adjusted));
    syn_json_string(json, "verdict", both ? syn_verdict_text(segment->verdict) : NULL);
    syn_json_number(json, "change_ns", both ? segment->change_ns : NAN);
}

static void write_waiting(struct syn_json *json, const struct syn_segment *segment)
{
    syn_json_open_line(json, "waiting_share", '{');
    syn_json_number(json, "a", segment->waiting[0]);
    syn_json_number(json, "b", segment->waiting[1]);
    syn_shift_json(json, "change", &segment->waits);
    syn_test_json(json, &segment->waits_test, segment->waits_p_adjusted);
    syn_json_number(json, "clock_bound",
                    fmax(segment->half[0].waiting_bound, segment->half[1].waiting_bound));
    syn_json_close(json);
}

static void write_segment(struct syn_json *json, const struct syn_segment *segment)
{
    const struct syn_segment_half *named = &segment->half[segment->half[0].run_count == 0];
    syn_json_open(json, NULL, '{');
    syn_json_string(json, "kind", syn_part_name(segment->part));
    syn_json_string(json, "from", or_null(named->from));
    syn_json_string(json, "to", or_null(named->to));
    syn_json_string(json, "op", segment->op);
    syn_json_string(json, "phase", or_null(segment->phase));
    syn_json_bool(json, "line_differs", segment->line_differs);
    write_half(json, "a", &segment->half[0]);
    write_half(json, "b", &segment->half[1]);
    write_test(json, segment);
    write_ranks(json, segment);
    write_waiting(json, segment);
    syn_json_close(json);
}

void syn_diff_segments_json(struct syn_json *json, const struct syn_diff *diff)
{
    syn_json_open(json, "segments", '[');
    for (size_t i = 0; i < diff->segments.count; i++)
        write_segment(json, &diff->segments.item[i]);
    syn_json_close(json);
}
