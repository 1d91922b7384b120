/* analyze/match/columns/column.h - columns of numbers that may be longer than memory.
 *
 * Full blocks of a column go to a store: packed (the smallest number of the block, and what each is
 * above it in as few bytes as hold the largest), in memory up to a budget and in a temporary file
 * beyond. A block is written once and never changes, so that any number of threads may read. What
 * is behind the full blocks, which is all of a short column, is packed in the same way. A column
 * without a store is a plain array. */
#ifndef SYN_MATCH_COLUMN_H
#define SYN_MATCH_COLUMN_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

#define SYN_BLOCK_VALUES 1024

struct syn_store {
    size_t budget_bytes; /* of blocks in memory */
    _Atomic size_t used_bytes;
    _Atomic uint64_t spilled_bytes;
    int file; /* unlinked; -1: none yet */
};

struct syn_block {
    int64_t base, most; /* smallest and largest value */
    union {
        void *memory;    /* owned; NULL where width is 0 */
        uint64_t offset; /* in the store's file */
    } at;
    uint8_t width; /* bytes a value: 0, 1, 2, 4, 8 */
    bool in_file;
};

struct syn_column {
    union {
        int64_t *value; /* all of them, of a column without a store */
        void *packed;   /* those behind the blocks, where is_packed */
    };
    size_t count;            /* in blocks and behind them */
    size_t capacity;         /* values, or with a store bytes of what is packed */
    struct syn_block *block; /* [block_count], of SYN_BLOCK_VALUES each */
    int64_t base;            /* of what is packed behind the blocks, as of a block; */
    uint8_t width;           /*   likewise */
    bool is_packed;          /* set by the first value that came with a store */
    uint32_t block_count;
};

/* {0} is not enough: the store has no file yet. */
void syn_store_init(struct syn_store *store, size_t budget_bytes);
void syn_store_close(struct syn_store *store);

/* Append; full blocks go to `store`, NULL: none do. Returns 0, SYN_ENOMEM, or SYN_EIO (errno) where
 * the temporary file (scratch.h) cannot be made or written. */
int syn_column_append_all(struct syn_column *column, struct syn_store *store, const int64_t *values,
                          size_t count);
static inline int syn_column_append(struct syn_column *column, struct syn_store *store,
                                    int64_t value)
{
    /* without a store there are no blocks */
    if (store || __builtin_expect(column->count == column->capacity, 0))
        return syn_column_append_all(column, store, &value, 1);
    column->value[column->count++] = value;
    return 0;
}
/* Without its first values, of which there are so many: of a column without a store. */
void syn_column_drop_first(struct syn_column *column, size_t count);
/* Values first .. first + count - 1 into out [count], caller-owned. `store` is what was appended
 * with. Returns 0, SYN_EINVAL beyond the end, SYN_EIO. */
int syn_column_read(const struct syn_column *column, const struct syn_store *store, size_t first,
                    size_t count, int64_t *out);
/* Smallest and largest of values first .. first + count - 1 (count >= 1), or of a little more:
 * whole blocks are not opened. */
void syn_column_range(const struct syn_column *column, size_t first, size_t count, int64_t *least,
                      int64_t *most);
/* Its blocks in memory to the store's file. Nobody else may read meanwhile. Returns 0 or SYN_EIO.
 */
int syn_column_spill(struct syn_column *column, struct syn_store *store);
void syn_column_free(struct syn_column *column);

#endif
