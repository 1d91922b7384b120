/* analyze/print/table.c - lays out tables: columns are left out before the names in the flexible
 * one are cut. */
#include "analyze/print/table.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/print/units.h"
#include "sync/base/integers.h"
#include "sync/base/vector.h"

struct syn_table {
    const struct syn_table_column *column;
    size_t column_count;
    char **cell; /* [cell_count], row by row */
    size_t cell_count, capacity;
    bool failed;
};

/* The layout of a table for one terminal. */
struct widths {
    size_t width[32];
    bool shown[32];
    size_t gap; /* spaces between columns: two, or one to make room */
};

struct syn_table *syn_table_new(const struct syn_table_column *columns, size_t column_count)
{
    struct syn_table *table = calloc(1, sizeof *table);
    if (table) {
        table->column = columns;
        table->column_count = column_count;
    }
    return table;
}

void syn_table_cell(struct syn_table *table, const char *cell)
{
    if (!table)
        return;
    if (SYN_ROOM(table->cell, table->capacity, table->cell_count) != SYN_OK) {
        table->failed = true;
        return;
    }
    char *copy = cell ? strdup(cell) : NULL;
    table->failed |= !copy;
    if (copy)
        table->cell[table->cell_count++] = copy;
}

static size_t natural_width(const struct syn_table *table, size_t column)
{
    const struct syn_table_column *of = &table->column[column];
    size_t width = syn_utf8_count(of->title);
    if (!of->flexible)
        width = syn_largest(width, of->width_min);
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t cell = syn_utf8_count(table->cell[i]);
        width = syn_largest(cell, width);
    }
    return width;
}

static size_t total_width(const struct syn_table *table, const struct widths *widths)
{
    size_t total = 0;
    for (size_t c = 0; c < table->column_count; c++)
        if (widths->shown[c])
            total += widths->width[c] + (total ? widths->gap : 0);
    return total;
}

/* Upper limit of least_width: up to here, whole function names matter more than optional
 * columns. */
#define LEAST_WIDTH_MOST 32

/* Returns the least width of the flexible column at which function and line of each call site stay
 * whole, at most LEAST_WIDTH_MOST. */
static size_t least_width(const struct syn_table *table, size_t column)
{
    size_t width = table->column[column].width_min;
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        size_t least = syn_unit_site_least(table->cell[i]);
        width = syn_largest(least, width);
    }
    return syn_least(width, LEAST_WIDTH_MOST);
}

/* Makes the flexible column narrower until the table fits `width`: down to least_width if
 * `keep_names`, else down to its width_min. Returns true if the table fits. */
static bool squeeze(const struct syn_table *table, struct widths *widths, size_t width,
                    bool keep_names)
{
    size_t total = total_width(table, widths);
    for (size_t c = 0; c < table->column_count && total > width; c++) {
        if (!table->column[c].flexible)
            continue;
        size_t over = total - width;
        size_t least = keep_names ? least_width(table, c) : table->column[c].width_min;
        size_t natural = widths->width[c];
        widths->width[c] = natural > over && natural - over > least ? natural - over
                           : natural > least                        ? least
                                                                    : natural;
        total = total_width(table, widths);
    }
    return total <= width;
}

static bool drop_one(const struct syn_table *table, struct widths *widths)
{
    size_t found = table->column_count;
    for (size_t c = 0; c < table->column_count; c++)
        if (widths->shown[c] && table->column[c].optional &&
            (found == table->column_count ||
             table->column[c].optional < table->column[found].optional))
            found = c;
    if (found == table->column_count)
        return false;
    widths->shown[found] = false;
    return true;
}

static void lay_out(const struct syn_table *table, size_t width, struct widths *widths)
{
    size_t natural[32];
    for (size_t c = 0; c < table->column_count; c++) {
        natural[c] = natural_width(table, c);
        widths->shown[c] = true;
    }
    do {
        for (widths->gap = 2; widths->gap > 0; widths->gap--) {
            memcpy(widths->width, natural, sizeof natural[0] * table->column_count);
            if (squeeze(table, widths, width, true))
                return;
        }
        widths->gap = 1;
    } while (drop_one(table, widths));
    memcpy(widths->width, natural, sizeof natural[0] * table->column_count);
    squeeze(table, widths, width, false);
}

static void write_cells(const struct syn_table *table, const struct widths *widths,
                        char *const *cells, struct syn_text *out)
{
    bool first = true;
    for (size_t c = 0; c < table->column_count; c++) {
        if (!widths->shown[c])
            continue;
        if (!first)
            syn_text_repeat(out, ' ', widths->gap);
        first = false;
        const char *cell = cells ? cells[c] : table->column[c].title;
        const size_t width = widths->width[c];
        SYN_CLEANUP(syn_text_free) struct syn_text shown = {0};
        if (table->column[c].flexible)
            syn_unit_site(&shown, cell, width);
        else
            syn_text_harmless(&shown, cell);
        size_t used = syn_utf8_count(syn_text_chars(&shown));
        size_t padding = used < width ? width - used : 0;
        if (!table->column[c].left)
            syn_text_repeat(out, ' ', padding);
        syn_text_append(out, shown.data, shown.length);
        if (table->column[c].left && !(c + 1 == table->column_count))
            syn_text_repeat(out, ' ', padding);
    }
    while (out->length && out->data[out->length - 1] == ' ')
        out->length--;
}

void syn_table_write(const struct syn_table *table, const struct syn_terminal *terminal,
                     struct syn_text *out)
{
    struct widths widths = {.gap = 2};
    if (!table || table->failed || table->column_count > 32) {
        out->failed = true;
        return;
    }
    lay_out(table, terminal->width, &widths);
    syn_text_string(out, syn_style_on(terminal, SYN_STYLE_BOLD));
    write_cells(table, &widths, NULL, out);
    syn_text_string(out, syn_style_off(terminal));
    syn_text_char(out, '\n');
    for (size_t i = 0; i + table->column_count <= table->cell_count; i += table->column_count) {
        write_cells(table, &widths, table->cell + i, out);
        syn_text_char(out, '\n');
    }
}

bool syn_table_shows(const struct syn_table *table, const struct syn_terminal *terminal,
                     size_t column)
{
    struct widths widths = {.gap = 2};
    if (!table || table->failed || table->column_count > 32 || column >= table->column_count)
        return false;
    lay_out(table, terminal->width, &widths);
    return widths.shown[column];
}

void syn_table_free(struct syn_table *table)
{
    if (!table)
        return;
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cell[i]);
    free(table->cell);
    free(table);
}
