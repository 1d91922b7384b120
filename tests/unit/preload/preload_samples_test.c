/* preload_samples_test.c - a thread's questions to the kernel, and the calls behind which they
 * come. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "preload/recorder/samples.h"

__thread struct syn_thread *syn_self __attribute__((tls_model("initial-exec")));
struct syn_tick_source syn_ticks;
static struct syn_thread thread;
static struct syn_event events[2]; /* the last one, and the place of the next */
static unsigned sample_count;
static bool sample_has_usage; /* the last one */
static int64_t begun_ticks;
/* Behind each call, before its sample. (However long this process is interrupted: not long.) */
#define NOT_STOPPED_NS (-1000000000)
static int64_t stopped_for_ns = NOT_STOPPED_NS;

/* (Of the recorder, which is not here.) */
void syn_note_add(struct syn_thread *self, const struct syn_event *note)
{
    (void)self;
    sample_has_usage = note->flags & SYN_SAMPLE_HAS_USAGE;
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
    begun_ticks = syn_now();
    syn_samples_begin();
    sleep_ms(1);
}

/* Returns whether a sample was taken behind a call of this number. */
static bool is_sampled_behind(uint64_t number)
{
    const unsigned count_before = sample_count;
    events[0].sequence = number - 1;
    events[0].end_ticks = syn_now() - stopped_for_ns;
    syn_sample_take(&thread);
    return sample_count > count_before;
}

/* So that the run delay may be asked for again. */
static void wait_for_run_delay(void)
{
    sleep_ms(2 * SYN_SAMPLE_INTERVAL_NS / 1000000);
    thread.run_delay.due_ticks = 0;
}

/* With that of the end it tells what the whole run lacked, however few calls it makes. */
Test(samples, the_first_has_all_and_lies_before_the_first_call)
{
    begin();
    cr_expect_eq(sample_count, 1);
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
    cr_expect_geq(thread.sample_due_ticks, begun_ticks + SYN_SAMPLE_INTERVAL_NS);
    syn_samples_stop();
    cr_expect_eq(sample_count, 2);
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
}

/* It would be much for the end of a block. */
Test(samples, run_delay_is_not_asked_for_where_a_block_ends)
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
    for (int step = 0; step <= SYN_RUN_DELAY_STEPS; step++)
        cr_expect_not(is_sampled_behind(number += 32), "step %d", step);
    cr_expect(is_sampled_behind(number += 32));
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
}

/* The next call comes late; the thread has slept before. */
static void take_behind_rare_call(uint64_t number)
{
    thread.sample_due_ticks = INT64_MAX;
    is_sampled_behind(number - 15);
    wait_for_run_delay();
    cr_expect(is_sampled_behind(number));
}

/* By the next one that counts switches. */
static bool is_known_behind_rare_call(uint64_t number)
{
    thread.run_delay.due_ticks = 0;
    thread.samples_since_usage = 3;
    take_behind_rare_call(number);
    return thread.last_sample.has & SYN_SAMPLE_HAS_RUN_DELAY;
}

/* So long ago, in seconds. */
static int64_t before_now(int64_t duration_s)
{
    return syn_now() - duration_s * 1000000000;
}

/* Nothing of a way in steps would be left in a cache: to ask is one long stop, each time. */
Test(samples, run_delay_is_asked_for_rarely_where_calls_are_rare)
{
    begin();
    cr_assert(is_sampled_behind(16));
    cr_expect_not(is_known_behind_rare_call(48), "a moment after MPI_Init");
    thread.run_delay.last_read_ticks = before_now(10);
    cr_expect(is_known_behind_rare_call(80), "ten seconds after MPI_Init");
    thread.run_delay.first_read_ticks = before_now(100);
    thread.run_delay.last_read_ticks = before_now(40);
    cr_expect_not(is_known_behind_rare_call(112), "forty seconds after the last time, at sixty");
    thread.run_delay.last_read_ticks = before_now(60);
    cr_expect(is_known_behind_rare_call(144), "sixty seconds after the last time, at forty");
}

/* Each system call is a stop of its own where no cache has anything of it. */
Test(samples, switches_are_counted_in_every_fourth_where_calls_are_rare)
{
    begin();
    cr_assert(is_sampled_behind(16));
    thread.samples_since_usage = 0;
    for (uint64_t i = 1; i <= 8; i++) {
        const int64_t reckoned_from_ns = thread.run_delay.off_cpu_ns;
        take_behind_rare_call(16 + 32 * i);
        cr_expect_eq(sample_has_usage, i % 4 == 0, "sample %lu", (unsigned long)i);
        cr_expect_eq(thread.run_delay.off_cpu_ns != reckoned_from_ns, i % 4 == 0,
                     "what the next one that counts them reckons from");
    }
}

/* A thread that MPI_Init did not ask for. */
static void begin_other_thread(void)
{
    begin();
    thread = (struct syn_thread){.next = &events[1], .number = 1};
    cr_assert(is_sampled_behind(16));
    wait_for_run_delay();
}

/* A thread asks after its second call, then whenever the time since then has doubled. */
Test(samples, run_delay_is_asked_for_in_each_thread)
{
    begin_other_thread();
    take_behind_rare_call(48);
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
    thread.run_delay.first_read_ticks = before_now(5);
    thread.run_delay.last_read_ticks = before_now(2);
    cr_expect_not(is_known_behind_rare_call(80), "two seconds after the last time, at three");
    thread.run_delay.last_read_ticks = before_now(3);
    cr_expect(is_known_behind_rare_call(112), "three seconds after the last time, at two");
}

/* Between this sample and that of its second call its run delay is known. Short threads do not pay
 * for it. */
Test(samples, the_last_one_of_a_thread_that_ends_has_the_run_delay)
{
    begin_other_thread();
    const unsigned count_before = sample_count;
    syn_samples_leave(&thread);
    cr_expect_eq(sample_count, count_before, "it has not asked before");
    take_behind_rare_call(48);
    sleep_ms(1);
    syn_samples_leave(&thread);
    cr_expect_eq(sample_count, count_before + 1, "it asked a moment ago");
    wait_for_run_delay();
    syn_samples_leave(&thread);
    cr_expect_eq(sample_count, count_before + 2);
    cr_expect_eq(thread.last_sample.has, SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
    syn_samples_take_over(&thread);
    wait_for_run_delay();
    syn_samples_leave(&thread);
    cr_expect_eq(sample_count, count_before + 2, "the next thread has not asked");
}

/* ---- reckoned ---- */

static uint64_t known_ns(void)
{
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY);
    return thread.last_sample.run_delay_ns;
}

/* Begins without having slept since. */
static void begin_awake(void)
{
    begin();
    syn_samples_begin();
    known_ns();
}

/* The next sample finds one switch more, and so much time without a processor, than was. */
static void pretend_switch(uint32_t voluntary, uint32_t involuntary, int64_t off_cpu_ns)
{
    thread.last_sample.voluntary_switches -= voluntary;
    thread.last_sample.involuntary_switches -= involuntary;
    thread.run_delay.off_cpu_ns -= off_cpu_ns;
    thread.run_delay.counted_off_cpu_ns -= off_cpu_ns;
}

#define SECOND_NS INT64_C(1000000000)
#define HOUR_NS   (3600 * SECOND_NS)

/* The machine itself adds less than a tenth of an hour meanwhile, however busy it is. */
Test(samples, run_delay_of_who_did_not_give_up_its_processor_is_reckoned)
{
    begin_awake();
    const uint64_t before = known_ns();
    pretend_switch(0, 1, HOUR_NS);
    const uint64_t waited = known_ns() - before;
    cr_expect(waited >= HOUR_NS / 10 * 9 && waited < HOUR_NS / 10 * 11, "%f h",
              (double)waited / HOUR_NS);
    cr_expect_lt(known_ns() - before, HOUR_NS / 10 * 11, "it counts once");
}

Test(samples, run_delay_of_who_gave_up_its_processor_is_asked_for)
{
    begin_awake();
    pretend_switch(1, 1, HOUR_NS);
    cr_expect_eq(sample_has(), SYN_SAMPLE_HAS_USAGE);
}

/* It runs all the time: what its clocks do not agree in is interrupts and the machine's host. */
Test(samples, run_delay_does_not_grow_without_a_switch)
{
    begin_awake();
    const uint64_t before = known_ns();
    pretend_switch(0, 0, HOUR_NS);
    cr_expect_lt(known_ns() - before, HOUR_NS / 10);
    known_ns();
    pretend_switch(0, 1, 0);
    cr_expect_lt(known_ns() - before, HOUR_NS / 10, "nor with a switch after it");
}

/* The counter of switches is read first. One right behind it shows in the next sample, in which the
 * processor was lost before it began. */
Test(samples, run_delay_of_a_switch_amid_a_sample_counts_in_the_next)
{
    begin_awake();
    const uint64_t before = known_ns();
    thread.run_delay.counted_off_cpu_ns -= HOUR_NS;
    thread.last_sample.involuntary_switches--;
    cr_expect_gt(known_ns() - before, HOUR_NS / 10 * 9);
}

/* Reckoned run delay is part of the kernel's figure: it is not added again. */
Test(samples, run_delay_that_was_reckoned_counts_once)
{
    uint64_t number = 16;
    begin_awake();
    const uint64_t before = known_ns();
    pretend_switch(0, 1, HOUR_NS);
    known_ns();
    thread.run_delay.kernel_ns -= HOUR_NS; /* so the kernel says an hour more */
    sleep_ms(1);
    thread.run_delay.due_ticks = 0;
    while (!is_sampled_behind(number += 32) ||
           !(thread.last_sample.has & SYN_SAMPLE_HAS_RUN_DELAY)) /* it was interrupted in between */
        cr_assert_lt(number, 10000);
    const uint64_t waited = thread.last_sample.run_delay_ns - before;
    cr_expect(waited >= HOUR_NS / 10 * 9 && waited < HOUR_NS / 10 * 11, "%f h",
              (double)waited / HOUR_NS);
}

/* ---- against the kernel ---- */

/* Returns how long this thread waited for a processor, by the kernel. */
static double said_s(void)
{
    unsigned long long ran_ns, waited_ns;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    cr_assert(file && fscanf(file, "%llu %llu", &ran_ns, &waited_ns) == 2);
    fclose(file);
    return (double)waited_ns * 1e-9;
}

/* On one processor with others, which never rest. */
static void share_a_processor(pid_t others[], int count)
{
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    if (sched_setaffinity(0, sizeof one, &one))
        cr_skip("this thread may not be bound");
    for (int i = 0; i < count; i++)
        if ((others[i] = fork()) == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL); /* however the test ends */
            for (volatile unsigned spun = 0;; spun++)
                continue;
        }
}

Test(samples, run_delay_that_is_reckoned_is_what_the_kernel_says, .timeout = 60)
{
    pid_t others[2];
    begin();
    share_a_processor(others, 2);
    syn_samples_begin();
    const uint64_t before = known_ns();
    const double said_before = said_s();
    const int64_t end = syn_now() + 2 * SECOND_NS;
    unsigned samples = 0, unknown = 0;
    while (syn_now() < end) {
        for (const int64_t soon = syn_now() + SYN_SAMPLE_INTERVAL_NS; syn_now() < soon;)
            continue;
        unknown += !(sample_has() & SYN_SAMPLE_HAS_RUN_DELAY);
        samples++;
    }
    const double said = said_s() - said_before,
                 known = (double)(thread.last_sample.run_delay_ns - before) * 1e-9;
    for (int i = 0; i < 2; i++) {
        kill(others[i], SIGKILL);
        waitpid(others[i], NULL, 0);
    }
    cr_expect_eq(unknown, 0, "%u of %u samples", unknown, samples);
    cr_expect_gt(said, 0.5, "two of three parts of the time");
    cr_expect_float_eq(known / said, 1, 0.05, "reckoned %f s, said %f s", known, said);
}

/* As by learning a stack: the sample is a stop of its own. But not for ever. */
Test(samples, are_not_taken_behind_a_call_that_was_stopped_long_already)
{
    begin();
    thread.sample_due_ticks = 0;
    stopped_for_ns = 20000;
    cr_expect_not(is_sampled_behind(16));
    cr_expect_not(is_sampled_behind(17));
    stopped_for_ns = NOT_STOPPED_NS;
    cr_expect(is_sampled_behind(18), "late");
    stopped_for_ns = 20000;
    for (int i = 1; i < 16; i++)
        cr_expect_not(is_sampled_behind(48), "%d", i);
    cr_expect(is_sampled_behind(48), "the sixteenth");
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

/* As if it had lived long before it takes the state over. */
static void *take_over(void *nothing)
{
    struct syn_event note;
    struct timespec cpu = {0};
    while (cpu.tv_nsec < 20000000)
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu);
    syn_samples_take_over(&thread);
    syn_sample_make(&thread, &note);
    return nothing;
}

/* Time in which no thread was there is none off the processor; and what the next one did before is
 * none of its own. */
Test(samples, counts_go_on_in_the_next_thread)
{
    struct syn_event note;
    pthread_t next;
    begin();
    cr_assert(syn_sample_make(&thread, &note));
    const struct syn_sample before = thread.last_sample;
    const int64_t off_before_ns = thread.run_delay.off_cpu_ns;
    syn_samples_leave(&thread);
    sleep_ms(300);
    cr_assert_eq(pthread_create(&next, NULL, take_over, NULL), 0);
    pthread_join(next, NULL);
    const struct syn_sample after = thread.last_sample;
    const int64_t elapsed_ns = syn_ticks_span_ns(&syn_ticks, after.time - before.time);
    const int64_t ran_ns = (int64_t)(after.cpu_ns - before.cpu_ns);
    const int64_t off_ns = thread.run_delay.off_cpu_ns - off_before_ns;
    cr_expect_geq(elapsed_ns, 320000000);
    cr_expect_leq(ran_ns, elapsed_ns + 1000000);
    cr_expect_leq(off_ns, elapsed_ns - 300000000);
    cr_expect_leq(after.minor_faults - before.minor_faults, 100u);
}
