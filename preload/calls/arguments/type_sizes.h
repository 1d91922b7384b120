/* preload/calls/arguments/type_sizes.h - how many bytes an element of a type has.
 *
 * Most calls are of predefined types, whose sizes never change, and which nobody can free: a thread
 * remembers some of them. Of all other types MPI is asked each time, for a handle that is freed may
 * be another type's next. */
#ifndef SYN_TYPE_SIZES_H
#define SYN_TYPE_SIZES_H

#include <stdint.h>

#include <mpi.h>

#include "preload/recorder/recorder.h"
#include "sync/base/hash.h"
#include "trace/events/attributes.h"

/* The class of a predefined type, by the name that MPI gives it; SYN_TYPE_NONE of any other. */
enum syn_type_class syn_type_class_named(const char *name);
/* By MPI; what is found of the type goes to *known. Below zero never. */
int64_t syn_type_size_asked(MPI_Datatype type, struct syn_sized_type *known);

static inline struct syn_sized_type *syn_type_place(struct syn_thread *self, MPI_Datatype type)
{
    const uint64_t hash = syn_hash_word((uint64_t)(uintptr_t)type);
    return &self->sized_types[hash >> 32 & (SYN_SIZED_TYPES - 1)];
}

/* Its class and size as attributes (trace/events/attributes.h), right after its size was asked. */
static inline uint16_t syn_type_attributes(MPI_Datatype type)
{
    const struct syn_sized_type *const known = syn_type_place(syn_self, type);
    return known->type == type ? known->attributes : 0;
}

/* While MPI is being initialized: sizes of common types are known from the first call on, in which
 * a rank may hang. Types whose handles share a place: the first of them. */
void syn_types_learn_common(struct syn_thread *self);

/* Within a wrapper, of a type that MPI has accepted. */
static inline int64_t syn_type_size(MPI_Datatype type)
{
    struct syn_sized_type *const known = syn_type_place(syn_self, type);
    if (__builtin_expect(known->type == type && known->bytes >= 0, 1))
        return known->bytes;
    return syn_type_size_asked(type, known);
}

#endif
