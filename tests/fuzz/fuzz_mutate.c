/* tests/fuzz/fuzz_mutate.c - mutations that know what an input is: parts come and go, change their
 * places and kinds; a payload is mutated within its bounds, and its leading varints (counts,
 * indices, units) as the numbers they are. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "trace/base/frame.h"

#define PARTS_MAX    256
#define PAYLOAD_MAX  UINT16_MAX
#define NUMBERS_MAX  12
#define FRAME_PREFIX 3

struct parts {
    uint8_t head[FUZZ_HEAD_BYTES];
    size_t count;
    struct fuzz_part part[PARTS_MAX];
};

static uint64_t random_state;

static uint64_t next_random(void)
{
    uint64_t mixed = random_state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static size_t below(size_t limit)
{
    return limit ? (size_t)(next_random() % limit) : 0;
}

static void split(const uint8_t *data, size_t bytes, struct parts *parts)
{
    const uint8_t *at = data + FUZZ_HEAD_BYTES, *end = data + bytes;
    memset(parts->head, 0, sizeof parts->head);
    parts->count = 0;
    memcpy(parts->head, data, bytes < FUZZ_HEAD_BYTES ? bytes : FUZZ_HEAD_BYTES);
    while (bytes > FUZZ_HEAD_BYTES && parts->count < PARTS_MAX &&
           fuzz_next_part(&at, end, &parts->part[parts->count]))
        parts->count++;
}

/* Joins the parts again. Parts that do not fit are left out. */
static size_t join(const struct parts *parts, uint8_t *out, size_t capacity)
{
    static struct syn_bytes joined;
    joined.count = 0;
    syn_bytes_put(&joined, parts->head, sizeof parts->head);
    for (size_t i = 0; i < parts->count; i++) {
        const struct fuzz_part *part = &parts->part[i];
        if (joined.count + FUZZ_PART_BYTES + part->bytes <= capacity)
            fuzz_put_part(&joined, part->kind, part->place, part->data, part->bytes);
    }
    size_t bytes = joined.count < capacity ? joined.count : capacity;
    memcpy(out, joined.data, bytes);
    return bytes;
}

/* ---- one part ---- */

static uint8_t payload[PAYLOAD_MAX];

static void mutate_payload(struct fuzz_part *part)
{
    memcpy(payload, part->data, part->bytes);
    part->bytes = LLVMFuzzerMutate(payload, part->bytes, sizeof payload);
    part->data = payload;
}

static uint64_t interesting(uint64_t value)
{
    static const uint64_t numbers[] = {0,         1,          2,
                                       127,       128,        255,
                                       256,       65535,      65536,
                                       INT32_MAX, UINT32_MAX, (uint64_t)1 << 32,
                                       INT64_MAX, UINT64_MAX, UINT64_MAX - 1};
    switch (below(4)) {
    case 0:
        return value + 1;
    case 1:
        return value - 1;
    case 2:
        return value ^ (uint64_t)1 << below(64);
    default:
        return numbers[below(sizeof numbers / sizeof *numbers)];
    }
}

/* One of the first numbers of a frame's payload takes another value; what is behind them stays. */
static void mutate_number(struct fuzz_part *part)
{
    static struct syn_bytes changed;
    if (part->kind != FUZZ_FRAME || part->bytes <= FRAME_PREFIX) {
        mutate_payload(part);
        return;
    }
    struct syn_take take = syn_take_from(part->data + FRAME_PREFIX, part->bytes - FRAME_PREFIX);
    size_t chosen = below(NUMBERS_MAX);
    changed.count = 0;
    syn_bytes_put(&changed, part->data, FRAME_PREFIX);
    for (size_t i = 0; i <= chosen && syn_take_left(&take) > 0; i++) {
        uint64_t value = syn_take_varint(&take);
        syn_bytes_put_varint(&changed, i == chosen ? interesting(value) : value);
    }
    syn_bytes_put(&changed, take.at, syn_take_left(&take));
    part->bytes = changed.count < PAYLOAD_MAX ? changed.count : PAYLOAD_MAX;
    memcpy(payload, changed.data, part->bytes);
    part->data = payload;
}

/* Frames say how many elements they have. */
static void mutate_count(struct fuzz_part *part)
{
    if (part->kind != FUZZ_FRAME || part->bytes < FRAME_PREFIX)
        return;
    memcpy(payload, part->data, part->bytes);
    syn_store16(payload + 1, (uint16_t)interesting(syn_load16(payload + 1)));
    part->data = payload;
}

static void mutate_head(struct fuzz_part *part)
{
    static const uint8_t seldom = FUZZ_PLACE_LONG | FUZZ_PLACE_FOREIGN;
    if (below(4) == 0) {
        part->kind = (uint8_t)below(FUZZ_KIND_COUNT);
        return;
    }
    uint8_t bit = (uint8_t)(1u << below(8));
    if (!(bit & seldom) || below(8) == 0)
        part->place ^= bit;
}

/* ---- the list ---- */

static void insert(struct parts *parts, size_t at, struct fuzz_part part)
{
    if (parts->count == PARTS_MAX)
        return;
    memmove(&parts->part[at + 1], &parts->part[at], (parts->count - at) * sizeof part);
    parts->part[at] = part;
    parts->count++;
}

static void drop(struct parts *parts, size_t at)
{
    parts->count--;
    memmove(&parts->part[at], &parts->part[at + 1], (parts->count - at) * sizeof *parts->part);
}

static void mutate_list(struct parts *parts)
{
    size_t at = below(parts->count), other = below(parts->count);
    struct fuzz_part part = parts->part[at];
    switch (below(4)) {
    case 0:
        insert(parts, other, part);
        break;
    case 1:
        drop(parts, at);
        break;
    case 2: /* the same of another rank */
        part.place = (uint8_t)((part.place & ~FUZZ_PLACE_RANK) | below(FUZZ_RANKS));
        insert(parts, parts->count, part);
        break;
    default:
        parts->part[at] = parts->part[other];
        parts->part[other] = part;
        break;
    }
}

static void mutate_parts(struct parts *parts)
{
    struct fuzz_part *part = &parts->part[below(parts->count)];
    size_t choice = below(16);
    if (parts->count == 0 || choice == 0)
        parts->head[below(FUZZ_HEAD_BYTES)] = (uint8_t)next_random();
    else if (choice < 8)
        mutate_payload(part);
    else if (choice < 10)
        mutate_number(part);
    else if (choice < 12)
        mutate_count(part);
    else if (choice < 14)
        mutate_head(part);
    else
        mutate_list(parts);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t bytes, size_t capacity, unsigned seed)
{
    static struct parts parts;
    random_state = seed;
    if (below(16) == 0)
        return LLVMFuzzerMutate(data, bytes, capacity);
    split(data, bytes, &parts);
    mutate_parts(&parts);
    return join(&parts, data, capacity);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_bytes, const uint8_t *other,
                                 size_t other_bytes, uint8_t *out, size_t capacity, unsigned seed)
{
    static struct parts left, right;
    random_state = seed;
    split(one, one_bytes, &left);
    split(other, other_bytes, &right);
    for (size_t taken = 1 + below(4); taken > 0 && right.count > 0; taken--)
        insert(&left, below(left.count + 1), right.part[below(right.count)]);
    return join(&left, out, capacity);
}
