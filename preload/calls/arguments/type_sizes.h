/* preload/calls/arguments/type_sizes.h - the size of a datatype, in bytes.
 *
 * Most calls use predefined types. Their sizes never change and they cannot be freed, so a thread
 * remembers some of them. For other types MPI is asked each time, because the handle of a freed
 * type may become that of a new one. */
#ifndef SYN_TYPE_SIZES_H
#define SYN_TYPE_SIZES_H

#include <stdint.h>

#include <mpi.h>

#include "preload/recorder/recorder.h"
#include "sync/base/hash.h"
#include "trace/events/attributes.h"

/* Returns the class of a predefined type by its name in MPI, SYN_TYPE_NONE if unknown. */
enum syn_type_class syn_type_class_named(const char *name);
/* Asks MPI for the size of `type`, and updates *known, its place in the thread's table. Never
 * returns a negative number. */
int64_t syn_type_size_asked(MPI_Datatype type, struct syn_sized_type *known);

/* Returns the place of `type` in the thread's table. It may contain another type. */
static inline struct syn_sized_type *syn_type_place(struct syn_thread *self, MPI_Datatype type)
{
    const uint64_t hash = syn_hash_word((uint64_t)(uintptr_t)type);
    return &self->sized_types[hash >> 32 & (SYN_SIZED_TYPES - 1)];
}

/* Returns class and size of `type` as attributes (trace/events/attributes.h). Call it right after
 * syn_type_size of the same type. */
static inline uint16_t syn_type_attributes(MPI_Datatype type)
{
    const struct syn_sized_type *const known = syn_type_place(syn_self, type);
    return known->type == type ? known->attributes : 0;
}

/* Fills the table with common types, during MPI's initialization. So the open line shows the
 * payload even of a rank's first call, which may hang. If several types have the same place, the
 * most frequent one gets it. */
void syn_types_learn_common(struct syn_thread *self);

/* Returns the size of a type that MPI has accepted. Call it within a wrapper. */
static inline int64_t syn_type_size(MPI_Datatype type)
{
    struct syn_sized_type *const known = syn_type_place(syn_self, type);
    if (__builtin_expect(known->type == type && known->bytes >= 0, 1))
        return known->bytes;
    return syn_type_size_asked(type, known);
}

#endif
