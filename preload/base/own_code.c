/* preload/base/own_code.c - see own_code.h. By a load from each page: the kernel maps sixteen at
 * once where they are in memory. */
#include "preload/base/own_code.h"

#include <link.h>
#include <stddef.h>

#include "sync/cpu.h"

/* Where this library lies: the linker makes it. */
extern const ElfW(Ehdr) __ehdr_start __attribute__((visibility("hidden")));

static void touch(const volatile unsigned char *memory, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += syn_page_bytes())
        (void)memory[at];
}

void syn_own_code_touch(void)
{
    const unsigned char *const base = (const unsigned char *)&__ehdr_start;
    const ElfW(Phdr) *headers = (const ElfW(Phdr) *)(const void *)(base + __ehdr_start.e_phoff);
    for (int i = 0; i < __ehdr_start.e_phnum; i++)
        if (headers[i].p_type == PT_LOAD && !(headers[i].p_flags & PF_W))
            touch(base + headers[i].p_vaddr, headers[i].p_memsz);
}
