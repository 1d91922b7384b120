/* analyze/report/report_html.c - the report as one page of HTML: no script, nothing loaded from
 * anywhere. Its pictures: where each rank's time went, and each group's completion as a box on a
 * logarithmic scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../print/html.h"
#include "../print/units.h"
#include "report_writer.h"

static const char style[] =
    ".wait{fill:#d4842c}.work{fill:#3b6fb5}.rest{fill:#c3cbd4}"
    ".box{fill:#a9c4e6;stroke:#3b6fb5}.line{stroke:#3b6fb5}"
    ".frame{fill:none;stroke:#9aa4af;stroke-width:.5}.dot{fill:#3b6fb5}"
    ".bar{stroke:#3b6fb5;stroke-width:6}.bound{stroke:#d4842c;stroke-dasharray:3 3}"
    ".mid{stroke:#12305c;stroke-width:2}@media(prefers-color-scheme:dark){"
    ".mid{stroke:#fff}.rest{fill:#39424d}}";

/* ---- what ran ---- */

static void write_quiet_line(const struct syn_report *report,
                             void (*line_of)(const struct syn_report *, struct syn_text *),
                             struct syn_text *out)
{
    struct syn_text line = {0};
    line_of(report, &line);
    syn_text_string(out, "<p class=quiet>");
    syn_html_escape(out, syn_text_chars(&line));
    syn_text_string(out, "</p>\n");
    syn_text_free(&line);
}

/* Above all else. */
static void write_alarm(const struct syn_report *report, struct syn_text *out)
{
    struct syn_text line = {0};
    syn_report_clock_alarm(report, &line);
    if (line.length > 0) {
        syn_text_string(out, "<p><strong>");
        syn_html_escape(out, syn_text_chars(&line));
        syn_text_string(out, "</strong></p>\n");
    }
    syn_text_free(&line);
}

static void write_head(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = &report->run[0];
    const char *program = run->program ? run->program : "a program that is not named";
    char date[40];
    struct syn_text title = {0};
    syn_text_format(&title, "syncopate: %s", program);
    syn_html_begin(out, syn_text_chars(&title), style);
    syn_text_free(&title);
    write_alarm(report, out);
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
    write_quiet_line(report, syn_report_what_ran, out);
    write_quiet_line(report, syn_report_clock, out);
}

/* ---- where the time went ---- */

static void bar(struct syn_text *out, const char *class, double *x, double width)
{
    if (width > 0)
        syn_text_format(out, "<rect class=%s x=%.2f y=1 width=%.2f height=14 />", class, *x, width);
    *x += width > 0 ? width : 0;
}

static void write_rank_bar(const struct syn_report *report, const struct syn_run_facts *run,
                           int32_t r, struct syn_text *out)
{
    const struct syn_rank_facts *rank = &run->rank[r];
    double scale = run->duration_ns > 0 ? 400.0 / (double)run->duration_ns : 0;
    double inside_ns = run->totals.rank[r].inside_ns, x = 0;
    const char *node = syn_names_text(&report->names, rank->node);
    char time[SYN_UNIT_BYTES];
    syn_text_format(out, "<tr><td>%d</td>", r);
    syn_html_cell(out, node ? node : "", true);
    syn_html_cell(out, syn_unit_time(time, rank->waiting_ns), false);
    syn_html_cell(out, syn_unit_time(time, inside_ns - rank->waiting_ns), false);
    syn_text_string(out, "<td class=l><svg width=400 height=16>");
    bar(out, "wait", &x, rank->waiting_ns * scale);
    bar(out, "work", &x, (inside_ns - rank->waiting_ns) * scale);
    bar(out, "rest", &x, 400 - x);
    syn_text_string(out, "</svg></td></tr>\n");
}

static void write_time(const struct syn_report *report, struct syn_text *out)
{
    char time[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES];
    static const struct {
        enum syn_share which;
        const char *name;
    } shares[] = {{SYN_SHARE_INSIDE, "in collectives"},
                  {SYN_SHARE_WAITING, "of that, waiting for late ranks"},
                  {SYN_SHARE_OPERATING, "of that, the operations themselves"}};
    syn_text_string(out, "<h2>Where the time went</h2>\n<ul>\n");
    for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
        struct syn_share_figures figures = syn_report_share(report, shares[i].which);
        syn_text_string(out, "<li>");
        syn_html_format(out, "%s: %s of a rank's run (%s)", shares[i].name,
                        syn_unit_share(share, figures.of_run),
                        syn_unit_time(time, figures.mean_ns));
        syn_text_string(out, "</li>\n");
    }
    syn_text_string(out, "</ul>\n<table><tr><th>rank<th class=l>node<th>waiting<th>operating"
                         "<th class=l>of the run: waiting, operating, outside collectives</tr>\n");
    const struct syn_run_facts *run = &report->run[0];
    for (int32_t r = 0; r < run->rank_count && r < 64; r++)
        if (run->rank[r].present)
            write_rank_bar(report, run, r, out);
    syn_text_string(out, "</table>\n");
    if (run->rank_count > 64)
        syn_text_format(out, "<p class=quiet>and %d more ranks</p>\n", run->rank_count - 64);
}

/* ---- groups ---- */

struct scale {
    double low, high; /* logarithms */
};

static struct scale find_scale(const struct syn_report *report)
{
    struct scale scale = {INFINITY, -INFINITY};
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_summary *summary =
            &report->figures[i].metric[SYN_METRIC_COMPLETION].summary;
        if (summary->n == 0)
            continue;
        scale.low = fmin(scale.low, log(fmax(summary->p5, 1)));
        scale.high = fmax(scale.high, log(fmax(summary->p99, 1)));
    }
    return scale;
}

static double place(const struct scale *scale, double ns)
{
    double range = scale->high - scale->low;
    return range > 0 ? 4 + 232 * (log(fmax(ns, 1)) - scale->low) / range : 120;
}

/* From the 5 % to the 99 % quantile a line, the quartiles a box, the median a bar. */
static void write_box(const struct syn_summary *summary, const struct scale *scale,
                      struct syn_text *out)
{
    syn_text_string(out, "<td class=l>");
    if (summary->n > 0)
        syn_text_format(
            out,
            "<svg width=240 height=16><path class=line d='M%.1f 8H%.1f'/>"
            "<rect class=box x=%.1f y=3 width=%.1f height=10 />"
            "<path class=mid d='M%.1f 1V15'/></svg>",
            place(scale, summary->p5), place(scale, summary->p99), place(scale, summary->q1),
            place(scale, summary->q3) - place(scale, summary->q1), place(scale, summary->median));
    syn_text_string(out, "</td>");
}

static void write_times(const struct syn_report *report, const struct syn_figures *figures,
                        struct syn_text *out)
{
    const struct syn_metric_figures *completion = &figures->metric[SYN_METRIC_COMPLETION];
    const struct syn_metric_figures *spread = &figures->metric[SYN_METRIC_SPREAD];
    const struct syn_summary *summary = &completion->summary;
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES], words[160];
    bool known = summary->n > 0;
    syn_html_cell(out,
                  syn_figures_below_clock(completion)
                      ? "below clock resolution"
                      : syn_unit_time(low, known ? summary->median : NAN),
                  false);
    double low_ns, high_ns;
    syn_shown_interval(report, summary, &low_ns, &high_ns);
    if (known && isfinite(low_ns))
        snprintf(words, sizeof words, "%s .. %s", syn_unit_time(low, low_ns),
                 syn_unit_time(high, high_ns));
    else
        snprintf(words, sizeof words, "-");
    syn_html_cell(out, words, false);
    syn_html_cell(out, syn_unit_time(low, known ? summary->p99 : NAN), false);
    syn_html_cell(out,
                  syn_figures_below_clock(spread)
                      ? "below clock resolution"
                      : syn_unit_time(low, spread->summary.n ? spread->summary.median : NAN),
                  false);
    syn_html_cell(out,
                  syn_unit_share(
                      low, figures->inside_ns > 0 ? figures->waiting_ns / figures->inside_ns : NAN),
                  false);
    syn_html_cell(out,
                  syn_unit_time(low, figures->rank_count
                                         ? figures->inside_ns / (double)figures->rank_count
                                         : NAN),
                  false);
    if (figures->latest)
        snprintf(words, sizeof words, "%d: %.0f %%", figures->latest->rank->rank,
                 100.0 * (double)figures->latest->rank->last_count / (double)figures->latest->n);
    else
        snprintf(words, sizeof words, "-");
    syn_html_cell(out, words, false);
}

/* Communicators that are all alike say nothing. */
static bool many_comms(const struct syn_report *report)
{
    for (size_t i = 1; i < report->groups.count; i++)
        if (report->groups.group[i]->comm.value != report->groups.group[0]->comm.value ||
            report->groups.group[i]->comm.mixed != report->groups.group[0]->comm.mixed)
            return true;
    return false;
}

static void write_group(const struct syn_report *report, const struct syn_figures *figures,
                        const struct scale *scale, bool comms, struct syn_text *out)
{
    const struct syn_group *group = figures->group;
    const char *names[] = {syn_report_op(group), syn_report_site(report, group),
                           syn_report_comm(report, group)};
    char words[SYN_UNIT_BYTES];
    uint64_t value;
    syn_text_string(out, "<tr>");
    for (int i = 0; i < 3; i++)
        if (i < 2 || comms)
            syn_html_cell(out, names[i] ? names[i] : "*", true);
    if (syn_report_comm_size(group, &value))
        syn_html_cell(out, syn_unit_count(words, value), false);
    else
        syn_html_cell(out, "*", false);
    syn_html_cell(out, syn_report_bytes(group, &value) ? syn_unit_bytes(words, (double)value) : "*",
                  false);
    syn_html_cell(out, syn_unit_count(words, group->instance_count - figures->skipped_count),
                  false);
    write_box(&figures->metric[SYN_METRIC_COMPLETION].summary, scale, out);
    write_times(report, figures, out);
    syn_text_string(out, "</tr>\n");
}

static void write_groups(const struct syn_report *report, struct syn_text *out)
{
    const struct scale scale = find_scale(report);
    const bool comms = many_comms(report);
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    syn_text_format(out,
                    "<h2>Groups</h2>\n<div class=wide><table><tr><th class=l>operation"
                    "<th class=l>site%s<th>ranks<th>bytes<th>calls<th class=l>",
                    comms ? "<th class=l>communicator" : "");
    if (scale.high >= scale.low)
        syn_html_format(out, "completion, %s .. %s, logarithmic",
                        syn_unit_time(low, exp(scale.low)), syn_unit_time(high, exp(scale.high)));
    syn_text_string(out, "<th>median<th>interval<th>99 %<th>spread<th>wait<th>time<th>late</tr>\n");
    for (size_t i = 0; i < report->groups.count; i++)
        write_group(report, &report->figures[report->order[i]], &scale, comms, out);
    syn_text_string(out, "</table></div>\n");
}

void syn_report_html(const struct syn_report *report, struct syn_text *text)
{
    const struct syn_report_writer to = {.report = report, .text = text, .html = true};
    write_head(report, text);
    write_time(report, text);
    syn_report_late_section(&to);
    syn_report_differences_section(&to);
    syn_report_warnings_section(&to);
    write_groups(report, text);
    syn_report_html_series(report, text);
    syn_text_format(
        text,
        "<p class=quiet>Median, interval (%g %%, %s), 99 %% quantile "
        "and box are those of the completion: from the first rank's start to the last rank's end. "
        "Spread: from the first rank's start to the last rank's start. Wait: the part of the time "
        "inside a call that passed before the last rank had come. Time: inside these calls, "
        "waiting "
        "included, mean over ranks. Late: the rank that came last most often and in what share of "
        "the calls, where that is more than chance. The box holds the middle half, its line goes "
        "from the 5 %% to the 99 %% quantile.</p>\n</html>\n",
        report->options.confidence * 100, syn_shown_interval_words(report->options.ci));
}
