/* analyze/print/table.h - rows and columns that fit a terminal.
 * Columns take the width of what is in them. Where that is too much, columns are left out in the
 * order of their `optional` number (1 first), and the flexible column gets what is left. */
#ifndef SYN_TABLE_H
#define SYN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/terminal.h"
#include "analyze/print/text.h"

struct syn_table_column {
    const char *title; /* NULL: the column is for programs only */
    const char *key;   /* of JSON and CSV (doc/doc.h); NULL: for people only */
    bool left;         /* aligned to the left; else to the right */
    bool flexible;     /* shortened by syn_unit_site to what is left; at most one */
    int optional;      /* 0: never left out */
    size_t width_min;  /* the least, also of the flexible one */
};

struct syn_table;

/* columns [column_count], must outlive the table. NULL where memory ran out. */
struct syn_table *syn_table_new(const struct syn_table_column *columns, size_t column_count);
/* Cells are given row by row, from left to right; copied. NULL: memory ran out, and the table is
 * not written. */
void syn_table_cell(struct syn_table *table, const char *cell);
/* A title line and the rows, each ending in a newline and none wider than terminal->width where
 * that is possible. */
void syn_table_write(const struct syn_table *table, const struct syn_terminal *terminal,
                     struct syn_text *out);
/* Is there room for this column? Of a table that has its cells. */
bool syn_table_shows(const struct syn_table *table, const struct syn_terminal *terminal,
                     size_t column);
void syn_table_free(struct syn_table *table);

#endif
