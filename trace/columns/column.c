/* trace/columns/column.c - see column.h. */
#include "trace/columns/column.h"

#include "sync/base/integers.h"
#include "trace/base/frame.h"
#include "trace/columns/times.h"

#define WIDTH_MAX sizeof(uint32_t)

static bool are_magnitudes(uint8_t encoding)
{
    return encoding >= SYN_ENCODING_MAGNITUDES && encoding < SYN_ENCODING_COUNT;
}

/* ---- finding ---- */

static bool find_column(struct syn_take *take, size_t most, struct syn_chunk_column *column)
{
    column->is_there = true;
    column->encoding = (uint8_t)syn_take_bounded(take, SYN_ENCODING_COUNT - 1);
    column->count = (size_t)syn_take_bounded(take, most);
    if (take->failed)
        return false;
    if (are_magnitudes(column->encoding)) {
        column->unit = syn_take_varint(take);
        column->data = syn_take_bytes(take, column->count);
        if (!column->data)
            return false;
        const uint64_t bits = syn_times_bit_count(column->data, column->count);
        column->bits = syn_take_bytes(take, (size_t)(bits + 7) / 8);
    } else if (column->encoding == SYN_ENCODING_BYTES) {
        column->least = syn_take_varint(take);
        column->width = syn_take_bounded(take, WIDTH_MAX);
        column->data = syn_take_bytes(take, column->width * column->count);
    } else {
        column->data = take->at;
        for (size_t i = 0; i < column->count && !take->failed; i++)
            syn_take_varint(take);
    }
    column->end = take->at;
    return !take->failed;
}

bool syn_columns_split(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                       struct syn_chunk_column columns[SYN_COLUMN_COUNT])
{
    struct syn_take take = syn_take_from(raw, raw_bytes);
    memset(columns, 0, SYN_COLUMN_COUNT * sizeof *columns);
    while (syn_take_left(&take) > 0) {
        const uint64_t name = syn_take_bounded(&take, SYN_COLUMN_COUNT - 1);
        const bool is_of_samples = name >= SYN_COLUMN_SAMPLE_PLACE && name < SYN_COLUMN_ORDER;
        const size_t most = is_of_samples ? (size_t)SYN_CHUNK_SAMPLES_MAX : event_count;
        if (take.failed || columns[name].is_there || !find_column(&take, most, &columns[name]))
            return false;
    }
    return true;
}

/* ---- writing ---- */

void syn_column_begin(struct syn_bytes *out, int name, enum syn_encoding encoding, size_t count)
{
    syn_bytes_put_varint(out, (uint64_t)name);
    syn_bytes_put_varint(out, encoding);
    syn_bytes_put_varint(out, count);
}

void syn_column_begin_planes(struct syn_bytes *out, int name, size_t count, uint64_t least,
                             size_t width)
{
    syn_column_begin(out, name, SYN_ENCODING_BYTES, count);
    syn_bytes_put_varint(out, least);
    syn_bytes_put_varint(out, width);
}

void syn_column_put_differences(struct syn_bytes *out, int name, const int64_t *values,
                                size_t count)
{
    int64_t before = 0;
    syn_column_begin(out, name, SYN_ENCODING_DIFFERENCES, count);
    for (size_t i = 0; i < count; before = values[i++])
        syn_bytes_put_zigzag(out, syn_wrap_sub(values[i], before));
}

size_t syn_column_put_magnitudes(struct syn_bytes *out, int name, enum syn_encoding encoding,
                                 uint64_t unit, const int64_t *values, size_t count)
{
    syn_column_begin(out, name, encoding, count);
    syn_bytes_put_varint(out, unit);
    return syn_times_put(values, count, out);
}

uint64_t syn_column_weight(const int64_t *values, size_t count)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t magnitude = values[i] < 0 ? 0 - (uint64_t)values[i] : (uint64_t)values[i];
        bits += magnitude ? 64 - (uint64_t)__builtin_clzll(magnitude) : 0;
    }
    return bits;
}

void syn_column_copy(struct syn_bytes *out, int name, const struct syn_chunk_column *column)
{
    if (column->encoding == SYN_ENCODING_BYTES)
        syn_column_begin_planes(out, name, column->count, column->least, column->width);
    else
        syn_column_begin(out, name, column->encoding, column->count);
    if (are_magnitudes(column->encoding))
        syn_bytes_put_varint(out, column->unit);
    syn_bytes_put(out, column->data, (size_t)(column->end - column->data));
}

/* ---- reading ---- */

bool syn_column_numbers(const struct syn_chunk_column *column, int64_t *values)
{
    const size_t count = column->count;
    if (column->encoding > SYN_ENCODING_BYTES)
        return count == 0;
    if (column->encoding == SYN_ENCODING_BYTES) {
        for (size_t i = 0; i < count; i++)
            values[i] = (int64_t)column->least;
        for (size_t k = 0; k < column->width; k++)
            for (size_t i = 0; i < count; i++)
                values[i] = syn_wrap_add(values[i], (int64_t)column->data[k * count + i] << 8 * k);
        return true;
    }
    struct syn_take take = {.at = column->data, .end = column->end};
    const bool is_difference = column->encoding == SYN_ENCODING_DIFFERENCES;
    int64_t value = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t number = syn_take_zigzag(&take);
        values[i] = value = is_difference ? syn_wrap_add(value, number) : number;
    }
    return true;
}

bool syn_column_magnitudes(const struct syn_chunk_column *column, int64_t *values)
{
    if (!are_magnitudes(column->encoding))
        return column->count == 0;
    syn_times_decode(syn_times_tables(), column->data, column->count, column->bits, 0, column->unit,
                     values);
    return true;
}

bool syn_column_places(const struct syn_chunk_column *column, size_t limit, uint32_t *places)
{
    struct syn_take take = {.at = column->data, .end = column->end};
    uint64_t place = 0;
    if (column->encoding != SYN_ENCODING_DIFFERENCES)
        return column->count == 0;
    for (size_t i = 0; i < column->count; i++) {
        const int64_t further = syn_take_zigzag(&take);
        if (further < (i > 0) || (uint64_t)further >= limit || place + (uint64_t)further >= limit)
            return false;
        places[i] = (uint32_t)(place += (uint64_t)further);
    }
    return true;
}
