#include "made_trace.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/directory/manifest.h"

static const int32_t world[MADE_RANKS] = {0, 1, 2, 3, 4, 5, 6, 7};

void made_comm(struct made_trace *made, int rank, struct syn_comm_record comm)
{
    cr_assert_eq(syn_writer_comm(made->writer[rank], &comm), 0);
}

static void open_rank(struct made_trace *made, int rank)
{
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = UINT64_C(1) << 32};
    struct syn_writer_identity identity = {
        .run_id = "made", .rank = rank, .size = made->rank_count};
    struct syn_sink sink;
    char path[128];
    syn_rank_path(path, sizeof path, made->directory, rank);
    cr_assert_eq(syn_sink_file(path, &sink), 0);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &made->writer[rank]), 0);
    made_comm(made, rank,
              (struct syn_comm_record){.id = 1,
                                       .size = made->rank_count,
                                       .rank = rank,
                                       .name = "MPI_COMM_WORLD",
                                       .world_ranks = world});
}

void made_begin_bounded(struct made_trace *made, int rank_count, int64_t half_width_ns,
                        double wander)
{
    memset(made, 0, sizeof *made);
    made->rank_count = rank_count;
    snprintf(made->directory, sizeof made->directory, "/tmp/syn-made-XXXXXX");
    cr_assert_not_null(mkdtemp(made->directory));
    for (int rank = 0; rank < rank_count; rank++) {
        struct syn_timeline *timeline = &made->timeline[rank];
        open_rank(made, rank);
        syn_timeline_init(timeline);
        cr_assert_eq(syn_timeline_add(timeline, (struct syn_knot){0, 0, rank ? half_width_ns : 0}),
                     0);
        timeline->wander = rank ? wander : 0;
    }
}

void made_begin(struct made_trace *made, int rank_count)
{
    made_begin_bounded(made, rank_count, 0, 0);
}

void made_thread(struct made_trace *made, int rank, uint32_t thread, const struct syn_event *event,
                 size_t count)
{
    made->event_count[rank] += count;
    cr_assert_eq(
        syn_writer_entries(made->writer[rank], thread, event, count, 0, &made->timeline[rank]), 0);
}

void made_raw(struct made_trace *made, int rank, struct syn_event event)
{
    made_thread(made, rank, 0, &event, 1);
}

void made_event(struct made_trace *made, int rank, int64_t start_ns, int64_t end_ns,
                struct syn_event event)
{
    event.start_ticks = event.wait_start_ticks = start_ns;
    event.end_ticks = event.call_end_ticks = end_ns;
    event.stack = SYN_NO_STACK;
    made_raw(made, rank, event);
}

static void finish_rank(struct made_trace *made, int rank)
{
    struct syn_end_record end = {SYN_ENDING_FINALIZE, made->event_count[rank], 0};
    cr_assert_eq(syn_writer_clock(made->writer[rank], &made->timeline[rank], NULL, 0, NULL), 0);
    cr_assert_eq(syn_writer_finish(made->writer[rank], &end), 0);
}

struct syn_trace *made_open(struct made_trace *made, unsigned without)
{
    struct syn_manifest manifest = {.run_id = "made",
                                    .size = made->rank_count,
                                    .written_count = made->rank_count,
                                    .begin_ns = SYN_BEGIN_UNKNOWN};
    struct syn_trace *trace;
    char *why = NULL, path[128];
    for (int rank = 0; rank < made->rank_count; rank++) {
        finish_rank(made, rank);
        manifest.event_count += made->event_count[rank];
        syn_writer_close(made->writer[rank]);
        syn_timeline_free(&made->timeline[rank]);
        syn_rank_path(path, sizeof path, made->directory, rank);
        if (without & 1u << rank)
            unlink(path);
    }
    cr_assert_eq(syn_manifest_write(made->directory, &manifest), 0);
    cr_assert_eq(syn_trace_open(made->directory, &trace, &why), 0, "%s", why ? why : "");
    return trace;
}

void made_end(struct made_trace *made, struct syn_trace *trace)
{
    char path[128];
    syn_trace_close(trace);
    for (int rank = 0; rank < made->rank_count; rank++) {
        syn_rank_path(path, sizeof path, made->directory, rank);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/" SYN_MANIFEST_NAME, made->directory);
    unlink(path);
    rmdir(made->directory);
}
