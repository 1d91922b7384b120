/* analyze/diff/page/diff_figures.c - writes a diff as JSON and CSV, from the list of its figures
 * (diff.def).
 *
 * CSV has a line for each group. Groups of one side come after those of both sides, each written as
 * a group of both sides without values on the other side. Messages come last. */
#include <math.h>
#include <stdio.h>

#include "analyze/causes/findings/findings.h"
#include "analyze/diff/diff.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/figures/figure_walk.h"
#include "analyze/print/figures/figure_writer.h"
#include "analyze/report/findings/report_parts.h"

/* The order of the CSV columns. */
enum {
    SYN_PLACE_KEYS,
    SYN_PLACE_FIRST = 0, /* within a side or a quantile */
    SYN_PLACE_A,
    SYN_PLACE_B,
    SYN_PLACE_TEST,
    SYN_PLACE_VERDICT,
    SYN_PLACE_MATCHED,
    SYN_PLACE_RANK,
    SYN_PLACE_ROOT,
    SYN_PLACE_NODE,
    SYN_PLACE_WAIT,
    SYN_PLACE_QUANTILES
};

/* State while a diff is written. */
struct shown {
    struct syn_figure_writer out;
    const struct syn_diff *diff;
    const char *headline;
    const char *metric; /* of the next group */
    const char *only;   /* CSV, for a group of one side: "only in a" or "only in b"; else NULL */
};

static bool is_by(const struct shown *to, enum syn_key key)
{
    return to->diff->options.by & SYN_BY(key);
}

static bool is_pooled(const struct shown *to)
{
    return to->diff->options.metric != SYN_DIFF_WAIT_SHARE;
}

static bool has_stars(const struct syn_diff_group *group)
{
    return group->verdict != SYN_VERDICT_TOO_FEW_RUNS;
}

static const char *or_null(const char *name)
{
    return name && name[0] ? name : NULL;
}

static const struct syn_segment_half *named_half(const struct syn_segment *segment)
{
    return &segment->half[segment->half[0].run_count == 0];
}

static void show_side_notes(struct shown *to, const struct syn_report *side)
{
    for (size_t i = 0; i < side->unreadable_count; i++)
        syn_put_text(&to->out, NULL, side->unreadable[i]);
    for (size_t i = 0; i < side->run_count; i++)
        for (size_t j = 0; j < side->run[i].fault_count; j++)
            syn_put_text(&to->out, NULL, side->run[i].fault[j].text);
}

static void show_notes_of_group(struct shown *to, const struct syn_diff_group *group)
{
    const char *notes[SYN_DIFF_NOTES];
    const size_t count = syn_diff_group_notes(to->diff, group, notes, SYN_DIFF_NOTES);
    for (size_t i = 0; i < count; i++)
        syn_put_text(&to->out, NULL, notes[i]);
}

static void show_diff_keys(struct shown *to, const struct syn_diff *diff)
{
    for (enum syn_key key = 0; key < SYN_KEY_COUNT; key++)
        if (diff->options.by & SYN_BY(key))
            syn_put_text(&to->out, NULL, syn_key_name(key));
}

static void put_warning(void *ctx, struct syn_text *words)
{
    struct syn_figure_writer *out = ctx;
    syn_put_text(out, NULL, syn_text_chars(words));
    out->json->text->failed |= words->failed;
}

static void show_diff_warnings(struct shown *to, const struct syn_diff *diff)
{
    syn_diff_warnings(diff, put_warning, &to->out);
}

#include "analyze/diff/diff.def"

void syn_diff_json(const struct syn_diff *diff, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    SYN_CLEANUP(syn_text_free) struct syn_text headline = {0};
    syn_diff_headline(diff, &headline);
    struct shown to = {
        .out = syn_figures_as_json(&json), .diff = diff, .headline = syn_text_chars(&headline)};
    to.metric = syn_diff_metric_name(diff->options.metric);
    show_diff(&to, NULL, diff);
    text->failed |= headline.failed;
}

/* ---- CSV ---- */

static void write_group_line(struct shown *to, const struct syn_diff_group *group,
                             struct syn_text *text)
{
    syn_figure_line_begin(&to->out);
    show_diff_group(to, NULL, group);
    /* Writes "q0.99_a", "q0.99_b", ...; quantile NULL: the header, or a group without quantiles. */
    const struct syn_diff_quantile *quantile = group ? group->quantile : NULL;
    const struct syn_figure_at before = to->out.at;
    for (size_t i = 0; i < to->diff->options.tau_count; i++) {
        char tau[32], prefix[40];
        syn_number_text(to->diff->options.tau[i], tau);
        snprintf(prefix, sizeof prefix, "q%s", tau);
        to->out.at = (struct syn_figure_at){
            .prefix = prefix, .place = SYN_PLACE_QUANTILES, .is_unknown = !quantile};
        show_diff_quantile(to, NULL, quantile ? &quantile[i] : NULL);
    }
    to->out.at = before;
    syn_figure_line_end(&to->out, text);
}

/* Returns a group of one side or both, without any figure. */
static struct syn_diff_group empty_group(void)
{
    const struct syn_shift no_shift = {NAN, NAN, NAN, NAN, 0};
    const struct syn_diff_half nothing = {.median = {NAN, NAN, NAN}};
    return (struct syn_diff_group){.rank = -1,
                                   .root = -1,
                                   .a = nothing,
                                   .b = nothing,
                                   .wait = {NAN, NAN, no_shift, {NAN, NAN, 0}, NAN, NAN},
                                   .ratio = no_shift,
                                   .test = {NAN, NAN, 0},
                                   .p_adjusted = NAN,
                                   .vargha_delaney_a = NAN,
                                   .delta = NAN,
                                   .verdict = SYN_VERDICT_TOO_FEW_RUNS};
}

static void write_singles(struct shown *to, int side, struct syn_text *text)
{
    const struct syn_diff_singles *only = &to->diff->only[side];
    to->only = side == 0 ? "only in a" : "only in b";
    for (size_t i = 0; i < only->count; i++) {
        const struct syn_diff_single *single = &only->item[i];
        struct syn_diff_group group = empty_group();
        group.op = single->op;
        group.node = single->node;
        group.rank = single->rank;
        group.comm_size = single->comm_size;
        group.bytes = single->bytes;
        struct syn_diff_half *half = side == 0 ? &group.a : &group.b;
        half->run_count = single->run_count;
        half->instance_count = single->instance_count;
        group.a.site = single->site;
        group.a.comm = single->comm;
        write_group_line(to, &group, text);
    }
    to->only = NULL;
}

/* Writes the times in messages: the metric is the kind of time; a pair of ranks is the site. */
static void write_messages(struct shown *to, struct syn_text *text)
{
    const struct syn_diff_segments *messages = &to->diff->messages;
    SYN_CLEANUP(syn_text_free) struct syn_text pair = {0};
    for (size_t i = 0; i < messages->count; i++) {
        const struct syn_segment *item = &messages->item[i];
        struct syn_diff_group group = empty_group();
        syn_text_clear(&pair);
        if (!item->op)
            syn_diff_message_where(item, &pair);
        group.op = item->op ? item->op : "*";
        for (int side = 0; side < 2; side++) {
            struct syn_diff_half *half = side == 0 ? &group.a : &group.b;
            half->run_count = item->half[side].run_count;
            half->instance_count =
                (uint64_t)round(item->half[side].times * (double)half->run_count);
            half->median = item->half[side].median;
        }
        group.a.site = item->op ? named_half(item)->from : syn_text_chars(&pair);
        group.a.comm = "";
        group.ratio = item->ratio;
        group.test = item->test;
        group.p_adjusted = item->p_adjusted;
        group.verdict = item->verdict;
        to->metric = syn_diff_message_name(item->messages.kind);
        to->only = syn_segment_is_on_both(item)  ? NULL
                   : item->half[0].run_count > 0 ? "only in a"
                                                 : "only in b";
        write_group_line(to, &group, text);
    }
    text->failed |= pair.failed;
}

/* Writes the header, the groups of both sides, those of one side alone, then the messages. */
void syn_diff_csv(const struct syn_diff *diff, struct syn_text *text)
{
    SYN_CLEANUP(syn_figure_table_free) struct syn_figure_table table = {0};
    struct shown to = {.out = syn_figures_as_csv(&table),
                       .diff = diff,
                       .metric = syn_diff_metric_name(diff->options.metric)};
    write_group_line(&to, NULL, text);
    for (size_t i = 0; i < diff->count; i++)
        write_group_line(&to, &diff->group[i], text);
    write_singles(&to, 0, text);
    write_singles(&to, 1, text);
    write_messages(&to, text);
}
