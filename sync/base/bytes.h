/* sync/base/bytes.h - growing byte buffers, and bounded reading: varints, little-endian words,
 * strings.
 *
 * Calls that write return no error: the buffer remembers that memory ran out and ignores further
 * data, so an encoder checks `failed` once. The same for reading: a read past the end returns 0 and
 * sets `failed`. */
#ifndef SYN_BYTES_H
#define SYN_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SYN_VARINT_MAX_BYTES 10

struct syn_bytes {
    uint8_t *data; /* owned */
    size_t count;
    size_t capacity;
    bool failed; /* out of memory; the content is invalid */
};

/* Like memcpy, fast for 8 to 16 bytes: copies two words, which may overlap. */
static inline void syn_copy_short(void *to, const void *from, size_t count)
{
    uint64_t first, last;
    if (count < sizeof first || count > 2 * sizeof first) {
        memcpy(to, from, count);
        return;
    }
    memcpy(&first, from, sizeof first);
    memcpy(&last, (const char *)from + count - sizeof last, sizeof last);
    memcpy(to, &first, sizeof first);
    memcpy((char *)to + count - sizeof last, &last, sizeof last);
}

void syn_bytes_free(struct syn_bytes *bytes);
/* Make room for `more` bytes. Returns their place, which is not counted yet; NULL if that
 * failed. */
uint8_t *syn_bytes_reserve(struct syn_bytes *bytes, size_t more);
void syn_bytes_put(struct syn_bytes *bytes, const void *data, size_t count);
/* Writes a varint; there must be room for SYN_VARINT_MAX_BYTES. Returns the end. */
static inline uint8_t *syn_varint_to(uint8_t *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (uint8_t)(value | 0x80);
    *at++ = (uint8_t)value;
    return at;
}
void syn_bytes_put_varint(struct syn_bytes *bytes, uint64_t value);
void syn_bytes_put_zigzag(struct syn_bytes *bytes, int64_t value);
void syn_bytes_put_u64(struct syn_bytes *bytes, uint64_t value);
void syn_bytes_put_double(struct syn_bytes *bytes, double value);
/* Writes the length, then the bytes without a terminator. NULL is written as "". */
void syn_bytes_put_string(struct syn_bytes *bytes, const char *text);

/* Bytes that are read; not owned. */
struct syn_take {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
};

static inline struct syn_take syn_take_from(const void *data, size_t count)
{
    return (struct syn_take){.at = data, .end = (const uint8_t *)data + count};
}

static inline size_t syn_take_left(const struct syn_take *take)
{
    return (size_t)(take->end - take->at);
}

/* Returns `count` bytes in place, or NULL (failed). */
const uint8_t *syn_take_bytes(struct syn_take *take, size_t count);
/* Slow path of syn_take_varint: more than one byte, or the end. */
uint64_t syn_take_long_varint(struct syn_take *take);
uint64_t syn_take_u64(struct syn_take *take);
double syn_take_double(struct syn_take *take);
/* Reads a varint; fails unless it lies within 0..max. */
uint64_t syn_take_bounded(struct syn_take *take, uint64_t max);
/* Reads a zigzag varint; fails unless it fits an int32. */
int32_t syn_take_int32(struct syn_take *take);

static inline uint64_t syn_take_varint(struct syn_take *take)
{
    if (take->at < take->end && *take->at < 0x80)
        return *take->at++;
    return syn_take_long_varint(take);
}

/* Maps small numbers of either sign to small unsigned ones: 0, -1, 1, -2 -> 0, 1, 2, 3. */
static inline uint64_t syn_zigzag(int64_t value)
{
    return ((uint64_t)value << 1) ^ (0 - ((uint64_t)value >> 63));
}

static inline int64_t syn_unzigzag(uint64_t value)
{
    return (int64_t)((value >> 1) ^ (0 - (value & 1)));
}

static inline int64_t syn_take_zigzag(struct syn_take *take)
{
    return syn_unzigzag(syn_take_varint(take));
}

/* Little-endian words at any address. Compilers turn each into a single move. */
static inline void syn_store16(uint8_t *at, uint16_t value)
{
    at[0] = (uint8_t)value;
    at[1] = (uint8_t)(value >> 8);
}

static inline void syn_store32(uint8_t *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)(value >> (8 * i));
}

static inline void syn_store64(uint8_t *at, uint64_t value)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    memcpy(at, &value, sizeof value);
#else
    for (int i = 0; i < 8; i++)
        at[i] = (uint8_t)(value >> (8 * i));
#endif
}

static inline uint16_t syn_load16(const uint8_t *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

static inline uint32_t syn_load32(const uint8_t *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static inline uint64_t syn_load64(const uint8_t *at)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t value;
    memcpy(&value, at, sizeof value);
    return value;
#else
    return (uint64_t)syn_load32(at) | (uint64_t)syn_load32(at + 4) << 32;
#endif
}

#endif
