/* preload/clocks/align.c - see align.h. */
#include "preload/clocks/align.h"

#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/say.h"
#include "preload/clocks/run_clock.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/pmpi.h"
#include "sync/time/clock.h"

/* About 1 late start in 100 keeps the window as it is. NBCBench also grows by 1.5 (Hunold &
 * Carpen-Amarie 2015, Algorithm 14). */
#define GROW(window)   ((window) + (window) / 2)
#define SHRINK(window) ((window) - (window) / 256)
#define WINDOW_MIN_NS  ((int64_t)5000)
#define WINDOW_MAX_NS  ((int64_t)10000000)
/* The start lies at most a window after the last member's arrival. If it seems further away, the
 * clocks were never compared, and waiting might take for ever. */
#define CLOCK_SLACK_NS ((int64_t)10000000)
/* Ranks that share cores yield while they wait, until this long before the start: a yield to
 * another program might last long. */
#define SPIN_ONLY_NS ((int64_t)20000)

/* A communicator is given up if GIVE_UP_LATE of GIVE_UP_COUNT starts were late. RATIONALE: each
 * late start costs its window, and a program that never ends measures nothing. */
#define GIVE_UP_COUNT 100
#define GIVE_UP_LATE  90

#define TRIES_PER_CHECK 1024 /* about 10 us */

bool syn_align_active;
/* Set at the start of the run, except the counts, which are atomic. */
static struct {
    enum syn_align_method method;
    int64_t first_window_ns;
    long core_count;
    struct syn_align_counts counts;
} align;

void syn_align_start(const struct syn_options *options)
{
    align.method = options->align;
    align.first_window_ns = options->window_ns;
    align.core_count = sysconf(_SC_NPROCESSORS_ONLN);
    syn_align_active = align.method != SYN_ALIGN_NONE;
}

void syn_align_counts(struct syn_align_counts *out)
{
    out->aligned_count = __atomic_load_n(&align.counts.aligned_count, __ATOMIC_RELAXED);
    out->late_count = __atomic_load_n(&align.counts.late_count, __ATOMIC_RELAXED);
    out->given_up_count = __atomic_load_n(&align.counts.given_up_count, __ATOMIC_RELAXED);
    out->window_ns = __atomic_load_n(&align.counts.window_ns, __ATOMIC_RELAXED);
}

static int64_t global_now_ns(void)
{
    const syn_local_time local = syn_tick_source_local(&syn_ticks, syn_now());
    return syn_timeline_global(syn_run_clock_current(), local).ns;
}

static int64_t ticks_of_global(int64_t global_ns)
{
    const syn_global_time global = {global_ns};
    return syn_tick_source_ticks(&syn_ticks, syn_timeline_local(syn_run_clock_current(), global));
}

/* Agrees on a start for all members, *start_ns (global time). Returns false if the message
 * failed. */
static bool agree_on_start(struct syn_comm *comm, MPI_Comm handle, int64_t *start_ns)
{
    const int64_t own[2] = {global_now_ns(), comm->started_late};
    int64_t latest[2];
    if (syn_pmpi.Allreduce(own, latest, 2, syn_mpi.int64, syn_mpi.max, handle) != MPI_SUCCESS)
        return false;
    int64_t window_ns = comm->window_ns ? comm->window_ns : align.first_window_ns;
    if (latest[1] != 0)
        window_ns = GROW(window_ns);
    else if (comm->window_ns)
        window_ns = SHRINK(window_ns);
    comm->window_ns = window_ns < WINDOW_MIN_NS   ? WINDOW_MIN_NS
                      : window_ns > WINDOW_MAX_NS ? WINDOW_MAX_NS
                                                  : window_ns;
    __atomic_store_n(&align.counts.window_ns, comm->window_ns, __ATOMIC_RELAXED);
    /* All members see the same numbers, so all give up at the same call. */
    comm->start_count++;
    comm->late_start_count += latest[1] != 0;
    if (comm->start_count >= GIVE_UP_COUNT) {
        if (comm->late_start_count >= GIVE_UP_LATE) {
            comm->align_given_up = true;
            __atomic_add_fetch(&align.counts.given_up_count, 1, __ATOMIC_RELAXED);
            if (comm->rank == 0)
                syn_say(
                    SYN_SAY_ALIGN,
                    "--align window: given up, as %u of %u agreed starts of %d ranks were late on "
                    "one of them, with windows of %g us. These calls are left out of the figures. "
                    "The processors have other work: use fewer ranks than processors, bind them, "
                    "or take --align barrier",
                    (unsigned)comm->late_start_count, (unsigned)comm->start_count, comm->size,
                    (double)comm->window_ns / 1e3);
        }
        comm->start_count = comm->late_start_count = 0;
    }
    *start_ns = latest[0] + comm->window_ns;
    return true;
}

/* Waits until the start. Returns false after `limit_ns`. RATIONALE: the limit is measured by the
 * raw clock, since the other one may be set back while we wait. */
static bool wait_until(int64_t start_ns, bool yielding, int64_t limit_ns)
{
    const int64_t start_ticks = ticks_of_global(start_ns);
    const int64_t yield_ticks = ticks_of_global(start_ns - SPIN_ONLY_NS);
    const int64_t give_up_ns = syn_read_clock_ns(CLOCK_MONOTONIC_RAW) + limit_ns;
    for (uint32_t tries = 1; syn_now() < start_ticks; tries++) {
        const bool yields = yielding && syn_now() < yield_ticks;
        if (yields)
            sched_yield();
        if ((yields || tries % TRIES_PER_CHECK == 0) &&
            syn_read_clock_ns(CLOCK_MONOTONIC_RAW) > give_up_ns)
            return false;
    }
    return true;
}

void syn_align_wait(struct syn_thread *self, MPI_Comm handle)
{
    /* RATIONALE: all members know the communicator, or none does: it becomes known when it is made,
     * or else at its first collective. */
    struct syn_comm *comm = syn_comm_registered(syn_key_of_comm(handle));
    if (!comm || comm->size < 2 || comm->event_flags & SYN_EVENT_INTERCOMM)
        return;
    if (align.method == SYN_ALIGN_BARRIER)
        syn_pmpi.Barrier(handle);
    else {
        int64_t start_ns;
        comm->start_agreed = false;
        if (!comm->align_given_up && agree_on_start(comm, handle, &start_ns) &&
            !comm->align_given_up) {
            comm->start_agreed = true;
            self->latest_start_ticks = ticks_of_global(start_ns + SYN_LATE_NS);
            const int64_t limit_ns = comm->window_ns + CLOCK_SLACK_NS;
            if (start_ns - global_now_ns() > limit_ns ||
                !wait_until(start_ns, comm->size > align.core_count, limit_ns))
                self->latest_start_ticks = INT64_MIN; /* unknown counts as late */
        }
    }
    __atomic_add_fetch(&align.counts.aligned_count, 1, __ATOMIC_RELAXED);
}

uint16_t syn_align_judge(struct syn_thread *self, struct syn_comm *comm, int64_t start_ticks)
{
    if (comm->align_given_up)
        return SYN_EVENT_LATE_START;
    if (!comm->start_agreed)
        return 0;
    comm->start_agreed = false;
    comm->started_late = start_ticks > self->latest_start_ticks;
    if (comm->started_late)
        __atomic_add_fetch(&align.counts.late_count, 1, __ATOMIC_RELAXED);
    return comm->started_late ? SYN_EVENT_LATE_START : 0;
}
