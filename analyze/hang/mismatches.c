/* analyze/hang/mismatches.c - finds the minority of each difference, and whether that minority made
 * some calls more or fewer (a shift). */
#include "analyze/hang/mismatches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/hang/order.h"
#include "analyze/print/text.h"
#include "analyze/print/units.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/read/open_calls.h"

const char *syn_mismatch_name(const struct syn_mismatch *mismatch)
{
    static const char *const names[] = {
        [SYN_DIFFERENCE_OPERATION] = "operation", [SYN_DIFFERENCE_ROOT] = "root",
        [SYN_DIFFERENCE_BYTES] = "bytes",         [SYN_DIFFERENCE_REDUCTION] = "reduction",
        [SYN_DIFFERENCE_TYPE] = "type",
    };
    return mismatch->shift != 0 ? "order" : names[mismatch->by];
}

/* ---- the minority ---- */

struct vote {
    uint64_t value;
    const struct syn_said *said;
};

SYN_ORDER(by_value_then_member, struct vote, SYN_UP(value) ?: SYN_UP(said->member))

/* Returns the rank of each member of a communicator in MPI_COMM_WORLD; -1: not known. The caller
 * frees the list; NULL: no memory. */
static int32_t *list_world_ranks(const struct syn_comms *comms, uint32_t comm)
{
    const struct syn_communicator *of = &comms->comm[comm];
    int32_t *world = malloc(((size_t)of->full_size + 1) * sizeof *world);
    for (uint32_t m = 0; world && m < of->full_size; m++)
        world[m] = of->world_rank && m < of->size ? (int32_t)of->world_rank[m] : -1;
    for (int32_t r = 0; world && !of->world_rank && r < comms->rank_count; r++)
        for (size_t i = 0; i < comms->place_count[r]; i++)
            if (comms->place[r][i].comm == comm && comms->place[r][i].member < of->full_size)
                world[comms->place[r][i].member] = r;
    return world;
}

static char *describe(const struct syn_said *said, enum syn_difference by)
{
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    char bytes[SYN_UNIT_BYTES];
    const char *op = syn_op_name(said->op);
    switch (by) {
    case SYN_DIFFERENCE_OPERATION:
        syn_text_string(&text, op ? op : "an unknown call");
        break;
    case SYN_DIFFERENCE_ROOT:
        syn_text_format(&text, "root %d", said->root);
        break;
    case SYN_DIFFERENCE_BYTES:
        syn_text_string(&text, syn_unit_bytes(bytes, (double)said->bytes));
        break;
    case SYN_DIFFERENCE_REDUCTION:
        syn_text_string(&text, syn_reduction_name(syn_attributes_reduction(said->elements)));
        break;
    default:
        syn_text_string(&text, syn_type_class_name(syn_attributes_class(said->elements)));
    }
    return text.failed ? NULL : strdup(syn_text_chars(&text));
}

SYN_ORDER(by_number, int32_t, SYN_UP_ITSELF)

/* The lowest member of the minority and of the others. */
struct sides {
    const struct syn_said *few, *many;
};

/* Plan: put the votes in order of values; the most common value is right; all others are the
 * minority. Returns SYN_EEND if there is no minority. */
static int divide(const int32_t *world, const struct syn_disagreement *first,
                  enum syn_difference by, struct syn_mismatch *out, struct sides *sides)
{
    SYN_FREED struct vote *vote = malloc((first->said_count + 1) * sizeof *vote);
    size_t count = 0;
    out->rank = malloc((first->said_count + 1) * sizeof *out->rank);
    if (!vote || !out->rank)
        return SYN_ENOMEM;
    for (size_t i = 0; i < first->said_count; i++) {
        const uint64_t value = syn_said_value(&first->said[i], by);
        if (value != SYN_SAID_NOTHING)
            vote[count++] = (struct vote){value, &first->said[i]};
    }
    qsort(vote, count, sizeof *vote, by_value_then_member);
    /* find the most common value; of several, that of the lowest member */
    size_t best = 0, best_length = 0;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && vote[end].value == vote[i].value;)
            end++;
        if (end - i > best_length ||
            (end - i == best_length && vote[i].said->member < vote[best].said->member)) {
            best = i;
            best_length = end - i;
        }
    }
    const uint64_t right = vote[best].value;
    *sides = (struct sides){NULL, NULL};
    for (size_t i = 0; i < count; i++) {
        const struct syn_said **side = vote[i].value == right ? &sides->many : &sides->few;
        if (!*side || vote[i].said->member < (*side)->member)
            *side = vote[i].said;
        if (vote[i].value != right)
            out->rank[out->rank_count++] = world[vote[i].said->member];
    }
    out->others_count = count - out->rank_count;
    if (out->rank_count > 0)
        qsort(out->rank, out->rank_count, sizeof *out->rank, by_number);
    return sides->few && sides->many ? SYN_OK : SYN_EEND;
}

/* ---- the calls around a difference ---- */

/* The calls of a rank on a communicator, by sequence number, from `first` on. */
struct walk {
    uint64_t first;
    struct syn_step step[2 * SYN_ORDER_BEFORE];
    bool known[2 * SYN_ORDER_BEFORE];
    size_t count; /* of `step` after align(): calls that follow each other without a gap */
};

static void put_step(struct walk *walk, uint64_t sequence, uint16_t op, uint32_t site)
{
    if (sequence < walk->first || sequence - walk->first >= 2 * SYN_ORDER_BEFORE)
        return;
    walk->step[sequence - walk->first] = (struct syn_step){site, op};
    walk->known[sequence - walk->first] = true;
}

static uint32_t site_of(const struct syn_look *look, int32_t rank, uint32_t stack)
{
    struct syn_rank_names *names = look->rank_names.rank[rank];
    return names ? syn_rank_names_site(names, stack) : SYN_NO_NAME;
}

/* The sequence numbers of a communicator's events in one chunk. It has none if `least` is above
 * `most`. */
struct extent {
    uint64_t least, most;
};

/* State while a walk is read from one rank's file. */
struct walker {
    const struct syn_look *look;
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    int32_t rank;
    uint32_t comm;
    struct walk *walk;
};

/* Puts the steps of the i-th chunk into the walk; a damaged chunk has none. Returns 0, SYN_EIO or
 * SYN_ENOMEM. */
static int walk_chunk(const struct walker *walker, size_t i, struct extent *extent)
{
    struct syn_event_columns columns;
    *extent = (struct extent){UINT64_MAX, 0};
    syn_cursor_seek(walker->cursor, i);
    const int status = syn_cursor_next(walker->cursor, &columns);
    for (size_t e = 0; status == SYN_OK && e < columns.count; e++) {
        if (syn_is_message(columns.op[e]) ||
            walker->look->comms->place[walker->rank][columns.comm[e]].comm != walker->comm)
            continue;
        put_step(walker->walk, columns.sequence[e], columns.op[e],
                 site_of(walker->look, walker->rank, columns.stack[e]));
        extent->least = syn_least(extent->least, columns.sequence[e]);
        extent->most = syn_largest(extent->most, columns.sequence[e]);
    }
    return status == SYN_ENOMEM || status == SYN_EIO ? status : SYN_OK;
}

/* Reads the rank's calls around `at_ns`. Returns SYN_EEND if the rank has no file. */
static int read_walk(const struct syn_look *look, int32_t rank, uint32_t comm, int64_t at_ns,
                     struct walk *walk)
{
    struct walker walker = {look, syn_trace_rank(look->trace, rank), NULL, rank, comm, walk};
    int status = walker.file ? syn_cursor_open(walker.file, &walker.cursor) : SYN_EEND;
    if (status != SYN_OK)
        return status;
    /* Read chunks backwards from `at_ns` until the first call of the walk, then forwards until its
     * last call. Chunks of other threads that overlap in time are read, too. */
    const uint64_t first = walker.walk->first, last = first + 2 * SYN_ORDER_BEFORE - 1;
    const size_t count = syn_rank_chunk_count(walker.file);
    int64_t since_ns = INT64_MIN, until_ns = INT64_MAX;
    struct syn_chunk_summary chunk;
    struct extent extent;
    status = SYN_OK;
    for (size_t i = count; i-- > 0 && status == SYN_OK;) {
        if (!syn_rank_chunk(walker.file, i, &chunk) || chunk.start_ns > at_ns ||
            chunk.end_ns < since_ns)
            continue;
        status = walk_chunk(&walker, i, &extent);
        if (extent.least <= first)
            since_ns = syn_largest(since_ns, chunk.start_ns);
    }
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        if (!syn_rank_chunk(walker.file, i, &chunk) || chunk.start_ns <= at_ns ||
            chunk.start_ns > until_ns)
            continue;
        status = walk_chunk(&walker, i, &extent);
        if (extent.most >= last)
            until_ns = syn_least(until_ns, chunk.end_ns);
    }
    syn_cursor_close(walker.cursor);
    const struct syn_rank_file *file = syn_trace_rank(look->trace, rank);
    struct syn_open_call call;
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++)
        if (call.state == SYN_OPEN_INSIDE && syn_call_kind(call.call) == SYN_CALL_KIND_COLLECTIVE &&
            call.comm < look->comms->place_count[rank] &&
            look->comms->place[rank][call.comm].comm == comm)
            put_step(walk, call.sequence, call.call, site_of(look, rank, call.stack));
    return status;
}

/* Moves the steps of both walks to the front, from the first call before `at` since which neither
 * has a gap. Returns the index of the difference in both; SIZE_MAX: one of them lacks that call. */
static size_t align(struct walk *a, struct walk *b, size_t at)
{
    size_t first = at;
    if (!a->known[at] || !b->known[at])
        return SIZE_MAX;
    while (first > 0 && a->known[first - 1] && b->known[first - 1])
        first--;
    struct walk *both[] = {a, b};
    for (int i = 0; i < 2; i++) {
        struct walk *walk = both[i];
        walk->count = 0;
        for (size_t s = first; s < 2 * SYN_ORDER_BEFORE && walk->known[s]; s++)
            walk->step[walk->count++] = walk->step[s];
    }
    return at - first;
}

/* ---- all differences ---- */

static char *shift_words(int calls, uint16_t op)
{
    static const char *const numbers[] = {"no",   "one", "two",   "three", "four",
                                          "five", "six", "seven", "eight"};
    char text[128];
    const char *name = syn_op_name(op);
    snprintf(text, sizeof text, "%s %s%s %s", numbers[abs(calls)], name ? name : "call",
             abs(calls) > 1 ? " and what follows" : "", calls < 0 ? "less" : "more");
    return strdup(text);
}

static int make_one(const struct syn_look *look, uint32_t comm,
                    const struct syn_disagreement *first, struct syn_mismatch *out)
{
    const enum syn_difference by = syn_said_compare(first->said, first->said_count);
    struct sides sides;
    *out = (struct syn_mismatch){.by = by,
                                 .comm = look->comms->comm[comm].label,
                                 .sequence = first->sequence,
                                 .start_ns = first->start_ns,
                                 .instance_count = first->instance_count};
    SYN_FREED int32_t *world = list_world_ranks(look->comms, comm);
    int status = world ? divide(world, first, by, out, &sides) : SYN_ENOMEM;
    if (status != SYN_OK)
        return status;
    out->op = sides.many->op;
    out->site = sides.few->site;
    out->others_site = sides.many->site;
    SYN_FREED struct walk *walk = calloc(2, sizeof *walk);
    const struct syn_said *said[] = {sides.few, sides.many};
    const uint64_t from =
        first->sequence < SYN_ORDER_BEFORE ? 0 : first->sequence - SYN_ORDER_BEFORE;
    status = walk ? SYN_OK : SYN_ENOMEM;
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        const int32_t rank = world[said[i]->member];
        walk[i].first = from;
        status = rank < 0 ? SYN_EEND : read_walk(look, rank, comm, first->start_ns, &walk[i]);
    }
    if (status == SYN_OK) {
        struct syn_call_shift shift;
        const size_t at = align(&walk[0], &walk[1], first->sequence - from);
        if (at != SIZE_MAX &&
            syn_order_shift(walk[0].step, walk[0].count, walk[1].step, walk[1].count, at, &shift)) {
            out->shift = shift.calls;
            out->sequence = first->sequence - (at - shift.at);
            out->op = shift.op;
            out->site = out->others_site = shift.site;
        }
    }
    status = status == SYN_EEND ? SYN_OK : status;
    const bool order = out->shift != 0;
    out->what = order ? shift_words(out->shift, out->op) : describe(sides.few, by);
    out->others_what = describe(sides.many, order ? SYN_DIFFERENCE_OPERATION : by);
    return status == SYN_OK && (!out->what || !out->others_what) ? SYN_ENOMEM : status;
}

SYN_ORDER(by_time, struct syn_mismatch, SYN_UP(start_ns) ?: SYN_UP(comm))

static void free_one(struct syn_mismatch *mismatch)
{
    free(mismatch->rank);
    free(mismatch->what);
    free(mismatch->others_what);
}

int syn_mismatches_make(const struct syn_look *look, const struct syn_disagreements *all,
                        struct syn_mismatches *out)
{
    size_t count = 0;
    int status = SYN_OK;
    *out = (struct syn_mismatches){0};
    for (size_t c = 0; c < look->comms->count; c++)
        count += all->first[c].instance_count > 0;
    out->at = calloc(count + 1, sizeof *out->at);
    if (!out->at)
        return SYN_ENOMEM;
    for (uint32_t c = 0; c < look->comms->count && status == SYN_OK; c++) {
        if (all->first[c].instance_count == 0)
            continue;
        status = make_one(look, c, &all->first[c], &out->at[out->count]);
        if (status == SYN_EEND) {
            free_one(&out->at[out->count]);
            status = SYN_OK;
        } else {
            out->count++;
        }
    }
    if (out->count > 0)
        qsort(out->at, out->count, sizeof *out->at, by_time);
    return status;
}

void syn_mismatches_free(struct syn_mismatches *mismatches)
{
    for (size_t i = 0; i < mismatches->count; i++)
        free_one(&mismatches->at[i]);
    free(mismatches->at);
    *mismatches = (struct syn_mismatches){0};
}
