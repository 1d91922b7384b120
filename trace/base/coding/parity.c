/* trace/base/coding/parity.c - see parity.h. The payload has the length and hash of the data, and
 * the XOR of all its stretches of SYN_PARITY_REACH bytes.
 *
 * The XOR of the stored stretch with that of the damaged data is the damage, modulo the stretch
 * length. The damage begins behind a byte of zero, in one of the stretches: the repair tries all
 * such places. */
#include "trace/base/coding/parity.h"

#include <stdbool.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"

#define REACH ((size_t)SYN_PARITY_REACH)
/* Each try hashes all of the data. This bounds the time of all tries to half a second. That is
 * enough for all places of short data, and for the likely places of a megabyte. */
#define HASHED_BYTES_MAX ((size_t)4 << 30)

static void fold(const uint8_t *data, size_t bytes, uint8_t into[SYN_PARITY_REACH])
{
    for (size_t i = 0; i < bytes; i++)
        into[i % REACH] ^= data[i];
}

void syn_parity_put(const uint8_t *data, size_t bytes, struct syn_bytes *out)
{
    uint8_t folded[SYN_PARITY_REACH] = {0};
    fold(data, bytes, folded);
    syn_bytes_put_u64(out, bytes);
    syn_bytes_put_u64(out, syn_hash64(data, bytes));
    syn_bytes_put(out, folded, sizeof folded);
}

uint64_t syn_parity_data_bytes(const uint8_t *payload)
{
    return syn_load64(payload);
}

static bool is_good(const uint8_t *payload, const uint8_t *data, size_t bytes)
{
    return bytes == syn_load64(payload) && syn_hash64(data, bytes) == syn_load64(payload + 8);
}

int syn_parity_check(const uint8_t *payload, const uint8_t *data, size_t bytes)
{
    uint8_t folded[SYN_PARITY_REACH] = {0};
    fold(data, bytes, folded);
    return is_good(payload, data, bytes) && memcmp(folded, payload + 16, REACH) == 0 ? SYN_OK
                                                                                     : SYN_EDAMAGED;
}

static void apply(const uint8_t damage[SYN_PARITY_REACH], size_t at, uint8_t *data, size_t bytes)
{
    for (size_t i = at; i < at + REACH && i < bytes; i++)
        data[i] ^= damage[i % REACH];
}

int syn_parity_repair(const uint8_t *payload, uint8_t *data, size_t bytes)
{
    uint8_t damage[SYN_PARITY_REACH];
    size_t tries = HASHED_BYTES_MAX / (bytes + 1);
    memcpy(damage, payload + 16, sizeof damage);
    fold(data, bytes, damage);
    for (size_t start = 0; start < REACH; start++) {
        if (damage[start] == 0 || damage[(start + REACH - 1) % REACH] != 0)
            continue;
        for (size_t at = start; at < bytes && tries > 0; at += REACH, tries--) {
            apply(damage, at, data, bytes);
            if (is_good(payload, data, bytes))
                return SYN_OK;
            apply(damage, at, data, bytes);
        }
    }
    return SYN_EDAMAGED;
}
