/* analyze/match/columns/column.h - columns of numbers that may be longer than memory.
 *
 * A column has full blocks of 1,024 values and a tail. Blocks are packed: each value is stored as
 * its distance from the smallest one, in as few bytes as the largest distance needs. Blocks lie in
 * a store: in memory up to a budget, beyond it in a temporary file. A block never changes, so any
 * number of threads may read it. The tail is packed in the same way. A column without a store is a
 * plain array. */
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
        void *memory;    /* owned; NULL: width is 0 */
        uint64_t offset; /* in the store's file */
    } at;
    uint8_t width; /* bytes of a value: 0, 1, 2, 4 or 8 */
    bool in_file;
};

struct syn_column {
    union {
        int64_t *value; /* all values, if the column has no store */
        void *packed;   /* the tail, if is_packed */
    };
    size_t count;            /* values in blocks and tail */
    size_t capacity;         /* of `value`, in values; or of `packed`, in bytes */
    struct syn_block *block; /* [block_count], of SYN_BLOCK_VALUES each */
    int64_t base;            /* of the tail, as in a block */
    uint8_t width;           /* of the tail, as in a block */
    bool is_packed;          /* values were appended with a store */
    uint32_t block_count;
};

/* Makes an empty store. {0} is not one, since its file would be descriptor 0. */
void syn_store_init(struct syn_store *store, size_t budget_bytes);
void syn_store_close(struct syn_store *store);

/* Appends values. `store` is NULL if the column has none. Returns 0, SYN_ENOMEM, or SYN_EIO (errno)
 * if the temporary file (scratch.h) cannot be made or written. */
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
/* Removes the first `count` values of a column without a store. */
void syn_column_drop_first(struct syn_column *column, size_t count);
/* Copies values first .. first + count - 1 to out [count]. `store` is that of the appends. Returns
 * 0, SYN_EINVAL beyond the end, or SYN_EIO. */
int syn_column_read(const struct syn_column *column, const struct syn_store *store, size_t first,
                    size_t count, int64_t *out);
/* Finds the smallest and the largest of values first .. first + count - 1 (count >= 1). A block
 * counts as a whole, so the range may be a little too large. */
void syn_column_range(const struct syn_column *column, size_t first, size_t count, int64_t *least,
                      int64_t *most);
/* Moves the column's blocks from memory to the store's file. No other thread may read the column
 * meanwhile. Returns 0 or SYN_EIO. */
int syn_column_spill(struct syn_column *column, struct syn_store *store);
void syn_column_free(struct syn_column *column);

#endif
