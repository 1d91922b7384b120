/* sync/methods/group.c - see group.h. */
#include "sync/methods/group.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/methods/model.h"
#include "sync/ranks/classes.h"

int syn_group_widest_step(int index, int count)
{
    int step = 1;

    if (index != 0)
        return (index & -index) / 2;
    while (step < count)
        step *= 2;
    return step / 2;
}

/* ---- rank 0's message ---- */

void syn_identity_key(struct syn_clock_identity identity, uint64_t key[SYN_PART_WORDS])
{
    key[0] = identity.machine;
    key[1] = identity.namespace_;
    key[2] = identity.rate;
}

void syn_groups_put_common(const struct syn_parts *parts, struct syn_bytes *out)
{
    syn_rank_set_put(&parts->lowest, out);
}

void syn_groups_put_own(const struct syn_parts *parts, size_t i, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, parts->of_class[i]);
    syn_rank_set_put(&parts->of[parts->of_class[i]], out);
}

int syn_groups_take(struct syn_clock_groups *groups, int size, int rank, struct syn_take *common,
                    struct syn_take *own)
{
    struct syn_rank_set members = {0};

    syn_rank_set_take(&groups->leaders, size, common);
    groups->leader_index = (int)syn_take_bounded(own, (uint64_t)size - 1);
    syn_rank_set_take(&members, size, own);
    groups->members = syn_rank_set_list(&members);
    groups->member_count = members.count;
    groups->member_index = syn_rank_set_below(&members, rank);
    syn_rank_set_free(&members);
    if (groups->members && !common->failed && !own->failed)
        return SYN_OK;
    syn_groups_free(groups);
    return SYN_ENOMEM;
}

void syn_groups_free(struct syn_clock_groups *groups)
{
    syn_rank_set_free(&groups->leaders);
    free(groups->members);
    memset(groups, 0, sizeof *groups);
}

static int copy(struct syn_clock_groups *to, const struct syn_clock_groups *from)
{
    const size_t bytes = (size_t)from->member_count * sizeof *from->members;

    *to = *from;
    to->leaders = (struct syn_rank_set){0};
    to->members = malloc(bytes);
    if (to->members && syn_rank_set_append(&to->leaders, &from->leaders) == SYN_OK) {
        memcpy(to->members, from->members, bytes);
        return SYN_OK;
    }
    syn_groups_free(to);
    return SYN_ENOMEM;
}

/* ---- ranks that do not share the clock after all ---- */

/* Plan: every contradicting rank becomes a leader; each member goes with its nearest leader up the
 * tree; only members with this rank's leader are kept. */
int syn_groups_split(struct syn_clock_groups *groups, const struct syn_rank_set *contradicts)
{
    struct syn_rank_set leaders = {0};
    int *leader_of;

    if (contradicts->count == 0)
        return SYN_OK;
    leader_of = malloc((size_t)groups->member_count * sizeof *leader_of);
    if (!leader_of || syn_rank_set_union(&leaders, &groups->leaders, contradicts)) {
        free(leader_of);
        syn_rank_set_free(&leaders);
        return SYN_ENOMEM;
    }
    syn_rank_set_free(&groups->leaders);
    groups->leaders = leaders;
    /* leader_of[i]: index of the i-th member's leader */
    for (int i = 0; i < groups->member_count; i++) {
        const bool leads = i == 0 || syn_rank_set_has(contradicts, groups->members[i]);
        leader_of[i] = leads ? i : leader_of[syn_group_parent(i)];
    }
    /* Keeps the members with this rank's leader. */
    const int own = groups->member_index, count = groups->member_count;

    groups->member_count = 0;
    for (int i = 0; i < count; i++) {
        if (i == own)
            groups->member_index = groups->member_count;
        if (leader_of[i] == leader_of[own])
            groups->members[groups->member_count++] = groups->members[i];
    }
    groups->leader_index = syn_rank_set_below(&groups->leaders, groups->members[0]);
    free(leader_of);
    return SYN_OK;
}

static bool verify(const struct syn_clock_groups *groups, struct syn_link *link)
{
    const int index = groups->member_index, count = groups->member_count;
    bool contradicts = false;

    if (index > 0) {
        /* Ping the parent and compare raw clocks: can a shared clock give these times? */
        int parent = groups->members[syn_group_parent(index)];
        struct syn_exchange exchanges[SYN_VERIFY_COUNT];
        struct syn_point point;

        for (int i = 0; i < SYN_VERIFY_COUNT; i++) {
            exchanges[i].send_ns = syn_link_now_ns(link);
            syn_link_send(link, parent, &exchanges[i].send_ns, sizeof exchanges[i].send_ns);
            syn_link_recv(link, parent, &exchanges[i].stamp_ns, sizeof exchanges[i].stamp_ns);
            exchanges[i].recv_ns = syn_link_now_ns(link);
        }
        point = syn_point_from_bounds(exchanges, SYN_VERIFY_COUNT, 0, 0);
        contradicts = point.low_ns > SYN_SHARED_CLOCK_NS || point.high_ns < -SYN_SHARED_CLOCK_NS;
    }
    for (int step = syn_group_widest_step(index, count); step > 0; step /= 2)
        if (index + step < count) {
            int child = groups->members[index + step];
            for (int i = 0; i < SYN_VERIFY_COUNT; i++) {
                int64_t stamp_ns;
                syn_link_recv(link, child, &stamp_ns, sizeof stamp_ns);
                stamp_ns = syn_link_now_ns(link);
                syn_link_send(link, child, &stamp_ns, sizeof stamp_ns);
            }
        }
    return contradicts;
}

/* ---- exchanges ---- */

static void by_identity(const struct syn_classes *classes, size_t i, const void *ctx,
                        uint64_t key[SYN_PART_WORDS])
{
    (void)ctx;
    memcpy(key, classes->of[i].key, SYN_PART_WORDS * sizeof *key);
}

static int answer_groups(const struct syn_classes *classes, struct syn_class_answers *answers,
                         void *ctx)
{
    struct syn_parts parts;
    const int status = syn_parts_make(classes, by_identity, NULL, &parts);

    (void)ctx;
    if (status != SYN_OK)
        return status;
    syn_groups_put_common(&parts, &answers->common);
    for (size_t i = 0; i < classes->count; i++)
        syn_groups_put_own(&parts, i, &answers->of[i]);
    syn_parts_free(&parts);
    return SYN_OK;
}

static int group_by_identity(struct syn_clock_groups *groups, const struct syn_transport *transport,
                             struct syn_clock_identity identity)
{
    struct syn_class self = {.value = 0};
    struct syn_bytes message = {0};
    struct syn_take common, own;

    syn_identity_key(identity, self.key);
    int status =
        syn_classes_exchange(transport, &self, answer_groups, NULL, &message, &common, &own);
    SYN_STEP(status, syn_groups_take(groups, transport->size, transport->rank, &common, &own));
    syn_bytes_free(&message);
    return status;
}

/* Answers all ranks with the set of contradicting ranks. */
static int answer_contradictions(const struct syn_classes *classes,
                                 struct syn_class_answers *answers, void *ctx)
{
    static const struct syn_rank_set none;
    const struct syn_rank_set *contradicts = &none;

    (void)ctx;
    for (size_t i = 0; i < classes->count; i++)
        if (classes->of[i].key[0] != 0)
            contradicts = &classes->of[i].ranks;
    syn_rank_set_put(contradicts, &answers->common);
    return SYN_OK;
}

int syn_groups_form(struct syn_clock_groups *groups, struct syn_link *link,
                    struct syn_clock_identity identity, const struct syn_sync_known *known)
{
    const struct syn_transport *transport = &link->transport;
    int status;

    memset(groups, 0, sizeof *groups);
    status = known ? copy(groups, known->groups) : group_by_identity(groups, transport, identity);
    if (status == SYN_OK) {
        const bool verifies = !known || !known->compared || groups->leader_index != 0;
        const bool contradicts = verifies ? verify(groups, link) : known->contradicts;
        const struct syn_class self = {.key = {contradicts}};
        struct syn_rank_set others = {0};
        struct syn_bytes message = {0};
        struct syn_take common, own;
        status = syn_classes_exchange(transport, &self, answer_contradictions, NULL, &message,
                                      &common, &own);
        if (status == SYN_OK)
            syn_rank_set_take(&others, transport->size, &common);
        SYN_STEP(status, common.failed ? SYN_ENOMEM : syn_groups_split(groups, &others));
        syn_rank_set_free(&others);
        syn_bytes_free(&message);
    }
    if (status != SYN_OK)
        syn_groups_free(groups);
    syn_link_fail(link, status);
    return status;
}
