/* analyze/match/groups_team.c - what parts say of groups, kept for the groups' owners, exchanged
 * and absorbed there in the order of the slices. */
#include "analyze/match/groups_team.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/groups_parts.h"
#include "analyze/match/scratch.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Turns that are exchanged at once, for each process: eight slices and what is between them. More
 * would be more memory, fewer more waiting. */
#define ROUND_TURNS 16
/* Groups fall into so many buckets for each process, by a hash. An owner has some buckets: of few
 * long groups, nearly always each is in one of its own, and they can be dealt evenly. */
#define BUCKETS_EACH 32

/* Its bytes lie one bucket's behind the other's. */
struct syn_outbox_part {
    uint64_t turn;
    int64_t watermark_ns;
    uint64_t begin; /* in all that is kept */
    uint64_t *end;  /* [bucket_count], of each bucket's */
};

int syn_outbox_begin(struct syn_outbox *outbox, struct syn_team *team, struct syn_names *names,
                     size_t budget_bytes)
{
    *outbox = (struct syn_outbox){.team = team,
                                  .names = names,
                                  .budget_bytes = budget_bytes,
                                  .bucket_count = BUCKETS_EACH * (size_t)team->link.size,
                                  .file = -1};
    outbox->fresh = calloc(outbox->bucket_count, sizeof *outbox->fresh);
    return outbox->fresh ? 0 : SYN_ENOMEM;
}

void syn_outbox_end(struct syn_outbox *outbox)
{
    if (!outbox->team)
        return;
    for (size_t i = 0; i < outbox->count; i++)
        free(outbox->part[i].end);
    for (size_t bucket = 0; outbox->fresh && bucket < outbox->bucket_count; bucket++)
        syn_bytes_free(&outbox->fresh[bucket]);
    syn_bytes_free(&outbox->kept);
    free(outbox->part);
    free(outbox->fresh);
    if (outbox->file >= 0)
        close(outbox->file);
    *outbox = (struct syn_outbox){.file = -1};
}

/* ---- keeping ---- */

/* The same in each process, whatever the numbers of its names are. */
static size_t bucket_of(const struct syn_outbox *outbox, const struct syn_group *group)
{
    uint64_t hash = 0;
    for (int key = 0; key < SYN_KEY_COUNT; key++) {
        const uint64_t value = group->key[key];
        const char *name = syn_key_is_name(key) && value < UINT32_MAX
                               ? syn_names_text(outbox->names, (uint32_t)value)
                               : NULL;
        hash = syn_hash_add(hash, name ? syn_hash64(name, strlen(name)) : value);
    }
    return hash % outbox->bucket_count;
}

static int to_file(struct syn_outbox *outbox)
{
    int status = outbox->file < 0 ? syn_scratch_open(&outbox->file) : 0;
    if (status == SYN_OK)
        status = syn_scratch_write(outbox->file, outbox->kept.data, outbox->kept.count,
                                   outbox->file_bytes);
    outbox->file_bytes += outbox->kept.count;
    outbox->kept.count = 0;
    return status;
}

static int keep(struct syn_outbox *outbox, uint64_t turn, int64_t watermark_ns)
{
    uint64_t *end = malloc(outbox->bucket_count * sizeof *end);
    if (!end || SYN_ROOM(outbox->part, outbox->capacity, outbox->count)) {
        free(end);
        return SYN_ENOMEM;
    }
    outbox->part[outbox->count++] =
        (struct syn_outbox_part){turn, watermark_ns, outbox->file_bytes + outbox->kept.count, end};
    for (size_t bucket = 0; bucket < outbox->bucket_count; bucket++) {
        const struct syn_bytes *fresh = &outbox->fresh[bucket];
        outbox->kept.failed |= fresh->failed;
        if (fresh->count > 0)
            syn_bytes_put(&outbox->kept, fresh->data, fresh->count);
        end[bucket] = outbox->file_bytes + outbox->kept.count;
    }
    if (outbox->kept.failed)
        return SYN_ENOMEM;
    return outbox->kept.count > outbox->budget_bytes ? to_file(outbox) : SYN_OK;
}

int syn_outbox_add(struct syn_outbox *outbox, struct syn_groups *part, uint64_t turn,
                   int64_t watermark_ns)
{
    bool any = false;
    int status = syn_groups_settle(part);
    for (size_t bucket = 0; bucket < outbox->bucket_count; bucket++)
        outbox->fresh[bucket].count = 0;
    for (size_t i = 0; i < part->count && status == SYN_OK; i++) {
        struct syn_group *group = part->group[i];
        if (syn_group_is_empty(group))
            continue;
        any = true;
        status = syn_group_put(group, true, &outbox->fresh[bucket_of(outbox, group)]);
    }
    /* nothing, and nothing that waits becomes due */
    if (status != SYN_OK || (!any && watermark_ns == INT64_MIN))
        return status;
    return keep(outbox, turn, watermark_ns);
}

/* ---- dealing ---- */

/* Process 0 finds causes and tests who came last while the others compute figures: that is as much
 * as a share of them. */
#define OWN_SHARE 13

struct weighed_bucket {
    uint64_t bytes;
    size_t bucket;
};

static int by_bytes(const void *left, const void *right)
{
    const struct weighed_bucket *a = left, *b = right;
    if (a->bytes != b->bytes)
        return a->bytes < b->bytes ? 1 : -1;
    return a->bucket < b->bucket ? -1 : a->bucket > b->bucket;
}

/* *bytes: [bucket_count], of what this process keeps. */
static void weigh(const struct syn_outbox *outbox, uint64_t *bytes)
{
    memset(bytes, 0, outbox->bucket_count * sizeof *bytes);
    for (size_t i = 0; i < outbox->count; i++) {
        uint64_t begin = outbox->part[i].begin;
        for (size_t bucket = 0; bucket < outbox->bucket_count; bucket++) {
            bytes[bucket] += outbox->part[i].end[bucket] - begin;
            begin = outbox->part[i].end[bucket];
        }
    }
}

/* The same in all processes: of what they all keep. */
static int weigh_all(const struct syn_outbox *outbox, uint64_t *bytes)
{
    struct syn_bytes own = {0}, other = {0};
    int status = 0;
    weigh(outbox, bytes);
    for (size_t bucket = 0; bucket < outbox->bucket_count; bucket++)
        syn_bytes_put_varint(&own, bytes[bucket]);
    for (int step = 0; step < outbox->team->link.size && status == SYN_OK; step++) {
        const int peer = syn_team_partner(outbox->team, step);
        if (peer == outbox->team->link.rank)
            continue;
        status = syn_team_swap(outbox->team, peer, &own, &other);
        struct syn_take take = syn_take_from(other.data, other.count);
        for (size_t bucket = 0; bucket < outbox->bucket_count && status == SYN_OK; bucket++)
            bytes[bucket] += syn_take_varint(&take);
        status = status == SYN_OK && take.failed ? SYN_ETRANSPORT : status;
    }
    syn_bytes_free(&own);
    syn_bytes_free(&other);
    return status;
}

int syn_outbox_deal(const uint64_t *bytes, size_t bucket_count, int size, int *owner)
{
    struct weighed_bucket *order = malloc((bucket_count + 1) * sizeof *order);
    uint64_t *load = calloc((size_t)size, sizeof *load);
    const bool enough = order && load;
    for (size_t bucket = 0; enough && bucket < bucket_count; bucket++) {
        order[bucket] = (struct weighed_bucket){bytes[bucket], bucket};
        load[0] += bytes[bucket] / OWN_SHARE;
    }
    if (enough)
        qsort(order, bucket_count, sizeof *order, by_bytes);
    for (size_t i = 0; enough && i < bucket_count; i++) {
        int least = 0;
        for (int peer = 1; peer < size; peer++)
            least = load[peer] < load[least] ? peer : least;
        owner[order[i].bucket] = least;
        load[least] += order[i].bytes + 1; /* empty ones go round: a later run may fill them */
    }
    free(order);
    free(load);
    return enough ? SYN_OK : SYN_ENOMEM;
}

/* From the first run on: a group has one owner in all runs. */
static int find_owners(const struct syn_outbox *outbox)
{
    struct syn_team *team = outbox->team;
    if (team->bucket_owner)
        return 0;
    uint64_t *bytes = malloc(outbox->bucket_count * sizeof *bytes);
    team->bucket_owner = calloc(outbox->bucket_count, sizeof *team->bucket_owner);
    int status = bytes && team->bucket_owner ? weigh_all(outbox, bytes) : SYN_ENOMEM;
    if (status == SYN_OK)
        status = syn_outbox_deal(bytes, outbox->bucket_count, team->link.size, team->bucket_owner);
    free(bytes);
    return status;
}

/* ---- exchanging ---- */

/* What came from a process in a round. */
struct inbox {
    struct syn_bytes message;
    struct syn_take take;
    uint64_t turn; /* of the part that comes next; UINT64_MAX: none */
};

struct exchange {
    struct syn_outbox *outbox;
    struct syn_groups *into;
    uint32_t run;
    size_t next;            /* part of the own ones that is not sent yet */
    struct syn_bytes *sent; /* scratch */
    struct inbox *inbox;    /* [team size] */
};

static int put_kept(const struct syn_outbox *outbox, uint64_t begin, uint64_t end,
                    struct syn_bytes *out)
{
    const size_t bytes = end - begin;
    uint8_t *to = syn_bytes_reserve(out, bytes);
    if (!to)
        return SYN_ENOMEM;
    out->count += bytes;
    if (begin < outbox->file_bytes)
        return syn_scratch_read(outbox->file, to, bytes, begin);
    if (bytes > 0)
        memcpy(to, outbox->kept.data + (begin - outbox->file_bytes), bytes);
    return 0;
}

/* Of a part, the bytes that this process owns: how many, and then they. */
static int put_owned(const struct syn_outbox *outbox, const struct syn_outbox_part *part, int peer,
                     struct syn_bytes *out)
{
    const int *owner = outbox->team->bucket_owner;
    uint64_t bytes = 0, begin = part->begin;
    int status = 0;
    for (size_t bucket = 0; bucket < outbox->bucket_count; begin = part->end[bucket++])
        bytes += owner[bucket] == peer ? part->end[bucket] - begin : 0;
    syn_bytes_put_varint(out, bytes);
    begin = part->begin;
    for (size_t bucket = 0; bucket < outbox->bucket_count && status == SYN_OK;
         begin = part->end[bucket++])
        if (owner[bucket] == peer && part->end[bucket] > begin)
            status = put_kept(outbox, begin, part->end[bucket], out);
    return status;
}

/* The names that a process does not know, and of parts first .. end - 1 what it owns. */
static int put_parts(const struct syn_outbox *outbox, int peer, size_t first, size_t end,
                     struct syn_bytes *out)
{
    out->count = 0;
    int status = 0;
    if (peer != outbox->team->link.rank)
        status = syn_team_put_names(outbox->team, peer, outbox->names, out);
    for (size_t i = first; i < end && status == SYN_OK; i++) {
        syn_bytes_put_varint(out, outbox->part[i].turn);
        syn_bytes_put_zigzag(out, outbox->part[i].watermark_ns);
        status = put_owned(outbox, &outbox->part[i], peer, out);
    }
    return out->failed ? SYN_ENOMEM : status;
}

static void look_ahead(struct inbox *inbox)
{
    inbox->turn = syn_take_left(&inbox->take) > 0 ? syn_take_varint(&inbox->take) : UINT64_MAX;
}

static int swap_parts(struct exchange *exchange, int peer, size_t first, size_t end)
{
    struct syn_outbox *outbox = exchange->outbox;
    struct inbox *inbox = &exchange->inbox[peer];
    const bool own = peer == outbox->team->link.rank;
    int status = put_parts(outbox, peer, first, end, own ? &inbox->message : exchange->sent);
    if (status == SYN_OK && !own)
        status = syn_team_swap(outbox->team, peer, exchange->sent, &inbox->message);
    inbox->take = syn_take_from(inbox->message.data, inbox->message.count);
    if (status == SYN_OK && !own)
        status = syn_team_take_names(outbox->team, peer, outbox->names, &inbox->take);
    look_ahead(inbox);
    return status;
}

/* One part of one process. */
static int absorb_part(struct exchange *exchange, int peer)
{
    struct inbox *inbox = &exchange->inbox[peer];
    const int64_t watermark_ns = syn_take_zigzag(&inbox->take);
    const size_t bytes = syn_take_bounded(&inbox->take, syn_take_left(&inbox->take));
    const uint8_t *data = syn_take_bytes(&inbox->take, bytes);
    if (!data)
        return SYN_ETRANSPORT;
    struct syn_take take = syn_take_from(data, bytes);
    struct syn_groups part;
    int status = 0;
    syn_groups_init(&part, exchange->into->by);
    while (status == SYN_OK && syn_take_left(&take) > 0)
        status = syn_group_take(&take, &exchange->outbox->team->map[peer], &part);
    if (status == SYN_OK)
        status = syn_groups_absorb(exchange->into, &part, exchange->run, watermark_ns);
    syn_groups_free(&part);
    look_ahead(inbox);
    return status;
}

/* A turn's part is one process's. */
static int absorb_turn(struct exchange *exchange, uint64_t turn)
{
    int status = 0;
    for (int peer = 0; peer < exchange->outbox->team->link.size && status == SYN_OK; peer++)
        if (exchange->inbox[peer].turn == turn)
            status = absorb_part(exchange, peer);
    return status;
}

/* The parts of turns first .. end - 1. */
static int exchange_round(struct exchange *exchange, uint64_t first, uint64_t end)
{
    const struct syn_outbox *outbox = exchange->outbox;
    const size_t begin = exchange->next;
    int status = 0;
    while (exchange->next < outbox->count && outbox->part[exchange->next].turn < end)
        exchange->next++;
    for (int step = 0; step < outbox->team->link.size && status == SYN_OK; step++)
        status = swap_parts(exchange, syn_team_partner(outbox->team, step), begin, exchange->next);
    for (uint64_t turn = first; turn < end && status == SYN_OK; turn++)
        status = absorb_turn(exchange, turn);
    return status;
}

int syn_outbox_exchange(struct syn_outbox *outbox, uint64_t turn_count, struct syn_groups *into,
                        uint32_t run)
{
    const size_t size = (size_t)outbox->team->link.size;
    struct syn_bytes sent = {0};
    struct exchange exchange = {.outbox = outbox, .into = into, .run = run, .sent = &sent};
    exchange.inbox = calloc(size, sizeof *exchange.inbox);
    int status = exchange.inbox ? find_owners(outbox) : SYN_ENOMEM;
    for (uint64_t first = 0; first < turn_count && status == SYN_OK; first += ROUND_TURNS * size)
        status =
            exchange_round(&exchange, first, syn_least(first + ROUND_TURNS * size, turn_count));
    if (status == SYN_OK)
        status = syn_groups_sort(into, outbox->names);
    for (size_t peer = 0; exchange.inbox && peer < size; peer++)
        syn_bytes_free(&exchange.inbox[peer].message);
    free(exchange.inbox);
    syn_bytes_free(&sent);
    return status;
}
