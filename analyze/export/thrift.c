/* analyze/export/thrift.c - the part of Thrift's compact protocol that Parquet's metadata needs. */
#include "analyze/export/thrift.h"

struct syn_thrift syn_thrift_begin(struct syn_bytes *out)
{
    return (struct syn_thrift){.out = out};
}

static void byte(struct syn_thrift *thrift, unsigned value)
{
    const uint8_t one = (uint8_t)value;
    syn_bytes_put(thrift->out, &one, 1);
}

/* RATIONALE: ids are below 16 and ascend, so the difference to the last id always fits the short
 * form. */
static void field_head(struct syn_thrift *thrift, int field, enum syn_thrift_type type)
{
    int16_t *last = &thrift->last_field[thrift->depth];
    byte(thrift, (unsigned)(field - *last) << 4 | type);
    *last = (int16_t)field;
}

void syn_thrift_number(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                       int64_t value)
{
    field_head(thrift, field, type);
    syn_bytes_put_zigzag(thrift->out, value);
}

void syn_thrift_string(struct syn_thrift *thrift, int field, const char *text)
{
    field_head(thrift, field, SYN_THRIFT_BINARY);
    syn_bytes_put_string(thrift->out, text);
}

void syn_thrift_struct(struct syn_thrift *thrift, int field)
{
    if (field)
        field_head(thrift, field, SYN_THRIFT_STRUCT);
    thrift->last_field[++thrift->depth] = 0;
}

void syn_thrift_end(struct syn_thrift *thrift)
{
    byte(thrift, 0);
    thrift->depth -= thrift->depth > 0;
}

void syn_thrift_list(struct syn_thrift *thrift, int field, enum syn_thrift_type type,
                     uint32_t count)
{
    field_head(thrift, field, SYN_THRIFT_LIST);
    byte(thrift, (count < 15 ? count : 15u) << 4 | type);
    if (count >= 15)
        syn_bytes_put_varint(thrift->out, count);
}

void syn_thrift_element(struct syn_thrift *thrift, int64_t value)
{
    syn_bytes_put_zigzag(thrift->out, value);
}

void syn_thrift_string_element(struct syn_thrift *thrift, const char *text)
{
    syn_bytes_put_string(thrift->out, text);
}
