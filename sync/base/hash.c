/* sync/base/hash.c - xxHash, compiled in one place: what includes hash.h needs no header of it. */
#include "sync/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sync/base/layout.h"

SYN_HOT uint64_t syn_hash64(const void *data, size_t bytes)
{
    return XXH3_64bits(data, bytes);
}
