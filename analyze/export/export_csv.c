/* analyze/export/export_csv.c - writes a line for each event, with the columns of columns.h.
 * RATIONALE: numbers are formatted by hand, and texts are escaped once each, so that ten million
 * rows take seconds rather than minutes. */
#include <string.h>

#include "analyze/export/columns.h"
#include "analyze/print/text.h"
#include "sync/base/status.h"

/* Exceeds the length of all numbers and commas in a row. */
#define ROW_BYTES 512

static int begin(struct syn_export_writer *writer)
{
    SYN_CLEANUP(syn_text_free) struct syn_text header = {0};
    for (size_t i = 0; i < SYN_COLUMNS; i++) {
        if (i == SYN_COLUMN_WAITING && writer->with_bounds)
            syn_text_format(&header, ",%s,%s", syn_export_columns[SYN_COLUMNS].name,
                            syn_export_columns[SYN_COLUMNS + 1].name);
        syn_text_format(&header, "%s%s", i ? "," : "", syn_export_columns[i].name);
    }
    syn_text_char(&header, '\n');
    return header.failed ? SYN_ENOMEM
                         : syn_output_write(writer->output, header.data, header.length);
}

/* Writes the columns [first, end) of a row. */
static int write_columns(struct syn_export_writer *writer, const struct syn_row *row, size_t first,
                         size_t end)
{
    char part[ROW_BYTES], *to = part;
    for (size_t i = first; i < end; i++) {
        const struct syn_export_column *column = &syn_export_columns[i];
        const int64_t value = column->value(writer, row);
        if (i > 0)
            *to++ = ',';
        if (column->type == SYN_COLUMN_UINT64)
            to = syn_export_natural(to, (uint64_t)value);
        else if (column->type != SYN_COLUMN_TEXT && value != SYN_NO_VALUE)
            to = syn_export_integer(to, value);
        else if (value != SYN_NO_VALUE) {
            const char *name = syn_export_quoted(writer, (uint32_t)value);
            if (!name)
                return SYN_ENOMEM;
            syn_output_write(writer->output, part, (size_t)(to - part));
            syn_output_write(writer->output, name, strlen(name));
            to = part;
        }
    }
    return syn_output_write(writer->output, part, (size_t)(to - part));
}

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    int status = write_columns(writer, row, 0, SYN_COLUMN_WAITING);
    if (status == SYN_OK && writer->with_bounds)
        status = write_columns(writer, row, SYN_COLUMNS, SYN_COLUMNS_AND_BOUNDS);
    SYN_STEP(status, write_columns(writer, row, SYN_COLUMN_WAITING, SYN_COLUMNS));
    return status == SYN_OK ? syn_output_write(writer->output, "\n", 1) : status;
}

const struct syn_export_format syn_export_csv = {.name = "csv",
                                                 .begin = begin,
                                                 .row = write_row,
                                                 .quote = syn_csv_field,
                                                 .with_instances = true};
