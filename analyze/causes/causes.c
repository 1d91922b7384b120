/* analyze/causes/causes.c - parts of a run, and putting them together. */
#include "analyze/causes/causes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/status.h"
#include "trace/event.h"

/* Calls between the parts that wait before it is asked which of them wait in vain. */
#define WAITING_MANY ((size_t)1 << 16)

struct calls {
    struct syn_call *call; /* [count], owned */
    size_t count;
};

/* The sequence numbers that a location has of one communicator that covers all. */
struct span {
    uint64_t first, last;
    bool known;
};

struct syn_causes_part {
    const struct syn_causes *causes;
    struct syn_cause_tables tables;
    struct syn_replay *replay;  /* NULL: nothing was added */
    struct syn_cut first, last; /* cuts; the same where there is one; call NULL: none */
    struct calls *head;         /* [location_count], up to the first cut and with it */
    struct span *span;          /* [location_count], of communicator `covering` */
    uint32_t covering;          /* SYN_NO_COMM: none covers all */
    uint64_t cut_sequence;      /* of the last one */
};

/* ---- a run ---- */

/* Of so many locations as a machine may have, the blocks shall not take all memory. */
static uint32_t block_count(uint32_t location_count)
{
    return location_count <= 256 ? 64 : location_count <= 1024 ? 32 : 16;
}

/* From the first event's start to the last one's end. */
static struct syn_cause_blocks blocks_of(const struct syn_trace *trace, uint32_t location_count)
{
    struct syn_chunk_summary chunk;
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++) {
            if (!syn_plausible_ns(chunk.start_ns) || !syn_plausible_ns(chunk.end_ns))
                continue;
            first_ns = chunk.start_ns < first_ns ? chunk.start_ns : first_ns;
            last_ns = chunk.end_ns > last_ns ? chunk.end_ns : last_ns;
        }
    }
    if (first_ns > last_ns)
        first_ns = last_ns = 0;
    const uint32_t count = block_count(location_count);
    return (struct syn_cause_blocks){first_ns, (last_ns - first_ns) / count + 1, count};
}

int syn_causes_begin(struct syn_causes *causes, struct syn_trace *trace,
                     const struct syn_comms *comms)
{
    *causes = (struct syn_causes){0};
    int status = syn_cause_tables_begin(&causes->tables);
    if (status == 0)
        status = syn_cause_plan_make(trace, comms, &causes->plan);
    if (status)
        return status;
    causes->blocks = blocks_of(trace, causes->plan.location_count);
    status = syn_cause_sums_begin(&causes->sums, causes->plan.location_count, &causes->blocks);
    if (status)
        return status;
    causes->replay = syn_replay_new(&causes->plan, &causes->tables, &causes->blocks);
    return causes->replay ? 0 : SYN_ENOMEM;
}

void syn_causes_free(struct syn_causes *causes)
{
    syn_replay_free(causes->replay);
    syn_cause_sums_free(&causes->sums);
    syn_cause_tables_free(&causes->tables);
    syn_cause_plan_free(&causes->plan);
    *causes = (struct syn_causes){0};
}

int syn_causes_end(struct syn_causes *causes, int64_t end_ns)
{
    int status = syn_replay_finish(causes->replay, end_ns);
    struct syn_cause_sums *rest = syn_replay_sums(causes->replay);
    if (status == 0)
        status = syn_cause_sums_add(&causes->sums, rest, NULL);
    causes->sums.path_start_ns = rest->path_start_ns;
    causes->sums.path_end_ns = rest->path_end_ns;
    syn_replay_free(causes->replay);
    causes->replay = NULL;
    return status;
}

/* ---- a part ---- */

struct syn_causes_part *syn_causes_part_new(const struct syn_causes *causes)
{
    struct syn_causes_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    part->causes = causes;
    part->covering = SYN_NO_COMM;
    if (syn_cause_tables_begin(&part->tables)) {
        syn_causes_part_free(part);
        return NULL;
    }
    return part;
}

void syn_causes_part_free(struct syn_causes_part *part)
{
    if (!part)
        return;
    for (uint32_t i = 0; part->head && i < part->causes->plan.location_count; i++)
        free(part->head[i].call);
    syn_replay_free(part->replay);
    syn_cause_tables_free(&part->tables);
    free(part->first.call);
    free(part->last.call);
    free(part->head);
    free(part->span);
    free(part);
}

static int prepare(struct syn_causes_part *part)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    part->replay = syn_replay_new(plan, &part->tables, &part->causes->blocks);
    part->head = calloc((size_t)plan->location_count + 1, sizeof *part->head);
    part->span = calloc((size_t)plan->location_count + 1, sizeof *part->span);
    return part->replay && part->head && part->span ? 0 : SYN_ENOMEM;
}

/* A root is given as a rank of the communicator; members are numbered otherwise where some do not
 * record. */
static int32_t root_member(const struct syn_comm *comm, int32_t root)
{
    return comm->intercomm || comm->size != comm->full_size ? -1 : root;
}

uint32_t syn_causes_part_kind(struct syn_causes_part *part, const struct syn_attributes *attributes,
                              const struct syn_comm_place *place)
{
    const bool is_blocking = attributes->op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    struct syn_point point = {attributes->site, attributes->phase, attributes->op, false};
    struct syn_call_kind kind;
    memset(&kind, 0, sizeof kind);
    kind.comm = place->comm;
    kind.member = place->member;
    kind.root = place->comm == SYN_NO_COMM
                    ? -1
                    : root_member(&part->causes->plan.comms->comm[place->comm], attributes->root);
    kind.op = attributes->op;
    kind.is_blocking = is_blocking;
    kind.is_completed = !(attributes->flags & SYN_EVENT_NO_COMPLETION);
    kind.point = kind.completion_point = syn_numbering_of(&part->tables.points, &point);
    point.is_completion = true;
    if (!is_blocking)
        kind.completion_point = syn_numbering_of(&part->tables.points, &point);
    if (kind.point == SYN_NO_NUMBER || kind.completion_point == SYN_NO_NUMBER)
        return SYN_NO_NUMBER;
    return syn_numbering_of(&part->tables.kinds, &kind);
}

/* ---- cuts ---- */

/* May an instance of this kind be a cut? The first communicator that covers all is asked. */
static bool may_cut(struct syn_causes_part *part, const struct syn_call_kind *kind)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    if (!kind->is_blocking || kind->comm == SYN_NO_COMM)
        return false;
    if (part->covering == SYN_NO_COMM) {
        const uint32_t group = plan->group_of_comm[kind->comm];
        if (group != SYN_NO_GROUP && plan->group[group].covers_all)
            part->covering = kind->comm;
    }
    return kind->comm == part->covering;
}

static void note_sequence(struct span *span, uint64_t sequence)
{
    if (!span->known)
        span->first = sequence;
    span->last = sequence;
    span->known = true;
}

/* The instance that all locations have: for the first cut the earliest, then the latest. */
static bool common_sequence(const struct syn_causes_part *part, uint64_t *sequence)
{
    uint64_t first = 0, last = UINT64_MAX;
    for (uint32_t i = 0; i < part->causes->plan.location_count; i++) {
        if (!part->span[i].known)
            return false;
        first = part->span[i].first > first ? part->span[i].first : first;
        last = part->span[i].last < last ? part->span[i].last : last;
    }
    *sequence = part->first.call ? last : first;
    return first <= last && (!part->last.call || last > part->cut_sequence);
}

static bool is_of(const struct syn_causes_part *part, const struct syn_call *call,
                  uint64_t sequence)
{
    return call->sequence == sequence &&
           may_cut((struct syn_causes_part *)part, syn_call_kind_at(&part->tables, call->kind));
}

/* From whichever end of what is held back it is closer to. NULL: not there. */
static const struct syn_call *find_call(const struct syn_causes_part *part, uint32_t location,
                                        uint64_t sequence)
{
    size_t count;
    const struct syn_call *held = syn_replay_held(part->replay, location, &count);
    if (!part->first.call) {
        for (size_t i = 0; i < count; i++)
            if (is_of(part, &held[i], sequence))
                return &held[i];
        return NULL;
    }
    while (count-- > 0)
        if (is_of(part, &held[count], sequence))
            return &held[count];
    return NULL;
}

/* Its calls are copied; free them in any case. 0, SYN_ENOMEM; SYN_EEND: it is none. */
static int find_cut(struct syn_causes_part *part, uint64_t sequence, struct syn_cut *cut,
                    size_t *before)
{
    const uint32_t count = part->causes->plan.location_count;
    const struct syn_call **call = malloc(((size_t)count + 1) * sizeof *call);
    int status = call ? 0 : SYN_ENOMEM;
    size_t held;
    for (uint32_t i = 0; i < count && status == 0; i++) {
        call[i] = find_call(part, i, sequence);
        status = call[i] ? 0 : SYN_EEND;
    }
    if (status == 0 && !syn_replay_is_cut(part->replay, call, &cut->synchronized_ns))
        status = SYN_EEND;
    if (status == 0 && !(cut->call = malloc(((size_t)count + 1) * sizeof *cut->call)))
        status = SYN_ENOMEM;
    for (uint32_t i = 0; i < count && status == 0; i++) {
        cut->call[i] = *call[i];
        before[i] = (size_t)(call[i] - syn_replay_held(part->replay, i, &held)) + 1;
    }
    free(call);
    return status;
}

static int copy_calls(const struct syn_call *call, size_t count, struct calls *out)
{
    out->call = malloc((count + 1) * sizeof *out->call);
    if (!out->call)
        return SYN_ENOMEM;
    if (count > 0)
        memcpy(out->call, call, count * sizeof *call);
    out->count = count;
    return 0;
}

/* What is before the first cut is for whoever knows what was before that. */
static int begin_at(struct syn_causes_part *part, const struct syn_cut *cut, const size_t *before)
{
    int status = 0;
    size_t count;
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == 0; i++) {
        status = copy_calls(syn_replay_held(part->replay, i, &count), before[i], &part->head[i]);
        syn_replay_drop(part->replay, i, before[i]);
    }
    return status ? status : syn_replay_stand_at(part->replay, cut);
}

static int go_to(struct syn_causes_part *part, const struct syn_cut *cut, size_t *before)
{
    int status = syn_replay_swiftly(part->replay, part->covering, before);
    for (uint32_t i = 0; i < part->causes->plan.location_count; i++)
        syn_replay_release(part->replay, i, before[i]);
    if (status == 0)
        status = syn_replay_advance(part->replay);
    if (status == 0)
        status = syn_replay_drain(part->replay);
    return status ? status : syn_replay_stand_at(part->replay, cut);
}

static int take_cut(struct syn_causes_part *part, uint64_t sequence)
{
    struct syn_cut cut = {0};
    size_t *before = malloc(((size_t)part->causes->plan.location_count + 1) * sizeof *before);
    int status = before ? find_cut(part, sequence, &cut, before) : SYN_ENOMEM;
    if (status == 0) {
        status = part->first.call ? go_to(part, &cut, before) : begin_at(part, &cut, before);
        if (!part->first.call)
            part->first = cut;
        else
            free(part->last.call);
        if (part->first.call != cut.call)
            part->last = cut;
        part->cut_sequence = sequence;
    } else {
        free(cut.call);
        status = status == SYN_EEND ? 0 : status;
    }
    free(before);
    return status;
}

/* ---- events ---- */

/* Times of a call that is not a blocking one. */
static void take_request(const struct syn_event_columns *columns, size_t i, struct syn_call *call)
{
    call->call_end_ns = columns->call_end_ns[i];
    call->wait_start_ns = columns->flags[i] & SYN_EVENT_NO_COMPLETION ? columns->end_ns[i]
                                                                      : columns->wait_start_ns[i];
    call->wait_messages_ns = columns->wait_messages_ns ? columns->wait_messages_ns[i] : 0;
    call->wait_off_cpu_ns = columns->wait_off_cpu_ns ? columns->wait_off_cpu_ns[i] : 0;
}

static void take_call(const struct syn_event_columns *columns, size_t i, uint32_t kind,
                      bool is_blocking, struct syn_call *call)
{
    const int64_t start_ns = columns->start_ns[i];
    call->start_ns = call->call_end_ns = call->wait_start_ns = start_ns;
    call->end_ns = columns->end_ns[i];
    call->sequence = columns->sequence[i];
    call->messages_ns = columns->messages_ns ? columns->messages_ns[i] : 0;
    call->off_cpu_ns = columns->off_cpu_ns ? columns->off_cpu_ns[i] : 0;
    call->wait_messages_ns = call->wait_off_cpu_ns = 0;
    call->kind = kind;
    call->spare = 0;
    if (__builtin_expect(!is_blocking, 0))
        take_request(columns, i, call);
}

static int add_events(struct syn_causes_part *part, const struct syn_match_batch *batch,
                      uint32_t location)
{
    struct span *span = &part->span[location];
    uint32_t last = SYN_NO_NUMBER; /* of the kind before: */
    bool is_blocking = true, cuts = false;
    for (size_t i = batch->first; i < batch->end; i++) {
        const uint32_t number = batch->note[i - batch->first];
        if (number == SYN_NO_NUMBER)
            continue;
        if (number != last) {
            const struct syn_call_kind *kind = syn_call_kind_at(&part->tables, number);
            is_blocking = kind->is_blocking;
            cuts = may_cut(part, kind);
            last = number;
        }
        struct syn_call *call = syn_replay_append_one(part->replay, location);
        if (!call)
            return SYN_ENOMEM;
        take_call(batch->columns, i, number, is_blocking, call);
        if (cuts)
            note_sequence(span, call->sequence);
    }
    return 0;
}

int syn_causes_part_add(struct syn_causes_part *part, const struct syn_match_batch *batch)
{
    const uint32_t location =
        syn_location_of(&part->causes->plan, batch->rank, batch->columns->thread);
    uint64_t sequence;
    int status = part->replay ? 0 : prepare(part);
    if (location == SYN_NO_NUMBER)
        return status;
    if (status == 0)
        status = add_events(part, batch, location);
    if (status == 0 && common_sequence(part, &sequence))
        status = take_cut(part, sequence);
    return status;
}

/* ---- putting together ---- */

static int append_calls(struct syn_causes *causes, uint32_t location, const struct syn_call *call,
                        size_t count, const uint32_t *kind)
{
    int status = 0;
    for (size_t i = 0; i < count && status == 0; i++) {
        struct syn_call mapped = call[i];
        mapped.kind = kind[call[i].kind];
        status = syn_replay_append(causes->replay, location, &mapped);
    }
    if (status == 0)
        syn_replay_release(causes->replay, location, count);
    return status;
}

static int append_held(struct syn_causes *causes, const struct syn_causes_part *part,
                       const uint32_t *kind)
{
    int status = 0;
    for (uint32_t i = 0; i < causes->plan.location_count && status == 0; i++) {
        size_t count;
        const struct syn_call *held = syn_replay_held(part->replay, i, &count);
        status = append_calls(causes, i, held, count, kind);
    }
    if (status == 0)
        status = syn_replay_advance(causes->replay);
    if (status == 0 && syn_replay_queued(causes->replay) > WAITING_MANY)
        status = syn_replay_give_up(causes->replay);
    return status;
}

/* Up to the part's first cut. */
static int append_head(struct syn_causes *causes, const struct syn_causes_part *part,
                       const uint32_t *kind)
{
    int status = 0;
    for (uint32_t i = 0; i < causes->plan.location_count && status == 0; i++)
        status = append_calls(causes, i, part->head[i].call, part->head[i].count, kind);
    if (status == 0)
        status = syn_replay_advance(causes->replay);
    return status ? status : syn_replay_drain(causes->replay);
}

static int jump(struct syn_causes *causes, struct syn_causes_part *part,
                const struct syn_cause_map *map)
{
    struct syn_cut *cut = part->last.call ? &part->last : &part->first;
    int status = append_head(causes, part, map->kind);
    if (status == 0)
        status = syn_cause_sums_add(&causes->sums, syn_replay_sums(part->replay), map->label);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        cut->call[i].kind = map->kind[cut->call[i].kind];
    return status ? status : syn_replay_stand_at(causes->replay, cut);
}

int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part)
{
    struct syn_cause_map map;
    if (!part->replay)
        return 0;
    int status = syn_cause_map_make(&causes->tables, &part->tables, NULL, &map);
    if (status == 0 && part->first.call)
        status = jump(causes, part, &map);
    if (status == 0)
        status = append_held(causes, part, map.kind);
    syn_cause_map_free(&map);
    return status;
}

/* ---- as bytes ---- */

static void put_calls(const struct syn_call *call, size_t count, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, count);
    syn_bytes_put(out, call, count * sizeof *call);
}

/* The kinds in them are believed no more than a file would be. */
static const struct syn_call *take_calls(struct syn_take *take,
                                         const struct syn_cause_tables *tables, size_t *count)
{
    *count = syn_take_bounded(take, syn_take_left(take) / sizeof(struct syn_call));
    const uint8_t *bytes = syn_take_bytes(take, *count * sizeof(struct syn_call));
    struct syn_call call;
    for (size_t i = 0; bytes && i < *count; i++) {
        memcpy(&call, bytes + i * sizeof call, sizeof call);
        take->failed |= call.kind >= tables->kinds.count;
    }
    if (!bytes || take->failed)
        *count = 0;
    return (const struct syn_call *)(const void *)bytes;
}

int syn_causes_part_put(struct syn_causes_part *part, struct syn_bytes *out)
{
    const uint32_t locations = part->causes->plan.location_count;
    struct syn_cut *cut = part->last.call ? &part->last : &part->first;
    syn_bytes_put_varint(out, part->replay != NULL);
    if (!part->replay)
        return 0;
    syn_cause_tables_put(&part->tables, out);
    syn_bytes_put_varint(out, cut->call != NULL);
    if (cut->call) {
        syn_bytes_put_zigzag(out, cut->synchronized_ns);
        put_calls(cut->call, locations, out);
        for (uint32_t i = 0; i < locations; i++)
            put_calls(part->head[i].call, part->head[i].count, out);
        syn_cause_sums_put(syn_replay_sums(part->replay), out);
    }
    for (uint32_t i = 0; i < locations; i++) {
        size_t count;
        const struct syn_call *held = syn_replay_held(part->replay, i, &count);
        put_calls(held, count, out);
    }
    return out->failed ? SYN_ENOMEM : 0;
}

static int take_copy(struct syn_take *take, const struct syn_cause_tables *tables,
                     struct calls *into)
{
    size_t count;
    const struct syn_call *call = take_calls(take, tables, &count);
    return take->failed ? SYN_ETRANSPORT : copy_calls(call, count, into);
}

static int take_cuts(struct syn_causes_part *part, struct syn_take *take)
{
    const uint32_t locations = part->causes->plan.location_count;
    struct calls cut = {0};
    part->first.synchronized_ns = syn_take_zigzag(take);
    int status = take_copy(take, &part->tables, &cut);
    part->first.call = cut.call;
    if (status == 0 && cut.count != locations)
        status = SYN_ETRANSPORT;
    for (uint32_t i = 0; i < locations && status == 0; i++)
        status = take_copy(take, &part->tables, &part->head[i]);
    if (status)
        return status;
    return syn_cause_sums_take(take, (uint32_t)part->tables.labels.count,
                               syn_replay_sums(part->replay));
}

int syn_causes_part_take(struct syn_causes_part *part, struct syn_take *take,
                         const struct syn_name_map *names)
{
    if (syn_take_bounded(take, 1) == 0)
        return take->failed ? SYN_ETRANSPORT : 0;
    int status = prepare(part);
    if (status == 0)
        status = syn_cause_tables_take(take, names, &part->tables);
    if (status == 0 && syn_take_bounded(take, 1))
        status = take_cuts(part, take);
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == 0; i++) {
        size_t count;
        const struct syn_call *call = take_calls(take, &part->tables, &count);
        struct syn_call copy;
        for (size_t k = 0; k < count && status == 0; k++) {
            memcpy(&copy, (const uint8_t *)call + k * sizeof copy, sizeof copy);
            status = syn_replay_append(part->replay, i, &copy);
        }
    }
    return status == 0 && take->failed ? SYN_ETRANSPORT : status;
}
