/* preload/base/mappings.c - see mappings.h. */
#include "preload/base/mappings.h"

#include <stdint.h>
#include <sys/mman.h>

#include "sync/time/cpu.h"

/* Enough for 3 GiB in blocks of 384 KiB. A block whose mapping does not fit in the table lies in
 * memory without a file. */
#define MAPPING_COUNT_MAX 8192

/* Members are atomic, because a signal handler reads them and any thread adds mappings. Places are
 * never given back. */
static struct {
    struct {
        uintptr_t low;
        uintptr_t high; /* stored last; 0: the place is not filled yet */
    } at[MAPPING_COUNT_MAX];
    size_t taken_count;
    bool mended;
} mappings;

bool syn_mappings_add(const void *memory, size_t bytes)
{
    const size_t place = __atomic_fetch_add(&mappings.taken_count, 1, __ATOMIC_RELAXED);
    if (place >= MAPPING_COUNT_MAX)
        return false;
    mappings.at[place].low = (uintptr_t)memory;
    __atomic_store_n(&mappings.at[place].high, (uintptr_t)memory + bytes, __ATOMIC_RELEASE);
    return true;
}

static bool is_ours(uintptr_t address)
{
    const size_t taken = __atomic_load_n(&mappings.taken_count, __ATOMIC_RELAXED);
    for (size_t i = 0; i < taken && i < MAPPING_COUNT_MAX; i++)
        if (address < __atomic_load_n(&mappings.at[i].high, __ATOMIC_ACQUIRE) &&
            address >= mappings.at[i].low)
            return true;
    return false;
}

bool syn_mappings_mend(const void *address)
{
    const size_t page_bytes = syn_page_bytes();
    const uintptr_t page = (uintptr_t)address & ~(uintptr_t)(page_bytes - 1);
    if (!is_ours((uintptr_t)address) ||
        mmap((void *)page, page_bytes, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
        return false;
    __atomic_store_n(&mappings.mended, true, __ATOMIC_RELAXED);
    return true;
}

bool syn_mappings_mended(void)
{
    return __atomic_load_n(&mappings.mended, __ATOMIC_RELAXED);
}
