/* analyze/report/report_table.c - the table of groups in the text report. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/report/details.h"
#include "analyze/report/report_parts.h"

enum column {
    COLUMN_OP,
    COLUMN_RANK,
    COLUMN_NODE,
    COLUMN_RUN,
    COLUMN_PHASE,
    COLUMN_SITE,
    COLUMN_COMM,
    COLUMN_COMM_LETTER, /* explained below the table, where there is no room for names */
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

/* From this width on communicators are named in the table itself. */
#define WIDE 120

/* ---- communicators, by letter ---- */

static uint64_t comm_at(const struct syn_report *report, size_t row)
{
    const struct syn_group *group = report->figures[report->order[row]].group;
    return group->comm.mixed ? UINT64_MAX : group->comm.value;
}

/* The different communicators of the table, in the order of their first row. */
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

static void find_letters(const struct syn_report *report, size_t rows, struct letters *out)
{
    out->count = 0;
    out->comm = malloc((rows + 1) * sizeof *out->comm);
    for (size_t row = 0; row < rows && out->comm; row++) {
        uint64_t comm = comm_at(report, row);
        if (letter_of(out, comm) == out->count)
            out->comm[out->count++] = comm;
    }
}

static void letter_cell(char *cell, size_t number)
{
    if (number < 26)
        snprintf(cell, SYN_UNIT_BYTES, "%c", (char)('A' + number));
    else
        snprintf(cell, SYN_UNIT_BYTES, "%zu", number + 1);
}

static bool is_a_part(const char *name)
{
    return name && strstr(name, " @");
}

static void write_letters(const struct syn_report *report, const struct letters *letters,
                          struct syn_text *text)
{
    char cell[SYN_UNIT_BYTES];
    for (size_t i = 0; i < letters->count; i++) {
        const char *name = syn_names_text(&report->names, (uint32_t)letters->comm[i]);
        letter_cell(cell, i);
        syn_text_format(text, "%s%s  ", i ? "     " : "on = ", cell);
        syn_text_harmless(text, name ? name : "several");
        syn_text_char(text, '\n');
    }
}

/* The columns that say something in this report. */
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

static void time_cell(char *cell, const struct syn_metric_figures *metric, double ns)
{
    if (metric->summary.n > 0 && ns < metric->clock_bound_ns) {
        char bound[SYN_UNIT_BYTES];
        snprintf(cell, SYN_UNIT_BYTES, "<%.40s", syn_unit_time(bound, metric->clock_bound_ns));
    } else {
        syn_unit_time(cell, metric->summary.n > 0 ? ns : NAN);
    }
    syn_unit_tight(cell);
}

/* "13.1..17.0us"; with both units where they differ. Dependent instances are the rule: their
 * interval. None for a median that the clocks cannot tell. */
static void interval_cell(char *cell, const struct syn_report *report,
                          const struct syn_metric_figures *metric)
{
    const struct syn_summary *summary = &metric->summary;
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    double low_ns, high_ns;
    syn_shown_interval(report, summary, &low_ns, &high_ns);
    if (summary->n == 0 || !isfinite(low_ns) || syn_figures_below_clock(metric)) {
        snprintf(cell, SYN_UNIT_BYTES, "-");
        return;
    }
    syn_unit_time(low, low_ns);
    syn_unit_time(high, high_ns);
    const char *low_unit = strchr(low, ' '), *high_unit = strchr(high, ' ');
    if (low_unit && high_unit && strcmp(low_unit, high_unit) == 0)
        *strchr(low, ' ') = '\0';
    syn_unit_tight(low);
    syn_unit_tight(high);
    snprintf(cell, SYN_UNIT_BYTES, "%.20s..%.20s", low, high);
}

static void count_cell(char *cell, uint64_t count)
{
    if (count < 100000)
        snprintf(cell, SYN_UNIT_BYTES, "%llu", (unsigned long long)count);
    else if (count < 9950000)
        snprintf(cell, SYN_UNIT_BYTES, "%.0fk", (double)count / 1e3);
    else
        snprintf(cell, SYN_UNIT_BYTES, "%.0fM", (double)count / 1e6);
}

static void late_cell(char *cell, const struct syn_figures *figures)
{
    const struct syn_rank_figures *latest = figures->latest;
    if (latest)
        snprintf(cell, SYN_UNIT_BYTES, "%d:%.0f%%", latest->rank->rank,
                 100.0 * (double)latest->rank->last_count / (double)latest->n);
    else
        snprintf(cell, SYN_UNIT_BYTES, "-");
}

static const char *without_prefix(const char *op)
{
    return op && strncmp(op, "MPI_", 4) == 0 ? op + 4 : op ? op : "*";
}

static void number_cell(char *cell, bool known, uint64_t value)
{
    if (known)
        snprintf(cell, SYN_UNIT_BYTES, "%llu", (unsigned long long)value);
    else
        snprintf(cell, SYN_UNIT_BYTES, "*");
}

static const char *name_cell(const struct syn_report *report, const struct syn_group *group,
                             enum column column)
{
    const char *name = NULL;
    if (column == COLUMN_OP)
        return without_prefix(syn_report_op(group));
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

static void key_cell(char *cell, const struct syn_group *group, enum column column)
{
    uint64_t value;
    int32_t root;
    bool known;
    switch (column) {
    case COLUMN_RANK:
        number_cell(cell, group->key[SYN_KEY_RANK] != UINT64_MAX, group->key[SYN_KEY_RANK]);
        break;
    case COLUMN_RUN:
        number_cell(cell, true, group->key[SYN_KEY_RUN]);
        break;
    case COLUMN_SIZE:
        known = syn_report_comm_size(group, &value);
        number_cell(cell, known, value);
        break;
    case COLUMN_ROOT:
        known = syn_report_root(group, &root);
        number_cell(cell, known, (uint64_t)(uint32_t)root);
        break;
    default: /* COLUMN_BYTES */
        if (syn_report_bytes(group, &value))
            syn_unit_tight((char *)syn_unit_bytes(cell, (double)value));
        else
            snprintf(cell, SYN_UNIT_BYTES, "*");
    }
}

static void figure_cell(char *cell, const struct syn_report *report,
                        const struct syn_figures *figures, enum column column)
{
    bool part = syn_group_is_part(figures->group);
    const struct syn_metric_figures *main =
        &figures->metric[part ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION];
    const struct syn_metric_figures *spread =
        &figures->metric[part ? SYN_METRIC_WAIT : SYN_METRIC_SPREAD];
    switch (column) {
    case COLUMN_CALLS:
        count_cell(cell, figures->group->instance_count - figures->skipped_count);
        break;
    case COLUMN_MEDIAN:
        time_cell(cell, main, main->summary.median);
        break;
    case COLUMN_INTERVAL:
        interval_cell(cell, report, main);
        break;
    case COLUMN_P99:
        time_cell(cell, main, main->summary.p99);
        break;
    case COLUMN_SPREAD:
        time_cell(cell, spread, spread->summary.median);
        break;
    case COLUMN_WAIT:
        snprintf(cell, SYN_UNIT_BYTES,
                 figures->inside_ns > 0 && !syn_report_any_is_cut(report) ? "%.0f%%" : "-",
                 100 * figures->waiting_ns / figures->inside_ns);
        break;
    case COLUMN_TIME:
        syn_unit_time(cell,
                      figures->rank_count ? figures->inside_ns / (double)figures->rank_count : NAN);
        syn_unit_tight(cell);
        break;
    default: /* COLUMN_LATE */
        late_cell(cell, figures);
    }
}

static void add_row(struct syn_table *table, const struct syn_report *report, size_t row,
                    const struct letters *letters, const enum column *chosen, size_t count)
{
    char cell[SYN_UNIT_BYTES];
    const struct syn_figures *figures = &report->figures[report->order[row]];
    for (size_t c = 0; c < count; c++) {
        switch (chosen[c]) {
        case COLUMN_OP:
        case COLUMN_NODE:
        case COLUMN_PHASE:
        case COLUMN_SITE:
        case COLUMN_COMM:
            syn_table_cell(table, name_cell(report, figures->group, chosen[c]));
            break;
        case COLUMN_COMM_LETTER:
            letter_cell(cell, letter_of(letters, comm_at(report, row)));
            syn_table_cell(table, cell);
            break;
        case COLUMN_RANK:
        case COLUMN_RUN:
        case COLUMN_SIZE:
        case COLUMN_ROOT:
        case COLUMN_BYTES:
            key_cell(cell, figures->group, chosen[c]);
            syn_table_cell(table, cell);
            break;
        default:
            figure_cell(cell, report, figures, chosen[c]);
            syn_table_cell(table, cell);
        }
    }
}

/* Of the rows that are shown: what needs words besides the columns' own titles. */
static unsigned find_marks(const struct syn_report *report, size_t rows, bool comms, unsigned shown)
{
    unsigned marks = 0;
    for (size_t i = 0; i < rows; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        const bool part = syn_group_is_part(figures->group);
        const enum syn_metric spread = part ? SYN_METRIC_WAIT : SYN_METRIC_SPREAD;
        const enum syn_metric main = syn_figures_main_metric(figures->group);
        if (comms && is_a_part(syn_report_comm(report, figures->group)))
            marks |= SYN_TABLE_PARTS;
        if (syn_figures_below_clock(&figures->metric[main]) ||
            ((shown & SYN_TABLE_SPREAD) && syn_figures_below_clock(&figures->metric[spread])))
            marks |= SYN_TABLE_BELOW_CLOCK;
    }
    return marks;
}

static unsigned word_of(enum column column)
{
    switch (column) {
    case COLUMN_SIZE:
        return SYN_TABLE_NP;
    case COLUMN_INTERVAL:
        return SYN_TABLE_INTERVAL;
    case COLUMN_P99:
        return SYN_TABLE_P99;
    case COLUMN_SPREAD:
        return SYN_TABLE_SPREAD;
    case COLUMN_WAIT:
        return SYN_TABLE_WAIT;
    case COLUMN_LATE:
        return SYN_TABLE_LATE;
    default:
        return 0;
    }
}

unsigned syn_report_table(const struct syn_report *report, const struct syn_terminal *terminal,
                          struct syn_text *text)
{
    enum column chosen[COLUMN_COUNT];
    struct syn_table_column columns[COLUMN_COUNT] = {{0}};
    struct letters letters;
    size_t rows = report->groups.count;
    if (report->options.top && rows > report->options.top)
        rows = report->options.top;
    find_letters(report, rows, &letters);
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
        shown |= syn_table_shows(table, terminal, c) ? word_of(chosen[c]) : 0;
    shown |= find_marks(report, rows, letters.count > 1, shown);
    syn_table_write(table, terminal, text);
    syn_table_free(table);
    if (by_letter)
        write_letters(report, &letters, text);
    if (rows < report->groups.count)
        syn_text_format(text, "... and %zu more (--top 0 shows all)\n",
                        report->groups.count - rows);
    free(letters.comm);
    return shown;
}
