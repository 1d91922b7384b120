/* analyze/match/members/attributes.h - numbers for attributes and signatures. Attributes are an
 * event's fields besides its times. A signature is the attributes of all members of an instance. A
 * program has few different ones, however many calls it makes, so the facts that follow from them
 * are computed once and then looked up. */
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

/* The attributes of all members of an instance, and the facts that follow from them. */
struct syn_signature {
    uint64_t serial; /* unique within the table; 0: none */
    uint32_t member_count, member_capacity;
    uint32_t *member; /* [member_count] numbers of the members' attributes, if not `alike`; owned */
    bool alike;       /* all members have the attributes of member 0, as in most instances */
    uint16_t flags;   /* of all, or-ed */
    bool op_differs, site_differs;
    bool disagrees; /* MPI does not allow the members' calls together (said.h) */
    bool variable;  /* a v- or w-variant: the instance's bytes are the mean over the members */
};

/* Attributes by number. {0} is an empty table. */
struct syn_attribute_table {
    struct syn_attributes *at;       /* [count] */
    struct syn_signature *signature; /* [capacity] last signature, by number of member 0 */
    size_t count, capacity;
    struct syn_index index;
    uint32_t next; /* number after the last one returned. Attributes are likely to come in the order
                      in which they came before */
    uint64_t last_serial;
};

/* Returns the number of these attributes, and adds them if they are new. SYN_NO_ATTRIBUTES: no
 * memory. */
uint32_t syn_attributes_number(struct syn_attribute_table *table,
                               const struct syn_attributes *attributes);
/* Makes this the table's signature for its member 0, in place of the last one. NULL: no memory. */
const struct syn_signature *syn_signature_make(struct syn_attribute_table *table,
                                               const uint32_t *member, uint32_t count);
/* Removes all numbers. Serials go on, and are not used again. */
void syn_attributes_clear(struct syn_attribute_table *table);
void syn_attributes_free(struct syn_attribute_table *table);

/* Returns the signature of `count` (>= 1) members with these attributes. It is valid until the next
 * call. NULL: no memory. */
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
