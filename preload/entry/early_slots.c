/* preload/entry/early_slots.c - see early_slots.h.
 *
 * RATIONALE: the dynamic linker relocates objects in reverse order, the program last, and so most
 * libraries before a preloaded one. Entries that are IFUNCs would not help: on x86-64 glibc prints
 * a warning for each reference to an IFUNC of an object that is not relocated yet. */
#include "preload/entry/early_slots.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* Begin and end of the code of the entries (entries.S). */
extern SYN_HIDDEN const char syn_entries_begin[], syn_entries_end[];

bool syn_early_is_entry(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)syn_entries_begin &&
           (uintptr_t)address < (uintptr_t)syn_entries_end;
}

/* Returns whether the linker has made the slot read-only (RELRO). The ELF header lies at the start
 * of the object. */
static bool is_read_only(const struct link_map *map, const void *slot)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
    if (map->l_addr == 0 || *(const uint32_t *)(const void *)header != 0x464c457f)
        return false;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_GNU_RELRO)
            return (uintptr_t)slot - map->l_addr - segments[i].p_vaddr < segments[i].p_memsz;
    return false;
}

static void bind(const struct link_map *map, void **slot, void *value)
{
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    void *page = (void *)((uintptr_t)slot & ~(page_bytes - 1));
    const bool read_only = is_read_only(map, slot);
    if (read_only && mprotect(page, page_bytes, PROT_READ | PROT_WRITE))
        return;
    *slot = value;
    if (read_only)
        mprotect(page, page_bytes, PROT_READ);
}

/* The arguments of syn_early_slots_mend, and the state of its loops. */
struct mending {
    syn_is_hidden *is_hidden;
    syn_unhidden *without_us;
    bool is_mended;       /* out: a slot was changed */
    struct syn_elf asked; /* the object whose IFUNCs choose again */
};

typedef void use_reference(const struct syn_elf *elf, const ElfW(Rela) * reference, void **slot,
                           struct mending *mending);

static void use_each(const struct link_map *map, use_reference *use, struct mending *mending)
{
    struct syn_elf elf;
    syn_elf_read(map, &elf);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = kind == 0 ? elf.rela_relative : 0; i < elf.rela_count[kind]; i++)
            use(&elf, &elf.rela[kind][i], (void **)(map->l_addr + elf.rela[kind][i].r_offset),
                mending);
}

static const char *name_of(const struct syn_elf *elf, const ElfW(Rela) * reference)
{
    return elf->strings + elf->symbols[ELF64_R_SYM(reference->r_info)].st_name;
}

static void mend(const struct syn_elf *elf, const ElfW(Rela) * reference, void **slot,
                 struct mending *mending)
{
    if (ELF64_R_SYM(reference->r_info) == 0 || !syn_early_is_entry(*slot) ||
        !mending->is_hidden(name_of(elf, reference)))
        return;
    bind(elf->map, slot, mending->without_us(name_of(elf, reference)));
    mending->is_mended = true;
}

#if defined __x86_64__
#define IRELATIVE R_X86_64_IRELATIVE
#elif defined __aarch64__
#define IRELATIVE R_AARCH64_IRELATIVE
#endif

#ifdef IRELATIVE
/* Calls the resolver of an IFUNC with the arguments that the dynamic linker passes, and returns its
 * choice. */
static void *chosen(uintptr_t address)
{
    typedef void *resolver(unsigned long, const unsigned long *);
    const unsigned long hwcap = getauxval(AT_HWCAP);
    const unsigned long features[] = {3 * sizeof hwcap, hwcap, getauxval(AT_HWCAP2)};
    return ((resolver *)address)(hwcap | 1UL << 62, features);
}

/* Makes an IFUNC that the object calls without a name (IRELATIVE) choose again. */
static void choose_own_again(const struct syn_elf *elf, const ElfW(Rela) * reference, void **slot,
                             struct mending *mending)
{
    (void)mending;
    if (ELF64_R_TYPE(reference->r_info) == IRELATIVE)
        bind(elf->map, slot, chosen(elf->map->l_addr + (uintptr_t)reference->r_addend));
}

/* Returns whether the address lies in a segment of the object. The ELF header lies at the object's
 * start. */
static bool lies_in(const struct link_map *map, const void *address)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)map->l_addr;
    if (map->l_addr == 0 || *(const uint32_t *)(const void *)header != 0x464c457f)
        return false;
    const ElfW(Phdr) *segments = (const ElfW(Phdr) *)(map->l_addr + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
        if (segments[i].p_type == PT_LOAD &&
            (uintptr_t)address - map->l_addr - segments[i].p_vaddr < segments[i].p_memsz)
            return true;
    return false;
}

/* Makes a reference by name to an IFUNC of mending->asked choose again. A slot that is bound
 * already leads into that object or to an entry; a slot that leads elsewhere is left to the dynamic
 * linker. */
static void choose_again(const struct syn_elf *elf, const ElfW(Rela) * reference, void **slot,
                         struct mending *mending)
{
    const struct syn_elf *asked = &mending->asked;
    if (ELF64_R_SYM(reference->r_info) == 0 ||
        !(syn_early_is_entry(*slot) || lies_in(asked->map, *slot)))
        return;
    const char *name = name_of(elf, reference);
    const ElfW(Sym) *symbol = syn_elf_find(asked, name, syn_elf_hash(name));
    if (symbol && ELF64_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC)
        bind(elf->map, slot, chosen((uintptr_t)syn_elf_address(asked, symbol)));
}

static bool has_ifunc(const struct syn_elf *elf)
{
    for (size_t i = syn_elf_symbol_end(elf); i-- > 1;)
        if (ELF64_ST_TYPE(elf->symbols[i].st_info) == STT_GNU_IFUNC)
            return true;
    return false;
}
#endif

/* Plan: bind the references to hidden entries. If an object had any, its IFUNCs may have chosen by
 * them, so let them choose again. */
void syn_early_slots_mend(const struct link_map *first, const struct link_map *own,
                          syn_is_hidden *is_hidden, syn_unhidden *without_us)
{
    struct mending mending = {.is_hidden = is_hidden, .without_us = without_us};
    for (const struct link_map *map = first; map; map = map->l_next) {
        mending.is_mended = false;
        if (map != own)
            use_each(map, mend, &mending);
#ifdef IRELATIVE
        if (!mending.is_mended)
            continue;
        use_each(map, choose_own_again, &mending);
        syn_elf_read(map, &mending.asked);
        for (const struct link_map *at = first; at && has_ifunc(&mending.asked); at = at->l_next)
            use_each(at, choose_again, &mending);
#endif
    }
}
