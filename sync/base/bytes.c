/* sync/base/bytes.c - see bytes.h. No function reads past the end, whatever a file contains. */
#include "sync/base/bytes.h"

#include <stdlib.h>

#include "sync/base/layout.h"

void syn_bytes_free(struct syn_bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct syn_bytes){0};
}

SYN_HOT uint8_t *syn_bytes_reserve(struct syn_bytes *bytes, size_t more)
{
    if (bytes->failed)
        return NULL;
    if (more <= bytes->capacity - bytes->count && bytes->data)
        return bytes->data + bytes->count;
    size_t capacity = bytes->capacity ? bytes->capacity : 256;
    while (capacity - bytes->count < more && capacity <= SIZE_MAX / 4)
        capacity *= 2;
    uint8_t *data = capacity - bytes->count < more ? NULL : realloc(bytes->data, capacity);
    if (!data) {
        bytes->failed = true;
        return NULL;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return data + bytes->count;
}

SYN_HOT void syn_bytes_put(struct syn_bytes *bytes, const void *data, size_t count)
{
    uint8_t *at = syn_bytes_reserve(bytes, count);
    if (!at || count == 0)
        return;
    memcpy(at, data, count);
    bytes->count += count;
}

SYN_HOT void syn_bytes_put_varint(struct syn_bytes *bytes, uint64_t value)
{
    uint8_t *at = syn_bytes_reserve(bytes, SYN_VARINT_MAX_BYTES);
    if (!at)
        return;
    bytes->count += (size_t)(syn_varint_to(at, value) - at);
}

void syn_bytes_put_zigzag(struct syn_bytes *bytes, int64_t value)
{
    syn_bytes_put_varint(bytes, syn_zigzag(value));
}

void syn_bytes_put_u64(struct syn_bytes *bytes, uint64_t value)
{
    uint8_t word[8];
    syn_store64(word, value);
    syn_bytes_put(bytes, word, sizeof word);
}

void syn_bytes_put_double(struct syn_bytes *bytes, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    syn_bytes_put_u64(bytes, bits);
}

void syn_bytes_put_string(struct syn_bytes *bytes, const char *text)
{
    size_t length = text ? strlen(text) : 0;
    syn_bytes_put_varint(bytes, length);
    syn_bytes_put(bytes, text, length);
}

SYN_HOT const uint8_t *syn_take_bytes(struct syn_take *take, size_t count)
{
    if (take->failed || count > syn_take_left(take)) {
        take->failed = true;
        return NULL;
    }
    const uint8_t *at = take->at;
    take->at += count;
    return at;
}

SYN_HOT uint64_t syn_take_long_varint(struct syn_take *take)
{
    uint64_t value = 0;
    for (unsigned shift = 0; !take->failed && take->at < take->end && shift < 70; shift += 7) {
        uint8_t byte = *take->at++;
        /* the tenth byte has room for one bit only */
        if (shift == 63 && byte > 1)
            break;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    take->failed = true;
    take->at = take->end;
    return 0;
}

uint64_t syn_take_u64(struct syn_take *take)
{
    const uint8_t *at = syn_take_bytes(take, 8);
    return at ? syn_load64(at) : 0;
}

double syn_take_double(struct syn_take *take)
{
    uint64_t bits = syn_take_u64(take);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

uint64_t syn_take_bounded(struct syn_take *take, uint64_t max)
{
    uint64_t value = syn_take_varint(take);
    if (value <= max)
        return value;
    take->failed = true;
    take->at = take->end;
    return 0;
}

int32_t syn_take_int32(struct syn_take *take)
{
    int64_t value = syn_take_zigzag(take);
    if (value >= INT32_MIN && value <= INT32_MAX)
        return (int32_t)value;
    take->failed = true;
    take->at = take->end;
    return 0;
}
