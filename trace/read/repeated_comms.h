/* trace/read/repeated_comms.h - communicators that repeat an earlier one: another duplicate of the
 * same parent, with the same members. Only their numbers differ. A program may make and free such
 * communicators without end, so a rank's file has only a few bytes for each of them. */
#ifndef SYN_REPEATED_COMMS_H
#define SYN_REPEATED_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/base/arena.h"
#include "sync/base/bytes.h"
#include "trace/base/records.h"

struct syn_repeated_comm {
    uint32_t base; /* index of the communicator that it repeats, which has a record of its own */
    uint32_t index;
    int64_t further; /* difference from the base, in the id and in the number within the name */
};

#define SYN_REPEATED_COMM_BYTES_MAX ((size_t)3 * SYN_VARINT_MAX_BYTES)
/* A repeated communicator as encoded in a rank's file, in place of a whole record (syn_put_comm).
 * All zeros: none yet. */
struct syn_repeated_comm_written {
    struct syn_repeated_comm repeated;
    uint8_t record[SYN_REPEATED_COMM_BYTES_MAX];
    size_t bytes;      /* of the record */
    size_t further_at; /* offset of `further` in the record */
};
/* Encodes the next repeated communicator. Mostly only two bytes of the record before are
 * changed. */
void syn_repeated_comm_write(struct syn_repeated_comm_written *written,
                             const struct syn_repeated_comm *repeated);
/* Returns true if a repeated communicator comes next, false for a whole record. */
bool syn_repeated_comm_follows(const struct syn_take *take);
/* Returns 0 or SYN_EDAMAGED. */
int syn_take_repeated_comm(struct syn_take *take, struct syn_repeated_comm *out);
/* Makes the whole record of a repeated communicator. The arena owns the text; the members are the
 * base's. Returns 0, SYN_EDAMAGED or SYN_ENOMEM. */
int syn_repeated_comm_record(const struct syn_repeated_comm *repeated,
                             const struct syn_comm_record *base, struct syn_arena *arena,
                             struct syn_comm_record *out);

#endif
