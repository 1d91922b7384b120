/* Has each member of a structure its row? */
#ifndef FIELDS_COVER_H
#define FIELDS_COVER_H

#include <stdlib.h>

#include "sync/base/fields.h"
#include "sync/base/integers.h"

/* How a member of so many bytes is aligned at most: structures and arrays are whole elements. */
static inline size_t alignment_of(const struct syn_field *field)
{
    return syn_least(field->bytes & -field->bytes, sizeof(uint64_t));
}

static inline int by_place(const void *left, const void *right)
{
    const struct syn_field *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Sorted by place, rows follow one another but for what alignment leaves. */
static inline bool fields_cover_all(const struct syn_fields *fields)
{
    struct syn_field field[128];
    size_t end = 0, alignment = 1;
    bool covers = fields->count <= 128;
    for (size_t f = 0; f < fields->count && covers; f++)
        field[f] = fields->field[f];
    qsort(field, covers ? fields->count : 0, sizeof *field, by_place);
    for (size_t f = 0; f < fields->count && covers; f++) {
        covers = field[f].at >= end && field[f].at - end < alignment_of(&field[f]) &&
                 (field[f].kind != SYN_KIND_INNER || fields_cover_all(field[f].inner));
        end = field[f].at + field[f].count * field[f].bytes;
        alignment = syn_largest(alignment, alignment_of(&field[f]));
    }
    return covers && end <= fields->bytes && fields->bytes - end < alignment;
}

#endif
