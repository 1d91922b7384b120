/* preload_samples_test.c - what the first samples of a thread have. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>
#include <time.h>

#include "preload/recorder/samples.h"

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
static struct syn_thread thread;

/* (Of the recorder, which is not here.) */
void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    (void)self;
    (void)note;
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

/* To ask for it takes as long as all else of a program's first call; and it would be much for the
 * end of a block, too. */
Test(samples, run_delay_is_first_asked_for_an_interval_later)
{
    char lacking[256];
    cr_assert_eq(syn_tick_source_init(&syn_ticks, SYN_CLOCK_MONOTONIC, NULL, 0), 0);
    syn_self = &thread;
    syn_samples_start(true);
    syn_samples_lacking(lacking, sizeof lacking);
    if (strstr(lacking, "run delay"))
        cr_skip("the kernel does not tell it");
    syn_samples_begin();
    sleep_ms(1);
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
    sleep_ms(2 * SYN_SAMPLE_INTERVAL_NS / 1000000);
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
}
