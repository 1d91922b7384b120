/* analyze/match/columns/spilled.c - arrays in memory up to a budget, and in mapped files beyond
 * it. */
#include "analyze/match/columns/spilled.h"

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
#define PIECE ((size_t)1 << 20) /* bytes that are copied at once */

/* ---- mapped arrays ---- */

static struct syn_mapped_array *find(struct syn_pages *pages, const void *base)
{
    for (size_t i = 0; i < pages->mapped_count; i++)
        if (pages->mapped[i].base == base)
            return &pages->mapped[i];
    return NULL;
}

/* Copies an array to a new mapped file of `bytes`. Copying goes piece by piece, so at most a piece
 * of each of the two is in memory. */
static int map_copy(char *old, size_t old_bytes, bool was_mapped, size_t bytes, void **base)
{
    int file, error_number;
    int status = syn_scratch_open(&file);
    *base = MAP_FAILED;
    /* allocates the whole file on disk: writing to a mapped file without space would kill the
     * process */
    if (status == SYN_OK && (error_number = posix_fallocate(file, 0, (off_t)bytes)) != 0) {
        errno = error_number;
        status = syn_scratch_failed();
    }
    for (size_t at = 0; at < old_bytes && status == SYN_OK; at += PIECE) {
        const size_t piece = syn_least(PIECE, old_bytes - at);
        status = syn_scratch_write(file, old + at, piece, at);
        if (was_mapped)
            (void)madvise(old + at, piece, MADV_DONTNEED);
    }
    if (status == SYN_OK)
        *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    return status == SYN_OK && *base == MAP_FAILED ? SYN_ENOMEM : status;
}

void syn_pages_cool(struct syn_pages *pages)
{
    for (size_t i = 0; i < pages->mapped_count; i++)
        (void)madvise(pages->mapped[i].base, pages->mapped[i].bytes, MADV_DONTNEED);
    pages->touched_bytes = 0;
}

/* ---- growing ---- */

int syn_spilled_grow(struct syn_pages *pages, void *array, size_t *capacity, size_t wanted,
                     size_t element_bytes)
{
    const size_t old_bytes = *capacity * element_bytes, page = (size_t)sysconf(_SC_PAGESIZE);
    size_t bytes = wanted * element_bytes;
    void *at, *grown;
    memcpy(&at, array, sizeof at);
    const bool was_mapped = at && find(pages, at);
    if (!was_mapped &&
        (bytes < LARGE || pages->heap_bytes - old_bytes + bytes <= pages->budget_bytes)) {
        grown = realloc(at, bytes);
        if (!grown)
            return SYN_ENOMEM;
        pages->heap_bytes += bytes - old_bytes;
    } else {
        bytes = (bytes + page - 1) / page * page;
        if (SYN_ROOM(pages->mapped, pages->mapped_capacity, pages->mapped_count) != SYN_OK)
            return SYN_ENOMEM;
        const int status = map_copy(at, old_bytes, was_mapped, bytes, &grown);
        if (status != SYN_OK)
            return status;
        pages->mapped[pages->mapped_count++] = (struct syn_mapped_array){grown, bytes};
        syn_spilled_free(pages, at, old_bytes);
    }
    memcpy(array, &grown, sizeof grown);
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
