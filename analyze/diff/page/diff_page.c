/* analyze/diff/page/diff_page.c - writes a diff as text, as a page of HTML and as Markdown. One
 * table lists the sections, in the order of the page, with the formats that have them. Wording and
 * layout: docs/reports.md. */
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/page/diff_html.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/html.h"
#include "analyze/print/units.h"
#include "analyze/report/sections/report_page.h"

static const char *const side_names[] = {"A", "B"};

/* ---- head ---- */

/* Writes the alarms on clocks that did not run as they were measured, before all that depends on
 * clocks. */
static void write_alarms(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    for (int i = 0; i < 2; i++) {
        SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
        syn_report_clock_alarm(&diff->side[i], &words);
        doc->tone = doc->format == SYN_DOC_TEXT ? SYN_TONE_BAD : SYN_TONE_ALARM;
        if (words.length && doc->format == SYN_DOC_TEXT)
            syn_say_pair(doc, 0, NULL, i == 0 ? "A:" : "B:", "{text}", syn_text_chars(&words));
        else if (words.length)
            syn_say(doc, "{text}: {text}", side_names[i], syn_text_chars(&words));
    }
    doc->tone = SYN_TONE_PLAIN;
}

static void write_title(struct syn_doc *doc, const void *facts)
{
    SYN_CLEANUP(syn_text_free) struct syn_text headline = {0};
    syn_diff_headline(facts, &headline);
    syn_doc_title(doc, syn_text_chars(&headline), "");
}

static void write_headline(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    doc->tone = diff->verdict_count[SYN_VERDICT_SLOWER]   ? SYN_TONE_BAD
                : diff->verdict_count[SYN_VERDICT_FASTER] ? SYN_TONE_GOOD
                                                          : SYN_TONE_LOOK;
    syn_diff_headline(diff, syn_doc_begin(doc, SYN_DOC_PARAGRAPH));
    doc->tone = SYN_TONE_PLAIN;
    syn_say_line(doc, "");
}

static void write_whole(struct syn_doc *doc, const void *facts)
{
    syn_diff_whole(facts, syn_doc_begin(doc, SYN_DOC_PARAGRAPH));
}

static void write_sides(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    for (int i = 0; i < 2; i++) {
        const struct syn_run_facts *run = &diff->side[i].run[0];
        const bool has_args = run->args && run->args[0];
        const bool has_folder = run->program && doc->format != SYN_DOC_TEXT;
        char mpi[80];
        syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
        syn_say_pair(doc, 0, NULL, i == 0 ? "A:" : "B:",
                     "{n} run{s} of {text}{text}{text}, {n} rank{s}{text}{text}",
                     diff->side[i].run_count, has_folder ? run->program : syn_report_program(run),
                     has_args ? " " : "", has_args ? run->args : "", run->rank_count,
                     mpi[0] ? ", " : "", mpi);
    }
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

static void write_method(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    const struct syn_diff_options *options = &diff->options;
    const bool is_share = options->metric == SYN_DIFF_WAIT_SHARE;
    char adjust[128];
    doc->tone = SYN_TONE_QUIET;
    syn_say(doc,
            "Compared: {text}, {text} of each run. Test: Wilcoxon-Mann-Whitney ({text}) at "
            "{share}, {text} over the groups{text}. Changes within {percent} do not count.",
            metric_words(options->metric, options->by & SYN_BY(SYN_KEY_RANK)),
            is_share ? "the value" : "the median", syn_diff_alternative_name(options->alternative),
            1 - options->confidence, syn_diff_adjust_words(diff, adjust, sizeof adjust),
            diff->total[SYN_TOTAL_RUN].by_pairs ? "; of whole runs Wilcoxon's signed-rank test of "
                                                  "the pairs"
                                                : "",
            options->threshold);
    doc->tone = SYN_TONE_PLAIN;
}

/* Writes the text that `write` makes as a paragraph. */
static void write_with(struct syn_doc *doc, const struct syn_diff *diff,
                       void (*write)(const struct syn_diff *diff, struct syn_text *text))
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    write(diff, &words);
    syn_say(doc, "{text}", syn_text_chars(&words));
}

/* Writes the sentences: in text three paragraphs, elsewhere one. */
static void write_sentences(struct syn_doc *doc, const void *facts)
{
    doc->tone = SYN_TONE_QUIET;
    if (doc->format == SYN_DOC_TEXT) {
        write_with(doc, facts, syn_diff_totals);
        write_with(doc, facts, syn_diff_waiting);
        write_with(doc, facts, syn_diff_efficiencies);
    } else {
        write_with(doc, facts, syn_diff_sentences);
    }
    doc->tone = SYN_TONE_PLAIN;
}

/* ---- the time between calls ---- */

#define SENTENCES_MOST 6

static void write_segments(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    const size_t count = syn_segment_sentences(diff);
    const bool has_all = diff->options.top == 0 || doc->format == SYN_DOC_HTML;
    const size_t shown = has_all || count < SENTENCES_MOST ? count : SENTENCES_MOST;
    if (diff->segments.both_count == 0)
        return;
    syn_doc_heading(doc, "Between the calls, and in them but for waiting");
    for (size_t i = 0; i < shown; i++)
        syn_segment_sentence(diff, i, syn_doc_begin(doc, SYN_DOC_ITEM));
    if (shown < count)
        syn_say_item(doc, "and {n} more (--top 0 shows all)", count - shown);
    syn_say_item(doc, "{n} stretch{|es} of at least 1 % of the ranks' time {is|are} compared",
                 diff->segments.both_count);
    syn_segments_in_all(&diff->segments, syn_doc_more(doc));
}

/* ---- A against A ---- */

static void write_false_positives(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    const struct syn_false_positives *found = &diff->false_positives;
    const bool is_share = diff->options.metric == SYN_DIFF_WAIT_SHARE;
    if (!diff->options.same_program)
        return;
    syn_doc_heading(doc, "The same program on both sides");
    if (found->group_count == 0) {
        syn_say_item(doc, "No group has runs enough for a rate of false claims.");
        return;
    }
    syn_say_item(
        doc,
        "The runs' medians differ 'significantly' in {n} of {n} group{s}, in {n} after the "
        "adjustment.",
        found->run_claims, found->group_count, found->adjusted_claims);
    if (!is_share)
        syn_say_item(doc, "Pooling all instances would have claimed {n} of them.",
                     found->pooled_claims);
    syn_say_item(doc,
                 "False claims over {n} random divisions of the same runs: {share} by run, at a "
                 "level of {share}",
                 found->split_count, found->run_claim_rate, 1 - diff->options.confidence);
    if (!is_share)
        syn_say_more(doc, "; pooled {share}", found->pooled_claim_rate);
    syn_say_more(doc, ".");
}

/* ---- groups of one side ---- */

static void write_singles(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    const size_t top = diff->options.top;
    for (int i = 0; i < 2; i++) {
        const struct syn_diff_singles *only = &diff->only[i];
        const bool is_cut = doc->format == SYN_DOC_TEXT && top && only->count > top;
        const size_t shown = is_cut ? top : only->count;
        if (only->count && doc->format == SYN_DOC_MARKDOWN)
            syn_say(doc, "Only in {text}: {n} group{s}.", side_names[i], only->count);
        if (only->count == 0 || doc->format == SYN_DOC_MARKDOWN)
            continue;
        syn_say_heading(doc, "Only in {text} ({n})", side_names[i], only->count);
        for (size_t j = 0; j < shown; j++) {
            syn_say_item(doc,
                         "{text} {bytes} at {place}, {n} rank{s} ({text}): {count} instance{s}",
                         only->item[j].op, only->item[j].bytes, only->item[j].site,
                         only->item[j].comm_size, only->item[j].comm, only->item[j].instance_count);
        }
        if (is_cut)
            syn_say_line(doc, "and {n} more (--top 0 shows all)", only->count - shown);
    }
}

/* ---- legend ---- */

static void write_words(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    const bool tested = diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS] < diff->count;
    const struct {
        const char *word, *meaning;
        bool shown;
    } words[] = {
        {"A, B", "median of the runs' medians; <clock: smaller than the clocks can tell", true},
        {"change",
         "median ratio of a run of B to a run of A (Hodges-Lehmann) and its interval, in percent "
         "or as a factor (x)",
         true},
        {"p", "adjusted over the groups; * below 0.05, ** below 0.01, *** below 0.001", tested},
        {"B>A", "how often a run of B has the larger value (Vargha-Delaney A; 0.5: no effect)",
         tested},
        {"waiting",
         tested ? "share of the time inside before the last rank had come, from A to B; stars as "
                  "for p"
                : "share of the time inside before the last rank had come, from A to B",
         diff->options.metric != SYN_DIFF_WAIT_SHARE},
        {"quantile", "what this share of a run's instances does not exceed",
         diff->options.tau_count > 0}};
    if (diff->count == 0)
        return;
    syn_doc_heading(doc, "The words");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].shown)
            syn_say_pair(doc, diff->options.tau_count ? 11 : 10, NULL, words[i].word, "{text}",
                         words[i].meaning);
}

/* ---- the page ---- */

#define TEXT     SYN_DOC_TEXT
#define HTML     SYN_DOC_HTML
#define MARKDOWN SYN_DOC_MARKDOWN
static const struct syn_doc_section sections[] = {
    {write_title, MARKDOWN, NULL},
    {write_sides, MARKDOWN, NULL},
    {write_alarms, SYN_DOC_PEOPLE, NULL},
    {write_title, HTML, NULL},
    {write_whole, TEXT | HTML, NULL},
    {write_headline, TEXT, NULL},
    {write_sides, TEXT | HTML, NULL},
    {write_method, TEXT | HTML, NULL},
    {write_sentences, SYN_DOC_PEOPLE, NULL},
    {write_segments, TEXT | HTML, NULL},
    {syn_diff_messages_section, SYN_DOC_PEOPLE, NULL},
    {syn_diff_warnings_section, HTML | MARKDOWN, NULL},
    {write_false_positives, TEXT, NULL},
    {syn_diff_groups, SYN_DOC_PEOPLE, NULL},
    {syn_diff_html_plots, HTML, NULL},
    {syn_diff_html_quantiles, HTML, NULL},
    {syn_diff_html_other_quantiles, HTML, NULL},
    {write_singles, SYN_DOC_PEOPLE, NULL},
    {syn_diff_warnings_section, TEXT, NULL},
    {write_words, TEXT | HTML, NULL},
};

void syn_diff_page(const struct syn_diff *diff, enum syn_doc_format format,
                   const struct syn_terminal *terminal, struct syn_text *text)
{
    SYN_CLEANUP(syn_doc_free) struct syn_doc doc = syn_doc_start(format, terminal);
    SYN_CLEANUP(syn_text_free) struct syn_text headline = {0};
    syn_doc_build(&doc, sections, sizeof sections / sizeof *sections, diff);
    syn_diff_headline(diff, &headline);
    if (format == SYN_DOC_HTML)
        syn_html_begin(text, syn_text_chars(&headline), syn_css_diff);
    syn_doc_write(&doc, text);
    if (format == SYN_DOC_HTML)
        syn_html_end(text);
}
