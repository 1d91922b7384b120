/* trace/base/sections.c - writes and reads the records of a trace file that are not events: facts,
 * communicators, modules, stacks, the clock, names of operations, open calls, the end.
 *
 * put      appends a record to a growing buffer (struct syn_bytes)
 * take     reads one from a bounded buffer (struct syn_take); what is read may be damaged
 * arena    memory with a budget, for what is taken; to charge it is to use up budget alone
 * varint   a number in 1 to 10 bytes; zigzag: one with a sign
 * member   a member of a communicator, as its rank in MPI_COMM_WORLD, or -1
 * run      members whose ranks differ by one stride
 *
 * Each record has a syn_put_ and a syn_take_ function with the same fields in the same order.
 * Takers check each number before it is used, and return SYN_OK, SYN_EDAMAGED or SYN_ENOMEM. An
 * optional number is stored plus 1, so that its largest value, "unknown", becomes 0.
 *
 * Members have two forms. Rank files have a difference for each, from the rank that follows the
 * member before:
 *
 *     members        4  5  6  7  12 13
 *     syn_put_comm   4  0  0  0  4  0                  bytes of 0 for ranks that follow one another
 *     .._in_runs     (4, 4 members, stride 1) (4, 2 members, stride 1)        in node files
 *
 * Runs are parsed once to check them and find their end; then the shared lists are searched for
 * their bytes. Only runs that are new are expanded. */
#include "trace/base/sections.h"

#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"
#include "trace/base/ops.h"

/* Returns SYN_EDAMAGED if any value was out of bounds. */
static int status_of(const struct syn_take *take)
{
    return take->failed ? SYN_EDAMAGED : SYN_OK;
}

/* Returns why the arena gave no memory: SYN_EDAMAGED if the file asks for too much, SYN_ENOMEM if
 * the machine has no memory. */
static int why_refused(const struct syn_arena *arena)
{
    return arena->over_budget ? SYN_EDAMAGED : SYN_ENOMEM;
}

/* Takes a text. A text that equals `known` (NULL: none) is not copied: *out is then `known` itself,
 * which has to live as long as *out. */
static int take_known(struct syn_take *take, struct syn_arena *arena, const char *known,
                      const char **out)
{
    size_t length = syn_take_bounded(take, syn_take_left(take));
    const uint8_t *text = syn_take_bytes(take, length);
    if (!text || memchr(text, 0, length))
        return SYN_EDAMAGED;
    const bool is_known = known && strlen(known) == length && memcmp(known, text, length) == 0;
    *out = is_known ? known : syn_arena_string(arena, text, length);
    return *out ? SYN_OK : why_refused(arena);
}

static int take_string(struct syn_take *take, struct syn_arena *arena, const char **out)
{
    return take_known(take, arena, NULL, out);
}

/* ---- facts ---- */

void syn_put_meta(struct syn_bytes *out, const char *key, const char *value)
{
    syn_bytes_put_string(out, key);
    syn_bytes_put_string(out, value);
}

int syn_take_meta(struct syn_take *take, struct syn_arena *arena, const char **key,
                  const char **value)
{
    int status = take_string(take, arena, key);
    return status == SYN_OK ? take_string(take, arena, value) : status;
}

/* ---- communicators ---- */

static int64_t member_at(const struct syn_comm_record *comm, int32_t i)
{
    return comm->world_ranks ? comm->world_ranks[i] : -1;
}

/* Writes the fields that take_comm_fields reads, the size, and each member. RATIONALE: this
 * function is fast, because a program may create communicators without end. It reserves the
 * record's room once; the rest is stores. */
void syn_put_comm(struct syn_bytes *out, const struct syn_comm_record *comm)
{
    const size_t name_bytes = comm->name ? strlen(comm->name) : 0;
    const size_t numbers = 5 + (comm->size > 0 ? (size_t)comm->size : 0);
    uint8_t *const begin =
        syn_bytes_reserve(out, numbers * SYN_VARINT_MAX_BYTES + 2 * sizeof(uint64_t) + name_bytes);
    if (!begin)
        return;
    uint8_t *at = syn_varint_to(begin, comm->index);
    syn_store64(at, comm->id);
    syn_store64(at + 8, comm->parent_id);
    at = syn_varint_to(at + 16, syn_zigzag(comm->rank));
    at = syn_varint_to(at, syn_zigzag(comm->remote_size));
    at = syn_varint_to(at, name_bytes);
    if (name_bytes > 0)
        memcpy(at, comm->name, name_bytes);
    at = syn_varint_to(at + name_bytes, (uint64_t)comm->size);
    /* A difference is stored for each member. Mostly ranks follow one another, so most bytes are 0.
     */
    int64_t expected = 0;
    for (int32_t i = 0; i < comm->size; i++) {
        const int64_t world_rank = member_at(comm, i);
        at = syn_varint_to(at, syn_zigzag(world_rank - expected));
        expected = world_rank + 1;
    }
    out->count += (size_t)(at - begin);
}

void syn_put_comm_in_runs(struct syn_bytes *out, const struct syn_comm_record *comm)
{
    int64_t expected = 0, stride;
    syn_bytes_put_varint(out, comm->index);
    syn_bytes_put_u64(out, comm->id);
    syn_bytes_put_u64(out, comm->parent_id);
    syn_bytes_put_zigzag(out, comm->rank);
    syn_bytes_put_zigzag(out, comm->remote_size);
    syn_bytes_put_string(out, comm->name);
    syn_bytes_put_varint(out, (uint64_t)comm->size);
    for (int32_t i = 0, length; i < comm->size; i += length) {
        int32_t end = i + 1;
        stride = end < comm->size ? member_at(comm, end) - member_at(comm, i) : 0;
        while (end < comm->size && member_at(comm, end) - member_at(comm, end - 1) == stride)
            end++;
        length = end - i;
        syn_bytes_put_zigzag(out, member_at(comm, i) - expected);
        syn_bytes_put_varint(out, (uint64_t)length - 1);
        if (length > 1)
            syn_bytes_put_zigzag(out, stride - 1);
        expected = member_at(comm, i + length - 1) + 1;
    }
}

/* Skips at most `most` bytes of 0, each of which stands for a rank that follows the one before.
 * Returns the number of bytes. */
static int32_t take_zeros(struct syn_take *take, int32_t most)
{
    const uint8_t *at = take->at;
    const uint8_t *end = at + syn_least(syn_take_left(take), (size_t)most);
    uint64_t word = 0;
    while (end - at >= 8 && (memcpy(&word, at, 8), word == 0))
        at += 8;
    while (at < end && *at == 0)
        at++;
    const int32_t count = (int32_t)(at - take->at);
    take->at = at;
    return count;
}

/* Takes the ranks of `count` members. Valid ranks differ by at most 2^32; the check keeps the sum
 * from overflowing. */
static int take_each_rank(struct syn_take *take, int32_t *rank, int32_t count)
{
    int64_t expected = 0;
    for (int32_t i = 0; i < count; i++) {
        const int32_t follow = take_zeros(take, count - i);
        if (expected + follow > (int64_t)INT32_MAX + 1)
            return SYN_EDAMAGED;
        for (int32_t j = 0; j < follow; j++)
            rank[i + j] = (int32_t)expected + j;
        expected += follow;
        i += follow;
        if (i == count)
            break;
        const int64_t delta = syn_take_zigzag(take);
        if (delta < -INT64_C(0x100000000) || delta > INT64_C(0x100000000))
            return SYN_EDAMAGED;
        const int64_t world_rank = expected + delta;
        if (world_rank < -1 || world_rank > INT32_MAX)
            return SYN_EDAMAGED;
        rank[i] = (int32_t)world_rank;
        expected = world_rank + 1;
    }
    return status_of(take);
}

/* Takes the fields before the members. */
static int take_comm_fields(struct syn_take *take, struct syn_arena *arena,
                            struct syn_comm_record *out)
{
    out->index = (uint32_t)syn_take_bounded(take, UINT32_MAX - 1);
    out->id = syn_take_u64(take);
    out->parent_id = syn_take_u64(take);
    out->rank = syn_take_int32(take);
    out->remote_size = syn_take_int32(take);
    if (out->remote_size == INT32_MIN) /* readers negate it */
        return SYN_EDAMAGED;
    return take_string(take, arena, &out->name);
}

int syn_take_comm(struct syn_take *take, struct syn_arena *arena, struct syn_rank_lists *lists,
                  struct syn_comm_record *out)
{
    int status = take_comm_fields(take, arena, out);
    if (status != SYN_OK)
        return status;
    /* A member takes at least one byte. */
    size_t left = syn_take_left(take);
    out->size = (int32_t)syn_take_bounded(take, syn_least(left, INT32_MAX));
    if (take->failed)
        return SYN_EDAMAGED;
    if (!syn_arena_charge(arena, (uint64_t)out->size * sizeof *out->world_ranks))
        return why_refused(arena);
    int32_t *room = syn_rank_lists_room(lists, out->size);
    if (!room)
        return SYN_ENOMEM;
    status = take_each_rank(take, room, out->size);
    if (status != SYN_OK)
        return status;
    const struct syn_ranks *ranks = syn_rank_lists_keep(lists, room, out->size);
    out->world_ranks = ranks ? ranks->rank : NULL;
    return ranks ? SYN_OK : SYN_ENOMEM;
}

/* Members whose ranks differ by one stride. */
struct run {
    int64_t first, stride;
    int32_t length;
};

static bool is_world_rank(int64_t rank)
{
    return rank >= -1 && rank <= INT32_MAX;
}

/* Takes the next run, of at most `most` > 0 members. *expected is the rank that follows the run
 * before; on return it is the rank that follows this run. Strides and differences of valid runs are
 * within 2^33, so `far` refuses no valid run, and below it no product or sum overflows. */
static bool take_run(struct syn_take *take, int32_t most, int64_t *expected, struct run *out)
{
    const int64_t delta = syn_take_zigzag(take);
    out->length = (int32_t)syn_take_bounded(take, (uint64_t)most - 1) + 1;
    const int64_t stride_less_1 = out->length > 1 ? syn_take_zigzag(take) : 0;
    const int64_t far = INT64_C(1) << 33;
    if (take->failed || delta < -far || delta > far || stride_less_1 < -far || stride_less_1 > far)
        return false;
    out->first = *expected + delta;
    out->stride = stride_less_1 + 1;
    if (!is_world_rank(out->first) || out->stride > far / out->length ||
        out->stride < -far / out->length)
        return false;
    const int64_t last = out->first + (out->length - 1) * out->stride;
    *expected = last + 1;
    return is_world_rank(last);
}

/* Finds the list of ranks whose encoded form is `runs`, or expands and keeps it. */
static int keep_runs(struct syn_arena *arena, struct syn_rank_lists *lists,
                     const struct syn_rank_code *runs, struct syn_comm_record *out)
{
    const struct syn_ranks *ranks = syn_rank_lists_coded(lists, runs);
    if (!ranks) {
        if (!syn_arena_charge(arena, (uint64_t)out->size * sizeof *out->world_ranks))
            return why_refused(arena);
        int32_t *room = syn_rank_lists_room(lists, out->size);
        if (!room)
            return SYN_ENOMEM;
        struct syn_take take = syn_take_from(runs->data, runs->bytes);
        struct run run;
        int64_t expected = 0;
        for (int32_t i = 0; i < out->size && take_run(&take, out->size - i, &expected, &run);
             i += run.length)
            for (int32_t j = 0; j < run.length; j++)
                room[i + j] = (int32_t)(run.first + j * run.stride);
        ranks = syn_rank_lists_keep_coded(lists, room, runs);
    }
    out->world_ranks = ranks ? ranks->rank : NULL;
    return ranks ? SYN_OK : SYN_ENOMEM;
}

int syn_take_comm_in_runs(struct syn_take *take, struct syn_arena *arena,
                          struct syn_rank_lists *lists, struct syn_comm_record *out)
{
    int status = take_comm_fields(take, arena, out);
    if (status != SYN_OK)
        return status;
    out->size = (int32_t)syn_take_bounded(take, INT32_MAX);
    if (take->failed)
        return SYN_EDAMAGED;
    /* Check the runs and move past them. */
    const uint8_t *begin = take->at;
    int64_t expected = 0;
    struct run run;
    for (int32_t i = 0; i < out->size; i += run.length)
        if (!take_run(take, out->size - i, &expected, &run))
            return SYN_EDAMAGED;
    const struct syn_rank_code runs = {begin, (size_t)(take->at - begin), out->size};
    return keep_runs(arena, lists, &runs, out);
}

/* ---- modules and stacks ---- */

void syn_put_module(struct syn_bytes *out, const struct syn_module_record *module)
{
    size_t build_id_bytes = module->build_id ? module->build_id_bytes : 0;
    syn_bytes_put_varint(out, module->index);
    syn_bytes_put_string(out, module->path);
    syn_bytes_put_varint(out, build_id_bytes);
    syn_bytes_put(out, module->build_id, build_id_bytes);
}

int syn_take_module(struct syn_take *take, struct syn_arena *arena, struct syn_module_record *out)
{
    out->index = (uint32_t)syn_take_bounded(take, UINT32_MAX - 1);
    int status = take_string(take, arena, &out->path);
    if (status != SYN_OK)
        return status;
    out->build_id_bytes = syn_take_bounded(take, syn_take_left(take));
    const uint8_t *build_id = syn_take_bytes(take, out->build_id_bytes);
    if (take->failed)
        return SYN_EDAMAGED;
    out->build_id = NULL;
    if (out->build_id_bytes == 0)
        return SYN_OK;
    out->build_id = (const uint8_t *)syn_arena_string(arena, build_id, out->build_id_bytes);
    return out->build_id ? SYN_OK : why_refused(arena);
}

SYN_HOT void syn_put_stack(struct syn_bytes *out, const struct syn_stack_record *stack)
{
    const size_t numbers = 2 + 2 * (size_t)stack->depth;
    uint8_t *const start = syn_bytes_reserve(out, numbers * SYN_VARINT_MAX_BYTES);
    if (!start)
        return;
    uint8_t *at = syn_varint_to(syn_varint_to(start, stack->index), stack->depth);
    for (uint32_t i = 0; i < stack->depth; i++) {
        /* Module UINT32_MAX (unknown) becomes 0. */
        at = syn_varint_to(at, (uint32_t)(stack->frames[i].module + 1));
        at = syn_varint_to(at, stack->frames[i].offset);
    }
    out->count += (size_t)(at - start);
}

int syn_take_stack(struct syn_take *take, struct syn_arena *arena, struct syn_stack_record *out)
{
    out->index = (uint32_t)syn_take_bounded(take, UINT32_MAX - 1);
    /* A frame takes at least two bytes. */
    out->depth = (uint32_t)syn_take_bounded(take, syn_take_left(take) / 2);
    if (take->failed)
        return SYN_EDAMAGED;
    struct syn_frame *frames = syn_arena_take(arena, out->depth, sizeof *frames);
    if (!frames)
        return why_refused(arena);
    for (uint32_t i = 0; i < out->depth; i++) {
        frames[i].module = (uint32_t)syn_take_bounded(take, UINT32_MAX) - 1;
        frames[i].offset = syn_take_varint(take);
    }
    out->frames = frames;
    return status_of(take);
}

/* ---- clock ---- */

void syn_put_clock(struct syn_bytes *out, const struct syn_clock_section *clock)
{
    syn_bytes_put_varint(out, (uint64_t)clock->ticks.kind);
    syn_bytes_put_zigzag(out, clock->ticks.base_ticks);
    syn_bytes_put_varint(out, clock->ticks.multiplier);
    syn_bytes_put_zigzag(out, clock->ticks.calibration_ticks);
    syn_bytes_put_zigzag(out, clock->ticks.calibration_ns);
    const struct syn_timeline *timeline = &clock->timeline;
    syn_bytes_put_varint(out, timeline->knot_count);
    for (size_t i = 0; i < timeline->knot_count; i++) {
        syn_bytes_put_zigzag(out, timeline->knots[i].local_ns);
        syn_bytes_put_zigzag(out, timeline->knots[i].offset_ns);
        syn_bytes_put_zigzag(out, timeline->knots[i].half_width_ns);
    }
    /* Doubles are stored exactly: with a rounded slope a reader would compute other global times
     * than the writer. */
    syn_bytes_put_double(out, timeline->slope_before);
    syn_bytes_put_double(out, timeline->slope_after);
    syn_bytes_put_double(out, timeline->slope_half_width);
    syn_bytes_put_double(out, timeline->wander);
    syn_bytes_put_varint(out, clock->fitpoint_count);
    for (size_t i = 0; i < clock->fitpoint_count; i++) {
        syn_bytes_put_zigzag(out, clock->fitpoints[i].peer_rank);
        syn_bytes_put_zigzag(out, clock->fitpoints[i].stage);
        syn_bytes_put_zigzag(out, clock->fitpoints[i].local_ns);
        syn_bytes_put_zigzag(out, clock->fitpoints[i].low_ns);
        syn_bytes_put_zigzag(out, clock->fitpoints[i].high_ns);
        syn_bytes_put_zigzag(out, clock->fitpoints[i].rtt_min_ns);
    }
    syn_bytes_put_varint(out, clock->has_quality);
    if (clock->has_quality) {
        const struct syn_sync_quality *quality = &clock->quality;
        syn_bytes_put_zigzag(out, quality->begin_ns);
        syn_bytes_put_zigzag(out, quality->end_ns);
        syn_bytes_put_zigzag(out, quality->message_count);
        syn_bytes_put_zigzag(out, quality->round_count);
        syn_bytes_put_zigzag(out, quality->group_size);
        syn_bytes_put_zigzag(out, quality->reference_rank);
        syn_bytes_put_double(out, quality->slope_ppm);
        syn_bytes_put_zigzag(out, quality->half_width_ns);
    }
}

int syn_take_clock(struct syn_take *take, struct syn_arena *arena, struct syn_clock_section *out)
{
    out->ticks = (struct syn_tick_source){0};
    out->ticks.kind = (enum syn_clock_kind)syn_take_bounded(take, SYN_CLOCK_FUNCTION);
    out->ticks.base_ticks = syn_take_zigzag(take);
    out->ticks.multiplier = syn_take_varint(take);
    out->ticks.calibration_ticks = syn_take_zigzag(take);
    out->ticks.calibration_ns = syn_take_zigzag(take);
    /* A knot takes at least three bytes, a measurement at least six. */
    struct syn_timeline *timeline = &out->timeline;
    syn_timeline_init(timeline);
    timeline->knot_count = syn_take_bounded(take, syn_take_left(take) / 3);
    timeline->knots = syn_arena_take(arena, timeline->knot_count, sizeof *timeline->knots);
    if (!timeline->knots)
        return why_refused(arena);
    for (size_t i = 0; i < timeline->knot_count; i++) {
        struct syn_knot *knot = &timeline->knots[i];
        knot->local_ns = syn_take_zigzag(take);
        knot->offset_ns = syn_take_zigzag(take);
        knot->half_width_ns = syn_take_zigzag(take);
        if (i > 0 && knot->local_ns <= knot[-1].local_ns)
            return SYN_EDAMAGED;
    }
    timeline->slope_before = syn_take_double(take);
    timeline->slope_after = syn_take_double(take);
    timeline->slope_half_width = syn_take_double(take);
    timeline->wander = syn_take_double(take);
    out->fitpoint_count = syn_take_bounded(take, syn_take_left(take) / 6);
    struct syn_fitpoint *points = syn_arena_take(arena, out->fitpoint_count, sizeof *points);
    out->fitpoints = points;
    if (!points)
        return why_refused(arena);
    for (size_t i = 0; i < out->fitpoint_count; i++) {
        points[i].peer_rank = syn_take_int32(take);
        points[i].stage = syn_take_int32(take);
        points[i].local_ns = syn_take_zigzag(take);
        points[i].low_ns = syn_take_zigzag(take);
        points[i].high_ns = syn_take_zigzag(take);
        points[i].rtt_min_ns = syn_take_zigzag(take);
    }
    out->has_quality = syn_take_bounded(take, 1) == 1;
    if (out->has_quality) {
        out->quality.begin_ns = syn_take_zigzag(take);
        out->quality.end_ns = syn_take_zigzag(take);
        out->quality.message_count = syn_take_zigzag(take);
        out->quality.round_count = syn_take_int32(take);
        out->quality.group_size = syn_take_int32(take);
        out->quality.reference_rank = syn_take_int32(take);
        out->quality.slope_ppm = syn_take_double(take);
        out->quality.half_width_ns = syn_take_zigzag(take);
    }
    return status_of(take);
}

/* ---- operation names ---- */

/* The operations that may be events: all collectives, then the messages. */
size_t syn_put_ops(struct syn_bytes *out)
{
    static const uint16_t messages[] = {
#define MESSAGE_NOTHING(Name)
#define MESSAGE_SOME(Name)                                             SYN_CALL_##Name,
#define NOTHING()                                                      NOTHING
#define SENDS_NOW(...)                                                 SOME
#define TAKES_NOW(...)                                                 SOME
#define SWAPS_NOW(...)                                                 SOME
#define SENDS_LATER(...)                                               SOME
#define TAKES_LATER(...)                                               SOME
#define SWAPS_LATER(...)                                               SOME
#define MATCHES(...)                                                   NOTHING
#define MATCHES_IF(...)                                                NOTHING
#define CANCELS(...)                                                   NOTHING
#define CLAIMS_NOW(...)                                                SOME
#define CLAIMS_LATER(...)                                              SOME
#define MESSAGE_IF(moves, Name)                                        MESSAGE_IF_(moves, Name)
#define MESSAGE_IF_(moves, Name)                                       MESSAGE_##moves(Name)
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) MESSAGE_IF(MOVES, Name)
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES)       SYN_CALL_##Name,
#include "trace/base/messages.def"
    };
    const size_t collectives = (size_t)SYN_FORM_COUNT * SYN_ROW_COUNT;
    size_t count = 0;
    for (size_t i = 0; i < collectives + sizeof messages / sizeof *messages; i++) {
        const uint16_t op = i < collectives ? syn_op_id((enum syn_op_row)(i % SYN_ROW_COUNT),
                                                        (enum syn_op_form)(i / SYN_ROW_COUNT))
                                            : messages[i - collectives];
        if (!syn_call_name(op))
            continue;
        syn_bytes_put_varint(out, op);
        syn_bytes_put_string(out, syn_call_name(op));
        count++;
    }
    return count;
}

int syn_take_op(struct syn_take *take, struct syn_arena *arena, uint16_t *op, const char **name)
{
    *op = (uint16_t)syn_take_bounded(take, UINT16_MAX);
    return take_known(take, arena, syn_call_name(*op), name);
}

/* ---- open calls ---- */

static int32_t plain_peer(const struct syn_open_names *names, int32_t peer)
{
    if (peer == names->any_source)
        return SYN_PEER_ANY;
    if (peer == names->proc_null)
        return SYN_PEER_NOBODY;
    return peer >= 0 ? peer : SYN_PEER_UNKNOWN;
}

static int32_t plain_tag(const struct syn_open_names *names, int32_t tag)
{
    return tag == names->any_tag || tag < 0 ? SYN_TAG_ANY : tag;
}

void syn_open_line_make_plain(const struct syn_open_names *names, struct syn_open_line *line)
{
    if (syn_call_kind(line->call) != SYN_CALL_KIND_MESSAGE)
        return;
    line->peer = plain_peer(names, line->peer);
    line->tag = plain_tag(names, line->tag);
    line->from_peer = plain_peer(names, line->from_peer);
    line->from_tag = plain_tag(names, line->from_tag);
}

/* The fields of_op, comm, stack, sequence and bytes are optional. They are stored plus 1, because
 * the largest value of their type means that they are absent. */
void syn_put_open(struct syn_bytes *out, uint32_t thread, const struct syn_open_line *line)
{
    syn_bytes_put_varint(out, thread);
    syn_bytes_put_varint(out, line->call);
    syn_bytes_put_varint(out, (uint16_t)(line->of_op + 1));
    syn_bytes_put_varint(out, line->comm + 1);
    syn_bytes_put_varint(out, line->stack + 1);
    syn_bytes_put_varint(out, line->sequence + 1);
    syn_bytes_put_varint(out, line->bytes + 1);
    syn_bytes_put_zigzag(out, line->peer);
    syn_bytes_put_zigzag(out, line->tag);
    syn_bytes_put_zigzag(out, line->from_peer);
    syn_bytes_put_zigzag(out, line->from_tag);
    syn_bytes_put_zigzag(out, line->start_ticks);
    syn_bytes_put_zigzag(out, line->end_ticks);
}

int syn_take_open(struct syn_take *take, uint32_t *thread, struct syn_open_line *out)
{
    *out = (struct syn_open_line){0};
    *thread = (uint32_t)syn_take_bounded(take, UINT32_MAX);
    out->call = (uint16_t)syn_take_bounded(take, UINT16_MAX);
    out->of_op = (uint16_t)(syn_take_bounded(take, UINT16_MAX) - 1);
    out->comm = (uint32_t)syn_take_bounded(take, UINT32_MAX) - 1;
    out->stack = (uint32_t)syn_take_bounded(take, UINT32_MAX) - 1;
    out->sequence = syn_take_varint(take) - 1;
    out->bytes = syn_take_varint(take) - 1;
    out->peer = syn_take_int32(take);
    out->tag = syn_take_int32(take);
    out->from_peer = syn_take_int32(take);
    out->from_tag = syn_take_int32(take);
    out->start_ticks = syn_take_zigzag(take);
    out->end_ticks = syn_take_zigzag(take);
    return status_of(take);
}

/* ---- end ---- */

void syn_put_end(struct syn_bytes *out, const struct syn_end_record *end)
{
    syn_bytes_put_varint(out, (uint64_t)end->ending);
    syn_bytes_put_varint(out, end->event_count);
    syn_bytes_put_varint(out, end->dropped_count);
}

int syn_take_end(struct syn_take *take, struct syn_end_record *out)
{
    uint64_t ending = syn_take_bounded(take, UINT8_MAX);
    /* A file of a later version may have endings that this build does not know. */
    out->ending = syn_ending_is_known(ending) ? (enum syn_ending)ending : SYN_ENDING_UNKNOWN;
    out->event_count = syn_take_varint(take);
    out->dropped_count = syn_take_varint(take);
    return status_of(take);
}
