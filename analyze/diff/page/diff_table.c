/* analyze/diff/page/diff_table.c - the tables of the text: groups, and their quantiles. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/page/diff_table.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"

enum column {
    COLUMN_OP,
    COLUMN_RANK,
    COLUMN_ROOT,
    COLUMN_NODE,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_COMM_NUMBER, /* explained with the words, where there is no room for names */
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
    COLUMN_COUNT
};

static const struct syn_table_column all_columns[COLUMN_COUNT] = {
    [COLUMN_OP] = {.title = "operation", .left = true},
    [COLUMN_RANK] = {.title = "rank"},
    [COLUMN_ROOT] = {.title = "root"},
    [COLUMN_NODE] = {.title = "node", .left = true},
    [COLUMN_SITE] = {.title = "site", .left = true, .flexible = true, .width_min = 12},
    [COLUMN_COMM] = {.title = "communicator", .left = true, .optional = 2},
    [COLUMN_COMM_NUMBER] = {.title = "on"},
    [COLUMN_SIZE] = {.title = "np", .optional = 5},
    [COLUMN_BYTES] = {.title = "bytes"},
    [COLUMN_RUNS] = {.title = "runs", .optional = 1},
    [COLUMN_TAU] = {.title = "quantile"},
    [COLUMN_A] = {.title = "A"},
    [COLUMN_B] = {.title = "B"},
    [COLUMN_CHANGE] = {.title = "change"},
    [COLUMN_INTERVAL] = {.title = "interval", .left = true},
    [COLUMN_SHOWS] = {.title = "shows"},
    [COLUMN_P] = {.title = "p"},
    [COLUMN_EFFECT] = {.title = "B>A", .optional = 4},
    [COLUMN_WAIT] = {.title = "waiting", .left = true, .optional = 3},
    [COLUMN_VERDICT] = {.title = "verdict", .left = true},
};

/* One table of them: which groups, and what else sets it apart. */
struct table {
    int verdict; /* of these groups; -1: of all */
    bool quantiles;
    enum syn_diff_scale scale; /* of changes and intervals */
};

static bool has_key(const struct syn_diff_tables *to, enum syn_key key)
{
    return (to->diff->options.by & SYN_BY(key)) != 0;
}

static bool has_column(const struct syn_diff_tables *to, const struct table *table,
                       enum column column)
{
    switch (column) {
    case COLUMN_OP:
        return has_key(to, SYN_KEY_OP);
    case COLUMN_RANK:
        return has_key(to, SYN_KEY_RANK);
    case COLUMN_ROOT:
        return has_key(to, SYN_KEY_ROOT);
    case COLUMN_NODE:
        return has_key(to, SYN_KEY_NODE);
    case COLUMN_SITE:
        return has_key(to, SYN_KEY_SITE);
    case COLUMN_COMM:
        return has_key(to, SYN_KEY_COMM) && to->many_comms && !to->comm_number;
    case COLUMN_COMM_NUMBER:
        return to->comm_number != NULL;
    case COLUMN_SIZE:
        return has_key(to, SYN_KEY_COMM) && !table->quantiles;
    case COLUMN_BYTES:
        return has_key(to, SYN_KEY_BYTES);
    case COLUMN_RUNS:
        return !table->quantiles;
    case COLUMN_TAU:
        return table->quantiles;
    case COLUMN_SHOWS:
        return table->verdict == SYN_VERDICT_INDISTINGUISHABLE;
    case COLUMN_P:
        return table->verdict != SYN_VERDICT_TOO_FEW_RUNS;
    case COLUMN_EFFECT:
        return table->verdict != SYN_VERDICT_TOO_FEW_RUNS && !table->quantiles;
    case COLUMN_WAIT:
        return to->diff->options.metric != SYN_DIFF_WAIT_SHARE && !table->quantiles;
    case COLUMN_VERDICT:
        return table->verdict < 0 && !table->quantiles;
    default:
        return true;
    }
}

/* ---- cells ---- */

/* Their figures are words already, but for the blank before a unit. */
static void add_tight(struct syn_table *rows, char *words)
{
    syn_unit_tight(words);
    syn_table_cell(rows, words);
}

/* The stars where there are any, else p. */
static void add_p(struct syn_table *rows, double p)
{
    const char *stars = syn_stars(p);
    if (stars[0])
        syn_table_cell(rows, stars);
    else if (isfinite(p))
        syn_table_say(rows, "{number.2}", p);
    else
        syn_table_cell(rows, "-");
}

/* "12>14%*": from A to B; one figure where they round to the same and nothing is claimed. */
static void add_wait(struct syn_table *rows, const struct syn_diff_wait *wait)
{
    char a[8], b[8];
    if (!isfinite(wait->a) || !isfinite(wait->b)) {
        syn_table_cell(rows, "-");
        return;
    }
    const char *stars = syn_diff_wait_stars(wait);
    bool close = stars[0] && fabs(wait->b - wait->a) < 0.01;
    snprintf(a, sizeof a, "%.*f", close, 100 * wait->a);
    snprintf(b, sizeof b, "%.*f", close, 100 * wait->b);
    if (strcmp(a, b) == 0)
        syn_table_say(rows, "{text}%{text}", a, stars);
    else
        syn_table_say(rows, "{text}>{text}%{text}", a, b, stars);
}

static void add_number(struct syn_table *rows, int64_t number)
{
    if (number < 0)
        syn_table_cell(rows, "-");
    else
        syn_table_say(rows, "{n}", number);
}

static void add_quantile(struct syn_table *rows, const struct syn_diff_quantile *quantile,
                         enum syn_diff_scale scale, enum column column)
{
    const bool over_runs = isfinite(quantile->p_adjusted);
    const struct syn_quantile_effect *pooled = &quantile->pooled;
    const struct syn_shift ratio = syn_diff_quantile_ratio(quantile);
    char words[2 * SYN_UNIT_BYTES];
    if (column == COLUMN_TAU)
        syn_table_say(rows, "{number.4g}%", 100 * quantile->tau);
    else if (column == COLUMN_A)
        syn_table_say(rows, "{time~}", over_runs ? quantile->a : pooled->intercept);
    else if (column == COLUMN_B)
        syn_table_say(rows, "{time~}",
                      over_runs ? quantile->b : pooled->intercept + pooled->effect);
    else if (column == COLUMN_CHANGE)
        add_tight(rows, (char *)syn_diff_change(words, ratio.estimate, scale));
    else if (column == COLUMN_INTERVAL)
        syn_table_cell(rows, syn_diff_interval(words, ratio.low, ratio.high, scale));
    else /* COLUMN_P */
        add_p(rows, quantile->p_adjusted);
}

static void add_cell(struct syn_table *rows, const struct syn_diff_tables *to,
                     const struct table *table, const struct syn_diff_group *group,
                     const struct syn_diff_quantile *quantile, enum column column)
{
    if (column == COLUMN_OP)
        syn_table_cell(rows, strncmp(group->op, "MPI_", 4) == 0 ? group->op + 4 : group->op);
    else if (column == COLUMN_NODE)
        syn_table_cell(rows, group->node ? group->node : "-");
    else if (column == COLUMN_SITE)
        syn_table_cell(rows, group->a.site);
    else if (column == COLUMN_COMM) {
        struct syn_text shown = {0};
        syn_unit_tail(&shown, group->a.comm, to->doc->terminal->width < 120 ? 14 : 40);
        syn_table_cell(rows, syn_text_chars(&shown));
        syn_text_free(&shown);
    } else if (column == COLUMN_COMM_NUMBER)
        syn_table_say(rows, "{n}", to->comm_number[group - to->diff->group]);
    else if (column == COLUMN_RANK)
        add_number(rows, group->rank);
    else if (column == COLUMN_ROOT)
        add_number(rows, group->root);
    else if (column == COLUMN_SIZE)
        add_number(rows, (int64_t)group->comm_size);
    else if (column == COLUMN_BYTES)
        syn_table_say(rows, "{bytes~}", group->bytes);
    else if (quantile)
        add_quantile(rows, quantile, table->scale, column);
    else {
        char words[2 * SYN_UNIT_BYTES];
        if (column == COLUMN_RUNS)
            syn_table_say(rows, "{n}+{n}", group->a.run_count, group->b.run_count);
        else if (column == COLUMN_A || column == COLUMN_B)
            add_tight(rows, (char *)syn_diff_value(words, to->diff,
                                                   column == COLUMN_A ? &group->a : &group->b));
        else if (column == COLUMN_CHANGE)
            add_tight(rows, (char *)syn_diff_change(words, group->ratio.estimate, table->scale));
        else if (column == COLUMN_INTERVAL)
            syn_table_cell(
                rows, syn_diff_interval(words, group->ratio.low, group->ratio.high, table->scale));
        else if (column == COLUMN_SHOWS)
            add_tight(rows, (char *)syn_diff_change(words, group->detectable_slower, table->scale));
        else if (column == COLUMN_P)
            add_p(rows, group->ratio_within_runs ? NAN : group->p_adjusted);
        else if (column == COLUMN_WAIT)
            add_wait(rows, &group->wait);
        else if (column == COLUMN_VERDICT)
            syn_table_cell(rows, syn_verdict_text(group->verdict));
        else /* COLUMN_EFFECT */
            syn_table_say(rows, "{number.2}", group->vargha_delaney_a);
    }
}

/* ---- communicators by number ---- */

bool syn_diff_comms_tell_apart(const struct syn_diff *diff)
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

int syn_diff_number_comms(const struct syn_diff *diff, size_t *number)
{
    size_t count = 0, *first = malloc((diff->count + 1) * sizeof *first);
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
    free(first);
    return SYN_OK;
}

void syn_diff_comm_names(const struct syn_diff_tables *to)
{
    size_t named = 0;
    syn_say_line(to->doc, "");
    for (size_t i = 0; i < to->diff->count; i++) {
        if (to->comm_number[i] <= named)
            continue;
        named = to->comm_number[i];
        syn_say_line(to->doc, "{text}{n:-3}{text}", named == 1 ? "on = " : "     ", named,
                     to->diff->group[i].a.comm);
    }
}

/* ---- tables ---- */

static void add_row(struct syn_table *rows, const struct syn_diff_tables *to,
                    const struct table *table, const struct syn_diff_group *group,
                    const struct syn_diff_quantile *quantile)
{
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (has_column(to, table, (enum column)c))
            add_cell(rows, to, table, group, quantile, (enum column)c);
}

/* The groups that a table shows, in their order; *found: how many it would without --top. */
static bool is_shown(const struct syn_diff_tables *to, const struct table *table, size_t i,
                     size_t *found)
{
    const size_t top = to->diff->options.top;
    if (table->verdict >= 0 && (int)to->diff->group[i].verdict != table->verdict)
        return false;
    ++*found;
    return top == 0 || *found <= top;
}

static enum syn_diff_scale scale_of(const struct syn_diff_tables *to, const struct table *table)
{
    enum syn_diff_scale scale = SYN_SCALE_PERCENT;
    size_t found = 0;
    for (size_t i = 0; i < to->diff->count; i++) {
        const struct syn_diff_group *group = &to->diff->group[i];
        if (!is_shown(to, table, i, &found))
            continue;
        if (!table->quantiles)
            scale = syn_diff_scale_with(scale, &group->ratio);
        for (size_t j = 0; table->quantiles && j < to->diff->options.tau_count; j++) {
            const struct syn_shift ratio = syn_diff_quantile_ratio(&group->quantile[j]);
            scale = syn_diff_scale_with(scale, &ratio);
        }
    }
    return scale;
}

static void write_table(const struct syn_diff_tables *to, struct table table)
{
    struct syn_table_column columns[COLUMN_COUNT];
    size_t column_count = 0, found = 0, top = to->diff->options.top;
    table.scale = scale_of(to, &table);
    for (int c = 0; c < COLUMN_COUNT; c++) {
        if (!has_column(to, &table, (enum column)c))
            continue;
        columns[column_count] = all_columns[c];
        if (c == COLUMN_SITE && to->comm_number) /* room for one column more */
            columns[column_count].width_min = 10;
        column_count++;
    }
    struct syn_table *rows = syn_table_new(columns, column_count);
    for (size_t i = 0; i < to->diff->count; i++)
        if (is_shown(to, &table, i, &found)) {
            const struct syn_diff_group *group = &to->diff->group[i];
            if (!table.quantiles)
                add_row(rows, to, &table, group, NULL);
            for (size_t j = 0; table.quantiles && j < to->diff->options.tau_count; j++)
                add_row(rows, to, &table, group, &group->quantile[j]);
        }
    syn_table_write(rows, to->doc->terminal, syn_doc_draw(to->doc));
    if (top && found > top)
        syn_say_line(to->doc, "and {n} more (--top 0 shows all)", found - top);
    syn_table_free(rows);
}

static void write_section(const struct syn_diff_tables *to, enum syn_verdict verdict)
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
    const struct table table = {.verdict = (int)verdict};
    const char *name = syn_verdict_text(verdict);
    const char initial[] = {(char)(name[0] - 'a' + 'A'), '\0'};
    const size_t count = to->diff->verdict_count[verdict];
    if (count == 0)
        return;
    syn_say_heading(to->doc, "{text}{text} ({n})", initial, name + 1, count);
    syn_say_note(to->doc, "{text}", meaning[verdict]);
    if (verdict == SYN_VERDICT_INDISTINGUISHABLE) {
        /* Not to differ by chance is no proof of being the same: what that would take. */
        double least = INFINITY, most = 0;
        for (size_t i = 0; i < to->diff->count; i++) {
            double runs = to->diff->group[i].runs_for_equivalence;
            if (isnan(runs))
                continue;
            least = fmin(least, runs);
            most = fmax(most, runs);
        }
        if (most != 0) {
            syn_say_note(to->doc,
                         "to show that they differ by no more than the threshold takes about ");
            if (least < most)
                syn_say_more(to->doc, "{number.0} to ", least);
            syn_say_more(to->doc, "{number.0} runs a side", most);
        }
    }
    write_table(to, table);
}

void syn_diff_tables(const struct syn_diff_tables *to)
{
    static const enum syn_verdict order[] = {SYN_VERDICT_SLOWER,
                                             SYN_VERDICT_FASTER,
                                             SYN_VERDICT_UNCLEAR,
                                             SYN_VERDICT_TOO_FEW_RUNS,
                                             SYN_VERDICT_INDISTINGUISHABLE,
                                             SYN_VERDICT_EQUIVALENT};
    static const struct table all = {.verdict = -1};
    if (to->diff->options.order == SYN_ORDER_VERDICT) {
        for (size_t i = 0; i < sizeof order / sizeof *order; i++)
            write_section(to, order[i]);
    } else if (to->diff->count) {
        syn_say_heading(to->doc, "All groups ({n})", to->diff->count);
        write_table(to, all);
    }
}

void syn_diff_quantile_table(const struct syn_diff_tables *to)
{
    static const struct table table = {.verdict = -1, .quantiles = true};
    if (to->diff->options.tau_count == 0 || to->diff->count == 0)
        return;
    syn_doc_heading(to->doc, "Other quantiles");
    if (to->diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS] < to->diff->count)
        syn_say_note(to->doc,
                     "each run's own quantile, compared as the medians are; p adjusted over "
                     "all groups and quantiles");
    else
        syn_say_note(to->doc, "quantile regression on all instances; the interval is that within "
                              "these runs, others may differ by more");
    write_table(to, table);
}
