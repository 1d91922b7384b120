/* analyze/match/columns/column.c - a column of numbers, packed in blocks. Blocks beyond the memory
 * budget go to a temporary file, so that memory does not grow with the trace.
 *
 * A packed number is its distance from the block's base (its smallest number), in 0, 1, 2, 4 or 8
 * bytes. The numbers after the last full block are the tail. */
#include "analyze/match/columns/column.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/columns/packing.h"
#include "analyze/match/columns/scratch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/ends.h"

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

/* Writes a packed block to the store's file, and sets block->at. */
static int write_to_file(struct syn_store *store, struct syn_block *block, const void *packed,
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

/* Packs a block, in memory if the budget allows it, else in the file. */
static int store_block(struct syn_store *store, struct syn_block *block, const int64_t *values)
{
    size_t bytes = (size_t)block->width * SYN_BLOCK_VALUES;
    if (bytes == 0)
        return 0;
    if (atomic_fetch_add(&store->used_bytes, bytes) + bytes > store->budget_bytes) {
        uint64_t packed[SYN_BLOCK_VALUES];
        atomic_fetch_sub(&store->used_bytes, bytes);
        syn_pack(values, SYN_BLOCK_VALUES, block->base, block->width, packed);
        return write_to_file(store, block, packed, bytes);
    }
    block->at.memory = malloc(bytes);
    if (!block->at.memory)
        return SYN_ENOMEM;
    syn_pack(values, SYN_BLOCK_VALUES, block->base, block->width, block->at.memory);
    return 0;
}

/* Adds a full block to the column. */
static int add_block(struct syn_column *column, struct syn_store *store, const int64_t *values)
{
    if ((column->block_count & (column->block_count - 1)) == 0) {
        size_t capacity = column->block_count ? 2 * (size_t)column->block_count : 1;
        struct syn_block *blocks = realloc(column->block, capacity * sizeof *blocks);
        if (!blocks)
            return SYN_ENOMEM;
        column->block = blocks;
    }
    struct syn_ends ends = syn_ends_of(values, SYN_BLOCK_VALUES);
    struct syn_block block = (struct syn_block){
        .base = ends.least,
        .most = ends.largest,
        .width = syn_packed_width((uint64_t)ends.largest - (uint64_t)ends.least)};
    int status = store_block(store, &block, values);
    if (status == SYN_OK)
        column->block[column->block_count++] = block;
    return status;
}

/* ---- the tail ---- */

static size_t tail_count(const struct syn_column *column)
{
    return column->count - (size_t)column->block_count * SYN_BLOCK_VALUES;
}

/* Reads values of the tail. */
static void read_tail(const struct syn_column *column, size_t first, size_t count, int64_t *out)
{
    if (column->is_packed)
        syn_unpack(column->width ? (const char *)column->packed + first * column->width : NULL,
                   count, column->base, column->width, out);
    else
        memcpy(out, column->value + first, count * sizeof *out);
}

/* ---- plain columns, without a store ---- */

/* Capacity of a plain column. It starts small, as a slice may have very many groups with few
 * instances each. Once it is large it grows by a factor of 4. RATIONALE: memory that is never
 * written is free, but each growth may copy the column. */
#define CAPACITY_LEAST 8
#define CAPACITY_LARGE ((size_t)1 << 16)

static int reserve(struct syn_column *column, size_t wanted)
{
    if (wanted <= column->capacity)
        return 0;
    size_t capacity = column->capacity < SYN_BLOCK_VALUES ? 2 * column->capacity
                                                          : column->capacity + column->capacity / 2;
    if (column->capacity >= CAPACITY_LARGE)
        capacity = 4 * column->capacity;
    capacity = syn_largest((size_t)CAPACITY_LEAST, capacity);
    capacity = syn_largest(wanted, capacity);
    int64_t *values = realloc(column->value, capacity * sizeof *values);
    if (!values)
        return SYN_ENOMEM;
    column->value = values;
    column->capacity = capacity;
    return 0;
}

void syn_column_drop_first(struct syn_column *column, size_t count)
{
    column->count -= count;
    if (count > 0 && column->count > 0)
        memmove(column->value, column->value + count, column->count * sizeof *column->value);
}

/* ---- packed columns, with a store ---- */

static uint64_t largest_of_width(uint8_t width)
{
    return width >= sizeof(uint64_t) ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

static int reserve_packed(struct syn_column *column, size_t bytes)
{
    if (bytes <= column->capacity)
        return 0;
    /* malloc has room for multiples of 16 bytes, but for one word that it keeps. */
    const size_t capacity =
        ((syn_largest(bytes, 2 * column->capacity) + sizeof(void *) + 15) & ~(size_t)15) -
        sizeof(void *);
    void *packed = realloc(column->packed, capacity);
    if (!packed)
        return SYN_ENOMEM;
    column->packed = packed;
    column->capacity = capacity;
    return 0;
}

/* Packs the whole tail again. RATIONALE: numbers that fall below the base are often followed by
 * smaller ones, each of which would need another packing. So a base that falls is set lower than
 * needed: by half of what the width has to spare. */
static int pack_tail(struct syn_column *column, const int64_t *values, size_t count)
{
    const struct syn_ends ends = syn_ends_of(values, count);
    const uint64_t span = (uint64_t)ends.largest - (uint64_t)ends.least;
    const uint8_t width = syn_packed_width(span);
    const uint64_t spare = (largest_of_width(width) - span) / 2;
    const bool is_falling = tail_count(column) > 0 && ends.least < column->base &&
                            (uint64_t)ends.least - (uint64_t)INT64_MIN >= spare;
    if (reserve_packed(column, count * width))
        return SYN_ENOMEM;
    column->base = is_falling ? (int64_t)((uint64_t)ends.least - spare) : ends.least;
    column->width = width;
    syn_pack(values, count, column->base, width, column->packed);
    return 0;
}

/* Appends to the tail. The tail and the new numbers are less than a block.
 *
 * Plan: if the numbers fit the tail's base and width, pack them behind it; else unpack the tail,
 * and pack all again. */
static int append_packed(struct syn_column *column, const int64_t *values, size_t count)
{
    const size_t tail = tail_count(column), at = tail * column->width;
    const struct syn_ends ends = syn_ends_of(values, count);
    int64_t all[SYN_BLOCK_VALUES];
    int status = 0;
    if (tail > 0 && ends.least >= column->base &&
        (uint64_t)ends.largest - (uint64_t)column->base <= largest_of_width(column->width)) {
        status = reserve_packed(column, at + count * column->width);
        if (status == SYN_OK && column->width > 0)
            syn_pack(values, count, column->base, column->width, (char *)column->packed + at);
    } else if (tail == 0) {
        status = pack_tail(column, values, count);
    } else {
        read_tail(column, 0, tail, all);
        memcpy(all + tail, values, count * sizeof *values);
        status = pack_tail(column, all, tail + count);
    }
    column->count += status == SYN_OK ? count : 0;
    return status;
}

/* Turns the tail and the values that it lacks into a full block. */
static int complete_block(struct syn_column *column, struct syn_store *store, const int64_t *values)
{
    const size_t tail = tail_count(column), lacking = SYN_BLOCK_VALUES - tail;
    int64_t all[SYN_BLOCK_VALUES];
    if (tail > 0) {
        read_tail(column, 0, tail, all);
        memcpy(all + tail, values, lacking * sizeof *values);
    }
    const int status = add_block(column, store, tail > 0 ? all : values);
    column->count += status == SYN_OK ? lacking : 0;
    return status;
}

static int append_plain(struct syn_column *column, const int64_t *values, size_t count)
{
    if (reserve(column, column->count + count))
        return SYN_ENOMEM;
    memcpy(column->value + column->count, values, count * sizeof *values);
    column->count += count;
    return 0;
}

int syn_column_append_all(struct syn_column *column, struct syn_store *store, const int64_t *values,
                          size_t count)
{
    int status = 0;
    if (!store)
        return count > 0 ? append_plain(column, values, count) : 0;
    column->is_packed = true;
    while (count > 0 && status == SYN_OK) {
        const size_t lacking = SYN_BLOCK_VALUES - tail_count(column);
        const size_t part = syn_least(count, lacking);
        status = part == lacking ? complete_block(column, store, values)
                                 : append_packed(column, values, part);
        values += part;
        count -= part;
    }
    return status;
}

/* Unpacks `count` values of a block, from `first` on. */
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

int syn_column_read(const struct syn_column *column, const struct syn_store *store, size_t first,
                    size_t count, int64_t *out)
{
    const size_t blocks_end = column->count - tail_count(column);
    if (first > column->count || count > column->count - first)
        return SYN_EINVAL;
    while (count > 0 && first < blocks_end) {
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
        read_tail(column, first - blocks_end, count, out);
    return 0;
}

/* Extends the range *least to *most. */
static void widen(struct syn_ends ends, int64_t *least, int64_t *most)
{
    *least = syn_least(ends.least, *least);
    *most = syn_largest(ends.largest, *most);
}

/* Extends the range by the tail's values from `first` to `end`. */
static void widen_by_tail(const struct syn_column *column, size_t first, size_t end, int64_t *least,
                          int64_t *most)
{
    int64_t value[SYN_BLOCK_VALUES];
    if (!column->is_packed) {
        widen(syn_ends_of(column->value + first, end - first), least, most);
        return;
    }
    for (size_t i = first; i < end; i += SYN_BLOCK_VALUES) {
        const size_t count = syn_least(end - i, SYN_BLOCK_VALUES);
        read_tail(column, i, count, value);
        widen(syn_ends_of(value, count), least, most);
    }
}

void syn_column_range(const struct syn_column *column, size_t first, size_t count, int64_t *least,
                      int64_t *most)
{
    size_t blocks_end = column->count - tail_count(column);
    *least = INT64_MAX;
    *most = INT64_MIN;
    for (size_t b = first / SYN_BLOCK_VALUES;
         b < column->block_count && b * SYN_BLOCK_VALUES < first + count; b++)
        widen((struct syn_ends){column->block[b].base, column->block[b].most}, least, most);
    if (first + count > blocks_end)
        widen_by_tail(column, first > blocks_end ? first - blocks_end : 0,
                      first + count - blocks_end, least, most);
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
        status = write_to_file(store, block, packed, bytes);
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

void syn_column_free(struct syn_column *column)
{
    for (size_t b = 0; b < column->block_count; b++)
        if (!column->block[b].in_file)
            free(column->block[b].at.memory);
    free(column->block);
    free(column->value);
    *column = (struct syn_column){0};
}
