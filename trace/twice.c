/* trace/twice.c - see twice.h. A bit for each number, in pages that are found by hashing: a rank's
 * calls of one communicator follow one another, so that a page is full before the next one begins.
 */
#include "trace/twice.h"

#include <stdbool.h>
#include <stdlib.h>

#include "sync/base/status.h"

#define PAGE_CALLS 512
#define PAGES_MIN  ((size_t)64)
/* RATIONALE: numbers far from one another take a page each. A file could ask for much memory like
 * that, so beyond this all is forgotten and begun anew: calls are then only seen twice that are not
 * too far from one another. A billion calls without gaps are half of it. */
#define PAGES_MAX ((size_t)4 << 20)

struct page { /* in use where it has any bit */
    uint64_t comm_id;
    uint64_t number;
    uint64_t bits[PAGE_CALLS / 64];
};

struct syn_twice_table {
    struct page *pages; /* [page_count], a power of 2 */
    size_t page_count;
    size_t used_count;
    struct page *last;
};

static bool is_used(const struct page *page)
{
    uint64_t any = 0;
    for (size_t i = 0; i < PAGE_CALLS / 64; i++)
        any |= page->bits[i];
    return any != 0;
}

/* The page, or the free place where it would be. */
static struct page *find(const struct syn_twice_table *table, uint64_t comm_id, uint64_t number)
{
    uint64_t hash =
        (comm_id ^ number * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
    for (size_t at = hash >> 20;; at++) {
        struct page *page = &table->pages[at & (table->page_count - 1)];
        if ((page->comm_id == comm_id && page->number == number) || !is_used(page))
            return page;
    }
}

static int begin(struct syn_twice_table *table, size_t page_count)
{
    struct page *pages = calloc(page_count, sizeof *pages);
    if (!pages)
        return SYN_ENOMEM;
    free(table->pages);
    *table = (struct syn_twice_table){.pages = pages, .page_count = page_count};
    return SYN_OK;
}

static int grow(struct syn_twice_table *table)
{
    struct syn_twice_table grown = {0};
    if (2 * table->page_count > PAGES_MAX)
        return begin(table, PAGES_MIN);
    const int status = begin(&grown, 2 * table->page_count);
    if (status != SYN_OK)
        return status;
    for (size_t i = 0; i < table->page_count; i++)
        if (is_used(&table->pages[i])) {
            *find(&grown, table->pages[i].comm_id, table->pages[i].number) = table->pages[i];
            grown.used_count++;
        }
    free(table->pages);
    *table = grown;
    return SYN_OK;
}

/* The page of a number; NULL: no memory. */
static struct page *page_of(struct syn_twice_table *table, uint64_t comm_id, uint64_t number)
{
    struct page *page = table->last;
    if (page && page->comm_id == comm_id && page->number == number)
        return page;
    page = find(table, comm_id, number);
    if (!is_used(page)) {
        if (2 * table->used_count >= table->page_count) {
            if (grow(table))
                return NULL;
            page = find(table, comm_id, number);
        }
        page->comm_id = comm_id;
        page->number = number;
        table->used_count++;
    }
    table->last = page;
    return page;
}

static int look_at(struct syn_twice *twice, const struct syn_rank_file *file, uint32_t comm,
                   uint64_t sequence)
{
    const uint64_t bit = UINT64_C(1) << sequence % 64;
    struct page *page = page_of(twice->table, syn_rank_comm(file, comm)->id, sequence / PAGE_CALLS);
    if (!page)
        return SYN_ENOMEM;
    uint64_t *bits = &page->bits[sequence % PAGE_CALLS / 64];
    if (*bits & bit && twice->count++ == 0) {
        twice->first_comm = comm;
        twice->first_sequence = sequence;
    }
    *bits |= bit;
    return SYN_OK;
}

static int open_table(struct syn_twice *twice)
{
    if (!(twice->table = calloc(1, sizeof *twice->table)))
        return SYN_ENOMEM;
    return begin(twice->table, PAGES_MIN);
}

int syn_twice_look(struct syn_twice *twice, const struct syn_rank_file *file,
                   const struct syn_event_columns *columns)
{
    int status = twice->table ? SYN_OK : open_table(twice);
    for (size_t i = 0; i < columns->count && status == SYN_OK; i++)
        status = look_at(twice, file, columns->comm[i], columns->sequence[i]);
    return status;
}

void syn_twice_free(struct syn_twice *twice)
{
    if (twice->table)
        free(twice->table->pages);
    free(twice->table);
}
