/* analyze/causes/sums/slabs.c - slabs, each twice as large as the one before. */
#include "analyze/causes/sums/slabs.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define SLAB_LEAST ((size_t)1 << 12)
#define SLAB_MOST  ((size_t)1 << 20)
/* Whoever has used so much will use the next one, which is as large. */
#define SLAB_FETCHED ((size_t)1 << 18)

struct syn_slab {
    struct syn_slab *next;
    size_t used, bytes; /* with this */
};

void syn_slabs_free(struct syn_slabs *slabs)
{
    for (struct syn_slab *slab = slabs->newest, *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
    *slabs = (struct syn_slabs){0};
}

static int add_slab(struct syn_slabs *slabs, size_t least)
{
    size_t bytes = slabs->newest ? syn_least(2 * slabs->newest->bytes, SLAB_MOST) : SLAB_LEAST;
    bytes = syn_largest(bytes, (least + 2 * SYN_LINE_BYTES - 1) / SYN_LINE_BYTES * SYN_LINE_BYTES);
    struct syn_slab *slab = aligned_alloc(SYN_LINE_BYTES, bytes);
    if (!slab)
        return SYN_ENOMEM;
    if (bytes >= SLAB_FETCHED)
        syn_fetch_pages(slab, bytes);
    *slab = (struct syn_slab){.next = slabs->newest, .used = SYN_LINE_BYTES, .bytes = bytes};
    slabs->newest = slab;
    return 0;
}

static void *take(struct syn_slabs *slabs, size_t bytes, size_t alignment)
{
    struct syn_slab *slab = slabs->newest;
    size_t at = slab ? (slab->used + alignment - 1) / alignment * alignment : 0;
    if (!slab || at > slab->bytes || slab->bytes - at < bytes) {
        if (add_slab(slabs, bytes) != SYN_OK)
            return NULL;
        slab = slabs->newest;
        at = slab->used;
    }
    slab->used = at + bytes;
    return (char *)slab + at;
}

void *syn_slab_lines(struct syn_slabs *slabs, size_t bytes)
{
    void *line = take(slabs, bytes, SYN_LINE_BYTES);
    return line ? memset(line, 0, bytes) : NULL;
}

static size_t class_of(size_t bytes)
{
    return (bytes + SYN_PIECE_BYTES - 1) / SYN_PIECE_BYTES;
}

/* Returns the alignment: pieces of whole lines lie in no more lines than they take. */
static size_t alignment_of(size_t bytes)
{
    return bytes % SYN_LINE_BYTES == 0 ? SYN_LINE_BYTES : SYN_PIECE_BYTES;
}

void *syn_slab_piece(struct syn_slabs *slabs, size_t bytes)
{
    const size_t class = class_of(bytes);
    struct syn_unused_piece *unused = slabs->unused[class];
    if (!unused)
        return take(slabs, class * SYN_PIECE_BYTES, alignment_of(class * SYN_PIECE_BYTES));
    slabs->unused[class] = unused->next;
    return unused;
}

void syn_slab_give_back(struct syn_slabs *slabs, void *piece, size_t bytes)
{
    struct syn_unused_piece *unused = piece;
    if (!unused)
        return;
    unused->next = slabs->unused[class_of(bytes)];
    slabs->unused[class_of(bytes)] = unused;
}
