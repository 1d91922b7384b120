/* analyze/symbols/symbols.c - turns the stack frames of a trace into labels, and finds the call
 * site of a stack: the frame of the user's code that called MPI.
 *
 * module   a file that was mapped in a rank, as the trace has recorded it
 * object   the same binary in all ranks and traces: modules with one build id, or one path
 * label    the text of an offset in an object: "main.c:31 solve" (symbols.h lists the forms)
 * runtime  modules of MPI, of the libraries that MPI uses, and of syncopate
 * skipped  a frame that only passes calls on: by the user's list, else a wrapper (wrappers.h)
 *
 * A label comes from the store. If the store lacks it, the object's file is opened, the offset is
 * located in the file, and the text is formatted and stored. The call site is the first frame, from
 * the innermost outward, whose module is known and not runtime, and that is not skipped. If only
 * the function or the file of a label is needed, the label is split. */
#include "analyze/symbols/symbols.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/symbols/label.h"
#include "analyze/symbols/symbols_internal.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

#define KEY_BYTES 4200 /* for "path:" and a path */

/* File names of runtime objects: MPI, its transports, the loader, syncopate. The patterns are
 * narrow: a user's libmpitools.so matches none. */
static const char *const runtime_patterns[] = {
    "libsyncopate*.so*", "libmpi.so*",     "libmpi_*.so*",    "libmpich*.so*",  "libmpifort*.so*",
    "libmpicxx*.so*",    "libmpigf*.so*",  "libmpigc*.so*",   "libmpl.so*",     "libopa.so*",
    "libopen-*.so*",     "liboshmem*.so*", "libmca_*.so*",    "mca_*.so*",      "libpmix.so*",
    "libpmi*.so*",       "libprrte.so*",   "libuc[pstm].so*", "libuct_*.so*",   "libucc*.so*",
    "libfabric.so*",     "libpsm*.so*",    "libibverbs.so*",  "libhwloc.so*",   "libevent*.so*",
    "libcray*mpi*.so*",  "libmpi_abi.so*", "libvapaa.so*",    "linux-vdso.so*", "ld-linux*.so*",
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] != '\0' ? slash + 1 : path;
}

/* Returns the name of an object in labels, which has *bytes: the name of its file. For a Python
 * module it is the package and the module: "mpi4py/MPI" for
 * mpi4py/MPI.cpython-311-x86_64-linux-gnu.so. */
static const char *object_name(const char *path, int *bytes)
{
    const char *name = base_name(path), *begin = name;
    const char *tag = strstr(name, ".cpython-");
    tag = tag ? tag : strstr(name, ".abi3.so");
    if (tag && name - path >= 2)
        for (begin = name - 1; begin > path && begin[-1] != '/';)
            begin--;
    *bytes = tag ? (int)(tag - begin) : (int)strnlen(name, NAME_MAX);
    return begin;
}

/* Returns whether the object is the interpreter of Python, whose functions are the same below every
 * line of a program. */
static bool is_interpreter(const char *module_path)
{
    const char *name = base_name(module_path);
    return strncmp(name, "python", 6) == 0 || strncmp(name, "libpython", 9) == 0;
}

bool syn_symbols_is_runtime(const char *module_path)
{
    const char *name = base_name(module_path);
    /* RATIONALE: the literal text before a pattern's first wildcard is compared first, because
     * fnmatch takes a microsecond in a locale of multibyte characters. */
    for (size_t i = 0; i < sizeof runtime_patterns / sizeof runtime_patterns[0]; i++)
        if (strncmp(runtime_patterns[i], name, strcspn(runtime_patterns[i], "*?[")) == 0 &&
            fnmatch(runtime_patterns[i], name, 0) == 0)
            return true;
    return false;
}

/* ---- one object, one label ---- */

const char *symbols_intern(struct syn_symbols *symbols, const char *text)
{
    SYN_FREED char *clean = syn_label_clean(text);
    return clean ? symbol_store_text(&symbols->store, clean) : NULL;
}

static void object_key(const struct syn_module_record *module, char *key, size_t capacity)
{
    static const char digit[] = "0123456789abcdef";
    if (module->build_id_bytes == 0 || 2 * module->build_id_bytes >= capacity) {
        snprintf(key, capacity, "path:%s", module->path);
        return;
    }
    for (size_t i = 0; i < module->build_id_bytes; i++) {
        key[2 * i] = digit[module->build_id[i] >> 4];
        key[2 * i + 1] = digit[module->build_id[i] & 15];
    }
    key[2 * module->build_id_bytes] = '\0';
}

/* Returns the module of a record. A new one is classified (runtime or not) and gets its object.
 * NULL: no memory. */
static const struct symbol_module *get_module(struct syn_symbols *symbols,
                                              const struct syn_module_record *record)
{
    char key[KEY_BYTES];
    struct symbol_module *module = symbol_store_module(&symbols->store, record);
    if (!module || module->object)
        return module;
    object_key(record, key, sizeof key);
    module->is_runtime = syn_symbols_is_runtime(record->path);
    module->object = symbol_store_object(&symbols->store, key);
    return module->object ? module : NULL;
}

/* Returns the object's file; NULL: it cannot be opened. It is opened at its first use. After a
 * failure it is tried again only under another path, which another trace may have. */
static struct syn_object *object_elf(struct syn_symbols *symbols,
                                     const struct symbol_module *module)
{
    struct symbol_object *object = module->object;
    const char *path = module->record.path;
    const struct syn_object_identity identity = {
        .path = path,
        .build_id = module->record.build_id,
        .build_id_bytes = module->record.build_id_bytes,
        .unchanged_since_unix_ns = symbols->unchanged_since_unix_ns,
    };
    if (object->elf || (object->tried && strcmp(object->path, path) == 0))
        return object->elf;
    free(object->path);
    object->path = strdup(path);
    object->tried = object->path != NULL;
    if (syn_object_open(&identity, &object->elf) != SYN_OK)
        object->elf = NULL;
    return object->elf;
}

/* Formats a label, which the caller frees; NULL: no memory. A symbol_offset of 0 means unknown,
 * since a return address is at least 1 behind the symbol's start. */
static char *format_label(const struct syn_location *location, const char *module_path,
                          uint64_t offset)
{
    SYN_FREED char *function = location->function ? syn_label_function(location->function) : NULL;
    char *label = NULL;
    int length, name_bytes;
    const char *name = object_name(module_path, &name_bytes);
    if (location->file[0] != '\0')
        length = asprintf(&label, "%s:%d%s%s", location->file, location->line, function ? " " : "",
                          function ? function : "");
    else if (function && location->symbol_offset > 0)
        length = asprintf(&label, "%s+0x%" PRIx64 " (%.*s)", function, location->symbol_offset,
                          name_bytes, name);
    else
        length = asprintf(&label, "%.*s+0x%" PRIx64, name_bytes, name, offset);
    return length < 0 ? NULL : label;
}

/* Returns the label of an offset in a module; never NULL. It is "?" if the module is not known
 * (NULL), or memory runs out. */
static const char *resolve(struct syn_symbols *symbols, const struct symbol_module *module,
                           uint64_t offset)
{
    if (!module)
        return SYN_LABEL_UNKNOWN;
    const struct symbol_frame *frame = symbol_store_find(&symbols->store, module->object, offset);
    if (!frame) {
        SYN_CLEANUP(syn_location_free) struct syn_location location = {.line = 0};
        struct syn_object *elf = object_elf(symbols, module);
        bool resolved = elf && syn_object_locate(elf, offset, &location);
        SYN_FREED char *text = format_label(&location, module->record.path, offset);
        const char *label = text ? symbols_intern(symbols, text) : NULL;
        struct symbol_frame *added =
            label ? symbol_store_add(&symbols->store, module->object, offset, label) : NULL;
        if (added)
            added->resolved = resolved;
        frame = added;
    }
    return frame ? frame->label : SYN_LABEL_UNKNOWN;
}

/* ---- frames of a trace ---- */

const struct symbol_module *symbols_module(struct syn_symbols *symbols,
                                           const struct syn_rank_file *file,
                                           const struct syn_frame *frame)
{
    const struct syn_module_record *record =
        frame->module < syn_rank_module_count(file) ? syn_rank_module(file, frame->module) : NULL;
    return record ? get_module(symbols, record) : NULL;
}

/* Returns a stack of a rank; NULL: there is no stack with this index. */
static const struct syn_stack_record *stack_at(const struct syn_rank_file *file, uint32_t index)
{
    return index != SYN_NO_STACK && index < syn_rank_stack_count(file) ? syn_rank_stack(file, index)
                                                                       : NULL;
}

const char *syn_symbols_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                              uint32_t stack_index, uint32_t depth)
{
    const struct syn_stack_record *stack = stack_at(file, stack_index);
    if (!stack || depth >= stack->depth)
        return NULL;
    const struct symbol_module *module = symbols_module(symbols, file, &stack->frames[depth]);
    return module ? resolve(symbols, module, stack->frames[depth].offset)
                  : symbol_store_text(&symbols->store, SYN_LABEL_UNKNOWN);
}

void syn_symbols_choose_site(struct syn_symbols *symbols, bool paths, const char *skip)
{
    symbols->paths = paths;
    symbols->skip = skip;
}

/* Returns a pointer to the function's name in a label ("main.c:31 solve", "solve+0x1f (hpcc)").
 * Sets *function_bytes to the length of that name, and *file_bytes to the length of the file's name
 * before the colon; 0: the label has none. */
static const char *split_label(const char *label, size_t *function_bytes, size_t *file_bytes)
{
    const char *colon = strchr(label, ':'), *blank = strchr(label, ' ');
    const bool has_line = colon && blank && colon < blank && colon[1] >= '0' && colon[1] <= '9';
    const char *function = has_line ? blank + 1 : label;
    const char *plus = strstr(function, "+0x");
    *file_bytes = has_line ? (size_t)(colon - label) : 0;
    *function_bytes = plus ? (size_t)(plus - function) : strlen(function);
    return function;
}

/* Returns whether one of the patterns, which commas separate, matches a name. Names may be NULL. */
static bool matches_any(const char *patterns, const char *const name[3])
{
    SYN_FREED char *list = strdup(patterns);
    char *rest = NULL;
    bool found = false;
    for (char *pattern = list ? strtok_r(list, ",", &rest) : NULL; pattern && !found;
         pattern = strtok_r(NULL, ",", &rest))
        for (int i = 0; i < 3; i++)
            found |= name[i] && fnmatch(pattern, name[i], 0) == 0;
    return found;
}

/* Returns whether this is the label of a frame in which the C library starts a program or a thread.
 * Such frames are left out of paths and names. __libc_start is followed by more (__libc_start_main,
 * its _impl), the others by one character at most (clone3). */
static bool is_start(const char *label)
{
    static const char *const starts[] = {"__libc_start", "_start", "start_thread", "clone",
                                         "__clone"};
    size_t bytes, file_bytes;
    const char *function = split_label(label, &bytes, &file_bytes);
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(function, starts[i], strlen(starts[i])) == 0 &&
            (i == 0 || bytes <= strlen(starts[i]) + 1))
            return true;
    return false;
}

/* Returns whether a label has no function: it is the object's name and an offset only,
 * "hpcc+0x1234". In "hpcc+0x1234 (hpcc)" the function has the object's name. */
static bool is_nameless(const struct symbol_module *module, const char *label)
{
    int bytes;
    const char *name = object_name(module->record.path, &bytes);
    return strncmp(label, name, (size_t)bytes) == 0 && strncmp(label + bytes, "+0x", 3) == 0 &&
           !strchr(label + bytes, ' ');
}

const char *symbols_function(struct syn_symbols *symbols, const struct symbol_module *module,
                             const struct syn_frame *frame)
{
    const char *label = resolve(symbols, module, frame->offset);
    size_t bytes, file_bytes;
    const char *name = split_label(label, &bytes, &file_bytes);
    const bool has_name = file_bytes > 0 || name[bytes] == '+';
    if (!has_name || is_nameless(module, label) || is_start(label))
        return NULL;
    SYN_FREED char *text = strndup(name, bytes);
    return text ? symbol_store_text(&symbols->store, text) : NULL;
}

/* Returns whether a frame is skipped. If the user gave patterns, they alone decide; else wrappers
 * are skipped. */
static bool is_skipped(struct syn_symbols *symbols, const struct symbol_module *module,
                       const struct syn_frame *frame)
{
    size_t function_bytes, file_bytes;
    if (!symbols->skip)
        return symbols->wrapper_count > 0 &&
               symbols_is_wrapper(symbols, symbols_function(symbols, module, frame));
    const char *label = resolve(symbols, module, frame->offset);
    const char *name = split_label(label, &function_bytes, &file_bytes);
    SYN_FREED char *function = strndup(name, function_bytes);
    SYN_FREED char *file = strndup(label, file_bytes);
    const bool skipped = matches_any(
        symbols->skip, (const char *const[3]){function, file, base_name(module->record.path)});
    return skipped;
}

uint32_t symbols_site_frame(struct syn_symbols *symbols, const struct syn_rank_file *file,
                            const struct syn_stack_record *stack)
{
    uint32_t last_known = SYMBOLS_NO_FRAME, first_skipped = SYMBOLS_NO_FRAME;
    for (uint32_t i = 0; stack && i < stack->depth; i++) {
        const struct symbol_module *module = symbols_module(symbols, file, &stack->frames[i]);
        if (!module)
            continue;
        last_known = i;
        if (module->is_runtime)
            continue;
        if (!is_skipped(symbols, module, &stack->frames[i]))
            return i;
        first_skipped = first_skipped == SYMBOLS_NO_FRAME ? i : first_skipped;
    }
    return first_skipped != SYMBOLS_NO_FRAME ? first_skipped : last_known;
}

/* Returns one text with the labels of all frames from number `first` outward. NULL: no memory. */
static const char *path_label(struct syn_symbols *symbols, const struct syn_rank_file *file,
                              const struct syn_stack_record *stack, uint32_t first)
{
    SYN_FREED char *path = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&path, &bytes);
    if (!out)
        return NULL;
    for (uint32_t i = first; i < stack->depth; i++) {
        const struct symbol_module *module = symbols_module(symbols, file, &stack->frames[i]);
        const char *label = resolve(symbols, module, stack->frames[i].offset);
        if (i > first && is_start(label))
            break;
        fprintf(out, "%s%s", i > first ? SYN_PATH_SEPARATOR : "", label);
    }
    return fclose(out) == 0 ? symbol_store_text(&symbols->store, path) : NULL;
}

/* Returns the label of one frame. If the frame has no function, adds that of the nearest outer
 * frame that has one, except frames of the Python interpreter: "hpcc+0x4285f below fwfft_". */
static const char *frame_label(struct syn_symbols *symbols, const struct syn_rank_file *file,
                               const struct syn_stack_record *stack, uint32_t frame)
{
    const struct symbol_module *module = symbols_module(symbols, file, &stack->frames[frame]);
    const char *label = resolve(symbols, module, stack->frames[frame].offset);
    size_t bytes, file_bytes;
    if (!module || !is_nameless(module, label))
        return label;
    for (uint32_t i = frame + 1; i < stack->depth; i++) {
        const struct symbol_module *outer = symbols_module(symbols, file, &stack->frames[i]);
        const char *name = resolve(symbols, outer, stack->frames[i].offset);
        if (!outer || outer->is_runtime || is_interpreter(outer->record.path) ||
            is_nameless(outer, name) || is_start(name))
            continue;
        const char *function = split_label(name, &bytes, &file_bytes);
        SYN_FREED char *text = NULL;
        if (asprintf(&text, "%s below %.*s", label, (int)bytes, function) < 0)
            return label;
        return symbols_intern(symbols, text);
    }
    return label;
}

const char *syn_symbols_site(struct syn_symbols *symbols, const struct syn_rank_file *file,
                             uint32_t stack_index)
{
    const struct syn_stack_record *stack = stack_at(file, stack_index);
    const uint32_t frame = symbols_site_frame(symbols, file, stack);
    const char *label;
    if (frame == SYMBOLS_NO_FRAME)
        label = symbol_store_text(&symbols->store, SYN_LABEL_UNKNOWN);
    else if (symbols->paths)
        label = path_label(symbols, file, stack, frame);
    else
        label = frame_label(symbols, file, stack, frame);
    return label ? label : SYN_LABEL_UNKNOWN;
}

/* Returns the program's module; NULL: unknown. The recorder stored the path of the program and that
 * of each module, which are compared. */
static const struct syn_module_record *program_module(const struct syn_rank_file *file)
{
    const char *path = syn_rank_meta(file, "program.path");
    for (uint32_t i = 0; path && i < syn_rank_module_count(file); i++) {
        const struct syn_module_record *module = syn_rank_module(file, i);
        if (module && strcmp(module->path, path) == 0)
            return module;
    }
    return NULL;
}

const char *syn_symbols_compiler(struct syn_symbols *symbols, const struct syn_rank_file *file)
{
    char text[SYN_OBJECT_TEXT_BYTES];
    const struct syn_module_record *record = program_module(file);
    const struct symbol_module *module = record ? get_module(symbols, record) : NULL;
    if (!module)
        return NULL;
    struct symbol_object *object = module->object;
    if (!object->compiler && !object->compiler_tried) {
        struct syn_object *elf = object_elf(symbols, module);
        object->compiler_tried = true;
        if (elf && syn_object_compiler(elf, text, sizeof text))
            object->compiler = symbols_intern(symbols, text);
    }
    return object->compiler;
}

int syn_symbols_open(struct syn_symbols **out)
{
    struct syn_symbols *symbols = calloc(1, sizeof *symbols);
    if (!symbols)
        return SYN_ENOMEM;
    unsetenv("DEBUGINFOD_URLS"); /* else libdwfl asks these servers for each missing file */
    *out = symbols;
    return SYN_OK;
}

void syn_symbols_close(struct syn_symbols *symbols)
{
    if (!symbols)
        return;
    symbol_store_clear(&symbols->store);
    free(symbols->wrapper);
    free(symbols);
}
