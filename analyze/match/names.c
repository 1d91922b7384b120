#include "names.h"

#include <stdlib.h>
#include <string.h>

static uint64_t hash_of(const char *name)
{
    uint64_t hash = 0xCBF29CE484222325u; /* FNV-1a */
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * 0x100000001B3u;
    return hash ^ hash >> 29;
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
    char *copy = strdup(name);
    if (!copy)
        return SYN_NO_NAME;
    names->text[names->count] = copy;
    return (uint32_t)names->count++;
}

uint32_t syn_names_id(struct syn_names *names, const char *name)
{
    if (names->count * 2 >= names->bucket_count && grow_buckets(names))
        return SYN_NO_NAME;
    size_t mask = names->bucket_count - 1;
    size_t at = hash_of(name) & mask;
    for (; names->bucket[at]; at = (at + 1) & mask)
        if (strcmp(names->text[names->bucket[at] - 1], name) == 0)
            return names->bucket[at] - 1;
    uint32_t id = append(names, name);
    if (id != SYN_NO_NAME)
        names->bucket[at] = id + 1;
    return id;
}

const char *syn_names_text(const struct syn_names *names, uint32_t id)
{
    return id < names->count ? names->text[id] : NULL;
}

void syn_names_free(struct syn_names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->text[i]);
    free(names->text);
    free(names->bucket);
    memset(names, 0, sizeof *names);
}
