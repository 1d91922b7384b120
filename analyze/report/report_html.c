/* analyze/report/report_html.c - the report as one page of HTML, complete in itself: complete
 * without its script, and nothing is loaded from anywhere. First what is wrong and how bad, then
 * why, then the rest. */
#include <stddef.h>

#include "analyze/print/html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "analyze/report/call_tree.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/report_html.h"

/* ---- what ran ---- */

static void write_line(const struct syn_report *report,
                       void (*line_of)(const struct syn_report *, struct syn_text *),
                       const char *const tags[2], struct syn_text *out)
{
    struct syn_text line = {0};
    line_of(report, &line);
    syn_html_between(out, tags[0], syn_text_chars(&line), tags[1]);
    syn_text_free(&line);
}

static const char *const quiet[] = {"<p class=quiet>", "</p>\n"};
static const char *const alarm[] = {"<p class=bad><strong>", "</strong></p>\n"};

/* Can it be relied on? */
static void write_reliance(const struct syn_report *report, struct syn_text *out)
{
    static const char *const style[] = {"good", "look", "bad"};
    struct syn_text line = {0};
    const enum syn_reliance level = syn_report_reliance(report, &line);
    syn_text_format(out, "<p class=%s>", style[level]);
    syn_html_escape(out, syn_text_chars(&line));
    syn_text_string(out, "</p>\n");
    syn_text_free(&line);
}

static void write_head(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = &report->run[0];
    const char *program = syn_report_program(run);
    char date[40];
    syn_html_begin(out, program, syn_css_report);
    write_line(report, syn_report_clock_alarm, alarm, out);
    write_reliance(report, out);
    syn_text_string(out, "<h1>");
    syn_html_escape(out, program);
    if (run->args && run->args[0]) {
        syn_text_char(out, ' ');
        syn_html_escape(out, run->args);
    }
    syn_text_string(out, "</h1>\n");
    syn_report_date(run, date, sizeof date);
    if (date[0])
        syn_text_format(out, "<p class=quiet>%s</p>\n", date);
    write_line(report, syn_report_what_ran, quiet, out);
    write_line(report, syn_report_clock, quiet, out);
}

/* ---- where the time went ---- */

static void write_time(const struct syn_report *report, struct syn_text *out)
{
    char time[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES];
    struct syn_share_line line;
    syn_text_string(out, "<h2>Where the time went</h2>\n<ul>\n");
    for (size_t at = 0; syn_report_share_line(report, &at, &line);) {
        syn_text_string(out, "<li>");
        syn_html_format(out, "%s%s: %s of a rank's run (%s)",
                        line.level == SYN_SHARE_OF_RUN ? "" : "of that, ", line.name,
                        syn_unit_share(share, line.share.of_run),
                        syn_unit_time(time, line.share.mean_ns));
        syn_text_string(out, "</li>\n");
    }
    syn_text_string(out, "</ul>\n");
    const char *together = syn_report_counted_together(report);
    if (together)
        syn_html_format(out, "<p>%s</p>\n", together);
    syn_report_html_time_bars(report, out);
}

/* Of a report by stack. */
static void write_callers(const struct syn_report *report, struct syn_text *out)
{
    struct syn_call_tree tree;
    if (!(report->options.by & SYN_BY(SYN_KEY_STACK)))
        return;
    if (syn_call_tree_make(report, &tree))
        out->failed = true;
    else
        syn_call_tree_html(&tree, report, out);
    syn_call_tree_free(&tree);
}

void syn_report_html(const struct syn_report *report, struct syn_text *text)
{
    const struct syn_report_writer to = {.report = report, .text = text, .style = SYN_WRITE_HTML};
    write_head(report, text);
    if (report->groups.count > 0) {
        syn_report_html_verdict(report, text);
        syn_report_why_section(&to);
        syn_report_html_causes(report, text);
    }
    syn_report_warnings_section(&to);
    if (report->groups.count > 0) {
        write_callers(report, text);
        syn_report_html_groups(report, text);
        syn_report_html_sizes(report, text);
        syn_report_html_rank_time(report, text);
        write_time(report, text);
        syn_report_late_section(&to);
        syn_report_differences_section(&to);
        syn_report_html_series(report, text);
    }
    syn_report_html_clocks(report, text);
    syn_html_end(text);
}
