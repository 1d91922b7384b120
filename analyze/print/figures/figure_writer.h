/* analyze/print/figures/figure_writer.h - writes figures as JSON, or as lines of CSV.
 *
 * The functions of figure_walk.h walk over an object's rows for both formats. JSON has each row in
 * the order of the walk. CSV has the rows with a column: the first walk, without an object, writes
 * the header and finds the order of the columns. Each further walk writes one line. */
#ifndef SYN_FIGURE_WRITER_H
#define SYN_FIGURE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/print/json.h"
#include "analyze/print/text.h"

/* Lines of CSV. */
struct syn_figure_table {
    struct syn_text cells; /* of the current line, one after the other */
    size_t *end;           /* [count], end of each cell */
    size_t *order;   /* [columns], cells from left to right; NULL while the header is written */
    unsigned *place; /* [columns]; a column of a lower place stands further left */
    size_t count, columns, capacity;
    bool failed;
};

/* The state of a walk. */
struct syn_figure_at {
    const char *column, *prefix; /* of the next row and of its object; NULL: none */
    unsigned place;
    bool is_unknown; /* write null or an empty field; do not evaluate expressions */
};

struct syn_figure_writer {
    struct syn_json *json; /* NULL: CSV */
    struct syn_figure_table *table;
    struct syn_figure_at at;
};

struct syn_figure_writer syn_figures_as_json(struct syn_json *json);
/* *table begins as {0}; the caller frees it with syn_figure_table_free. */
struct syn_figure_writer syn_figures_as_csv(struct syn_figure_table *table);
/* Call these before and after the walk of the header or of a line. syn_figure_line_end appends the
 * line. */
void syn_figure_line_begin(struct syn_figure_writer *to);
void syn_figure_line_end(struct syn_figure_writer *to, struct syn_text *out);
void syn_figure_table_free(struct syn_figure_table *table);

/* Write a value, as enum syn_figure_how names its type. */
void syn_put_figure(struct syn_figure_writer *to, const char *name, double value);
void syn_put_whole(struct syn_figure_writer *to, const char *name, double value);
void syn_put_count(struct syn_figure_writer *to, const char *name, uint64_t value);
void syn_put_integer(struct syn_figure_writer *to, const char *name, int64_t value);
void syn_put_boolean(struct syn_figure_writer *to, const char *name, bool value);
void syn_put_text(struct syn_figure_writer *to, const char *name, const char *value);

/* syn_figure_enter begins an object inside another one, or writes null in JSON if `is_there` is
 * false. Returns true if the object's rows must be walked over. *before receives the state for
 * syn_figure_leave. */
bool syn_figure_enter(struct syn_figure_writer *to, const char *name, bool is_there,
                      struct syn_figure_at *before);
void syn_figure_leave(struct syn_figure_writer *to, const struct syn_figure_at *before);

#endif
