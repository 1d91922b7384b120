/* preload/facts/modules.c - see modules.h. Lists the loaded objects by dl_iterate_phdr.
 *
 * An object stays in the list after it is unloaded, since its addresses may still be located.
 * Objects that are loaded now (`live`) are searched before those. */
#include "preload/facts/modules.h"

#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define PATH_BYTES      4096
#define BUILD_ID_BYTES  64
#define RANGE_COUNT_MAX 8 /* loadable segments; a linker makes 4 or 5 */
/* Objects that are searched first. A program may load a hundred, but its stacks lie in few. */
#define RECENT_COUNT 4

struct range {
    uintptr_t start;
    uintptr_t end;
};

struct module {
    struct syn_module_record record;
    uintptr_t base;
    struct range ranges[RANGE_COUNT_MAX];
    size_t range_count;
    uint8_t build_id[BUILD_ID_BYTES];
    bool live;  /* loaded at the last refresh */
    bool stays; /* never unloaded: the program, the object with dl_iterate_phdr */
};

struct syn_modules {
    struct module **items; /* pointers, so that records do not move when the list grows */
    size_t count;
    size_t capacity;
    const struct module *recent[RECENT_COUNT]; /* found last, newest first; NULL: none */
    unsigned long long adds; /* the loader's counters at the last refresh: objects loaded, */
    unsigned long long subs; /*   objects unloaded */
    int status;              /* of the present refresh */
    bool seen_first;         /* the present refresh has seen the main program */
};

/* ---- one object ---- */

static size_t collect_ranges(const struct dl_phdr_info *info, struct range *ranges)
{
    size_t count = 0;
    for (int i = 0; i < info->dlpi_phnum && count < RANGE_COUNT_MAX; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        if (header->p_type != PT_LOAD || header->p_memsz == 0)
            continue;
        ranges[count].start = info->dlpi_addr + header->p_vaddr;
        ranges[count].end = ranges[count].start + header->p_memsz;
        count++;
    }
    return count;
}

static bool ranges_contain(const struct range *ranges, size_t count, uintptr_t address)
{
    for (size_t i = 0; i < count; i++)
        if (address >= ranges[i].start && address < ranges[i].end)
            return true;
    return false;
}

/* Copies the build id from the ELF notes at [at, at + bytes) to out [capacity]. Notes and their
 * parts are padded to `alignment`. Returns its size, 0 if there is none. */
static size_t find_build_id(const uint8_t *at, size_t bytes, size_t alignment, uint8_t *out,
                            size_t capacity)
{
    while (bytes >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, at, sizeof note);
        size_t name_at = sizeof note;
        size_t value_at = name_at + (((size_t)note.n_namesz + alignment - 1) & ~(alignment - 1));
        size_t next_at = value_at + (((size_t)note.n_descsz + alignment - 1) & ~(alignment - 1));
        if (value_at > bytes || note.n_descsz > bytes - value_at)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(at + name_at, "GNU", 4) == 0) {
            size_t id_bytes = syn_least(note.n_descsz, capacity);
            memcpy(out, at + value_at, id_bytes);
            return id_bytes;
        }
        if (next_at >= bytes)
            return 0;
        at += next_at;
        bytes -= next_at;
    }
    return 0;
}

static size_t read_build_id(const struct dl_phdr_info *info, uint8_t *out, size_t capacity)
{
    struct range ranges[RANGE_COUNT_MAX];
    size_t range_count = collect_ranges(info, ranges);
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + header->p_vaddr;
        /* Notes outside the loadable segments are not in memory. */
        if (header->p_type != PT_NOTE || header->p_memsz == 0 ||
            !ranges_contain(ranges, range_count, start) ||
            !ranges_contain(ranges, range_count, start + header->p_memsz - 1))
            continue;
        size_t found = find_build_id((const uint8_t *)start, header->p_memsz,
                                     header->p_align == 8 ? 8 : 4, out, capacity);
        if (found > 0)
            return found;
    }
    return 0;
}

/* ---- the main program's file ---- */

/* Writes the path of the file mapped at `address`. Returns its length, 0 if it is unknown. */
static size_t mapped_path(uintptr_t address, char *out, size_t capacity)
{
    char *line = NULL;
    size_t line_bytes = 0, length = 0;
    FILE *maps = fopen("/proc/self/maps", "re");
    if (!maps)
        return 0;
    while (length == 0 && getline(&line, &line_bytes, maps) > 0) {
        unsigned long start, end;
        const char *path = strchr(line, '/');
        if (path && sscanf(line, "%lx-%lx", &start, &end) == 2 && address >= start && address < end)
            length = (size_t)snprintf(out, capacity, "%.*s", (int)strcspn(path, "\n"), path);
    }
    free(line);
    fclose(maps);
    return length < capacity ? length : 0;
}

size_t syn_modules_program_path(char *out, size_t capacity)
{
    /* AT_BASE is 0 if the user started ld.so with the program as its argument. Then /proc/self/exe
     * is ld.so. */
    bool by_loader = getauxval(AT_BASE) == 0;
    size_t length = 0;
    out[0] = '\0';
    if (by_loader)
        length = mapped_path(getauxval(AT_PHDR), out, capacity);
    if (length == 0) {
        const ssize_t got = readlink("/proc/self/exe", out, capacity - 1);
        length = got > 0 ? (size_t)got : 0;
    }
    /* The kernel appends this to the name of a file that was replaced or removed. */
    static const char mark[] = " (deleted)";
    const size_t mark_bytes = sizeof mark - 1;
    if (length > mark_bytes && memcmp(out + length - mark_bytes, mark, mark_bytes) == 0)
        length -= mark_bytes;
    out[length] = '\0';
    return length;
}

static int first_build_id(struct dl_phdr_info *info, size_t info_bytes, void *ctx)
{
    (void)info_bytes;
    struct module *found = ctx;
    found->record.build_id_bytes = read_build_id(info, found->build_id, sizeof found->build_id);
    return 1;
}

size_t syn_modules_program_build_id(uint8_t *out, size_t capacity)
{
    struct module found = {.record.build_id_bytes = 0};
    dl_iterate_phdr(first_build_id, &found);
    size_t bytes = syn_least(found.record.build_id_bytes, capacity);
    memcpy(out, found.build_id, bytes);
    return bytes;
}

/* ---- the list ---- */

/* Returns a relative path as an absolute one, in allocated memory. The vDSO's name is no path and
 * is copied. */
static char *absolute_path(const char *name)
{
    char directory[PATH_BYTES], *path = NULL;
    bool relative = name[0] != '/' && strchr(name, '/');
    if (relative && getcwd(directory, sizeof directory))
        return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
    return strdup(name);
}

/* Returns true if `info` describes this module, and not another object at the same addresses. */
static bool is_same(const struct module *module, const struct dl_phdr_info *info)
{
    uint8_t build_id[BUILD_ID_BYTES];
    struct range ranges[RANGE_COUNT_MAX];
    size_t range_count = collect_ranges(info, ranges);
    if (module->base != info->dlpi_addr || module->range_count != range_count ||
        memcmp(module->ranges, ranges, range_count * sizeof ranges[0]) != 0)
        return false;
    size_t bytes = read_build_id(info, build_id, sizeof build_id);
    return bytes == module->record.build_id_bytes && memcmp(build_id, module->build_id, bytes) == 0;
}

static int add_module(struct syn_modules *modules, const struct dl_phdr_info *info, bool is_program)
{
    struct module *module = calloc(1, sizeof *module);
    char program[PATH_BYTES], *path;
    if (is_program)
        syn_modules_program_path(program, sizeof program);
    path = is_program ? strdup(program) : absolute_path(info->dlpi_name ? info->dlpi_name : "");
    if (!module || !path || SYN_ROOM(modules->items, modules->capacity, modules->count) != SYN_OK) {
        free(module);
        free(path);
        return SYN_ENOMEM;
    }
    module->base = info->dlpi_addr;
    module->range_count = collect_ranges(info, module->ranges);
    module->live = true;
    module->stays = is_program || ranges_contain(module->ranges, module->range_count,
                                                 (uintptr_t)&dl_iterate_phdr);
    size_t id_bytes = read_build_id(info, module->build_id, sizeof module->build_id);
    module->record = (struct syn_module_record){
        .index = (uint32_t)modules->count,
        .path = path,
        .build_id = id_bytes > 0 ? module->build_id : NULL,
        .build_id_bytes = id_bytes,
    };
    modules->items[modules->count++] = module;
    return SYN_OK;
}

/* Called for each loaded object, the main program first. The loader's lock is held, so nothing here
 * may load an object. */
static int visit(struct dl_phdr_info *info, size_t info_bytes, void *ctx)
{
    (void)info_bytes;
    struct syn_modules *modules = ctx;
    bool is_program = !modules->seen_first;
    modules->seen_first = true;
    modules->adds = info->dlpi_adds;
    modules->subs = info->dlpi_subs;
    for (size_t i = 0; i < modules->count; i++)
        if (is_same(modules->items[i], info)) {
            modules->items[i]->live = true;
            return modules->status;
        }
    return modules->status = add_module(modules, info, is_program);
}

static int read_counters(struct dl_phdr_info *info, size_t info_bytes, void *ctx)
{
    (void)info_bytes;
    unsigned long long *counters = ctx;
    counters[0] = info->dlpi_adds;
    counters[1] = info->dlpi_subs;
    return 1;
}

SYN_HOT int syn_modules_refresh(struct syn_modules *modules)
{
    unsigned long long counters[2] = {0, 0};
    dl_iterate_phdr(read_counters, counters);
    if (modules->count > 0 && counters[0] == modules->adds && counters[1] == modules->subs)
        return SYN_OK;
    for (size_t i = 0; i < modules->count; i++)
        modules->items[i]->live = false;
    modules->status = SYN_OK;
    modules->seen_first = false;
    dl_iterate_phdr(visit, modules);
    return modules->status;
}

int syn_modules_create(struct syn_modules **out)
{
    struct syn_modules *modules = calloc(1, sizeof *modules);
    if (!modules)
        return SYN_ENOMEM;
    if (syn_modules_refresh(modules) != SYN_OK) {
        syn_modules_free(modules);
        return SYN_ENOMEM;
    }
    *out = modules;
    return SYN_OK;
}

void syn_modules_free(struct syn_modules *modules)
{
    if (!modules)
        return;
    for (size_t i = 0; i < modules->count; i++) {
        free((char *)modules->items[i]->record.path);
        free(modules->items[i]);
    }
    free(modules->items);
    free(modules);
}

static const struct module *find_at(const struct syn_modules *modules, uintptr_t address, bool live)
{
    /* Newest first: if several unloaded objects had the address, the last one is the likeliest. */
    for (size_t i = modules->count; i-- > 0;) {
        const struct module *module = modules->items[i];
        if (module->live == live && ranges_contain(module->ranges, module->range_count, address))
            return module;
    }
    return NULL;
}

/* Searches the recent modules. Live objects do not overlap, so the order does not matter. */
static const struct module *find_recent(const struct syn_modules *modules, uintptr_t address)
{
    for (size_t i = 0; i < RECENT_COUNT && modules->recent[i]; i++) {
        const struct module *module = modules->recent[i];
        if (module->live && ranges_contain(module->ranges, module->range_count, address))
            return module;
    }
    return NULL;
}

static const struct module *find_live(struct syn_modules *modules, uintptr_t address)
{
    const struct module *module = find_recent(modules, address);
    if (module || !(module = find_at(modules, address, true)))
        return module;
    memmove(modules->recent + 1, modules->recent, (RECENT_COUNT - 1) * sizeof *modules->recent);
    modules->recent[0] = module;
    return module;
}

static void put_place(const struct module *module, uintptr_t address, struct syn_frame *out)
{
    out->module = module ? module->record.index : UINT32_MAX;
    out->offset = module ? address - module->base : address;
}

/* Locates the addresses if all lie in recent modules that are never unloaded; else returns false.
 * RATIONALE: Most stacks lie in the program and the C library. For them the loader, which takes two
 * locks and walks a list of all objects, need not be called. */
static SYN_HOT bool locate_all_that_stay(const struct syn_modules *modules,
                                         const uintptr_t *addresses, size_t count,
                                         struct syn_frame *out)
{
    for (size_t i = 0; i < count; i++) {
        const struct module *module = find_recent(modules, addresses[i]);
        if (!module || !module->stays)
            return false;
        put_place(module, addresses[i], &out[i]);
    }
    return true;
}

SYN_HOT size_t syn_modules_locate(struct syn_modules *modules, const uintptr_t *addresses,
                                  size_t count, struct syn_frame *out)
{
    size_t known_count = 0;
    if (locate_all_that_stay(modules, addresses, count, out))
        return count;
    /* Refresh first: an address of a known object may belong to another one by now. */
    syn_modules_refresh(modules);
    for (size_t i = 0; i < count; i++) {
        const uintptr_t address = addresses[i];
        const struct module *module = find_live(modules, address);
        if (!module)
            module = find_at(modules, address, false);
        put_place(module, address, &out[i]);

        known_count += module != NULL;
    }
    return known_count;
}

SYN_HOT const struct syn_module_record *syn_modules_at(const struct syn_modules *modules,
                                                       size_t index)
{
    return index < modules->count ? &modules->items[index]->record : NULL;
}
