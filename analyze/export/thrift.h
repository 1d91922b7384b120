/* analyze/export/thrift.h - writes structs in Thrift's compact protocol, which Parquet uses for its
 * metadata. Source: Apache Thrift, "Thrift Compact protocol encoding". Fields must be written in
 * the order of their ids. */
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

/* A writer. If memory runs out, out->failed is set. */
struct syn_thrift {
    struct syn_bytes *out;
    int16_t last_field[SYN_THRIFT_DEPTH]; /* id of the last field of each open struct */
    int depth;
};

struct syn_thrift syn_thrift_begin(struct syn_bytes *out);
/* Writes a number, of 32 or of 64 bits. */
void syn_thrift_number(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                       int64_t value);
void syn_thrift_string(struct syn_thrift *thrift, int field, const char *text);
/* Begins a struct: a field, or if field is 0, an element of a list. */
void syn_thrift_struct(struct syn_thrift *thrift, int field);
/* Ends the struct that was begun last, or at last the outermost one. */
void syn_thrift_end(struct syn_thrift *thrift);
/* Writes the head of a list. The caller writes its `count` elements after that. */
void syn_thrift_list(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                     uint32_t count);
/* Write an element of a list. */
void syn_thrift_element(struct syn_thrift *thrift, int64_t value);
void syn_thrift_string_element(struct syn_thrift *thrift, const char *text);

#endif
