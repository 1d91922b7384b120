/* Memory of a killed program becomes events of its rank; nothing in it is trusted. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/bytes.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/base/sections.h"
#include "trace/read/open_calls.h"
#include "trace/recover/recover.h"
#include "trace/write/raw.h"

TestSuite(raw, .fini = temp_remove);

#define UNIT    SYN_RAW_UNIT
#define PER_RAW (int)syn_raw_capacity(SYN_RAW_UNIT)

static struct {
    uint8_t data[4 * SYN_RAW_UNIT] __attribute__((aligned(64)));
    struct syn_raw_header header;
    size_t records_used;
} raw;

/* Facts of the rank's file; NULL: it has none. */
static const char *spill_directory, *spill_host;

static void label(int unit, uint16_t kind, uint32_t thread, uint64_t first_event)
{
    raw.header.kind = kind;
    raw.header.thread = thread;
    raw.header.first_event = first_event;
    syn_raw_encode(&raw.header, raw.data + (size_t)unit * UNIT);
}

/* Event `number` of communicator 3, which only the raw file declares. */
static void put_event(int unit, int place, uint64_t number)
{
    struct syn_event *event = &syn_raw_events(raw.data + (size_t)unit * UNIT)[place];
    *event = blocking_event(1000 * (int64_t)number, 1000 * (int64_t)number + 500, number);
    event->comm = 3;
    event->stack = 0;
    event->flags |= SYN_EVENT_WRITTEN;
}

static void put_comm(void)
{
    static const int32_t world_ranks[] = {0, 1};
    const struct syn_comm_record comm = {
        .index = 3, .id = 77, .size = 2, .name = "of raw", .world_ranks = world_ranks};
    struct syn_bytes bytes = {0};
    syn_put_comm(&bytes, &comm);
    cr_assert(
        syn_raw_append(raw.data, UNIT, &raw.records_used, SYN_FRAME_COMM, bytes.data, bytes.count));
    syn_bytes_free(&bytes);
}

/* Rank 0's file: communicators 0..1, stack 0, no END; its first `written` events of communicator 3
 * too. */
static void write_part(int written)
{
    struct syn_sink sink;
    struct syn_writer *writer;
    struct syn_writer_identity identity = identity_of(0, 2);
    const struct syn_tick_source ticks = nanosecond_ticks();
    static const int32_t world_ranks[] = {0, 1};
    const struct syn_comm_record comm = {
        .index = 3, .id = 77, .size = 2, .name = "of raw", .world_ranks = world_ranks};
    mkdir(temp_path("t"), 0777);
    cr_assert_eq(syn_sink_file(temp_path("t/rank-000000.syn"), &sink), SYN_OK);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), SYN_OK);
    declare(writer, 2, 1);
    if (spill_directory) {
        cr_assert_eq(syn_writer_meta(writer, "spill.directory", spill_directory), SYN_OK);
        cr_assert_eq(syn_writer_meta(writer, "host.name", spill_host), SYN_OK);
    }
    if (written > 0)
        cr_assert_eq(syn_writer_comm(writer, &comm), SYN_OK);
    for (int i = 0; i < written; i++) {
        struct syn_event event = blocking_event(1000 * i, 1000 * i + 500, (uint64_t)i);
        event.comm = 3;
        event.stack = 0;
        cr_assert_eq(syn_writer_entries(writer, 0, &event, 1, 0, NULL), SYN_OK);
    }
    cr_assert_eq(syn_writer_flush(writer), SYN_OK);
    syn_writer_close(writer);
    memset(&raw, 0, sizeof raw);
    memcpy(raw.header.run_id, identity.run_id, sizeof raw.header.run_id);
    raw.header.size = 2;
    raw.header.block_bytes = UNIT;
}

static void save_raw(size_t bytes)
{
    save_file(temp_path("t/rank-000000.raw"), raw.data, bytes);
}

/* Records; 1,022 events from number 0 on; an empty unit; `rest` events after them. */
static void make_killed(int written, int rest)
{
    write_part(written);
    label(0, SYN_RAW_RECORDS, 0, 0);
    put_comm();
    label(1, SYN_RAW_EVENTS, 0, 0);
    for (int i = 0; i < PER_RAW; i++)
        put_event(1, i, (uint64_t)i);
    label(3, SYN_RAW_EVENTS, 0, (uint64_t)PER_RAW);
    for (int i = 0; i < rest; i++)
        put_event(3, i, (uint64_t)(PER_RAW + i));
    save_raw(sizeof raw.data);
}

static struct syn_rank_file *open_part(void)
{
    struct syn_rank_file *file;
    cr_assert_eq(syn_rank_open(temp_path("t/rank-000000.syn.part"), NULL, &file), SYN_OK);
    return file;
}

/* All sequence numbers once each, from 0 on. Returns how many. */
static uint64_t count_in_order(struct syn_rank_file *file)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    uint64_t count = 0;
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &columns) == SYN_OK)
        for (size_t i = 0; i < columns.count; i++, count++) {
            cr_assert_eq(columns.sequence[i], count);
            cr_assert_eq(columns.start_ns[i], 1000 * (int64_t)count);
            cr_assert_eq(columns.flags[i], 0);
            cr_assert_eq(columns.stack[i], 0);
        }
    syn_cursor_close(cursor);
    return count;
}

Test(raw, all_events_up_to_the_last_complete_one)
{
    make_killed(0, 7);
    syn_raw_events(raw.data + 3 * UNIT)[6].flags &= (uint16_t)~SYN_EVENT_WRITTEN;
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_rank_event_count(file), (uint64_t)PER_RAW + 6);
    cr_assert_eq(count_in_order(file), (uint64_t)PER_RAW + 6);
    cr_assert_str_eq(syn_rank_comm(file, 3)->name, "of raw");
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_KILLED);
    cr_assert_eq(syn_rank_lost_event_count(file), 0);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_ETRUNCATED);
    syn_rank_close(file);
}

/* A block that was written away and not yet taken anew, one that is half written away. */
Test(raw, events_that_the_file_has_are_not_taken_twice)
{
    const int written[] = {1, 500, PER_RAW, PER_RAW + 3};
    for (size_t i = 0; i < sizeof written / sizeof *written; i++) {
        make_killed(written[i], 5);
        struct syn_rank_file *file = open_part();
        cr_assert_eq(count_in_order(file), (uint64_t)PER_RAW + 5, "%d", written[i]);
        syn_rank_close(file);
    }
}

Test(raw, says_which_signal)
{
    make_killed(0, 1);
    *syn_raw_ending(raw.data) = SYN_ENDING_SIGNAL + 11;
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_str_eq(syn_ending_name(syn_rank_end(file)->ending), "signal 11 (SIGSEGV)");
    syn_rank_close(file);
    *syn_raw_ending(raw.data) = 4711;
    save_raw(sizeof raw.data);
    file = open_part();
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_KILLED);
    syn_rank_close(file);
}

Test(raw, recovered_is_whole_and_says_how_it_ended)
{
    struct syn_trace *trace;
    struct syn_recovered recovered;
    char *why;
    make_killed(500, 5);
    *syn_raw_ending(raw.data) = SYN_ENDING_SIGNAL + 15;
    *syn_raw_lost(raw.data) = 76504;
    save_raw(sizeof raw.data);
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_eq(recovered.event_count, (uint64_t)PER_RAW + 5);
    cr_assert_eq(recovered.lost_event_count, 0);
    cr_assert_not(path_exists(temp_path("t/rank-000000.raw")));
    cr_assert_not(path_exists(temp_path("t/rank-000000.syn.part")));
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    struct syn_rank_file *file = syn_trace_rank(trace, 0);
    cr_assert_eq(count_in_order(file), (uint64_t)PER_RAW + 5);
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_SIGNAL + 15);
    cr_assert_eq(syn_rank_end(file)->dropped_count, 76504);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_OK);
    syn_trace_close(trace);
}

Test(raw, of_another_run_or_rank_is_left_alone)
{
    make_killed(0, 3);
    raw.data[16] ^= 1; /* the run's id, in the first block only */
    raw.header.rank = 1;
    label(1, SYN_RAW_EVENTS, 0, 0);
    raw.header.rank = 0;
    raw.header.run_id[3] ^= 1;
    label(3, SYN_RAW_EVENTS, 0, 0);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_rank_event_count(file), 0);
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_UNKNOWN);
    syn_rank_close(file);
}

Test(raw, a_finished_file_needs_none)
{
    struct syn_rank_file *file;
    make_killed(0, 3);
    write_rank(temp_path("t"), 0, 2, 10);
    cr_assert_eq(syn_rank_open(temp_path("t/rank-000000.syn"), NULL, &file), SYN_OK);
    cr_assert_eq(syn_rank_event_count(file), 10);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_OK);
    syn_rank_close(file);
}

/* As a kill between the last rename of MPI_Finalize and the removal of the blocks leaves it. */
Test(raw, recover_takes_away_what_a_finished_file_does_not_need)
{
    for (int other_run = 0; other_run < 2; other_run++) {
        struct syn_trace *trace;
        struct syn_recovered recovered;
        char *why;
        make_killed(0, 3);
        unlink(temp_path("t/rank-000000.syn.part"));
        raw.header.run_id[3] ^= (uint8_t)other_run;
        label(0, SYN_RAW_RECORDS, 0, 0);
        save_raw(sizeof raw.data);
        write_rank(temp_path("t"), 0, 2, 10);
        write_rank(temp_path("t"), 1, 2, 10);
        cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
        cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
        syn_trace_close(trace);
        cr_assert_eq(recovered.event_count, 20);
        cr_assert_eq(path_exists(temp_path("t/rank-000000.raw")), other_run == 1);
    }
}

/* The name below the temporary directory under which the raw file is afterwards. */
static const char *move_to_spill(void)
{
    static char path[160];
    char run[80] = "s/syncopate-";
    for (int i = 0; i < 16; i++)
        snprintf(run + 12 + 2 * i, 3, "%02x", raw.header.run_id[i]);
    mkdir(temp_path("s"), 0777);
    mkdir(temp_path(run), 0777);
    snprintf(path, sizeof path, "%s/rank-000000.raw", run);
    cr_assert_eq(rename(temp_path("t/rank-000000.raw"), temp_path(path)), 0);
    return path;
}

static void count_once(uint64_t expected)
{
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_rank_event_count(file), expected);
    syn_rank_close(file);
}

/* Facts of a rank of `host` whose raw blocks are in the spill directory. */
static void name_spill(const char *host)
{
    static char directory[4096], name[256];
    snprintf(directory, sizeof directory, "%s", temp_path("s"));
    snprintf(name, sizeof name, "%s", host);
    spill_directory = directory;
    spill_host = name;
}

static void name_this_host(void)
{
    char name[256] = "";
    cr_assert_eq(gethostname(name, sizeof name - 1), 0);
    name_spill(name);
}

Test(raw, found_where_its_rank_spilled_to_on_this_machine)
{
    name_this_host();
    make_killed(0, 3);
    const char *path = move_to_spill();
    count_once((uint64_t)PER_RAW + 3);
    cr_assert_eq(rename(temp_path(path), temp_path("r")), 0);
    cr_assert_eq(symlink(temp_path("r"), temp_path(path)), 0);
    count_once(0);
    cr_assert_eq(unlink(temp_path(path)), 0);
    raw.header.run_id[3] ^= 1;
    label(0, SYN_RAW_RECORDS, 0, 0);
    label(1, SYN_RAW_EVENTS, 0, 0);
    label(3, SYN_RAW_EVENTS, 0, 0);
    save_file(temp_path(path), raw.data, sizeof raw.data);
    count_once(0);
}

Test(raw, of_another_machine_no_directory_is_looked_in)
{
    name_spill("elsewhere.invalid");
    make_killed(0, 3);
    move_to_spill();
    count_once(0);
}

Test(raw, recover_leaves_a_rank_whose_blocks_are_elsewhere)
{
    struct syn_trace *trace;
    struct syn_recovered recovered;
    char *why;
    name_spill("elsewhere.invalid");
    make_killed(0, 3);
    move_to_spill();
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_str_eq(syn_rank_lacks_raw(syn_trace_rank(trace, 0)), spill_directory);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_eq(recovered.left_count, 1);
    cr_assert_eq(recovered.file_count, 0);
    cr_assert(path_exists(temp_path("t/rank-000000.syn.part")));
    cr_assert_not(path_exists(temp_path("t/rank-000000.syn")));
    cr_assert_not(path_exists(temp_path("t/manifest")));

    syn_rank_look_in(spill_directory);
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_eq(recovered.left_count, 0);
    cr_assert_eq(recovered.event_count, (uint64_t)PER_RAW + 3);
    syn_rank_look_in(NULL);
}

Test(raw, recover_does_without_blocks_if_told)
{
    struct syn_trace *trace;
    struct syn_recovered recovered;
    char *why;
    name_this_host();
    make_killed(5, 3);
    move_to_spill();
    syn_rank_look_nowhere();
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_eq(recovered.left_count, 0);
    cr_assert_eq(recovered.event_count, 5);
}

Test(raw, found_in_a_spill_directory_under_its_runs_name)
{
    make_killed(0, 3);
    move_to_spill();
    count_once(0);
    char *spill = strdup(temp_path("s"));
    syn_rank_look_in(spill);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(count_in_order(file), (uint64_t)PER_RAW + 3);
    syn_rank_close(file);
    syn_rank_look_in(NULL);
    free(spill);
}

/* Starts and communicator as of put_event; of `thread`, with `messages` before. */
static void put_pending(int unit, int place, uint64_t number, uint32_t thread, int64_t messages)
{
    struct syn_event event =
        blocking_event(1000 * (int64_t)number, 1000 * (int64_t)number + 500, number);
    event.op = syn_op_id(SYN_ROW_BARRIER, SYN_FORM_NONBLOCKING);
    event.comm = 3;
    event.stack = SYN_NO_STACK;
    syn_raw_pending_fill(&syn_raw_events(raw.data + (size_t)unit * UNIT)[place], &event, thread,
                         messages);
}

/* 5 events, then 3 requests of this thread and one of another; two that were complete between. */
static void make_pending(void)
{
    write_part(0);
    label(0, SYN_RAW_RECORDS, 0, 0);
    put_comm();
    label(1, SYN_RAW_PENDING, SYN_RAW_NO_THREAD, 0);
    for (int i = 0; i < 5; i++)
        put_pending(1, i, (uint64_t)(9 - i), i == 4 ? 0 : (uint32_t)(i == 2), i == 0 ? 70 : 0);
    put_pending(1, PER_RAW - 1, 4, 0, 0);
    syn_raw_pending_clear(&syn_raw_events(raw.data + UNIT)[1]);
    label(2, SYN_RAW_EVENTS, 0, 0);
    for (int i = 0; i < 4; i++)
        put_event(2, i, (uint64_t)i);
    save_raw(sizeof raw.data);
}

static void check_pending(struct syn_rank_file *file)
{
    static const uint64_t sequences[] = {0, 1, 2, 3, 4, 5, 6, 9, 7};
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    size_t count = 0;
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &columns) == SYN_OK)
        for (size_t i = 0; i < columns.count; i++, count++) {
            const int64_t start = 1000 * (int64_t)sequences[count];
            cr_assert_eq(columns.sequence[i], sequences[count], "%zu", count);
            cr_assert_eq(columns.thread, count == 8);
            cr_assert_eq(columns.start_ns[i], start);
            cr_assert_eq(columns.end_ns[i], start + 500);
            cr_assert_eq(columns.wait_start_ns[i], count < 4 ? start : start + 500);
            cr_assert_eq(columns.flags[i], count < 4 ? 0 : SYN_EVENT_NO_COMPLETION);
            cr_assert_eq(columns.messages_ns ? columns.messages_ns[i] : 0, count == 7 ? 70 : 0);
        }
    cr_assert_eq(count, 9);
    syn_cursor_close(cursor);
}

Test(raw, what_was_not_complete_is_an_event_that_never_was)
{
    struct syn_trace *trace;
    struct syn_recovered recovered;
    char *why;
    make_pending();
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_rank_event_count(file), 9);
    check_pending(file);
    /* It has completed since the file was opened: what was read then stays. */
    syn_raw_pending_clear(&syn_raw_events(raw.data + UNIT)[0]);
    save_raw(sizeof raw.data);
    check_pending(file);
    syn_rank_close(file);
    make_pending();
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_eq(recovered.event_count, 9);
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    check_pending(syn_trace_rank(trace, 0));
    syn_trace_close(trace);
}

/* ---- open calls ---- */

enum { ANY_SOURCE = -77, PROC_NULL = -78, ANY_TAG = -79 };

/* Thread `thread` in the block at `unit` is inside `call` since `start`. */
static struct syn_open_line *put_line(int unit, uint32_t thread, uint16_t call, int64_t start)
{
    struct syn_open_line *line = &syn_raw_open_lines(raw.data + (size_t)unit * UNIT)[thread];
    *line = (struct syn_open_line){.start_ticks = start,
                                   .sequence = SYN_OPEN_NO_SEQUENCE,
                                   .bytes = SYN_OPEN_NO_BYTES,
                                   .comm = 3,
                                   .peer = -1,
                                   .call = call,
                                   .of_op = SYN_OPEN_NO_OP};
    return line;
}

static void label_open(int unit, uint32_t thread)
{
    label(unit, SYN_RAW_OPEN, thread, 0);
    *syn_raw_open_names(raw.data + (size_t)unit * UNIT) =
        (struct syn_open_names){ANY_SOURCE, PROC_NULL, ANY_TAG};
}

/* 7 events of thread 0, which end at 6500; a block of lines behind them. */
static void make_open(void)
{
    make_killed(0, 0);
    label(1, SYN_RAW_EVENTS, 0, 0);
    memset(syn_raw_events(raw.data + UNIT) + 7, 0, UNIT - SYN_RAW_HEADER_BYTES - 7 * 64);
    label_open(2, 0);
    memset(raw.data + 3 * UNIT, 0, UNIT);
}

static size_t count_open(const struct syn_rank_file *file)
{
    struct syn_open_call call;
    size_t count = 0;
    while (syn_rank_open_call_at(file, count, &call))
        count++;
    return count;
}

static struct syn_open_call open_call(struct syn_rank_file *file, size_t i)
{
    struct syn_open_call call;
    cr_assert(syn_rank_open_call_at(file, i, &call));
    return call;
}

Test(raw, open_calls_of_each_kind)
{
    make_open();
    struct syn_open_line *line = put_line(2, 0, SYN_OP_BLOCKING(BCAST), 9000);
    line->sequence = 12, line->bytes = 80, line->peer = 1, line->end_ticks = 8000;
    line = put_line(2, 1, SYN_CALL_Recv, 9100);
    line->from_peer = ANY_SOURCE, line->from_tag = 5;
    line = put_line(2, 2, SYN_CALL_Sendrecv, 9200);
    line->peer = 0, line->tag = 6, line->from_peer = PROC_NULL, line->from_tag = ANY_TAG;
    line = put_line(2, 3, SYN_CALL_Wait, 9300);
    line->of_op = syn_op_id(SYN_ROW_BARRIER, SYN_FORM_NONBLOCKING), line->sequence = 13;
    put_line(2, 6, SYN_CALL_Waitall, 9300)->of_op = line->of_op;
    put_line(2, 4, SYN_CALL_Waitall, 9400)->comm = SYN_OPEN_NO_COMM;
    put_line(2, 5, SYN_OP_BLOCKING(COMM_SPLIT), 9500)->end_ticks = 9600;
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(count_open(file), 7);
    struct syn_open_call call = open_call(file, 0);
    cr_assert_eq(call.state, SYN_OPEN_INSIDE);
    cr_assert_eq(call.comm, 3);
    cr_assert_eq(call.sequence, 12);
    cr_assert_eq(call.bytes, 80);
    cr_assert_eq(call.root, 1);
    cr_assert_eq(call.stack, 0);
    cr_assert_eq(call.start_ns, 9000);
    call = open_call(file, 1);
    cr_assert_eq(call.from.rank, SYN_PEER_ANY);
    cr_assert_eq(call.from.tag, 5);
    cr_assert_eq(call.to.rank, SYN_PEER_NONE);
    call = open_call(file, 2);
    cr_assert_eq(call.to.rank, 0);
    cr_assert_eq(call.to.tag, 6);
    cr_assert_eq(call.from.rank, SYN_PEER_NOBODY);
    cr_assert_eq(call.from.tag, SYN_TAG_ANY);
    call = open_call(file, 3);
    cr_assert_str_eq(syn_op_name(call.of_op), "MPI_Ibarrier");
    cr_assert_eq(call.sequence, 13);
    cr_assert_eq(call.from.rank, SYN_PEER_NONE);
    call = open_call(file, 4);
    cr_assert_eq(call.of_op, SYN_OPEN_NO_OP);
    cr_assert_eq(call.from.rank, SYN_PEER_UNKNOWN);
    call = open_call(file, 5);
    cr_assert_eq(call.state, SYN_OPEN_OUTSIDE);
    cr_assert_eq(call.end_ns, 9600);
    cr_assert_str_eq(syn_call_name(call.call), "MPI_Comm_split");
    call = open_call(file, 6);
    cr_assert_neq(call.of_op, SYN_OPEN_NO_OP);
    cr_assert_eq(call.from.rank, SYN_PEER_UNKNOWN);
    syn_rank_close(file);
}

/* Lines that are half written, have a negative time, or refer to nothing. */
Test(raw, open_lines_are_not_believed)
{
    make_open();
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 0);
    struct syn_open_line *line = put_line(2, 1, 0x7fff, 9000);
    line->comm = 99, line->stack = 98, line->sequence = 5;
    put_line(2, 2, SYN_OP_BLOCKING(BARRIER), -9000);
    put_line(2, 3, SYN_OP_BLOCKING(BARRIER), 9000)->end_ticks = -1;
    put_line(2, 63, SYN_OP_BLOCKING(BARRIER), 9100);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(count_open(file), 2);
    const struct syn_open_call call = open_call(file, 0);
    cr_assert_eq(call.thread, 1);
    cr_assert_eq(syn_call_kind(call.call), SYN_CALL_KIND_UNKNOWN);
    cr_assert_eq(call.comm, SYN_OPEN_NO_COMM);
    cr_assert_eq(call.sequence, SYN_OPEN_NO_SEQUENCE);
    cr_assert_eq(call.stack, SYN_NO_STACK);
    cr_assert_eq(open_call(file, 1).thread, 63);
    syn_rank_close(file);
}

/* The event was stored, and the line not closed yet. */
Test(raw, an_event_closes_its_line)
{
    make_open();
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 6000);
    put_line(2, 1, SYN_OP_BLOCKING(BARRIER), 6000);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(open_call(file, 0).state, SYN_OPEN_OUTSIDE);
    cr_assert_eq(open_call(file, 0).end_ns, 6500);
    cr_assert_eq(open_call(file, 1).state, SYN_OPEN_INSIDE);
    syn_rank_close(file);
}

/* Callbacks have made the calls of these events: in MPI_Finalize, and in a call that frees. */
Test(raw, events_within_a_call_leave_it_open)
{
    const uint16_t calls[] = {SYN_CALL_Finalize, SYN_OP_BLOCKING(COMM_FREE)};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        make_open();
        put_line(2, 0, calls[i], 5800);
        save_raw(sizeof raw.data);
        struct syn_rank_file *file = open_part();
        cr_assert_eq(open_call(file, 0).state, SYN_OPEN_INSIDE);
        syn_rank_close(file);
    }
}

/* The event of a request has the start of the call that began it. */
Test(raw, a_completed_request_closes_the_line_of_its_wait)
{
    make_open();
    struct syn_event *event = &syn_raw_events(raw.data + UNIT)[6];
    event->start_ticks = 5600, event->call_end_ticks = 5700, event->wait_start_ticks = 6200;
    put_line(2, 0, SYN_CALL_Wait, 6200);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(open_call(file, 0).state, SYN_OPEN_OUTSIDE);
    syn_rank_close(file);
}

/* A coarse clock has the end of a call and the start of the next one in one tick. */
Test(raw, an_event_that_ends_as_a_call_begins_leaves_it_open)
{
    make_open();
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 6500);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(open_call(file, 0).state, SYN_OPEN_INSIDE);
    syn_rank_close(file);
}

Test(raw, open_lines_of_another_run_or_none)
{
    make_open();
    raw.header.run_id[0] ^= 1;
    label_open(2, 0);
    raw.header.run_id[0] ^= 1;
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 9000);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    struct syn_open_view *view;
    cr_assert_eq(count_open(file), 0);
    cr_assert_eq(syn_open_view_new(file, &view), SYN_EMISSING);
    cr_assert_null(view);
    syn_rank_close(file);
}

/* A recovered file keeps them, and what they refer to. */
Test(raw, a_recovered_file_keeps_open_calls)
{
    struct syn_trace *trace;
    struct syn_recovered recovered;
    char *why;
    make_open();
    struct syn_open_line *line = put_line(2, 0, SYN_OP_BLOCKING(BCAST), 9000);
    line->sequence = 12, line->peer = 1, line->bytes = 80, line->stack = SYN_NO_STACK;
    line = put_line(2, 1, SYN_CALL_Recv, 9100);
    line->from_peer = ANY_SOURCE, line->from_tag = ANY_TAG, line->end_ticks = 9200;
    save_raw(sizeof raw.data);
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_not(path_exists(temp_path("t/rank-000000.raw")));
    cr_assert_eq(syn_trace_open(temp_path("t"), &trace, &why), SYN_OK);
    struct syn_rank_file *file = syn_trace_rank(trace, 0);
    cr_assert_eq(count_open(file), 2);
    struct syn_open_call call = open_call(file, 0);
    cr_assert_eq(call.state, SYN_OPEN_INSIDE);
    cr_assert_eq(call.comm, 3);
    cr_assert_eq(call.sequence, 12);
    cr_assert_eq(call.bytes, 80);
    cr_assert_eq(call.root, 1);
    cr_assert_eq(call.stack, SYN_NO_STACK);
    cr_assert_eq(call.start_ns, 9000);
    call = open_call(file, 1);
    cr_assert_eq(call.state, SYN_OPEN_OUTSIDE);
    cr_assert_eq(call.end_ns, 9200);
    cr_assert_eq(call.from.rank, SYN_PEER_ANY);
    cr_assert_eq(call.from.tag, SYN_TAG_ANY);
    cr_assert_eq(call.bytes, SYN_OPEN_NO_BYTES);
    syn_trace_close(trace);
}

/* As a program that goes on to write its lines. */
Test(raw, a_view_sees_what_changes)
{
    struct syn_open_view *view;
    const struct syn_open_call *calls;
    size_t count;
    bool is_behind;
    make_open();
    struct syn_open_line *line = put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 9000);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_open_view_new(file, &view), SYN_OK);
    cr_assert_eq(syn_open_view_read(view, &calls, &count, &is_behind), SYN_OK);
    cr_assert_eq(count, 1);
    cr_assert_eq(calls[0].state, SYN_OPEN_INSIDE);
    cr_assert_not(is_behind);
    line->end_ticks = 9900;
    put_line(2, 1, SYN_CALL_Recv, 9950)->comm = 4;
    FILE *stream = fopen(temp_path("t/rank-000000.raw"), "r+");
    cr_assert_eq(fwrite(raw.data, sizeof raw.data, 1, stream), 1);
    fclose(stream);
    cr_assert_eq(syn_open_view_read(view, &calls, &count, &is_behind), SYN_OK);
    cr_assert_eq(count, 2);
    cr_assert_eq(calls[0].state, SYN_OPEN_OUTSIDE);
    cr_assert_eq(calls[0].end_ns, 9900);
    cr_assert_eq(calls[1].comm, SYN_OPEN_NO_COMM);
    cr_assert(is_behind);
    unlink(temp_path("t/rank-000000.raw"));
    cr_assert_eq(syn_open_view_read(view, &calls, &count, &is_behind), SYN_EMISSING);
    syn_open_view_free(view);
    syn_rank_close(file);
}

/* Returns the state of the first thread in a view of the saved lines; SYN_OPEN_OUTSIDE without one.
 */
static enum syn_open_state viewed(struct syn_open_view *view)
{
    const struct syn_open_call *calls;
    size_t count;
    bool is_behind;
    cr_assert_eq(syn_open_view_read(view, &calls, &count, &is_behind), SYN_OK);
    return count > 0 ? calls[0].state : SYN_OPEN_OUTSIDE;
}

/* A line with start 0: of a thread that is writing it, that has ended, and that made no call. */
Test(raw, a_view_tells_a_thread_that_moves_from_none)
{
    struct syn_open_view *view;
    make_open();
    struct syn_open_line *line = put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 0);
    save_raw(sizeof raw.data);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_open_view_new(file, &view), SYN_OK);
    cr_assert_eq(viewed(view), SYN_OPEN_MOVING);
    syn_open_line_end(line);
    save_raw(sizeof raw.data);
    cr_assert_eq(viewed(view), SYN_OPEN_OUTSIDE);
    memset(line, 0, sizeof *line);
    save_raw(sizeof raw.data);
    cr_assert_eq(viewed(view), SYN_OPEN_OUTSIDE);
    syn_open_view_free(view);
    syn_rank_close(file);
}

static struct {
    struct syn_open_line *line;
    bool over;
} writing;

static void *make_calls(void *unused)
{
    for (int64_t start = 9000; !__atomic_load_n(&writing.over, __ATOMIC_RELAXED); start++) {
        syn_open_line_begin(writing.line);
        SYN_OPEN_SET(writing.line->sequence, (uint64_t)start);
        syn_open_line_enter(writing.line, start);
    }
    return unused;
}

/* A thread that makes one call after the other is in each view, with whole lines. */
Test(raw, a_view_of_a_thread_that_makes_calls)
{
    struct syn_open_view *view;
    const struct syn_open_call *calls;
    size_t count;
    bool is_behind;
    pthread_t thread;
    make_open();
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 9000)->sequence = 9000;
    save_raw(sizeof raw.data);
    const int descriptor = open(temp_path("t/rank-000000.raw"), O_RDWR);
    uint8_t *memory =
        mmap(NULL, sizeof raw.data, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    close(descriptor);
    cr_assert_neq(memory, MAP_FAILED);
    struct syn_rank_file *file = open_part();
    cr_assert_eq(syn_open_view_new(file, &view), SYN_OK);
    writing.line = syn_raw_open_lines(memory + 2 * UNIT);
    cr_assert_eq(pthread_create(&thread, NULL, make_calls, NULL), 0);
    for (int i = 0; i < 2000; i++) {
        cr_assert_eq(syn_open_view_read(view, &calls, &count, &is_behind), SYN_OK);
        cr_assert_eq(count, 1);
        if (calls[0].state != SYN_OPEN_MOVING)
            cr_assert_eq(calls[0].sequence, (uint64_t)calls[0].start_ns);
    }
    __atomic_store_n(&writing.over, true, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    syn_open_view_free(view);
    syn_rank_close(file);
    munmap(memory, sizeof raw.data);
}

/* A finished file of `count` open calls: those of `lines` [2] in turn, of threads 1 and 0. */
static struct syn_rank_file *finished_with(const struct syn_open_line lines[2], size_t count)
{
    struct syn_sink sink;
    struct syn_writer *writer;
    struct syn_rank_file *file;
    struct syn_bytes calls = {0};
    const struct syn_writer_identity identity = identity_of(0, 2);
    const struct syn_tick_source ticks = nanosecond_ticks();
    const struct syn_end_record end = {.ending = SYN_ENDING_KILLED};
    cr_assert_eq(syn_sink_file(temp_path("rank-000000.syn"), &sink), SYN_OK);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), SYN_OK);
    declare(writer, 2, 1);
    for (size_t i = 0; i < count; i++)
        syn_put_open(&calls, i % 2 == 0, &lines[i % 2]);
    cr_assert_eq(syn_writer_open_calls(writer, &calls, count), SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &end), SYN_OK);
    syn_writer_close(writer);
    syn_bytes_free(&calls);
    cr_assert_eq(syn_rank_open(temp_path("rank-000000.syn"), NULL, &file), SYN_OK);
    return file;
}

/* Calls that are not in order, twice, with peers that are none, and a stack that it has. */
Test(raw, open_calls_of_a_finished_file_are_not_believed)
{
    const struct syn_open_line lines[] = {
        {.start_ticks = 9, .stack = 0, .call = SYN_CALL_Sendrecv, .peer = -99, .from_peer = 1},
        {.start_ticks = 8, .stack = 7, .call = SYN_OP_BLOCKING(BARRIER), .peer = -99}};
    struct syn_rank_file *file = finished_with(lines, 4);
    cr_assert_eq(count_open(file), 2);
    cr_assert_eq(open_call(file, 0).thread, 0);
    cr_assert_eq(open_call(file, 0).root, -1);
    cr_assert_eq(open_call(file, 0).stack, SYN_NO_STACK);
    cr_assert_eq(open_call(file, 1).to.rank, SYN_PEER_UNKNOWN);
    cr_assert_eq(open_call(file, 1).from.rank, 1);
    cr_assert_eq(open_call(file, 1).stack, 0);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_OK);
    syn_rank_close(file);
}

Test(raw, open_calls_of_a_finished_file_take_no_more_memory_than_others)
{
    const struct syn_open_line lines[] = {{.start_ticks = 9}, {.start_ticks = 8}};
    struct syn_rank_file *file = finished_with(lines, (size_t)1 << 20);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_EDAMAGED);
    syn_rank_close(file);
}

static void read_all(void)
{
    struct syn_rank_file *file = open_part();
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    cr_assert_leq(syn_rank_event_count(file), (uint64_t)(2 * PER_RAW));
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    for (int status; (status = syn_cursor_next(cursor, &columns)) != SYN_EEND;) {
        cr_assert(status == SYN_OK || status == SYN_EDAMAGED, "%d", status);
        for (size_t i = 0; status == SYN_OK && i < columns.count; i++) {
            cr_assert_not_null(syn_rank_comm(file, columns.comm[i]));
            cr_assert(columns.stack[i] == SYN_NO_STACK || syn_rank_stack(file, columns.stack[i]));
        }
    }
    syn_cursor_close(cursor);
    struct syn_open_call call;
    for (size_t i = 0; syn_rank_open_call_at(file, i, &call); i++) {
        cr_assert(call.comm == SYN_OPEN_NO_COMM || syn_rank_comm(file, call.comm));
        cr_assert(call.stack == SYN_NO_STACK || syn_rank_stack(file, call.stack));
    }
    syn_rank_close(file);
}

/* Headers, records and events: every bit of the bytes that a reader decides by, in one byte of the
 * file after the other. */
Test(raw, no_flipped_byte_does_harm, .timeout = 120)
{
    make_killed(0, 5);
    for (size_t unit = 0; unit < 4; unit++)
        for (size_t at = 0; at < SYN_RAW_HEADER_BYTES + 160; at++) {
            uint8_t *byte = &raw.data[unit * UNIT + at];
            *byte ^= (uint8_t)(1u << at % 8);
            save_raw(sizeof raw.data);
            read_all();
            *byte ^= (uint8_t)(1u << at % 8);
        }
}

Test(raw, no_flipped_byte_of_what_is_pending_does_harm, .timeout = 120)
{
    make_pending();
    for (size_t at = 0; at < SYN_RAW_HEADER_BYTES + 5 * 64; at++)
        for (int bit = 0; bit < 8; bit += at % 64 < 62 ? 5 : 1) {
            raw.data[UNIT + at] ^= (uint8_t)(1u << bit);
            save_raw(sizeof raw.data);
            read_all();
            raw.data[UNIT + at] ^= (uint8_t)(1u << bit);
        }
}

Test(raw, no_flipped_byte_of_an_open_call_does_harm, .timeout = 120)
{
    make_open();
    put_line(2, 0, SYN_OP_BLOCKING(BARRIER), 9000);
    put_line(2, 1, SYN_CALL_Sendrecv, 9100);
    for (size_t at = 0; at < SYN_RAW_HEADER_BYTES + 2 * 64; at++)
        for (int bit = 0; bit < 8; bit += 3) {
            raw.data[2 * UNIT + at] ^= (uint8_t)(1u << bit);
            save_raw(sizeof raw.data);
            read_all();
            raw.data[2 * UNIT + at] ^= (uint8_t)(1u << bit);
        }
}

Test(raw, no_truncation_does_harm, .timeout = 120)
{
    make_killed(0, 5);
    for (size_t bytes = 0; bytes < sizeof raw.data; bytes += bytes % UNIT < 400 ? 7 : 4999) {
        save_raw(bytes);
        read_all();
    }
}

Test(raw, records_that_lie_about_their_length)
{
    const uint32_t lengths[] = {1, 9, (uint32_t)UNIT - SYN_RAW_HEADER_BYTES - 8, UINT32_MAX,
                                0x80000000u};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        make_killed(0, 5);
        syn_store32(raw.data + SYN_RAW_HEADER_BYTES, lengths[i]);
        save_raw(sizeof raw.data);
        read_all();
    }
}

Test(raw, block_of_records_is_filled_to_its_end)
{
    uint8_t type;
    const uint8_t *record;
    size_t at = 0, bytes, used = 0, count = 0, found = 0;
    uint8_t some[1000];
    memset(&raw, 0, sizeof raw);
    for (size_t i = 0; i < sizeof some; i++)
        some[i] = (uint8_t)(i + 1);
    while (syn_raw_append(raw.data, UNIT, &used, SYN_FRAME_COMM, some, 1 + count * 37 % 1000))
        count++;
    cr_assert_eq(raw.data[UNIT], 0);
    while (syn_raw_record(raw.data, UNIT, &at, &type, &record, &bytes)) {
        cr_assert_eq(bytes, 1 + found * 37 % 1000);
        cr_assert_eq(memcmp(record, some, bytes), 0);
        found++;
    }
    cr_assert_eq(found, count);
    cr_assert_gt(count, 100);
}

static size_t record_bytes_of(uint32_t number)
{
    return 8 + number * 37 % 300;
}

static void append_record(uint32_t number)
{
    uint8_t record[400];
    memset(record, (int)number, sizeof record);
    memcpy(record, &number, sizeof number);
    cr_assert(syn_raw_append(raw.data, UNIT, &raw.records_used, SYN_FRAME_COMM, record,
                             record_bytes_of(number)));
}

/* Records with a type are the numbers from `first` to before `end`, in this order. */
static void expect_records(uint32_t first, uint32_t end)
{
    size_t at = 0, bytes;
    uint8_t type;
    const uint8_t *record;
    uint32_t number = first;
    while (syn_raw_record(raw.data, UNIT, &at, &type, &record, &bytes)) {
        uint32_t found;
        if (type == SYN_RAW_NO_RECORD)
            continue;
        memcpy(&found, record, sizeof found);
        cr_assert_eq(found, number);
        cr_assert_eq(bytes, record_bytes_of(number));
        cr_assert_eq(record[bytes - 1], bytes > 4 ? (uint8_t)number : record[bytes - 1]);
        number++;
    }
    cr_assert_eq(number, end);
}

/* As the recorder does for ever: some are in the file while others come. */
Test(raw, records_make_room_for_others)
{
    memset(&raw, 0xa5, sizeof raw);
    raw.records_used = 0;
    raw.header = (struct syn_raw_header){.size = 1, .block_bytes = UNIT};
    label(0, SYN_RAW_RECORDS, 0, 0);
    memset(raw.data + SYN_RAW_HEADER_BYTES, 0, 8);
    uint32_t first = 0, next = 0;
    uint64_t state = 7;
    size_t least_left = UNIT;
    for (int round = 0; round < 2000; round++) {
        for (uint32_t i = 0; i < 60 + random_next(&state) % 60; i++)
            append_record(next++);
        const size_t upto = raw.records_used;
        const uint32_t kept = next;
        expect_records(first, next);
        for (uint32_t i = 0; i < random_next(&state) % 50; i++)
            append_record(next++);
        syn_raw_forget(raw.data, &raw.records_used, upto);
        first = kept;
        expect_records(first, next);
        least_left = UNIT - raw.records_used < least_left ? UNIT - raw.records_used : least_left;
        syn_raw_forget(raw.data, &raw.records_used, 0);
        expect_records(first, next);
    }
    cr_expect_gt(least_left, UNIT / 3, "what was forgotten makes room");
    syn_raw_forget(raw.data, &raw.records_used, raw.records_used);
    expect_records(next, next);
    cr_assert_eq(raw.records_used, 0);
}

/* More is kept than is forgotten: there is no room for it in front, but it is passed over. */
Test(raw, records_that_find_no_room_in_front_stay_where_they_are)
{
    memset(&raw, 0, sizeof raw);
    append_record(0);
    const size_t upto = raw.records_used;
    for (uint32_t i = 1; i < 40; i++)
        append_record(i);
    const size_t used = raw.records_used;
    syn_raw_forget(raw.data, &raw.records_used, upto);
    cr_assert_eq(raw.records_used, used);
    expect_records(1, 40);
    append_record(40);
    expect_records(1, 41);
    syn_raw_forget(raw.data, &raw.records_used, used);
    expect_records(40, 41);
    cr_assert_lt(raw.records_used, 400);
}
