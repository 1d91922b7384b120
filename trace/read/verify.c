/* trace/read/verify.c - reads a rank's whole file, which lists its faults, and finds calls that it
 * has more than once.
 *
 * A rank's calls on a communicator are numbered from 0. The number says which calls of other ranks
 * belong to it. If a rank has one number twice, one of the two calls is matched with calls of
 * another instance: the recorder failed, or files of two runs were put together.
 *
 * Each number has a bit. The bits are in pages that are found by hashing. A rank's calls of one
 * communicator follow one another, so that a page is full before the next one begins. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/events/message.h"
#include "trace/read/rank_file.h"

#define PAGE_CALLS 512
/* RATIONALE: numbers far from one another take a page each, so a file could make this use much
 * memory. Beyond this limit all pages are dropped and new ones begun. Duplicates are then found
 * only if they are not too far from one another. A billion calls without gaps take nearly this many
 * pages. */
#define PAGES_MAX ((size_t)2 << 20)

struct page {
    struct page_key {
        uint64_t comm_id;
        uint64_t number;
    } key;
    uint64_t bits[PAGE_CALLS / 64];
};

struct duplicates {
    struct page *pages; /* [page_count] */
    size_t page_count, capacity;
    struct syn_index index;
    struct page *last;
    uint64_t count; /* calls whose number had occurred before */
    uint64_t first_sequence;
    uint32_t first_comm; /* index */
};

static uint64_t hash_of_page(const void *owner, uint32_t number)
{
    return syn_hash64(&((const struct page *)owner)[number].key, sizeof(struct page_key));
}

static bool is(const void *owner, uint32_t number, const void *key)
{
    return memcmp(&((const struct page *)owner)[number].key, key, sizeof(struct page_key)) == 0;
}

/* Returns the page of a number; NULL: no memory. */
static struct page *page_of(struct duplicates *table, struct page_key key)
{
    if (table->last && is(table->last, 0, &key))
        return table->last;
    table->last = NULL;
    if (table->page_count >= PAGES_MAX) {
        syn_index_clear(&table->index);
        table->page_count = 0;
    }
    if (SYN_ROOM(table->pages, table->capacity, table->page_count) != SYN_OK ||
        syn_index_make_room(&table->index, table->page_count, hash_of_page, table->pages) != SYN_OK)
        return NULL;
    uint32_t *slot =
        syn_index_slot(&table->index, syn_hash64(&key, sizeof key), is, table->pages, &key);
    if (*slot == 0) {
        table->pages[table->page_count] = (struct page){.key = key};
        *slot = (uint32_t)++table->page_count;
    }
    return table->last = &table->pages[*slot - 1];
}

static int look_at(struct duplicates *duplicates, const struct syn_rank_file *file, uint32_t comm,
                   uint64_t sequence)
{
    const uint64_t bit = UINT64_C(1) << sequence % 64;
    struct page *page = page_of(
        duplicates, (struct page_key){syn_rank_comm(file, comm)->id, sequence / PAGE_CALLS});
    if (!page)
        return SYN_ENOMEM;
    uint64_t *bits = &page->bits[sequence % PAGE_CALLS / 64];
    if (*bits & bit && duplicates->count++ == 0) {
        duplicates->first_comm = comm;
        duplicates->first_sequence = sequence;
    }
    *bits |= bit;
    return SYN_OK;
}

int syn_rank_verify(struct syn_rank_file *file)
{
    struct duplicates duplicates = {0};
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    do {
        status = syn_cursor_next(cursor, &columns);
        for (size_t i = 0; status == SYN_OK && i < columns.count; i++)
            if (!syn_is_message(columns.op[i]))
                status = look_at(&duplicates, file, columns.comm[i], columns.sequence[i]);
    } while (status == SYN_OK || status == SYN_EDAMAGED);
    syn_cursor_close(cursor);
    if (status == SYN_EEND && duplicates.count > 0)
        syn_rank_add_fault(
            file, SYN_EDAMAGED,
            "%" PRIu64 " call%s there more than once, the first is call %" PRIu64 " of %s",
            duplicates.count, duplicates.count == 1 ? " is" : "s are", duplicates.first_sequence,
            syn_rank_comm(file, duplicates.first_comm)->name);
    free(duplicates.pages);
    syn_index_free(&duplicates.index);
    return status == SYN_EEND ? SYN_OK : status;
}
