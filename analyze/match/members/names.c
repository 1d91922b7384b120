/* analyze/match/members/names.c - the table of names, which only grows. One lock guards it. */
#include "analyze/match/members/names.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* The lock of all tables. Threads seldom take it: they keep the numbers of names. */
static pthread_mutex_t naming = PTHREAD_MUTEX_INITIALIZER;

/* Returns the bytes of a name that are kept. A character of UTF-8 is not split. */
static size_t kept_bytes(const char *name)
{
    size_t bytes = strnlen(name, SYN_NAME_BYTES);
    if (bytes < SYN_NAME_BYTES)
        return bytes;
    while (bytes > SYN_NAME_BYTES - 4 && ((unsigned char)name[bytes] & 0xC0) == 0x80)
        bytes--;
    return bytes;
}

static uint64_t hash_of_text(const char *name)
{
    return syn_hash64(name, strlen(name));
}

static uint64_t hash_of_name(const void *owner, uint32_t id)
{
    return hash_of_text(((const struct syn_names *)owner)->text[id]);
}

static bool is_text(const void *owner, uint32_t id, const void *name)
{
    return strcmp(((const struct syn_names *)owner)->text[id], name) == 0;
}

static int make_room(struct syn_names *names)
{
    const int status = SYN_ROOM(names->text, names->capacity, names->count);
    return status != SYN_OK ? status
                            : syn_index_make_room(&names->index, names->count, hash_of_name, names);
}

static uint32_t find_or_append(struct syn_names *names, const char *name)
{
    if (make_room(names) != SYN_OK)
        return SYN_NO_NAME;
    uint32_t *slot = syn_index_slot(&names->index, hash_of_text(name), is_text, names, name);
    if (*slot)
        return *slot - 1;
    char *copy = strdup(name);
    if (!copy)
        return SYN_NO_NAME;
    names->text[names->count] = copy;
    *slot = (uint32_t)++names->count;
    return *slot - 1;
}

uint32_t syn_names_site(struct syn_names *names, const char *label)
{
    pthread_mutex_lock(&naming);
    uint32_t id = find_or_append(names, label);
    pthread_mutex_unlock(&naming);
    return id;
}

uint32_t syn_names_id(struct syn_names *names, const char *name)
{
    char head[SYN_NAME_BYTES + 1];
    const size_t bytes = kept_bytes(name);
    memcpy(head, name, bytes);
    head[bytes] = '\0';
    return syn_names_site(names, head);
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
    syn_index_free(&names->index);
    memset(names, 0, sizeof *names);
}
