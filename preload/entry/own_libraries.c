/* preload/entry/own_libraries.c - see own_libraries.h.
 *
 * A program may be linked statically with another version of zstd or libunwind, and export its
 * functions to the whole process (-rdynamic). The dynamic linker searches the program first.
 * RTLD_DEEPBIND would avoid that, but would also change which malloc the backend calls. */
#include "preload/entry/own_libraries.h"

#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/entry/elf_object.h"

extern struct r_debug _r_debug __attribute__((weak));

const struct link_map *syn_own_libraries_before(void)
{
    const struct link_map *map = &_r_debug ? _r_debug.r_map : NULL;
    while (map && map->l_next)
        map = map->l_next;
    return map;
}

static const struct link_map *find(const struct link_map *map, const char *name)
{
    for (; map; map = map->l_next) {
        struct syn_elf elf;
        syn_elf_read(map, &elf);
        if (syn_elf_same(syn_elf_soname(&elf), name))
            return map;
    }
    return NULL;
}

/* Binds a reference to `library` if that defines the name. Returns whether the slot led elsewhere.
 */
static bool bind_reference(const struct syn_elf *elf, const ElfW(Rela) * reference,
                           const struct syn_elf *library)
{
    void **slot = (void **)(elf->map->l_addr + reference->r_offset);
    const size_t number = ELF64_R_SYM(reference->r_info);
    if (number == 0 || reference->r_addend != 0)
        return false;
    const char *name = elf->strings + elf->symbols[number].st_name;
    const ElfW(Sym) *symbol = syn_elf_find(library, name, syn_elf_hash(name));
    const int type = symbol ? ELF64_ST_TYPE(symbol->st_info) : STT_NOTYPE;
    if ((type != STT_FUNC && type != STT_OBJECT) || *slot == syn_elf_address(library, symbol))
        return false;
    /* The page stays writable, because another thread may write to it as well. */
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(page_bytes - 1));
    if (mprotect(page, page_bytes, PROT_READ | PROT_WRITE) == 0)
        __atomic_store_n(slot, syn_elf_address(library, symbol), __ATOMIC_RELAXED);
    return true;
}

static bool bind_references(const struct link_map *map, const struct syn_elf *library)
{
    bool led_elsewhere = false;
    struct syn_elf elf;
    syn_elf_read(map, &elf);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = kind == 0 ? elf.rela_relative : 0; i < elf.rela_count[kind]; i++)
            led_elsewhere |= bind_reference(&elf, &elf.rela[kind][i], library);
    return led_elsewhere;
}

void syn_own_libraries_bind(const struct link_map *backend, const struct link_map *before)
{
    struct syn_elf elf;
    const char *needed;
    syn_elf_read(backend, &elf);
    for (size_t i = 0; before && (needed = syn_elf_needed(&elf, i)); i++) {
        const bool is_own =
            syn_elf_begins(needed, "libzstd.") || syn_elf_begins(needed, "libunwind.");
        const struct link_map *map = is_own ? find(_r_debug.r_map, needed) : NULL;
        struct syn_elf library;
        if (!map)
            continue;
        syn_elf_read(map, &library);
        if (bind_references(backend, &library) && find(before->l_next, needed))
            bind_references(map, &library);
    }
}
