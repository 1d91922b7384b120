/* preload/entry/early_slots.c - see early_slots.h.
 *
 * RATIONALE: the dynamic linker relocates libraries before the ones that they do not need, and so
 * most before ours. IFUNCs in place of the entries would not do: on x86-64 glibc complains on
 * stderr about each reference to an IFUNC of an object that it has not relocated yet. */
#include "preload/entry/early_slots.h"

#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

/* The entries' code (entries.S). */
extern SYN_HIDDEN const char syn_entries_begin[], syn_entries_end[];

bool syn_early_is_entry(const void *address)
{
    return (uintptr_t)address >= (uintptr_t)syn_entries_begin &&
           (uintptr_t)address < (uintptr_t)syn_entries_end;
}

/* Is the slot in what the linker has made read-only by now? The headers of an object lie where it
 * begins. */
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

/* Returns whether the slot is another one now. */
static bool mend(const struct syn_elf *elf, const ElfW(Rela) * reference, syn_is_hidden *is_hidden,
                 syn_unhidden *without_us)
{
    void **slot = (void **)(elf->map->l_addr + reference->r_offset);
    const size_t number = ELF64_R_SYM(reference->r_info);
    const char *name = elf->strings + elf->symbols[number].st_name;
    if (number == 0 || !syn_early_is_entry(*slot) || !is_hidden(name))
        return false;
    bind(elf->map, slot, without_us(name));
    return true;
}

#if defined __x86_64__
#define IRELATIVE R_X86_64_IRELATIVE
#elif defined __aarch64__
#define IRELATIVE R_AARCH64_IRELATIVE
#endif

/* An IFUNC of the object may have chosen by a slot that was not mended yet. Its resolver is asked
 * again, as the dynamic linker does it. */
static void choose_again(const struct syn_elf *elf, const ElfW(Rela) * reference)
{
#ifdef IRELATIVE
    typedef void *resolver(unsigned long, const unsigned long *);
    const unsigned long hwcap = getauxval(AT_HWCAP);
    const unsigned long features[] = {3 * sizeof hwcap, hwcap, getauxval(AT_HWCAP2)};
    if (ELF64_R_TYPE(reference->r_info) == IRELATIVE)
        bind(elf->map, (void **)(elf->map->l_addr + reference->r_offset),
             ((resolver *)(elf->map->l_addr + (uintptr_t)reference->r_addend))(hwcap | 1UL << 62,
                                                                               features));
#else
    (void)elf, (void)reference;
#endif
}

void syn_early_slots_mend(const struct link_map *map, syn_is_hidden *is_hidden,
                          syn_unhidden *without_us)
{
    struct syn_elf elf;
    bool is_mended = false;
    syn_elf_read(map, &elf);
    for (int kind = 0; kind < 2; kind++)
        for (size_t i = kind == 0 ? elf.rela_relative : 0; i < elf.rela_count[kind]; i++)
            is_mended |= mend(&elf, &elf.rela[kind][i], is_hidden, without_us);
    for (int kind = 0; kind < 2 && is_mended; kind++)
        for (size_t i = kind == 0 ? elf.rela_relative : 0; i < elf.rela_count[kind]; i++)
            choose_again(&elf, &elf.rela[kind][i]);
}
