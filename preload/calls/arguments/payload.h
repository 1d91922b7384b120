/* preload/calls/arguments/payload.h - computes `bytes`, `root` and flags of an event from the
 * arguments of the call (docs/payload.md).
 *
 * If the thread knows the size of the datatype, they are computed before the call, so that the open
 * line shows them while the thread waits. Else they are computed after a successful call: then all
 * significant arguments are valid, and MPI can be asked for the size. Insignificant arguments are
 * never read, since they may have any value. All functions are inline: the rule is a constant in
 * each wrapper, so a wrapper contains the code of its rule only. */
#ifndef SYN_PAYLOAD_H
#define SYN_PAYLOAD_H

#include <stdint.h>

#include <mpi.h>

#include "preload/calls/arguments/reductions.h"
#include "preload/calls/arguments/type_sizes.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/integers.h"
#include "trace/base/event.h"
#include "trace/base/open_line.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"

/* The arguments of a call. An argument that the operation lacks is 0 or NULL. */
struct syn_transfer {
    const void *send_buffer;
    const void *recv_buffer;
    int64_t send_count;
    int64_t recv_count;
    const void *send_counts; /* [block_count of the communicator] int; MPI_Count if `large` */
    const void *recv_counts;
    MPI_Datatype send_type;
    MPI_Datatype recv_type;
    const void *send_types; /* [block_count] MPI_Datatype; MPI_Fint if `fortran_types` */
    const void *recv_types;
    enum syn_reduction reduction;
    int root; /* the argument; -1: the operation has no root */
    bool large;
    bool fortran_types;
};

/* The payload of an event. */
struct syn_payload_value {
    uint64_t bytes; /* with attributes in the upper bits (trace/events/attributes.h) */
    int32_t root;   /* -1: none */
    uint16_t flags; /* SYN_EVENT_* */
};

/* Returns the bytes of `count` elements. The type of no elements is not looked up: MPI has not
 * checked it, and MPI_Type_size of an invalid type would end the program. */
static inline int64_t syn_data_bytes(int64_t count, MPI_Datatype type)
{
    return count > 0 ? count * syn_type_size(type) : 0;
}

static inline int64_t syn_count_at(const struct syn_transfer *t, const void *counts, int32_t i)
{
    return t->large ? ((const MPI_Count *)counts)[i] : ((const int *)counts)[i];
}

static inline MPI_Datatype syn_type_at(const struct syn_transfer *t, const void *types, int32_t i)
{
    return t->fortran_types ? syn_type_f2c(((const MPI_Fint *)types)[i])
                            : ((const MPI_Datatype *)types)[i];
}

static inline int64_t syn_counts_sum(const struct syn_transfer *t, const void *counts,
                                     int32_t block_count)
{
    int64_t sum = 0;
    for (int32_t i = 0; i < block_count; i++)
        sum += syn_count_at(t, counts, i);
    return sum;
}

/* Returns the bytes of all blocks: of one type, or of `types` [block_count] if that is not NULL. */
static inline int64_t syn_blocks_bytes(const struct syn_transfer *t, const void *counts,
                                       MPI_Datatype type, const void *types, int32_t block_count)
{
    if (!types)
        return syn_data_bytes(syn_counts_sum(t, counts, block_count), type);
    int64_t bytes = 0;
    for (int32_t i = 0; i < block_count; i++)
        if (syn_count_at(t, counts, i) > 0)
            bytes += syn_count_at(t, counts, i) * syn_type_size(syn_type_at(t, types, i));
    return bytes;
}

/* Returns the mean bytes of a block, rounded down. */
static inline int64_t syn_blocks_mean(const struct syn_transfer *t, const void *counts,
                                      MPI_Datatype type, const void *types, int32_t block_count)
{
    return block_count > 0 ? syn_blocks_bytes(t, counts, type, types, block_count) / block_count
                           : 0;
}

/* Return the bytes of one block that this rank sends, or receives: the block of `rank`, or the mean
 * block if rank < 0. */
static inline int64_t syn_send_block(const struct syn_transfer *t, const struct syn_comm *comm,
                                     int32_t rank)
{
    if (t->send_counts)
        return rank >= 0
                   ? syn_data_bytes(syn_count_at(t, t->send_counts, rank), t->send_type)
                   : syn_blocks_mean(t, t->send_counts, t->send_type, NULL, comm->block_count);
    return syn_data_bytes(t->send_count, t->send_type);
}

static inline int64_t syn_recv_block(const struct syn_transfer *t, const struct syn_comm *comm,
                                     int32_t rank)
{
    if (t->recv_counts)
        return rank >= 0
                   ? syn_data_bytes(syn_count_at(t, t->recv_counts, rank), t->recv_type)
                   : syn_blocks_mean(t, t->recv_counts, t->recv_type, NULL, comm->block_count);
    return syn_data_bytes(t->recv_count, t->recv_type);
}

/* Returns the bytes of a rooted operation on an intercommunicator. With MPI_ROOT the caller is the
 * root: its blocks are described by the arguments for the opposite direction. With MPI_PROC_NULL
 * the caller takes no part, and no other argument is significant. */
static inline int64_t syn_rooted_inter(enum syn_payload rule, const struct syn_transfer *t,
                                       const struct syn_comm *comm)
{
    if (t->root == MPI_PROC_NULL)
        return 0;
    if (t->root != MPI_ROOT)
        return rule == SYN_PAYLOAD_RECV_BLOCK ? syn_recv_block(t, comm, -1)
                                              : syn_send_block(t, comm, -1);
    if (rule == SYN_PAYLOAD_SEND_BLOCK)
        return syn_recv_block(t, comm, -1);
    return syn_send_block(t, comm, -1);
}

/* Returns the bytes of v- and w-variants, and of rooted operations on intercommunicators. */
static inline int64_t syn_payload_bytes(enum syn_payload rule, uint32_t op_flags,
                                        const struct syn_transfer *t, const struct syn_comm *comm)
{
    if ((op_flags & SYN_OPF_ROOTED) && (comm->event_flags & SYN_EVENT_INTERCOMM))
        return syn_rooted_inter(rule, t, comm);
    const int32_t blocks =
        op_flags & SYN_OPF_NEIGHBOR ? comm->neighbor_out_count : comm->block_count;
    switch (rule) {
    case SYN_PAYLOAD_SEND_BLOCK:
        return t->send_buffer == MPI_IN_PLACE ? syn_recv_block(t, comm, comm->rank)
                                              : syn_send_block(t, comm, -1);
    case SYN_PAYLOAD_RECV_BLOCK:
        return t->recv_buffer == MPI_IN_PLACE ? syn_send_block(t, comm, comm->rank)
                                              : syn_recv_block(t, comm, -1);
    case SYN_PAYLOAD_SEND_BLOCKS_MEAN:
        return t->send_buffer == MPI_IN_PLACE
                   ? syn_blocks_mean(t, t->recv_counts, t->recv_type, t->recv_types, blocks)
                   : syn_blocks_mean(t, t->send_counts, t->send_type, t->send_types, blocks);
    case SYN_PAYLOAD_RECV_COUNTS_SUM:
        return syn_data_bytes(syn_counts_sum(t, t->recv_counts, comm->size), t->recv_type);
    default:
        return 0;
    }
}

/* Returns the root as a rank of the communicator; in an intercommunicator, of the root's group.
 * Returns -1 on a rank that takes no part, and for an operation without a root. */
static inline int32_t syn_payload_root(uint32_t op_flags, const struct syn_transfer *t,
                                       const struct syn_comm *comm)
{
    if (!(op_flags & SYN_OPF_ROOTED))
        return -1;
    if (__builtin_expect(t->root >= 0, 1))
        return t->root;
    return t->root == MPI_ROOT ? comm->rank : -1;
}

/* ---- plain operations: one count and one type. All except v- and w-variants and rooted operations
 * on intercommunicators ---- */

#define SYN_ALWAYS_INLINE static inline __attribute__((always_inline))

struct syn_elements {
    int64_t count;
    MPI_Datatype type;
};

SYN_ALWAYS_INLINE bool syn_payload_is_plain(uint32_t op_flags, const struct syn_comm *comm)
{
    return !(op_flags & SYN_OPF_VARIABLE) &&
           !((op_flags & SYN_OPF_ROOTED) && (comm->event_flags & SYN_EVENT_INTERCOMM));
}

/* Returns the elements that `bytes` counts. */
SYN_ALWAYS_INLINE struct syn_elements syn_payload_elements(enum syn_payload rule,
                                                           const struct syn_transfer *t)
{
    const bool received = rule == SYN_PAYLOAD_SEND_BLOCK   ? t->send_buffer == MPI_IN_PLACE
                          : rule == SYN_PAYLOAD_RECV_BLOCK ? t->recv_buffer != MPI_IN_PLACE
                                                           : rule != SYN_PAYLOAD_BUFFER;
    return received ? (struct syn_elements){t->recv_count, t->recv_type}
                    : (struct syn_elements){t->send_count, t->send_type};
}

/* Returns bytes, at most SYN_PAYLOAD_BYTES_MASK, with the attributes in the upper bits. */
SYN_ALWAYS_INLINE uint64_t syn_payload_packed(int64_t bytes, unsigned type_attributes,
                                              enum syn_reduction reduction)
{
    if (bytes <= 0)
        return 0;
    return syn_least((uint64_t)bytes, SYN_PAYLOAD_BYTES_MASK) |
           (uint64_t)(type_attributes | (unsigned)reduction) << SYN_ATTRIBUTES_SHIFT;
}

/* Returns the factor by which the bytes of the elements are multiplied. */
SYN_ALWAYS_INLINE int64_t syn_payload_times(enum syn_payload rule, const struct syn_comm *comm)
{
    return rule == SYN_PAYLOAD_RECV_COUNT_TIMES_SIZE ? comm->size : 1;
}

/* Returns the bytes with attributes, or SYN_OPEN_NO_BYTES if they cannot be computed without a call
 * of MPI or from arrays. */
SYN_ALWAYS_INLINE uint64_t syn_payload_known(enum syn_payload rule, uint32_t op_flags,
                                             const struct syn_transfer *t,
                                             const struct syn_comm *comm)
{
    if (rule == SYN_PAYLOAD_NONE)
        return 0;
    if (!syn_payload_is_plain(op_flags, comm))
        return SYN_OPEN_NO_BYTES;
    const struct syn_elements elements = syn_payload_elements(rule, t);
    const struct syn_sized_type *const known = syn_type_place(syn_self, elements.type);
    if (elements.count <= 0)
        return 0;
    if (__builtin_expect(known->type != elements.type || known->bytes < 0, 0))
        return SYN_OPEN_NO_BYTES;
    int64_t bytes; /* may overflow: MPI has not checked the count yet */
    if (__builtin_mul_overflow(elements.count, known->bytes, &bytes) ||
        __builtin_mul_overflow(bytes, syn_payload_times(rule, comm), &bytes))
        return SYN_OPEN_NO_BYTES;
    return syn_payload_packed(bytes, known->attributes, t->reduction);
}

/* Returns the bytes with attributes, after a successful call. May ask MPI for the type's size. */
static inline uint64_t syn_payload_asked(enum syn_payload rule, uint32_t op_flags,
                                         const struct syn_transfer *t, const struct syn_comm *comm)
{
    if (!syn_payload_is_plain(op_flags, comm)) {
        const int64_t bytes = syn_payload_bytes(rule, op_flags, t, comm);
        const bool has_type = rule == SYN_PAYLOAD_RECV_COUNTS_SUM;
        return syn_payload_packed(bytes, has_type ? syn_type_attributes(t->recv_type) : 0,
                                  t->reduction);
    }
    const struct syn_elements elements = syn_payload_elements(rule, t);
    const int64_t bytes = syn_data_bytes(elements.count, elements.type);
    return syn_payload_packed(bytes * syn_payload_times(rule, comm),
                              syn_type_attributes(elements.type), t->reduction);
}

/* Returns the payload before the call. Its bytes may be SYN_OPEN_NO_BYTES. */
SYN_ALWAYS_INLINE struct syn_payload_value syn_payload_before(enum syn_payload rule,
                                                              uint32_t op_flags,
                                                              const struct syn_transfer *t,
                                                              const struct syn_comm *comm)
{
    const void *in_place = rule == SYN_PAYLOAD_RECV_BLOCK ? t->recv_buffer : t->send_buffer;
    return (struct syn_payload_value){
        .bytes = syn_payload_known(rule, op_flags, t, comm),
        .root = syn_payload_root(op_flags, t, comm),
        .flags = rule != SYN_PAYLOAD_NONE && in_place == MPI_IN_PLACE ? SYN_EVENT_IN_PLACE : 0,
    };
}

/* Returns the payload after a successful call: `before` if it has the bytes, else computed anew.
 * `comm` may have been unknown before the call. */
static inline struct syn_payload_value syn_payload_after(struct syn_payload_value before,
                                                         enum syn_payload rule, uint32_t op_flags,
                                                         const struct syn_transfer *t,
                                                         const struct syn_comm *comm)
{
    if (__builtin_expect(before.bytes != SYN_OPEN_NO_BYTES, 1))
        return before;
    struct syn_payload_value value = syn_payload_before(rule, op_flags, t, comm);
    if (value.bytes == SYN_OPEN_NO_BYTES)
        value.bytes = syn_payload_asked(rule, op_flags, t, comm);
    return value;
}

#endif
