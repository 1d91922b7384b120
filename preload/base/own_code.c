/* preload/base/own_code.c - see own_code.h. */
#include "preload/base/own_code.h"

#include <link.h>
#include <stddef.h>

#include "sync/time/cpu.h"

/* The start of this library: its ELF header. The linker defines the symbol. The array has no size,
 * because the memory behind the header is read, too. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

/* Reads a byte of each page. The kernel maps sixteen pages at a time, if they are in memory.
 * Sanitizers must not check these reads. */
__attribute__((no_sanitize("address", "undefined"))) static void
touch(const volatile unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += syn_page_bytes())
        (void)memory[at];
}

static const ElfW(Phdr) * segments(int *count)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)__ehdr_start;
    *count = header->e_phnum;
    return (const ElfW(Phdr) *)(const void *)(__ehdr_start + header->e_phoff);
}

__attribute__((no_sanitize("address", "undefined"))) void syn_own_code_touch(void)
{
    int count;
    const ElfW(Phdr) *segment = segments(&count);
    for (int i = 0; i < count; i++)
        if (segment[i].p_type == PT_LOAD && !(segment[i].p_flags & PF_W))
            touch(__ehdr_start + segment[i].p_vaddr, segment[i].p_memsz);
}

__attribute__((no_sanitize("address", "undefined"))) bool syn_own_code_has(uintptr_t address)
{
    int count;
    const ElfW(Phdr) *segment = segments(&count);
    const uintptr_t offset = address - (uintptr_t)__ehdr_start;
    for (int i = 0; i < count; i++)
        if (segment[i].p_type == PT_LOAD && offset - segment[i].p_vaddr < segment[i].p_memsz)
            return true;
    return false;
}
