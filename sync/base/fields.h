/* sync/base/fields.h - a structure as bytes: a table names each of its members once, and who writes
 * it and who reads it follow from the table. What is written depends neither on how a compiler lays
 * structures out nor on the byte order: unsigned numbers are varints, signed ones zigzag varints,
 * doubles eight bytes of little end, a bool 0 or 1; members lie in the order of the table.
 *
 * Every member has its row, also those that do not travel (pointers, and what is made anew there):
 * a test (team_test.c) finds one that was forgotten. */
#ifndef SYN_FIELDS_H
#define SYN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

enum syn_field_kind {
    SYN_KIND_LEFT_OUT,
    SYN_KIND_BOOL,
    SYN_KIND_UNSIGNED,
    SYN_KIND_SIGNED,
    SYN_KIND_DOUBLE,
    SYN_KIND_INNER
};

struct syn_fields;
struct syn_field {
    size_t at;    /* offset in the structure */
    size_t bytes; /* of an element */
    size_t count; /* elements: above 1 for an array in the structure */
    enum syn_field_kind kind;
    const struct syn_fields *inner; /* of SYN_KIND_INNER: a structure in the structure */
};

struct syn_fields {
    const char *name; /* of the structure */
    const struct syn_field *field;
    size_t count;
    size_t bytes; /* of the structure */
};

/* An element's kind; a pointer has none, and does not compile. */
/* clang-format off */
#define SYN_KIND_OF(element)                                                     \
    _Generic((element), bool: SYN_KIND_BOOL, double: SYN_KIND_DOUBLE,            \
        unsigned char: SYN_KIND_UNSIGNED, unsigned short: SYN_KIND_UNSIGNED,     \
        unsigned: SYN_KIND_UNSIGNED, unsigned long: SYN_KIND_UNSIGNED,           \
        unsigned long long: SYN_KIND_UNSIGNED, int: SYN_KIND_SIGNED,             \
        long: SYN_KIND_SIGNED, long long: SYN_KIND_SIGNED)
#define SYN_MEMBER(type, member) (((type *)0)->member)
#define SYN_FIELD(type, member)                                                  \
    {offsetof(type, member), sizeof SYN_MEMBER(type, member), 1,                 \
     SYN_KIND_OF(SYN_MEMBER(type, member)), NULL}
#define SYN_FIELD_ARRAY(type, member)                                            \
    {offsetof(type, member), sizeof SYN_MEMBER(type, member[0]),                 \
     sizeof SYN_MEMBER(type, member) / sizeof SYN_MEMBER(type, member[0]),       \
     SYN_KIND_OF(SYN_MEMBER(type, member[0])), NULL}
/* One structure, or an array of them. */
#define SYN_FIELD_INNER(type, member, inner_type, fields)                        \
    {offsetof(type, member), sizeof(inner_type),                                 \
     sizeof SYN_MEMBER(type, member) / sizeof(inner_type), SYN_KIND_INNER, &fields}
#define SYN_FIELD_LEFT_OUT(type, member)                                         \
    {offsetof(type, member), sizeof SYN_MEMBER(type, member), 1, SYN_KIND_LEFT_OUT, NULL}
/* SYN_FIELDS(syn_x_fields, struct syn_x, SYN_FIELD(...), ...); in a source file. */
#define SYN_FIELDS(table, type, ...)                                             \
    static const struct syn_field table##_rows[] = {__VA_ARGS__};                \
    const struct syn_fields table = {#type, table##_rows,                        \
                                     sizeof table##_rows / sizeof *table##_rows, sizeof(type)}
/* clang-format on */

void syn_fields_put(const struct syn_fields *fields, const void *object, struct syn_bytes *out);
/* `count` of them, one after the other. */
void syn_fields_put_all(const struct syn_fields *fields, const void *objects, size_t count,
                        struct syn_bytes *out);
/* Members that do not travel stay as they are in *object. Invalid bytes set take->failed. */
void syn_fields_take(const struct syn_fields *fields, struct syn_take *take, void *object);
void syn_fields_take_all(const struct syn_fields *fields, struct syn_take *take, void *objects,
                         size_t count);

#endif
