/* analyze/print/figures/figure_writer.c - writes values to JSON, or to the cells of a line of CSV.
 *
 * The first line of a table is its header: then a column's name is written instead of each value.
 * Cells are kept in the order of the walk. The end of a line writes them by place. */
#include "analyze/print/figures/figure_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/text.h"
#include "analyze/print/units.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

struct syn_figure_writer syn_figures_as_json(struct syn_json *json)
{
    return (struct syn_figure_writer){.json = json};
}

struct syn_figure_writer syn_figures_as_csv(struct syn_figure_table *table)
{
    return (struct syn_figure_writer){.table = table};
}

void syn_figure_table_free(struct syn_figure_table *table)
{
    syn_text_free(&table->cells);
    free(table->end);
    free(table->order);
    free(table->place);
    *table = (struct syn_figure_table){0};
}

/* ---- lines of CSV ---- */

/* Makes room for one more cell. Returns false if memory ran out. */
static bool has_room(struct syn_figure_table *table)
{
    if (table->count < table->capacity)
        return true;
    const size_t capacity = 2 * table->capacity + 64;
    if (SYN_RESERVE(table->end, capacity) || SYN_RESERVE(table->place, capacity))
        return false;
    table->capacity = capacity;
    return true;
}

static bool is_header(const struct syn_figure_table *table)
{
    return !table->order;
}

/* Begins the cell of the current row, if the row has a column. In the header it appends the
 * column's name. Returns true if the caller has to append the row's value. */
static bool begin_cell(struct syn_figure_writer *to)
{
    struct syn_figure_table *table = to->table;
    if (!to->at.column)
        return false;
    if (!is_header(table))
        return !to->at.is_unknown;
    if (!has_room(table)) {
        table->failed = true;
        return false;
    }
    table->place[table->count] = to->at.place;
    if (to->at.prefix)
        syn_text_format(&table->cells, "%s_", to->at.prefix);
    syn_text_string(&table->cells, to->at.column);
    return false;
}

static void end_cell(struct syn_figure_writer *to)
{
    struct syn_figure_table *table = to->table;
    if (to->at.column && table->count < table->capacity)
        table->end[table->count++] = table->cells.length;
}

/* Orders the columns by place. Columns of one place keep the order of the walk. */
static int order_columns(struct syn_figure_table *table)
{
    table->columns = table->count;
    if (SYN_RESERVE(table->order, table->columns + 1))
        return SYN_ENOMEM;
    for (size_t i = 0; i < table->columns; i++) {
        size_t at = i;
        for (; at > 0 && table->place[table->order[at - 1]] > table->place[i]; at--)
            table->order[at] = table->order[at - 1];
        table->order[at] = i;
    }
    return 0;
}

void syn_figure_line_begin(struct syn_figure_writer *to)
{
    syn_text_clear(&to->table->cells);
    to->table->count = 0;
    to->at = (struct syn_figure_at){.is_unknown = is_header(to->table)};
}

void syn_figure_line_end(struct syn_figure_writer *to, struct syn_text *out)
{
    struct syn_figure_table *table = to->table;
    if (is_header(table) && order_columns(table) != SYN_OK)
        table->failed = true;
    out->failed |= table->failed || table->cells.failed || table->count != table->columns;
    for (size_t i = 0; !out->failed && i < table->columns; i++) {
        const size_t cell = table->order[i], from = cell ? table->end[cell - 1] : 0;
        if (i)
            syn_text_char(out, ',');
        if (table->end[cell] > from)
            syn_text_append(out, syn_text_chars(&table->cells) + from, table->end[cell] - from);
    }
    syn_text_char(out, '\n');
}

/* ---- values ---- */

void syn_put_figure(struct syn_figure_writer *to, const char *name, double value)
{
    char buffer[32];
    if (to->json) {
        syn_json_number(to->json, name, value);
        return;
    }
    if (begin_cell(to)) {
        syn_number_text(value, buffer);
        syn_text_string(&to->table->cells, buffer);
    }
    end_cell(to);
}

void syn_put_whole(struct syn_figure_writer *to, const char *name, double value)
{
    if (to->json) {
        syn_json_number(to->json, name, value);
        return;
    }
    if (begin_cell(to))
        syn_text_format(&to->table->cells, "%.0f", syn_unit_no_minus_zero(value, 0));
    end_cell(to);
}

void syn_put_count(struct syn_figure_writer *to, const char *name, uint64_t value)
{
    if (to->json && to->at.is_unknown)
        syn_json_null(to->json, name);
    else if (to->json)
        syn_json_count(to->json, name, value);
    else if (begin_cell(to))
        syn_text_format(&to->table->cells, "%" PRIu64, value);
    if (!to->json)
        end_cell(to);
}

void syn_put_integer(struct syn_figure_writer *to, const char *name, int64_t value)
{
    if (to->json && to->at.is_unknown)
        syn_json_null(to->json, name);
    else if (to->json)
        syn_json_integer(to->json, name, value);
    else if (begin_cell(to))
        syn_text_format(&to->table->cells, "%" PRId64, value);
    if (!to->json)
        end_cell(to);
}

void syn_put_boolean(struct syn_figure_writer *to, const char *name, bool value)
{
    if (to->json && to->at.is_unknown)
        syn_json_null(to->json, name);
    else if (to->json)
        syn_json_bool(to->json, name, value);
    else if (begin_cell(to))
        syn_text_char(&to->table->cells, value ? '1' : '0');
    if (!to->json)
        end_cell(to);
}

void syn_put_text(struct syn_figure_writer *to, const char *name, const char *value)
{
    if (to->json) {
        syn_json_string(to->json, name, value);
        return;
    }
    if (begin_cell(to) && value)
        syn_csv_field(&to->table->cells, value);
    end_cell(to);
}

/* ---- objects ---- */

bool syn_figure_enter(struct syn_figure_writer *to, const char *name, bool is_there,
                      struct syn_figure_at *before)
{
    *before = to->at;
    if (to->json && !is_there) {
        syn_json_null(to->json, name);
        return false;
    }
    to->at.prefix = to->at.column ? to->at.column : to->at.prefix;
    to->at.column = NULL;
    to->at.is_unknown |= !is_there;
    return true;
}

void syn_figure_leave(struct syn_figure_writer *to, const struct syn_figure_at *before)
{
    to->at = *before;
}
