/* analyze/diff/page/diff_table.c - writes the groups of a diff, and their quantiles, as tables.
 *
 * A table is a list of rows and a choice of columns, made in the same way for all formats. Text,
 * HTML and Markdown have different columns and different spacing in cells. In HTML each ratio has a
 * picture of its interval, on a logarithmic scale. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/page/diff_html.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/html.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"

#define PICTURE_WIDTH 160

/* From this terminal width on, tables have the names of communicators. */
#define WIDTH_OF_COMM_NAMES 120

enum column {
    COLUMN_OP,
    COLUMN_RANK,
    COLUMN_ROOT,
    COLUMN_NODE,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_COMM_NUMBER, /* instead of a name that there is no room for; the names are below the
                           tables */
    COLUMN_SIZE,
    COLUMN_BYTES,
    COLUMN_RUNS,
    COLUMN_TAU,
    COLUMN_A,
    COLUMN_B,
    COLUMN_CHANGE,
    COLUMN_INTERVAL,
    COLUMN_SHOWS,
    COLUMN_P,
    COLUMN_EFFECT,
    COLUMN_WAIT,
    COLUMN_VERDICT,
    COLUMN_NAMES, /* from here on not in text: operation, call site and communicator in one */
    COLUMN_PICTURE,
    COLUMN_COUNT
};

static const struct {
    struct syn_table_column text;
    const char *html; /* title in HTML */
    bool left;        /* in HTML */
    bool tight;       /* in text: no blank before the unit */
    unsigned by;      /* the key that --by must have for this column; 0: none */
} all_columns[COLUMN_COUNT] = {
    [COLUMN_OP] = {.text = {.title = "operation", .left = true}, .by = SYN_BY(SYN_KEY_OP)},
    [COLUMN_RANK] = {.text = {.title = "rank"}, .html = "rank", .by = SYN_BY(SYN_KEY_RANK)},
    [COLUMN_ROOT] = {.text = {.title = "root"},
                     .html = "root",
                     .left = true,
                     .by = SYN_BY(SYN_KEY_ROOT)},
    [COLUMN_NODE] = {.text = {.title = "node", .left = true},
                     .html = "node",
                     .left = true,
                     .by = SYN_BY(SYN_KEY_NODE)},
    [COLUMN_SITE] = {.text = {.title = "site", .left = true, .flexible = true, .width_min = 12},
                     .by = SYN_BY(SYN_KEY_SITE)},
    [COLUMN_COMM] = {.text = {.title = "communicator", .left = true, .optional = 2}},
    [COLUMN_COMM_NUMBER] = {.text = {.title = "on"}},
    [COLUMN_SIZE] = {.text = {.title = "np", .optional = 5},
                     .html = "ranks",
                     .by = SYN_BY(SYN_KEY_COMM)},
    [COLUMN_BYTES] = {.text = {.title = "bytes"},
                      .html = "bytes",
                      .tight = true,
                      .by = SYN_BY(SYN_KEY_BYTES)},
    [COLUMN_RUNS] = {.text = {.title = "runs", .optional = 1}, .html = "runs"},
    [COLUMN_TAU] = {.text = {.title = "quantile"}, .html = "quantile", .tight = true},
    [COLUMN_A] = {.text = {.title = "A"}, .html = "A", .tight = true},
    [COLUMN_B] = {.text = {.title = "B"}, .html = "B", .tight = true},
    [COLUMN_CHANGE] = {.text = {.title = "change"}, .html = "change", .tight = true},
    [COLUMN_INTERVAL] = {.text = {.title = "interval", .left = true},
                         .html = "interval",
                         .left = true},
    [COLUMN_SHOWS] = {.text = {.title = "shows"}, .tight = true},
    [COLUMN_P] = {.text = {.title = "p"}, .html = "p, adjusted", .left = true},
    [COLUMN_EFFECT] = {.text = {.title = "B>A", .optional = 4}, .html = "B&gt;A"},
    [COLUMN_WAIT] = {.text = {.title = "waiting", .left = true, .optional = 3},
                     .html = "waiting: A, B",
                     .left = true},
    [COLUMN_VERDICT] = {.text = {.title = "verdict", .left = true},
                        .html = "verdict",
                        .left = true},
    [COLUMN_NAMES] = {.html = "operation", .left = true},
    [COLUMN_PICTURE] = {.html = "B/A, logarithmic", .left = true},
};

/* The columns of a page, from left to right, up to COLUMN_COUNT. Text has its columns in the order
 * of the enum. */
static const enum column of_html_groups[] = {
    COLUMN_VERDICT, COLUMN_NAMES,  COLUMN_RANK,     COLUMN_ROOT,    COLUMN_NODE, COLUMN_SIZE,
    COLUMN_BYTES,   COLUMN_CHANGE, COLUMN_INTERVAL, COLUMN_PICTURE, COLUMN_A,    COLUMN_B,
    COLUMN_RUNS,    COLUMN_P,      COLUMN_EFFECT,   COLUMN_WAIT,    COLUMN_COUNT};
static const enum column of_html_quantiles[] = {
    COLUMN_NAMES,    COLUMN_RANK, COLUMN_ROOT,    COLUMN_NODE, COLUMN_SIZE,
    COLUMN_BYTES,    COLUMN_TAU,  COLUMN_A,       COLUMN_B,    COLUMN_CHANGE,
    COLUMN_INTERVAL, COLUMN_P,    COLUMN_PICTURE, COLUMN_COUNT};
static const enum column of_markdown[] = {COLUMN_VERDICT, COLUMN_NAMES,    COLUMN_A, COLUMN_B,
                                          COLUMN_CHANGE,  COLUMN_INTERVAL, COLUMN_P, COLUMN_COUNT};

/* A group, or one of its quantiles. */
struct row {
    const struct syn_diff_group *group;
    const struct syn_diff_quantile *quantile; /* NULL: the row is of the group */
    struct syn_shift ratio;
};

#define ANY_VERDICT ~0u

struct table {
    const struct syn_diff *diff;
    struct syn_doc *doc;
    bool many_comms;     /* the groups have different communicators */
    size_t *comm_number; /* [groups], owned: numbers in place of names; NULL: names */
    unsigned verdicts;   /* of its groups: 1 << enum syn_verdict, combined */
    bool quantiles;
    struct row *row; /* [count], owned */
    size_t count;
    size_t found, left_out; /* groups of these verdicts, and those of them that --top leaves out */
    double reach;           /* largest logarithm of a ratio that the pictures have to show */
    enum syn_diff_scale scale; /* of changes and intervals */
    enum column column[COLUMN_COUNT];
    size_t column_count;
};

/* ---- columns and rows ---- */

/* Says whether the text has this column, if --by has its key. */
static bool is_in_text(const struct table *table, enum column column)
{
    const bool is_tested = table->verdicts != 1u << SYN_VERDICT_TOO_FEW_RUNS;
    switch (column) {
    case COLUMN_COMM:
        return table->many_comms && !table->comm_number;
    case COLUMN_COMM_NUMBER:
        return table->comm_number != NULL;
    case COLUMN_SIZE:
    case COLUMN_RUNS:
        return !table->quantiles;
    case COLUMN_TAU:
        return table->quantiles;
    case COLUMN_SHOWS:
        return table->verdicts == 1u << SYN_VERDICT_INDISTINGUISHABLE;
    case COLUMN_P:
        return is_tested;
    case COLUMN_EFFECT:
        return is_tested && !table->quantiles;
    case COLUMN_WAIT:
        return table->diff->options.metric != SYN_DIFF_WAIT_SHARE && !table->quantiles;
    case COLUMN_VERDICT:
        return table->verdicts == ANY_VERDICT && !table->quantiles;
    default:
        return true;
    }
}

/* Finds the columns, the rows, and the scales for all rows, of the groups with these verdicts. */
static void find_rows(struct table *table, unsigned verdicts, bool quantiles)
{
    const struct syn_diff *diff = table->diff;
    const bool is_html = table->doc->format == SYN_DOC_HTML;
    const size_t top = is_html ? 0 : diff->options.top;
    const size_t a_group = quantiles ? diff->options.tau_count : 1;
    table->verdicts = verdicts;
    table->quantiles = quantiles;
    table->count = table->found = table->left_out = 0;
    table->reach = 0.01;
    table->scale = SYN_SCALE_PERCENT;
    const bool is_text = table->doc->format == SYN_DOC_TEXT;
    const enum column *of_page = table->doc->format == SYN_DOC_MARKDOWN ? of_markdown
                                 : table->quantiles                     ? of_html_quantiles
                                                                        : of_html_groups;
    const size_t last = is_text ? COLUMN_NAMES : COLUMN_COUNT;
    table->column_count = 0;
    for (size_t c = 0; c < last && (is_text || of_page[c] != COLUMN_COUNT); c++) {
        const enum column column = is_text ? (enum column)c : of_page[c];
        const unsigned by = all_columns[column].by;
        if ((!by || (table->diff->options.by & by)) && (!is_text || is_in_text(table, column)))
            table->column[table->column_count++] = column;
    }
    free(table->row);
    table->row = malloc((diff->count * a_group + 1) * sizeof *table->row);
    table->doc->failed |= !table->row;
    for (size_t i = 0; i < diff->count && table->row; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        if (!(verdicts >> group->verdict & 1))
            continue;
        table->left_out += top && table->found >= top;
        table->found++;
        for (size_t j = 0; j < a_group; j++) {
            struct row row = {group, NULL, group->ratio};
            if (quantiles) {
                row.quantile = &group->quantile[j];
                row.ratio = syn_diff_quantile_ratio(row.quantile);
            }
            bool is_shown = table->left_out == 0;
            if (is_shown && row.ratio.low > 0 && isfinite(row.ratio.high))
                table->reach =
                    fmax(table->reach, fmax(fabs(log(row.ratio.low)), fabs(log(row.ratio.high))));
            if (is_shown || table->doc->format == SYN_DOC_MARKDOWN)
                table->scale = syn_diff_scale_with(table->scale, &row.ratio);
            if (is_shown)
                table->row[table->count++] = row;
        }
    }
    /* In HTML the reach of the pictures decides: an interval without a picture does not count. */
    const struct syn_shift farthest = {.estimate = exp(table->reach), .low = NAN, .high = NAN};
    if (is_html)
        table->scale = syn_diff_scale_with(SYN_SCALE_PERCENT, &farthest);
}

/* ---- cells ---- */

/* Writes p: in text the stars, if there are any. */
static void write_p(const struct table *table, const struct row *row, struct syn_text *out)
{
    const bool is_within_runs = !row->quantile && row->group->ratio_within_runs;
    const double p = is_within_runs  ? NAN
                     : row->quantile ? row->quantile->p_adjusted
                                     : row->group->p_adjusted;
    const char *stars = syn_stars(p);
    if (table->doc->format == SYN_DOC_MARKDOWN && !is_within_runs)
        syn_words(out, "{p}", p);
    else if (!isfinite(p))
        syn_text_char(out, '-');
    else if (table->doc->format == SYN_DOC_HTML)
        syn_words(out, "{number.2g} {text}", p, stars);
    else if (stars[0])
        syn_text_string(out, stars);
    else
        syn_words(out, "{number.2}", p);
}

/* Writes, in text, "12>14%*", from A to B; one figure if both round to the same number. */
static void write_wait(const struct table *table, const struct syn_diff_wait *wait,
                       struct syn_text *out)
{
    char a[8], b[8];
    const char *stars = syn_diff_wait_stars(wait);
    if (table->doc->format == SYN_DOC_HTML) {
        syn_words(out, "{share}, {share} {text}", wait->a, wait->b, stars);
        return;
    }
    if (!isfinite(wait->a) || !isfinite(wait->b)) {
        syn_text_char(out, '-');
        return;
    }
    const bool close = stars[0] && fabs(wait->b - wait->a) < 0.01;
    snprintf(a, sizeof a, "%.*f", close, 100 * wait->a);
    snprintf(b, sizeof b, "%.*f", close, 100 * wait->b);
    if (strcmp(a, b) == 0)
        syn_words(out, "{text}%{text}", a, stars);
    else
        syn_words(out, "{text}>{text}%{text}", a, b, stars);
}

static void write_value(const struct table *table, const struct row *row, bool of_b,
                        struct syn_text *out)
{
    const struct syn_diff_quantile *quantile = row->quantile;
    char words[SYN_UNIT_BYTES];
    if (!quantile)
        syn_text_string(out,
                        syn_diff_value(words, table->diff, of_b ? &row->group->b : &row->group->a));
    else if (isfinite(quantile->p_adjusted))
        syn_words(out, "{time}", of_b ? quantile->b : quantile->a);
    else
        syn_words(out, "{time}", quantile->pooled.intercept + (of_b ? quantile->pooled.effect : 0));
}

static void write_number(int64_t number, struct syn_text *out)
{
    if (number < 0)
        syn_text_char(out, '-');
    else
        syn_words(out, "{n}", number);
}

static void write_words(const struct table *table, const struct row *row, enum column column,
                        struct syn_text *out)
{
    const struct syn_diff_group *group = row->group;
    const bool is_html = table->doc->format == SYN_DOC_HTML;
    char words[2 * SYN_UNIT_BYTES];
    if (column == COLUMN_OP)
        syn_text_string(out, syn_unit_op(group->op));
    else if (column == COLUMN_RANK)
        write_number(group->rank, out);
    else if (column == COLUMN_ROOT)
        write_number(group->root, out);
    else if (column == COLUMN_NODE)
        syn_words(out, "{text}", group->node);
    else if (column == COLUMN_SITE)
        syn_text_string(out, group->a.site);
    else if (column == COLUMN_COMM)
        syn_unit_tail(out, group->a.comm,
                      table->doc->terminal->width < WIDTH_OF_COMM_NAMES ? 14 : 40);
    else if (column == COLUMN_COMM_NUMBER)
        syn_words(out, "{n}", table->comm_number[group - table->diff->group]);
    else if (column == COLUMN_SIZE && is_html)
        syn_words(out, "{count}", group->comm_size);
    else if (column == COLUMN_SIZE)
        write_number((int64_t)group->comm_size, out);
    else if (column == COLUMN_BYTES)
        syn_words(out, "{bytes}", group->bytes);
    else if (column == COLUMN_RUNS)
        syn_words(out, "{n}{text}{n}", group->a.run_count, is_html ? ", " : "+",
                  group->b.run_count);
    else if (column == COLUMN_TAU)
        syn_words(out, "{number.4g} %", 100 * row->quantile->tau);
    else if (column == COLUMN_A || column == COLUMN_B)
        write_value(table, row, column == COLUMN_B, out);
    else if (column == COLUMN_CHANGE)
        syn_text_string(out, syn_diff_change(words, row->ratio.estimate, table->scale));
    else if (column == COLUMN_INTERVAL)
        syn_text_string(out,
                        syn_diff_interval(words, row->ratio.low, row->ratio.high, table->scale));
    else if (column == COLUMN_SHOWS)
        syn_text_string(out, syn_diff_change(words, group->detectable_slower, table->scale));
    else if (column == COLUMN_P)
        write_p(table, row, out);
    else if (column == COLUMN_EFFECT)
        syn_words(out, "{number.2}", group->vargha_delaney_a);
    else if (column == COLUMN_WAIT)
        write_wait(table, &group->wait, out);
    else if (column == COLUMN_VERDICT)
        syn_text_string(out, syn_verdict_text(group->verdict));
    else /* COLUMN_NAMES */
        syn_diff_group_name(group, out);
}

/* ---- HTML ---- */

static double place(double ratio, double reach)
{
    return PICTURE_WIDTH / 2.0 * (1 + log(ratio) / (1.05 * reach));
}

static void write_html_cell(const struct table *table, const struct row *row, enum column column,
                            struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    if (column == COLUMN_NAMES) {
        /* The operation, and below it the call site. */
        const struct syn_diff_group *group = row->group;
        syn_text_string(out, "<td class='l names'>");
        syn_html_escape(out, group->op);
        syn_text_string(out, "<small>");
        if (table->diff->options.by & SYN_BY(SYN_KEY_SITE))
            syn_html_place(out, group->a.site);
        if (table->many_comms)
            syn_html_between(out, " on ", group->a.comm, "");
        syn_text_string(out, "</small></td>");
        return;
    }
    if (column == COLUMN_PICTURE) {
        const struct syn_shift *ratio = &row->ratio;
        double reach = table->reach;
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
        return;
    }
    write_words(table, row, column, &words);
    if (column == COLUMN_RANK || column == COLUMN_ROOT || column == COLUMN_TAU)
        syn_text_format(out, "<td%s>%s</td>", all_columns[column].left ? " class=l" : "",
                        syn_text_chars(&words));
    else
        syn_html_cell(out, syn_text_chars(&words), all_columns[column].left);
    out->failed |= words.failed;
}

static void write_html(const struct table *table, const char *label)
{
    struct syn_text *out = syn_doc_draw(table->doc);
    syn_text_format(out, "<div class=wide tabindex=0 role=region aria-label='%s'><table%s><tr>",
                    label, table->quantiles ? "" : " class=groups><thead");
    for (size_t c = 0; c < table->column_count; c++) {
        enum column column = table->column[c];
        char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
        const bool is_range = column == COLUMN_PICTURE && !table->quantiles;
        syn_text_format(out, "<th%s>%s",
                        is_range                   ? " class='l names'"
                        : all_columns[column].left ? " class=l"
                                                   : "",
                        all_columns[column].html);
        if (is_range)
            syn_text_format(out, ", %s .. %s",
                            syn_diff_change(low, exp(-1.05 * table->reach), table->scale),
                            syn_diff_change(high, exp(1.05 * table->reach), table->scale));
        if (column == COLUMN_NAMES && (table->diff->options.by & SYN_BY(SYN_KEY_SITE)))
            syn_text_string(out, ", site");
        if (column == COLUMN_INTERVAL && (table->quantiles || table->scale == SYN_SCALE_PERCENT))
            syn_text_string(out, ", %");
    }
    syn_text_string(out, table->quantiles ? "</tr>\n" : "</tr></thead>\n<tbody>\n");
    for (size_t r = 0; r < table->count; r++) {
        syn_text_string(out, "<tr>");
        for (size_t c = 0; c < table->column_count; c++)
            write_html_cell(table, &table->row[r], table->column[c], out);
        syn_text_string(out, "</tr>\n");
    }
    syn_text_string(out, "</table></div>\n");
}

/* ---- Markdown ---- */

static void write_markdown(const struct table *table)
{
    static const struct syn_table_column columns[] = {{.title = "verdict", .left = true},
                                                      {.title = "group", .left = true},
                                                      {.title = "A"},
                                                      {.title = "B"},
                                                      {.title = "change"},
                                                      {.title = "interval", .left = true},
                                                      {.title = "p", .left = true}};
    syn_doc_table(table->doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t r = 0; r < table->count; r++)
        for (size_t c = 0; c < table->column_count; c++)
            write_words(table, &table->row[r], table->column[c],
                        syn_doc_begin(table->doc, SYN_DOC_CELL));
    if (table->left_out)
        syn_say(table->doc, "{n} more group{s} (--top 0 shows all).", table->left_out);
}

/* Shows changed groups in a table, and folds the others up. */
static void fold_groups(struct table *table)
{
    const unsigned changes =
        1u << SYN_VERDICT_SLOWER | 1u << SYN_VERDICT_FASTER | 1u << SYN_VERDICT_UNCLEAR;
    find_rows(table, changes, false);
    const size_t others = table->diff->count - table->found;
    if (table->found) {
        syn_text_char(syn_doc_draw(table->doc), '\n');
        write_markdown(table);
    }
    if (others == 0)
        return;
    syn_words(syn_doc_draw(table->doc), "\n<details><summary>{n} other group{s}</summary>\n\n",
              others);
    find_rows(table, ~changes, false);
    write_markdown(table);
    syn_text_string(syn_doc_draw(table->doc), "\n</details>\n");
}

/* ---- text ---- */

static void write_text(const struct table *table)
{
    struct syn_table_column columns[COLUMN_COUNT];
    for (size_t c = 0; c < table->column_count; c++) {
        columns[c] = all_columns[table->column[c]].text;
        if (table->column[c] == COLUMN_SITE &&
            table->comm_number) /* make room for one more column */
            columns[c].width_min = 10;
    }
    struct syn_table *rows = syn_table_new(columns, table->column_count);
    for (size_t r = 0; r < table->count; r++)
        for (size_t c = 0; c < table->column_count; c++) {
            SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
            write_words(table, &table->row[r], table->column[c], &words);
            syn_text_char(&words, '\0');
            if (all_columns[table->column[c]].tight && !words.failed)
                syn_unit_tight(words.data);
            syn_table_cell(rows, words.failed ? NULL : words.data);
        }
    syn_table_write(rows, table->doc->terminal, syn_doc_draw(table->doc));
    syn_table_free(rows);
    if (table->left_out)
        syn_say_line(table->doc, "and {n} more (--top 0 shows all)", table->left_out);
}

static void write_verdict(struct table *table, enum syn_verdict verdict)
{
    static const char *const meaning[] = {
        [SYN_VERDICT_SLOWER] = "significant; the whole interval is above the threshold",
        [SYN_VERDICT_FASTER] = "significant; the whole interval is below the threshold",
        [SYN_VERDICT_UNCLEAR] = "significant, but the change may be within the threshold",
        [SYN_VERDICT_TOO_FEW_RUNS] =
            "the interval holds within these runs; other runs may differ by more",
        [SYN_VERDICT_INDISTINGUISHABLE] =
            "no difference shown; 'shows': the least slowdown that these runs could have shown",
        [SYN_VERDICT_EQUIVALENT] =
            "the change is within the threshold, or within what the clocks can tell"};
    const struct syn_diff *diff = table->diff;
    struct syn_doc *doc = table->doc;
    const char *name = syn_verdict_text(verdict);
    const char initial[] = {(char)(name[0] - 'a' + 'A'), '\0'};
    const size_t count = diff->verdict_count[verdict];
    if (count == 0)
        return;
    syn_say_heading(doc, "{text}{text} ({n})", initial, name + 1, count);
    syn_say_note(doc, "{text}", meaning[verdict]);
    if (verdict == SYN_VERDICT_INDISTINGUISHABLE) {
        /* A difference that is not shown is no proof of equivalence: write the runs which that
         * takes. */
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < diff->count; i++) {
            double runs = diff->group[i].runs_for_equivalence;
            if (isnan(runs))
                continue;
            least = fmin(least, runs);
            most = fmax(most, runs);
        }
        if (most != 0) {
            syn_say_note(doc,
                         "to show that they differ by no more than the threshold takes about ");
            if (least < most)
                syn_say_more(doc, "{number.0} to ", least);
            syn_say_more(doc, "{number.0} runs a side", most);
        }
    }
    find_rows(table, 1u << verdict, false);
    write_text(table);
}

static void write_quantiles(struct table *table)
{
    const struct syn_diff *diff = table->diff;
    if (diff->options.tau_count == 0 || diff->count == 0)
        return;
    syn_doc_heading(table->doc, "Other quantiles");
    if (diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS] < diff->count)
        syn_say_note(table->doc,
                     "each run's own quantile, compared as the medians are; p adjusted over "
                     "all groups and quantiles");
    else
        syn_say_note(table->doc, "quantile regression on all instances; the interval is that "
                                 "within these runs, others may differ by more");
    find_rows(table, ANY_VERDICT, true);
    write_text(table);
}

/* ---- communicators by number ---- */

/* Says whether groups differ in no other shown key than their communicators. */
static bool comms_distinguish(const struct syn_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *a = &diff->group[i];
        for (size_t j = i + 1; j < diff->count; j++) {
            const struct syn_diff_group *b = &diff->group[j];
            if (a->bytes == b->bytes && a->rank == b->rank && a->root == b->root &&
                syn_same_text(a->op, b->op) && syn_same_text(a->node, b->node) &&
                syn_same_text(a->a.site, b->a.site))
                return true;
        }
    }
    return false;
}

/* Numbers the communicators from 1, in the order of the groups: number [groups]. Returns 0 or
 * SYN_ENOMEM. */
static int number_comms(const struct syn_diff *diff, size_t *number)
{
    SYN_FREED size_t *first = malloc((diff->count + 1) * sizeof *first);
    size_t count = 0;
    if (!first)
        return SYN_ENOMEM;
    for (size_t i = 0; i < diff->count; i++) {
        size_t n = 0;
        while (n < count && !syn_same_text(diff->group[first[n]].a.comm, diff->group[i].a.comm))
            n++;
        if (n == count)
            first[count++] = i;
        number[i] = n + 1;
    }
    return SYN_OK;
}

/* ---- sections ---- */

/* Begins a table. Names of communicators are shown only if they differ. */
static struct table start(struct syn_doc *doc, const struct syn_diff *diff)
{
    struct table table = {.diff = diff, .doc = doc};
    for (size_t i = 1; i < diff->count && (diff->options.by & SYN_BY(SYN_KEY_COMM)); i++)
        table.many_comms |= strcmp(diff->group[i].a.comm, diff->group[0].a.comm) != 0;
    return table;
}

void syn_diff_groups(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct table table = start(doc, diff);
    if (doc->format == SYN_DOC_HTML) {
        find_rows(&table, ANY_VERDICT, false);
        write_html(&table, "Table of groups");
    } else if (doc->format == SYN_DOC_MARKDOWN) {
        fold_groups(&table);
    } else {
        if (table.many_comms && doc->terminal->width < WIDTH_OF_COMM_NAMES &&
            comms_distinguish(diff)) {
            table.comm_number = calloc(diff->count + 1, sizeof *table.comm_number);
            if (!table.comm_number || number_comms(diff, table.comm_number) != SYN_OK)
                doc->failed = true;
        }
        /* A table for each verdict, or one table. */
        static const enum syn_verdict order[] = {SYN_VERDICT_SLOWER,
                                                 SYN_VERDICT_FASTER,
                                                 SYN_VERDICT_UNCLEAR,
                                                 SYN_VERDICT_TOO_FEW_RUNS,
                                                 SYN_VERDICT_INDISTINGUISHABLE,
                                                 SYN_VERDICT_EQUIVALENT};
        if (table.diff->options.order == SYN_ORDER_VERDICT) {
            for (size_t i = 0; i < sizeof order / sizeof *order; i++)
                write_verdict(&table, order[i]);
        } else if (table.diff->count) {
            syn_say_heading(table.doc, "All groups ({n})", table.diff->count);
            find_rows(&table, ANY_VERDICT, false);
            write_text(&table);
        }
        write_quantiles(&table);
        if (table.comm_number) {
            /* A line for each communicator that has a number. */
            size_t named = 0;
            syn_say_line(table.doc, "");
            for (size_t i = 0; i < table.diff->count; i++) {
                if (table.comm_number[i] <= named)
                    continue;
                named = table.comm_number[i];
                syn_say_line(table.doc, "{text}{n:-3}{text}", named == 1 ? "on = " : "     ", named,
                             table.diff->group[i].a.comm);
            }
        }
    }
    free(table.comm_number);
    free(table.row);
}

void syn_diff_html_other_quantiles(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct table table = start(doc, diff);
    if (diff->options.tau_count == 0 || diff->count == 0)
        return;
    syn_text_string(syn_doc_draw(doc),
                    "<h2>Other quantiles</h2>\n<p class=quiet>Each run's own quantile, compared as "
                    "the medians are; where the runs are too few for that, quantile regression on "
                    "all instances, whose interval is that within these runs.</p>\n");
    find_rows(&table, ANY_VERDICT, true);
    write_html(&table, "Other quantiles");
    free(table.row);
}
