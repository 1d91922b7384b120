/* analyze/export/parquet_columns.h - the columns of the Parquet export: those of the CSV, with
 * types. One table says name, type and where in a row the value is. */
#ifndef SYN_PARQUET_COLUMNS_H
#define SYN_PARQUET_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/export/export.h"

/* Texts are numbers of names here, and become strings in the file. */
enum syn_parquet_type { SYN_PARQUET_INT32, SYN_PARQUET_INT64, SYN_PARQUET_TEXT };

struct syn_parquet_column {
    const char *name;
    enum syn_parquet_type type;
    bool optional; /* a negative value is null */
    int64_t (*value)(struct syn_export_writer *writer, const struct syn_row *row);
};

#define SYN_PARQUET_COLUMN_COUNT 25
extern const struct syn_parquet_column syn_parquet_column[SYN_PARQUET_COLUMN_COUNT];

#endif
