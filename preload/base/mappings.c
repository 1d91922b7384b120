/* preload/base/mappings.c - see mappings.h. */
#include "preload/base/mappings.h"

#include <stdint.h>
#include <sys/mman.h>

#include "sync/time/cpu.h"

/* Blocks of 2 MiB: more than --buffer is ever given; what does not fit stays in plain memory. */
#define MAPPING_COUNT_MAX 8192

/* Atomic, for a signal handler reads it: places are taken by any thread, and never given back. */
static struct {
    struct {
        uintptr_t low;
        uintptr_t high; /* stored last */
    } at[MAPPING_COUNT_MAX];
    size_t taken_count;
    bool struck;
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
    __atomic_store_n(&mappings.struck, true, __ATOMIC_RELAXED);
    return true;
}

bool syn_mappings_struck(void)
{
    return __atomic_load_n(&mappings.struck, __ATOMIC_RELAXED);
}
