/* trace/read/siblings.h - communicators that differ from one declared before them by their number
 * alone: the next duplicate of the same parent, with the same members. A program may make and free
 * those for ever; of each, its rank's file says so much and no more. */
#ifndef SYN_SIBLINGS_H
#define SYN_SIBLINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/base/arena.h"
#include "sync/base/bytes.h"
#include "trace/base/records.h"

struct syn_sibling {
    uint32_t base; /* index of the one that it resembles, which has a record of its own */
    uint32_t index;
    int64_t further; /* its id minus the base's, and the number in its name minus that there */
};

#define SYN_SIBLING_BYTES_MAX ((size_t)3 * SYN_VARINT_MAX_BYTES)
/* A sibling as its rank's file has it, in the place of a whole record (syn_put_comm). All zeros:
 * none yet. */
struct syn_sibling_written {
    struct syn_sibling sibling;
    uint8_t record[SYN_SIBLING_BYTES_MAX];
    size_t bytes;      /* of the record */
    size_t further_at; /* where in it `further` begins */
};
/* `written` becomes this one. What it was before is mostly the one before it, from which it differs
 * in two bytes. */
void syn_sibling_write(struct syn_sibling_written *written, const struct syn_sibling *sibling);
/* Is it one of these, and no whole record, that comes next? */
bool syn_sibling_follows(const struct syn_take *take);
/* Returns 0 or SYN_EDAMAGED. */
int syn_take_sibling(struct syn_take *take, struct syn_sibling *out);
/* Makes the sibling's whole record. The text is of the arena, the members are the base's. Returns
 * 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_sibling_record(const struct syn_sibling *sibling, const struct syn_comm_record *base,
                       struct syn_arena *arena, struct syn_comm_record *out);

#endif
