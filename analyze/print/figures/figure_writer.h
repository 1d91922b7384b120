/* analyze/print/figures/figure_writer.h - writes figures as JSON, or as a line of CSV.
 *
 * One walk over an object's rows (figure_walk.h) serves both. JSON takes each row as it comes. CSV
 * takes those with a column: a first walk, without an object, gives the header and the order of the
 * columns, and each further walk is a line. */
#ifndef SYN_FIGURE_WRITER_H
#define SYN_FIGURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/print/json.h"
#include "analyze/print/text.h"

/* Lines of CSV. */
struct syn_figure_table {
    struct syn_text cells; /* of the line in hand, one after the other */
    size_t *end;           /* [count] of each cell */
    size_t *order;         /* [columns] of cells in a line; NULL: the header is being written */
    unsigned *place;       /* [columns]; columns of a lower place stand further left */
    size_t count, columns, capacity;
    bool failed;
};

/* The place of a walk. */
struct syn_figure_at {
    const char *column, *prefix; /* of the next row, and of its object; NULL: none */
    unsigned place;
    bool is_unknown; /* null, or empty: expressions are not evaluated */
};

struct syn_figure_writer {
    struct syn_json *json; /* NULL: CSV */
    struct syn_figure_table *table;
    struct syn_figure_at at;
};

struct syn_figure_writer syn_figures_as_json(struct syn_json *json);
/* *table: {0}, and freed by the caller. */
struct syn_figure_writer syn_figures_as_csv(struct syn_figure_table *table);
/* Before and after the walk that is the header, or a line. */
void syn_figure_line_begin(struct syn_figure_writer *to);
void syn_figure_line_end(struct syn_figure_writer *to, struct syn_text *out);
void syn_figure_table_free(struct syn_figure_table *table);

/* A value, in each of the ways of enum syn_figure_how. */
void syn_put_figure(struct syn_figure_writer *to, const char *name, double value);
void syn_put_whole(struct syn_figure_writer *to, const char *name, double value);
void syn_put_count(struct syn_figure_writer *to, const char *name, uint64_t value);
void syn_put_integer(struct syn_figure_writer *to, const char *name, int64_t value);
void syn_put_boolean(struct syn_figure_writer *to, const char *name, bool value);
void syn_put_text(struct syn_figure_writer *to, const char *name, const char *value);

/* An object inside another one, or with `is_there` false null; true: its rows are to be walked
 * over. *before: what syn_figure_leave wants. */
bool syn_figure_enter(struct syn_figure_writer *to, const char *name, bool is_there,
                      struct syn_figure_at *before);
void syn_figure_leave(struct syn_figure_writer *to, const struct syn_figure_at *before);

#endif
