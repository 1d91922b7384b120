/* analyze/report/report_text.c - the report for people: one screen of answers, then the table.
 * Wording and layout are described in docs/reports.md. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/units.h"
#include "analyze/report/call_tree.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/efficiencies.h"
#include "analyze/report/report_writer.h"
#include "analyze/report/segments.h"
#include "analyze/report/time_slices.h"

/* ---- what ran ---- */

static void write_title(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    struct syn_text line = {0};
    char date[40];
    syn_text_format(&line, "%s", syn_report_program(run));
    if (run->args && run->args[0])
        syn_text_format(&line, " %s", run->args);
    syn_report_date(run, date, sizeof date);
    size_t room = to->terminal->width - (date[0] ? strlen(date) + 2 : 0);
    struct syn_text shown = {0};
    syn_text_harmless(&shown, syn_text_chars(&line));
    const char *title = syn_text_chars(&shown);
    size_t count = syn_utf8_count(title);
    if (count > room) { /* the program's name comes first and is what matters */
        shown.length = room > 2 ? room - 2 : 0;
        while (shown.length && ((unsigned char)shown.data[shown.length] & 0xC0) == 0x80)
            shown.length--;
        syn_text_string(&shown, "..");
        count = syn_utf8_count(title = syn_text_chars(&shown));
    }
    syn_text_format(to->text, "%s%s%s", syn_style_on(to->terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(to->terminal));
    if (date[0]) {
        syn_text_repeat(to->text, ' ', count < room ? room - count + 2 : 2);
        syn_text_string(to->text, date);
    }
    syn_text_char(to->text, '\n');
    syn_text_free(&line);
    syn_text_free(&shown);
}

static void write_line(const struct syn_report_writer *to,
                       void (*line_of)(const struct syn_report *, struct syn_text *))
{
    struct syn_text line = {0}, harmless = {0};
    line_of(to->report, &line);
    syn_text_harmless(&harmless, syn_text_chars(&line));
    syn_report_paragraph(to, 0, "", syn_text_chars(&harmless));
    syn_text_free(&harmless);
    syn_text_free(&line);
}

/* Where there is one, it is what everybody has to see first. */
static void write_alarm(const struct syn_report_writer *to)
{
    struct syn_text line = {0};
    syn_report_clock_alarm(to->report, &line);
    if (line.length > 0) {
        syn_text_string(to->text, syn_style_on(to->terminal, SYN_STYLE_BAD));
        syn_report_paragraph(to, 0, "", syn_text_chars(&line));
        syn_text_string(to->text, syn_style_off(to->terminal));
        syn_text_char(to->text, '\n');
    }
    syn_text_free(&line);
}

/* Can it be relied on? */
static void write_reliance(const struct syn_report_writer *to)
{
    static const enum syn_style style[] = {
        [SYN_RELIANCE_FULL] = SYN_STYLE_GOOD,
        [SYN_RELIANCE_PART] = SYN_STYLE_BOLD,
        [SYN_RELIANCE_NONE] = SYN_STYLE_BAD,
    };
    struct syn_text line = {0};
    const enum syn_reliance level = syn_report_reliance(to->report, &line);
    syn_text_string(to->text, syn_style_on(to->terminal, style[level]));
    syn_report_paragraph(to, 0, "", syn_text_chars(&line));
    syn_text_string(to->text, syn_style_off(to->terminal));
    syn_text_free(&line);
}

static void short_what_ran(const struct syn_report *report, struct syn_text *out)
{
    syn_report_what_ran(report, out);
    syn_text_string(out, "; ");
    syn_report_clock_bound(report, out);
}

static void write_what_ran(const struct syn_report_writer *to)
{
    write_alarm(to);
    write_reliance(to);
    write_title(to, &to->report->run[0]);
    if (!to->report->options.verbose) {
        write_line(to, short_what_ran);
        return;
    }
    write_line(to, syn_report_what_ran);
    write_line(to, syn_report_clock);
}

/* ---- where the time went ---- */

/* Narrower terminals see the means alone. */
#define WIDTH_OF_EXTREMES 79

/* One line of the table: the mean over ranks (over runs: the median of the runs' means), and the
 * extremes. */
static void write_share(const struct syn_report_writer *to, const struct syn_share_line *line)
{
    static const char *const within[] = {"", "  ", "  of which "};
    const struct syn_share_figures *share = &line->share;
    const int width = 28 - (int)strlen(within[line->level]);
    char mean[SYN_UNIT_BYTES], percent[SYN_UNIT_BYTES];
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    syn_text_format(to->text, "  %s%-*s %9s %8s", within[line->level], width, line->name,
                    syn_unit_time(mean, share->mean_ns), syn_unit_share(percent, share->of_run));
    if (isfinite(share->low_ns) && to->terminal->width >= WIDTH_OF_EXTREMES)
        syn_text_format(to->text, "   %s (%u) .. %s (%u)", syn_unit_time(low, share->low_ns),
                        share->low_at, syn_unit_time(high, share->high_ns), share->high_at);
    syn_text_char(to->text, '\n');
}

/* How much of the nonblocking operations lay outside of MPI, of all groups together. */
static void write_overlap(const struct syn_report_writer *to)
{
    struct syn_group_overlap all = {0};
    char between[SYN_UNIT_BYTES], hidden[SYN_UNIT_BYTES];
    struct syn_text line = {0};
    for (size_t i = 0; i < to->report->groups.count; i++) {
        const struct syn_group_overlap *overlap = &to->report->groups.group[i]->overlap;
        all.between_ns += overlap->between_ns;
        all.hidden_ns += overlap->hidden_ns;
        all.exposed_ns += overlap->exposed_ns;
    }
    if (!(all.hidden_ns + all.exposed_ns > 0))
        return;
    syn_text_format(&line,
                    "Nonblocking: %s of all ranks lie between starting and completing; that hides "
                    "at most %s of the operations' time.",
                    syn_unit_time(between, all.between_ns),
                    syn_unit_share(hidden, all.hidden_ns / (all.hidden_ns + all.exposed_ns)));
    syn_report_paragraph(to, 2, "  ", syn_text_chars(&line));
    syn_text_free(&line);
}

static void write_time(const struct syn_report_writer *to)
{
    char bound[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES];
    struct syn_share_line line;
    bool many_runs = to->report->run_count > 1;
    syn_report_heading(to, "Where the time went");
    syn_text_format(to->text, "  %-28s %9s %8s%s\n", many_runs ? "" : "mean over the ranks",
                    many_runs ? "median" : "time", "of run",
                    to->terminal->width < WIDTH_OF_EXTREMES ? ""
                    : many_runs                             ? "   least (run) .. most (run)"
                                                            : "   least (rank) .. most (rank)");
    for (size_t at = 0; syn_report_share_line(to->report, &at, &line);)
        write_share(to, &line);
    const char *together = syn_report_counted_together(to->report);
    if (together)
        syn_report_paragraph(to, 2, "  ", together);
    write_overlap(to);
    double bound_ns = syn_report_waiting_bound_ns(to->report);
    double waiting_ns = syn_report_waiting_ns(to->report);
    if (isnan(bound_ns))
        syn_report_paragraph(to, 2, "",
                             syn_report_clocks_lost(to->report)
                                 ? "The clocks are wrong: the two parts are not to be trusted."
                                 : "The clocks were never compared: the two parts are not to be "
                                   "trusted.");
    else if (waiting_ns > 0 && bound_ns > waiting_ns)
        syn_report_paragraph(
            to, 2, "  ",
            "The waiting is smaller than the clocks can tell: how time divides between the two "
            "is unknown.");
    else if (waiting_ns > 0 && bound_ns > 0.01 * waiting_ns) {
        struct syn_text words = {0};
        syn_text_format(
            &words,
            "The clocks' errors may move up to %s (%s of the waiting) from one part to the "
            "other.",
            syn_unit_time(bound, bound_ns / syn_report_recorded_ranks(to->report)),
            syn_unit_share(share, bound_ns / waiting_ns));
        syn_report_paragraph(to, 2, "  ", syn_text_chars(&words));
        syn_text_free(&words);
    }
}

/* ---- legend ---- */

/* `columns`: what the table shows, of enum syn_table_columns. */
static void write_legend(const struct syn_report_writer *to, unsigned columns)
{
    bool parts = to->report->options.by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE));
    char interval[128];
    snprintf(interval, sizeof interval, "%g %% confidence interval of the median, %s",
             100 * to->report->options.confidence,
             syn_shown_interval_words(to->report->options.ci));
    const struct {
        const char *word, *meaning;
        bool shown; /* there is something to explain */
    } words[] = {
        {"group", "calls with the same operation, site, communicator and bytes: a row", true},
        {"np", "number of ranks in the communicator", columns & SYN_TABLE_NP},
        {"calls", "instances: one collective call by all members of its communicator", true},
        {"median",
         parts ? "of the time from a call's start to its end (a node: its longest)"
               : "of completion: from the first rank's start to the last rank's end",
         true},
        {"interval", interval, columns & SYN_TABLE_INTERVAL},
        {"p99", "99 % of the calls took no longer", columns & SYN_TABLE_P99},
        {parts ? "early" : "spread",
         parts ? "median time by which it came before the last of all ranks"
               : "median time from the first rank's start to the last rank's start",
         columns & SYN_TABLE_SPREAD},
        {"wait", "share of the time inside the call before the last rank had come",
         columns & SYN_TABLE_WAIT},
        {"time", "inside these calls, waiting included; mean over ranks", true},
        {"late", "rank that came last most often, where that is more than chance",
         columns & SYN_TABLE_LATE},
        {"@", "part of a split communicator, named by its first rank", columns & SYN_TABLE_PARTS},
        {"<", "smaller than the clocks can tell", columns & SYN_TABLE_BELOW_CLOCK},
    };
    syn_report_heading(to, "The words");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char first[16];
        snprintf(first, sizeof first, "  %s", words[i].word);
        if (words[i].shown)
            syn_report_paragraph(to, 11, first, words[i].meaning);
    }
}

/* The last lines say how to get what the page leaves out. */
static void write_more(const struct syn_report_writer *to)
{
    syn_text_char(to->text, '\n');
    syn_report_paragraph(
        to, 2, "",
        "More: --verbose (all warnings, what differs between ranks, what the words "
        "mean), --format html (a page with pictures).");
}

static void write_tree(const struct syn_report_writer *to)
{
    struct syn_call_tree tree;
    if (syn_call_tree_make(to->report, &tree))
        to->text->failed = true;
    else
        syn_call_tree_text(&tree, to->report, to->terminal, to->text);
    syn_call_tree_free(&tree);
    if (!to->report->options.verbose)
        return;
    syn_report_heading(to, "The words");
    syn_report_paragraph(to, 11, "  time",
                         "inside the collectives called from there, mean over ranks");
    syn_report_paragraph(to, 11, "  share", "of all time in collectives");
    syn_report_paragraph(to, 11, "  wait",
                         "part of the time that passed before the last rank had come");
}

void syn_report_text(const struct syn_report *report, const struct syn_terminal *terminal,
                     struct syn_text *text)
{
    const struct syn_report_writer to = {.report = report, .terminal = terminal, .text = text};
    unsigned columns = 0;
    write_what_ran(&to);
    if (report->groups.count == 0) { /* no table, and no words to explain */
        syn_report_warnings_section(&to);
        return;
    }
    write_time(&to);
    syn_report_why_section(&to);
    syn_report_efficiencies_section(&to);
    syn_report_late_section(&to);
    syn_report_strip_section(&to);
    syn_report_differences_section(&to);
    syn_report_runs_section(&to);
    syn_report_precision_section(&to);
    syn_report_warnings_section(&to);
    syn_text_char(text, '\n');
    if (report->options.rows == SYN_ROWS_SEGMENTS)
        syn_report_segments_table(&to);
    else if (report->options.rows == SYN_ROWS_TIME)
        syn_report_time_table(&to);
    else if (report->options.by & SYN_BY(SYN_KEY_STACK))
        write_tree(&to);
    else
        columns = syn_report_table(report, terminal, text);
    if (!report->options.verbose)
        write_more(&to);
    else if (columns)
        write_legend(&to, columns);
}
