/* analyze/symbols/object.c - reads an object by libdwfl, in a session of its own. The object is
 * reported at its own addresses (bias 0), so an offset from the load base is an address. */
#include "analyze/symbols/object.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/symbols/producers.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"
#define PATH_BYTES      4096

struct syn_object {
    Dwfl *dwfl;
    Dwfl_Module *module;
};

/* ---- opening ---- */

/* Opens a regular file; returns -1 for any other. RATIONALE: the type is checked (O_PATH) before
 * the file is opened, because opening a pipe or a device may block or have effects. */
static int open_regular(const char *path)
{
    char through_proc[64];
    struct stat status;
    int result = -1, probe = open(path, O_PATH | O_CLOEXEC);
    if (probe < 0)
        return -1;
    if (fstat(probe, &status) == 0 && S_ISREG(status.st_mode)) {
        snprintf(through_proc, sizeof through_proc, "/proc/self/fd/%d", probe);
        result = open(through_proc, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    }
    close(probe);
    return result;
}

static bool unchanged_since(int fd, int64_t unix_ns)
{
    struct stat status;
    if (unix_ns <= 0 || fstat(fd, &status) != 0)
        return false;
    return (int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec < unix_ns &&
           (int64_t)status.st_ctim.tv_sec * 1000000000 + status.st_ctim.tv_nsec < unix_ns;
}

static bool is_believed(int fd, const struct syn_object_identity *identity)
{
    if (identity->build_id_bytes == 0 && !unchanged_since(fd, identity->unchanged_since_unix_ns))
        return false;
    const size_t build_id_bytes = identity->build_id_bytes;
    const void *found = NULL;
    Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
    ssize_t found_bytes = elf ? dwelf_elf_gnu_build_id(elf, &found) : -1;
    bool same = found_bytes > 0 && (size_t)found_bytes == build_id_bytes &&
                memcmp(found, identity->build_id, build_id_bytes) == 0;
    bool both_without = found_bytes == 0 && build_id_bytes == 0;
    elf_end(elf);
    return same || both_without;
}

static int open_believed(const char *path, const struct syn_object_identity *identity)
{
    bool can_agree = identity->build_id_bytes > 0 || identity->unchanged_since_unix_ns > 0;
    int fd = path[0] == '/' && can_agree ? open_regular(path) : -1;
    if (fd >= 0 && !is_believed(fd, identity)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* ---- separate debug files ---- */

static int find_no_elf(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                       char **file_name, Elf **elf)
{
    (void)module, (void)data, (void)name, (void)base, (void)file_name, (void)elf;
    return -1;
}

static int open_debug_file(const char *path, const uint8_t *build_id, size_t build_id_bytes)
{
    const struct syn_object_identity identity = {
        .path = path, .build_id = build_id, .build_id_bytes = build_id_bytes};
    return build_id_bytes > 0 ? open_believed(path, &identity) : -1;
}

/* Opens the debug file that .gnu_debuglink names: beside the object, in .debug there, or under
 * DEBUG_DIRECTORY. Returns -1 if there is none with the build id. */
static int find_by_link(Dwfl_Module *module, const char *object_path, const char *link,
                        char **file_name)
{
    static const char *const places[] = {"%.*s%s", "%.*s.debug/%s", DEBUG_DIRECTORY "%.*s%s"};
    const unsigned char *build_id;
    GElf_Addr build_id_at;
    int build_id_bytes = dwfl_module_build_id(module, &build_id, &build_id_at);
    const char *slash = object_path ? strrchr(object_path, '/') : NULL;
    if (!slash || !link || strchr(link, '/') || build_id_bytes <= 0)
        return -1;
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        char path[PATH_BYTES];
        int directory_bytes = (int)(slash - object_path) + 1;
        snprintf(path, sizeof path, places[i], directory_bytes, object_path, link);
        int fd = open_debug_file(path, build_id, (size_t)build_id_bytes);
        if (fd >= 0) {
            *file_name = strdup(path);
            return fd;
        }
    }
    return -1;
}

/* Opens a file of Debian's dwz, which the debug files of a package share. Its name is relative to
 * the debug file. Only those under DEBUG_DIRECTORY are opened, since nothing but their name can be
 * checked. */
static int find_shared(const char *link, char **file_name)
{
    const char *at = link ? strstr(link, "/.dwz/") : NULL;
    char path[PATH_BYTES];
    if (!at || strstr(at, "/.."))
        return -1;
    snprintf(path, sizeof path, DEBUG_DIRECTORY "%s", at);
    int fd = open_regular(path);
    if (fd >= 0)
        *file_name = strdup(path);
    return fd;
}

/* Replaces dwfl_standard_find_debuginfo: downloads nothing, and opens regular files only. */
static int find_debug_file(Dwfl_Module *module, void **data, const char *name, Dwarf_Addr base,
                           const char *object_path, const char *link, GElf_Word link_crc,
                           char **file_name)
{
    int fd = dwfl_build_id_find_debuginfo(module, data, name, base, object_path, link, link_crc,
                                          file_name);
    if (fd < 0)
        fd = find_by_link(module, object_path, link, file_name);
    if (fd < 0)
        fd = find_shared(link, file_name);
    return fd;
}

static const Dwfl_Callbacks callbacks = {
    .find_elf = find_no_elf,
    .find_debuginfo = find_debug_file,
    .section_address = dwfl_offline_section_address,
};

/* Opens a session of libdwfl, which owns `fd` from now on. Returns 0, SYN_ENOMEM or
 * SYN_EMISSING. */
static int open_session(int fd, const char *path, struct syn_object **out)
{
    struct syn_object *object = calloc(1, sizeof *object);
    if (object)
        object->dwfl = dwfl_begin(&callbacks);
    if (!object || !object->dwfl) {
        close(fd);
        free(object);
        return SYN_ENOMEM;
    }
    dwfl_report_begin(object->dwfl);
    object->module = dwfl_report_elf(object->dwfl, path, path, fd, 0, true);
    dwfl_report_end(object->dwfl, NULL, NULL);
    if (!object->module) {
        close(fd);
        syn_object_close(object);
        return SYN_EMISSING;
    }
    *out = object;
    return SYN_OK;
}

int syn_object_open(const struct syn_object_identity *identity, struct syn_object **out)
{
    char path[PATH_BYTES];
    elf_version(EV_CURRENT);
    snprintf(path, sizeof path, "%s", identity->path);
    int fd = open_believed(path, identity);
    if (fd < 0) {
        /* The path is DIRECTORY/.build-id/ab/cdef...debug, or "" if the length of the build id is
         * not plausible. */
        const size_t capacity = sizeof path;
        size_t used;
        path[0] = '\0';
        if (identity->build_id_bytes >= 2 && identity->build_id_bytes <= 64) {
            used = (size_t)snprintf(path, capacity, DEBUG_DIRECTORY "/.build-id/%02x/",
                                    identity->build_id[0]);
            for (size_t i = 1; i < identity->build_id_bytes; i++)
                used +=
                    (size_t)snprintf(path + used, capacity - used, "%02x", identity->build_id[i]);
            snprintf(path + used, capacity - used, ".debug");
        }
        fd = open_believed(path, identity);
    }
    return fd >= 0 ? open_session(fd, path, out) : SYN_EMISSING;
}

void syn_object_close(struct syn_object *object)
{
    if (!object)
        return;
    if (object->dwfl)
        dwfl_end(object->dwfl);
    free(object);
}

/* ---- debug information ---- */

static void copy_basename(char *out, size_t capacity, const char *path)
{
    const char *slash = strrchr(path, '/');
    snprintf(out, capacity, "%s", slash ? slash + 1 : path);
}

/* Returns the compilation unit of an address. Without .debug_aranges, which clang does not write,
 * all units are searched. */
static Dwarf_Die *find_unit(struct syn_object *object, Dwarf_Addr address, Dwarf_Addr *bias)
{
    Dwarf_Die *unit = dwfl_module_addrdie(object->module, address, bias);
    if (unit)
        return unit;
    while ((unit = dwfl_module_nextcu(object->module, unit, bias)))
        if (dwarf_haspc(unit, address - *bias) > 0)
            return unit;
    return NULL;
}

/* Returns the linkage name, of C++ and of Fortran modules; NULL: C, or there is none. */
static const char *linkage_name(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    const char *name = NULL;
    if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attribute) ||
        dwarf_attr_integrate(die, DW_AT_MIPS_linkage_name, &attribute))
        name = dwarf_formstring(&attribute);
    bool is_telling = name && (strncmp(name, "_Z", 2) == 0 || strstr(name, "_MOD_"));
    return is_telling ? name : NULL;
}

/* Returns a name such as "solver::(anonymous namespace)::Grid<double>::step", by the scopes of the
 * declaration; functions that are local to a file have no linkage name. C and Fortran have no such
 * scopes. The caller frees it. NULL: no name, or no memory. */
static char *qualified_name(Dwarf_Die *die)
{
    SYN_FREED Dwarf_Die *scopes = NULL;
    Dwarf_Die declaration;
    char *text = NULL;
    size_t bytes = 0;
    const char *name = dwarf_diename(die);
    FILE *out = name ? open_memstream(&text, &bytes) : NULL;
    if (!out)
        return NULL;
    /* An inlined function, or a separate copy, has links to its declaration. */
    static const unsigned links[] = {DW_AT_abstract_origin, DW_AT_specification};
    declaration = *die;
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        if (dwarf_attr(&declaration, links[i], &attribute) && dwarf_formref_die(&attribute, &next))
            declaration = next;
    }
    int count = dwarf_getscopes_die(&declaration, &scopes);
    for (int i = count - 1; i > 0; i--) {
        const char *part = dwarf_diename(&scopes[i]);
        int tag = dwarf_tag(&scopes[i]);

        if (tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type ||
            tag == DW_TAG_union_type)
            fprintf(out, "%s::", part ? part : "(anonymous namespace)");
    }
    fputs(name, out);
    if (fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* Returns whether the file is a header of MPI. RATIONALE: the C++ bindings are inline functions in
 * headers, so the user's call is one level further out. */
static bool is_mpi_header(const char *file)
{
    static const char *const patterns[] = {"mpicxx.h", "*_inln.h", "mpi.h"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        if (fnmatch(patterns[i], file, 0) == 0)
            return true;
    return false;
}

/* Sets file and line to those of the call of an inlined function. Returns false if they are
 * unknown. */
static bool step_to_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct syn_location *out)
{
    Dwarf_Attribute attribute;
    Dwarf_Word file_index, line;
    Dwarf_Files *files;
    size_t file_count;
    const char *file;
    if (dwarf_formudata(dwarf_attr(inlined, DW_AT_call_line, &attribute), &line) != 0 ||
        dwarf_formudata(dwarf_attr(inlined, DW_AT_call_file, &attribute), &file_index) != 0 ||
        dwarf_getsrcfiles(unit, &files, &file_count) != 0 || file_index >= file_count ||
        !(file = dwarf_filesrc(files, file_index, NULL, NULL)))
        return false;
    copy_basename(out->file, sizeof out->file, file);
    out->line = (int)line;
    return true;
}

/* Finds the function that the line is in, from the innermost scope outward. */
static void pick_function(Dwarf_Die *unit, Dwarf_Die *scopes, int scope_count,
                          struct syn_location *out)
{
    for (int i = 0; i < scope_count; i++) {
        int tag = dwarf_tag(&scopes[i]);

        if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine &&
            tag != DW_TAG_entry_point)
            continue;
        if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine && is_mpi_header(out->file) &&
            step_to_call(unit, &scopes[i], out))
            continue;
        const char *name = linkage_name(&scopes[i]);
        out->function = name ? strdup(name) : qualified_name(&scopes[i]);
        return;
    }
}

/* ---- symbol table ---- */

/* Returns whether a symbol contains the address. libdwfl returns the nearest one, which may be
 * another function. */
static bool contains(const GElf_Sym *symbol, GElf_Off offset)
{
    int type = GELF_ST_TYPE(symbol->st_info);
    bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
    return is_code && (offset < symbol->st_size || (symbol->st_size == 0 && type == STT_FUNC));
}

static void locate_symbol(struct syn_object *object, Dwarf_Addr address, struct syn_location *out)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name =
        dwfl_module_addrinfo(object->module, address, &offset, &symbol, NULL, NULL, NULL);
    if (!name || name[0] == '\0' || !contains(&symbol, offset))
        return;
    out->symbol_offset = offset + 1; /* of the return address, again */
    out->function = strdup(name);
}

/* Plan: the symbol; the source line and function; the rest from the symbol table. */
bool syn_object_locate(struct syn_object *object, uint64_t offset, struct syn_location *out)
{
    /* A call may be the last instruction of a line or of a function, and the return address is
     * after it. So the byte before is located. */
    Dwarf_Addr address = offset > 0 ? offset - 1 : 0;
    struct syn_location symbol = {.line = 0};
    memset(out, 0, sizeof *out);
    locate_symbol(object, address, &symbol);
    /* RATIONALE: nearly every stack ends where the C library starts a program, and the source of
     * that place is of no use. To find it, all debug information of the library would be
     * decompressed in each run, which takes as long as all names of a program. */
    if (!symbol.function || strncmp(symbol.function, "__libc_start", strlen("__libc_start")) != 0) {
        Dwarf_Addr bias = 0;
        Dwarf_Die *unit = find_unit(object, address, &bias);
        Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;
        const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;
        if (unit) {
            if (file && dwarf_lineno(line, &out->line) == 0 && out->line > 0)
                copy_basename(out->file, sizeof out->file, file);
            SYN_FREED Dwarf_Die *lexical = NULL, *enclosing = NULL;
            if (dwarf_getscopes(unit, address - bias, &lexical) > 0) {
                /* `lexical` goes from an inlined function to the place of its definition;
                 * `enclosing` goes to the place of its call. */
                int count = dwarf_getscopes_die(&lexical[0], &enclosing);
                pick_function(unit, enclosing, count, out);
            }
        }
    }
    out->symbol_offset = symbol.symbol_offset;
    if (!out->function)
        out->function = symbol.function;
    else
        free(symbol.function);
    return out->function || out->file[0] != '\0';
}

void syn_location_free(struct syn_location *location)
{
    free(location->function);
    location->function = NULL;
}

/* ---- compiler ---- */

#define UNIT_COUNT_MAX 4096

static void add_unit_producers(struct syn_object *object, struct syn_producers *producers)
{
    Dwarf_Die *unit = NULL;
    Dwarf_Addr bias;
    for (int i = 0; i < UNIT_COUNT_MAX; i++) {
        Dwarf_Attribute attribute;
        unit = dwfl_module_nextcu(object->module, unit, &bias);
        if (!unit)
            return;
        if (dwarf_attr(unit, DW_AT_producer, &attribute))
            syn_producers_add(producers, dwarf_formstring(&attribute));
    }
}

/* Counts the producers of the debug information, or if there are none, those of the .comment
 * section. */
bool syn_object_compiler(struct syn_object *object, char *out, size_t capacity)
{
    struct syn_producers producers = {.count = 0};
    add_unit_producers(object, &producers);
    if (producers.count == 0) {
        /* .comment is a list of NUL-terminated strings, one for each compiler that made a part of
         * the object. */
        GElf_Addr bias;
        size_t names;
        Elf *elf = dwfl_module_getelf(object->module, &bias);
        if (elf && elf_getshdrstrndx(elf, &names) == 0) {
            for (Elf_Scn *section = NULL; (section = elf_nextscn(elf, section));) {
                GElf_Shdr header;
                Elf_Data *data;
                const char *name;
                if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS ||
                    !(name = elf_strptr(elf, names, header.sh_name)) ||
                    strcmp(name, ".comment") != 0 || !(data = elf_rawdata(section, NULL)))
                    continue;
                const char *text = data->d_buf;
                for (size_t at = 0; at < data->d_size;
                     at += strnlen(text + at, data->d_size - at) + 1)
                    if (strnlen(text + at, data->d_size - at) < data->d_size - at)
                        syn_producers_add(&producers, text + at);
            }
        }
    }
    return syn_producers_join(&producers, out, capacity);
}
