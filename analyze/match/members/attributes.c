/* analyze/match/members/attributes.c - numbers of attributes, and signatures. RATIONALE: a lookup
 * must be fast, since there may be one for each event. */
#include "analyze/match/members/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"

/* Bytes that are compared and hashed: all members of struct syn_attributes, without the padding
 * after the last one. */
#define COMPARED_BYTES \
    (offsetof(struct syn_attributes, elements) + sizeof((struct syn_attributes *)0)->elements)
_Static_assert(COMPARED_BYTES == sizeof(uint64_t) + 4 * sizeof(uint32_t) + 3 * sizeof(uint16_t),
               "there is no padding between members");

static uint64_t hash_of_attributes(const void *owner, uint32_t number)
{
    const struct syn_attribute_table *table = owner;
    return syn_hash64(&table->at[number], COMPARED_BYTES);
}

static bool is(const void *owner, uint32_t number, const void *attributes)
{
    const struct syn_attribute_table *table = owner;
    return memcmp(&table->at[number], attributes, COMPARED_BYTES) == 0;
}

static bool grow(struct syn_attribute_table *table)
{
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    if (SYN_RESERVE(table->at, capacity) || SYN_RESERVE(table->signature, capacity) ||
        syn_index_grow(&table->index, capacity, table->count, hash_of_attributes, table) != SYN_OK)
        return false;
    memset(table->signature + table->capacity, 0,
           (capacity - table->capacity) * sizeof *table->signature);
    table->capacity = capacity;
    return true;
}

uint32_t syn_attributes_number(struct syn_attribute_table *table,
                               const struct syn_attributes *attributes)
{
    if (table->next < table->count && is(table, table->next, attributes))
        return table->next++;
    if (table->count == table->capacity && !grow(table))
        return SYN_NO_ATTRIBUTES;
    uint32_t *slot = syn_index_slot(&table->index, syn_hash64(attributes, COMPARED_BYTES), is,
                                    table, attributes);
    if (*slot == 0) {
        table->at[table->count] = *attributes;
        *slot = (uint32_t)++table->count;
    }
    table->next = *slot;
    return *slot - 1;
}

/* Stores the members' attributes in a signature. Returns 0 or SYN_ENOMEM. */
static int keep_members(struct syn_signature *signature, const uint32_t *member, uint32_t count)
{
    uint32_t same = 0;
    while (same < count && member[same] == member[0])
        same++;
    signature->alike = same == count;
    if (signature->alike)
        return 0;
    if (signature->member_capacity < count) {
        if (SYN_RESERVE(signature->member, count))
            return SYN_ENOMEM;
        signature->member_capacity = count;
    }
    memcpy(signature->member, member, count * sizeof *member);
    return 0;
}

static bool disagrees(const struct syn_attributes *first, const struct syn_attributes *other)
{
    const struct syn_said a = syn_attributes_said(first, 0), b = syn_attributes_said(other, 1);
    return syn_said_difference(&a, &b) != SYN_DIFFERENCE_NONE;
}

const struct syn_signature *syn_signature_make(struct syn_attribute_table *table,
                                               const uint32_t *member, uint32_t count)
{
    struct syn_signature *signature = &table->signature[member[0]];
    const struct syn_attributes *first = &table->at[member[0]];
    signature->member_count = 0;
    if (keep_members(signature, member, count) != SYN_OK)
        return NULL;
    signature->member_count = count;
    signature->serial = ++table->last_serial;
    signature->flags = 0;
    signature->op_differs = signature->site_differs = signature->disagrees = false;
    signature->variable = (syn_op_flags(first->op) & SYN_OPF_VARIABLE) != 0;
    for (uint32_t m = 0; m < count; m++) {
        const struct syn_attributes *other = &table->at[member[m]];
        signature->flags |= other->flags;
        signature->op_differs |= other->op != first->op;
        signature->site_differs |= other->site != first->site;
        signature->disagrees |= !signature->alike && disagrees(first, other);
    }
    return signature;
}

void syn_attributes_clear(struct syn_attribute_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        table->signature[i].member_count = 0;
    syn_index_clear(&table->index);
    table->count = 0;
}

void syn_attributes_free(struct syn_attribute_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        free(table->signature[i].member);
    free(table->at);
    free(table->signature);
    syn_index_free(&table->index);
    *table = (struct syn_attribute_table){0};
}
