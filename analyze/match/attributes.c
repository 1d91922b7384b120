/* analyze/match/attributes.c - combinations of attributes as numbers. Looking one up must cost
 * little: it happens once for each event. */
#include "analyze/match/attributes.h"

#include <stdlib.h>
#include <string.h>

#include "trace/ops.h"

static size_t hash_of(const struct syn_attributes *a)
{
    uint64_t hash = (a->bytes ^ UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xC2B2AE3D27D4EB4F);
    hash += (((uint64_t)a->comm << 32 | a->site) ^ UINT64_C(0x165667B19E3779F9)) *
            UINT64_C(0xD6E8FEB86659FD93);
    hash += (((uint64_t)a->phase << 32 | (uint32_t)a->root) ^ UINT64_C(0xA0761D6478BD642F)) *
            UINT64_C(0xE7037ED1A0B428DB);
    hash += (((uint64_t)a->op << 16 | a->flags) ^ UINT64_C(0x8EBC6AF09C88C6E3)) *
            UINT64_C(0x589965CC75374CC3);
    return (size_t)(hash ^ hash >> 29 ^ hash >> 47);
}

static bool alike(const struct syn_attributes *a, const struct syn_attributes *b)
{
    return a->bytes == b->bytes && a->comm == b->comm && a->site == b->site &&
           a->phase == b->phase && a->root == b->root && a->op == b->op && a->flags == b->flags;
}

/* Its bucket, or the empty one where it belongs. */
static uint32_t *bucket_for(const struct syn_attribute_table *table,
                            const struct syn_attributes *attributes)
{
    size_t mask = table->bucket_count - 1, at = hash_of(attributes) & mask;
    while (table->bucket[at] && !alike(&table->at[table->bucket[at] - 1], attributes))
        at = (at + 1) & mask;
    return &table->bucket[at];
}

static bool grow(struct syn_attribute_table *table)
{
    size_t capacity = table->capacity ? 2 * table->capacity : 64;
    struct syn_attributes *at = realloc(table->at, capacity * sizeof *at);
    table->at = at ? at : table->at;
    struct syn_shape *shape = realloc(table->shape, capacity * sizeof *shape);
    table->shape = shape ? shape : table->shape;
    uint32_t *bucket = calloc(2 * capacity, sizeof *bucket);
    if (!at || !shape || !bucket) {
        free(bucket);
        return false;
    }
    memset(shape + table->capacity, 0, (capacity - table->capacity) * sizeof *shape);
    free(table->bucket);
    table->bucket = bucket;
    table->bucket_count = 2 * capacity;
    table->capacity = capacity;
    for (size_t i = 0; i < table->count; i++)
        *bucket_for(table, &table->at[i]) = (uint32_t)i + 1;
    return true;
}

uint32_t syn_attributes_number(struct syn_attribute_table *table,
                               const struct syn_attributes *attributes)
{
    if (table->count == table->capacity && !grow(table))
        return SYN_NO_ATTRIBUTES;
    uint32_t *bucket = bucket_for(table, attributes);
    if (!*bucket) {
        table->at[table->count++] = *attributes;
        *bucket = (uint32_t)table->count;
    }
    return *bucket - 1;
}

const struct syn_shape *syn_shape_make(struct syn_attribute_table *table, const uint32_t *member,
                                       uint32_t count)
{
    struct syn_shape *shape = &table->shape[member[0]];
    const struct syn_attributes *first = &table->at[member[0]];
    if (shape->member_capacity < count) {
        uint32_t *numbers = realloc(shape->member, count * sizeof *numbers);
        if (!numbers)
            return NULL;
        shape->member = numbers;
        shape->member_capacity = count;
    }
    memcpy(shape->member, member, count * sizeof *member);
    shape->member_count = count;
    shape->serial = ++table->last_serial;
    shape->flags = 0;
    shape->op_differs = shape->site_differs = false;
    shape->variable = (syn_op_flags(first->op) & SYN_OPF_VARIABLE) != 0;
    for (uint32_t m = 0; m < count; m++) {
        const struct syn_attributes *other = &table->at[member[m]];
        shape->flags |= other->flags;
        shape->op_differs |= other->op != first->op;
        shape->site_differs |= other->site != first->site;
    }
    return shape;
}

void syn_attributes_clear(struct syn_attribute_table *table)
{
    for (size_t i = 0; i < table->count; i++)
        table->shape[i].member_count = 0;
    if (table->bucket)
        memset(table->bucket, 0, table->bucket_count * sizeof *table->bucket);
    table->count = 0;
}

void syn_attributes_free(struct syn_attribute_table *table)
{
    for (size_t i = 0; i < table->capacity; i++)
        free(table->shape[i].member);
    free(table->at);
    free(table->shape);
    free(table->bucket);
    *table = (struct syn_attribute_table){0};
}
