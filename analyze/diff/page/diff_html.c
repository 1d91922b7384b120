/* analyze/diff/page/diff_html.c - the diff as one page of HTML, complete without its script;
 * nothing is loaded from anywhere. In its table each ratio stands with its interval, on a
 * logarithmic scale. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/page/diff_html.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"

#define PICTURE_WIDTH 160

/* How far from 1, as a logarithm, pictures have to go. */
static double extend(double reach, const struct syn_shift *ratio)
{
    if (!(ratio->low > 0) || !isfinite(ratio->high))
        return reach;
    return fmax(reach, fmax(fabs(log(ratio->low)), fabs(log(ratio->high))));
}

/* Selects the scale of a column: factors if its largest ratio is far from 1, else percent. */
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

static void write_keys(const struct syn_diff *diff, const struct syn_diff_group *group,
                       struct syn_text *out)
{
    char words[SYN_UNIT_BYTES];
    unsigned by = diff->options.by;
    /* The operation, and below it where it is called. */
    syn_text_string(out, "<td class='l names'>");
    syn_html_escape(out, group->op);
    syn_text_string(out, "<small>");
    if (diff->options.by & SYN_BY(SYN_KEY_SITE))
        syn_html_place(out, group->a.site);
    if (many_comms(diff))
        syn_html_between(out, " on ", group->a.comm, "");
    syn_text_string(out, "</small></td>");
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

/* ---- other quantiles ---- */

/* Finds how far the pictures reach, then writes a row for each quantile of each group. */
void syn_diff_html_other_quantiles(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct syn_text *out = syn_doc_draw(doc);
    double reach = 0.01;
    for (size_t i = 0; i < diff->count; i++) {
        for (size_t j = 0; j < diff->options.tau_count; j++) {
            struct syn_shift ratio = syn_diff_quantile_ratio(&diff->group[i].quantile[j]);
            reach = extend(reach, &ratio);
        }
    }
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
        for (size_t j = 0; j < diff->options.tau_count; j++) {
            const struct syn_diff_quantile *quantile = &diff->group[i].quantile[j];
            char words[2 * SYN_UNIT_BYTES];
            bool over_runs = isfinite(quantile->p_adjusted);
            const struct syn_quantile_effect *pooled = &quantile->pooled;
            struct syn_shift ratio = syn_diff_quantile_ratio(quantile);
            const enum syn_diff_scale scale = scale_of(reach);
            syn_text_string(out, "<tr>");
            write_keys(diff, &diff->group[i], out);
            syn_text_format(out, "<td>%.4g %%</td>", 100 * quantile->tau);
            syn_html_cell(out, syn_unit_time(words, over_runs ? quantile->a : pooled->intercept),
                          false);
            syn_html_cell(
                out,
                syn_unit_time(words, over_runs ? quantile->b : pooled->intercept + pooled->effect),
                false);
            syn_html_cell(out, syn_diff_change(words, ratio.estimate, scale), false);
            syn_html_cell(out, syn_diff_interval(words, ratio.low, ratio.high, scale), true);
            write_p(quantile->p_adjusted, out);
            write_picture(&ratio, reach, out);
            syn_text_string(out, "</tr>\n");
        }
    syn_text_string(out, "</table></div>\n");
}

/* ---- the table ---- */

/* Finds how far the pictures reach, then writes the head and a row for each group. */
void syn_diff_html_groups(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct syn_text *text = syn_doc_draw(doc);
    double reach = 0.01;
    for (size_t i = 0; i < diff->count; i++)
        reach = extend(reach, &diff->group[i].ratio);
    const enum syn_diff_scale scale = scale_of(reach);
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
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
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        char words[2 * SYN_UNIT_BYTES];
        syn_text_string(text, "<tr>");
        syn_html_cell(text, syn_verdict_text(group->verdict), true);
        write_keys(diff, group, text);
        syn_html_cell(text, syn_diff_change(words, group->ratio.estimate, scale), false);
        syn_html_cell(text, syn_diff_interval(words, group->ratio.low, group->ratio.high, scale),
                      true);
        write_picture(&group->ratio, reach, text);
        write_value(diff, &group->a, text);
        write_value(diff, &group->b, text);
        snprintf(words, sizeof words, "%zu, %zu", group->a.run_count, group->b.run_count);
        syn_html_cell(text, words, false);
        write_p(group->ratio_within_runs ? NAN : group->p_adjusted, text);
        snprintf(words, sizeof words, "%.2f", group->vargha_delaney_a);
        syn_html_cell(text, words, false);
        write_wait(&group->wait, text);
        syn_text_string(text, "</tr>\n");
    }
    syn_text_string(text, "</table></div>\n");
}
