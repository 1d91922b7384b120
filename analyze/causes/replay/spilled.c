/* analyze/causes/replay/spilled.c - arrays in memory up to a budget, and in mapped files beyond. */
#include "analyze/causes/replay/spilled.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analyze/match/columns/scratch.h"
#include "sync/base/integers.h"
#include "sync/base/vector.h"

#define LARGE ((size_t)1 << 14) /* smaller arrays stay in memory */
#define PIECE ((size_t)1 << 20) /* that is copied at once */

/* ---- mapped arrays ---- */

static struct syn_mapped_array *find(struct syn_pages *pages, const void *base)
{
    for (size_t i = 0; i < pages->mapped_count; i++)
        if (pages->mapped[i].base == base)
            return &pages->mapped[i];
    return NULL;
}

static size_t in_pages(size_t bytes)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (bytes + page - 1) / page * page;
}

/* Copies an array to a file in pieces, so that of the old and of the new one no more than a piece
 * each is in memory. */
static int write_out(int file, char *old, size_t bytes, bool is_mapped)
{
    int status = 0;
    for (size_t at = 0; at < bytes && status == SYN_OK; at += PIECE) {
        const size_t piece = syn_least(PIECE, bytes - at);
        status = syn_scratch_write(file, old + at, piece, at);
        if (is_mapped)
            (void)madvise(old + at, piece, MADV_DONTNEED);
    }
    return status;
}

/* Room on the disk for all of it: where a mapped file has none, writing there kills. */
static int reserve_on_disk(int file, size_t bytes)
{
    const int error_number = posix_fallocate(file, 0, (off_t)bytes);
    if (error_number == 0)
        return 0;
    errno = error_number;
    return syn_scratch_failed();
}

static int map(int file, size_t bytes, void **base)
{
    *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (*base != MAP_FAILED)
        return 0;
    *base = NULL;
    return SYN_ENOMEM;
}

/* The array in a new file of so many bytes. */
static int map_copy(char *old, size_t old_bytes, bool was_mapped, size_t bytes, void **base)
{
    int file;
    *base = NULL;
    int status = syn_scratch_open(&file);
    if (status == SYN_OK)
        status = reserve_on_disk(file, bytes);
    if (status == SYN_OK)
        status = write_out(file, old, old_bytes, was_mapped);
    if (status == SYN_OK)
        status = map(file, bytes, base);
    if (file >= 0)
        close(file);
    return status;
}

static int add_mapped(struct syn_pages *pages, void *base, size_t bytes)
{
    if (SYN_ROOM(pages->mapped, pages->mapped_capacity, pages->mapped_count) != SYN_OK)
        return SYN_ENOMEM;
    pages->mapped[pages->mapped_count++] = (struct syn_mapped_array){base, bytes};
    return 0;
}

void syn_pages_cool(struct syn_pages *pages)
{
    for (size_t i = 0; i < pages->mapped_count; i++)
        (void)madvise(pages->mapped[i].base, pages->mapped[i].bytes, MADV_DONTNEED);
    pages->touched_bytes = 0;
}

/* ---- growing ---- */

static bool fits(const struct syn_pages *pages, size_t old_bytes, size_t bytes)
{
    return bytes < LARGE || pages->heap_bytes - old_bytes + bytes <= pages->budget_bytes;
}

static int grow_in_memory(struct syn_pages *pages, void **array, size_t old_bytes, size_t bytes)
{
    void *grown = realloc(*array, bytes);
    if (!grown)
        return SYN_ENOMEM;
    pages->heap_bytes += bytes - old_bytes;
    *array = grown;
    return 0;
}

static int grow_in_file(struct syn_pages *pages, void **array, size_t old_bytes, size_t bytes)
{
    const bool was_mapped = find(pages, *array) != NULL;
    void *base;
    bytes = in_pages(bytes);
    int status = map_copy(*array, old_bytes, was_mapped, bytes, &base);
    if (status == SYN_OK && (status = add_mapped(pages, base, bytes)) != SYN_OK)
        munmap(base, bytes);
    if (status != SYN_OK)
        return status;
    syn_spilled_free(pages, *array, old_bytes);
    *array = base;
    return 0;
}

int syn_spilled_grow(struct syn_pages *pages, void *array, size_t *capacity, size_t wanted,
                     size_t element_bytes)
{
    const size_t old_bytes = *capacity * element_bytes, bytes = wanted * element_bytes;
    void *at;
    memcpy(&at, array, sizeof at);
    const bool stays = (!at || !find(pages, at)) && fits(pages, old_bytes, bytes);
    int status = stays ? grow_in_memory(pages, &at, old_bytes, bytes)
                       : grow_in_file(pages, &at, old_bytes, bytes);
    if (status != SYN_OK)
        return status;
    memcpy(array, &at, sizeof at);
    *capacity = wanted;
    return 0;
}

/* ---- life ---- */

void syn_spilled_free(struct syn_pages *pages, void *array, size_t bytes)
{
    struct syn_mapped_array *mapped = array ? find(pages, array) : NULL;
    if (!mapped) {
        pages->heap_bytes -= array ? bytes : 0;
        free(array);
        return;
    }
    munmap(mapped->base, mapped->bytes);
    *mapped = pages->mapped[--pages->mapped_count];
}

void syn_pages_end(struct syn_pages *pages)
{
    free(pages->mapped);
    pages->mapped = NULL;
    pages->mapped_capacity = 0;
}
