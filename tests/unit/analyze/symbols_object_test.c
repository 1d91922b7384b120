/* Locations of return addresses: the fixture is loaded, calls back, and so gives a return address
 * whose function and line are known. Its copies (stripped, debug file apart, no .debug_aranges,
 * ...) are asked about the same offset. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/symbols/label.h"
#include "analyze/symbols/object.h"
#include "preload/facts/modules.h"
#include "sync/base/status.h"

typedef void caller(void (*callback)(void));

static uintptr_t returned_to;

static __attribute__((noinline)) void note_return_address(void)
{
    returned_to = (uintptr_t)__builtin_return_address(0);
}

/* Returns the call in `function` of a fixture, and the fixture's build id. */
static struct syn_frame frame_of_call(const char *library, const char *function,
                                      struct syn_modules **modules)
{
    struct syn_frame frame;
    void *handle = dlopen(library, RTLD_NOW);
    cr_assert_not_null(handle, "%s", dlerror());
    caller *call = (caller *)dlsym(handle, function);
    cr_assert_not_null(call);
    call(note_return_address);
    cr_assert_eq(syn_modules_create(modules), 0);
    cr_assert_eq(syn_modules_locate(*modules, &returned_to, 1, &frame), 1);
    return frame;
}

static int line_constant(const char *name)
{
    return *(const int *)dlsym(dlopen(FIXTURE, RTLD_NOW), name);
}

/* The call of `function` in FIXTURE, looked up in the file `copy`; 0 or the status of opening it.
 */
static int locate_in(const char *copy, const char *function, struct syn_location *out)
{
    struct syn_modules *modules;
    struct syn_object *object;
    struct syn_frame frame = frame_of_call(FIXTURE, function, &modules);
    const struct syn_module_record *module = syn_modules_at(modules, frame.module);
    const struct syn_object_identity identity = {
        .path = copy, .build_id = module->build_id, .build_id_bytes = module->build_id_bytes};
    int status = syn_object_open(&identity, &object);
    if (status == SYN_OK) {
        syn_object_locate(object, frame.offset, out);
        syn_object_close(object);
    }
    syn_modules_free(modules);
    return status;
}

static void expect(const char *copy, const char *function, const char *name, const char *line)
{
    struct syn_location location;
    cr_assert_eq(locate_in(copy, function, &location), SYN_OK, "%s", copy);
    cr_expect_str_eq(location.function, name);
    cr_expect_str_eq(location.file, "symbols_fixture.c", "%s: %s", copy, location.file);
    cr_expect_eq(location.line, line_constant(line), "%s: line %d", copy, location.line);
    syn_location_free(&location);
}

/* Its source says nothing, and unpacking the library's debug information takes long: also where
 * that is installed. */
Test(symbols_object, where_the_c_library_starts_programs_no_source_is_looked_for)
{
    struct syn_modules *modules;
    struct syn_object *object;
    struct syn_frame frame;
    struct syn_location location;
    const uintptr_t start = (uintptr_t)dlsym(RTLD_DEFAULT, "__libc_start_main"),
                    inside = start + 16;
    cr_assert_neq(start, 0);
    cr_assert_eq(syn_modules_create(&modules), 0);
    cr_assert_eq(syn_modules_locate(modules, &inside, 1, &frame), 1);
    const struct syn_module_record *module = syn_modules_at(modules, frame.module);
    const struct syn_object_identity identity = {.path = module->path,
                                                 .build_id = module->build_id,
                                                 .build_id_bytes = module->build_id_bytes};
    cr_assert_eq(syn_object_open(&identity, &object), SYN_OK);
    cr_assert(syn_object_locate(object, frame.offset, &location));
    cr_expect_eq(strncmp(location.function, "__libc_start", 12), 0, "%s", location.function);
    cr_expect_str_eq(location.file, "");
    cr_expect_eq(location.symbol_offset, 16);
    syn_location_free(&location);
    syn_object_close(object);
    syn_modules_free(modules);
}

Test(symbols_object, a_call_has_function_file_and_line)
{
    expect(FIXTURE, "fixture_solve", "fixture_solve", "fixture_solve_line");
}

Test(symbols_object, an_inlined_function_is_the_innermost_one)
{
    expect(FIXTURE, "fixture_inlined", "helper", "fixture_helper_line");
}

Test(symbols_object, a_binding_inlined_from_mpi_headers_is_not_the_site)
{
    expect(FIXTURE, "fixture_binding", "fixture_binding", "fixture_binding_line");
}

Test(symbols_object, without_aranges_all_units_are_asked)
{
    expect(FIXTURE_NO_ARANGES, "fixture_solve", "fixture_solve", "fixture_solve_line");
    expect(FIXTURE_NO_ARANGES, "fixture_inlined", "helper", "fixture_helper_line");
}

Test(symbols_object, a_debug_file_named_by_the_object_is_read)
{
    expect(FIXTURE_SPLIT, "fixture_inlined", "helper", "fixture_helper_line");
}

Test(symbols_object, a_stripped_object_knows_its_exported_functions_only)
{
    struct syn_location location;
    cr_assert_eq(locate_in(FIXTURE_STRIPPED, "fixture_solve", &location), SYN_OK);
    cr_expect_str_eq(location.function, "fixture_solve");
    cr_expect_str_empty(location.file);
    cr_expect_gt(location.symbol_offset, 0);
    syn_location_free(&location);
    cr_assert_eq(locate_in(FIXTURE_STRIPPED, "fixture_hidden", &location), SYN_OK);
    cr_expect_null(location.function, "another function's name would be a lie");
}

Test(symbols_object, a_file_with_another_build_id_is_not_believed)
{
    struct syn_location location;
    cr_assert_eq(locate_in(FIXTURE_OTHER, "fixture_solve", &location), SYN_EMISSING);
}

Test(symbols_object, nothing_but_regular_files_is_opened)
{
    struct syn_location location;
    struct inotify_event event;
    char directory[] = "/tmp/syncopate-symbols-XXXXXX", pipe_path[64];
    cr_assert_not_null(mkdtemp(directory));
    snprintf(pipe_path, sizeof pipe_path, "%s/pipe", directory);
    cr_assert_eq(mkfifo(pipe_path, 0600), 0);
    alarm(20); /* opening the pipe would wait for ever */
    int watch = inotify_init1(IN_NONBLOCK);
    cr_assert_geq(inotify_add_watch(watch, pipe_path, IN_OPEN), 0);
    cr_expect_eq(locate_in(pipe_path, "fixture_solve", &location), SYN_EMISSING);
    cr_expect_lt(read(watch, &event, sizeof event), 0, "the pipe was opened");
    close(watch);
    cr_expect_eq(locate_in("/dev/zero", "fixture_solve", &location), SYN_EMISSING);
    cr_expect_eq(locate_in(directory, "fixture_solve", &location), SYN_EMISSING);
    cr_expect_eq(locate_in("/nowhere", "fixture_solve", &location), SYN_EMISSING);
    cr_expect_eq(locate_in("linux-vdso.so.1", "fixture_solve", &location), SYN_EMISSING);
    cr_expect_eq(locate_in("", "fixture_solve", &location), SYN_EMISSING);
    unlink(pipe_path);
    rmdir(directory);
}

static int open_descriptors(void)
{
    int count = 0;
    DIR *directory = opendir("/proc/self/fd");
    while (readdir(directory) != NULL)
        count++;
    closedir(directory);
    return count;
}

Test(symbols_object, descriptors_are_given_back)
{
    struct syn_location location;
    locate_in(FIXTURE_SPLIT, "fixture_solve", &location);
    int before = open_descriptors();
    for (int i = 0; i < 5; i++) {
        locate_in(FIXTURE_SPLIT, "fixture_solve", &location);
        locate_in(FIXTURE_OTHER, "fixture_solve", &location);
    }
    cr_assert_eq(open_descriptors(), before);
}

Test(symbols_object, without_build_ids_an_unchanged_file_is_believed_for_its_time_only)
{
    struct stat status;
    struct syn_object *object;
    cr_assert_eq(stat(FIXTURE_NO_BUILD_ID, &status), 0);
    int64_t changed_ns = (int64_t)status.st_ctim.tv_sec * 1000000000;
    struct syn_object_identity identity = {.path = FIXTURE_NO_BUILD_ID};
    cr_expect_eq(syn_object_open(&identity, &object), SYN_EMISSING);
    identity.unchanged_since_unix_ns = changed_ns - 1000000000;
    cr_expect_eq(syn_object_open(&identity, &object), SYN_EMISSING, "changed since");
    identity.unchanged_since_unix_ns = changed_ns + 10000000000;
    cr_assert_eq(syn_object_open(&identity, &object), SYN_OK);
    syn_object_close(object);
    identity.path = FIXTURE;
    cr_expect_eq(syn_object_open(&identity, &object), SYN_EMISSING,
                 "it has a build id: another file");
}

Test(symbols_object, the_compiler_is_named_with_and_without_debug_information)
{
    static const char *const copies[] = {FIXTURE, FIXTURE_STRIPPED};
    struct syn_modules *modules;
    struct syn_frame frame = frame_of_call(FIXTURE, "fixture_solve", &modules);
    const struct syn_module_record *module = syn_modules_at(modules, frame.module);
    for (int i = 0; i < 2; i++) {
        char compiler[256];
        struct syn_object *object;
        const struct syn_object_identity identity = {.path = copies[i],
                                                     .build_id = module->build_id,
                                                     .build_id_bytes = module->build_id_bytes};
        cr_assert_eq(syn_object_open(&identity, &object), SYN_OK);
        cr_assert(syn_object_compiler(object, compiler, sizeof compiler));
        cr_expect_not_null(strstr(compiler, i == 0 ? "GNU C" : "GCC: ("), "%s", compiler);
        syn_object_close(object);
    }
    syn_modules_free(modules);
}

/* Function and file of a call in a fixture of another language. */
static void locate_label(const char *library, const char *function, char *label, size_t capacity)
{
    struct syn_modules *modules;
    struct syn_object *object;
    struct syn_location location;
    struct syn_frame frame = frame_of_call(library, function, &modules);
    const struct syn_module_record *module = syn_modules_at(modules, frame.module);
    const struct syn_object_identity identity = {
        .path = library, .build_id = module->build_id, .build_id_bytes = module->build_id_bytes};
    cr_assert_eq(syn_object_open(&identity, &object), SYN_OK);
    cr_assert(syn_object_locate(object, frame.offset, &location));
    char *name = syn_label_function(location.function);
    snprintf(label, capacity, "%.200s:%d %.7000s", location.file, location.line, name);
    free(name);
    syn_location_free(&location);
    syn_object_close(object);
    syn_modules_free(modules);
}

Test(symbols_object, a_cxx_member_is_demangled_without_parameters)
{
#ifdef FIXTURE_CXX
    char label[512];
    locate_label(FIXTURE_CXX, "fixture_cxx", label, sizeof label);
    cr_assert_str_eq(label,
                     "symbols_fixture_cxx.cpp:7 solver::(anonymous namespace)::Grid<double>::step");
#else
    cr_skip_test("no C++ compiler");
    (void)locate_label;
#endif
}

Test(symbols_object, long_names_of_cxx_are_whole)
{
#ifdef FIXTURE_CXX
    static char one[8192], other[8192];
    locate_label(FIXTURE_CXX, "fixture_cxx_long", one, sizeof one);
    locate_label(FIXTURE_CXX, "fixture_cxx_other", other, sizeof other);
    cr_expect_gt(strlen(one), 1024);
    cr_expect_eq(strncmp(one, other, 1024), 0);
    cr_expect_str_neq(one, other);
    cr_expect_str_eq(one + strlen(one) - 6, ", int>", "%s", one);
#else
    cr_skip_test("no C++ compiler");
#endif
}

Test(symbols_object, a_fortran_module_procedure_names_its_module)
{
#ifdef FIXTURE_FORTRAN
    char label[512];
    locate_label(FIXTURE_FORTRAN, "fixture_fortran", label, sizeof label);
    cr_assert_str_eq(label, "symbols_fixture_fortran.f90:12 solver::step");
#else
    cr_skip_test("no Fortran compiler");
#endif
}
