/* preload/entry/elf_object.h - the symbols of a loaded object, read by hand.
 *
 * Used while the dynamic linker relocates objects: nothing here calls another library, allocates or
 * locks. The tables belong to the object and are gone when it is unloaded. */
#ifndef SYN_ELF_OBJECT_H
#define SYN_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_HIDDEN __attribute__((visibility("hidden")))

struct syn_elf {
    const struct link_map *map;
    const ElfW(Sym) * symbols;  /* NULL: the object has none */
    const char *strings;        /* names; valid if there are symbols */
    const uint32_t *gnu, *sysv; /* hash tables; NULL if it has not this kind */
    const ElfW(Rela) * rela[2]; /* of data and of functions */
    size_t rela_count[2];       /* 0 where there are none */
    size_t rela_relative;       /* how many of the first have no symbol */
};

SYN_HIDDEN void syn_elf_read(const struct link_map *map, struct syn_elf *out);

/* The hash of a name that GNU's tables use. */
SYN_HIDDEN uint32_t syn_elf_hash(const char *name);
SYN_HIDDEN bool syn_elf_same(const char *left, const char *right);
SYN_HIDDEN bool syn_elf_begins(const char *name, const char *prefix);

/* The object's own definition of `name`, whose hash is `hash`; NULL if it has none. */
SYN_HIDDEN const ElfW(Sym) *
    syn_elf_find(const struct syn_elf *elf, const char *name, uint32_t hash);
static inline void *syn_elf_address(const struct syn_elf *elf, const ElfW(Sym) * symbol)
{
    return (void *)(elf->map->l_addr + symbol->st_value);
}

/* The number behind the last symbol; 0 if there are none. */
SYN_HIDDEN size_t syn_elf_symbol_end(const struct syn_elf *elf);

/* Does the object define a name with this prefix; does it refer to one that it does not define? */
SYN_HIDDEN bool syn_elf_defines(const struct syn_elf *elf, const char *prefix);
SYN_HIDDEN bool syn_elf_refers_to(const struct syn_elf *elf, const char *prefix);

/* A path without its directory; NULL of NULL. */
SYN_HIDDEN const char *syn_elf_file(const char *path);

/* The object's own name, or its file's; and the number-th name that it is linked with, NULL behind
 * the last. Both without directories: a library without a name is linked by its path. */
SYN_HIDDEN const char *syn_elf_soname(const struct syn_elf *elf);
SYN_HIDDEN const char *syn_elf_needed(const struct syn_elf *elf, size_t number);

#endif
