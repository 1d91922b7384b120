/* preload/entry/presence.c - see presence.h.
 *
 * A name is hidden by a change of its type in the recorder's symbol table: the dynamic linker
 * ignores a symbol that is neither code nor data. The types are set at two times:
 *
 * - while this library is relocated. That is before the program is relocated, and so before any
 * code of the process runs. References that other libraries have bound by then are corrected
 *   (early_slots.h);
 * - while a library that is loaded later is relocated. The start code that compilers link into an
 *   object refers to __gmon_start__, for profilers. After the first time this name is an IFUNC of
 *   the recorder. Its resolver examines the loaded objects, and returns a function that does
 * nothing.
 *
 * A name is visible if its first definition, in the program and the libraries loaded with it, is
 * the MPI's. If none of them defines it, the last definition decides, because the objects loaded
 * last are those that are being relocated. If a name is hidden by mistake, the program works and
 * only a record is lost.
 *
 * RATIONALE: the code of these two times may run while the dynamic linker holds its lock, and
 * before libc is initialized. So it calls only mprotect, getpid, sysconf and getauxval. */
#include "preload/entry/presence.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

#include "preload/entry/early_slots.h"
#include "preload/entry/elf_object.h"
#include "sync/base/integers.h"

/* Limit of exported names: the recorder's own, and those of libraries that a sanitizer links in. */
#define NAMES_MAX 4096
#define PARTS_MAX 16

/* A symbol type that the dynamic linker ignores. */
#define TYPE_HIDDEN STT_FILE

/* Defined by the dynamic linker. Weak, because this library is not linked with it. */
extern struct r_debug _r_debug __attribute__((weak));
extern void *__libc_stack_end __attribute__((weak)); /* argc, argv, NULL, environment, NULL */
extern ElfW(Dyn) _DYNAMIC[] SYN_HIDDEN;

/* Facts about a symbol of the recorder: whether it is an entry, and which objects also define its
 * name. */
enum {
    IS_ENTRY = 1,
    IS_OF_MPI = 2,      /* a part of the MPI defines it */
    FIRST_IS_MPI = 4,   /* its first definition in the initial objects is the MPI's */
    FIRST_IS_OTHER = 8, /* its first definition in the initial objects is another object's */
    LAST_IS_MPI = 16    /* its last definition in objects loaded later is the MPI's */
};

static struct {
    bool began, disabled, writable;
    pid_t pid;
    const struct link_map *last_initial; /* the last of the initial objects: the program and the
                                            libraries loaded with it */
    struct syn_elf own;
    size_t name_end;
    uint32_t hash[NAMES_MAX]; /* [name_end] by number of the symbol; 0: not computed */
    uint8_t who[NAMES_MAX];
} us;

/* The loaded objects, as of the last call of look(). */
static struct {
    size_t count;
    uint64_t print; /* a checksum of the first `count` objects */
    const struct link_map *mpi;
    struct syn_elf parts[PARTS_MAX];
    uint64_t part_print[PARTS_MAX]; /* checksums of the parts, each by itself */
    size_t part_count; /* atomic: written after the part; other threads read the parts below it */
} seen;

/* ---- which object is what ---- */

static const ElfW(Sym) * definition(const struct syn_elf *elf, const char *name)
{
    return syn_elf_find(elf, name, syn_elf_hash(name));
}

static const char *soname_of(const struct link_map *map)
{
    struct syn_elf elf;
    syn_elf_read(map, &elf);
    return syn_elf_soname(&elf);
}

/* Returns whether `name` is the soname of the object, or its file name. */
static bool is_called(const struct link_map *map, const char *name)
{
    return syn_elf_same(name, syn_elf_file(map->l_name)) || syn_elf_same(name, soname_of(map));
}

static bool is_linked_with(const struct syn_elf *elf, const struct link_map *library)
{
    const char *needed;
    for (size_t i = 0; (needed = syn_elf_needed(elf, i)); i++)
        if (is_called(library, needed))
            return true;
    return false;
}

/* Returns whether an object precedes the recorder in the search order. If so, calls of its MPI
 * functions do not reach the recorder. */
static bool is_in_front(const struct link_map *map)
{
    const struct link_map *at = _r_debug.r_map;
    while (at != map && at != us.own.map)
        at = at->l_next;
    return at != us.own.map;
}

/* Returns whether the object is an MPI. Tools define some functions of PMPI, even PMPI_Init, but
 * not PMPI_Initialized. An MPI that precedes the recorder cannot be recorded. */
static bool is_an_mpi(const struct syn_elf *elf)
{
    return definition(elf, "PMPI_Init") && definition(elf, "PMPI_Initialized") &&
           !is_in_front(elf->map);
}

/* Returns whether the object is another MPI, such as a serial one. A library that calls PMPI
 * functions, such as Fortran's, is a layer over an MPI and not another one. */
static bool is_another_mpi(const struct link_map *map)
{
    struct syn_elf elf;
    syn_elf_read(map, &elf);
    return map != seen.mpi && map != us.own.map && !is_in_front(map) &&
           (definition(&elf, "MPI_Init") || definition(&elf, "mpi_init_")) &&
           !syn_elf_refers_to(&elf, "PMPI_");
}

/* Returns whether a library of this name is another MPI than seen.mpi. If no loaded object has the
 * name, it is a symbolic link to a library: to that of seen.mpi, unless another MPI is loaded. */
static bool is_name_of_another_mpi(const char *name)
{
    bool is_another = false;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        if (is_called(map, name))
            return is_another_mpi(map);
        is_another |= is_another_mpi(map);
    }
    return is_another;
}

static bool is_linked_with_another_mpi(const struct syn_elf *elf)
{
    const char *needed;
    for (size_t i = 0; (needed = syn_elf_needed(elf, i)); i++)
        if (syn_elf_begins(needed, "libmpi") && is_name_of_another_mpi(needed))
            return !is_linked_with(elf, seen.mpi);
    return false;
}

/* Returns whether the object was preloaded. Objects of LD_PRELOAD lie between the program and the
 * first library that the program is linked with. */
static bool is_preloaded(const struct link_map *map)
{
    struct syn_elf program;
    syn_elf_read(_r_debug.r_map, &program);
    for (const struct link_map *at = _r_debug.r_map->l_next; at; at = at->l_next) {
        if (is_linked_with(&program, at))
            return false;
        if (at == map)
            return true;
    }
    return false;
}

static bool is_part(const struct syn_elf *elf)
{
    if (elf->map == seen.mpi || is_an_mpi(elf) || is_in_front(elf->map))
        return elf->map == seen.mpi;
    /* A preloaded tool intercepts calls between the program and the MPI. Other parts refer to MPI's
     * names, and are not linked with another MPI. These checks come first because few objects pass
     * them: the names of all others need not be read. */
    return (is_preloaded(elf->map) ||
            ((definition(elf, "pmpi_init_") || syn_elf_refers_to(elf, "PMPI_") ||
              syn_elf_refers_to(elf, "pmpi_")) &&
             !is_linked_with_another_mpi(elf))) &&
           (syn_elf_defines(elf, "MPI") || syn_elf_defines(elf, "PMPI_") ||
            syn_elf_defines(elf, "mpi"));
}

/* ---- our names ---- */

static const char *own_name(size_t number)
{
    return us.own.strings + us.own.symbols[number].st_name;
}

/* Sets the type of a symbol of the recorder. Nothing is written if the type is set already, since a
 * write copies the page. */
static void set_type(size_t number, unsigned char type)
{
    ElfW(Sym) *symbol = (ElfW(Sym) *)(uintptr_t)&us.own.symbols[number];
    const unsigned char info = (unsigned char)ELF64_ST_INFO(ELF64_ST_BIND(symbol->st_info), type);
    if (symbol->st_info != info && us.writable)
        __atomic_store_n(&symbol->st_info, info, __ATOMIC_RELAXED);
}

static bool is_seen(size_t number)
{
    const unsigned who = us.who[number];
    return !us.disabled && (who & FIRST_IS_MPI || (who & LAST_IS_MPI && !(who & FIRST_IS_OTHER)));
}

/* ---- telling objects apart ---- */

static uint64_t mixed(uint64_t print, uint64_t value)
{
    return print * 1000003 + value;
}

/* Adds an object to a checksum. The object's name is part of it, because an object may be loaded at
 * the address of one that was unloaded. */
static uint64_t print_of(uint64_t print, const struct link_map *map)
{
    print = mixed(mixed(mixed(print, (uintptr_t)map), map->l_addr), (uintptr_t)map->l_ld);
    for (const char *at = map->l_name; *at; at++)
        print = mixed(print, (unsigned char)*at);
    return print;
}

/* ---- looking at an object ---- */

static uint32_t own_hash(size_t number)
{
    if (us.hash[number] == 0)
        us.hash[number] = syn_elf_hash(own_name(number));
    return us.hash[number];
}

static bool is_known_part(const struct link_map *map)
{
    for (size_t i = 0; i < seen.part_count; i++)
        if (seen.parts[i].map == map)
            return true;
    return false;
}

/* Adds the parts of the MPI from `map` on. Returns whether a part was added. */
static bool add_parts(const struct link_map *map)
{
    const size_t count = seen.part_count;
    for (; map && seen.part_count < PARTS_MAX; map = map->l_next) {
        struct syn_elf *part = &seen.parts[seen.part_count];
        if (map == us.own.map || is_known_part(map))
            continue;
        syn_elf_read(map, part);
        if (!part->symbols || !is_part(part))
            continue;
        seen.part_print[seen.part_count] = print_of(0, map);
        __atomic_store_n(&seen.part_count, seen.part_count + 1, __ATOMIC_RELEASE);
    }
    return seen.part_count > count;
}

/* Updates us.who of all names of the MPI that the object defines. A name whose first initial
 * definition is known is not looked up again. */
static void look_at(const struct link_map *map, bool is_initial)
{
    struct syn_elf elf;
    const bool is_of_mpi = is_known_part(map);
    if (map == us.own.map || is_in_front(map))
        return;
    syn_elf_read(map, &elf);
    for (size_t i = 1; i < us.name_end; i++)
        if (us.who[i] & IS_OF_MPI && !(us.who[i] & (FIRST_IS_MPI | FIRST_IS_OTHER)) &&
            syn_elf_find(&elf, own_name(i), own_hash(i))) {
            const unsigned who = us.who[i];
            us.who[i] = (uint8_t)(is_initial  ? who | (is_of_mpi ? FIRST_IS_MPI : FIRST_IS_OTHER)
                                  : is_of_mpi ? who | LAST_IS_MPI
                                              : who & ~(unsigned)LAST_IS_MPI);
        }
}

/* ---- all objects ---- */

static const struct link_map *find_mpi(const struct link_map *map)
{
    for (; map; map = map->l_next) {
        struct syn_elf elf;
        syn_elf_read(map, &elf);
        if (is_an_mpi(&elf))
            return map;
    }
    return NULL;
}

static void look_at_all(void)
{
    bool is_initial = true;
    for (size_t i = 1; i < us.name_end; i++)
        us.who[i] &= IS_ENTRY;
    for (size_t i = 0; i < seen.part_count; i++) {
        const struct syn_elf *part = &seen.parts[i];
        for (size_t n = 1; n < us.name_end; n++)
            if ((us.who[n] & (IS_ENTRY | IS_OF_MPI)) == IS_ENTRY &&
                syn_elf_find(part, own_name(n), own_hash(n)))
                us.who[n] |= IS_OF_MPI;
    }
    for (const struct link_map *map = _r_debug.r_map; map && seen.mpi; map = map->l_next) {
        look_at(map, is_initial);
        is_initial &= map != us.last_initial;
    }
}

static bool is_loaded(size_t part)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (map == seen.parts[part].map)
            return print_of(0, map) == seen.part_print[part];
    return false;
}

/* Examines the objects that were loaded since the last call, and sets the types of the recorder's
 * names. If the MPI has one part more or less, all objects are examined again. Without an MPI all
 * names are hidden. */
static void look(void)
{
    /* The first object that is new since the last call; NULL if there is none. If a known object is
     * gone or replaced, all objects are examined, from the first. */
    const struct link_map *first_new = NULL;
    bool is_as_before = seen.count == 0;
    size_t count = 0;
    uint64_t print = 0;
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        if (count == seen.count)
            first_new = map;
        print = print_of(print, map);
        is_as_before |= ++count == seen.count && print == seen.print;
    }
    seen.count = count;
    seen.print = print;

    const struct link_map *first = is_as_before ? first_new : _r_debug.r_map;
    const bool is_anew = first == _r_debug.r_map;
    if (!first)
        return;
    if (is_anew) {
        /* Forget the first part that is gone and all after it; all parts if the MPI itself is gone.
         * Another thread may be reading the parts (syn_presence_symbol): those before the first
         * that is gone stay valid, unless it precedes the MPI. */
        size_t kept = 0;
        bool has_mpi = false;
        for (; kept < seen.part_count && is_loaded(kept); kept++)
            has_mpi |= seen.parts[kept].map == seen.mpi;
        seen.mpi = has_mpi ? seen.mpi : NULL;
        __atomic_store_n(&seen.part_count, has_mpi ? kept : 0, __ATOMIC_RELEASE);
    }
    const bool is_first_mpi = !seen.mpi && (seen.mpi = find_mpi(first));
    const bool is_more = seen.mpi && add_parts(is_first_mpi ? _r_debug.r_map : first);
    if (is_anew || is_more)
        look_at_all();
    else
        for (const struct link_map *map = first; map && seen.mpi; map = map->l_next)
            look_at(map, false);
    if (is_anew || seen.mpi) {
        for (size_t i = 1; i < us.name_end; i++)
            if (us.who[i] & IS_ENTRY)
                set_type(i, is_seen(i) ? STT_FUNC : TYPE_HIDDEN);
    }
}

/* ---- the two moments ---- */

static const char *environment(const char *name)
{
    if (!&__libc_stack_end || !__libc_stack_end)
        return NULL;
    const char *const *at = (const char *const *)__libc_stack_end + 1;
    while (*at)
        at++;
    for (at++; *at; at++)
        if (syn_elf_begins(*at, name))
            return *at;
    return NULL;
}

static bool disabled_by_environment(void)
{
    static const char name[] = "SYNCOPATE_DISABLE=";
    const char *found = environment(name), *value = found ? found + sizeof name - 1 : "";
    return *value && !syn_elf_same(value, "0");
}

static bool is_hidden(const char *name)
{
    const ElfW(Sym) *symbol = definition(&us.own, name);
    return symbol && ELF64_ST_TYPE(symbol->st_info) == TYPE_HIDDEN;
}

static void *first_without_us(const char *name)
{
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
        struct syn_elf elf;
        syn_elf_read(map, &elf);
        const ElfW(Sym) *symbol = map != us.own.map ? definition(&elf, name) : NULL;
        if (symbol)
            return syn_elf_address(&elf, symbol);
    }
    return NULL;
}

/* The start code of each object has a weak reference to this function: to a function for profiling
 * or, on processors whose objects have no such code, to one for transactional memory. */
#if defined __riscv
#define TRIGGER _ITM_registerTMCloneTable
#else
#define TRIGGER __gmon_start__
#endif
#define NAME_OF(symbol) TEXT_OF(symbol)
#define TEXT_OF(symbol) #symbol

typedef void function_of_trigger(void);

static void nothing(void)
{
}

/* The resolver of the IFUNC of the same name. Before the symbol becomes an IFUNC, it is a function
 * that may be called.
 *
 * RATIONALE: the result is a function, never NULL. On aarch64 the code of an object may read the
 * reference twice, and call the second result. */
__attribute__((visibility("default"))) function_of_trigger *TRIGGER(void);
function_of_trigger *TRIGGER(void)
{
    void *other = first_without_us(NAME_OF(TRIGGER));
    if (us.began)
        look();
    return other ? (function_of_trigger *)other : nothing;
}

/* Plan: find the recorder's own object and the symbols that are entries; make its symbol table
 * writable; hide the names that the MPI lacks; correct slots that were bound already. */
__attribute__((used)) static function_of_trigger *while_relocated(void)
{
    if (&_r_debug && !us.began) {
        us.began = true;
        us.pid = getpid();
        us.disabled = disabled_by_environment();
        for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next) {
            us.last_initial = map;
            if (map->l_ld == _DYNAMIC)
                syn_elf_read(map, &us.own);
        }
        us.name_end = us.own.map ? syn_least(syn_elf_symbol_end(&us.own), (size_t)NAMES_MAX) : 0;
        for (size_t i = 1; i < us.name_end; i++)
            us.who[i] = (us.own.symbols[i].st_shndx != SHN_UNDEF &&
                         syn_early_is_entry(syn_elf_address(&us.own, &us.own.symbols[i])))
                            ? IS_ENTRY
                            : 0;
        const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
        const uintptr_t begin = (uintptr_t)us.own.symbols & ~(page_bytes - 1);
        const uintptr_t end = (uintptr_t)(us.own.symbols + us.name_end);
        us.writable = mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) == 0;
        look();
        if (us.writable)
            syn_early_slots_mend(_r_debug.r_map, us.own.map, is_hidden, first_without_us);
        const ElfW(Sym) *symbol = us.own.map ? definition(&us.own, NAME_OF(TRIGGER)) : NULL;
        if (symbol)
            set_type((size_t)(symbol - us.own.symbols), STT_GNU_IFUNC);
    }
    return nothing;
}

/* An IFUNC whose address is stored in a variable: the dynamic linker calls its resolver while it
 * relocates the recorder. */
static function_of_trigger at_relocation __attribute__((ifunc("while_relocated")));
__attribute__((used)) static function_of_trigger *const volatile reference = at_relocation;

/* ---- what others ask ---- */

bool syn_presence_disabled(void)
{
    return us.disabled;
}

const char *syn_presence_mpi_name(void)
{
    return seen.mpi ? soname_of(seen.mpi) : "";
}

static bool is_initialized(const struct link_map *map)
{
    int flag = 0;
    struct syn_elf elf;
    syn_elf_read(map, &elf);
    const ElfW(Sym) *symbol = definition(&elf, "PMPI_Initialized");
    int (*ask)(int *) = symbol ? (int (*)(int *))syn_elf_address(&elf, symbol) : NULL;
    return ask && ask(&flag) == 0 && flag;
}

const char *syn_presence_mpi_that_ran(void)
{
    if (seen.mpi && is_initialized(seen.mpi))
        return soname_of(seen.mpi);
    for (const struct link_map *map = _r_debug.r_map; map; map = map->l_next)
        if (is_initialized(map))
            return soname_of(map);
    return NULL;
}

const char *syn_presence_in_front(void)
{
    static const char *const names[] = {"MPI_Init", "MPI_Init_thread", "mpi_init_"};
    for (const struct link_map *map = _r_debug.r_map; map != us.own.map; map = map->l_next) {
        struct syn_elf elf;
        syn_elf_read(map, &elf);
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (definition(&elf, names[i]))
                return map->l_name;
    }
    return NULL;
}

bool syn_presence_is_first_process(void)
{
    return getpid() == us.pid;
}

/* Returns the next definition of `name` in the global scope. The parts are in the order of loading.
 * For those loaded later that may differ from the search order, which only the dynamic linker
 * knows. dlsym(RTLD_NEXT) finds the calling object by its return address, so the call must not
 * become a tail call. */
static void *next_of_global_scope(const char *name)
{
    void *volatile found = dlsym(RTLD_NEXT, name);
    return found;
}

static bool is_initial(const struct link_map *map)
{
    const struct link_map *at = _r_debug.r_map;
    while (at != map && at != us.last_initial)
        at = at->l_next;
    return at == map;
}

void *syn_presence_symbol(const char *name)
{
    /* A tool may define functions of PMPI as well. The recorder calls those of a preloaded tool,
     * which the user has put there, and else the MPI's own ones. */
    const bool is_ours = syn_elf_begins(name, "PMPI_");
    const uint32_t hash = syn_elf_hash(name);
    const size_t count = __atomic_load_n(&seen.part_count, __ATOMIC_ACQUIRE);
    void *found = NULL, *next = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct syn_elf *part = &seen.parts[i];
        const ElfW(Sym) *symbol = syn_elf_find(part, name, hash);
        void *address = symbol ? syn_elf_address(part, symbol) : NULL;
        if (!address)
            continue;
        if (is_ours && (part->map == seen.mpi || is_preloaded(part->map)))
            return address;
        if (found && !next && !is_ours)
            next = is_initial(part->map) ? found : next_of_global_scope(name);
        if (!found || address == next)
            found = address;
    }
    return found;
}

void *syn_presence_object(const char *name)
{
    struct syn_elf program;
    syn_elf_read(_r_debug.r_map, &program);
    const ElfW(Sym) *copy = definition(&program, name);
    return copy ? syn_elf_address(&program, copy) : syn_presence_symbol(name);
}
