/* analyze/export/export_parquet.c - writes the rows of the CSV, with types, to one Parquet file,
 * which pandas, R's arrow, DuckDB, Polars and Spark read.
 *
 * Rows are written in row groups, so that memory does not grow with the trace. In a row group, a
 * column is one page, compressed by zstd; a text column has another page for its dictionary.
 * Integers are plain, and texts are indices into the dictionary. Source: Apache Parquet, "File
 * format" and "Encodings". */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/export/columns.h"
#include "analyze/export/thrift.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/coding/compress.h"

#define ROWS_A_GROUP (1 << 17)
#define ZSTD_LEVEL   1
#define MAGIC        "PAR1"
#define NO_CODE      UINT32_MAX

/* Constants of the format. */
enum { TYPE_INT32 = 1, TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };
enum { PAGE_DATA = 0, PAGE_DICTIONARY = 2 };
enum { CODEC_ZSTD = 6, CONVERTED_UTF8 = 0, REQUIRED = 0, OPTIONAL = 1 };

/* The place in the file of a column of a row group. */
struct chunk {
    uint64_t dictionary_offset; /* 0: there is none */
    uint64_t data_offset;
    uint64_t raw_bytes, bytes; /* with the headers of the pages */
};

struct group {
    uint32_t row_count;
    struct chunk chunk[SYN_COLUMNS];
};

struct state {
    int64_t *value[SYN_COLUMNS]; /* [ROWS_A_GROUP] each */
    uint32_t row_count;
    uint64_t offset, total_rows; /* written so far */
    struct group *group;
    size_t group_count, group_capacity;
    uint32_t *code; /* [code_count] index in the current dictionary, by name number */
    size_t code_count;
    struct syn_compressor *compressor;
    struct syn_bytes raw, page, head; /* buffers that are used again */
};

static int32_t type_of(const struct syn_export_column *column)
{
    static const int32_t types[] = {[SYN_COLUMN_INT32] = TYPE_INT32,
                                    [SYN_COLUMN_INT64] = TYPE_INT64,
                                    [SYN_COLUMN_UINT64] = TYPE_INT64,
                                    [SYN_COLUMN_TEXT] = TYPE_BYTE_ARRAY};
    return types[column->type];
}

static int put(struct syn_export_writer *writer, const void *data, size_t bytes)
{
    ((struct state *)writer->state)->offset += bytes;
    return syn_output_write(writer->output, data, bytes);
}

/* ---- pages ---- */

/* Writes the header of a page, and `raw`, compressed. */
static int write_page(struct syn_export_writer *writer, int page_type, int encoding,
                      uint32_t value_count, struct chunk *chunk)
{
    struct state *state = writer->state;
    const size_t cut = state->raw.count;
    state->page.count = state->head.count = 0;
    if (state->raw.failed || syn_compress(state->compressor, SYN_CONTENT_RECORDS, state->raw.data,
                                          &cut, 1, &state->page))
        return SYN_ENOMEM;
    struct syn_thrift thrift = syn_thrift_begin(&state->head);
    syn_thrift_number(&thrift, 1, SYN_THRIFT_I32, page_type);
    syn_thrift_number(&thrift, 2, SYN_THRIFT_I32, (int64_t)state->raw.count);
    syn_thrift_number(&thrift, 3, SYN_THRIFT_I32, (int64_t)state->page.count);
    syn_thrift_struct(&thrift, page_type == PAGE_DATA ? 5 : 7);
    syn_thrift_number(&thrift, 1, SYN_THRIFT_I32, value_count);
    syn_thrift_number(&thrift, 2, SYN_THRIFT_I32, encoding);
    if (page_type == PAGE_DATA) { /* the encoding of levels */
        syn_thrift_number(&thrift, 3, SYN_THRIFT_I32, ENCODING_RLE);
        syn_thrift_number(&thrift, 4, SYN_THRIFT_I32, ENCODING_RLE);
    }
    syn_thrift_end(&thrift);
    syn_thrift_end(&thrift);
    if (state->head.failed || state->page.failed)
        return SYN_ENOMEM;
    chunk->raw_bytes += state->head.count + state->raw.count;
    chunk->bytes += state->head.count + state->page.count;
    const int status = put(writer, state->head.data, state->head.count);
    return status != SYN_OK ? status : put(writer, state->page.data, state->page.count);
}

static unsigned width_of(uint32_t largest)
{
    unsigned width = 1;
    while (width < 32 && largest >> width)
        width++;
    return width;
}

/* Appends one bit-packed run of the hybrid encoding: numbers of `width` bits, least significant bit
 * first, padded to a multiple of 8 numbers. `next` returns number i. */
static void bit_packed(struct syn_bytes *out, unsigned width, uint32_t count,
                       uint32_t (*next)(const void *ctx, uint32_t i), const void *ctx)
{
    const uint32_t eights = (count + 7) / 8;
    uint64_t bits = 0;
    unsigned held = 0;
    syn_bytes_put_varint(out, (uint64_t)eights << 1 | 1);
    uint8_t *to = syn_bytes_reserve(out, (size_t)eights * width);
    if (!to)
        return;
    for (uint32_t i = 0; i < eights * 8; i++) {
        bits |= (uint64_t)(i < count ? next(ctx, i) : 0) << held;
        for (held += width; held >= 8; held -= 8, bits >>= 8)
            *to++ = (uint8_t)bits;
    }
    out->count += (size_t)eights * width;
}

static uint32_t is_there(const void *ctx, uint32_t i)
{
    return ((const int64_t *)ctx)[i] >= 0;
}

/* Appends the definition levels of an optional column: 1 for a value, 0 for null. */
static void put_levels(struct state *state, const int64_t *value)
{
    SYN_CLEANUP(syn_bytes_free) struct syn_bytes levels = {0};
    uint8_t length[4];
    bit_packed(&levels, 1, state->row_count, is_there, value);
    syn_store32(length, (uint32_t)levels.count);
    syn_bytes_put(&state->raw, length, sizeof length);
    syn_bytes_put(&state->raw, levels.data, levels.count);
    state->raw.failed |= levels.failed;
}

/* ---- text ---- */

/* Makes room for the code of every name, and clears the codes. Returns 0 or SYN_ENOMEM. */
static int prepare_codes(struct state *state, const struct syn_names *names)
{
    if (names->count > state->code_count) {
        if (SYN_RESERVE(state->code, names->count) != SYN_OK)
            return SYN_ENOMEM;
        state->code_count = names->count;
    }
    memset(state->code, 0xff, state->code_count * sizeof *state->code);
    return 0;
}

static uint32_t present_code(const void *ctx, uint32_t i)
{
    return (uint32_t)((const int64_t *)ctx)[i];
}

/* Removes nulls. Returns the number of values that stay. */
static uint32_t drop_nulls(int64_t *value, uint32_t count)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (value[i] >= 0)
            value[kept++] = value[i];
    return kept;
}

static int write_text(struct syn_export_writer *writer, const struct syn_export_column *column,
                      int64_t *value, struct chunk *chunk)
{
    struct state *state = writer->state;
    int status = prepare_codes(state, writer->rank.names);
    if (status != SYN_OK)
        return status;
    state->raw.count = 0;
    /* Write the dictionary to `raw`, in the order in which names appear, and replace each value by
     * its index there. */
    uint32_t entry_count = 0;
    for (uint32_t i = 0; i < state->row_count; i++) {
        if (value[i] < 0 || (uint64_t)value[i] >= state->code_count)
            continue;
        uint32_t *code = &state->code[value[i]];
        if (*code == NO_CODE) {
            const char *text = syn_names_text(writer->rank.names, (uint32_t)value[i]);
            uint8_t length[4];
            syn_store32(length, (uint32_t)strlen(text));
            syn_bytes_put(&state->raw, length, sizeof length);
            syn_bytes_put(&state->raw, text, strlen(text));
            *code = entry_count++;
        }
        value[i] = *code;
    }
    chunk->dictionary_offset = state->offset;
    status = write_page(writer, PAGE_DICTIONARY, ENCODING_PLAIN, entry_count, chunk);
    if (status != SYN_OK)
        return status;
    const uint8_t width = (uint8_t)width_of(entry_count ? entry_count - 1 : 0);
    state->raw.count = 0;
    if (column->optional)
        put_levels(state, value);
    syn_bytes_put(&state->raw, &width, 1);
    bit_packed(&state->raw, width, drop_nulls(value, state->row_count), present_code, value);
    chunk->data_offset = state->offset;
    return write_page(writer, PAGE_DATA, ENCODING_RLE_DICTIONARY, state->row_count, chunk);
}

/* ---- row groups ---- */

static int write_column(struct syn_export_writer *writer, size_t which, struct chunk *chunk)
{
    struct state *state = writer->state;
    const struct syn_export_column *column = &syn_export_columns[which];
    if (column->type == SYN_COLUMN_TEXT)
        return write_text(writer, column, state->value[which], chunk);
    state->raw.count = 0;
    if (column->optional)
        put_levels(state, state->value[which]);
    const int64_t *value = state->value[which];
    const size_t bytes = column->type == SYN_COLUMN_INT32 ? 4 : 8;
    uint8_t *to = syn_bytes_reserve(&state->raw, state->row_count * bytes);
    if (to) {
        for (uint32_t i = 0; i < state->row_count; i++) {
            uint8_t word[8];
            if (column->optional && value[i] < 0)
                continue;
            syn_store64(word, (uint64_t)value[i]);
            memcpy(to, word, bytes);
            to += bytes;
            state->raw.count += bytes;
        }
    }
    chunk->data_offset = state->offset;
    return write_page(writer, PAGE_DATA, ENCODING_PLAIN, state->row_count, chunk);
}

static int write_group(struct syn_export_writer *writer)
{
    struct state *state = writer->state;
    if (state->row_count == 0)
        return 0;
    if (SYN_ROOM(state->group, state->group_capacity, state->group_count) != SYN_OK)
        return SYN_ENOMEM;
    struct group *group = &state->group[state->group_count++];
    *group = (struct group){.row_count = state->row_count};
    int status = 0;
    for (size_t i = 0; i < SYN_COLUMNS && status == SYN_OK; i++)
        status = write_column(writer, i, &group->chunk[i]);
    state->total_rows += state->row_count;
    state->row_count = 0;
    return status;
}

static int begin(struct syn_export_writer *writer)
{
    struct state *state = calloc(1, sizeof *state);
    writer->state = state;
    if (!state)
        return SYN_ENOMEM;
    for (size_t i = 0; i < SYN_COLUMNS; i++)
        if (!(state->value[i] = malloc(ROWS_A_GROUP * sizeof *state->value[i])))
            return SYN_ENOMEM;
    state->compressor = syn_compressor_new(ZSTD_LEVEL);
    return state->compressor ? put(writer, MAGIC, 4) : SYN_ENOMEM;
}

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    struct state *state = writer->state;
    for (size_t i = 0; i < SYN_COLUMNS; i++)
        state->value[i][state->row_count] = syn_export_columns[i].value(writer, row);
    return ++state->row_count == ROWS_A_GROUP ? write_group(writer) : 0;
}

/* ---- the file's metadata ---- */

/* Writes the metadata of a row group: those of each column, then the sums. */
static void row_group(struct syn_thrift *thrift, const struct group *group)
{
    uint64_t raw_bytes = 0;
    syn_thrift_struct(thrift, 0);
    syn_thrift_list(thrift, 1, SYN_THRIFT_STRUCT, SYN_COLUMNS);
    for (size_t i = 0; i < SYN_COLUMNS; i++) {
        const struct chunk *chunk = &group->chunk[i];
        syn_thrift_struct(thrift, 0);
        syn_thrift_number(
            thrift, 2, SYN_THRIFT_I64,
            (int64_t)(chunk->dictionary_offset ? chunk->dictionary_offset : chunk->data_offset));
        syn_thrift_struct(thrift, 3);
        const bool is_text = syn_export_columns[i].type == SYN_COLUMN_TEXT;
        syn_thrift_number(thrift, 1, SYN_THRIFT_I32, type_of(&syn_export_columns[i]));
        syn_thrift_list(thrift, 2, SYN_THRIFT_I32, is_text ? 3 : 2);
        syn_thrift_element(thrift, ENCODING_PLAIN);
        syn_thrift_element(thrift, ENCODING_RLE);
        if (is_text)
            syn_thrift_element(thrift, ENCODING_RLE_DICTIONARY);
        syn_thrift_list(thrift, 3, SYN_THRIFT_BINARY, 1);
        syn_thrift_string_element(thrift, syn_export_columns[i].name);
        syn_thrift_number(thrift, 4, SYN_THRIFT_I32, CODEC_ZSTD);
        syn_thrift_number(thrift, 5, SYN_THRIFT_I64, group->row_count);
        syn_thrift_number(thrift, 6, SYN_THRIFT_I64, (int64_t)chunk->raw_bytes);
        syn_thrift_number(thrift, 7, SYN_THRIFT_I64, (int64_t)chunk->bytes);
        syn_thrift_number(thrift, 9, SYN_THRIFT_I64, (int64_t)chunk->data_offset);
        if (is_text)
            syn_thrift_number(thrift, 11, SYN_THRIFT_I64, (int64_t)chunk->dictionary_offset);
        syn_thrift_end(thrift);
        syn_thrift_end(thrift);
        raw_bytes += chunk->raw_bytes;
    }
    syn_thrift_number(thrift, 2, SYN_THRIFT_I64, (int64_t)raw_bytes);
    syn_thrift_number(thrift, 3, SYN_THRIFT_I64, group->row_count);
    syn_thrift_end(thrift);
}

static int end(struct syn_export_writer *writer)
{
    struct state *state = writer->state;
    int status = write_group(writer);
    struct syn_bytes *out = &state->head;
    uint8_t length[4];
    out->count = 0;
    struct syn_thrift thrift = syn_thrift_begin(out);
    syn_thrift_number(&thrift, 1, SYN_THRIFT_I32, 2);
    syn_thrift_list(&thrift, 2, SYN_THRIFT_STRUCT, SYN_COLUMNS + 1);
    syn_thrift_struct(&thrift, 0);
    syn_thrift_string(&thrift, 4, "calls");
    syn_thrift_number(&thrift, 5, SYN_THRIFT_I32, SYN_COLUMNS);
    syn_thrift_end(&thrift);
    for (size_t i = 0; i < SYN_COLUMNS; i++) {
        const struct syn_export_column *column = &syn_export_columns[i];
        syn_thrift_struct(&thrift, 0);
        syn_thrift_number(&thrift, 1, SYN_THRIFT_I32, type_of(column));
        syn_thrift_number(&thrift, 3, SYN_THRIFT_I32, column->optional ? OPTIONAL : REQUIRED);
        syn_thrift_string(&thrift, 4, column->name);
        if (column->type == SYN_COLUMN_TEXT)
            syn_thrift_number(&thrift, 6, SYN_THRIFT_I32, CONVERTED_UTF8);
        syn_thrift_end(&thrift);
    }
    syn_thrift_number(&thrift, 3, SYN_THRIFT_I64, (int64_t)state->total_rows);
    syn_thrift_list(&thrift, 4, SYN_THRIFT_STRUCT, (uint32_t)state->group_count);
    for (size_t i = 0; i < state->group_count; i++)
        row_group(&thrift, &state->group[i]);
    syn_thrift_string(&thrift, 6, "syncopate version " SYN_VERSION);
    syn_thrift_end(&thrift);
    if (out->failed)
        return SYN_ENOMEM;
    syn_store32(length, (uint32_t)out->count);
    SYN_STEP(status, put(writer, out->data, out->count));
    SYN_STEP(status, put(writer, length, sizeof length));
    return status != SYN_OK ? status : put(writer, MAGIC, 4);
}

static void release(struct syn_export_writer *writer)
{
    struct state *state = writer->state;
    if (!state)
        return;
    for (size_t i = 0; i < SYN_COLUMNS; i++)
        free(state->value[i]);
    free(state->group);
    free(state->code);
    syn_compressor_free(state->compressor);
    syn_bytes_free(&state->raw);
    syn_bytes_free(&state->page);
    syn_bytes_free(&state->head);
    free(state);
    writer->state = NULL;
}

const struct syn_export_format syn_export_parquet = {.name = "parquet",
                                                     .begin = begin,
                                                     .row = write_row,
                                                     .end = end,
                                                     .close = release,
                                                     .with_instances = true};
