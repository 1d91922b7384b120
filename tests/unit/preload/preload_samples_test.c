/* preload_samples_test.c - what a thread asks the kernel for, and behind which call. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "preload/recorder/samples.h"

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
static struct syn_thread thread;
static struct syn_event events[2]; /* the last one, and the place of the next */
static unsigned sample_count;

/* (Of the recorder, which is not here.) */
void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    (void)self;
    (void)note;
    sample_count++;
}

bool syn_recorder_running(void)
{
    return true;
}

/* So that it was switched out. */
static void sleep_ms(int duration_ms)
{
    nanosleep(&(struct timespec){.tv_nsec = duration_ms * 1000000}, NULL);
}

static uint16_t sample_has(void)
{
    struct syn_event note;
    cr_assert(syn_sample_make(&thread, &note));
    return thread.last_sample.has;
}

static void begin(void)
{
    char lacking[256];
    cr_assert_eq(syn_tick_source_init(&syn_ticks, SYN_CLOCK_MONOTONIC, NULL, 0), 0);
    syn_self = &thread;
    thread.next = &events[1];
    syn_samples_start(true);
    syn_samples_lacking(lacking, sizeof lacking);
    if (strstr(lacking, "run delay"))
        cr_skip("the kernel does not tell it");
    syn_samples_begin();
    sleep_ms(1);
}

/* Returns whether a sample was taken behind a call of this number. */
static bool is_sampled_behind(uint64_t number)
{
    const unsigned count_before = sample_count;
    events[0].sequence = number - 1;
    syn_sample_take(&thread);
    return sample_count > count_before;
}

/* So that the run delay may be asked for again. */
static void wait_for_run_delay(void)
{
    sleep_ms(2 * SYN_SAMPLE_INTERVAL_NS / 1000000);
}

/* To ask for it takes as long as all else of a program's first call; and it would be much for the
 * end of a block, too. */
Test(samples, run_delay_is_not_asked_for_at_first_nor_where_a_block_ends)
{
    begin();
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
    wait_for_run_delay();
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
}

/* The counts say that there is a way to go, and each step of it is a stop of its own. */
Test(samples, run_delay_is_asked_for_in_steps_where_calls_are_quick)
{
    uint64_t number = 16;
    begin();
    cr_assert(is_sampled_behind(number));
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE);
    wait_for_run_delay();
    for (int step = 0; step <= SYN_RUN_DELAY_WAY; step++)
        cr_expect_not(is_sampled_behind(number += 32), "step %d", step);
    cr_expect(is_sampled_behind(number += 32));
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
}

/* Nothing of the way would be left in a cache. */
Test(samples, run_delay_is_asked_for_at_once_where_calls_are_rare)
{
    begin();
    cr_assert(is_sampled_behind(16));
    thread.sample_due_ticks = INT64_MAX;
    cr_expect_not(is_sampled_behind(17));
    wait_for_run_delay();
    cr_expect(is_sampled_behind(48));
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
}

/* The recorder's steps are taken behind multiples of 32. */
Test(samples, are_not_taken_where_steps_are)
{
    begin();
    for (uint64_t number = 1; number <= 128; number++) {
        thread.sample_due_ticks = INT64_MAX;
        cr_expect_eq(is_sampled_behind(number), number % 32 == 16, "call %d", (int)number);
    }
}
