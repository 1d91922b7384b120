/* preload/run/agree.c - see agree.h. */
#include "preload/run/agree.h"

#include "preload/base/say.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/ranks/collect.h"

/* Combines outcomes: worst status with its lowest rank, first begin, latest end, sums of the
 * rest. */
static void merge(void *item, const void *other)
{
    struct syn_outcome *into = item;
    const struct syn_outcome *from = other;
    if (from->status < into->status || (from->status == into->status && from->rank < into->rank)) {
        into->status = from->status;
        into->rank = from->rank;
    }
    into->event_count += from->event_count;
    into->bytes += from->bytes;
    into->lost_count += from->lost_count;
    into->written_count += from->written_count;
    into->memory_only += from->memory_only;
    into->begin_ns = syn_least(from->begin_ns, into->begin_ns);
    into->end_ns = syn_largest(from->end_ns, into->end_ns);
}

struct syn_outcome syn_run_exchange(const struct syn_run *run, struct syn_outcome own)
{
    const struct syn_outcome broken = {.status = SYN_ETRANSPORT, .rank = run->rank};
    if (syn_collect_reduce(&run->transport, &own, sizeof own, merge) ||
        syn_collect_broadcast(&run->transport, &own, sizeof own))
        return broken;
    return own;
}

void syn_run_say_unrecorded(const struct syn_run *run, const char *why)
{
    syn_say(SYN_SAY_FAILURE, "rank %d: %s; the run is not recorded", run->rank, why);
}

struct syn_outcome syn_run_settle(const struct syn_run *run, struct syn_outcome own,
                                  const char *why)
{
    const struct syn_outcome all = syn_run_exchange(run, own);
    if (all.status && all.rank == run->rank)
        syn_run_say_unrecorded(run, why);
    return all;
}

int syn_run_agree(const struct syn_run *run, int status, const char *why)
{
    const struct syn_outcome own = {.status = status, .rank = run->rank};
    return syn_run_settle(run, own, why).status;
}
