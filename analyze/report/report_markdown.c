/* analyze/report/report_markdown.c - the report as Markdown, for a comment or a wiki: the answers,
 * then the groups as a table. */
#include <string.h>

#include "analyze/print/markdown.h"
#include "analyze/print/units.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/report_writer.h"

static void write_line(const struct syn_report *report,
                       void (*line_of)(const struct syn_report *, struct syn_text *),
                       struct syn_text *out)
{
    struct syn_text line = {0};
    line_of(report, &line);
    syn_markdown_between(out, "", syn_text_chars(&line), "\n\n");
    syn_text_free(&line);
}

static void write_reliance(const struct syn_report *report, struct syn_text *out)
{
    syn_report_reliance(report, out);
}

static void write_title(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = &report->run[0];
    syn_text_string(out, "### syncopate: ");
    syn_markdown_escape(out, run->program ? run->program : "a program that is not named");
    if (run->args && run->args[0]) {
        syn_text_char(out, ' ');
        syn_markdown_escape(out, run->args);
    }
    syn_text_string(out, "\n\n");
    write_line(report, syn_report_clock_alarm, out);
    write_line(report, write_reliance, out);
    write_line(report, syn_report_what_ran, out);
    write_line(report, syn_report_clock, out);
}

static void write_time(const struct syn_report *report, struct syn_text *out)
{
    char cell[SYN_UNIT_BYTES];
    struct syn_share_line line;
    syn_text_string(out, "| mean over the ranks | time | of run |\n|---|--:|--:|\n");
    for (size_t at = 0; syn_report_share_line(report, &at, &line);) {
        syn_text_string(out, line.level == SYN_SHARE_OF_RUN ? "|" : "| of that,");
        syn_markdown_cell(out, line.name);
        syn_markdown_cell(out, syn_unit_time(cell, line.share.mean_ns));
        syn_markdown_cell(out, syn_unit_share(cell, line.share.of_run));
        syn_text_char(out, '\n');
    }
}

static void write_group_row(const struct syn_report *report, const struct syn_figures *figures,
                            struct syn_text *out)
{
    const struct syn_metric_figures *main =
        &figures->metric[syn_figures_main_metric(figures->group)];
    char cell[SYN_UNIT_BYTES];
    struct syn_text name = {0};
    syn_report_group_name(report, figures->group, &name);
    syn_text_char(out, '|');
    syn_markdown_cell(out, syn_text_chars(&name));
    syn_markdown_cell(out, syn_unit_count(cell, figures->group->instance_count));
    syn_markdown_cell(
        out, syn_figures_below_clock(main) ? "< clock" : syn_unit_time(cell, main->summary.median));
    syn_markdown_cell(out, syn_unit_share(cell, figures->waiting_ns / figures->inside_ns));
    syn_markdown_cell(out, syn_unit_time(cell, figures->inside_ns / (double)figures->rank_count));
    if (figures->latest)
        syn_text_format(out, " rank %d: %.0f %% |\n", figures->latest->rank->rank,
                        100.0 * (double)figures->latest->rank->last_count /
                            (double)figures->latest->n);
    else
        syn_text_string(out, " - |\n");
    syn_text_free(&name);
}

static void write_groups(const struct syn_report *report, struct syn_text *out)
{
    const size_t count = report->groups.count, top = report->options.top;
    const size_t shown = top && top < count ? top : count;
    syn_text_string(out, "\n#### Calls\n\n| group | calls | median | wait | time | late |\n"
                         "|---|--:|--:|--:|--:|---|\n");
    for (size_t i = 0; i < shown; i++)
        write_group_row(report, &report->figures[report->order[i]], out);
    if (shown < count)
        syn_text_format(out, "\n%zu more group%s (--top 0 shows all).\n", count - shown,
                        count - shown == 1 ? "" : "s");
}

void syn_report_markdown(const struct syn_report *report, struct syn_text *text)
{
    const struct syn_report_writer to = {
        .report = report, .text = text, .style = SYN_WRITE_MARKDOWN};
    write_title(report, text);
    if (report->groups.count > 0) {
        write_time(report, text);
        syn_report_why_section(&to);
        syn_report_late_section(&to);
        syn_report_differences_section(&to);
    }
    syn_report_warnings_section(&to);
    if (report->groups.count > 0)
        write_groups(report, text);
}
