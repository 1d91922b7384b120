/* analyze/diff/page/diff_ci.c - writes the diff for build servers: a check for each group, judged
 * by --fail-on. */
#include <math.h>

#include "analyze/diff/page/diff_gate.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/ci.h"
#include "analyze/print/units.h"

static enum syn_outcome outcome_of(enum syn_verdict verdict, const struct syn_diff_gate *gate)
{
    if (SYN_GATE_HAS(gate, verdict))
        return SYN_OUTCOME_FAILED;
    return verdict == SYN_VERDICT_TOO_FEW_RUNS ? SYN_OUTCOME_SKIPPED : SYN_OUTCOME_PASSED;
}

static void add_groups(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                       struct syn_checks *checks)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, message = {0};
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        syn_diff_group_name(group, &name);
        char change[SYN_UNIT_BYTES], interval[2 * SYN_UNIT_BYTES], p[SYN_UNIT_BYTES];
        const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, &group->ratio);
        syn_text_format(&message, "%s, %s", syn_verdict_text(group->verdict),
                        syn_diff_change(change, group->ratio.estimate, scale));
        if (isfinite(group->ratio.low))
            syn_text_format(
                &message, " %s",
                syn_diff_interval(interval, group->ratio.low, group->ratio.high, scale));
        if (!group->ratio_within_runs && syn_unit_p(p, group->p_adjusted)[0])
            syn_text_format(&message, ", %s", p);
        syn_checks_add(checks, group->op, outcome_of(group->verdict, gate), &name, &message);
    }
}

static void add_singles(const struct syn_diff *diff, int side, const struct syn_diff_gate *gate,
                        struct syn_checks *checks)
{
    const unsigned word = side == 0 ? SYN_GATE_ONLY_IN_A : SYN_GATE_ONLY_IN_B;
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, message = {0};
    for (size_t i = 0; i < diff->only[side].count; i++) {
        const struct syn_diff_single *single = &diff->only[side].item[i];
        syn_text_format(&name, "%s %llu B at %s", single->op, (unsigned long long)single->bytes,
                        single->site);
        syn_diff_on_comm(single->comm, &name);
        syn_text_format(&message, "only in %c", 'A' + side);
        syn_checks_add(checks, single->op,
                       SYN_GATE_HAS(gate, word) ? SYN_OUTCOME_FAILED : SYN_OUTCOME_SKIPPED, &name,
                       &message);
    }
}

static void name_segment(const struct syn_segment *segment, struct syn_text *name)
{
    const struct syn_segment_half *half = &segment->half[0];
    if (segment->op)
        syn_text_format(name, "in %s at %s", segment->op, half->to ? half->to : "?");
    else
        syn_text_format(name, "between %s and %s", half->from ? half->from : "the run's begin",
                        half->to ? half->to : "its end");
}

static void name_message(const struct syn_segment *item, struct syn_text *name)
{
    syn_text_format(name, "%s, ", syn_diff_message_words(item->messages.kind));
    syn_diff_message_where(item, name);
}

/* Adds a check for each segment or row of messages that changed, if --fail-on names that change. */
static void add_segments(const struct syn_diff_segments *segments, const char *class,
                         const bool is_named[SYN_VERDICT_INDISTINGUISHABLE + 1],
                         void (*name_of)(const struct syn_segment *, struct syn_text *),
                         struct syn_checks *checks)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, message = {0};
    for (size_t i = 0; i < segments->count; i++) {
        const struct syn_segment *segment = &segments->item[i];
        char change[SYN_UNIT_BYTES], interval[2 * SYN_UNIT_BYTES];
        const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, &segment->ratio);
        if (!syn_segment_is_on_both(segment) || !is_named[segment->verdict])
            continue;
        name_of(segment, &name);
        if (isfinite(segment->ratio.low))
            syn_text_format(
                &message, "%s, %s %s", syn_verdict_text(segment->verdict),
                syn_diff_change(change, segment->ratio.estimate, scale),
                syn_diff_interval(interval, segment->ratio.low, segment->ratio.high, scale));
        else /* a run of a side does not wait at all: there is no ratio */
            syn_words(&message, "{text}, from {time} to {time} a message, by {time..}",
                      syn_verdict_text(segment->verdict), segment->half[0].median.value,
                      segment->half[1].median.value, segment->change.low, segment->change.high);
        syn_checks_add(checks, class, SYN_OUTCOME_FAILED, &name, &message);
    }
}

/* Adds a warning about the machine as a skipped check: it is no fault of the program, and must be
 * seen. */
static void add_machine(void *ctx, struct syn_text *words)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, message = {0};
    syn_text_string(&name, "the machine");
    syn_text_add(&message, words);
    syn_checks_add(ctx, "syncopate", SYN_OUTCOME_SKIPPED, &name, &message);
}

/* Adds the checks of machines, groups and segments, then writes all. */
void syn_diff_ci(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                 struct syn_checks *checks, bool as_junit, struct syn_text *text)
{
    const bool segments[SYN_VERDICT_INDISTINGUISHABLE + 1] = {
        [SYN_VERDICT_SLOWER] = SYN_GATE_HAS(gate, SYN_GATE_SLOWER_SEGMENT),
        [SYN_VERDICT_FASTER] = SYN_GATE_HAS(gate, SYN_GATE_FASTER_SEGMENT)};
    const bool messages[SYN_VERDICT_INDISTINGUISHABLE + 1] = {
        [SYN_VERDICT_SLOWER] = SYN_GATE_HAS(gate, SYN_GATE_SLOWER_MESSAGE),
        [SYN_VERDICT_FASTER] = SYN_GATE_HAS(gate, SYN_GATE_FASTER_MESSAGE)};
    syn_diff_machine_warnings(diff, add_machine, checks);
    add_groups(diff, gate, checks);
    add_segments(&diff->segments, "segment", segments, name_segment, checks);
    add_segments(&diff->messages, "messages", messages, name_message, checks);
    add_singles(diff, 0, gate, checks);
    add_singles(diff, 1, gate, checks);
    text->failed |= checks->failed;
    if (!text->failed)
        (as_junit ? syn_ci_junit : syn_ci_annotations)(text, "syncopate diff", checks);
}
