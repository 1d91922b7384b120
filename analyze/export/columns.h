/* analyze/export/columns.h - the columns of CSV and Parquet, one row of a table each.
 * docs/reports.md says what they mean. */
#ifndef SYN_EXPORT_COLUMNS_H
#define SYN_EXPORT_COLUMNS_H

#include "analyze/export/export.h"

/* Values of a text column are name numbers. */
enum syn_column_type { SYN_COLUMN_INT32, SYN_COLUMN_INT64, SYN_COLUMN_UINT64, SYN_COLUMN_TEXT };

/* The value of a column that a row does not have. A figure that is not known is -1. */
#define SYN_NO_VALUE INT64_MIN

struct syn_export_column {
    const char *name;
    enum syn_column_type type;
    bool optional; /* rows may lack it, or not know it */
    int64_t (*value)(const struct syn_export_writer *writer, const struct syn_row *row);
};

/* The columns of every file, and after them those of the clocks' bounds. CSV has the bounds before
 * the column SYN_COLUMN_WAITING. */
#define SYN_COLUMNS            25
#define SYN_COLUMNS_AND_BOUNDS 27
#define SYN_COLUMN_WAITING     21
extern const struct syn_export_column syn_export_columns[SYN_COLUMNS_AND_BOUNDS];

#endif
