/* trace/read/repeated_comms.c - see repeated_comms.h. */
#include "trace/read/repeated_comms.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sync/base/layout.h"
#include "sync/base/status.h"

/* A whole record begins with the index of its communicator. A repeated communicator begins with the
 * base's index plus this constant. */
#define REPEATED (UINT64_C(1) << 32)

/* Bytes of a varint of 2^32 to 2^33 - 1. */
#define BASE_BYTES ((size_t)5)

/* Returns true if `more` can be added to the lowest seven bits of a varint's first byte without a
 * carry. */
static bool has_room(uint8_t first_byte, uint8_t more)
{
    return (first_byte & 0x7f) + more < 0x80;
}

/* RATIONALE: a program may make and free communicators without end, and each is a record. Encoding
 * three numbers of several bytes takes six times as long as two additions. */
SYN_HOT void syn_repeated_comm_write(struct syn_repeated_comm_written *written,
                                     const struct syn_repeated_comm *repeated)
{
    const struct syn_repeated_comm *before = &written->repeated;
    if (written->bytes > 0 && repeated->base == before->base &&
        repeated->index == before->index + 1 && repeated->further == before->further + 1 &&
        before->further >= 0 && has_room(written->record[BASE_BYTES], 1) &&
        has_room(written->record[written->further_at], 2)) {
        written->record[BASE_BYTES] += 1;
        written->record[written->further_at] += 2;
    } else {
        uint8_t *const record = written->record;
        uint8_t *at = syn_varint_to(record, REPEATED + repeated->base);
        at = syn_varint_to(at, repeated->index);
        written->further_at = (size_t)(at - record);
        at = syn_varint_to(at, syn_zigzag(repeated->further));
        written->bytes = (size_t)(at - record);
    }
    written->repeated = *repeated;
}

bool syn_repeated_comm_follows(const struct syn_take *take)
{
    struct syn_take ahead = *take;
    return syn_take_varint(&ahead) >= REPEATED && !ahead.failed;
}

int syn_take_repeated_comm(struct syn_take *take, struct syn_repeated_comm *out)
{
    out->base = (uint32_t)(syn_take_bounded(take, REPEATED + UINT32_MAX - 1) - REPEATED);
    out->index = (uint32_t)syn_take_bounded(take, UINT32_MAX - 1);
    out->further = syn_take_zigzag(take);
    const bool is_far = out->further < -(int64_t)UINT32_MAX || out->further > (int64_t)UINT32_MAX;
    return take->failed || is_far ? SYN_EDAMAGED : SYN_OK;
}

/* Finds the number in "dup 3 of MPI_COMM_WORLD". Returns its number of digits (at most 10), or 0 if
 * there is none; *at is the first digit. */
static size_t find_number(const char *name, const char **at)
{
    for (const char *space = strchr(name, ' '); space; space = strchr(space + 1, ' ')) {
        const size_t digits = strspn(space + 1, "0123456789");
        *at = space + 1;
        if (digits > 0 && digits <= 10 && strncmp(*at + digits, " of ", 4) == 0)
            return digits;
    }
    return 0;
}

static int64_t value_of(const char *digit, size_t count)
{
    int64_t value = 0;
    while (count-- > 0)
        value = 10 * value + (*digit++ - '0');
    return value;
}

/* Writes the base's name with another number. */
static int put_name(const char *base, int64_t further, struct syn_arena *arena, const char **out)
{
    const char *at = NULL;
    const size_t digits = find_number(base, &at);
    const int64_t number = digits ? value_of(at, digits) + further : 0;
    char text[24];
    if (number < 1 || number > (int64_t)UINT32_MAX)
        return SYN_EDAMAGED;
    const size_t written = (size_t)snprintf(text, sizeof text, "%" PRId64, number);
    const size_t before = (size_t)(at - base), behind = strlen(at + digits);
    char *const name = syn_arena_take(arena, before + written + behind + 1, 1);
    if (!name)
        return arena->over_budget ? SYN_EDAMAGED : SYN_ENOMEM;
    memcpy(name, base, before);
    memcpy(name + before, text, written);
    memcpy(name + before + written, at + digits, behind + 1);
    *out = name;
    return SYN_OK;
}

int syn_repeated_comm_record(const struct syn_repeated_comm *repeated,
                             const struct syn_comm_record *base, struct syn_arena *arena,
                             struct syn_comm_record *out)
{
    if (base->id + (uint64_t)repeated->further == 0)
        return SYN_EDAMAGED;
    *out = *base;
    out->index = repeated->index;
    out->id = base->id + (uint64_t)repeated->further;
    return put_name(base->name, repeated->further, arena, &out->name);
}
