/* sync/base/fields.c - the one writer and the one reader of structures. */
#include "sync/base/fields.h"

#include <string.h>

#include "sync/base/integers.h"

static uint64_t load_unsigned(const uint8_t *at, size_t bytes)
{
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (bytes) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, 2);
        return two;
    case 4:
        memcpy(&four, at, 4);
        return four;
    default:
        memcpy(&eight, at, 8);
        return eight;
    }
}

static void store_unsigned(uint8_t *at, size_t bytes, uint64_t value)
{
    const uint8_t one = (uint8_t)value;
    const uint16_t two = (uint16_t)value;
    const uint32_t four = (uint32_t)value;
    memcpy(at,
           bytes == 1   ? (const void *)&one
           : bytes == 2 ? (const void *)&two
           : bytes == 4 ? (const void *)&four
                        : (const void *)&value,
           bytes);
}

static int64_t load_signed(const uint8_t *at, size_t bytes)
{
    const uint64_t value = load_unsigned(at, bytes);
    return bytes == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

static void put_element(const struct syn_field *field, const uint8_t *at, struct syn_bytes *out)
{
    double number;
    switch (field->kind) {
    case SYN_KIND_BOOL:
    case SYN_KIND_UNSIGNED:
        syn_bytes_put_varint(out, load_unsigned(at, field->bytes));
        break;
    case SYN_KIND_SIGNED:
        syn_bytes_put_zigzag(out, load_signed(at, field->bytes));
        break;
    case SYN_KIND_DOUBLE:
        memcpy(&number, at, sizeof number);
        syn_bytes_put_double(out, number);
        break;
    case SYN_KIND_INNER:
        syn_fields_put(field->inner, at, out);
        break;
    case SYN_KIND_LEFT_OUT:
        break;
    }
}

static uint64_t largest_of(const struct syn_field *field)
{
    return field->kind == SYN_KIND_BOOL ? 1
           : field->bytes == 8          ? UINT64_MAX
                                        : (UINT64_C(1) << 8 * field->bytes) - 1;
}

static void take_element(const struct syn_field *field, struct syn_take *take, uint8_t *at)
{
    double number;
    switch (field->kind) {
    case SYN_KIND_BOOL:
    case SYN_KIND_UNSIGNED:
        store_unsigned(at, field->bytes, syn_take_bounded(take, largest_of(field)));
        break;
    case SYN_KIND_SIGNED:
        store_unsigned(
            at, field->bytes,
            (uint64_t)(field->bytes == 4 ? syn_take_int32(take) : syn_take_zigzag(take)));
        break;
    case SYN_KIND_DOUBLE:
        number = syn_take_double(take);
        memcpy(at, &number, sizeof number);
        break;
    case SYN_KIND_INNER:
        syn_fields_take(field->inner, take, at);
        break;
    case SYN_KIND_LEFT_OUT:
        break;
    }
}

void syn_fields_put(const struct syn_fields *fields, const void *object, struct syn_bytes *out)
{
    for (size_t f = 0; f < fields->count; f++)
        for (size_t i = 0; i < fields->field[f].count; i++)
            put_element(&fields->field[f],
                        (const uint8_t *)object + fields->field[f].at + i * fields->field[f].bytes,
                        out);
}

void syn_fields_put_all(const struct syn_fields *fields, const void *objects, size_t count,
                        struct syn_bytes *out)
{
    for (size_t i = 0; i < count; i++)
        syn_fields_put(fields, (const uint8_t *)objects + i * fields->bytes, out);
}

void syn_fields_take(const struct syn_fields *fields, struct syn_take *take, void *object)
{
    for (size_t f = 0; f < fields->count; f++)
        for (size_t i = 0; i < fields->field[f].count; i++)
            take_element(&fields->field[f], take,
                         (uint8_t *)object + fields->field[f].at + i * fields->field[f].bytes);
}

void syn_fields_take_all(const struct syn_fields *fields, struct syn_take *take, void *objects,
                         size_t count)
{
    for (size_t i = 0; i < count && !take->failed; i++)
        syn_fields_take(fields, take, (uint8_t *)objects + i * fields->bytes);
}
