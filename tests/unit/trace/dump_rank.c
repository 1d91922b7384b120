/* tests/unit/trace/dump_rank.c - a rank file made and printed by our own code, for read_trace.py.
 *
 *     dump_rank --make FILE     write a sample with every feature of the format
 *     dump_rank --make-killed NAME     NAME.syn.part and NAME.raw, as a kill leaves them
 *     dump_rank --make-node DIR rank-000003.syn to rank-000005.syn, samples that differ
 *     dump_rank --pack DIR      these as a node file
 *     dump_rank --shorten DIR   each of them by itself, as short files are at the end of a run
 *     dump_rank FILE            print its events, one a line */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pack_node.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"
#include "trace/base/sections.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/events/notes.h"
#include "trace/read/open_calls.h"
#include "trace/read/reader.h"
#include "trace/write/raw.h"
#include "trace/write/writer.h"

static const struct syn_tick_source ticks = {
    .kind = SYN_CLOCK_TSC, .base_ticks = 12345, .multiplier = 1590728628};

static void declare(struct syn_writer *writer)
{
    static const int32_t world_ranks[] = {3, 4, 5, 1, -1};
    static const uint8_t build_id[] = {0, 255, 16};
    static const struct syn_frame frames[] = {{0, 300}, {UINT32_MAX, UINT64_MAX}};
    for (uint32_t i = 0; i < 3; i++) {
        syn_writer_comm(
            writer,
            &(struct syn_comm_record){
                .index = i, .id = i + 1, .size = 5, .name = "c", .world_ranks = world_ranks});
        syn_writer_stack(writer, &(struct syn_stack_record){i, 2, frames});
    }
    syn_writer_module(writer, &(struct syn_module_record){0, "/bin/x", build_id, 3});
    syn_writer_meta(writer, "host.name", "node");
}

/* Give every seventh event attributes. */
static uint64_t with_attributes(uint64_t bytes, size_t i)
{
    const uint16_t attributes = syn_attributes(SYN_REDUCTION_SUM, SYN_TYPE_FLOAT, i % 300);
    return i % 7 == 2 ? bytes | (uint64_t)attributes << SYN_ATTRIBUTES_SHIFT : bytes;
}

static void write_events(struct syn_writer *writer, size_t count, uint32_t size_count,
                         const struct syn_timeline *timeline)
{
    struct syn_event *events = calloc(count, sizeof *events);
    int64_t now = 1000;
    for (size_t i = 0; i < count; i++) {
        int64_t start = now + (int64_t)(i * i * 7919 % 100003),
                end = start + (int64_t)(i * 131 % 9973);
        events[i] = (struct syn_event){start,
                                       end,
                                       end,
                                       start,
                                       with_attributes(i % size_count, i),
                                       i / 3,
                                       i % 3,
                                       i % 4 < 3 ? (uint32_t)(i % 4) : SYN_NO_STACK,
                                       (int32_t)(i % 5) - 1,
                                       SYN_OP_BLOCKING(BCAST),
                                       i % 2};
        if (i % 10 == 3) {
            events[i].call_end_ticks = start + 11;
            events[i].wait_start_ticks = end + 13;
            events[i].end_ticks = end + 170000;
            events[i].op = syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING);
        }
        if (i % 50 == 49)
            events[i].sequence += UINT64_C(1) << (i % 64);
        now = end;
    }
    events[count / 2].end_ticks = INT64_MIN / 4; /* absurd, and so a test */
    syn_writer_entries(writer, 2, events, count, 0, timeline);
    free(events);
}

static struct syn_event sample_at(int64_t time, int64_t i)
{
    return syn_note_of_sample(&(struct syn_sample){.time = time,
                                                   .cpu_ns = (uint64_t)(i * 20011),
                                                   .run_delay_ns = (uint64_t)i << 40,
                                                   .instructions = (uint64_t)-i,
                                                   .cycles = (uint64_t)(i * i),
                                                   .voluntary_switches = (uint32_t)(i * 3),
                                                   .involuntary_switches = UINT32_MAX - (uint32_t)i,
                                                   .minor_faults = 7,
                                                   .major_faults = (uint32_t)i,
                                                   .processor = (int32_t)i - 1,
                                                   .has = (uint16_t)(i % 8)});
}

/* Events, not in order, with what lies between them. */
static void write_entries(struct syn_writer *writer, int64_t count,
                          const struct syn_timeline *timeline)
{
    struct syn_event *entries = calloc((size_t)(4 * count), sizeof *entries);
    size_t used = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t start = 100000 + 1000000 * (i % 2 ? i - 1 : i + 1), end = start + i * 131 % 9973;
        if (i % 3)
            entries[used++] = syn_note_of_messages(i * i * 10, i % 9 == 1 ? i : 0);
        if (i % 5 == 4)
            entries[used++] = syn_note_of_messages(1000, 0);
        entries[used] = (struct syn_event){start, end, end, start, 8, (uint64_t)i, 1, 0, -1, 0, 0};
        if (i % 9 == 1) {
            entries[used].wait_start_ticks = end + 500000;
            entries[used].end_ticks = end + 500100;
        }
        used++;
        if (i % 20 == 1)
            entries[used++] = sample_at(end + 600000, i);
    }
    syn_writer_entries(writer, 2, entries, used, syn_count_notes(entries, used), timeline);
    free(entries);
}

/* Each from another call site, some from none. */
static void write_from_many_sites(struct syn_writer *writer, const struct syn_timeline *timeline)
{
    enum { SITES = 700 };
    static const struct syn_frame frame = {0, 301};
    struct syn_event *events = calloc(SITES, sizeof *events);
    for (uint32_t i = 0; i < SITES; i++) {
        const int64_t start = 20000000 + (int64_t)i * 1009, end = start + 131 + i % 997;
        syn_writer_stack(writer, &(struct syn_stack_record){3 + i, 1, &frame});
        events[i] = (struct syn_event){
            start, end, end, start, i % 5, i / 2, i % 2, 3 + i * 9 % SITES, -1, 0, 0};
        events[i].stack = i % 9 == 8 ? SYN_NO_STACK : events[i].stack;
        events[i].end_ticks += i % 11 == 1 ? 5000 : 0;
    }
    syn_writer_entries(writer, 2, events, SITES, 0, timeline);
    free(events);
}

/* A loop of messages and collectives, of few or of many tags: received from anybody, completed
 * together, one late; some lost. */
static void write_messages(struct syn_writer *writer, int32_t tag_count,
                           const struct syn_timeline *timeline)
{
    enum { COUNT = 300 };
    struct syn_event *events = calloc(COUNT, sizeof *events);
    uint32_t order = 70000;
    for (int64_t i = 0; i < COUNT; i++) {
        const int64_t start = 30000000 + i * 1009, waits = 30000000 + (i / 3 + 1) * 3027 - 100;
        const bool receives = i % 3 == 1;
        struct syn_event event = {.start_ticks = start,
                                  .end_ticks = waits + 50,
                                  .call_end_ticks = start + 300 + i % 7,
                                  .wait_start_ticks = waits,
                                  .bytes = (uint64_t)(8 << i % 2),
                                  .sequence = (uint64_t)i / 3,
                                  .comm = 1 + i % 2,
                                  .stack = (uint32_t)(i % 3),
                                  .root = (int32_t)(i % 4),
                                  .op = receives ? SYN_CALL_Irecv : SYN_CALL_Isend};
        if (i % 3 == 2) {
            event.op = SYN_OP_BLOCKING(BCAST);
            event.end_ticks = event.call_end_ticks;
            event.wait_start_ticks = start;
        } else {
            const uint64_t kind = receives ? SYN_MESSAGE_RECEIVE | SYN_MESSAGE_ANY_TAG : 0;
            event.bytes |= kind << SYN_ATTRIBUTES_SHIFT;
            order += i % 100 == 51 ? 3 : 0;
            event.sequence = syn_message_sequence(order++, (int32_t)(i % tag_count) - 1);
        }
        event.flags = i % 70 == 6 ? SYN_EVENT_PERTURBED : 0;
        events[i] = event;
    }
    syn_writer_entries(writer, 2, events, COUNT, 0, timeline);
    free(events);
}

static struct syn_open_line open_line(uint16_t call, int64_t start_ticks)
{
    return (struct syn_open_line){.start_ticks = start_ticks,
                                  .sequence = SYN_OPEN_NO_SEQUENCE,
                                  .bytes = SYN_OPEN_NO_BYTES,
                                  .comm = 1,
                                  .stack = SYN_NO_STACK,
                                  .peer = 4,
                                  .tag = 5,
                                  .from_peer = SYN_PEER_ANY,
                                  .from_tag = SYN_TAG_ANY,
                                  .call = call,
                                  .of_op = SYN_OPEN_NO_OP};
}

/* As a recovered file has them. */
static void write_open_calls(struct syn_writer *writer)
{
    struct syn_bytes calls = {0};
    struct syn_open_line line = open_line(SYN_OP_BLOCKING(BCAST), 4000000);
    line.sequence = 77;
    line.bytes = with_attributes(12, 2);
    line.stack = 1;
    syn_put_open(&calls, 0, &line);
    line = open_line(SYN_CALL_Sendrecv, 5000000);
    line.end_ticks = 6000000;
    syn_put_open(&calls, 3, &line);
    syn_writer_open_calls(writer, &calls, 2);
    syn_bytes_free(&calls);
}

static int make(const char *path, int32_t rank, bool recovered)
{
    struct syn_sink sink;
    struct syn_writer *writer;
    struct syn_writer_identity identity = {.rank = rank, .size = 6};
    struct syn_knot knots[] = {{100000, 2 + rank, 10}, {3000000, 99, 20}, {5000000, 50, 30}};
    struct syn_timeline timeline = {knots, 3, 3e-6, -2e-6, 1e-7, 1e-8, 0};
    struct syn_fitpoint point = {1, 0, 50, -5, 5, 80};
    struct syn_sync_quality quality = {.round_count = 2, .slope_ppm = 1.5};
    if (syn_sink_file(path, &sink) != SYN_OK ||
        syn_writer_open(sink, &identity, 1, &ticks, &writer) != SYN_OK)
        return 1;
    declare(writer);
    syn_writer_meta(writer, SYN_META_WANDER_TIME, "0.001");
    write_events(writer, 500, 4, NULL);
    syn_writer_clock(writer, &timeline, &point, 1, &quality);
    write_events(writer, 1000, 300, &timeline);
    write_events(writer, 2, 1, NULL);
    write_entries(writer, 300, NULL);
    write_entries(writer, 100, &timeline);
    write_from_many_sites(writer, NULL);
    write_from_many_sites(writer, &timeline);
    write_messages(writer, 5, NULL);
    write_messages(writer, 150, &timeline);
    if (recovered)
        write_open_calls(writer);
    int status = syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_EXIT});
    syn_writer_close(writer);
    return status != SYN_OK;
}

static int make_node(const char *directory)
{
    char path[4096];
    int status = 0;
    for (int32_t rank = 3; rank < 6; rank++) {
        snprintf(path, sizeof path, "%s/rank-%06d.syn", directory, (int)rank);
        status |= make(path, rank, false);
    }
    return status;
}

/* 150 of 300 places are free, the first is; of two threads, one with time in messages before. */
static void put_pending(uint8_t *block)
{
    for (int64_t i = 0; i < 300; i++) {
        const struct syn_event event = {
            .start_ticks = 30000 + i * 7919 % 1009,
            .call_end_ticks = 40000 + i,
            .bytes = (uint64_t)i,
            .sequence = (uint64_t)(700 + i),
            .comm = (uint32_t)i % 3,
            .stack = SYN_NO_STACK,
            .root = -1,
            .op = syn_op_id(SYN_ROW_BARRIER, SYN_FORM_NONBLOCKING),
            .flags = (uint16_t)(i % 3 << SYN_EVENT_PHASE_SHIFT),
        };
        struct syn_event *slot = &syn_raw_events(block)[i];
        syn_raw_pending_fill(slot, &event, i % 4 == 1 ? 2 : 5, i % 4 == 1 ? i : 0);
        if (i % 2 == 0)
            syn_raw_pending_clear(slot);
    }
}

/* A thread that has ended, one whose event says that its call has returned, and others. */
static void put_open_lines(uint8_t *block)
{
    struct syn_open_line *lines = syn_raw_open_lines(block);
    *syn_raw_open_names(block) = (struct syn_open_names){-11, -12, -13};
    lines[0] = open_line(SYN_OP_BLOCKING(BCAST), 0);
    lines[1] = open_line(SYN_CALL_Recv, 30000);
    lines[1].from_peer = -11, lines[1].from_tag = 6;
    lines[2] = open_line(SYN_OP_BLOCKING(BCAST), 16099);
    lines[3] = open_line(SYN_CALL_Sendrecv, 30100);
    lines[3].from_peer = -12, lines[3].from_tag = -13;
    lines[4] = open_line(SYN_OP_BLOCKING(BCAST), 30200);
    lines[4].end_ticks = 30300, lines[4].stack = 99, lines[4].comm = 98;
}

/* 500 events in the file, of which a block of 600 has the last 100; then 600 more; and 150 that
 * were not complete. */
static int make_killed(const char *name)
{
    static uint8_t raw[5 * SYN_RAW_UNIT] __attribute__((aligned(64)));
    struct syn_raw_header header = {
        .kind = SYN_RAW_RECORDS, .rank = 3, .size = 6, .block_bytes = SYN_RAW_UNIT, .thread = 2};
    struct syn_writer_identity identity = {.rank = 3, .size = 6};
    struct syn_knot knots[] = {{100000, 5, 10}};
    struct syn_timeline timeline = {knots, 1, 3e-6, -2e-6, 1e-7, 1e-8, 0};
    struct syn_writer *writer;
    struct syn_sink sink;
    char path[4096];
    snprintf(path, sizeof path, "%s.syn", name);
    if (syn_sink_file(path, &sink) != SYN_OK ||
        syn_writer_open(sink, &identity, 1, &ticks, &writer) != SYN_OK)
        return 1;
    declare(writer);
    syn_writer_clock(writer, &timeline, NULL, 0, NULL);
    write_events(writer, 500, 4, NULL);
    syn_writer_close(writer);
    syn_raw_encode(&header, raw);
    header.kind = SYN_RAW_EVENTS;
    for (size_t unit = 1; unit < 3; unit++) {
        header.first_event = unit == 1 ? 400 : 1000;
        syn_raw_encode(&header, raw + unit * SYN_RAW_UNIT);
        for (int64_t i = 0; i < (unit == 1 ? 600 : 100); i++)
            syn_raw_events(raw + unit * SYN_RAW_UNIT)[i] = (struct syn_event){
                .start_ticks = 7919 * i % 10007,
                .end_ticks = 20000 + i,
                .call_end_ticks = 15000 - i,
                .wait_start_ticks = 16000 + i,
                .bytes = with_attributes((uint64_t)i << 33, (size_t)i),
                .sequence = (uint64_t)i,
                .comm = (uint32_t)i % 3,
                .stack = i % 2 ? SYN_NO_STACK : (uint32_t)i % 3,
                .root = (int32_t)(i % 5) - 1,
                .op = SYN_OP_BLOCKING(BCAST),
                .flags = (uint16_t)(SYN_EVENT_WRITTEN | i % 128),
            };
    }
    /* Messages in the place of the last event but one, and a sample behind the last. */
    struct syn_event *last = &syn_raw_events(raw + 2 * SYN_RAW_UNIT)[98];
    last[0] = syn_note_of_messages(300, 20);
    last[2] = sample_at(last[1].end_ticks, 3);
    last[3] = syn_note_of_wait(777, 4);
    for (int i = 0; i < 4; i++)
        last[i].flags |= SYN_EVENT_WRITTEN;
    header.kind = SYN_RAW_PENDING;
    header.thread = SYN_RAW_NO_THREAD;
    syn_raw_encode(&header, raw + 3 * SYN_RAW_UNIT);
    put_pending(raw + 3 * SYN_RAW_UNIT);
    header.kind = SYN_RAW_OPEN;
    header.thread = 0;
    syn_raw_encode(&header, raw + 4 * SYN_RAW_UNIT);
    put_open_lines(raw + 4 * SYN_RAW_UNIT);
    snprintf(path, sizeof path, "%s.raw", name);
    FILE *file = fopen(path, "w");
    if (!file)
        return 1;
    const size_t done = fwrite(raw, 1, sizeof raw, file);
    return (fclose(file) != 0) | (done != sizeof raw);
}

static int64_t figure(const int64_t *figures, size_t i)
{
    return figures ? figures[i] : 0;
}

static void print_samples(const struct syn_event_columns *events)
{
    for (size_t i = 0; i < events->sample_count; i++) {
        const struct syn_sample *s = &events->samples[i];
        printf("sample %" PRId64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu32
               " %" PRIu32 " %" PRIu32 " %" PRIu32 " %" PRId32 " %d\n",
               s->time, s->cpu_ns, s->run_delay_ns, s->instructions, s->cycles,
               s->voluntary_switches, s->involuntary_switches, s->minor_faults, s->major_faults,
               s->processor, s->has);
    }
}

static void print_events(const struct syn_rank_file *file, const struct syn_event_columns *events)
{
    for (size_t i = 0; i < events->count; i++)
        printf("%" PRIu32 " %s %" PRIu32 " %" PRIu64 " %" PRIu32 " %" PRIu64 " %d %" PRId32
               " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %d %" PRId64 " %" PRId64
               " %" PRId64 " %" PRId64 "\n",
               events->thread, syn_rank_op_name(file, events->op[i]), events->comm[i],
               events->sequence[i], events->stack[i], events->bytes[i], events->attributes[i],
               events->root[i], events->start_ns[i], events->end_ns[i], events->call_end_ns[i],
               events->wait_start_ns[i], events->flags[i], figure(events->messages_ns, i),
               figure(events->off_cpu_ns, i), figure(events->wait_messages_ns, i),
               figure(events->wait_off_cpu_ns, i));
}

static void print_open_calls(const struct syn_rank_file *file)
{
    struct syn_open_call call;
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++)
        printf("open %" PRIu32 " %d %d %" PRIu32 " %" PRIu64 " %" PRIu64 " %d %" PRIu32
               " %d %d %d %d %d %" PRId64 " %" PRId64 "\n",
               call.thread, call.state, call.call, call.comm, call.sequence, call.bytes,
               call.attributes, call.stack, call.root, call.to.rank, call.to.tag, call.from.rank,
               call.from.tag, call.start_ns, call.end_ns);
}

/* As many instants before, between and behind the knots. */
static void print_bounds(const struct syn_rank_file *file)
{
    for (int64_t local_ns = -500000; local_ns < 9000000; local_ns += 99991)
        printf("bound %" PRId64 " %" PRId64 "\n", local_ns,
               syn_timeline_bound_ns(syn_rank_timeline(file), (syn_local_time){local_ns}));
}

static int dump(const char *path)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns events;
    if (syn_rank_open(path, NULL, &file) != SYN_OK || syn_cursor_open(file, &cursor) != SYN_OK)
        return 1;
    while (syn_cursor_next(cursor, &events) == SYN_OK) {
        print_events(file, &events);
        print_samples(&events);
    }
    print_open_calls(file);
    print_bounds(file);
    int status = syn_rank_fault(file, NULL) != SYN_OK;
    syn_cursor_close(cursor);
    syn_rank_close(file);
    return status;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--make-killed") == 0)
        return make_killed(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--make") == 0)
        return make(argv[2], 3, true);
    if (argc == 3 && strcmp(argv[1], "--make-node") == 0)
        return make_node(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--pack") == 0)
        return pack_node(argv[2], 3, 3) != SYN_OK;
    if (argc == 3 && strcmp(argv[1], "--shorten") == 0)
        return shorten_rank(argv[2], 3) != SYN_OK || shorten_rank(argv[2], 4) != SYN_OK ||
               shorten_rank(argv[2], 5) != SYN_OK;
    return argc == 2 ? dump(argv[1]) : 2;
}
