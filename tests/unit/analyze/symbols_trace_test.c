/* Labels of the stacks of a trace, and the trace's own file of them. */
#include <criterion/criterion.h>
#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "analyze/symbols/symbols.h"
#include "preload/facts/modules.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"
#include "trace/write/writer.h"

typedef void caller(void (*callback)(void));

static char directory[] = "/tmp/syncopate-labels-XXXXXX";
static char program[128]; /* a copy of the fixture, which a test may take away */
static uintptr_t returned_to;
static int expected_line;

static __attribute__((noinline)) void note_return_address(void)
{
    returned_to = (uintptr_t)__builtin_return_address(0);
}

/* Modules: 0 the program (the fixture), 1 an MPI library, 2 one without a build id.
 * Stacks: 0 {MPI, program, program}; 1 {MPI, MPI}; 2 {unknown}; 3 {no build id}; 4 {program + 0x10,
 * below any function} */
static void write_rank(const struct syn_module_record *fixture, uint64_t offset)
{
    static const uint8_t mpi_id[20] = {0xaa, 1, 2, 3};
    struct syn_writer *writer;
    struct syn_sink sink;
    char path[256];
    const struct syn_writer_identity identity = {.run_id = {7}, .rank = 0, .size = 1};
    const struct syn_tick_source ticks = {.kind = SYN_CLOCK_MONOTONIC,
                                          .multiplier = UINT64_C(1) << 32};
    struct syn_module_record modules[3] = {{0, program, fixture->build_id, fixture->build_id_bytes},
                                           {1, "/nowhere/libmpi.so.40", mpi_id, sizeof mpi_id},
                                           {2, FIXTURE_NO_BUILD_ID, NULL, 0}};
    const struct syn_frame frames[] = {{1, 0x10}, {0, offset},          {0, 0x10},  {1, 0x20},
                                       {1, 0x30}, {UINT32_MAX, 0x1234}, {2, offset}};
    const struct syn_stack_record stacks[] = {{0, 3, frames},
                                              {1, 2, frames + 3},
                                              {2, 1, frames + 5},
                                              {3, 1, frames + 6},
                                              {4, 1, frames + 2}};
    syn_rank_path(path, sizeof path, directory, 0);
    cr_assert_eq(syn_sink_file(path, &sink), 0);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), 0);
    syn_writer_meta(writer, "program.path", program);
    for (int i = 0; i < 3; i++)
        syn_writer_module(writer, &modules[i]);
    for (int i = 0; i < 5; i++)
        syn_writer_stack(writer, &stacks[i]);
    const struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE};
    cr_assert_eq(syn_writer_finish(writer, &end), 0);
    syn_writer_close(writer);
}

static void write_manifest(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    struct syn_manifest manifest = {.run_id = {7}, .size = 1, .written_count = 1};
    manifest.start_unix_ns = (int64_t)(now.tv_sec + 100) * 1000000000;
    cr_assert_eq(syn_manifest_write(directory, &manifest), 0);
}

static void create_trace(void)
{
    struct syn_modules *modules;
    struct syn_frame frame;
    char command[512];
    cr_assert_not_null(mkdtemp(directory));
    snprintf(program, sizeof program, "%s-program", directory);
    snprintf(command, sizeof command, "cp '%s' '%s'", FIXTURE, program);
    cr_assert_eq(system(command), 0);
    void *handle = dlopen(FIXTURE, RTLD_NOW);
    cr_assert_not_null(handle);
    ((caller *)dlsym(handle, "fixture_solve"))(note_return_address);
    expected_line = *(const int *)dlsym(handle, "fixture_solve_line");
    cr_assert_eq(syn_modules_create(&modules), 0);
    cr_assert_eq(syn_modules_locate(modules, &returned_to, 1, &frame), 1);
    write_rank(syn_modules_at(modules, frame.module), frame.offset);
    write_manifest();
    syn_modules_free(modules);
}

static void remove_trace(void)
{
    char command[512];
    snprintf(command, sizeof command, "rm -rf '%s' '%s'", directory, program);
    cr_assert_eq(system(command), 0);
}

TestSuite(symbols_trace, .init = create_trace, .fini = remove_trace);

static struct syn_trace *open_trace(void)
{
    struct syn_trace *trace;
    char *why = NULL;
    cr_assert_eq(syn_trace_open(directory, &trace, &why), 0, "%s", why);
    return trace;
}

/* The label of a stack's site, with the trace's own labels or without. The caller frees. */
static char *site(uint32_t stack, bool load)
{
    struct syn_trace *trace = open_trace();
    struct syn_symbols *symbols;
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    if (load)
        cr_assert_eq(syn_symbols_load(symbols, directory), 0);
    char *label = strdup(syn_symbols_site(symbols, syn_trace_rank(trace, 0), stack));
    syn_symbols_close(symbols);
    syn_trace_close(trace);
    return label;
}

static void expect_site(uint32_t stack, bool load, const char *expected)
{
    char *label = site(stack, load);
    cr_expect_str_eq(label, expected, "stack %u: %s", stack, label);
    free(label);
}

static void save(void)
{
    struct syn_trace *trace = open_trace();
    struct syn_symbols *symbols;
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_symbols_save(symbols, trace), 0);
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

static const char *expected_site(void)
{
    static char text[128];
    snprintf(text, sizeof text, "symbols_fixture.c:%d fixture_solve", expected_line);
    return text;
}

Test(symbols_trace, the_site_is_the_innermost_frame_outside_of_mpi)
{
    expect_site(0, false, expected_site());
    expect_site(1, false, "libmpi.so.40+0x30");
    expect_site(2, false, "?");
    expect_site(SYN_NO_STACK, false, "?");
    expect_site(99, false, "?");
}

Test(symbols_trace, frames_have_labels_of_their_own)
{
    struct syn_trace *trace = open_trace();
    struct syn_symbols *symbols;
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    const struct syn_rank_file *rank = syn_trace_rank(trace, 0);
    cr_expect_str_eq(syn_symbols_frame(symbols, rank, 0, 0), "libmpi.so.40+0x10");
    cr_expect_str_eq(syn_symbols_frame(symbols, rank, 0, 1), expected_site());
    cr_expect_null(syn_symbols_frame(symbols, rank, 0, 3));
    cr_expect_null(syn_symbols_frame(symbols, rank, SYN_NO_STACK, 0));
    cr_expect_str_eq(syn_symbols_frame(symbols, rank, 2, 0), "?");
    cr_expect_eq(syn_symbols_site(symbols, rank, 0), syn_symbols_frame(symbols, rank, 0, 1),
                 "equal labels are one string");
    cr_expect_eq(syn_symbols_site(symbols, rank, 2), syn_symbols_site(symbols, rank, SYN_NO_STACK));
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

Test(symbols_trace, a_saved_trace_keeps_its_labels_without_the_program)
{
    save();
    cr_assert_eq(unlink(program), 0);
    expect_site(0, true, expected_site());
    char *bare = site(0, false);
    cr_expect_not_null(strstr(bare, "-program+0x"), "without them: %s", bare);
    free(bare);
}

Test(symbols_trace, an_object_without_a_build_id_is_looked_up_right_after_the_run_only)
{
    char *label = site(3, false);
    cr_expect_not_null(strstr(label, "symbols_fixture_no_build_id.so+0x"), "%s", label);
    free(label);
    save();
    label = site(3, true);
    cr_expect_eq(strncmp(label, "symbols_fixture.c:", 18), 0, "%s", label);
    free(label);
}

Test(symbols_trace, the_compiler_is_saved_too)
{
    save();
    cr_assert_eq(unlink(program), 0);
    struct syn_trace *trace = open_trace();
    struct syn_symbols *symbols;
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_symbols_load(symbols, directory), 0);
    const char *compiler = syn_symbols_compiler(symbols, syn_trace_rank(trace, 0));
    cr_assert_not_null(compiler);
    cr_expect_eq(strncmp(compiler, "GNU C", 5), 0, "%s", compiler);
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

static char *read_labels(size_t *bytes)
{
    char path[256], *text = malloc((1 << 16) + 1);
    snprintf(path, sizeof path, "%s/" SYN_SYMBOLS_NAME, directory);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    *bytes = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

static int load_bytes(const char *text, size_t bytes)
{
    char path[256];
    struct syn_symbols *symbols;
    snprintf(path, sizeof path, "%s/" SYN_SYMBOLS_NAME, directory);
    FILE *file = fopen(path, "w");
    fwrite(text, 1, bytes, file);
    fclose(file);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    int status = syn_symbols_load(symbols, directory);
    syn_symbols_close(symbols);
    return status;
}

Test(symbols_trace, every_flipped_byte_and_every_cut_is_found)
{
    size_t bytes;
    save();
    char *text = read_labels(&bytes);
    cr_assert_gt(bytes, 100);
    cr_assert_eq(load_bytes(text, bytes), SYN_OK);
    for (size_t i = 0; i < bytes; i++) {
        text[i] ^= 1;
        cr_assert_neq(load_bytes(text, bytes), SYN_OK, "byte %zu", i);
        text[i] ^= 1;
        cr_assert_neq(load_bytes(text, i), SYN_OK, "cut at %zu", i);
    }
    free(text);
}

/* Each of these lines is there, behind the one before. */
static void expect_in_order(const char *text, const char *const *line, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *found = strstr(text, line[i]);
        cr_assert_not_null(found, "\"%s\" is in its place", line[i]);
        text = found;
    }
}

Test(symbols_trace, what_is_saved_does_not_depend_on_the_order_of_asking)
{
    static const char *const unordered =
        "syncopate symbols 1\n"
        "frame\tpath:/b\t20\tb.c:2 b\nframe\tpath:/a\t30\ta.c:3 a\n"
        "compiler\tpath:/b\tGNU B\ncompiler\tpath:/a\tGNU A\n"
        "frame\tpath:/b\t10\tb.c:1 b\nframe\tpath:/a\t100\ta.c:4 a\n";
    static const char *const ordered[] = {"compiler\tpath:/a\t",  "compiler\tpath:/b\t",
                                          "frame\tpath:/a\t30\t", "frame\tpath:/a\t100\t",
                                          "frame\tpath:/b\t10\t", "frame\tpath:/b\t20\t"};
    char whole[1024];
    size_t bytes;
    struct syn_symbols *symbols;
    struct syn_trace *trace = open_trace();
    snprintf(whole, sizeof whole, "%schecksum\t%016" PRIx64 "\n", unordered,
             syn_hash64(unordered, strlen(unordered)));
    cr_assert_eq(load_bytes(whole, strlen(whole)), 0);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_symbols_load(symbols, directory), 0);
    cr_assert_eq(syn_symbols_save(symbols, trace), 0);
    syn_symbols_close(symbols);
    syn_trace_close(trace);
    char *text = read_labels(&bytes);
    text[bytes] = '\0';
    expect_in_order(text, ordered, sizeof ordered / sizeof ordered[0]);
    free(text);
}

Test(symbols_trace, no_label_of_a_damaged_file_is_used)
{
    static const char damaged[] = "syncopate symbols 1\n"
                                  "frame\tpath:/b\t20\tb.c:2 b\nframe\tpath:/a\tnone\ta.c:3 a\n";
    char whole[1024];
    size_t bytes;
    struct syn_symbols *symbols;
    struct syn_trace *trace = open_trace();
    snprintf(whole, sizeof whole, "%schecksum\t%016" PRIx64 "\n", damaged,
             syn_hash64(damaged, strlen(damaged)));
    cr_assert_eq(load_bytes(whole, strlen(whole)), SYN_EDAMAGED);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_symbols_load(symbols, directory), SYN_EDAMAGED);
    cr_assert_eq(syn_symbols_save(symbols, trace), 0);
    syn_symbols_close(symbols);
    syn_trace_close(trace);
    char *text = read_labels(&bytes);
    text[bytes] = '\0';
    cr_expect_null(strstr(text, "b.c:2 b"));
    free(text);
}

Test(symbols_trace, labels_that_are_not_there_or_no_file_are_said)
{
    char path[256];
    struct syn_symbols *symbols;
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_expect_eq(syn_symbols_load(symbols, directory), SYN_EMISSING);
    snprintf(path, sizeof path, "%s/" SYN_SYMBOLS_NAME, directory);
    cr_assert_eq(mkfifo(path, 0600), 0);
    alarm(20); /* reading the pipe would wait for ever */
    cr_expect_eq(syn_symbols_load(symbols, directory), SYN_EIO);
    syn_symbols_close(symbols);
}

Test(symbols_trace, nothing_is_downloaded)
{
    struct syn_symbols *symbols;
    setenv("DEBUGINFOD_URLS", "http://localhost:1", 1);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_expect_null(getenv("DEBUGINFOD_URLS"));
    syn_symbols_close(symbols);
}
