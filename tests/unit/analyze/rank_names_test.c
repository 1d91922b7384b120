/* Names of call stacks and phases of ranks: several threads that ask for all of them at once are
 * told the same, and what one of them found out the others know. Modules are told apart by path and
 * by build id. */
#include <criterion/criterion.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/members/rank_names.h"
#include "made_trace.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"

#define RANKS    3
#define STACKS   5000
#define DISTINCT 3000 /* of their sites, on each rank; another rank begins elsewhere */
#define PHASES   3
#define THREADS  4

enum { RUNTIME, PROGRAM, LIBRARY, MODULES };

/* The runtime and the program are one object by two paths. Rank 2 has another program there. */
static void write_modules(struct made_trace *made, int rank)
{
    static const char *const path[] = {"/nowhere/libmpi.so.40", "/nowhere/program",
                                       "/nowhere/library.so"};
    for (uint32_t i = 0; i < MODULES; i++) {
        const uint8_t id[8] = {i == LIBRARY ? 2 : i == PROGRAM && rank == 2 ? 3 : 1};
        const struct syn_module_record module = {i, path[i], id, sizeof id};
        cr_assert_eq(syn_writer_module(made->writer[rank], &module), 0);
    }
}

static uint64_t offset_of(int rank, uint32_t stack)
{
    return 0x1000 + (stack * UINT64_C(7) + (uint64_t)rank * 100) % DISTINCT;
}

static struct syn_trace *make_trace(struct made_trace *made, unsigned without)
{
    made_begin(made, RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
        write_modules(made, rank);
        syn_writer_meta(made->writer[rank], "phase.1", "solve");
        syn_writer_meta(made->writer[rank], "phase.2", rank == 0 ? "read" : "write");
        for (uint32_t i = 0; i < STACKS; i++) {
            const struct syn_frame frame[] = {
                {RUNTIME, 0x10}, {PROGRAM, offset_of(rank, i)}, {LIBRARY, 0x30}};
            const struct syn_stack_record stack = {i, 3, frame};
            cr_assert_eq(syn_writer_stack(made->writer[rank], &stack), 0);
        }
    }
    return made_open(made, without);
}

struct asking {
    struct syn_trace_names names;
    pthread_barrier_t together;
};

/* All of all ranks, at the same time as the other threads. */
static void *ask_for_all(void *argument)
{
    struct asking *asking = argument;
    pthread_barrier_wait(&asking->together);
    for (int rank = 0; rank < RANKS; rank++) {
        struct syn_rank_names *of = asking->names.rank[rank];
        for (uint32_t i = 0; i < STACKS; i++)
            cr_assert_neq(syn_rank_names_site(of, i), SYN_NO_NAME);
        for (unsigned phase = 0; phase < PHASES; phase++)
            cr_assert_neq(syn_rank_names_phase(of, phase), SYN_NO_NAME);
    }
    return NULL;
}

static void ask_together(struct asking *asking)
{
    pthread_t thread[THREADS];
    cr_assert_eq(pthread_barrier_init(&asking->together, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; i++)
        cr_assert_eq(pthread_create(&thread[i], NULL, ask_for_all, asking), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    pthread_barrier_destroy(&asking->together);
}

static void expect_name(const struct syn_names *names, uint32_t number, const char *expected)
{
    cr_assert_str_eq(syn_names_text(names, number), expected);
}

static void expect_names(const struct asking *asking, const struct syn_names *names)
{
    char label[64];
    for (int rank = 0; rank < RANKS; rank++) {
        struct syn_rank_names *of = asking->names.rank[rank];
        for (uint32_t i = 0; i < STACKS; i++) {
            snprintf(label, sizeof label, "program+0x%" PRIx64, offset_of(rank, i));
            expect_name(names, syn_rank_names_site(of, i), label);
        }
        expect_name(names, syn_rank_names_site(of, STACKS), SYN_LABEL_UNKNOWN);
        expect_name(names, syn_rank_names_site(of, SYN_NO_STACK), SYN_LABEL_UNKNOWN);
        expect_name(names, syn_rank_names_phase(of, 0), "");
        expect_name(names, syn_rank_names_phase(of, 1), "solve");
        expect_name(names, syn_rank_names_phase(of, 2), rank == 0 ? "read" : "write");
        expect_name(names, syn_rank_names_phase(of, 255), "phase.255");
    }
}

Test(rank_names, threads_are_told_the_same)
{
    struct made_trace made;
    struct asking asking;
    struct syn_names names = {0};
    struct syn_symbols *symbols;
    struct syn_trace *trace = make_trace(&made, 0);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_trace_names_open(trace, symbols, &names, &asking.names), 0);
    ask_together(&asking);
    cr_expect_eq(names.count, DISTINCT + 4, "sites, and phases with the one that has no name");
    expect_names(&asking, &names);
    syn_trace_names_close(&asking.names);
    syn_symbols_close(symbols);
    syn_names_free(&names);
    made_end(&made, trace);
}

/* A known name stays: symbols are not asked again. */
Test(rank_names, a_name_is_found_out_once)
{
    struct made_trace made;
    struct syn_names names = {0};
    struct syn_symbols *symbols;
    struct syn_trace *trace = make_trace(&made, 0);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    struct syn_rank_names *of = syn_rank_names_new(syn_trace_rank(trace, 0), symbols, &names);
    cr_assert_not_null(of);
    const uint32_t site = syn_rank_names_site(of, 5), phase = syn_rank_names_phase(of, 1);
    syn_symbols_choose_site(symbols, true, NULL); /* a site found out from now on would be a path */
    cr_expect_eq(syn_rank_names_site(of, 5), site);
    cr_expect_eq(syn_rank_names_find_site(of, 5), site, "as of a thread that came second");
    cr_expect_eq(syn_rank_names_find_phase(of, 1), phase);
    cr_expect_eq(names.count, 2);
    cr_expect_str_neq(syn_names_text(&names, syn_rank_names_site(of, 6)), "program+0x102a");
    syn_rank_names_free(of);
    syn_symbols_close(symbols);
    syn_names_free(&names);
    made_end(&made, trace);
}

Test(rank_names, without_symbols_all_sites_are_unknown)
{
    struct made_trace made;
    struct syn_names names = {0};
    struct syn_trace_names all;
    struct syn_trace *trace = make_trace(&made, 1u << 1);
    cr_assert_eq(syn_trace_names_open(trace, NULL, &names, &all), 0);
    cr_expect_null(all.rank[1], "a rank that is not there");
    expect_name(&names, syn_rank_names_site(all.rank[2], 0), SYN_LABEL_UNKNOWN);
    cr_expect_eq(syn_rank_names_site(all.rank[0], 1), syn_rank_names_site(all.rank[2], 0));
    syn_trace_names_close(&all);
    syn_names_free(&names);
    made_end(&made, trace);
}

/* The trace's own label of one frame of rank 2's program. */
static void write_label(const char *path)
{
    static const char text[] = "syncopate symbols 1\n"
                               "frame\t0300000000000000\t1000\tother.c:1 main\n";
    FILE *file = fopen(path, "w");
    cr_assert_not_null(file);
    fprintf(file, "%schecksum\t%016" PRIx64 "\n", text, syn_hash64(text, sizeof text - 1));
    fclose(file);
}

Test(rank_names, another_build_of_a_program_is_another_one)
{
    struct made_trace made;
    struct syn_names names = {0};
    struct syn_trace_names all;
    struct syn_symbols *symbols;
    char path[128];
    struct syn_trace *trace = make_trace(&made, 0);
    snprintf(path, sizeof path, "%s/" SYN_SYMBOLS_NAME, made.directory);
    write_label(path);
    cr_assert_eq(syn_symbols_open(&symbols), 0);
    cr_assert_eq(syn_symbols_load(symbols, made.directory), 0);
    cr_assert_eq(syn_trace_names_open(trace, symbols, &names, &all), 0);
    cr_assert_eq(offset_of(0, 0), 0x1000);
    cr_assert_eq(offset_of(2, 400), 0x1000);
    expect_name(&names, syn_rank_names_site(all.rank[0], 0), "program+0x1000");
    expect_name(&names, syn_rank_names_site(all.rank[2], 400), "other.c:1 main");
    syn_trace_names_close(&all);
    syn_symbols_close(symbols);
    syn_names_free(&names);
    unlink(path);
    made_end(&made, trace);
}
