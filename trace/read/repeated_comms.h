/* trace/read/repeated_comms.h - communicators that repeat one declared before: another duplicate of
 * the same parent, with the same members. Only their numbers differ. A program may make and free
 * such communicators for ever, so a rank's file has only these few bytes of each. */
#ifndef SYN_REPEATED_COMMS_H
#define SYN_REPEATED_COMMS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/base/arena.h"
#include "sync/base/bytes.h"
#include "trace/base/records.h"

struct syn_repeated_comm {
    uint32_t base; /* index of the one that it resembles, which has a record of its own */
    uint32_t index;
    int64_t further; /* its id minus the base's, and the number in its name minus that there */
};

#define SYN_REPEATED_COMM_BYTES_MAX ((size_t)3 * SYN_VARINT_MAX_BYTES)
/* A repeated communicator as a rank's file has it, instead of a whole record (syn_put_comm).
 * Zeroed: none yet. */
struct syn_repeated_comm_written {
    struct syn_repeated_comm repeated;
    uint8_t record[SYN_REPEATED_COMM_BYTES_MAX];
    size_t bytes;      /* of the record */
    size_t further_at; /* where in it `further` begins */
};
/* Writes the next one. It mostly differs from the one before it in two bytes. */
void syn_repeated_comm_write(struct syn_repeated_comm_written *written,
                             const struct syn_repeated_comm *repeated);
/* Tells whether a repeated communicator comes next, and no whole record. */
bool syn_repeated_comm_follows(const struct syn_take *take);
/* Returns 0 or SYN_EDAMAGED. */
int syn_take_repeated_comm(struct syn_take *take, struct syn_repeated_comm *out);
/* Makes its whole record. The arena owns the text; the members are the base's. Returns
 * 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_repeated_comm_record(const struct syn_repeated_comm *repeated,
                             const struct syn_comm_record *base, struct syn_arena *arena,
                             struct syn_comm_record *out);

#endif
