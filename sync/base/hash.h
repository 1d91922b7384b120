/* sync/base/hash.h - hash functions: of bytes (XXH3 with 64 bits of xxHash, also the format's
 * checksum), and of words, for code that runs in every call: one multiplication. */
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

/* Hashes one word. High bits are well mixed, low bits are not (Knuth, volume 3, 6.4). */
static inline uint64_t syn_hash_word(uint64_t word)
{
    return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* Adds a word to a hash. */
static inline uint64_t syn_hash_add(uint64_t hash, uint64_t word)
{
    const uint64_t mixed = syn_hash_word(hash ^ word);
    return mixed ^ mixed >> 29;
}

#endif
