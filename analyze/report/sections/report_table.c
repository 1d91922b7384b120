/* analyze/report/sections/report_table.c - writes the table of groups of the text report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/doc/say.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/integers.h"

enum column {
    COLUMN_OP,
    COLUMN_RANK,
    COLUMN_NODE,
    COLUMN_RUN,
    COLUMN_PHASE,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_COMM_LETTER, /* used if there is no room for names; a list below the table has these */
    COLUMN_SIZE,
    COLUMN_ROOT,
    COLUMN_BYTES,
    COLUMN_CALLS,
    COLUMN_MEDIAN,
    COLUMN_INTERVAL,
    COLUMN_P99,
    COLUMN_SPREAD,
    COLUMN_WAIT,
    COLUMN_TIME,
    COLUMN_LATE,
    COLUMN_COUNT
};

static const struct syn_table_column all_columns[COLUMN_COUNT] = {
    [COLUMN_OP] = {.title = "operation", .left = true},
    [COLUMN_RANK] = {.title = "rank"},
    [COLUMN_NODE] = {.title = "node", .left = true},
    [COLUMN_RUN] = {.title = "run"},
    [COLUMN_PHASE] = {.title = "phase", .left = true},
    [COLUMN_SITE] = {.title = "site", .left = true, .flexible = true, .width_min = 12},
    [COLUMN_COMM] = {.title = "communicator", .left = true},
    [COLUMN_COMM_LETTER] = {.title = "on"},
    [COLUMN_SIZE] = {.title = "np", .optional = 3},
    [COLUMN_ROOT] = {.title = "root"},
    [COLUMN_BYTES] = {.title = "bytes"},
    [COLUMN_CALLS] = {.title = "calls"},
    [COLUMN_MEDIAN] = {.title = "median"},
    [COLUMN_INTERVAL] = {.title = "its interval", .optional = 4},
    [COLUMN_P99] = {.title = "p99", .optional = 2},
    [COLUMN_SPREAD] = {.title = "spread", .optional = 1},
    [COLUMN_WAIT] = {.title = "wait", .optional = 7},
    [COLUMN_TIME] = {.title = "time"},
    [COLUMN_LATE] = {.title = "late", .optional = 5},
};

/* From this width on the table has the names of communicators. */
#define WIDE 120

/* ---- communicators, by letter ---- */

static uint64_t comm_at(const struct syn_report *report, size_t row)
{
    const struct syn_group *group = report->figures[report->order[row]].group;
    return group->comm.mixed ? UINT64_MAX : group->comm.value;
}

/* The communicators of the table, in the order of their first row. */
struct letters {
    uint64_t *comm; /* [count] */
    size_t count;
};

static size_t letter_of(const struct letters *letters, uint64_t comm)
{
    size_t i = 0;
    while (i < letters->count && letters->comm[i] != comm)
        i++;
    return i;
}

/* Writes "A" to "Z", then numbers, to bytes [24]. */
static const char *letter_name(size_t number, char *bytes)
{
    if (number < 26)
        snprintf(bytes, 24, "%c", (char)('A' + number));
    else
        snprintf(bytes, 24, "%zu", number + 1);
    return bytes;
}

/* Chooses the columns that are useful in this report. Returns how many. */
static size_t choose(const struct syn_report *report, bool many_comms,
                     const struct syn_terminal *terminal, enum column *chosen)
{
    unsigned by = report->options.by;
    bool comms = (by & SYN_BY(SYN_KEY_COMM)) && many_comms;
    bool wide = terminal->width >= WIDE;
    const bool wanted[COLUMN_COUNT] = {
        [COLUMN_OP] = true,
        [COLUMN_RANK] = by & SYN_BY(SYN_KEY_RANK),
        [COLUMN_NODE] = by & SYN_BY(SYN_KEY_NODE),
        [COLUMN_RUN] = by & SYN_BY(SYN_KEY_RUN),
        [COLUMN_PHASE] = by & SYN_BY(SYN_KEY_PHASE),
        [COLUMN_SITE] = by & SYN_BY(SYN_KEY_SITE),
        [COLUMN_COMM] = comms && wide,
        [COLUMN_COMM_LETTER] = comms && !wide,
        [COLUMN_SIZE] = true,
        [COLUMN_ROOT] = by & SYN_BY(SYN_KEY_ROOT),
        [COLUMN_BYTES] = true,
        [COLUMN_CALLS] = true,
        [COLUMN_MEDIAN] = true,
        [COLUMN_INTERVAL] = true,
        [COLUMN_P99] = true,
        [COLUMN_SPREAD] = true,
        [COLUMN_WAIT] = true,
        [COLUMN_TIME] = true,
        [COLUMN_LATE] = !(by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE))),
    };
    size_t count = 0;
    for (int c = 0; c < COLUMN_COUNT; c++)
        if (wanted[c])
            chosen[count++] = (enum column)c;
    return count;
}

/* ---- cells ---- */

static void add_time(struct syn_table *table, const struct syn_metric_figures *metric, double ns)
{
    if (metric->summary.n > 0 && ns < metric->clock_bound_ns)
        syn_table_say(table, "<{time~}", metric->clock_bound_ns);
    else
        syn_table_say(table, "{time~}", metric->summary.n > 0 ? ns : NAN);
}

/* Adds the median's interval: "13.1..17.0us", with both units if they differ. It accounts for
 * dependence between instances (syn_shown_interval). A median below the clocks' resolution has
 * none. */
static void add_interval(struct syn_table *table, const struct syn_report *report,
                         const struct syn_metric_figures *metric)
{
    const struct syn_summary *summary = &metric->summary;
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    double low_ns, high_ns;
    syn_shown_interval(report, summary, &low_ns, &high_ns);
    if (summary->n == 0 || !isfinite(low_ns) || syn_figures_below_clock(metric)) {
        syn_table_cell(table, "-");
        return;
    }
    syn_unit_time(low, low_ns);
    syn_unit_time(high, high_ns);
    const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');
    if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0)
        *strchr(low, ' ') = '\0';
    syn_unit_tight(low);
    syn_unit_tight(high);
    syn_table_say(table, "{text}..{text}", low, high);
}

static void add_number(struct syn_table *table, bool known, uint64_t value)
{
    if (known)
        syn_table_say(table, "{n}", value);
    else
        syn_table_cell(table, "*");
}

static const char *name_of(const struct syn_report *report, const struct syn_group *group,
                           enum column column)
{
    const char *name = NULL;
    if (column == COLUMN_OP)
        return syn_unit_op(syn_report_op(group));
    if (column == COLUMN_PHASE) {
        name = syn_report_phase(report, group);
        return name ? name[0] ? name : "-" : "*";
    }
    if (column == COLUMN_SITE)
        name = syn_report_site(report, group);
    else if (column == COLUMN_COMM)
        name = syn_report_comm(report, group);
    else if (group->key[SYN_KEY_NODE] != UINT64_MAX)
        name = syn_names_text(&report->names, (uint32_t)group->key[SYN_KEY_NODE]);
    return name ? name : "*";
}

static void add_key(struct syn_table *table, const struct syn_report *report,
                    const struct syn_group *group, enum column column)
{
    uint64_t value = 0;
    int32_t root = 0;
    bool known;
    switch (column) {
    case COLUMN_RANK:
        add_number(table, group->key[SYN_KEY_RANK] != UINT64_MAX, group->key[SYN_KEY_RANK]);
        break;
    case COLUMN_RUN:
        add_number(table, true, group->key[SYN_KEY_RUN]);
        break;
    case COLUMN_SIZE:
        known = syn_report_comm_size(group, &value);
        add_number(table, known, value);
        break;
    case COLUMN_ROOT:
        known = syn_report_root(group, &root);
        add_number(table, known, (uint64_t)(uint32_t)root);
        break;
    case COLUMN_BYTES:
        if (syn_report_bytes(group, &value))
            syn_table_say(table, "{bytes~}", value);
        else
            syn_table_cell(table, "*");
        break;
    default:
        syn_table_cell(table, name_of(report, group, column));
    }
}

static void add_figure(struct syn_table *table, const struct syn_report *report,
                       const struct syn_figures *figures, enum column column)
{
    const bool part = syn_group_is_part(figures->group);
    const struct syn_metric_figures *metric = figures->metric;
    const struct syn_metric_figures *main =
        &metric[part ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION];
    const struct syn_metric_figures *spread = &metric[part ? SYN_METRIC_WAIT : SYN_METRIC_SPREAD];
    const struct syn_rank_figures *latest = figures->latest;
    if (column == COLUMN_CALLS) {
        const uint64_t count = figures->group->instance_count - figures->skipped_count;
        if (count < 100000)
            syn_table_say(table, "{n}", count);
        else if (count < 9950000)
            syn_table_say(table, "{number.0}k", (double)count / 1e3);
        else
            syn_table_say(table, "{number.0}M", (double)count / 1e6);
    } else if (column == COLUMN_MEDIAN)
        add_time(table, main, main->summary.median);
    else if (column == COLUMN_INTERVAL)
        add_interval(table, report, main);
    else if (column == COLUMN_P99)
        add_time(table, main, main->summary.p99);
    else if (column == COLUMN_SPREAD)
        add_time(table, spread, spread->summary.median);
    else if (column == COLUMN_WAIT && figures->inside_ns > 0 && !syn_report_any_is_cut(report))
        syn_table_say(table, "{number.0}%", 100 * figures->waiting_ns / figures->inside_ns);
    else if (column == COLUMN_TIME)
        syn_table_say(table, "{time~}",
                      figures->rank_count ? figures->inside_ns / (double)figures->rank_count : NAN);
    else if (column == COLUMN_LATE && latest)
        syn_table_say(table, "{rank}:{number.0}%", latest->rank->rank,
                      100.0 * (double)latest->rank->last_count / (double)latest->n);
    else
        syn_table_cell(table, "-");
}

static void add_row(struct syn_table *table, const struct syn_report *report, size_t row,
                    const struct letters *letters, const enum column *chosen, size_t count)
{
    char letter[24];
    const struct syn_figures *figures = &report->figures[report->order[row]];
    for (size_t c = 0; c < count; c++) {
        if (chosen[c] == COLUMN_COMM_LETTER)
            syn_table_cell(table, letter_name(letter_of(letters, comm_at(report, row)), letter));
        else if (chosen[c] < COLUMN_CALLS)
            add_key(table, report, figures->group, chosen[c]);
        else
            add_figure(table, report, figures, chosen[c]);
    }
}

/* Returns the marks in the shown rows that need an explanation besides the columns' titles. */
static unsigned find_marks(const struct syn_report *report, size_t rows, bool comms, unsigned shown)
{
    unsigned marks = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        const bool part = syn_group_is_part(figures->group);
        const enum syn_metric spread = part ? SYN_METRIC_WAIT : SYN_METRIC_SPREAD;
        const char *comm = syn_report_comm(report, figures->group);
        if (comms && comm && strstr(comm, " @"))
            marks |= SYN_TABLE_PARTS;
        if (syn_figures_below_clock(syn_figures_main(figures)) ||
            ((shown & SYN_TABLE_SPREAD) && syn_figures_below_clock(&figures->metric[spread])))
            marks |= SYN_TABLE_BELOW_CLOCK;
    }
    return marks;
}

static const unsigned word_of[COLUMN_COUNT] = {
    [COLUMN_SIZE] = SYN_TABLE_NP,   [COLUMN_INTERVAL] = SYN_TABLE_INTERVAL,
    [COLUMN_P99] = SYN_TABLE_P99,   [COLUMN_SPREAD] = SYN_TABLE_SPREAD,
    [COLUMN_WAIT] = SYN_TABLE_WAIT, [COLUMN_LATE] = SYN_TABLE_LATE};

/* Returns how many rows are shown. Small rows are only left out of a table that is ordered by
 * time. */
static size_t row_count(const struct syn_report *report)
{
    const double least_ns = report->options.least_share * syn_report_ranks_ns(report);
    const size_t top = report->options.top, count = report->groups.count;
    const size_t most = top ? syn_least(top, count) : count;
    size_t rows = 0;
    while (rows < most && !(rows > 0 && report->figures[report->order[rows]].inside_ns < least_ns))
        rows++;
    return rows;
}

unsigned syn_report_table(const struct syn_report *report, const struct syn_terminal *terminal,
                          struct syn_text *text)
{
    enum column chosen[COLUMN_COUNT];
    struct syn_table_column columns[COLUMN_COUNT] = {{0}};
    struct letters letters;
    const size_t rows = row_count(report);
    letters.count = 0;
    letters.comm = malloc((rows + 1) * sizeof *letters.comm);
    for (size_t row = 0; row < rows && letters.comm; row++) {
        uint64_t comm = comm_at(report, row);
        if (letter_of(&letters, comm) == letters.count)
            letters.comm[letters.count++] = comm;
    }
    size_t count = choose(report, letters.count > 1, terminal, chosen);
    bool by_letter = false;
    bool parts = report->options.by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE));
    for (size_t c = 0; c < count; c++) {
        columns[c] = all_columns[chosen[c]];
        by_letter |= chosen[c] == COLUMN_COMM_LETTER;
        if (chosen[c] == COLUMN_SPREAD && parts)
            columns[c].title = "early";
    }
    struct syn_table *table = syn_table_new(columns, count);
    for (size_t i = 0; i < rows; i++)
        add_row(table, report, i, &letters, chosen, count);
    unsigned shown = 0;
    for (size_t c = 0; c < count; c++)
        shown |= syn_table_shows(table, terminal, c) ? word_of[chosen[c]] : 0;
    shown |= find_marks(report, rows, letters.count > 1, shown);
    syn_table_write(table, terminal, text);
    syn_table_free(table);
    if (by_letter) {
        char letter[24];
        for (size_t i = 0; i < letters.count; i++) {
            const char *name = syn_names_text(&report->names, (uint32_t)letters.comm[i]);
            syn_text_format(text, "%s%s  ", i ? "     " : "on = ", letter_name(i, letter));
            syn_text_harmless(text, name ? name : "several");
            syn_text_char(text, '\n');
        }
    }
    if (rows < report->groups.count)
        syn_text_format(text, "... and %zu more (--top 0 shows all)\n",
                        report->groups.count - rows);
    free(letters.comm);
    return shown;
}
