/* sync/methods/link.c - see link.h. */
#include "sync/methods/link.h"

#include <sched.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "sync/base/status.h"

void syn_link_fail(struct syn_link *link, int status)
{
    if (status != SYN_OK && link->status >= 0)
        link->status = status;
}

static int counted_send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    struct syn_link *link = ctx;

    link->message_count++;
    if (link->below.send(link->below.ctx, peer_rank, data, bytes) < 0)
        syn_link_fail(link, SYN_ETRANSPORT);
    return 0;
}

static int remembered_recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    struct syn_link *link = ctx;

    if (link->below.recv(link->below.ctx, peer_rank, data, bytes) < 0) {
        syn_link_fail(link, SYN_ETRANSPORT);
        memset(data, 0, bytes);
    }
    return 0;
}

void syn_link_init(struct syn_link *link, const struct syn_transport *transport,
                   const struct syn_clock *clock)
{
    *link = (struct syn_link){.below = *transport, .clock = *clock};
    link->transport = (struct syn_transport){transport->rank, transport->size, counted_send,
                                             remembered_recv, link};
}

void syn_link_send(struct syn_link *link, int peer_rank, const void *data, size_t bytes)
{
    counted_send(link, peer_rank, data, bytes);
}

void syn_link_recv(struct syn_link *link, int peer_rank, void *data, size_t bytes)
{
    remembered_recv(link, peer_rank, data, bytes);
}

int64_t syn_link_now_ns(const struct syn_link *link)
{
    return link->clock.now(link->clock.ctx).ns;
}

void syn_link_sleep_until(const struct syn_link *link, int64_t until_ns)
{
    const int64_t left_ns = until_ns - syn_link_now_ns(link);

    if (left_ns <= 0)
        return;
    if (link->clock.sleep) {
        link->clock.sleep(link->clock.ctx, left_ns);
    } else {
        /* A signal may end the sleep early, which makes this point a little early. */
        const struct timespec left = {(time_t)(left_ns / 1000000000), (long)(left_ns % 1000000000)};
        nanosleep(&left, NULL);
    }
}

static int64_t count_switches(void)
{
    struct rusage usage;

    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return 0;
    return (int64_t)usage.ru_nvcsw + usage.ru_nivcsw;
}

/* Moves to another processor by forbidding this one for a moment. */
static void move_away(void)
{
    cpu_set_t allowed, others;
    const int here = sched_getcpu();

    if (here < 0 || here >= CPU_SETSIZE || sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return;
    others = allowed;
    CPU_CLR((size_t)here, &others);
    if (CPU_COUNT(&others) > 0 && sched_setaffinity(0, sizeof others, &others) == 0)
        sched_setaffinity(0, sizeof allowed, &allowed);
}

/* Returns true for simulated ranks, which have a sleep function and no processors. */
static bool is_simulated(const struct syn_link *link)
{
    return link->clock.sleep != NULL;
}

void syn_link_watch(struct syn_link *link)
{
    link->switch_count = is_simulated(link) ? 0 : count_switches();
}

void syn_link_move_if_disturbed(const struct syn_link *link)
{
    if (!is_simulated(link) && count_switches() > link->switch_count)
        move_away();
}
