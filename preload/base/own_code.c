/* preload/base/own_code.c - see own_code.h. The kernel maps sixteen pages at a time, if they are in
 * memory. */
#include "preload/base/own_code.h"

#include <link.h>
#include <stddef.h>

#include "sync/time/cpu.h"

/* The start of this library: its ELF header. The linker defines the symbol. The array has no size,
 * because the memory behind the header is read, too. */
extern const unsigned char __ehdr_start[] __attribute__((visibility("hidden")));

/* Reads a byte of each page. Sanitizers must not check these reads. */
__attribute__((no_sanitize("address", "undefined"))) static void
touch(const volatile unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += syn_page_bytes())
        (void)memory[at];
}

__attribute__((no_sanitize("address", "undefined"))) void syn_own_code_touch(void)
{
    const unsigned char *const base = __ehdr_start;
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)(const void *)base;
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(const void *)(base + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++)
        if (headers[i].p_type == PT_LOAD && !(headers[i].p_flags & PF_W))
            touch(base + headers[i].p_vaddr, headers[i].p_memsz);
}
