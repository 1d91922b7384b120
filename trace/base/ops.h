/* trace/base/ops.h - the operations as an enum, with names and properties, all from ops.def. */
#ifndef SYN_OPS_H
#define SYN_OPS_H

#include <stdbool.h>
#include <stdint.h>

/* Properties of an operation. */
#define SYN_OPF_SYNCHRONIZING \
    1u /* no rank leaves before the last arrives, unless data is to be sent and bytes = 0 */
#define SYN_OPF_ROOTED   2u
#define SYN_OPF_VARIABLE 4u /* v- and w-variants: ranks may contribute different sizes */
#define SYN_OPF_NEIGHBOR 8u
/* MPI demands that all members of an intracommunicator give equal bytes. Independently of this
 * flag, members of a rooted operation give equal roots, and members of a reduction give equal kinds
 * of reduction. */
#define SYN_OPF_SAME_BYTES 16u
#define SYN_OPF_REDUCES    32u

/* The rule of `bytes` (docs/payload.md): the payload that one rank contributes, counted as the OSU
 * benchmarks count. */
enum syn_payload {
    SYN_PAYLOAD_NONE,
    SYN_PAYLOAD_BUFFER,           /* count * size of the only buffer */
    SYN_PAYLOAD_SEND_BLOCK,       /* send count * size (receive block if IN_PLACE) */
    SYN_PAYLOAD_RECV_BLOCK,       /* receive count * size (send block if IN_PLACE at the root) */
    SYN_PAYLOAD_SEND_BLOCKS_MEAN, /* sum of send counts * size, divided by the number of blocks */
    SYN_PAYLOAD_RECV_COUNTS_SUM, /* sum of receive counts * size: the bytes that one rank reduces */
    SYN_PAYLOAD_RECV_COUNT_TIMES_SIZE /* receive count * size * number of ranks: the bytes that one
                                         rank reduces */
};

/* The object that an operation works on. */
enum syn_op_class {
    SYN_CLASS_DATA,   /* collectives on data */
    SYN_CLASS_COMM,   /* collectives that make, use or free communicators */
    SYN_CLASS_WINDOW, /* collectives that make, use or free windows */
    SYN_CLASS_FILE,   /* collectives on files */
    SYN_CLASS_COUNT
};

enum syn_op_row {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) SYN_ROW_##NAME = row,
#define SYN_OTHER(row, NAME, Name, name, CLASS, SHAPE, DOES)         SYN_ROW_##NAME = row,
#define SYN_EXTENSION(row, NAME, Name, name, SHAPE, DOES)            SYN_ROW_##NAME = row,
#include "trace/base/ops.def"
    SYN_ROW_COUNT
};

/* SPLIT: a file operation of two calls, MPI_X_begin and MPI_X_end. The second call completes the
 * operation, as it does for a nonblocking operation. */
enum syn_op_form {
    SYN_FORM_BLOCKING = 0,
    SYN_FORM_NONBLOCKING = 1,
    SYN_FORM_PERSISTENT = 2,
    SYN_FORM_SPLIT = 3,
    SYN_FORM_COUNT
};
#define SYN_OP_FORM_STRIDE 1024

/* Returns an operation's id as stored in an event: row + form * SYN_OP_FORM_STRIDE. */
static inline uint16_t syn_op_id(enum syn_op_row row, enum syn_op_form form)
{
    return (uint16_t)((unsigned)row + (unsigned)form * SYN_OP_FORM_STRIDE);
}
#define SYN_OP_BLOCKING(NAME) ((uint16_t)SYN_ROW_##NAME)

/* Returns "MPI_Allreduce", "MPI_Iallreduce" or "MPI_Allreduce_init"; NULL for an id that this build
 * does not know. */
const char *syn_op_name(uint16_t op_id);
/* Finds the id of a name, with or without "MPI_" or "MPIX_", in any case. Returns 0 or
 * SYN_EINVAL. */
int syn_op_parse(const char *name, uint16_t *op_id);
/* Returns the SYN_OPF_* of an id; 0 for an unknown id. */
uint32_t syn_op_flags(uint16_t op_id);
/* Returns the class of an operation. For an id that this build does not know, the class follows
 * from `name`, which may be NULL. */
enum syn_op_class syn_op_class(uint16_t op_id, const char *name);
/* Sets the entries of rows [SYN_ROW_COUNT] that `name` means to `selected`. `name` is an operation
 * (in any form) or a class. Returns 0 or SYN_EINVAL. */
int syn_ops_select(const char *name, bool selected, bool *rows);
/* Parses "data", "comm", "window" or "file", in any case. Returns 0 or SYN_EINVAL. */
int syn_class_parse(const char *name, enum syn_op_class *class);

#endif
