/* sync/group.c - which ranks share a clock. Believed only where messages do not contradict it. */
#include "sync/group.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/collect.h"
#include "sync/model.h"

static int compare_u64(uint64_t a, uint64_t b)
{
    return (a > b) - (a < b);
}

static int compare_identity(const struct syn_clock_identity *a, const struct syn_clock_identity *b)
{
    int order = compare_u64(a->machine, b->machine);

    if (order == 0)
        order = compare_u64(a->namespace_, b->namespace_);
    return order != 0 ? order : compare_u64(a->rate, b->rate);
}

static int by_identity_then_rank(const void *a, const void *b, void *identities)
{
    const int left = *(const int *)a, right = *(const int *)b;
    const struct syn_clock_identity *all = identities;
    const int order = compare_identity(&all[left], &all[right]);

    return order != 0 ? order : (left > right) - (left < right);
}

int syn_group_widest_step(int index, int count)
{
    int step = 1;

    if (index != 0)
        return (index & -index) / 2;
    while (step < count)
        step *= 2;
    return step / 2;
}

/* Ranks in the order of their identities, so that equal ones are neighbours, by rank. */
static int *sorted_ranks(const struct syn_clock_identity *identities, int size)
{
    int *order = malloc((size_t)size * sizeof *order);

    if (!order)
        return NULL;
    for (int rank = 0; rank < size; rank++)
        order[rank] = rank;
    qsort_r(order, (size_t)size, sizeof *order, by_identity_then_rank, (void *)identities);
    return order;
}

/* How many entries of `order` from `start` on have the same identity. */
static int run_length(const struct syn_clock_identity *identities, const int *order, int size,
                      int start)
{
    int end = start + 1;

    while (end < size && compare_identity(&identities[order[start]], &identities[order[end]]) == 0)
        end++;
    return end - start;
}

int syn_groups_split(const struct syn_clock_identity *identities, const unsigned char *contradicts,
                     int size, int *leader_of)
{
    int *order = sorted_ranks(identities, size);

    if (!order)
        return SYN_ENOMEM;
    for (int start = 0, length; start < size; start += length) {
        const int *members = order + start;
        length = run_length(identities, order, size, start);
        for (int i = 0; i < length; i++) {
            const bool leads = i == 0 || contradicts[members[i]];
            leader_of[members[i]] = leads ? members[i] : leader_of[members[syn_group_parent(i)]];
        }
    }
    free(order);
    return SYN_OK;
}

void syn_groups_free(struct syn_clock_groups *groups)
{
    free(groups->leaders);
    free(groups->members);
    memset(groups, 0, sizeof *groups);
}

/* Fill *groups from leader_of, as seen by `rank`. */
static int groups_from_leaders(struct syn_clock_groups *groups, const int *leader_of, int size,
                               int rank)
{
    syn_groups_free(groups);
    groups->leaders = malloc((size_t)size * sizeof *groups->leaders);
    groups->members = malloc((size_t)size * sizeof *groups->members);
    if (!groups->leaders || !groups->members) {
        syn_groups_free(groups);
        return SYN_ENOMEM;
    }
    for (int other = 0; other < size; other++) {
        if (other == leader_of[rank])
            groups->leader_index = groups->leader_count;
        if (other == rank)
            groups->member_index = groups->member_count;
        if (leader_of[other] == other)
            groups->leaders[groups->leader_count++] = other;
        if (leader_of[other] == leader_of[rank])
            groups->members[groups->member_count++] = other;
    }
    return SYN_OK;
}

/* Ping-pongs on the raw clocks; true if no shared clock can have given these. */
static bool contradicts_parent(struct syn_link *link, int parent)
{
    struct syn_exchange exchanges[SYN_VERIFY_COUNT];
    struct syn_point point;

    for (int i = 0; i < SYN_VERIFY_COUNT; i++) {
        exchanges[i].send_ns = syn_link_now_ns(link);
        syn_link_send(link, parent, &exchanges[i].send_ns, sizeof exchanges[i].send_ns);
        syn_link_recv(link, parent, &exchanges[i].stamp_ns, sizeof exchanges[i].stamp_ns);
        exchanges[i].recv_ns = syn_link_now_ns(link);
    }
    point = syn_point_from_bounds(exchanges, SYN_VERIFY_COUNT, 0, 0);
    return point.low_ns > SYN_SHARED_CLOCK_NS || point.high_ns < -SYN_SHARED_CLOCK_NS;
}

static void answer_child(struct syn_link *link, int child)
{
    for (int i = 0; i < SYN_VERIFY_COUNT; i++) {
        int64_t stamp_ns;
        syn_link_recv(link, child, &stamp_ns, sizeof stamp_ns);
        stamp_ns = syn_link_now_ns(link);
        syn_link_send(link, child, &stamp_ns, sizeof stamp_ns);
    }
}

static unsigned char verify(const struct syn_clock_groups *groups, struct syn_link *link)
{
    const int index = groups->member_index, count = groups->member_count;
    unsigned char contradicts = 0;

    if (index > 0)
        contradicts = contradicts_parent(link, groups->members[syn_group_parent(index)]);
    for (int step = syn_group_widest_step(index, count); step > 0; step /= 2)
        if (index + step < count)
            answer_child(link, groups->members[index + step]);
    return contradicts;
}

/* Room for what the grouping looks at, one element a rank. */
struct grouping {
    struct syn_clock_identity *identities;
    unsigned char *contradicts;
    int *leader_of;
};

static int regroup(struct syn_clock_groups *groups, const struct grouping *all, int size, int rank)
{
    const int status = syn_groups_split(all->identities, all->contradicts, size, all->leader_of);

    return status != SYN_OK ? status : groups_from_leaders(groups, all->leader_of, size, rank);
}

static int group_and_verify(struct syn_clock_groups *groups, struct syn_link *link,
                            const struct syn_clock_identity *identity,
                            const struct syn_sync_known *known, const struct grouping *all)
{
    const struct syn_transport *transport = &link->transport;
    const size_t size = (size_t)transport->size;
    unsigned char contradicts = 0;
    int status;

    if (known) {
        memcpy(all->identities, known->identities, size * sizeof *identity);
    } else {
        syn_collect_gather(transport, identity, sizeof *identity, all->identities);
        syn_collect_broadcast(transport, all->identities, size * sizeof *identity);
    }
    status = regroup(groups, all, transport->size, transport->rank);
    if (status != SYN_OK)
        return status;
    if (!known || !known->compared || groups->leader_index != 0)
        contradicts = verify(groups, link);
    else
        contradicts = known->contradicts;
    syn_collect_gather(transport, &contradicts, 1, all->contradicts);
    syn_collect_broadcast(transport, all->contradicts, size);
    return regroup(groups, all, transport->size, transport->rank);
}

int syn_groups_form(struct syn_clock_groups *groups, struct syn_link *link,
                    struct syn_clock_identity identity, const struct syn_sync_known *known)
{
    const size_t size = (size_t)link->transport.size;
    struct grouping all = {calloc(size, sizeof *all.identities), calloc(size, 1),
                           calloc(size, sizeof *all.leader_of)};
    int status = SYN_ENOMEM;

    memset(groups, 0, sizeof *groups);
    if (all.identities && all.contradicts && all.leader_of)
        status = group_and_verify(groups, link, &identity, known, &all);
    free(all.identities);
    free(all.contradicts);
    free(all.leader_of);
    syn_link_fail(link, status);
    return status;
}
