/* preload/clocks/resync.c - see resync.h. */
#include "preload/clocks/resync.h"

#include <time.h>

#include "preload/base/lock.h"
#include "preload/clocks/run_clock.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/integers.h"
#include "sync/ranks/collect.h"
#include "sync/time/clock.h"

/* Most collectives between two agreed calls: a program that becomes slow soon makes the next
 * one. */
#define STEP_MAX 256
/* An agreed call follows the last one after at least 1/STEPS_PER_INTERVAL of the interval
 * (estimated), so that agreeing costs little. */
#define STEPS_PER_INTERVAL 100

bool syn_resync_active;

static struct {
    const struct syn_transport *transport;
    struct syn_pmpi_link *link;
    int64_t interval_ns;
    uint64_t next_sequence; /* sequence number on MPI_COMM_WORLD from which the next agreed call may
                               come */
    struct syn_resync_counts counts;
    /* Rank 0 only: */
    int64_t due_ns;
    int64_t last_ns; /* the last agreed call */
    uint64_t last_sequence;
} resync;

/* Message of rank 0 at an agreed call. */
struct decision {
    uint64_t next_sequence;
    int64_t measure; /* 1: measure now */
};

void syn_resync_start(double interval_s, const struct syn_transport *transport,
                      struct syn_pmpi_link *link)
{
    resync.transport = transport;
    resync.link = link;
    resync.interval_ns = (int64_t)(interval_s * 1e9);
    resync.last_ns = syn_read_clock_ns(CLOCK_MONOTONIC);
    resync.due_ns = resync.last_ns + resync.interval_ns;
    syn_resync_active = interval_s > 0 && transport->size > 1;
}

struct syn_resync_counts syn_resync_counts(void)
{
    return resync.counts;
}

/* Returns how many collectives probably fit into half of the time that is left. */
static uint64_t next_step(uint64_t sequence, int64_t now)
{
    const int64_t least_ns = resync.interval_ns / STEPS_PER_INTERVAL;
    const int64_t left_ns = (resync.due_ns - now) / 2;
    const double elapsed_ns = (double)(now - resync.last_ns) + 1;
    const double rate = (double)(sequence - resync.last_sequence) / elapsed_ns;
    const double step = rate * (double)(syn_largest(left_ns, least_ns));
    return step < 1 ? 1 : step > STEP_MAX ? STEP_MAX : (uint64_t)step;
}

static struct decision decide(uint64_t sequence)
{
    const int64_t now = syn_read_clock_ns(CLOCK_MONOTONIC);
    const bool measure = now >= resync.due_ns;
    if (measure)
        resync.due_ns = now + resync.interval_ns;
    const struct decision decision = {sequence + next_step(sequence, now), measure};
    resync.last_ns = now;
    resync.last_sequence = sequence;
    return decision;
}

static void measure(void)
{
    if (resync.link)
        resync.link->measuring = true;
    resync.counts.measured_count += syn_run_clock_measure() == 0;
    if (resync.link)
        resync.link->measuring = false;
}

static void take_part(struct syn_thread *self, const struct syn_comm *comm)
{
    struct decision decision = {0};
    if (resync.transport->rank == 0)
        decision = decide(comm->sequence);
    self->pending_flags |= SYN_EVENT_PERTURBED;
    if (syn_collect_broadcast(resync.transport, &decision, sizeof decision)) {
        syn_resync_active = false; /* MPI has failed */
        return;
    }
    resync.next_sequence = decision.next_sequence;
    resync.counts.agreed_count++;
    if (decision.measure)
        measure();
}

void syn_resync_call(struct syn_thread *self, MPI_Comm handle)
{
    const struct syn_comm *comm =
        handle == syn_mpi.comm_world ? syn_comm_registered(syn_key_of_comm(handle)) : NULL;
    if (!comm || comm->sequence < resync.next_sequence)
        return;
    const int cancel_state = syn_cancel_hold();
    take_part(self, comm);
    syn_cancel_restore(cancel_state);
}
