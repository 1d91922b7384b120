/* analyze/print/table.h - writes rows and columns that fit a terminal.
 *
 * Each column is as wide as its widest cell. If the table is too wide, the flexible column is made
 * narrower, as long as the names of its call sites stay whole. If that is not enough, columns are
 * left out in the order of their `optional` number, 1 first. */
#ifndef SYN_TABLE_H
#define SYN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/terminal.h"
#include "analyze/print/text.h"

struct syn_table_column {
    const char *title; /* NULL: the column is for programs only */
    const char *key;   /* name in JSON and CSV (doc/doc.h); NULL: for people only */
    bool left;         /* aligned to the left, else to the right */
    bool flexible;     /* holds call sites, shortened by syn_unit_site; at most one column */
    int optional;      /* 0: never left out */
    size_t width_min;  /* least width, also of the flexible column */
};

struct syn_table;

/* Returns a table for syn_table_free, or NULL if memory ran out. columns [column_count] must
 * outlive the table. */
struct syn_table *syn_table_new(const struct syn_table_column *columns, size_t column_count);
/* Adds a copy of a cell, row by row, from left to right. cell NULL: memory ran out; the table is
 * then not written. */
void syn_table_cell(struct syn_table *table, const char *cell);
/* Appends a title line and the rows, each ended by a newline. No line is wider than terminal->width
 * if that is possible. Sets out->failed if the table lacks cells for want of memory. */
void syn_table_write(const struct syn_table *table, const struct syn_terminal *terminal,
                     struct syn_text *out);
/* Returns true if the column is not left out on this terminal. Call it when the table has all its
 * cells. */
bool syn_table_shows(const struct syn_table *table, const struct syn_terminal *terminal,
                     size_t column);
void syn_table_free(struct syn_table *table);

#endif
