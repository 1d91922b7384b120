/* sync/base/hash.h - the two hash functions: of bytes (xxHash, XXH3 of 64 bits, which is also the
 * checksum of the format) and of words on the way of every call, where one multiplication has to
 * do.
 */
#ifndef SYN_HASH_H
#define SYN_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t syn_hash64(const void *data, size_t bytes);

/* Hashes two words, in this order. */
static inline uint64_t syn_hash_pair(uint64_t a, uint64_t b)
{
    const uint64_t words[2] = {a, b};
    return syn_hash64(words, sizeof words);
}

/* Hashes one word: the high bits are well mixed, the low ones are not (Knuth, volume 3, 6.4). */
static inline uint64_t syn_hash_word(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* One more word into a hash. */
static inline uint64_t syn_hash_add(uint64_t hash, uint64_t word)
{
    const uint64_t mixed = syn_hash_word(hash ^ word);
    return mixed ^ mixed >> 29;
}

#endif
