/* analyze/match/members/attributes.h - attributes: an event's values besides its times, each
 * combination once, by number; and signatures: those of an instance's members together. A program
 * has few of either however many calls it makes, so that what follows from them is found out once
 * and looked up after. */
#ifndef SYN_MATCH_ATTRIBUTES_H
#define SYN_MATCH_ATTRIBUTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/said.h"
#include "sync/base/index.h"

#define SYN_NO_ATTRIBUTES UINT32_MAX

struct syn_attributes {
    uint64_t bytes;
    uint32_t comm;        /* index into syn_comms.comm */
    uint32_t site, phase; /* name numbers */
    int32_t root;
    uint16_t op;
    uint16_t flags;    /* SYN_EVENT_FLAGS */
    uint16_t elements; /* reduction and type: trace/events/attributes.h */
};

static inline struct syn_said syn_attributes_said(const struct syn_attributes *attributes,
                                                  uint32_t member)
{
    return (struct syn_said){.bytes = attributes->bytes,
                             .member = member,
                             .site = attributes->site,
                             .root = attributes->root,
                             .op = attributes->op,
                             .flags = attributes->flags,
                             .elements = attributes->elements};
}

/* The attributes of all members of an instance, and what they come to. */
struct syn_signature {
    uint64_t serial; /* never the same for two, 0: none */
    uint32_t member_count, member_capacity;
    uint32_t *member; /* [member_count], the number of each one's attributes, unless they are alike;
                         owned */
    bool alike;       /* all members have those of the first: nearly always */
    uint16_t flags;   /* of all, or-ed */
    bool op_differs, site_differs;
    bool disagrees; /* the members' calls are not one that MPI allows (said.h) */
    bool variable;  /* a v- or w-variant: bytes are the mean over the members */
};

/* {0} at first. */
struct syn_attribute_table {
    struct syn_attributes *at; /* [count] */
    struct syn_signature
        *signature; /* [capacity], the last one whose member 0 has these attributes */
    size_t count, capacity;
    struct syn_index index;
    uint32_t next; /* behind the number that was asked for last: calls come in the order they came
                      in before, as a rule */
    uint64_t last_serial;
};

/* The number of such attributes. SYN_NO_ATTRIBUTES: no memory. */
uint32_t syn_attributes_number(struct syn_attribute_table *table,
                               const struct syn_attributes *attributes);
/* Make another one of the signature with this member 0. NULL: no memory. */
const struct syn_signature *syn_signature_make(struct syn_attribute_table *table,
                                               const uint32_t *member, uint32_t count);
/* Forget all numbers, but no serial. */
void syn_attributes_clear(struct syn_attribute_table *table);
void syn_attributes_free(struct syn_attribute_table *table);

/* The signature of `count` (>= 1) members with these attributes; valid until the next one is asked
 * for. NULL: no memory. */
static inline const struct syn_signature *syn_signature_of(struct syn_attribute_table *table,
                                                           const uint32_t *member, uint32_t count)
{
    const struct syn_signature *signature = &table->signature[member[0]];
    uint32_t same = 0;
    if (signature->member_count == count && signature->alike)
        while (same < count && member[same] == member[0])
            same++;
    else if (signature->member_count == count)
        while (same < count && signature->member[same] == member[same])
            same++;
    return __builtin_expect(same == count, 1) ? signature
                                              : syn_signature_make(table, member, count);
}

#endif
