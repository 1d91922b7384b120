/* preload/recorder/samples.c - see samples.h. The run delay of a thread is the time in which it was
 * ready to run and had no processor.
 *
 * RATIONALE: the kernel is called by syscall(), since the program may have replaced the C library's
 * functions. */
#include "preload/recorder/samples.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "trace/events/notes.h"

/* Work that took the time c is not repeated before COST_SHARE times c have passed. This holds for
 * samples, and separately for reading the run delay, which costs several times as much. The wait is
 * at most INTERVALS_MAX intervals, since c is too long if the thread was interrupted meanwhile. */
#define COST_SHARE    4000
#define INTERVALS_MAX 10

/* A thread takes samples after shared calls: those whose number on their communicator is an odd
 * multiple of SHARED_CALLS. All members do: samples at different calls would delay the others each
 * time.
 * Encoding steps follow even multiples (recorder.c), so that no stop does both. */
#define SHARED_CALLS 16

/* If a sample's next shared call comes within this time, the kernel's code and data for it are
 * still in the caches. */
#define QUICK_NS 1000000
/* Least time between two readings of the run delay if calls are not quick. */
#define RARELY_S 10
/* If calls are not quick, one of this many samples counts switches and faults. */
#define USAGE_EVERY 4

/* If a call was stopped for LONG_NS after its end (for a new call stack, say), the sample waits for
 * a later call: at most POSTPONED_MAX - 1 times in a row. */
#define LONG_NS       4000
#define POSTPONED_MAX 16

#define RUN_DELAY_PATH "/proc/thread-self/schedstat"

/* Constant from the start of the run on, except the count, which is atomic. */
static struct {
    bool active;
    int64_t interval_ticks, quick_ticks, rarely_ticks, long_ticks;
    uint64_t count;
    int run_delay_error; /* errno of reading the run delay; 0: it can be read */
} samples SYN_NEAR;

/* Reads the calling thread's run delay. Returns 0 or an errno value. RATIONALE: the kernel tells it
 * only in a file. It is opened each time, because a program may close descriptors that it did not
 * open. */
static int read_run_delay(uint64_t *delay_ns)
{
    char text[96];
    const long file = syscall(SYS_openat, AT_FDCWD, RUN_DELAY_PATH, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno;
    const long bytes = syscall(SYS_read, (int)file, text, sizeof text - 1);
    const int error = bytes < 0 ? errno : 0;
    syscall(SYS_close, (int)file);
    text[syn_largest(bytes, 0)] = '\0';
    const char *second = strchr(text, ' ');
    if (!second)
        return error ? error : ENODATA;
    *delay_ns = strtoull(second + 1, NULL, 10);
    return 0;
}

void syn_samples_start(bool on)
{
    uint64_t delay_ns;
    const int error_before = errno;
    samples.active = on;
    samples.run_delay_error = on ? read_run_delay(&delay_ns) : 0;
    samples.interval_ticks = syn_span_ticks(&syn_ticks, SYN_SAMPLE_INTERVAL_NS);
    samples.quick_ticks = syn_span_ticks(&syn_ticks, QUICK_NS);
    samples.long_ticks = syn_span_ticks(&syn_ticks, LONG_NS);
    samples.rarely_ticks = RARELY_S * syn_span_ticks(&syn_ticks, 1000000000);
    errno = error_before;
}

static int64_t read_clock_ns(clockid_t clock)
{
    struct timespec now = {0};
    syscall(SYS_clock_gettime, clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void add_usage(struct syn_sample *sample, const struct syn_sample *before)
{
    struct rusage usage;
    if (syscall(SYS_getrusage, RUSAGE_THREAD, &usage))
        return;
    sample->voluntary_switches = before->voluntary_switches + (uint32_t)usage.ru_nvcsw;
    sample->involuntary_switches = before->involuntary_switches + (uint32_t)usage.ru_nivcsw;
    sample->minor_faults = before->minor_faults + (uint32_t)usage.ru_minflt;
    sample->major_faults = before->major_faults + (uint32_t)usage.ru_majflt;
    sample->has |= SYN_SAMPLE_HAS_USAGE;
}

static int64_t wait_for_cost(int64_t cost_ticks)
{
    const int64_t most = INTERVALS_MAX * samples.interval_ticks;
    return cost_ticks > most / COST_SHARE ? most : cost_ticks * COST_SHARE;
}

static int64_t wait_for_next(int64_t cost_ticks)
{
    return syn_largest(wait_for_cost(cost_ticks), samples.interval_ticks);
}

/* A sample without run delay, and the thread's time off the processor, from which run delay is
 * estimated.
 *
 * RATIONALE: switches are read first. A switch between the readings is then counted in the next
 * sample, where estimate() takes its time into account. */
struct counts {
    struct syn_sample sample;
    int64_t off_cpu_ns;
};

static struct counts make_counts(struct syn_thread *self, bool with_usage)
{
    struct counts counts = {.sample = {.time = syn_now()}};
    struct syn_sample *sample = &counts.sample;
    if (with_usage)
        add_usage(sample, &self->counted_before);
    const int64_t elapsed_ns = syn_ticks.kind == SYN_CLOCK_TSC
                                   ? syn_ticks_span_ns(&syn_ticks, syn_now())
                                   : read_clock_ns(CLOCK_MONOTONIC_RAW);
    sample->cpu_ns = self->counted_before.cpu_ns + (uint64_t)read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    sample->processor = sched_getcpu();
    counts.off_cpu_ns = elapsed_ns - (int64_t)sample->cpu_ns;
    self->sample_cost_ticks = syn_now() - sample->time;
    return counts;
}

/* ---- run delay ---- */

/* Returns true if the run delay since the last sample is the time off the processor. RATIONALE:
 * without a voluntary switch the thread was ready to run all that time. After a voluntary switch it
 * waited first for something else, and only the kernel knows how long for what. */
static bool can_estimate(const struct syn_sample *sample, const struct syn_sample *last)
{
    const uint16_t both = SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY;
    return (sample->has & SYN_SAMPLE_HAS_USAGE) && (last->has & both) == both &&
           sample->voluntary_switches == last->voluntary_switches;
}

/* Reads the run delay. Returns false if the kernel does not tell it. The kernel's value includes
 * what was estimated since the last reading. The estimate may be a little larger. */
static bool read_run_delay_now(struct syn_thread *self, const struct counts *counts)
{
    struct syn_run_delay *delay = &self->run_delay;
    uint64_t kernel_ns;
    const int64_t began = syn_now();
    const bool was_read = read_run_delay(&kernel_ns) == 0;
    if (was_read) {
        const uint64_t since_ns = delay->is_new ? 0 : kernel_ns - delay->kernel_ns;
        delay->known_ns += since_ns > delay->estimated_ns ? since_ns - delay->estimated_ns : 0;
        delay->kernel_ns = kernel_ns;
        delay->is_new = false;
        delay->estimated_ns = 0;
        delay->counted_off_cpu_ns = counts->off_cpu_ns;
    }
    const int64_t ended = syn_now();
    delay->last_read_ticks = ended;
    if (delay->first_read_ticks == 0)
        delay->first_read_ticks = ended;
    /* The cost of the steps that led here (run_delay_steps) counts, too. */
    delay->due_ticks = ended + delay->deferred_cost_ticks + wait_for_next(ended - began);
    delay->deferred_cost_ticks = 0;
    delay->step = 0;
    return was_read;
}

static struct syn_event finish(struct syn_thread *self, struct counts *counts, bool may_read)
{
    struct syn_sample *sample = &counts->sample;
    bool is_known = can_estimate(sample, &self->last_sample);
    if (is_known) {
        /* Adds the time off the processor to the run delay, if there was an involuntary switch.
         * Without a switch, time up to the last sample is dropped: it belongs to interrupts or a
         * virtual machine's host, or is a difference of the clocks (a microsecond). Time since then
         * is kept, because a switch between this sample's readings shows only in the next one. */
        struct syn_run_delay *delay = &self->run_delay;
        if (counts->sample.involuntary_switches == self->last_sample.involuntary_switches) {
            delay->counted_off_cpu_ns = delay->off_cpu_ns;
        } else if (counts->off_cpu_ns > delay->counted_off_cpu_ns) {
            const uint64_t waited_ns = (uint64_t)(counts->off_cpu_ns - delay->counted_off_cpu_ns);
            delay->known_ns += waited_ns;
            delay->estimated_ns += waited_ns;
            delay->counted_off_cpu_ns = counts->off_cpu_ns;
        }
    } else if (may_read && !samples.run_delay_error)
        is_known = read_run_delay_now(self, counts);
    else if (self->last_sample.time == 0) /* first sample: read later */
        self->run_delay.due_ticks = sample->time + samples.interval_ticks;
    if (is_known) {
        sample->run_delay_ns = self->run_delay.known_ns;
        sample->has |= SYN_SAMPLE_HAS_RUN_DELAY;
    }
    if (sample->has & SYN_SAMPLE_HAS_USAGE) { /* the next sample with switches starts from here */
        self->run_delay.off_cpu_ns = counts->off_cpu_ns;
        self->last_sample = *sample;
    }
    self->last_sample.time = sample->time;
    __atomic_add_fetch(&samples.count, 1, __ATOMIC_RELAXED);
    return syn_note_of_sample(sample);
}

bool syn_sample_make(struct syn_thread *self, struct syn_event *out)
{
    const int error_before = errno;
    if (!samples.active)
        return false;
    struct counts counts = make_counts(self, true);
    *out = finish(self, &counts, false);
    errno = error_before;
    return true;
}

/* ---- between two calls ---- */

/* Returns true if the sample is due after this call: the other members sample here too. If calls
 * are rare, it is due half an interval late, wherever that is. */
static bool is_sampling_call(const struct syn_thread *self, int64_t now)
{
    const struct syn_event *last = self->next - 1;
    return syn_is_note(last) ||
           (syn_stop_is_shared(last, SHARED_CALLS) &&
            !syn_stop_is_shared(last, 2 * SHARED_CALLS)) ||
           now - self->sample_due_ticks > samples.interval_ticks / 2;
}

/* RATIONALE: if a thread has done other things for some milliseconds, reading the run delay takes
 * 40 us. Most of that is the kernel's way to the file, which has left the caches. A thread whose
 * calls follow quickly goes that way in steps, each after another call. Each step opens a longer
 * part of the path and closes it; the last one reads the file. */
static const struct {
    const char *path;
    int flags;
} run_delay_steps[SYN_RUN_DELAY_STEPS] = {{"/", O_PATH},
                                          {"/proc/thread-self", O_PATH | O_NOFOLLOW},
                                          {RUN_DELAY_PATH, O_PATH},
                                          {RUN_DELAY_PATH, O_RDONLY}};

static bool is_due(const struct syn_thread *self, const struct syn_sample *sample)
{
    return !samples.run_delay_error && sample->time >= self->run_delay.due_ticks &&
           self->last_sample.time != 0 && !can_estimate(sample, &self->last_sample);
}

/* Returns true if a thread with rare calls should read its run delay. RATIONALE: the steps would be
 * of no use, since the caches forget them; the reading is one long stop. So it is made whenever the
 * time since the first reading has doubled: half of a run is covered even if it is killed, by few
 * stops. Thread 0 reads at the start and the end anyway. */
static bool is_reading_worthwhile(const struct syn_thread *self, int64_t now)
{
    const struct syn_run_delay *delay = &self->run_delay;
    const int64_t before = delay->last_read_ticks - delay->first_read_ticks;
    const int64_t least = self->number > 0 ? 0 : samples.rarely_ticks;
    return delay->first_read_ticks == 0 ||
           now - delay->last_read_ticks >= syn_largest(before, least);
}

/* Makes a sample if calls are quick. Returns false if it took a step towards the run delay instead.
 * If the counts show that a reading is due, making them was the first step. */
static bool make_step_or_sample(struct syn_thread *self, struct syn_event *out)
{
    if (self->run_delay.step > 0 && self->run_delay.step <= SYN_RUN_DELAY_STEPS) {
        const unsigned step = self->run_delay.step++;
        const long file = syscall(SYS_openat, AT_FDCWD, run_delay_steps[step - 1].path,
                                  run_delay_steps[step - 1].flags | O_CLOEXEC);
        if (file >= 0)
            syscall(SYS_close, (int)file);
        return false;
    }
    struct counts counts = make_counts(self, true);
    if (self->run_delay.step == 0 && is_due(self, &counts.sample)) {
        self->run_delay.step = 1;
        return false;
    }
    *out = finish(self, &counts, self->run_delay.step > 0);
    return true;
}

/* Makes a sample if calls are rare. RATIONALE: each of the two system calls takes 6 to 9 us with
 * cold caches. Both, with the call itself, would make each sample a stop of 20 us; so only every
 * USAGE_EVERY-th has both. A thread that has not read its run delay has both each time, since it
 * may end soon. */
static bool make_rare_sample(struct syn_thread *self, struct syn_event *out)
{
    const bool with_usage = self->samples_since_usage + 1 >= USAGE_EVERY ||
                            self->run_delay.first_read_ticks == 0 ||
                            !(self->last_sample.has & SYN_SAMPLE_HAS_USAGE);
    struct counts counts = make_counts(self, with_usage);
    self->samples_since_usage = with_usage ? 0 : self->samples_since_usage + 1;
    self->run_delay.step = 0;
    *out = finish(self, &counts,
                  with_usage && is_due(self, &counts.sample) &&
                      is_reading_worthwhile(self, counts.sample.time));
    return true;
}

/* Takes a sample or a step towards the run delay. The next step follows soon. */
static void take_sample_or_step(struct syn_thread *self, int64_t began)
{
    struct syn_event note;
    const bool is_quick = began - self->sample_first_due_ticks < samples.quick_ticks;
    const bool is_made =
        is_quick ? make_step_or_sample(self, &note) : make_rare_sample(self, &note);
    const int64_t now = syn_now();
    if (is_made)
        syn_note_add(self, &note);
    else
        self->run_delay.deferred_cost_ticks += wait_for_cost(now - began);
    self->sample_due_ticks = is_made ? now + wait_for_next(self->sample_cost_ticks) : now;
    self->sample_first_due_ticks = 0;
}

/* Returns true if the sample waits for a later call. RATIONALE: after a pause, learning the call
 * stack and taking a sample both find cold caches. Each is a stop of its own. */
static bool is_postponed(struct syn_thread *self, int64_t now)
{
    const struct syn_event *last = self->next - 1;
    const bool was_stopped_long = !syn_is_note(last) && now - last->end_ticks > samples.long_ticks;
    self->sample_postponed_count =
        was_stopped_long ? (self->sample_postponed_count + 1) % POSTPONED_MAX : 0;
    return self->sample_postponed_count > 0;
}

SYN_HOT void syn_sample_take(struct syn_thread *self)
{
    const int error_before = errno;
    const int64_t now = syn_now();
    if (!samples.active) {
        self->sample_due_ticks = INT64_MAX;
        return;
    }
    if (self->sample_first_due_ticks == 0)
        self->sample_first_due_ticks = now;
    if (is_sampling_call(self, now) && !is_postponed(self, now))
        take_sample_or_step(self, now);
    errno = error_before;
}

/* Returns the counts since `from`, modulo their range. */
static struct syn_sample counts_since(struct syn_sample sample, const struct syn_sample *from)
{
    sample.cpu_ns -= from->cpu_ns;
    sample.voluntary_switches -= from->voluntary_switches;
    sample.involuntary_switches -= from->involuntary_switches;
    sample.minor_faults -= from->minor_faults;
    sample.major_faults -= from->major_faults;
    return sample;
}

/* RATIONALE: the last sample makes the run delay known up to the thread's end. A thread that was
 * too short for a first reading does not pay for this one. */
void syn_samples_leave(struct syn_thread *self)
{
    const int error_before = errno;
    if (!samples.active)
        return;
    struct counts counts = make_counts(self, true);
    self->counted_before = counts.sample;
    if (self->run_delay.first_read_ticks != 0 &&
        counts.sample.time - self->run_delay.last_read_ticks > samples.interval_ticks) {
        const struct syn_event note = finish(self, &counts, true);
        syn_note_add(self, &note);
    }
    errno = error_before;
}

/* The new thread subtracts what it counted before it took the state over. RATIONALE: its run delay
 * stays unknown until the first reading; reading it now would be one more pause. */
void syn_samples_take_over(struct syn_thread *self)
{
    const int error_before = errno;
    struct syn_sample left = self->counted_before;
    if (!samples.active)
        return;
    self->counted_before = (struct syn_sample){0};
    const struct syn_sample own = make_counts(self, true).sample;
    left.cpu_ns += (uint64_t)syn_ticks_span_ns(&syn_ticks, own.time - left.time);
    self->counted_before = counts_since(left, &own);
    self->run_delay.is_new = true;
    self->run_delay.first_read_ticks = self->run_delay.last_read_ticks = 0;
    self->run_delay.estimated_ns = 0;
    self->run_delay.step = 0;
    self->sample_first_due_ticks = 0;
    errno = error_before;
}

/* Takes a sample with all counts, at any cost. */
static void take_full_sample(struct syn_thread *self)
{
    const int error_before = errno;
    struct counts counts = make_counts(self, true);
    const struct syn_event note = finish(self, &counts, true);
    syn_note_add(self, &note);
    self->sample_due_ticks = syn_now() + wait_for_next(self->sample_cost_ticks);
    errno = error_before;
}

/* RATIONALE: the first and the last sample together tell the run delay of the whole run, even if it
 * has few calls. The first call of the program meets cold caches, so it gets no sample. */
void syn_samples_begin(void)
{
    if (samples.active && syn_self)
        take_full_sample(syn_self);
}

void syn_samples_stop(void)
{
    struct syn_thread *self = syn_self;
    if (self && self->guard != UINTPTR_MAX && syn_recorder_running() && samples.active)
        take_full_sample(self);
}

uint64_t syn_sample_count(void)
{
    return __atomic_load_n(&samples.count, __ATOMIC_RELAXED);
}

void syn_samples_lacking(char *text, size_t bytes)
{
    snprintf(text, bytes, "instructions, cycles (not counted)");
    if (samples.run_delay_error)
        snprintf(text, bytes, "instructions, cycles (not counted), run delay (%s)",
                 strerror(samples.run_delay_error));
}
