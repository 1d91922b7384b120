/* tests/mpi/dump_trace.c - a trace as lines of text, for the tests of the injected library.
 * usage: dump_trace rows TRACE     RANK THREAD OP COMMUNICATOR{world ranks} SEQUENCE BYTES ROOT
 * FLAGS (but that of a pause), in order of the record; messages left out dump_trace messages TRACE
 * RANK THREAD OP COMMUNICATOR ORDER TAG BYTES PEER KIND FLAGS dump_trace pauses TRACE   RANK and
 * how many events have the flag of a pause dump_trace comms TRACE    checks the identities of
 * communicators over ranks; exit 1 where they contradict dump_trace times TRACE    checks that
 * start <= end, in order, and that nobody leaves a barrier before the last arrives dump_trace meta
 * KEY TRACE RANK VALUE dump_trace ends TRACE     RANK ENDING EVENTS DROPPED dump_trace stacks TRACE
 * RANK DEPTH and the distinct innermost frames, as OFFSET@MODULE dump_trace open TRACE   RANK
 * THREAD STATE CALL and all that is known of the call Exit status 2: not readable. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/read/open_calls.h"
#include "trace/read/reader.h"

typedef int rank_function(struct syn_rank_file *file, const void *ctx);

static int each_rank(const struct syn_trace *trace, rank_function *visit, const void *ctx)
{
    int worst = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        const int result = file ? visit(file, ctx) : 0;
        if (!file)
            printf("%d missing\n", rank);
        worst = result > worst ? result : worst;
    }
    return worst;
}

typedef int columns_function(struct syn_rank_file *file, const struct syn_event_columns *columns);

static int each_chunk(struct syn_rank_file *file, columns_function *visit)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status, worst = 0;
    if (syn_cursor_open(file, &cursor))
        return 2;
    while (!(status = syn_cursor_next(cursor, &columns))) {
        const int result = visit(file, &columns);
        worst = result > worst ? result : worst;
    }
    syn_cursor_close(cursor);
    return status == SYN_EEND ? worst : 2;
}

static void print_ranks(const struct syn_comm_record *comm)
{
    for (int32_t i = 0; i < comm->size; i++)
        printf("%s%d", i ? "," : "{", comm->world_ranks[i]);
    printf("}");
}

static int print_columns(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, columns->comm[i]);
        const unsigned flags = SYN_EVENT_FLAGS(columns->flags[i]) & ~SYN_EVENT_PERTURBED;
        if (syn_is_message(columns->op[i]))
            continue;
        printf("%d %u %s %s", syn_rank_rank(file), columns->thread, syn_op_name(columns->op[i]),
               comm->name);
        print_ranks(comm);
        printf(" %llu %llu %d %u\n", (unsigned long long)columns->sequence[i],
               (unsigned long long)columns->bytes[i], columns->root[i], flags);
    }
    return 0;
}

static int print_rows(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    return each_chunk(file, print_columns);
}

/* ---- messages ---- */

static int print_message_columns(struct syn_rank_file *file,
                                 const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, columns->comm[i]);
        const unsigned flags = SYN_EVENT_FLAGS(columns->flags[i]) & ~SYN_EVENT_PERTURBED;
        const bool is_whole = columns->start_ns[i] <= columns->call_end_ns[i] &&
                              columns->wait_start_ns[i] <= columns->end_ns[i] &&
                              columns->call_end_ns[i] <= columns->end_ns[i];
        if (!syn_is_message(columns->op[i]))
            continue;
        printf("%d %u %s %s %u %d %llu %d %#x %u%s\n", syn_rank_rank(file), columns->thread,
               syn_rank_op_name(file, columns->op[i]), comm->name,
               syn_message_order(columns->sequence[i]), syn_message_tag(columns->sequence[i]),
               (unsigned long long)columns->bytes[i], columns->root[i], columns->attributes[i],
               flags, is_whole ? "" : " times");
    }
    return 0;
}

static int print_messages(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    return each_chunk(file, print_message_columns);
}

/* ---- pauses ---- */

static uint64_t pause_count;

static int count_pauses(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    (void)file;
    for (size_t i = 0; i < columns->count; i++)
        pause_count += (columns->flags[i] & SYN_EVENT_PERTURBED) != 0;
    return 0;
}

static int print_pauses(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    pause_count = 0;
    const int status = each_chunk(file, count_pauses);
    printf("%d %llu\n", syn_rank_rank(file), (unsigned long long)pause_count);
    return status;
}

/* ---- communicators ---- */

struct seen {
    const struct syn_comm_record *comm;
    int32_t world_rank;
};

static struct seen *seen;
static size_t seen_count;

static int collect_comms(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    const size_t count = syn_rank_comm_count(file);
    seen = realloc(seen, (seen_count + count + 1) * sizeof *seen);
    for (size_t i = 0; i < count; i++)
        seen[seen_count++] = (struct seen){syn_rank_comm(file, (uint32_t)i), syn_rank_rank(file)};
    return 0;
}

static bool is_member(const struct syn_comm_record *comm, int32_t world_rank)
{
    for (int32_t i = 0; i < comm->size; i++)
        if (comm->world_ranks[i] == world_rank)
            return true;
    return false;
}

static bool same_group(const struct syn_comm_record *a, const struct syn_comm_record *b)
{
    return a->size == b->size &&
           !memcmp(a->world_ranks, b->world_ranks, (size_t)a->size * sizeof *a->world_ranks);
}

/* Two ranks' records of one id must be of one communicator: the same group (or the two groups of an
 * intercommunicator), different ranks in it. */
static bool agree(const struct seen *a, const struct seen *b)
{
    if (a->comm->id != b->comm->id)
        return true;
    if (a->world_rank == b->world_rank || strcmp(a->comm->name, b->comm->name))
        return false;
    if (same_group(a->comm, b->comm))
        return a->comm->rank != b->comm->rank && a->comm->parent_id == b->comm->parent_id;
    return a->comm->remote_size == b->comm->size && b->comm->remote_size == a->comm->size &&
           !is_member(a->comm, b->world_rank);
}

static size_t members_seen(const struct seen *of)
{
    size_t count = 0;
    for (size_t i = 0; i < seen_count; i++)
        count += seen[i].comm->id == of->comm->id;
    return count;
}

/* Number of members that are in this MPI_COMM_WORLD. */
static size_t members_here(const struct syn_comm_record *comm)
{
    size_t count = comm->remote_size > 0 ? (size_t)comm->remote_size : 0;
    for (int32_t i = 0; i < comm->size; i++)
        count += comm->world_ranks[i] >= 0;
    return count;
}

static int check_comms(const struct syn_trace *trace)
{
    int bad = 0;
    each_rank(trace, collect_comms, NULL);
    for (size_t i = 0; i < seen_count; i++) {
        const struct syn_comm_record *comm = seen[i].comm;
        for (size_t j = i + 1; j < seen_count; j++) {
            if (agree(&seen[i], &seen[j]))
                continue;
            printf("rank %d's %s and rank %d's %s have one id\n", seen[i].world_rank, comm->name,
                   seen[j].world_rank, seen[j].comm->name);
            bad = 1;
        }
        if (comm->world_ranks[comm->rank] != seen[i].world_rank ||
            members_seen(&seen[i]) != members_here(comm)) {
            printf("rank %d: %s of %zu ranks is known to %zu\n", seen[i].world_rank, comm->name,
                   members_here(comm), members_seen(&seen[i]));
            bad = 1;
        }
    }
    printf("%zu\n", seen_count);
    free(seen);
    return bad;
}

/* ---- times ---- */

static bool is_free(uint16_t op)
{
    return op == SYN_OP_BLOCKING(COMM_FREE) || op == SYN_OP_BLOCKING(COMM_DISCONNECT) ||
           op == SYN_OP_BLOCKING(WIN_FREE) || op == SYN_OP_BLOCKING(FILE_CLOSE);
}

/* In a callback of the call before. */
static bool is_within(const struct syn_event_columns *columns, size_t i)
{
    return i > 0 && is_free(columns->op[i]) && is_free(columns->op[i - 1]) &&
           columns->start_ns[i] >= columns->start_ns[i - 1] &&
           columns->end_ns[i] <= columns->end_ns[i - 1];
}

/* Since when each thread of a rank is in no blocking call, over its chunks. */
#define THREADS_CHECKED 4096
static int64_t free_since_ns[THREADS_CHECKED];

/* A thread is in one blocking call at a time, but for what is freed while something is freed;
 * others may end in any order. */
static int check_columns(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    int64_t *kept_ns = &free_since_ns[columns->thread % THREADS_CHECKED], free_ns = *kept_ns;
    for (size_t i = 0; i < columns->count; i++) {
        const bool is_blocking = columns->op[i] / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
        const bool in_order = columns->start_ns[i] <= columns->call_end_ns[i] &&
                              columns->call_end_ns[i] <= columns->end_ns[i] &&
                              columns->wait_start_ns[i] <= columns->end_ns[i] &&
                              (columns->start_ns[i] >= free_ns || is_within(columns, i));
        if (is_blocking && columns->end_ns[i] > free_ns)
            free_ns = columns->end_ns[i];
        if (in_order)
            continue;
        printf("rank %d, event %zu: %lld to %lld\n", syn_rank_rank(file), i,
               (long long)columns->start_ns[i], (long long)columns->end_ns[i]);
        return 1;
    }
    *kept_ns = free_ns;
    return 0;
}

static int check_order(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    for (size_t t = 0; t < THREADS_CHECKED; t++)
        free_since_ns[t] = INT64_MIN;
    return each_chunk(file, check_columns);
}

/* A barrier of MPI_COMM_WORLD: the latest start and the earliest end, as far as the bounds
 * allow. */
struct barrier {
    int64_t last_start_ns, first_end_ns;
};

static struct barrier *barriers;
static size_t barrier_count;

static void widen(uint64_t sequence, int64_t start_ns, int64_t end_ns)
{
    if (sequence >= barrier_count) {
        barriers = realloc(barriers, (sequence + 1) * 2 * sizeof *barriers);
        for (size_t i = barrier_count; i < (sequence + 1) * 2; i++)
            barriers[i] = (struct barrier){INT64_MIN, INT64_MAX};
        barrier_count = (sequence + 1) * 2;
    }
    struct barrier *barrier = &barriers[sequence];
    barrier->last_start_ns = start_ns > barrier->last_start_ns ? start_ns : barrier->last_start_ns;
    barrier->first_end_ns = end_ns < barrier->first_end_ns ? end_ns : barrier->first_end_ns;
}

static int collect_columns(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, columns->comm[i]);
        if (columns->op[i] != SYN_OP_BLOCKING(BARRIER) || strcmp(comm->name, "MPI_COMM_WORLD"))
            continue;
        /* The earliest start and the latest end that the bounds allow: only what lies beyond is a
         * fault. */
        widen(columns->sequence[i],
              columns->start_ns[i] - syn_rank_bound_ns(file, columns->start_ns[i]),
              columns->end_ns[i] + syn_rank_bound_ns(file, columns->end_ns[i]));
    }
    return 0;
}

static int collect_barriers(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    return each_chunk(file, collect_columns);
}

static int check_times(const struct syn_trace *trace)
{
    size_t checked = 0;
    int bad = each_rank(trace, check_order, NULL);
    each_rank(trace, collect_barriers, NULL);
    for (size_t i = 0; i < barrier_count; i++) {
        checked += barriers[i].last_start_ns != INT64_MIN;
        if (barriers[i].last_start_ns != INT64_MIN &&
            barriers[i].first_end_ns < barriers[i].last_start_ns) {
            printf("barrier %zu: left %lld ns before the last rank came\n", i,
                   (long long)(barriers[i].last_start_ns - barriers[i].first_end_ns));
            bad = 1;
        }
    }
    printf("%zu barriers\n", checked);
    free(barriers);
    return bad;
}

/* ---- the rest ---- */

static int print_meta(struct syn_rank_file *file, const void *key)
{
    const char *value = syn_rank_meta(file, key);
    printf("%d %s\n", syn_rank_rank(file), value ? value : "(none)");
    return 0;
}

static int print_end(struct syn_rank_file *file, const void *ctx)
{
    const struct syn_end_record *end = syn_rank_end(file);
    (void)ctx;
    printf("%d %s %llu %llu\n", syn_rank_rank(file), syn_ending_name(end->ending),
           (unsigned long long)syn_rank_event_count(file), (unsigned long long)end->dropped_count);
    return 0;
}

static void print_frame(const struct syn_rank_file *file, const struct syn_frame *frame)
{
    const struct syn_module_record *module = syn_rank_module(file, frame->module);
    const char *base = module ? strrchr(module->path, '/') : NULL;
    printf(" %llx@%s", (unsigned long long)frame->offset,
           base     ? base + 1
           : module ? module->path
                    : "?");
}

static void print_peer(const char *what, struct syn_open_peer peer)
{
    static const char *const names[] = {"none", "any", "nobody", "unknown"};
    if (peer.rank == SYN_PEER_NONE)
        return;
    printf(" %s ", what);
    if (peer.rank >= 0)
        printf("%d", peer.rank);
    else
        printf("%s", names[-1 - peer.rank]);
    if (peer.tag != SYN_TAG_ANY)
        printf(" tag %d", peer.tag);
}

/* Bytes, root, reduction and type of a collective. */
static void print_data(const struct syn_open_call *call)
{
    if (call->bytes != SYN_OPEN_NO_BYTES)
        printf(" bytes %llu", (unsigned long long)call->bytes);
    if (call->root >= 0)
        printf(" root %d", call->root);
    if (call->attributes)
        printf(" %s %s%u", syn_reduction_name(syn_attributes_reduction(call->attributes)),
               syn_type_class_name(syn_attributes_class(call->attributes)),
               (unsigned)call->attributes >> 8);
}

static int print_open(struct syn_rank_file *file, const void *ctx)
{
    struct syn_open_call call;
    (void)ctx;
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++) {
        const char *name = syn_call_name(call.call);
        const struct syn_comm_record *comm = syn_rank_comm(file, call.comm);
        printf("%d %u %s %s", syn_rank_rank(file), call.thread,
               call.state == SYN_OPEN_INSIDE    ? "inside"
               : call.state == SYN_OPEN_OUTSIDE ? "outside"
                                                : "moving",
               name ? name : "?");
        if (call.of_op != SYN_OPEN_NO_OP)
            printf(" of %s", syn_op_name(call.of_op));
        if (comm)
            printf(" on %s", comm->name);
        if (call.sequence != SYN_OPEN_NO_SEQUENCE)
            printf(" #%llu", (unsigned long long)call.sequence);
        print_data(&call);
        print_peer("to", call.to);
        print_peer("from", call.from);
        printf(call.stack == SYN_NO_STACK ? " no stack\n" : "\n");
    }
    return 0;
}

static int print_stacks(struct syn_rank_file *file, const void *ctx)
{
    (void)ctx;
    for (uint32_t i = 0; i < syn_rank_stack_count(file); i++) {
        const struct syn_stack_record *stack = syn_rank_stack(file, i);
        printf("%d %u", syn_rank_rank(file), stack->depth);
        for (uint32_t depth = 0; depth < stack->depth; depth++)
            print_frame(file, &stack->frames[depth]);
        printf("\n");
    }
    return 0;
}

static int run(const char *what, const struct syn_trace *trace, const char *key)
{
    if (!strcmp(what, "rows"))
        return each_rank(trace, print_rows, NULL);
    if (!strcmp(what, "messages"))
        return each_rank(trace, print_messages, NULL);
    if (!strcmp(what, "pauses"))
        return each_rank(trace, print_pauses, NULL);
    if (!strcmp(what, "comms"))
        return check_comms(trace);
    if (!strcmp(what, "times"))
        return check_times(trace);
    if (!strcmp(what, "ends"))
        return each_rank(trace, print_end, NULL);
    if (!strcmp(what, "stacks"))
        return each_rank(trace, print_stacks, NULL);
    if (!strcmp(what, "open"))
        return each_rank(trace, print_open, NULL);
    if (!strcmp(what, "meta") && key)
        return each_rank(trace, print_meta, key);
    return 2;
}

int main(int argc, char **argv)
{
    struct syn_trace *trace;
    char *why = NULL;
    if (argc < 3)
        return 2;
    if (syn_trace_open(argv[argc - 1], &trace, &why)) {
        fprintf(stderr, "%s\n", why ? why : "not a trace");
        free(why);
        return 2;
    }
    const int result = run(argv[1], trace, argc > 3 ? argv[2] : NULL);
    syn_trace_close(trace);
    return result;
}
