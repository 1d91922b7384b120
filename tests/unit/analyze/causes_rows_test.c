/* Along a location's columns: every loop finds what one call after the other finds, on any
 * processor. */
#include <criterion/criterion.h>
#include <string.h>

#include "analyze/causes/rows.h"
#include "analyze/stats/samples/bootstrap.h"
#include "sync/base/integers.h"
#include "sync/time/cpu.h"

#define LOCATIONS 3
#define KINDS     5

static struct syn_random drawn;

static void seed(void)
{
    syn_random_seed(&drawn, 1);
}

TestSuite(causes_rows, .init = seed);

/* Calls of a location, [0] being the one before; together at the same times now and then. */
struct calls {
    int64_t start_ns[SYN_TILE + 1], end_ns[SYN_TILE + 1];
    uint64_t sequence[SYN_TILE + 1];
    uint32_t kind[SYN_TILE + 1];
};

static const uint64_t plain[KINDS] = {70, 71, 72, 73, 74};

static void draw(struct calls *calls, size_t count)
{
    for (size_t k = 0; k <= count; k++) {
        calls->start_ns[k] = 100 * (int64_t)k + (int64_t)syn_random_below(&drawn, 20);
        calls->end_ns[k] = 100 * (int64_t)k + 30 + (int64_t)syn_random_below(&drawn, 20);
        calls->sequence[k] = 9 + k;
        calls->kind[k] = (uint32_t)(k % KINDS);
    }
}

static struct syn_row_calls row_of(const struct calls *calls, size_t count)
{
    return (struct syn_row_calls){calls->start_ns, calls->end_ns,    calls->sequence,
                                  calls->kind,     calls->end_ns[0], count};
}

static void begin(struct syn_row_run *run, const struct calls *calls, size_t count)
{
    memset(run, 0, sizeof *run);
    run->together_ns[0] = 19;
    for (size_t k = 0; k <= count; k++) {
        run->plain[k] = plain[calls->kind[k]];
        run->sequence[k] = calls->sequence[k];
        run->bound_ns[k] = (int64_t)syn_random_below(&drawn, 12);
    }
}

static void expect_coming(const struct calls *calls, size_t k, const struct syn_row_run *run)
{
    int64_t last = 0, together_ns = INT64_MIN, first_end_ns = INT64_MAX;
    for (int i = 0; i < LOCATIONS; i++) {
        last = calls[i].start_ns[k] > together_ns ? i : last;
        together_ns = syn_largest(calls[i].start_ns[k], together_ns);
        first_end_ns = syn_least(calls[i].end_ns[k], first_end_ns);
    }
    cr_expect_eq(run->last[k], last);
    cr_expect_eq(run->together_ns[k], together_ns);
    cr_expect_eq(run->first_end_ns[k], first_end_ns);
}

/* Their times are taken from `run`, so that nothing is left. */
static void expect_times(const struct calls *calls, size_t k, const struct syn_row_times *times,
                         struct syn_row_run *run)
{
    const int64_t waiting_ns = run->together_ns[k] - calls->start_ns[k];
    const int64_t segment_ns = calls->start_ns[k] - calls->end_ns[k - 1];
    cr_expect_eq(times->segment_ns[k], segment_ns);
    cr_expect_eq(times->waiting_ns[k], waiting_ns);
    cr_expect_eq(times->operation_ns[k], calls->end_ns[k] - run->together_ns[k]);
    if (waiting_ns <= run->bound_ns[k])
        return;
    run->waiter_count[k]--;
    run->debt_ns[k] -= waiting_ns;
    run->computing_ns[k] -= segment_ns;
    run->operation_ns[k] -= calls->end_ns[k - 1] - run->together_ns[k - 1];
}

static void expect_run(size_t count)
{
    static struct calls calls[LOCATIONS];
    static struct syn_row_run run;
    static struct syn_row_times times[LOCATIONS];
    for (int i = 0; i < LOCATIONS; i++)
        draw(&calls[i], count);
    begin(&run, &calls[0], count);
    for (int i = 0; i < LOCATIONS; i++) {
        const struct syn_row_calls row = row_of(&calls[i], count);
        cr_expect_eq(syn_row_agrees(&row, plain, &run), count);
        syn_row_come(&row, (uint32_t)i, i == 0, &run);
    }
    for (int i = 0; i < LOCATIONS; i++) {
        const struct syn_row_calls row = row_of(&calls[i], count);
        syn_row_pass(&row, &run, &times[i]);
    }
    for (size_t k = 1; k <= count; k++) {
        expect_coming(calls, k, &run);
        for (int i = 0; i < LOCATIONS; i++)
            expect_times(&calls[i], k, &times[i], &run);
        cr_expect_eq(run.waiter_count[k], 0);
        cr_expect_eq(run.debt_ns[k], 0);
        cr_expect_eq(run.computing_ns[k], 0);
        cr_expect_eq(run.operation_ns[k], 0);
    }
}

static const size_t counts[] = {1, 2, 3, 4, 5, 8, 127, SYN_TILE};

Test(causes_rows, loops_find_what_single_calls_find)
{
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (int turn = 0; turn < 20; turn++)
                expect_run(counts[c]);
    }
}

/* The k-th call is another one, in one way or another: those before it agree. */
static void expect_difference(size_t count, size_t k, int way)
{
    static struct calls calls;
    static struct syn_row_run run;
    draw(&calls, count);
    begin(&run, &calls, count);
    struct syn_row_calls row = row_of(&calls, count);
    if (way == 0)
        calls.sequence[k] ^= UINT64_C(1) << 63;
    else if (way == 1)
        calls.kind[k] = (calls.kind[k] + 1) % KINDS;
    else if (k > 1)
        calls.end_ns[k - 1] = calls.start_ns[k] + 1;
    else
        row.before_ns = calls.start_ns[k] + 1;
    cr_expect_eq(syn_row_agrees(&row, plain, &run), k - 1, "%zu of %zu, %d", k, count, way);
}

Test(causes_rows, calls_agree_up_to_the_first_that_does_not)
{
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
            for (size_t k = 1; k <= counts[c]; k++)
                for (int way = 0; way < 3; way++)
                    expect_difference(counts[c], k, way);
    }
}

/* Runs are gone through one after the other, whose locations may lie between one another. */
Test(causes_rows, of_several_that_come_last_at_once_the_first_counts)
{
    static const struct syn_row_run run = {.together_ns = {0, 50}, .last = {0, 3}};
    cr_expect(syn_row_run_is_later(&run, 1, INT64_MIN, 0));
    cr_expect(syn_row_run_is_later(&run, 1, 49, 2));
    cr_expect(syn_row_run_is_later(&run, 1, 50, 4));
    cr_expect_not(syn_row_run_is_later(&run, 1, 50, 2));
    cr_expect_not(syn_row_run_is_later(&run, 1, 51, 4));
}
