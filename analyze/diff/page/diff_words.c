/* analyze/diff/page/diff_words.c - writes the headline, the figures of changes, and the notes on a
 * group. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/page/diff_words.h"
#include "analyze/print/units.h"

/* ---- scales ---- */

#define FACTOR_FROM 10.0

static bool leaves_percent(double ratio)
{
    return isfinite(ratio) && !(ratio < FACTOR_FROM && ratio > 1 / FACTOR_FROM);
}

enum syn_diff_scale syn_diff_scale_with(enum syn_diff_scale so_far, const struct syn_shift *ratio)
{
    return leaves_percent(ratio->estimate) || leaves_percent(ratio->low) ||
                   leaves_percent(ratio->high)
               ? SYN_SCALE_FACTOR
               : so_far;
}

struct syn_shift syn_diff_quantile_ratio(const struct syn_diff_quantile *quantile)
{
    const struct syn_quantile_effect *pooled = &quantile->pooled;
    if (isfinite(quantile->p_adjusted))
        return quantile->ratio;
    return (struct syn_shift){.estimate = 1 + pooled->effect / pooled->intercept,
                              .low = 1 + pooled->low / pooled->intercept,
                              .high = 1 + pooled->high / pooled->intercept};
}

static void factor_words(char *buffer, double ratio)
{
    if (ratio < 0.0005)
        snprintf(buffer, SYN_UNIT_BYTES, "x<0.001");
    else if (ratio >= 99999.5)
        snprintf(buffer, SYN_UNIT_BYTES, "x>99999");
    else
        snprintf(buffer, SYN_UNIT_BYTES, "x%.*f",
                 ratio < 0.0995  ? 3
                 : ratio < 9.995 ? 2
                 : ratio < 99.95 ? 1
                                 : 0,
                 ratio);
}

/* Writes "%+.1f" or "%+.0f", and never "-0.0". */
static void percent_words(char *buffer, double percent, int digits, const char *unit)
{
    const bool is_zero = fabs(percent) < (digits > 0 ? 0.05 : 0.5);
    snprintf(buffer, SYN_UNIT_BYTES, "%+.*f%s", digits, is_zero ? 0 : percent, unit);
}

const char *syn_diff_change(char *buffer, double ratio, enum syn_diff_scale scale)
{
    const double percent = (ratio - 1) * 100;
    if (!isfinite(percent))
        snprintf(buffer, SYN_UNIT_BYTES, "-");
    else if (scale == SYN_SCALE_FACTOR)
        factor_words(buffer, ratio);
    else
        percent_words(buffer, percent, fabs(percent) < 9.95 ? 1 : 0, " %");
    return buffer;
}

/* Writes one end of an interval. `other` is the other end: both get the same number of digits. */
static void bound_words(char *buffer, double ratio, double other, enum syn_diff_scale scale)
{
    const double percent = (ratio - 1) * 100;
    const double largest = fmax(fabs(percent), fabs((other - 1) * 100));
    if (scale == SYN_SCALE_FACTOR)
        factor_words(buffer, ratio);
    else
        percent_words(buffer, percent, largest < 9.95 ? 1 : 0, "");
}

const char *syn_diff_interval(char *buffer, double low, double high, enum syn_diff_scale scale)
{
    char a[SYN_UNIT_BYTES], b[SYN_UNIT_BYTES];
    if (!isfinite(low) || !isfinite(high)) {
        snprintf(buffer, 2 * SYN_UNIT_BYTES, "-");
        return buffer;
    }
    bound_words(a, low, high, scale);
    bound_words(b, high, low, scale);
    snprintf(buffer, 2 * SYN_UNIT_BYTES, "[%.40s, %.40s]", a, b);
    return buffer;
}

/* ---- values and sums ---- */

const char *syn_diff_value(char *buffer, const struct syn_diff *diff,
                           const struct syn_diff_half *half)
{
    if (diff->options.metric == SYN_DIFF_WAIT_SHARE)
        return syn_unit_share(buffer, half->median.value);
    if (!(fabs(half->median.value) < half->clock_bound))
        return syn_unit_time(buffer, half->median.value);
    snprintf(buffer, SYN_UNIT_BYTES, "<clock");
    return buffer;
}

void syn_diff_waiting(const struct syn_diff *diff, struct syn_text *text)
{
    const struct syn_diff_wait *wait = &diff->wait;
    char p[SYN_UNIT_BYTES];
    if (diff->options.metric == SYN_DIFF_WAIT_SHARE || !isfinite(wait->a) || !isfinite(wait->b))
        return;
    bool tested = isfinite(wait->p_adjusted);
    bool blurred = fabs(wait->change.estimate) <= wait->clock_bound;
    syn_words(text,
              "Waiting for late ranks: {share} of the time in collectives in A, {share} in "
              "B{text}{text}{text}.",
              wait->a, wait->b,
              !tested   ? ""
              : blurred ? " (the clocks cannot tell them apart"
                        : " (",
              tested && !blurred ? syn_unit_p(p, wait->p_adjusted) : "", tested ? ")" : "");
}

static void write_ratio(const char *name, const struct syn_diff_total *total, struct syn_text *text)
{
    char change[SYN_UNIT_BYTES], interval[2 * SYN_UNIT_BYTES];
    const struct syn_shift *ratio = &total->ratio;
    const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, ratio);
    if (!isfinite(ratio->estimate))
        return;
    syn_text_format(text, "%s%s %s", text->length ? ", " : "B/A: ", name,
                    syn_diff_change(change, ratio->estimate, scale));
    if (isfinite(total->p_adjusted))
        syn_text_format(text, " %s%s%s",
                        syn_diff_interval(interval, ratio->low, ratio->high, scale),
                        *syn_stars(total->p_adjusted) ? " " : "", syn_stars(total->p_adjusted));
}

void syn_diff_whole(const struct syn_diff *diff, struct syn_text *text)
{
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    write_ratio("run time", &diff->total[SYN_TOTAL_RUN], &line);
    write_ratio("parallel efficiency", &diff->efficiency[SYN_EFFICIENCY_PARALLEL], &line);
    write_ratio("time in collectives", &diff->total[SYN_TOTAL_COLLECTIVES], &line);
    syn_text_string(text, syn_text_chars(&line));
}

void syn_diff_efficiencies(const struct syn_diff *diff, struct syn_text *text)
{
    static const char *const names[] = {"Parallel efficiency", "load balance", "communication"};
    for (int kind = 0; kind <= SYN_EFFICIENCY_COMMUNICATION; kind++) {
        const struct syn_diff_total *total = &diff->efficiency[kind];
        if (!isfinite(total->a) || !isfinite(total->b))
            return;
        syn_words(text, "{text}{text} {share} in A, {share} in B", kind ? "; " : "", names[kind],
                  total->a, total->b);
        if (isfinite(total->p_adjusted))
            syn_words(text, " ({p})", total->p_adjusted);
    }
    syn_text_char(text, '.');
}

/* Appends a sentence for each of `count` times of whole runs. */
static void write_times(const struct syn_diff_total *of, const char *const *name, int count,
                        struct syn_text *text)
{
    char change[SYN_UNIT_BYTES];
    char interval[2 * SYN_UNIT_BYTES];
    for (int kind = 0; kind < count; kind++) {
        const struct syn_diff_total *total = &of[kind];
        const struct syn_shift *ratio = &total->ratio;
        bool tested = isfinite(total->p_adjusted);
        const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, ratio);
        if (!isfinite(ratio->estimate))
            continue;
        syn_words(text, "{text}{text}: {time} in A, {time} in B, {text}", text->length ? " " : "",
                  name[kind], total->a, total->b, syn_diff_change(change, ratio->estimate, scale));
        if (tested)
            syn_words(text, " {text} ({p})",
                      syn_diff_interval(interval, ratio->low, ratio->high, scale),
                      total->p_adjusted);
        syn_text_char(text, '.');
    }
}

void syn_diff_totals(const struct syn_diff *diff, struct syn_text *text)
{
    static const char *const times[] = {"Run time", "Time in collectives, a rank"};
    static const char *const messages[] = {"Waiting for late senders, a rank",
                                           "Waiting for late receivers, a rank",
                                           "Transfer of messages, a rank"};
    write_times(diff->total, times, SYN_TOTAL_COUNT, text);
    write_times(diff->message, messages, SYN_MESSAGES_SUM_COUNT, text);
}

const char *syn_diff_adjust_words(const struct syn_diff *diff, char *buffer, size_t bytes)
{
    if (diff->adjust == SYN_ADJUST_MAXT)
        snprintf(buffer, bytes, "p adjusted by %s%.0f divisions of the runs into two (maxT)",
                 diff->maxt.exact ? "all " : "", diff->maxt.divisions);
    else
        snprintf(buffer, bytes, "%s",
                 diff->adjust == SYN_ADJUST_BH ? "Benjamini-Hochberg" : "Holm");
    return buffer;
}

void syn_diff_on_comm(const char *comm, struct syn_text *text)
{
    if (comm[0] && strcmp(comm, "MPI_COMM_WORLD") != 0)
        syn_text_format(text, " on %s", comm);
}

void syn_diff_group_name(const struct syn_diff_group *group, struct syn_text *text)
{
    syn_text_string(text, strcmp(group->op, "*") == 0 ? "all operations" : group->op);
    if (group->bytes > 0)
        syn_words(text, " {bytes}", group->bytes);
    if (group->rank >= 0)
        syn_text_format(text, " on rank %lld", (long long)group->rank);
    if (group->node)
        syn_text_format(text, " on %s", group->node);
    if (group->root >= 0)
        syn_text_format(text, " from root %lld", (long long)group->root);
    if (group->a.site[0]) {
        syn_text_string(text, " at ");
        syn_unit_place(text, group->a.site);
    }
    syn_diff_on_comm(group->a.comm, text);
}

void syn_diff_verdict_counts(const size_t *count, struct syn_text *text)
{
    static const enum syn_verdict order[] = {SYN_VERDICT_SLOWER,
                                             SYN_VERDICT_FASTER,
                                             SYN_VERDICT_UNCLEAR,
                                             SYN_VERDICT_EQUIVALENT,
                                             SYN_VERDICT_INDISTINGUISHABLE,
                                             SYN_VERDICT_TOO_FEW_RUNS};
    const char *gap = ": ";
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        if (count[order[i]] == 0)
            continue;
        syn_text_format(text, "%s%zu %s%s", gap, count[order[i]],
                        order[i] == SYN_VERDICT_TOO_FEW_RUNS ? "with " : "",
                        syn_verdict_text(order[i]));
        gap = ", ";
    }
}

/* ---- the headline ---- */

static void write_group(const struct syn_diff_group *group, const char *which,
                        struct syn_text *text)
{
    char change[SYN_UNIT_BYTES], interval[2 * SYN_UNIT_BYTES];
    const char *stars = syn_stars(group->p_adjusted);
    const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, &group->ratio);
    syn_text_format(text, ", %s: ", which);
    syn_diff_group_name(group, text);
    syn_text_format(text, ", %s %s", syn_diff_change(change, group->ratio.estimate, scale),
                    syn_diff_interval(interval, group->ratio.low, group->ratio.high, scale));
    syn_text_format(text, "%s%s", stars[0] ? ", " : "", stars);
}

/* Returns the group with this verdict that changed most, the first of several; NULL: there is
 * none. */
static const struct syn_diff_group *worst_of(const struct syn_diff *diff, enum syn_verdict verdict)
{
    const struct syn_diff_group *worst = NULL;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        if (group->verdict == verdict &&
            (!worst ||
             fabs(log(group->ratio.estimate)) > fabs(log(worst->ratio.estimate)) * (1 + 1e-12)))
            worst = group;
    }
    return worst;
}

static bool all_have_too_few(const struct syn_diff *diff)
{
    return diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS] == diff->count;
}

bool syn_diff_says_nothing(const struct syn_diff *diff)
{
    return diff->count == 0 || syn_diff_all_are_withdrawn(diff) || all_have_too_few(diff);
}

void syn_diff_headline(const struct syn_diff *diff, struct syn_text *text)
{
    size_t slower = diff->verdict_count[SYN_VERDICT_SLOWER];
    size_t faster = diff->verdict_count[SYN_VERDICT_FASTER];
    bool share = diff->options.metric == SYN_DIFF_WAIT_SHARE;
    if (diff->count == 0 && diff->messages.both_count > 0) {
        syn_text_string(text, "A and B have no collective in common; in messages");
        syn_segments_in_all(&diff->messages, text);
        return;
    }
    if (diff->count == 0) {
        syn_text_string(text, "nothing to compare: A and B have no group in common");
        return;
    }
    if (syn_diff_all_are_withdrawn(diff)) {
        syn_text_string(text, "nothing is claimed: the clocks are wrong");
        return;
    }
    if (all_have_too_few(diff)) {
        /* Are there enough runs for one group alone, but not for all of them? */
        size_t needed = diff->needed_runs;
        for (size_t i = 0; i < diff->count; i++)
            if (!diff->group[i].ratio_within_runs)
                needed = diff->needed_runs_adjusted;
        const size_t lost[2] = {syn_diff_lost_runs(diff, 0), syn_diff_lost_runs(diff, 1)};
        syn_text_format(
            text,
            "too few runs to tell: %zu against %zu%s; a difference takes %zu against %zu "
            "to show",
            diff->side[0].run_count - lost[0], diff->side[1].run_count - lost[1],
            lost[0] + lost[1] ? " whose clocks can be trusted" : "", needed, needed);
        return;
    }
    if (slower + faster == 0) {
        syn_words(text, "none of {n} group{s} slower or faster", diff->count);
        syn_diff_verdict_counts(diff->verdict_count, text);
        return;
    }
    if (slower) {
        syn_words(text, "{n} of {n} group{s} {text}", slower, diff->count,
                  share ? "waiting more" : "slower");
        write_group(worst_of(diff, SYN_VERDICT_SLOWER), slower > 1 ? "worst" : "namely", text);
    }
    if (faster) {
        syn_words(text, "{text}{n} of {n} group{s} {text}", slower ? "; " : "", faster, diff->count,
                  share ? "waiting less" : "faster");
        write_group(worst_of(diff, SYN_VERDICT_FASTER), faster > 1 ? "most" : "namely", text);
    }
}

/* ---- notes ---- */

bool syn_diff_is_of_two_kinds(const struct syn_diff_group *group)
{
    const struct syn_shift *ratio = &group->ratio;
    double medians = group->b.median.value / group->a.median.value;
    if (group->ratio_within_runs || !isfinite(medians) || !(group->a.median.value > 0))
        return false;
    return medians < ratio->low || medians > ratio->high;
}

bool syn_diff_lacks_runs(const struct syn_diff *diff, const struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    return a->run_count + a->lost_run_count < diff->side[0].run_count ||
           b->run_count + b->lost_run_count < diff->side[1].run_count;
}

size_t syn_diff_group_notes(const struct syn_diff *diff, const struct syn_diff_group *group,
                            const char **notes, size_t capacity)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    size_t count = 0;
    const struct {
        bool applies;
        const char *text;
    } all[SYN_DIFF_NOTES] = {
        {group->match != SYN_MATCH_EXACT, syn_diff_match_text(group->match)},
        {a->label_count > 1 || b->label_count > 1,
         "several groups of a side are taken together, as none of them fits one of the other's"},
        {syn_diff_lacks_runs(diff, group), "some runs lack this group"},
        {a->lost_run_count + b->lost_run_count > 0,
         "runs whose clocks are wrong are left out (--metric local_max needs no common clock)"},
        {isnan(group->delta) && !syn_diff_is_withdrawn(group),
         "the clocks were never compared: nothing is claimed"},
        {group->delta > diff->options.threshold,
         "the clocks' bound is wider than the threshold and takes its place"},
        {syn_diff_is_of_two_kinds(group),
         "the ratio of the medians is outside the interval of the runs' ratio: the runs are of "
         "several kinds, look at the values"},
        {isnan(group->ratio.estimate), "a run's value is not above 0: no ratio"},
        {group->ratio_within_runs,
         "too few runs: the interval is that within these runs and says nothing of others"},
        {!group->ratio_within_runs && group->verdict == SYN_VERDICT_TOO_FEW_RUNS,
         "too few runs for so many groups: after the adjustment none of them could be claimed"},
        {!group->ratio_within_runs && !group->test.exact,
         "ties or many runs: p by the normal approximation"},
    };
    for (size_t i = 0; i < SYN_DIFF_NOTES && count < capacity; i++)
        if (all[i].applies)
            notes[count++] = all[i].text;
    return count;
}

void syn_diff_sentences(const struct syn_diff *diff, struct syn_text *text)
{
    static void (*const parts[])(const struct syn_diff *, struct syn_text *) = {
        syn_diff_totals, syn_diff_waiting, syn_diff_efficiencies};
    SYN_CLEANUP(syn_text_free) struct syn_text part = {0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        syn_text_clear(&part);
        parts[i](diff, &part);
        if (part.length > 0)
            syn_text_format(text, "%s%s", text->length > 0 ? " " : "", syn_text_chars(&part));
    }
    text->failed |= part.failed;
}
