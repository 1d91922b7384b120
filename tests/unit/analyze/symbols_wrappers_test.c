/* Functions that only pass MPI calls on: which ones are, and the sites behind them. Stacks and
 * labels are made. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/symbols/wrappers.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"
#include "trace/write/writer.h"

#define STACKS_MOST 16
#define DEPTH_MOST  8
#define PROGRAM     "/nowhere/program"
#define PYTHON      "/nowhere/python3.11"
#define MODULE      "/nowhere/mpi4py/MPI.cpython-311-x86_64-linux-gnu.so"

/* Frames of the program by their labels, from the innermost outward; below them lies MPI. */
struct made {
    char directory[64];
    const char *label[STACKS_MOST * DEPTH_MOST]; /* the frame of offset i + 1 */
    size_t label_count;
    struct syn_frame frames[STACKS_MOST][DEPTH_MOST];
    struct syn_stack_record stack[STACKS_MOST];
    uint32_t stack_count;
};

static struct made made;

/* Equal labels have equal addresses. */
static uint64_t offset_of(const char *label)
{
    size_t i = 0;
    while (i < made.label_count && strcmp(made.label[i], label) != 0)
        i++;
    if (i == made.label_count)
        made.label[made.label_count++] = label;
    return i + 1;
}

static void add_stack(const char *site, const char *caller, const char *outer)
{
    const uint32_t number = made.stack_count++;
    const char *const labels[] = {site, caller, outer};
    uint32_t depth = 0;
    made.frames[number][depth++] = (struct syn_frame){1, 0x10};
    for (int i = 0; i < 3 && labels[i]; i++)
        made.frames[number][depth++] = (struct syn_frame){0, offset_of(labels[i])};
    made.stack[number] = (struct syn_stack_record){number, depth, made.frames[number]};
}

static void write_rank(void)
{
    struct syn_writer *writer;
    struct syn_sink sink;
    char path[256];
    const struct syn_writer_identity identity = {.run_id = {7}, .rank = 0, .size = 1};
    const struct syn_tick_source ticks = {.kind = SYN_CLOCK_MONOTONIC,
                                          .multiplier = UINT64_C(1) << 32};
    const struct syn_module_record modules[] = {{0, PROGRAM, NULL, 0},
                                                {1, "/nowhere/libmpi.so.40", NULL, 0},
                                                {2, PYTHON, NULL, 0},
                                                {3, MODULE, NULL, 0}};
    syn_rank_path(path, sizeof path, made.directory, 0);
    cr_assert_eq(syn_sink_file(path, &sink), 0);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), 0);
    for (size_t i = 0; i < sizeof modules / sizeof modules[0]; i++)
        syn_writer_module(writer, &modules[i]);
    for (uint32_t i = 0; i < made.stack_count; i++)
        syn_writer_stack(writer, &made.stack[i]);
    const struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE};
    cr_assert_eq(syn_writer_finish(writer, &end), 0);
    syn_writer_close(writer);
}

static void write_labels(void)
{
    char path[256], *text = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&text, &bytes);
    fprintf(out, "syncopate symbols 1\n");
    for (size_t i = 0; i < made.label_count; i++)
        fprintf(out, "frame\tpath:" PROGRAM "\t%zx\t%s\n", i + 1, made.label[i]);
    fprintf(out, "frame\tpath:" PYTHON "\t1\tPyObject_Vectorcall+0x2c (python3.11)\n");
    fflush(out);
    const uint64_t sum = syn_hash64(text, bytes);
    fprintf(out, "checksum\t%016" PRIx64 "\n", sum);
    fclose(out);
    snprintf(path, sizeof path, "%s/" SYN_SYMBOLS_NAME, made.directory);
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fputs(text, file);
    cr_assert_eq(fclose(file), 0);
    free(text);
}

static void begin(void)
{
    made = (struct made){.directory = "/tmp/syncopate-wrappers-XXXXXX"};
    cr_assert_not_null(mkdtemp(made.directory));
}

static void end(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", made.directory);
    cr_assert_eq(system(command), 0);
}

TestSuite(wrappers, .init = begin, .fini = end);

/* Open the trace as it was made. */
static struct syn_trace *open_trace(struct syn_symbols **symbols)
{
    const struct syn_manifest manifest = {.run_id = {7}, .size = 1, .written_count = 1};
    struct syn_trace *trace;
    char *why = NULL;
    write_rank();
    write_labels();
    cr_assert_eq(syn_manifest_write(made.directory, &manifest), 0);
    cr_assert_eq(syn_trace_open(made.directory, &trace, &why), 0, "%s", why);
    cr_assert_eq(syn_symbols_open(symbols), 0);
    cr_assert_eq(syn_symbols_load(*symbols, made.directory), 0);
    return trace;
}

static void expect_wrappers(struct syn_symbols *symbols, const char *expected)
{
    char *list = syn_symbols_wrappers(symbols);
    cr_expect_str_eq(list, expected, "%s", list);
    free(list);
}

static void expect_site(struct syn_symbols *symbols, const struct syn_trace *trace, uint32_t stack,
                        const char *expected)
{
    const char *site = syn_symbols_site(symbols, syn_trace_rank(trace, 0), stack);
    cr_expect_str_eq(site, expected, "stack %u: %s", stack, site);
}

/* The wrappers that are found, and the site of stack 0 then. */
static void expect(const char *wrappers, const char *site)
{
    struct syn_symbols *symbols;
    struct syn_trace *trace = open_trace(&symbols);
    cr_assert_eq(syn_symbols_find_wrappers(symbols, trace), 0);
    expect_wrappers(symbols, wrappers);
    expect_site(symbols, trace, 0, site);
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

static const char *const callers[] = {"cg.c:10 solve", "cg.c:40 norm", "main.c:7 setup",
                                      "io.c:3 write", "io.c:9 read"};

static void call_from(const char *site, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_stack(site, callers[i], "main.c:99 main");
}

Test(wrappers, a_function_with_many_callers_is_looked_past)
{
    call_from("comm.c:5 comm_sum", 4);
    expect("comm_sum", "cg.c:10 solve");
}

Test(wrappers, one_with_few_callers_is_a_site)
{
    call_from("comm.c:5 comm_sum", 3);
    expect("", "comm.c:5 comm_sum");
}

Test(wrappers, calls_of_one_function_are_one_caller)
{
    add_stack("comm.c:5 comm_sum", "cg.c:10 solve", NULL);
    add_stack("comm.c:5 comm_sum", "cg.c:11 solve", NULL);
    add_stack("comm.c:5 comm_sum", "cg.c:12 solve", NULL);
    add_stack("comm.c:5 comm_sum", "cg.c:40 norm", NULL);
    add_stack("comm.c:5 comm_sum", "io.c:3 write", NULL);
    add_stack("comm.c:5 comm_sum", "comm.c:5 comm_sum", NULL); /* nor is it its own */
    expect("", "comm.c:5 comm_sum");
}

/* A step of an algorithm has calls of its own, and more of them. */
Test(wrappers, one_with_several_calls_needs_more_callers)
{
    call_from("step.c:5 step", 5);
    add_stack("step.c:8 step", "main.c:7 setup", NULL);
    add_stack("step.c:9 step", "main.c:7 setup", NULL);
    expect("", "step.c:5 step");
}

static void call_through(size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_stack("mpi.c:5 base_sum", "mp.c:8 mp_sum", callers[i]);
    for (size_t i = 0; i < 3; i++)
        add_stack("mpi.c:5 base_sum", callers[i], NULL);
}

Test(wrappers, wrappers_of_wrappers_are_looked_past)
{
    call_through(4);
    expect("base_sum\nmp_sum", "cg.c:10 solve");
}

Test(wrappers, what_calls_a_wrapper_need_not_be_one)
{
    call_through(3);
    expect("base_sum", "mp.c:8 mp_sum");
}

Test(wrappers, frames_without_a_function_are_none)
{
    call_from("program+0x1234", 4);
    expect("", "program+0x1234 below solve");
}

/* Only a frame without a function is named by a frame further out. */
Test(wrappers, a_function_named_as_its_program_is_a_name)
{
    struct syn_symbols *symbols;
    add_stack("program+0x1f (program)", "cg.c:10 solve", "main.c:99 main");
    add_stack("program+0x1f", "cg.c:10 solve", "main.c:99 main");
    struct syn_trace *trace = open_trace(&symbols);
    expect_site(symbols, trace, 0, "program+0x1f (program)");
    expect_site(symbols, trace, 1, "program+0x1f below solve");
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

/* The interpreter's functions say nothing of a program's lines; those of a program that embeds it
 * do. */
Test(wrappers, a_module_of_python_has_its_name_and_none_of_the_interpreter)
{
    struct syn_symbols *symbols;
    add_stack("", NULL, NULL);
    add_stack("", "", "cg.c:10 solve");
    for (size_t i = 0; i < made.stack_count; i++)
        made.frames[i][1] = (struct syn_frame){3, 0x2a};
    made.frames[1][2] = (struct syn_frame){2, 1};
    struct syn_trace *trace = open_trace(&symbols);
    expect_site(symbols, trace, 0, "mpi4py/MPI+0x2a");
    expect_site(symbols, trace, 1, "mpi4py/MPI+0x2a below solve");
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

/* The second trace has one caller more: it decides nothing. */
Test(wrappers, the_first_trace_decides)
{
    struct syn_symbols *symbols, *unused;
    call_from("comm.c:5 comm_sum", 3);
    struct syn_trace *first = open_trace(&symbols);
    cr_assert_eq(syn_symbols_find_wrappers(symbols, first), 0);
    syn_trace_close(first);
    add_stack("comm.c:5 comm_sum", callers[4], NULL);
    struct syn_trace *second = open_trace(&unused);
    cr_assert_eq(syn_symbols_load(symbols, made.directory), 0);
    cr_assert_eq(syn_symbols_find_wrappers(symbols, second), 0);
    expect_wrappers(symbols, "");
    expect_site(symbols, second, 0, "comm.c:5 comm_sum");
    syn_symbols_close(symbols);
    syn_symbols_close(unused);
    syn_trace_close(second);
}

Test(wrappers, those_of_another_report_are_taken_over)
{
    struct syn_symbols *symbols;
    call_from("comm.c:5 comm_sum", 2);
    struct syn_trace *trace = open_trace(&symbols);
    cr_assert_eq(syn_symbols_take_wrappers(symbols, "comm_max\ncomm_sum"), 0);
    cr_assert_eq(syn_symbols_find_wrappers(symbols, trace), 0);
    expect_wrappers(symbols, "comm_max\ncomm_sum");
    expect_site(symbols, trace, 1, "cg.c:40 norm");
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}

Test(wrappers, a_list_of_the_users_stands_in_their_place)
{
    struct syn_symbols *symbols;
    call_from("comm.c:5 comm_sum", 5);
    struct syn_trace *trace = open_trace(&symbols);
    syn_symbols_choose_site(symbols, false, "-");
    cr_assert_eq(syn_symbols_find_wrappers(symbols, trace), 0);
    expect_wrappers(symbols, "");
    expect_site(symbols, trace, 0, "comm.c:5 comm_sum");
    syn_symbols_close(symbols);
    syn_trace_close(trace);
}
