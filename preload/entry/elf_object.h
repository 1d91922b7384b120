/* preload/entry/elf_object.h - reads the symbols of a loaded object.
 *
 * These functions run while the dynamic linker relocates objects, so they call no other library,
 * allocate nothing and take no lock. The tables belong to the object and become invalid when it is
 * unloaded. */
#ifndef SYN_ELF_OBJECT_H
#define SYN_ELF_OBJECT_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_HIDDEN __attribute__((visibility("hidden")))

struct syn_elf {
    const struct link_map *map;
    const ElfW(Sym) * symbols;  /* NULL: no symbol table */
    const char *strings;        /* names; valid if `symbols` is not NULL */
    const uint32_t *gnu, *sysv; /* hash tables; NULL: no table of this kind */
    const ElfW(Rela) * rela[2]; /* relocations of data, of functions */
    size_t rela_count[2];       /* 0: none */
    size_t rela_relative;       /* number of entries at the start of rela[0] without a symbol */
};

SYN_HIDDEN void syn_elf_read(const struct link_map *map, struct syn_elf *out);

/* Returns the hash of a name for the GNU hash table. */
SYN_HIDDEN uint32_t syn_elf_hash(const char *name);
SYN_HIDDEN bool syn_elf_same(const char *left, const char *right);
SYN_HIDDEN bool syn_elf_begins(const char *name, const char *prefix);

/* Returns the object's own definition of `name`, whose hash is `hash`; NULL if there is none. */
SYN_HIDDEN const ElfW(Sym) *
    syn_elf_find(const struct syn_elf *elf, const char *name, uint32_t hash);
static inline void *syn_elf_address(const struct syn_elf *elf, const ElfW(Sym) * symbol)
{
    return (void *)(elf->map->l_addr + symbol->st_value);
}

/* Returns the number of symbols in the table; 0 if there is none. */
SYN_HIDDEN size_t syn_elf_symbol_end(const struct syn_elf *elf);

/* Return whether the object defines a name with this prefix, or refers to one with this prefix that
 * it does not define. */
SYN_HIDDEN bool syn_elf_defines(const struct syn_elf *elf, const char *prefix);
SYN_HIDDEN bool syn_elf_refers_to(const struct syn_elf *elf, const char *prefix);

/* Returns the last component of a path; NULL if `path` is NULL. */
SYN_HIDDEN const char *syn_elf_file(const char *path);

/* syn_elf_soname returns the object's soname, or the name of its file if it has no soname.
 * syn_elf_needed returns the number-th library that the object is linked with; NULL if there are
 * fewer. Both omit directories, because a library without a soname is linked by its path. */
SYN_HIDDEN const char *syn_elf_soname(const struct syn_elf *elf);
SYN_HIDDEN const char *syn_elf_needed(const struct syn_elf *elf, size_t number);

#endif
