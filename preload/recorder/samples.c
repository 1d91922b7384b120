/* preload/recorder/samples.c - see samples.h.
 *
 * All by system calls of our own: a program may have put functions of its own before the C
 * library's, and they are not meant for us. */
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

/* Work that took c is done again at the earliest after COST_SHARE times c. This holds for samples
 * and, by itself, for the run delay, whose reading takes several times as long. An interruption is
 * not their cost: a step counts for INTERVALS_MAX intervals at most. */
#define COST_SHARE    4000
#define INTERVALS_MAX 10

/* A thread takes its sample after a call whose number on its communicator is an odd multiple of
 * this, as the other members do: else each would make all wait at another time. Steps are taken
 * after even multiples (recorder.c), so that one stop is never both. */
#define SHARED_CALLS 16

/* If a sample's next shared call comes within this time, the kernel's code and data for it are
 * still in the caches. */
#define QUICK_NS 1000000
/* Least time between two readings of the run delay if calls are not quick. */
#define RARELY_S 10
/* And of so many samples one counts switches and faults. */
#define USAGE_EVERY 4

/* A thread that was stopped for LONG_NS after a call, as for a new stack, puts its sample off to a
 * later call, PUT_OFF_MAX - 1 times at most. */
#define LONG_NS     4000
#define PUT_OFF_MAX 16

#define RUN_DELAY_PATH "/proc/thread-self/schedstat"

/* From the start of the run on as it is, but for the count, which is atomic. */
static struct {
    bool active;
    int64_t interval_ticks, quick_ticks, rarely_ticks, long_ticks;
    uint64_t count;
    int run_delay_error; /* why the kernel does not tell it; 0: it does */
} samples SYN_NEAR;

/* How long it waited for a processor, which the kernel tells in a file only: opened, read and
 * closed, for a program may close what it did not open. */
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

/* From any origin, by a clock that nobody sets. */
static int64_t elapsed_now_ns(void)
{
    return syn_ticks.kind == SYN_CLOCK_TSC ? syn_ticks_span_ns(&syn_ticks, syn_now())
                                           : read_clock_ns(CLOCK_MONOTONIC_RAW);
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

static int64_t paid_in(int64_t cost_ticks)
{
    const int64_t most = INTERVALS_MAX * samples.interval_ticks;
    return cost_ticks > most / COST_SHARE ? most : cost_ticks * COST_SHARE;
}

static int64_t next_in(int64_t cost_ticks)
{
    return syn_largest(paid_in(cost_ticks), samples.interval_ticks);
}

/* All of a sample but its run delay, and the time without a processor, for that; one that is not
 * whole has no switches and faults.
 * RATIONALE: switches first. One between the readings is in the next sample then, with its time:
 * reckon. */
struct counts {
    struct syn_sample sample;
    int64_t off_cpu_ns;
};

static struct counts make_counts(struct syn_thread *self, bool is_whole)
{
    struct counts counts = {.sample = {.time = syn_now()}};
    struct syn_sample *sample = &counts.sample;
    if (is_whole)
        add_usage(sample, &self->counted_before);
    const int64_t elapsed_ns = elapsed_now_ns();
    sample->cpu_ns = self->counted_before.cpu_ns + (uint64_t)read_clock_ns(CLOCK_THREAD_CPUTIME_ID);
    sample->processor = sched_getcpu();
    counts.off_cpu_ns = elapsed_ns - (int64_t)sample->cpu_ns;
    self->sample_cost_ticks = syn_now() - sample->time;
    return counts;
}

/* ---- run delay ---- */

/* RATIONALE: who gave up its processor by itself waited for something else, and then perhaps for a
 * processor: the kernel alone knows how long for which. Who did not, could have run all the time in
 * which it did not: no need to ask. */
static bool is_to_reckon(const struct syn_sample *sample, const struct syn_sample *last)
{
    const uint16_t both = SYN_SAMPLE_HAS_USAGE | SYN_SAMPLE_HAS_RUN_DELAY;
    return (sample->has & SYN_SAMPLE_HAS_USAGE) && (last->has & both) == both &&
           sample->voluntary_switches == last->voluntary_switches;
}

/* Without a switch nothing was waited for: what is off the processor then is not the thread's
 * (interrupts, a virtual machine's host), nor the clocks' (a microsecond). But what came between
 * the readings of the sample before belongs to the switch that shows now. */
static void reckon(struct syn_thread *self, const struct counts *counts)
{
    struct syn_run_delay *delay = &self->run_delay;
    if (counts->sample.involuntary_switches == self->last_sample.involuntary_switches) {
        delay->counted_off_cpu_ns = delay->off_cpu_ns;
    } else if (counts->off_cpu_ns > delay->counted_off_cpu_ns) {
        const uint64_t waited_ns = (uint64_t)(counts->off_cpu_ns - delay->counted_off_cpu_ns);
        delay->known_ns += waited_ns;
        delay->reckoned_ns += waited_ns;
        delay->counted_off_cpu_ns = counts->off_cpu_ns;
    }
}

/* Returns whether the kernel told. What was reckoned since it was asked last is in what it says, or
 * is a little more. */
static bool ask(struct syn_thread *self, const struct counts *counts)
{
    struct syn_run_delay *delay = &self->run_delay;
    uint64_t said_ns;
    const int64_t began = syn_now();
    const bool is_told = read_run_delay(&said_ns) == 0;
    if (is_told) {
        const uint64_t since_ns = delay->is_new ? 0 : said_ns - delay->said_ns;
        delay->known_ns += since_ns > delay->reckoned_ns ? since_ns - delay->reckoned_ns : 0;
        delay->said_ns = said_ns;
        delay->is_new = false;
        delay->reckoned_ns = 0;
        delay->counted_off_cpu_ns = counts->off_cpu_ns;
    }
    const int64_t ended = syn_now();
    delay->asked_ticks = ended;
    if (delay->asked_first_ticks == 0)
        delay->asked_first_ticks = ended;
    /* The cost of the steps that led to it (way_to_run_delay) counts, too. */
    delay->due_ticks = ended + delay->owed_ticks + next_in(ended - began);
    delay->owed_ticks = 0;
    delay->step = 0;
    return is_told;
}

static struct syn_event finish(struct syn_thread *self, struct counts *counts, bool asks)
{
    struct syn_sample *sample = &counts->sample;
    bool is_known = is_to_reckon(sample, &self->last_sample);
    if (is_known)
        reckon(self, counts);
    else if (asks && !samples.run_delay_error)
        is_known = ask(self, counts);
    else if (self->last_sample.time == 0) /* the first call: later */
        self->run_delay.due_ticks = sample->time + samples.interval_ticks;
    if (is_known) {
        sample->run_delay_ns = self->run_delay.known_ns;
        sample->has |= SYN_SAMPLE_HAS_RUN_DELAY;
    }
    if (sample->has & SYN_SAMPLE_HAS_USAGE) { /* the next one that has it reckons from here */
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

/* Behind a call that others sample after too; or, where calls are few, half an interval late. */
static bool is_here(const struct syn_thread *self, int64_t now)
{
    const struct syn_event *last = self->next - 1;
    return syn_is_note(last) ||
           (syn_stop_is_shared(last, SHARED_CALLS) &&
            !syn_stop_is_shared(last, 2 * SHARED_CALLS)) ||
           now - self->sample_due_ticks > samples.interval_ticks / 2;
}

/* RATIONALE: to read the run delay takes 40 us where the thread has done other things for some
 * milliseconds: most of it is the kernel's way to the file, which is in no cache any more. A thread
 * whose calls follow quickly upon one another goes that way in steps, each behind another call;
 * each opens a little more than the one before and closes it again, and the last one reads. */
static const struct {
    const char *path;
    int flags;
} way_to_run_delay[SYN_RUN_DELAY_WAY] = {{"/", O_PATH},
                                         {"/proc/thread-self", O_PATH | O_NOFOLLOW},
                                         {RUN_DELAY_PATH, O_PATH},
                                         {RUN_DELAY_PATH, O_RDONLY}};

static void go_on(struct syn_thread *self)
{
    const unsigned step = self->run_delay.step++;
    const long file = syscall(SYS_openat, AT_FDCWD, way_to_run_delay[step - 1].path,
                              way_to_run_delay[step - 1].flags | O_CLOEXEC);
    if (file >= 0)
        syscall(SYS_close, (int)file);
}

static bool is_due(const struct syn_thread *self, const struct syn_sample *sample)
{
    return !samples.run_delay_error && sample->time >= self->run_delay.due_ticks &&
           self->last_sample.time != 0 && !is_to_reckon(sample, &self->last_sample);
}

/* RATIONALE: where calls are rare, steps would find nothing of the ones before in a cache, and to
 * ask is one long stop. So the thread asks whenever the time since the first question has doubled:
 * of a run that is killed then, the half is known, and there are few such stops. The thread that
 * called MPI_Init asks at the start and at the end anyway. */
static bool is_long_ago(const struct syn_thread *self, int64_t now)
{
    const struct syn_run_delay *delay = &self->run_delay;
    const int64_t before = delay->asked_ticks - delay->asked_first_ticks;
    const int64_t least = self->number > 0 ? 0 : samples.rarely_ticks;
    return delay->asked_first_ticks == 0 || now - delay->asked_ticks >= syn_largest(before, least);
}

/* Makes a sample if calls are quick. Returns false if it took a step towards the run delay instead.
 * The counts alone are such a step if they show that the run delay is due. */
static bool make_quickly(struct syn_thread *self, struct syn_event *out)
{
    if (self->run_delay.step > 0 && self->run_delay.step <= SYN_RUN_DELAY_WAY) {
        go_on(self);
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

/* RATIONALE: each of the two system calls takes 6 to 9 us where the caches have nothing of them.
 * With the call itself that would be a stop of 20 us at every sample. A thread that has not asked
 * for its run delay yet may not live for four more. */
static bool make_rarely(struct syn_thread *self, struct syn_event *out)
{
    const bool is_whole = self->samples_since_whole + 1 >= USAGE_EVERY ||
                          self->run_delay.asked_first_ticks == 0 ||
                          !(self->last_sample.has & SYN_SAMPLE_HAS_USAGE);
    struct counts counts = make_counts(self, is_whole);
    self->samples_since_whole = is_whole ? 0 : self->samples_since_whole + 1;
    self->run_delay.step = 0;
    *out =
        finish(self, &counts,
               is_whole && is_due(self, &counts.sample) && is_long_ago(self, counts.sample.time));
    return true;
}

/* The next step comes soon, and the sample with the last one. */
static void take_or_go_on(struct syn_thread *self, int64_t began)
{
    struct syn_event note;
    const bool is_quick = began - self->sample_seen_ticks < samples.quick_ticks;
    const bool is_made = is_quick ? make_quickly(self, &note) : make_rarely(self, &note);
    const int64_t now = syn_now();
    if (is_made)
        syn_note_add(self, &note);
    else
        self->run_delay.owed_ticks += paid_in(now - began);
    self->sample_due_ticks = is_made ? now + next_in(self->sample_cost_ticks) : now;
    self->sample_seen_ticks = 0;
}

/* RATIONALE: a program's first call, or the first one from a place after a while, finds neither the
 * way to learn its stack nor that to a sample in a cache: each is a stop of its own. */
static bool is_put_off(struct syn_thread *self, int64_t now)
{
    const struct syn_event *last = self->next - 1;
    const bool was_stopped_long = !syn_is_note(last) && now - last->end_ticks > samples.long_ticks;
    self->sample_put_off = was_stopped_long ? (self->sample_put_off + 1) % PUT_OFF_MAX : 0;
    return self->sample_put_off > 0;
}

SYN_HOT void syn_sample_take(struct syn_thread *self)
{
    const int error_before = errno;
    const int64_t now = syn_now();
    if (!samples.active) {
        self->sample_due_ticks = INT64_MAX;
        return;
    }
    if (self->sample_seen_ticks == 0)
        self->sample_seen_ticks = now;
    if (is_here(self, now) && !is_put_off(self, now))
        take_or_go_on(self, now);
    errno = error_before;
}

/* Since `from`, modulo its range. */
static struct syn_sample without(struct syn_sample sample, const struct syn_sample *from)
{
    sample.cpu_ns -= from->cpu_ns;
    sample.voluntary_switches -= from->voluntary_switches;
    sample.involuntary_switches -= from->involuntary_switches;
    sample.minor_faults -= from->minor_faults;
    sample.major_faults -= from->major_faults;
    return sample;
}

/* RATIONALE: the last sample is for the run delay: between the first question and this one it is
 * known. A thread that lived too short for a first one does not pay for a second. */
void syn_samples_leave(struct syn_thread *self)
{
    const int error_before = errno;
    if (!samples.active)
        return;
    struct counts counts = make_counts(self, true);
    self->counted_before = counts.sample;
    if (self->run_delay.asked_first_ticks != 0 &&
        counts.sample.time - self->run_delay.asked_ticks > samples.interval_ticks) {
        const struct syn_event note = finish(self, &counts, true);
        syn_note_add(self, &note);
    }
    errno = error_before;
}

/* A thread takes the state over: what it counted before does not count. RATIONALE: its run delay
 * is unknown until the kernel is asked for the first time, since to ask now would be one more
 * pause.
 */
void syn_samples_take_over(struct syn_thread *self)
{
    const int error_before = errno;
    struct syn_sample left = self->counted_before;
    if (!samples.active)
        return;
    self->counted_before = (struct syn_sample){0};
    const struct syn_sample own = make_counts(self, true).sample;
    left.cpu_ns += (uint64_t)syn_ticks_span_ns(&syn_ticks, own.time - left.time);
    self->counted_before = without(left, &own);
    self->run_delay.is_new = true;
    self->run_delay.asked_first_ticks = self->run_delay.asked_ticks = 0;
    self->run_delay.reckoned_ns = 0;
    self->run_delay.step = 0;
    self->sample_seen_ticks = 0;
    errno = error_before;
}

/* Take a sample with all that the kernel tells, whatever it costs. */
static void take_whole(struct syn_thread *self)
{
    const int error_before = errno;
    struct counts counts = make_counts(self, true);
    const struct syn_event note = finish(self, &counts, true);
    syn_note_add(self, &note);
    self->sample_due_ticks = syn_now() + next_in(self->sample_cost_ticks);
    errno = error_before;
}

/* RATIONALE: this sample and that of syn_samples_stop tell the run delay of the whole run, however
 * few calls lie in between. And the first call, which meets much for the first time, is no stop for
 * a sample. */
void syn_samples_begin(void)
{
    if (samples.active && syn_self)
        take_whole(syn_self);
}

void syn_samples_stop(void)
{
    struct syn_thread *self = syn_self;
    if (self && self->guard != UINTPTR_MAX && syn_recorder_running() && samples.active)
        take_whole(self);
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
