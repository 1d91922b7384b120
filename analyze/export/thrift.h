/* analyze/export/thrift.h - writing structs in Thrift's compact protocol, in which Parquet's
 * metadata is. Source: Apache Thrift, "Thrift Compact protocol encoding". Fields are written in
 * ascending order of their ids. */
#ifndef SYN_THRIFT_H
#define SYN_THRIFT_H

#include <stdint.h>

#include "sync/base/bytes.h"

enum syn_thrift_type {
    SYN_THRIFT_I32 = 5,
    SYN_THRIFT_I64 = 6,
    SYN_THRIFT_BINARY = 8,
    SYN_THRIFT_LIST = 9,
    SYN_THRIFT_STRUCT = 12
};

#define SYN_THRIFT_DEPTH 8

/* Writes to `out`, whose `failed` says that memory ran out. */
struct syn_thrift {
    struct syn_bytes *out;
    int16_t last_field[SYN_THRIFT_DEPTH]; /* of each struct that is open */
    int depth;
};

struct syn_thrift syn_thrift_begin(struct syn_bytes *out);
/* A number of either width. */
void syn_thrift_number(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                       int64_t value);
void syn_thrift_string(struct syn_thrift *thrift, int field, const char *text);
/* A field that is a struct, or (field 0) an element of a list that is one; until its end. */
void syn_thrift_struct(struct syn_thrift *thrift, int field);
/* Ends the struct that was begun last; at last, the outermost. */
void syn_thrift_end(struct syn_thrift *thrift);
/* The head of a list of `count` elements, which follow. */
void syn_thrift_list(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                     uint32_t count);
/* Elements of a list. */
void syn_thrift_element(struct syn_thrift *thrift, int64_t value);
void syn_thrift_string_element(struct syn_thrift *thrift, const char *text);

#endif
