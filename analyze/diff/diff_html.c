/* analyze/diff/diff_html.c - the diff as one page of HTML, complete without its script; nothing is
 * loaded from anywhere.
 * In its table each ratio stands with its interval, on a logarithmic scale. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/diff_html.h"
#include "analyze/diff/diff_words.h"
#include "analyze/print/html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "analyze/report/report_writer.h"

#define PICTURE_WIDTH 160

/* How far from 1, as a logarithm, pictures have to go. */
static double extend(double reach, const struct syn_shift *ratio)
{
    if (!(ratio->low > 0) || !isfinite(ratio->high))
        return reach;
    return fmax(reach, fmax(fabs(log(ratio->low)), fabs(log(ratio->high))));
}

static double reach_of(const struct syn_diff *diff)
{
    double reach = 0.01;
    for (size_t i = 0; i < diff->count; i++)
        reach = extend(reach, &diff->group[i].ratio);
    return reach;
}

static double reach_of_quantiles(const struct syn_diff *diff)
{
    double reach = 0.01;
    for (size_t i = 0; i < diff->count; i++) {
        for (size_t j = 0; j < diff->options.tau_count; j++) {
            struct syn_shift ratio = syn_diff_quantile_ratio(&diff->group[i].quantile[j]);
            reach = extend(reach, &ratio);
        }
    }
    return reach;
}

/* What is that far from 1 is said in factors, and with it the whole column. */
static enum syn_diff_scale scale_of(double reach)
{
    const struct syn_shift farthest = {.estimate = exp(reach), .low = NAN, .high = NAN};
    return syn_diff_scale_with(SYN_SCALE_PERCENT, &farthest);
}

static double place(double ratio, double reach)
{
    return PICTURE_WIDTH / 2.0 * (1 + log(ratio) / (1.05 * reach));
}

static void write_picture(const struct syn_shift *ratio, double reach, struct syn_text *out)
{
    syn_text_format(out,
                    "<td class=l><svg width=%d height=16 viewBox='0 0 %d 16' role=img "
                    "aria-label='the ratio and its interval, in the columns beside'>"
                    "<path class=one d='M%d 0V16'/>",
                    PICTURE_WIDTH, PICTURE_WIDTH, PICTURE_WIDTH / 2);
    if (ratio->low > 0 && isfinite(ratio->high))
        syn_text_format(out,
                        "<path class=line d='M%.1f 8H%.1f'/>"
                        "<rect class=box x=%.1f y=3 width=4 height=10 />",
                        place(ratio->low, reach), place(ratio->high, reach),
                        place(ratio->estimate, reach) - 2);
    syn_text_string(out, "</svg></td>");
}

static void write_value(const struct syn_diff *diff, const struct syn_diff_half *half,
                        struct syn_text *out)
{
    char words[SYN_UNIT_BYTES];
    syn_html_cell(out, syn_diff_value(words, diff, half), false);
}

static void write_p(double p, struct syn_text *out)
{
    char words[SYN_UNIT_BYTES];
    snprintf(words, sizeof words, isfinite(p) ? "%.2g %s" : "-", p, syn_stars(p));
    syn_html_cell(out, words, true);
}

static void write_wait(const struct syn_diff_wait *wait, struct syn_text *out)
{
    char words[2 * SYN_UNIT_BYTES], a[SYN_UNIT_BYTES], b[SYN_UNIT_BYTES];
    snprintf(words, sizeof words, "%.20s, %.20s %s", syn_unit_share(a, wait->a),
             syn_unit_share(b, wait->b), syn_diff_wait_stars(wait));
    syn_html_cell(out, words, true);
}

static void title(const struct syn_diff *diff, enum syn_key key, const char *words,
                  struct syn_text *out)
{
    if (diff->options.by & SYN_BY(key))
        syn_text_format(out, "<th%s>%s",
                        key == SYN_KEY_RANK || key == SYN_KEY_COMM ? "" : " class=l", words);
}

/* Communicators that are all alike say nothing. */
static bool many_comms(const struct syn_diff *diff)
{
    for (size_t i = 1; i < diff->count; i++)
        if (strcmp(diff->group[i].a.comm, diff->group[0].a.comm) != 0)
            return diff->options.by & SYN_BY(SYN_KEY_COMM);
    return false;
}

static void write_key_titles(const struct syn_diff *diff, struct syn_text *out)
{
    syn_text_format(out, "<th class=l>operation%s",
                    diff->options.by & SYN_BY(SYN_KEY_SITE) ? ", site" : "");
    title(diff, SYN_KEY_RANK, "rank", out);
    title(diff, SYN_KEY_ROOT, "root", out);
    title(diff, SYN_KEY_NODE, "node", out);
    title(diff, SYN_KEY_COMM, "ranks", out);
    if (diff->options.by & SYN_BY(SYN_KEY_BYTES))
        syn_text_string(out, "<th>bytes");
}

/* The operation, and below it where it is called. */
static void write_name(const struct syn_diff *diff, const struct syn_diff_group *group,
                       struct syn_text *out)
{
    syn_text_string(out, "<td class='l names'>");
    syn_html_escape(out, group->op);
    syn_text_string(out, "<small>");
    if (diff->options.by & SYN_BY(SYN_KEY_SITE))
        syn_html_place(out, group->a.site);
    if (many_comms(diff))
        syn_html_format(out, " on %s", group->a.comm);
    syn_text_string(out, "</small></td>");
}

static void write_keys(const struct syn_diff *diff, const struct syn_diff_group *group,
                       struct syn_text *out)
{
    char words[SYN_UNIT_BYTES];
    unsigned by = diff->options.by;
    write_name(diff, group, out);
    if (by & SYN_BY(SYN_KEY_RANK))
        syn_text_format(out, "<td>%lld</td>", (long long)group->rank);
    if (by & SYN_BY(SYN_KEY_ROOT))
        syn_text_format(out, group->root < 0 ? "<td class=l>-</td>" : "<td class=l>%lld</td>",
                        (long long)group->root);
    if (by & SYN_BY(SYN_KEY_NODE))
        syn_html_cell(out, group->node ? group->node : "-", true);
    if (by & SYN_BY(SYN_KEY_COMM))
        syn_html_cell(out, syn_unit_count(words, group->comm_size), false);
    if (by & SYN_BY(SYN_KEY_BYTES))
        syn_html_cell(out, syn_unit_bytes(words, (double)group->bytes), false);
}

static void write_group(const struct syn_diff *diff, const struct syn_diff_group *group,
                        double reach, struct syn_text *out)
{
    const enum syn_diff_scale scale = scale_of(reach);
    char words[2 * SYN_UNIT_BYTES];
    syn_text_string(out, "<tr>");
    syn_html_cell(out, syn_verdict_text(group->verdict), true);
    write_keys(diff, group, out);
    syn_html_cell(out, syn_diff_change(words, group->ratio.estimate, scale), false);
    syn_html_cell(out, syn_diff_interval(words, group->ratio.low, group->ratio.high, scale), true);
    write_picture(&group->ratio, reach, out);
    write_value(diff, &group->a, out);
    write_value(diff, &group->b, out);
    snprintf(words, sizeof words, "%zu, %zu", group->a.run_count, group->b.run_count);
    syn_html_cell(out, words, false);
    write_p(group->ratio_within_runs ? NAN : group->p_adjusted, out);
    snprintf(words, sizeof words, "%.2f", group->vargha_delaney_a);
    syn_html_cell(out, words, false);
    write_wait(&group->wait, out);
    syn_text_string(out, "</tr>\n");
}

/* ---- other quantiles ---- */

static void write_quantile(const struct syn_diff *diff, const struct syn_diff_group *group,
                           const struct syn_diff_quantile *quantile, double reach,
                           struct syn_text *out)
{
    char words[2 * SYN_UNIT_BYTES];
    bool over_runs = isfinite(quantile->p_adjusted);
    const struct syn_quantile_effect *pooled = &quantile->pooled;
    struct syn_shift ratio = syn_diff_quantile_ratio(quantile);
    const enum syn_diff_scale scale = scale_of(reach);
    syn_text_string(out, "<tr>");
    write_keys(diff, group, out);
    syn_text_format(out, "<td>%.4g %%</td>", 100 * quantile->tau);
    syn_html_cell(out, syn_unit_time(words, over_runs ? quantile->a : pooled->intercept), false);
    syn_html_cell(
        out, syn_unit_time(words, over_runs ? quantile->b : pooled->intercept + pooled->effect),
        false);
    syn_html_cell(out, syn_diff_change(words, ratio.estimate, scale), false);
    syn_html_cell(out, syn_diff_interval(words, ratio.low, ratio.high, scale), true);
    write_p(quantile->p_adjusted, out);
    write_picture(&ratio, reach, out);
    syn_text_string(out, "</tr>\n");
}

static void write_quantiles(const struct syn_diff *diff, struct syn_text *out)
{
    double reach = reach_of_quantiles(diff);
    if (diff->options.tau_count == 0 || diff->count == 0)
        return;
    syn_text_string(out, "<h2>Other quantiles</h2>\n<p class=quiet>Each run's own quantile, "
                         "compared as the medians are; where the runs are too few for that, "
                         "quantile regression on all instances, whose interval is that within "
                         "these runs.</p>\n<div class=wide tabindex=0 role=region "
                         "aria-label='Other quantiles'><table><tr>");
    write_key_titles(diff, out);
    syn_text_string(out, "<th>quantile<th>A<th>B<th>change<th class=l>interval, %"
                         "<th class=l>p, adjusted<th class=l>B/A, logarithmic</tr>\n");
    for (size_t i = 0; i < diff->count; i++)
        for (size_t j = 0; j < diff->options.tau_count; j++)
            write_quantile(diff, &diff->group[i], &diff->group[i].quantile[j], reach, out);
    syn_text_string(out, "</table></div>\n");
}

/* ---- sides ---- */

static void write_side(const struct syn_report *side, const char *name, struct syn_text *out)
{
    const struct syn_run_facts *run = &side->run[0];
    char mpi[80];
    syn_text_format(out, "%s: %zu run%s of ", name, side->run_count,
                    side->run_count == 1 ? "" : "s");
    syn_html_escape(out, run->program ? run->program : "a program that is not named");
    if (run->args && run->args[0]) {
        syn_text_char(out, ' ');
        syn_html_escape(out, run->args);
    }
    syn_text_format(out, ", %d rank%s", run->rank_count, run->rank_count == 1 ? "" : "s");
    syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
    if (mpi[0]) {
        syn_text_string(out, ", ");
        syn_html_escape(out, mpi);
    }
    syn_text_string(out, "<br>\n");
}

static void write_alarm(const struct syn_report *side, const char *name, struct syn_text *out)
{
    struct syn_text words = {0}, line = {0};
    syn_report_clock_alarm(side, &line);
    if (line.length > 0)
        syn_text_format(&words, "%s: %s", name, syn_text_chars(&line));
    syn_html_between(out, "<p><strong>", syn_text_chars(&words), "</strong></p>\n");
    syn_text_free(&line);
    syn_text_free(&words);
}

static void write_singles(const struct syn_diff_singles *only, char name, struct syn_text *out)
{
    char bytes[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES];
    if (only->count == 0)
        return;
    syn_text_format(out, "<h2>Only in %c</h2>\n<ul>\n", name);
    for (size_t i = 0; i < only->count; i++) {
        const struct syn_diff_single *single = &only->item[i];
        syn_text_string(out, "<li>");
        syn_html_escape(out, single->op);
        syn_text_format(out, " %s at ", syn_unit_bytes(bytes, (double)single->bytes));
        syn_html_place(out, single->site);
        syn_text_format(out, ", %llu ranks, %s instances\n", (unsigned long long)single->comm_size,
                        syn_unit_count(count, single->instance_count));
    }
    syn_text_string(out, "</ul>\n");
}

static void write_sentences(const struct syn_diff *diff, struct syn_text *out)
{
    struct syn_text words = {0};
    syn_diff_sentences(diff, &words);
    syn_html_between(out, "<p class=quiet>", syn_text_chars(&words), "</p>\n");
    syn_text_free(&words);
}

/* What ranks do between the calls: all that changed. */
static void write_segments(const struct syn_diff *diff, const struct syn_report_writer *to)
{
    struct syn_text words = {0};
    if (diff->segments.both_count == 0)
        return;
    syn_report_list(to, "Between the calls, and in them but for waiting");
    for (size_t i = 0; syn_segment_sentence(diff, i, &words); i++) {
        syn_report_item(to, "%s", syn_text_chars(&words));
        syn_text_clear(&words);
    }
    syn_segments_in_all(diff, &words);
    if (words.length)
        syn_report_item(to, "%s", syn_text_chars(&words));
    syn_report_list_end(to);
    syn_text_free(&words);
}

static void write_legend(struct syn_text *out)
{
    syn_text_string(
        out,
        "<p class=quiet>A, B: median of the runs' medians; &lt;clock: smaller than the clocks "
        "can tell. Change: median ratio of a run of B to a run of A (Hodges-Lehmann) and "
        "its interval. p: adjusted over the groups; * below 0.05, ** below 0.01, *** below "
        "0.001. B&gt;A: how often a run of B has the larger value (Vargha-Delaney A). Waiting: "
        "share of the time inside before the last rank had come.</p>\n");
}

void syn_diff_html(const struct syn_diff *diff, struct syn_text *text)
{
    const struct syn_report_writer to = {.text = text, .style = SYN_WRITE_HTML};
    struct syn_text headline = {0};
    const double reach = reach_of(diff);
    const enum syn_diff_scale scale = scale_of(reach);
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES], adjust[128];
    syn_diff_headline(diff, &headline);
    syn_html_begin(text, syn_text_chars(&headline), syn_css_diff);
    write_alarm(&diff->side[0], "A", text);
    write_alarm(&diff->side[1], "B", text);
    syn_html_between(text, "<h1>", syn_text_chars(&headline), "</h1>\n");
    syn_text_clear(&headline);
    syn_diff_whole(diff, &headline);
    syn_html_between(text, "<p>", syn_text_chars(&headline), "</p>\n");
    syn_text_string(text, "<p class=quiet>");
    write_side(&diff->side[0], "A", text);
    write_side(&diff->side[1], "B", text);
    syn_text_format(text,
                    "Compared: %s of each run; Wilcoxon-Mann-Whitney (%s), %s over the groups, "
                    "confidence %g %%, threshold %g %%.</p>\n",
                    syn_diff_metric_name(diff->options.metric),
                    syn_diff_alternative_name(diff->options.alternative),
                    syn_diff_adjust_words(diff, adjust, sizeof adjust),
                    100 * diff->options.confidence, 100 * diff->options.threshold);
    write_sentences(diff, text);
    write_segments(diff, &to);
    syn_diff_warnings_list(diff, &to);
    syn_text_string(
        text, "<div class=wide tabindex=0 role=region "
              "aria-label='Table of groups'><table class=groups><thead><tr><th class=l>verdict");
    write_key_titles(diff, text);
    syn_text_format(text,
                    "<th>change<th class=l>interval%s<th class='l names'>B/A, logarithmic, "
                    "%s .. %s<th>A<th>B<th>runs<th class=l>p, adjusted<th>B&gt;A"
                    "<th class=l>waiting: A, B</tr></thead>\n",
                    scale == SYN_SCALE_PERCENT ? ", %" : "",
                    syn_diff_change(low, exp(-1.05 * reach), scale),
                    syn_diff_change(high, exp(1.05 * reach), scale));
    syn_text_string(text, "<tbody>\n");
    for (size_t i = 0; i < diff->count; i++)
        write_group(diff, &diff->group[i], reach, text);
    syn_text_string(text, "</table></div>\n");
    syn_diff_html_plots(diff, text);
    syn_diff_html_quantiles(diff, text);
    write_quantiles(diff, text);
    write_singles(&diff->only[0], 'A', text);
    write_singles(&diff->only[1], 'B', text);
    write_legend(text);
    syn_html_end(text);
    syn_text_free(&headline);
}
