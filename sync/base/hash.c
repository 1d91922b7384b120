/* sync/base/hash.c - xxHash, compiled in this file only: users of hash.h need no header of it. */
#include "sync/base/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "sync/base/layout.h"

SYN_HOT uint64_t syn_hash64(const void *data, size_t bytes)
{
    return XXH3_64bits(data, bytes);
}
