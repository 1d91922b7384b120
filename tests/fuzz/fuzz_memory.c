/* tests/fuzz/fuzz_memory.c - how much memory is allocated at once, counted by the sanitizer's
 * hooks. */
#include "fuzz.h"

typedef void (*malloc_hook)(const volatile void *memory, size_t bytes);
typedef void (*free_hook)(const volatile void *memory);

/* Defined by the sanitizers' runtime; NULL without it. */
__attribute__((weak)) int __sanitizer_install_malloc_and_free_hooks(malloc_hook on_malloc,
                                                                    free_hook on_free);
__attribute__((weak)) size_t __sanitizer_get_allocated_size(const volatile void *memory);

/* A quarantine that fits the cache, and short stacks: most of an execution's time would go there.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "quarantine_size_mb=1:malloc_context_size=2";
}

static size_t current_bytes, base_bytes, peak_bytes;

static void count_malloc(const volatile void *memory, size_t bytes)
{
    (void)memory;
    size_t now = __atomic_add_fetch(&current_bytes, bytes, __ATOMIC_RELAXED);
    if (now > __atomic_load_n(&peak_bytes, __ATOMIC_RELAXED))
        __atomic_store_n(&peak_bytes, now, __ATOMIC_RELAXED);
}

static void count_free(const volatile void *memory)
{
    if (memory)
        __atomic_sub_fetch(&current_bytes, __sanitizer_get_allocated_size(memory),
                           __ATOMIC_RELAXED);
}

void fuzz_memory_begin(void)
{
    static bool installed;
    if (!installed && __sanitizer_install_malloc_and_free_hooks)
        __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free);
    installed = true;
    base_bytes = peak_bytes = current_bytes;
}

size_t fuzz_memory_peak(void)
{
    /* Frees of memory from before the hooks may have wrapped the difference below zero. */
    size_t grown = peak_bytes - base_bytes;
    return grown > SIZE_MAX / 2 ? 0 : grown;
}
