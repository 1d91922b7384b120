/* analyze/match/column.c - one number an instance, packed in blocks. Blocks beyond the budget go
 * to a temporary file, so that memory does not grow with the trace. */
#include "analyze/match/column.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/packing.h"
#include "analyze/match/scratch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/ends.h"

void syn_store_init(struct syn_store *store, size_t budget_bytes)
{
    *store = (struct syn_store){.budget_bytes = budget_bytes, .file = -1};
}

void syn_store_close(struct syn_store *store)
{
    if (store->file >= 0)
        close(store->file);
    store->file = -1;
}

/* ---- blocks ---- */

static int place_in_file(struct syn_store *store, struct syn_block *block, const void *packed,
                         size_t bytes)
{
    int status = store->file < 0 ? syn_scratch_open(&store->file) : 0;
    if (status == SYN_OK) {
        block->at.offset = atomic_fetch_add(&store->spilled_bytes, bytes);
        block->in_file = true;
        status = syn_scratch_write(store->file, packed, bytes, block->at.offset);
    }
    return status;
}

static int place(struct syn_store *store, struct syn_block *block, const int64_t *values)
{
    size_t bytes = (size_t)block->width * SYN_BLOCK_VALUES;
    if (bytes == 0)
        return 0;
    if (atomic_fetch_add(&store->used_bytes, bytes) + bytes > store->budget_bytes) {
        uint64_t packed[SYN_BLOCK_VALUES];
        atomic_fetch_sub(&store->used_bytes, bytes);
        syn_pack(values, SYN_BLOCK_VALUES, block->base, block->width, packed);
        return place_in_file(store, block, packed, bytes);
    }
    block->at.memory = malloc(bytes);
    if (!block->at.memory)
        return SYN_ENOMEM;
    syn_pack(values, SYN_BLOCK_VALUES, block->base, block->width, block->at.memory);
    return 0;
}

/* The smallest of the values and the largest, and how many bytes hold what is between. */
static struct syn_block measure(const int64_t *values, size_t count)
{
    struct syn_ends ends = syn_ends_of(values, count);
    return (struct syn_block){.base = ends.least,
                              .most = ends.largest,
                              .width =
                                  syn_packed_width((uint64_t)ends.largest - (uint64_t)ends.least)};
}

static int seal(struct syn_column *column, struct syn_store *store, const int64_t *values)
{
    if ((column->block_count & (column->block_count - 1)) == 0) {
        size_t capacity = column->block_count ? 2 * column->block_count : 1;
        struct syn_block *blocks = realloc(column->block, capacity * sizeof *blocks);
        if (!blocks)
            return SYN_ENOMEM;
        column->block = blocks;
    }
    struct syn_block block = measure(values, SYN_BLOCK_VALUES);
    int status = place(store, &block, values);
    if (status == SYN_OK)
        column->block[column->block_count++] = block;
    return status;
}

/* What a slice has of one of very many groups is short. */
#define CAPACITY_LEAST 8

static int reserve(struct syn_column *column, size_t wanted)
{
    if (wanted <= column->capacity)
        return 0;
    size_t capacity = column->capacity < SYN_BLOCK_VALUES ? 2 * column->capacity
                                                          : column->capacity + column->capacity / 2;
    capacity = syn_largest((size_t)CAPACITY_LEAST, capacity);
    capacity = syn_largest(wanted, capacity);
    int64_t *values = realloc(column->value, capacity * sizeof *values);
    if (!values)
        return SYN_ENOMEM;
    column->value = values;
    column->capacity = capacity;
    return 0;
}

int syn_column_expect(struct syn_column *column, size_t count)
{
    if (column->count + count <= column->capacity)
        return 0;
    int64_t *values = realloc(column->value, (column->count + count) * sizeof *values);
    if (!values)
        return SYN_ENOMEM;
    column->value = values;
    column->capacity = column->count + count;
    return 0;
}

static size_t tail_count(const struct syn_column *column)
{
    return column->count - column->block_count * SYN_BLOCK_VALUES;
}

void syn_column_drop_first(struct syn_column *column, size_t count)
{
    column->count -= count;
    if (count > 0 && column->count > 0)
        memmove(column->value, column->value + count, column->count * sizeof *column->value);
}

void syn_column_trim(struct syn_column *column)
{
    const size_t count = tail_count(column);
    int64_t *values = count > 0 && count < column->capacity
                          ? realloc(column->value, count * sizeof *values)
                          : NULL;
    if (!values)
        return;
    column->value = values;
    column->capacity = count;
}

int syn_column_append_all(struct syn_column *column, struct syn_store *store, const int64_t *values,
                          size_t count)
{
    while (count > 0) {
        size_t tail = tail_count(column);
        size_t part = store && count > SYN_BLOCK_VALUES - tail ? SYN_BLOCK_VALUES - tail : count;
        if (store && tail == 0 && part == SYN_BLOCK_VALUES) {
            int status = seal(column, store, values);
            if (status != SYN_OK)
                return status;
        } else {
            if (reserve(column, tail + part))
                return SYN_ENOMEM;
            memcpy(column->value + tail, values, part * sizeof *values);
            int status =
                store && tail + part == SYN_BLOCK_VALUES ? seal(column, store, column->value) : 0;
            if (status != SYN_OK)
                return status;
        }
        column->count += part;
        values += part;
        count -= part;
    }
    return 0;
}

static int read_block(const struct syn_block *block, const struct syn_store *store, size_t first,
                      size_t count, int64_t *out)
{
    uint64_t packed[SYN_BLOCK_VALUES];
    const char *from = block->at.memory;
    size_t skipped = first * block->width;
    if (block->in_file) {
        if (syn_scratch_read(store->file, (char *)packed + skipped, count * block->width,
                             block->at.offset + skipped))
            return SYN_EIO;
        from = (const char *)packed;
    }
    syn_unpack(block->width ? from + skipped : NULL, count, block->base, block->width, out);
    return 0;
}

static bool is_counted_only(const struct syn_column *column)
{
    return !column->value && tail_count(column) > 0;
}

int syn_column_read(const struct syn_column *column, const struct syn_store *store, size_t first,
                    size_t count, int64_t *out)
{
    if (first > column->count || count > column->count - first || is_counted_only(column))
        return SYN_EINVAL;
    while (count > 0 && first < column->block_count * SYN_BLOCK_VALUES) {
        size_t within = first % SYN_BLOCK_VALUES;
        size_t part = SYN_BLOCK_VALUES - within < count ? SYN_BLOCK_VALUES - within : count;
        int status = read_block(&column->block[first / SYN_BLOCK_VALUES], store, within, part, out);
        if (status != SYN_OK)
            return status;
        first += part;
        count -= part;
        out += part;
    }
    if (count > 0)
        memcpy(out, column->value + (first - column->block_count * SYN_BLOCK_VALUES),
               count * sizeof *out);
    return 0;
}

void syn_column_range(const struct syn_column *column, size_t first, size_t count, int64_t *least,
                      int64_t *most)
{
    size_t blocks_end = column->block_count * SYN_BLOCK_VALUES;
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (size_t b = first / SYN_BLOCK_VALUES;
         b < column->block_count && b * SYN_BLOCK_VALUES < first + count; b++) {
        *least = column->block[b].base < *least ? column->block[b].base : *least;
        *most = column->block[b].most > *most ? column->block[b].most : *most;
    }
    if (first + count <= blocks_end)
        return;
    size_t from = first > blocks_end ? first - blocks_end : 0;
    struct syn_ends ends = syn_ends_of(column->value + from, first + count - blocks_end - from);
    *least = ends.least < *least ? ends.least : *least;
    *most = ends.largest > *most ? ends.largest : *most;
}

int syn_column_spill(struct syn_column *column, struct syn_store *store)
{
    int status = 0;
    for (size_t b = 0; b < column->block_count && status == SYN_OK; b++) {
        struct syn_block *block = &column->block[b];
        const size_t bytes = (size_t)block->width * SYN_BLOCK_VALUES;
        void *packed = block->at.memory;
        if (block->in_file || bytes == 0)
            continue;
        status = place_in_file(store, block, packed, bytes);
        if (status != SYN_OK) {
            block->in_file = false;
            block->at.memory = packed;
        } else {
            atomic_fetch_sub(&store->used_bytes, bytes);
            free(packed);
        }
    }
    return status;
}

/* ---- to another process ---- */

static int put_values(const int64_t *values, size_t count, struct syn_bytes *out)
{
    uint64_t packed[SYN_BLOCK_VALUES];
    struct syn_block block = measure(values, count);
    syn_pack(values, count, block.base, block.width, packed);
    syn_bytes_put_zigzag(out, block.base);
    syn_bytes_put_varint(out, block.width);
    syn_bytes_put(out, packed, block.width * count);
    return out->failed ? SYN_ENOMEM : 0;
}

/* A block as put_values would put what is in it: packed as it is. */
static int put_block(const struct syn_block *block, const struct syn_store *store,
                     struct syn_bytes *out)
{
    uint64_t packed[SYN_BLOCK_VALUES];
    const size_t bytes = (size_t)block->width * SYN_BLOCK_VALUES;
    const void *from = block->at.memory;
    if (block->in_file) {
        if (syn_scratch_read(store->file, packed, bytes, block->at.offset))
            return SYN_EIO;
        from = packed;
    }
    syn_bytes_put_zigzag(out, block->base);
    syn_bytes_put_varint(out, block->width);
    if (bytes > 0)
        syn_bytes_put(out, from, bytes);
    return out->failed ? SYN_ENOMEM : 0;
}

int syn_column_put(const struct syn_column *column, const struct syn_store *store,
                   struct syn_bytes *out)
{
    const size_t tail = tail_count(column);
    int status = 0;
    syn_bytes_put_varint(out, column->count);
    for (size_t b = 0; b < column->block_count && status == SYN_OK; b++)
        status = put_block(&column->block[b], store, out);
    for (size_t i = 0; i < tail && status == SYN_OK; i += SYN_BLOCK_VALUES)
        status = put_values(column->value + i, syn_least(tail - i, SYN_BLOCK_VALUES), out);
    return out->failed ? SYN_ENOMEM : status;
}

int syn_column_take(struct syn_take *take, struct syn_store *store, struct syn_column *column)
{
    int64_t value[SYN_BLOCK_VALUES];
    uint64_t packed[SYN_BLOCK_VALUES];
    size_t left = syn_take_varint(take);
    if (!store && left <= syn_take_left(take) * SYN_BLOCK_VALUES && reserve(column, left))
        return SYN_ENOMEM;
    while (left > 0 && !take->failed) {
        size_t count = syn_least(left, SYN_BLOCK_VALUES);
        struct syn_block block = {.base = syn_take_zigzag(take)};
        block.width = (uint8_t)syn_take_bounded(take, 8);
        const uint8_t *bytes = syn_take_bytes(take, block.width * count);
        if (!bytes)
            break;
        memcpy(packed, bytes, block.width * count);
        syn_unpack(packed, count, block.base, block.width, value);
        int status = syn_column_append_all(column, store, value, count);
        if (status != SYN_OK)
            return status;
        left -= count;
    }
    return take->failed ? SYN_ETRANSPORT : 0;
}

void syn_column_put_count(const struct syn_column *column, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, column->count);
}

void syn_column_take_count(struct syn_take *take, struct syn_column *column)
{
    *column = (struct syn_column){.count = syn_take_varint(take)};
}

void syn_column_free(struct syn_column *column)
{
    for (size_t b = 0; b < column->block_count; b++)
        if (!column->block[b].in_file)
            free(column->block[b].at.memory);
    free(column->block);
    free(column->value);
    *column = (struct syn_column){0};
}
