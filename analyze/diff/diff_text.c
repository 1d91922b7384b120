/* analyze/diff/diff_text.c - the diff for people: the answer in a line, then a table a verdict. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_table.h"
#include "analyze/print/units.h"
#include "analyze/report/report_writer.h"

/* ---- head ---- */

/* Clocks that did not run as they were measured come before everything that rests on them. */
static void write_alarms(const struct syn_diff_writer *to)
{
    for (int i = 0; i < 2; i++) {
        struct syn_text line = {0};
        syn_report_clock_alarm(&to->diff->side[i], &line);
        if (line.length > 0)
            syn_diff_paragraph(to, 3, i == 0 ? "A: " : "B: ", "%s", syn_text_chars(&line));
        syn_text_free(&line);
    }
}

static void write_headline(const struct syn_diff_writer *to)
{
    struct syn_text line = {0};
    enum syn_style style = to->diff->verdict_count[SYN_VERDICT_SLOWER]   ? SYN_STYLE_BAD
                           : to->diff->verdict_count[SYN_VERDICT_FASTER] ? SYN_STYLE_GOOD
                                                                         : SYN_STYLE_BOLD;
    syn_diff_headline(to->diff, &line);
    syn_text_string(to->text, syn_style_on(to->terminal, style));
    syn_diff_paragraph(to, 0, "", "%s", syn_text_chars(&line));
    syn_text_string(to->text, syn_style_off(to->terminal));
    syn_text_free(&line);
}

static void write_side(const struct syn_diff_writer *to, int i)
{
    const struct syn_report *side = &to->diff->side[i];
    const struct syn_run_facts *run = &side->run[0];
    const char *slash = run->program ? strrchr(run->program, '/') : NULL;
    const char *program = slash ? slash + 1 : run->program;
    char mpi[80];
    syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
    syn_diff_paragraph(to, 3, i == 0 ? "A: " : "B: ", "%zu run%s of %s%s%s, %d rank%s%s%s",
                       side->run_count, side->run_count == 1 ? "" : "s",
                       program ? program : "a program that is not named",
                       run->args && run->args[0] ? " " : "", run->args ? run->args : "",
                       run->rank_count, run->rank_count == 1 ? "" : "s", mpi[0] ? ", " : "", mpi);
}

static const char *metric_words(int metric, bool by_rank)
{
    static const char *const words[] = {
        [SYN_METRIC_COMPLETION] = "completion (first rank's start to last rank's end)",
        [SYN_METRIC_SPREAD] = "spread (first rank's start to last rank's start)",
        [SYN_METRIC_OPERATION] = "operation (last rank's start to last rank's end)",
        [SYN_METRIC_EXIT_SKEW] = "exit_skew (first rank's end to last rank's end)",
        [SYN_METRIC_LOCAL_MAX] = "local_max (the longest that one rank was in the call)",
        [SYN_METRIC_WAIT] = "wait",
        [SYN_DIFF_WAIT_SHARE] =
            "wait_share (share of the time inside before the last rank had come)"};
    if (by_rank && metric == SYN_METRIC_OPERATION)
        return "operation (last rank's start to this rank's end)";
    return words[metric];
}

static void write_method(const struct syn_diff_writer *to)
{
    const struct syn_diff_options *options = &to->diff->options;
    char alpha[SYN_UNIT_BYTES], threshold[SYN_UNIT_BYTES], adjust[128];
    bool share = options->metric == SYN_DIFF_WAIT_SHARE;
    syn_diff_paragraph(
        to, 0, "",
        "Compared: %s, %s of each run. Test: Wilcoxon-Mann-Whitney (%s) at %s, %s over the "
        "groups. Changes within %s do not count.",
        metric_words(options->metric, options->by & SYN_BY(SYN_KEY_RANK)),
        share ? "the value" : "the median", syn_diff_alternative_name(options->alternative),
        syn_unit_share(alpha, 1 - options->confidence),
        syn_diff_adjust_words(to->diff, adjust, sizeof adjust),
        syn_unit_percent(threshold, options->threshold));
}

/* A paragraph of what `write` has to say of the diff. */
static void write_words(const struct syn_diff_writer *to,
                        void (*write)(const struct syn_diff *diff, struct syn_text *text))
{
    struct syn_text words = {0};
    write(to->diff, &words);
    if (words.length)
        syn_diff_paragraph(to, 0, "", "%s", syn_text_chars(&words));
    syn_text_free(&words);
}

/* ---- what ranks do between the calls ---- */

#define SENTENCES_MOST 6

static void write_segments(const struct syn_diff_writer *to)
{
    const size_t count = syn_segment_sentences(to->diff);
    const size_t shown =
        to->diff->options.top == 0 || count < SENTENCES_MOST ? count : SENTENCES_MOST;
    struct syn_text words = {0};
    if (to->diff->segments.both_count == 0)
        return;
    syn_diff_heading(to, "Between the calls, and in them but for waiting");
    for (size_t i = 0; i < shown; i++) {
        syn_text_clear(&words);
        syn_segment_sentence(to->diff, i, &words);
        syn_diff_paragraph(to, 4, "  - ", "%s", syn_text_chars(&words));
    }
    if (shown < count)
        syn_diff_paragraph(to, 4, "  - ", "and %zu more (--top 0 shows all)", count - shown);
    syn_text_clear(&words);
    syn_segments_in_all(to->diff, &words);
    syn_diff_paragraph(to, 4, "  - ", "%s", syn_text_chars(&words));
    syn_text_free(&words);
}

/* ---- groups of one side ---- */

static void write_singles(const struct syn_diff_writer *to, int i)
{
    const struct syn_diff_singles *only = &to->diff->only[i];
    size_t shown = to->diff->options.top && only->count > to->diff->options.top
                       ? to->diff->options.top
                       : only->count;
    char bytes[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES];
    if (only->count == 0)
        return;
    syn_diff_heading(to, "Only in %c (%zu)", i == 0 ? 'A' : 'B', only->count);
    for (size_t j = 0; j < shown; j++) {
        const struct syn_diff_single *single = &only->item[j];
        struct syn_text site = {0};
        syn_unit_place(&site, single->site);
        syn_diff_paragraph(to, 4, "  - ", "%s %s at %s, %llu rank%s (%s): %s instances", single->op,
                           syn_unit_bytes(bytes, (double)single->bytes), syn_text_chars(&site),
                           (unsigned long long)single->comm_size, single->comm_size == 1 ? "" : "s",
                           single->comm, syn_unit_count(count, single->instance_count));
        syn_text_free(&site);
    }
    if (shown < only->count)
        syn_text_format(to->text, "and %zu more (--top 0 shows all)\n", only->count - shown);
}

/* ---- warnings ---- */

static void write_warnings(const struct syn_diff_writer *to)
{
    const struct syn_report_writer list = {
        .terminal = to->terminal, .text = to->text, .style = SYN_WRITE_TEXT};
    syn_diff_warnings_list(to->diff, &list);
}

/* ---- A against A ---- */

static void write_false_positives(const struct syn_diff_writer *to)
{
    const struct syn_false_positives *found = &to->diff->false_positives;
    char alpha[SYN_UNIT_BYTES], runs[SYN_UNIT_BYTES], pooled[SYN_UNIT_BYTES];
    bool share = to->diff->options.metric == SYN_DIFF_WAIT_SHARE;
    if (!to->diff->options.same_program)
        return;
    syn_diff_heading(to, "The same program on both sides");
    if (found->group_count == 0) {
        syn_diff_paragraph(to, 4, "  - ", "No group has runs enough for a rate of false claims.");
        return;
    }
    syn_unit_share(alpha, 1 - to->diff->options.confidence);
    syn_diff_paragraph(
        to, 4, "  - ",
        "The runs' medians differ 'significantly' in %zu of %zu groups, in %zu after the "
        "adjustment.",
        found->run_claims, found->group_count, found->adjusted_claims);
    if (!share)
        syn_diff_paragraph(to, 4, "  - ", "Pooling all instances would have claimed %zu of them.",
                           found->pooled_claims);
    syn_diff_paragraph(
        to, 4, "  - ",
        "False claims over %zu random divisions of the same runs: %s by run, at a level of "
        "%s%s%s.",
        found->split_count, syn_unit_share(runs, found->run_claim_rate), alpha,
        share ? "" : "; pooled ", share ? "" : syn_unit_share(pooled, found->pooled_claim_rate));
}

/* ---- legend ---- */

static void write_legend(const struct syn_diff_writer *to)
{
    const struct syn_diff *diff = to->diff;
    const bool tested = diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS] < diff->count;
    const char *const words[][2] = {
        {"A, B", "median of the runs' medians; <clock: smaller than the clocks can tell"},
        {"change", "median ratio of a run of B to a run of A (Hodges-Lehmann) and its interval, in "
                   "percent or as a factor (x)"},
        {"p", "adjusted over the groups; * below 0.05, ** below 0.01, *** below 0.001"},
        {"B>A", "how often a run of B has the larger value (Vargha-Delaney A; 0.5: no effect)"},
        {"waiting", tested ? "share of the time inside before the last rank had come, from A to B; "
                             "stars as for p"
                           : "share of the time inside before the last rank had come, from A to B"},
        {"quantile", "what this share of a run's instances does not exceed"}};
    const bool shown[] = {true,
                          true,
                          tested,
                          tested,
                          diff->options.metric != SYN_DIFF_WAIT_SHARE,
                          diff->options.tau_count > 0};
    syn_diff_heading(to, "The words");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char first[16];
        if (!shown[i])
            continue;
        snprintf(first, sizeof first, "  %s", words[i][0]);
        syn_diff_paragraph(to, diff->options.tau_count ? 11 : 10, first, "%s", words[i][1]);
    }
}

/* From this width on communicators are named in the tables themselves. */
#define WIDTH_OF_COMM_NAMES 120

/* NULL where they need none, or names have room. The caller frees. */
static size_t *number_comms(const struct syn_diff_writer *to)
{
    const struct syn_diff *diff = to->diff;
    if (!to->many_comms || !(diff->options.by & SYN_BY(SYN_KEY_COMM)) ||
        to->terminal->width >= WIDTH_OF_COMM_NAMES || !syn_diff_comms_tell_apart(diff))
        return NULL;
    size_t *number = calloc(diff->count + 1, sizeof *number);
    if (number && syn_diff_number_comms(diff, number) == 0) {
        free(number);
        number = NULL;
    }
    return number;
}

void syn_diff_text(const struct syn_diff *diff, const struct syn_terminal *terminal,
                   struct syn_text *text)
{
    struct syn_diff_writer to = {.diff = diff, .terminal = terminal, .text = text};
    for (size_t i = 1; i < diff->count; i++)
        to.many_comms |= strcmp(diff->group[i].a.comm, diff->group[0].a.comm) != 0;
    size_t *number = number_comms(&to);
    to.comm_number = number;
    write_alarms(&to);
    write_words(&to, syn_diff_whole);
    write_headline(&to);
    syn_text_char(text, '\n');
    write_side(&to, 0);
    write_side(&to, 1);
    write_method(&to);
    write_words(&to, syn_diff_totals);
    write_words(&to, syn_diff_waiting);
    write_words(&to, syn_diff_efficiencies);
    write_segments(&to);
    write_false_positives(&to);
    syn_diff_tables(&to);
    syn_diff_quantile_table(&to);
    if (to.comm_number)
        syn_diff_comm_names(&to);
    write_singles(&to, 0);
    write_singles(&to, 1);
    write_warnings(&to);
    if (diff->count)
        write_legend(&to);
    free(number);
}
