/* analyze/match/groups/groups_team.c - groups of parts, kept for the groups' owners, exchanged and
 * absorbed there in the order of the slices. */
#include "analyze/match/groups/groups_team.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/columns/scratch.h"
#include "analyze/match/groups/groups_parts.h"
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
    uint8_t *data;  /* owned; NULL: in the file, or exchanged already */
    uint64_t begin; /* in the file */
    uint64_t *end;  /* [bucket_count], of each bucket's among its bytes */
};

void syn_outbox_begin(struct syn_outbox *outbox, struct syn_team *team, struct syn_names *names,
                      size_t budget_bytes)
{
    *outbox = (struct syn_outbox){.team = team,
                                  .names = names,
                                  .budget_bytes = budget_bytes,
                                  .bucket_count = BUCKETS_EACH * (size_t)team->link.size,
                                  .file = -1};
}

void syn_outbox_end(struct syn_outbox *outbox)
{
    if (!outbox->team)
        return;
    for (size_t i = 0; i < outbox->count; i++) {
        free(outbox->part[i].data);
        free(outbox->part[i].end);
    }
    free(outbox->part);
    if (outbox->file >= 0)
        close(outbox->file);
    *outbox = (struct syn_outbox){.file = -1};
}

/* ---- keeping ---- */

/* Returns the group's bucket, equal in each process whatever the numbers of its names are. */
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

static uint64_t bytes_of(const struct syn_outbox *outbox, const struct syn_outbox_part *part)
{
    return part->end[outbox->bucket_count - 1];
}

static void forget_bytes(struct syn_outbox *outbox, struct syn_outbox_part *part)
{
    if (part->data)
        outbox->memory_bytes -= bytes_of(outbox, part);
    free(part->data);
    part->data = NULL;
}

static int to_file(struct syn_outbox *outbox)
{
    int status = outbox->file < 0 ? syn_scratch_open(&outbox->file) : 0;
    for (size_t i = 0; i < outbox->count && status == SYN_OK; i++) {
        struct syn_outbox_part *part = &outbox->part[i];
        if (!part->data)
            continue;
        part->begin = outbox->file_bytes;
        outbox->file_bytes += bytes_of(outbox, part);
        status = syn_scratch_write(outbox->file, part->data, bytes_of(outbox, part), part->begin);
        forget_bytes(outbox, part);
    }
    return status;
}

/* The groups that say something, one bucket's behind the other's, in their order within it, into
 * order [part->count]; *end: [bucket_count], up to where each bucket's go. Returns how many, or
 * SIZE_MAX: no memory. */
static size_t by_buckets(const struct syn_outbox *outbox, const struct syn_groups *part,
                         uint64_t *end, size_t *order)
{
    size_t *bucket = malloc((part->count + 1) * sizeof *bucket);
    uint64_t count = 0;
    if (!bucket)
        return SIZE_MAX;
    memset(end, 0, outbox->bucket_count * sizeof *end);
    for (size_t i = 0; i < part->count; i++) {
        bucket[i] =
            syn_group_is_empty(part->group[i]) ? SIZE_MAX : bucket_of(outbox, part->group[i]);
        if (bucket[i] < SIZE_MAX)
            end[bucket[i]]++;
    }
    for (size_t i = 0; i < outbox->bucket_count; i++) {
        const uint64_t own = end[i];
        end[i] = count; /* where its next one goes */
        count += own;
    }
    for (size_t i = 0; i < part->count; i++)
        if (bucket[i] < SIZE_MAX)
            order[end[bucket[i]]++] = i;
    free(bucket);
    return count;
}

/* Numbers of groups become numbers of bytes. */
static int put_groups(const struct syn_groups *part, const size_t *order, size_t bucket_count,
                      uint64_t *end, struct syn_bytes *out)
{
    int status = 0;
    for (size_t bucket = 0, i = 0; bucket < bucket_count && status == SYN_OK; bucket++) {
        for (; i < end[bucket] && status == SYN_OK; i++)
            status = syn_group_put(part->group[order[i]], true, out);
        end[bucket] = out->count;
    }
    return status;
}

/* A part as long as the one before, as a rule: there is room for it from the start. What is left of
 * that goes back. */
static int keep(struct syn_outbox *outbox, const struct syn_groups *part, const size_t *order,
                struct syn_outbox_part *kept)
{
    struct syn_bytes bytes = {0};
    if (outbox->count > 0)
        syn_bytes_reserve(&bytes, bytes_of(outbox, &outbox->part[outbox->count - 1]));
    const int status = put_groups(part, order, outbox->bucket_count, kept->end, &bytes);
    uint8_t *data = status == SYN_OK ? realloc(bytes.data, bytes.count + 1) : NULL;
    if (!data || SYN_ROOM(outbox->part, outbox->capacity, outbox->count)) {
        free(data ? data : bytes.data);
        return status != SYN_OK ? status : SYN_ENOMEM;
    }
    kept->data = data;
    outbox->memory_bytes += bytes.count;
    outbox->part[outbox->count++] = *kept;
    return outbox->memory_bytes > outbox->budget_bytes ? to_file(outbox) : SYN_OK;
}

int syn_outbox_add(struct syn_outbox *outbox, struct syn_groups *part, uint64_t turn,
                   int64_t watermark_ns)
{
    struct syn_outbox_part kept = {.turn = turn, .watermark_ns = watermark_ns};
    int status = syn_groups_settle(part);
    size_t *order = malloc((part->count + 1) * sizeof *order);
    kept.end = malloc(outbox->bucket_count * sizeof *kept.end);
    const size_t count = order && kept.end ? by_buckets(outbox, part, kept.end, order) : SIZE_MAX;
    if (status == SYN_OK && count == SIZE_MAX)
        status = SYN_ENOMEM;
    /* nothing, and nothing that waits becomes due */
    const bool keeps = count > 0 || watermark_ns != INT64_MIN;
    const size_t before = outbox->count;
    if (status == SYN_OK && keeps)
        status = keep(outbox, part, order, &kept);
    if (outbox->count == before)
        free(kept.end);
    free(order);
    return status;
}

/* ---- dealing ---- */

/* Process 0 finds causes and tests who came last while the others compute figures: 0.12 s of 10^8
 * events of 8 ranks, where taking in all groups and their figures is 0.7 s. */
#define OWN_SHARE 6

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
        uint64_t begin = 0;
        for (size_t bucket = 0; bucket < outbox->bucket_count; bucket++) {
            bytes[bucket] += outbox->part[i].end[bucket] - begin;
            begin = outbox->part[i].end[bucket];
        }
    }
}

/* Adds up the bytes of each bucket over all processes. */
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

/* Message of another process in a round. */
struct inbox {
    struct syn_bytes message;
    struct syn_take take;
    uint64_t turn; /* of the part that comes next; UINT64_MAX: none */
};

struct exchange {
    struct syn_outbox *outbox;
    struct syn_groups *into;
    uint32_t run;
    size_t own, next;                 /* parts of its own: not absorbed yet, not sent yet */
    struct syn_bytes sent, from_file; /* scratch */
    struct inbox *inbox;              /* [team size] */
};

/* Bytes begin .. end - 1 of a part, where they are, or read from the file. NULL: *status. */
static const uint8_t *kept_bytes(struct exchange *exchange, const struct syn_outbox_part *part,
                                 uint64_t begin, uint64_t end, int *status)
{
    if (part->data)
        return part->data + begin;
    exchange->from_file.count = 0;
    uint8_t *to = syn_bytes_reserve(&exchange->from_file, end - begin);
    *status = to ? syn_scratch_read(exchange->outbox->file, to, end - begin, part->begin + begin)
                 : SYN_ENOMEM;
    return *status == SYN_OK ? to : NULL;
}

/* Writes the bytes of a part that another process owns: their number, then the bytes. */
static int put_owned(struct exchange *exchange, const struct syn_outbox_part *part, int peer)
{
    const struct syn_outbox *outbox = exchange->outbox;
    const int *owner = outbox->team->bucket_owner;
    uint64_t bytes = 0;
    int status = 0;
    for (size_t bucket = 0, begin = 0; bucket < outbox->bucket_count; begin = part->end[bucket++])
        bytes += owner[bucket] == peer ? part->end[bucket] - begin : 0;
    syn_bytes_put_varint(&exchange->sent, bytes);
    for (size_t bucket = 0, begin = 0; bucket < outbox->bucket_count && status == SYN_OK;
         begin = part->end[bucket++]) {
        if (owner[bucket] != peer || part->end[bucket] == begin)
            continue;
        const uint8_t *from = kept_bytes(exchange, part, begin, part->end[bucket], &status);
        if (from)
            syn_bytes_put(&exchange->sent, from, part->end[bucket] - begin);
    }
    return status;
}

/* The names that a process does not know, and of parts first .. end - 1 what it owns. */
static int put_parts(struct exchange *exchange, int peer, size_t first, size_t end)
{
    const struct syn_outbox *outbox = exchange->outbox;
    struct syn_bytes *out = &exchange->sent;
    out->count = 0;
    int status = syn_team_put_names(outbox->team, peer, outbox->names, out);
    for (size_t i = first; i < end && status == SYN_OK; i++) {
        syn_bytes_put_varint(out, outbox->part[i].turn);
        syn_bytes_put_zigzag(out, outbox->part[i].watermark_ns);
        status = put_owned(exchange, &outbox->part[i], peer);
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
    int status = put_parts(exchange, peer, first, end);
    if (status == SYN_OK)
        status = syn_team_swap(outbox->team, peer, &exchange->sent, &inbox->message);
    inbox->take = syn_take_from(inbox->message.data, inbox->message.count);
    if (status == SYN_OK)
        status = syn_team_take_names(outbox->team, peer, outbox->names, &inbox->take);
    look_ahead(inbox);
    return status;
}

/* The groups in these bytes, of that process. Each goes where it belongs before the next one is
 * opened: of few long groups none leaves the cache in between. */
static int absorb_groups(struct exchange *exchange, int peer, const uint8_t *data, size_t bytes,
                         int64_t watermark_ns)
{
    struct syn_take take = syn_take_from(data, bytes);
    int status = 0;
    while (status == SYN_OK && syn_take_left(&take) > 0) {
        struct syn_groups one;
        syn_groups_init(&one, exchange->into->by);
        status = syn_group_take(&take, &exchange->outbox->team->map[peer], &one);
        if (status == SYN_OK)
            status =
                syn_groups_absorb_one(exchange->into, one.group[0], exchange->run, watermark_ns);
        syn_groups_free(&one);
    }
    return status;
}

/* Absorbs the groups of another process's part that this process owns. */
static int absorb_sent(struct exchange *exchange, int peer, int64_t *watermark_ns)
{
    struct inbox *inbox = &exchange->inbox[peer];
    *watermark_ns = syn_take_zigzag(&inbox->take);
    const size_t bytes = syn_take_bounded(&inbox->take, syn_take_left(&inbox->take));
    const uint8_t *data = syn_take_bytes(&inbox->take, bytes);
    const int status =
        data ? absorb_groups(exchange, peer, data, bytes, *watermark_ns) : SYN_ETRANSPORT;
    look_ahead(inbox);
    return status;
}

/* And of one of its own, where it is: nobody else needs it any more. */
static int absorb_own(struct exchange *exchange, int64_t *watermark_ns)
{
    struct syn_outbox *outbox = exchange->outbox;
    struct syn_outbox_part *own = &outbox->part[exchange->own++];
    const int rank = outbox->team->link.rank;
    int status = 0;
    *watermark_ns = own->watermark_ns;
    for (size_t bucket = 0, begin = 0; bucket < outbox->bucket_count && status == SYN_OK;
         begin = own->end[bucket++]) {
        if (outbox->team->bucket_owner[bucket] != rank || own->end[bucket] == begin)
            continue;
        const uint8_t *from = kept_bytes(exchange, own, begin, own->end[bucket], &status);
        if (from)
            status = absorb_groups(exchange, rank, from, own->end[bucket] - begin, *watermark_ns);
    }
    forget_bytes(outbox, own);
    return status;
}

static bool has_turn(const struct exchange *exchange, int peer, uint64_t turn)
{
    const struct syn_outbox *outbox = exchange->outbox;
    if (peer != outbox->team->link.rank)
        return exchange->inbox[peer].turn == turn;
    return exchange->own < exchange->next && outbox->part[exchange->own].turn == turn;
}

static int absorb_part(struct exchange *exchange, int peer)
{
    int64_t watermark_ns = INT64_MIN;
    const int status = peer == exchange->outbox->team->link.rank
                           ? absorb_own(exchange, &watermark_ns)
                           : absorb_sent(exchange, peer, &watermark_ns);
    return status != SYN_OK ? status
                            : syn_groups_absorb_rest(exchange->into, exchange->run, watermark_ns);
}

/* A turn's part is one process's. */
static int absorb_turn(struct exchange *exchange, uint64_t turn)
{
    int status = 0;
    for (int peer = 0; peer < exchange->outbox->team->link.size && status == SYN_OK; peer++)
        if (has_turn(exchange, peer, turn))
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
    for (int step = 0; step < outbox->team->link.size && status == SYN_OK; step++) {
        const int peer = syn_team_partner(outbox->team, step);
        if (peer != outbox->team->link.rank)
            status = swap_parts(exchange, peer, begin, exchange->next);
    }
    for (uint64_t turn = first; turn < end && status == SYN_OK; turn++)
        status = absorb_turn(exchange, turn);
    return status;
}

int syn_outbox_exchange(struct syn_outbox *outbox, uint64_t turn_count, struct syn_groups *into,
                        uint32_t run)
{
    const size_t size = (size_t)outbox->team->link.size;
    struct exchange exchange = {.outbox = outbox, .into = into, .run = run};
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
    syn_bytes_free(&exchange.sent);
    syn_bytes_free(&exchange.from_file);
    return status;
}
