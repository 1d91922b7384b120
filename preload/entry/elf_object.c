/* preload/entry/elf_object.c - see elf_object.h. */
#include "preload/entry/elf_object.h"

void syn_elf_read(const struct link_map *map, struct syn_elf *out)
{
    *out = (struct syn_elf){.map = map};
    for (const ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
        /* glibc makes these addresses absolute, except in a read-only dynamic section: on riscv64
         * and in the vDSO. */
        const void *address =
            (const void *)(entry->d_un.d_ptr < map->l_addr ? map->l_addr + entry->d_un.d_ptr
                                                           : entry->d_un.d_ptr);
        switch (entry->d_tag) {
        case DT_SYMTAB:
            out->symbols = address;
            break;
        case DT_STRTAB:
            out->strings = address;
            break;
        case DT_GNU_HASH:
            out->gnu = address;
            break;
        case DT_HASH:
            out->sysv = address;
            break;
        case DT_RELA:
            out->rela[0] = address;
            break;
        case DT_RELASZ:
            out->rela_count[0] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        case DT_RELACOUNT:
            out->rela_relative = entry->d_un.d_val;
            break;
        case DT_JMPREL:
            out->rela[1] = address;
            break;
        case DT_PLTRELSZ:
            out->rela_count[1] = entry->d_un.d_val / sizeof(ElfW(Rela));
            break;
        default:
            break;
        }
    }
    if (!out->strings || (!out->gnu && !out->sysv))
        out->symbols = NULL;
    for (int i = 0; i < 2; i++)
        if (!out->rela[i] || !out->symbols)
            out->rela_count[i] = 0;
}

uint32_t syn_elf_hash(const char *name)
{
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

static uint32_t sysv_hash(const char *name)
{
    uint32_t hash = 0;
    for (; *name; name++) {
        hash = (hash << 4) + (unsigned char)*name;
        hash ^= hash >> 24 & 0xf0;
    }
    return hash & 0x0fffffff;
}

bool syn_elf_same(const char *left, const char *right)
{
    for (; *left && *left == *right; left++, right++)
        ;
    return *left == *right;
}

bool syn_elf_begins(const char *name, const char *prefix)
{
    for (; *prefix && *name == *prefix; name++, prefix++)
        ;
    return *prefix == '\0';
}

static bool defines(const struct syn_elf *elf, size_t number, const char *name)
{
    const ElfW(Sym) *symbol = &elf->symbols[number];
    return symbol->st_shndx != SHN_UNDEF && syn_elf_same(elf->strings + symbol->st_name, name);
}

/* Returns the buckets of a GNU hash table. The table holds: number of buckets, number of the first
 * hashed symbol, number of words of the Bloom filter, its shift; the filter; the buckets; one hash
 * for each symbol. The lowest bit of a hash is set at the end of a bucket. */
static const uint32_t *gnu_buckets(const uint32_t *gnu)
{
    return gnu + 4 + gnu[2] * (sizeof(ElfW(Addr)) / sizeof *gnu);
}

static const ElfW(Sym) * find_gnu(const struct syn_elf *elf, const char *name, uint32_t hash)
{
    const uint32_t *gnu = elf->gnu, *buckets = gnu_buckets(gnu);
    const uint32_t *hashes = buckets + gnu[0];
    const unsigned bits = 8 * sizeof(ElfW(Addr));
    const ElfW(Addr) word = ((const ElfW(Addr) *)(const void *)(gnu + 4))[hash / bits % gnu[2]];
    if (!(word >> hash % bits & word >> (hash >> gnu[3]) % bits & 1) || !buckets[hash % gnu[0]])
        return NULL;
    for (size_t i = buckets[hash % gnu[0]];; i++) {
        const uint32_t here = hashes[i - gnu[1]];
        if ((here | 1) == (hash | 1) && defines(elf, i, name))
            return &elf->symbols[i];
        if (here & 1)
            return NULL;
    }
}

static const ElfW(Sym) * find_sysv(const struct syn_elf *elf, const char *name)
{
    const uint32_t *buckets = elf->sysv + 2, *chain = buckets + elf->sysv[0];
    for (size_t i = buckets[sysv_hash(name) % elf->sysv[0]]; i > 0; i = chain[i])
        if (defines(elf, i, name))
            return &elf->symbols[i];
    return NULL;
}

const ElfW(Sym) * syn_elf_find(const struct syn_elf *elf, const char *name, uint32_t hash)
{
    if (!elf->symbols)
        return NULL;
    if (elf->gnu)
        return elf->gnu[0] > 0 && elf->gnu[2] > 0 ? find_gnu(elf, name, hash) : NULL;
    return elf->sysv[0] > 0 ? find_sysv(elf, name) : NULL;
}

size_t syn_elf_symbol_end(const struct syn_elf *elf)
{
    if (!elf->symbols || !elf->gnu)
        return elf->symbols ? elf->sysv[1] : 0;
    const uint32_t *buckets = gnu_buckets(elf->gnu), *hashes = buckets + elf->gnu[0];
    size_t last = 0;
    for (uint32_t i = 0; i < elf->gnu[0]; i++)
        if (buckets[i] > last)
            last = buckets[i];
    if (last == 0)
        return elf->gnu[1];
    while (!(hashes[last - elf->gnu[1]] & 1))
        last++;
    return last + 1;
}

static bool has_name(const struct syn_elf *elf, size_t end, const char *prefix, bool is_defined)
{
    for (size_t i = 1; i < end; i++)
        if ((elf->symbols[i].st_shndx != SHN_UNDEF) == is_defined &&
            syn_elf_begins(elf->strings + elf->symbols[i].st_name, prefix))
            return true;
    return false;
}

bool syn_elf_defines(const struct syn_elf *elf, const char *prefix)
{
    return has_name(elf, syn_elf_symbol_end(elf), prefix, true);
}

bool syn_elf_refers_to(const struct syn_elf *elf, const char *prefix)
{
    /* In an object with a GNU hash table the undefined symbols precede the hashed ones. Without
     * that table all symbols are searched. */
    return has_name(elf, !elf->symbols ? 0 : elf->gnu ? elf->gnu[1] : elf->sysv[1], prefix, false);
}

/* Returns the text of the number-th entry with this tag; NULL if there are fewer. */
static const char *dynamic_text(const struct syn_elf *elf, ElfW(Sxword) tag, size_t number)
{
    for (const ElfW(Dyn) *entry = elf->map->l_ld; entry && entry->d_tag != DT_NULL; entry++)
        if (entry->d_tag == tag && number-- == 0)
            return elf->strings ? elf->strings + entry->d_un.d_val : NULL;
    return NULL;
}

const char *syn_elf_file(const char *path)
{
    const char *file = path;
    for (const char *at = path; at && *at; at++)
        if (*at == '/')
            file = at + 1;
    return file;
}

const char *syn_elf_soname(const struct syn_elf *elf)
{
    const char *soname = dynamic_text(elf, DT_SONAME, 0);
    return syn_elf_file(soname ? soname : elf->map->l_name);
}

const char *syn_elf_needed(const struct syn_elf *elf, size_t number)
{
    return syn_elf_file(dynamic_text(elf, DT_NEEDED, number));
}
