/* analyze/match/names.c - strings as small numbers, in a hash table that only grows, under a
 * lock that readers need not take. */
#include "analyze/match/names.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Of all tables: threads ask for a name when they meet it first, which is seldom. */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

/* As much of a name as is kept: a character is not cut. */
static size_t kept_bytes(const char *name)
{
    size_t bytes = strnlen(name, SYN_NAME_BYTES);
    if (bytes < SYN_NAME_BYTES)
        return bytes;
    while (bytes > SYN_NAME_BYTES - 4 && ((unsigned char)name[bytes] & 0xC0) == 0x80)
        bytes--;
    return bytes;
}

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (size_t left = kept_bytes(name); left > 0; left--, name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash ^ hash >> 29;
}

static bool is_kept_as(const char *name, const char *kept)
{
    size_t bytes = kept_bytes(name);
    return strncmp(kept, name, bytes) == 0 && kept[bytes] == '\0';
}

static int grow_buckets(struct syn_names *names)
{
    size_t count = names->bucket_count ? names->bucket_count * 2 : 64;
    uint32_t *bucket = calloc(count, sizeof *bucket);
    if (!bucket)
        return -1;
    for (size_t i = 0; i < names->count; i++) {
        size_t at = hash_of(names->text[i]) & (count - 1);
        while (bucket[at])
            at = (at + 1) & (count - 1);
        bucket[at] = (uint32_t)i + 1;
    }
    free(names->bucket);
    names->bucket = bucket;
    names->bucket_count = count;
    return 0;
}

static uint32_t append(struct syn_names *names, const char *name)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 32;
        char **text = realloc(names->text, capacity * sizeof *text);
        if (!text)
            return SYN_NO_NAME;
        names->text = text;
        names->capacity = capacity;
    }
    char *copy = strndup(name, kept_bytes(name));
    if (!copy)
        return SYN_NO_NAME;
    names->text[names->count] = copy;
    return (uint32_t)names->count++;
}

static uint32_t find_or_append(struct syn_names *names, const char *name)
{
    if (names->count * 2 >= names->bucket_count && grow_buckets(names))
        return SYN_NO_NAME;
    size_t mask = names->bucket_count - 1;
    size_t at = hash_of(name) & mask;
    for (; names->bucket[at]; at = (at + 1) & mask)
        if (is_kept_as(name, names->text[names->bucket[at] - 1]))
            return names->bucket[at] - 1;
    uint32_t id = append(names, name);
    if (id != SYN_NO_NAME)
        names->bucket[at] = id + 1;
    return id;
}

uint32_t syn_names_id(struct syn_names *names, const char *name)
{
    pthread_mutex_lock(&naming);
    uint32_t id = find_or_append(names, name);
    pthread_mutex_unlock(&naming);
    return id;
}

const char *syn_names_text(const struct syn_names *names, uint32_t id)
{
    pthread_mutex_lock(&naming);
    const char *text = id < names->count ? names->text[id] : NULL;
    pthread_mutex_unlock(&naming);
    return text;
}

void syn_names_free(struct syn_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    free(names->bucket);
    memset(names, 0, sizeof *names);
}
