/* analyze/report/formats/report_html_groups.c - writes the table of groups on the report's page. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/html.h"
#include "analyze/print/units.h"
#include "analyze/report/sections/report_html.h"

/* Rows from this one on have no picture. A page of thousands of groups stays small, also by leaving
 * out end tags that HTML does not need. */
#define BOXES_MOST 200

struct scale {
    double low, high; /* of the axis, as logarithms */
};

struct table {
    struct scale scale;
    bool comms;      /* groups differ in their communicators, so rows name them */
    size_t rows;     /* rows that are shown */
    double whole_ns; /* time inside all groups, summed over ranks */
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
    return range > 0 ? 4 + 152 * (log(fmax(ns, 1)) - scale->low) / range : 80;
}

static const char *shown_time(char *buffer, const struct syn_metric_figures *metric)
{
    return syn_figures_below_clock(metric)
               ? "< clock"
               : syn_unit_time(buffer, metric->summary.n ? metric->summary.median : NAN);
}

/* Writes time, share, wait and late. They come first, so that every screen shows them. */
static void write_weight(const struct syn_figures *figures, double whole_ns, struct syn_text *out)
{
    char words[SYN_UNIT_BYTES + 32];
    const double ranks = (double)figures->rank_count;
    const double wait = figures->inside_ns > 0 ? figures->waiting_ns / figures->inside_ns : NAN;
    syn_html_cell(out, syn_unit_time(words, ranks > 0 ? figures->inside_ns / ranks : NAN), false);
    syn_html_cell(out, syn_unit_share(words, whole_ns > 0 ? figures->inside_ns / whole_ns : NAN),
                  false);
    syn_html_cell(out, syn_unit_share(words, wait), false);
    if (figures->latest)
        snprintf(words, sizeof words, "%d: %.0f %%", figures->latest->rank->rank,
                 100.0 * (double)figures->latest->rank->last_count / (double)figures->latest->n);
    else
        snprintf(words, sizeof words, "-");
    syn_html_cell(out, words, false);
}

static void write_times(const struct syn_report *report, const struct syn_figures *figures,
                        struct syn_text *out)
{
    const struct syn_metric_figures *completion = &figures->metric[SYN_METRIC_COMPLETION];
    const struct syn_summary *summary = &completion->summary;
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES], words[160];
    double low_ns, high_ns;
    syn_html_cell(out, shown_time(low, completion), false);
    syn_shown_interval(report, summary, &low_ns, &high_ns);
    if (summary->n > 0 && isfinite(low_ns))
        snprintf(words, sizeof words, "%s .. %s", syn_unit_time(low, low_ns),
                 syn_unit_time(high, high_ns));
    else
        snprintf(words, sizeof words, "-");
    syn_html_cell(out, words, false);
    syn_html_cell(out, syn_unit_time(low, summary->n > 0 ? summary->p99 : NAN), false);
    syn_html_cell(out, shown_time(low, &figures->metric[SYN_METRIC_SPREAD]), false);
}

/* Returns true if groups differ in their communicators. */
static bool many_comms(const struct syn_report *report)
{
    for (size_t i = 1; i < report->groups.count; i++) {
        const struct syn_common *first = &report->groups.group[0]->comm,
                                *other = &report->groups.group[i]->comm;
        if (first->mixed != other->mixed || (!first->mixed && first->value != other->value))
            return true;
    }
    return false;
}

/* Writes a group's names, time, sizes, times of calls, and its picture. */
static void write_group(const struct syn_report *report, size_t row, const struct table *table,
                        struct syn_text *out)
{
    const struct syn_figures *figures = &report->figures[report->order[row]];
    const struct syn_group *group = figures->group;
    char words[SYN_UNIT_BYTES];
    uint64_t value;
    syn_text_string(out, "<tr>");
    /* the operation, and below it the call site */
    bool comms = table->comms;
    const char *op = syn_report_op(group), *site = syn_report_site(report, group);
    const char *comm = syn_report_comm(report, group);
    SYN_CLEANUP(syn_text_free) struct syn_text rest = {0};
    syn_text_string(out, "<td class=l>");
    syn_html_escape(out, op ? op : "collectives");
    syn_report_group_rest(report, group, &rest);
    syn_html_escape(out, syn_text_chars(&rest));
    out->failed |= rest.failed;
    comms = comms && !(comm && strstr(syn_text_chars(&rest), comm));
    syn_text_string(out, "<small>");
    syn_html_place(out, site ? site : "*");
    if (comms) {
        syn_text_string(out, "<wbr>");
        syn_html_between(out, ", ", comm ? comm : "*", "");
    }
    syn_text_string(out, "</small>");
    write_weight(figures, table->whole_ns, out);
    syn_html_cell(out, syn_report_bytes(group, &value) ? syn_unit_bytes(words, (double)value) : "*",
                  false);
    syn_html_cell(out, syn_report_comm_size(group, &value) ? syn_unit_count(words, value) : "*",
                  false);
    syn_html_cell(out, syn_unit_count(words, group->instance_count - figures->skipped_count),
                  false);
    write_times(report, figures, out);
    if (row < BOXES_MOST) {
        /* a line from the 5 % to the 99 % quantile, a box for the quartiles, a bar for the
         * median */
        const struct syn_summary *summary = &figures->metric[SYN_METRIC_COMPLETION].summary;
        syn_text_string(out, "<td class=l>");
        if (summary->n > 0)
            syn_text_format(
                out,
                "<svg width=160 height=16 viewBox='0 0 160 16' role=img aria-label='completion, in "
                "the columns before'><path class=line d='M%.1f 8H%.1f'/>"
                "<rect class=box x=%.1f y=3 width=%.1f height=10 />"
                "<path class=mid d='M%.1f 1V15'/></svg>",
                place(&table->scale, summary->p5), place(&table->scale, summary->p99),
                place(&table->scale, summary->q1),
                place(&table->scale, summary->q3) - place(&table->scale, summary->q1),
                place(&table->scale, summary->median));
    }
    syn_text_char(out, '\n');
}

/* Writes the table's head, the rows that are shown, one row for the rest, and the words. */
void syn_report_html_groups(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    struct table table = {find_scale(report), many_comms(report), report->groups.count,
                          syn_report_time_in_groups(report)};
    if (report->options.top > 0 && report->options.top < table.rows)
        table.rows = report->options.top;
    syn_text_string(out, "<h2>Groups</h2>\n<div class=wide tabindex=0 role=region "
                         "aria-label='Table of groups'><table class=groups><thead><tr>"
                         "<th class=l>operation, site<th>time<th>share<th>wait<th>late<th>bytes"
                         "<th>ranks<th>calls<th>median<th>interval<th>99 %<th>spread<th class=l>");
    if (table.scale.high >= table.scale.low)
        syn_html_words(out, "completion, {time} .. {time}, logarithmic", exp(table.scale.low),
                       exp(table.scale.high));
    syn_text_string(out, "</tr></thead><tbody>\n");
    for (size_t i = 0; i < table.rows; i++)
        write_group(report, i, &table, out);
    syn_text_string(out, "</tbody>\n");
    /* one row for all groups that are not shown */
    double inside_ns = 0, waiting_ns = 0;
    for (size_t i = table.rows; i < report->groups.count; i++) {
        inside_ns += report->figures[report->order[i]].inside_ns;
        waiting_ns += report->figures[report->order[i]].waiting_ns;
    }
    if (table.rows < report->groups.count)
        syn_words(out,
                  "<tfoot><tr><td class=l>{n} more groups<small>--top 0 shows "
                  "all</small><td><td>{share}<td>{share}<td colspan=9></tr></tfoot>\n",
                  report->groups.count - table.rows,
                  table.whole_ns > 0 ? inside_ns / table.whole_ns : NAN,
                  inside_ns > 0 ? waiting_ns / inside_ns : NAN);
    syn_text_string(out, "</table></div>\n");
    syn_text_format(
        out,
        "<details><summary>The words</summary><p class='quiet words'>Time: inside these calls, "
        "waiting included, mean over ranks; share: of all time in collectives. Wait: the share of "
        "it before the last rank had come. Late: the rank that came last most often "
        "and in what share of the calls, where that is more than chance. Median, interval (%g %%, "
        "%s), 99 %% quantile and box are those of the completion: from the first rank's start to "
        "the last rank's end. Spread: from the first rank's start to the last rank's start. The "
        "box holds the middle half, its line goes from the 5 %% to the 99 %% quantile. &lt; clock: "
        "smaller than the clocks can tell.</p></details>\n",
        report->options.confidence * 100, syn_shown_interval_words(report->options.ci));
}
