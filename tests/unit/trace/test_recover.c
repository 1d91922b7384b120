/* Remains of a killed run become a whole trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/recover/recover.h"

TestSuite(recover, .fini = temp_remove);

#define EVENTS_PER_RANK (SYN_CHUNK_EVENTS + 500) /* two chunks */

static const char *directory(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", temp_path("t"));
    mkdir(path, 0777);
    return path;
}

static struct syn_trace *open_it(void)
{
    struct syn_trace *trace;
    char *why;
    cr_assert_eq(syn_trace_open(directory(), &trace, &why), SYN_OK, "%s", why);
    return trace;
}

static void recover_it(struct syn_recovered *recovered)
{
    struct syn_trace *trace = open_it();
    cr_assert_eq(syn_trace_recover(trace, recovered), SYN_OK);
    syn_trace_close(trace);
}

/* Sum over all events of a rank, to see that they are the same. */
static uint64_t fingerprint(const struct syn_trace *trace, int32_t rank, uint64_t *count)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    uint64_t sum = 0;
    *count = 0;
    cr_assert_eq(syn_cursor_open(syn_trace_rank(trace, rank), &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &columns) == SYN_OK)
        for (size_t i = 0; i < columns.count; i++, ++*count)
            sum += (uint64_t)columns.start_ns[i] * 3 + (uint64_t)columns.end_ns[i] * 5 +
                   columns.sequence[i] * 7 + columns.comm[i] + columns.stack[i] + columns.bytes[i];
    syn_cursor_close(cursor);
    return sum;
}

/* Cut rank 1's file within its second chunk, as a kill does, and take the manifest away. */
static void kill_rank_1(void)
{
    size_t bytes;
    uint8_t *data = load_file(temp_path("t/rank-000001.syn"), &bytes);
    struct syn_frame_header header;
    size_t at = 0, chunks = 0;
    for (;; at += SYN_FRAME_HEADER_BYTES + header.compressed_bytes) {
        cr_assert_eq(syn_frame_decode(data + at, &header), SYN_FRAME_VALID);
        if (header.type == SYN_FRAME_EVENTS && chunks++ == 1)
            break;
    }
    save_file(temp_path("t/rank-000001.syn.part"), data, at + SYN_FRAME_HEADER_BYTES + 10);
    unlink(temp_path("t/rank-000001.syn"));
    unlink(temp_path("t/manifest"));
    free(data);
}

Test(recover, an_unfinished_rank)
{
    struct syn_recovered recovered;
    uint64_t before, after, count;
    write_trace(directory(), 3, EVENTS_PER_RANK);
    kill_rank_1();
    struct syn_trace *trace = open_it();
    before = fingerprint(trace, 1, &count);
    cr_assert_eq(count, SYN_CHUNK_EVENTS);
    syn_trace_close(trace);

    recover_it(&recovered);
    cr_assert_eq(recovered.file_count, 1);
    cr_assert_eq(recovered.whole_count, 2);
    cr_assert_eq(recovered.missing_count, 0);
    cr_assert_eq(recovered.event_count, 2 * EVENTS_PER_RANK + SYN_CHUNK_EVENTS);

    trace = open_it();
    cr_assert_eq(syn_trace_verify(trace), SYN_OK);
    cr_assert_eq(syn_trace_manifest(trace)->written_count, 3);
    after = fingerprint(trace, 1, &count);
    cr_assert_eq(count, SYN_CHUNK_EVENTS);
    cr_assert_eq(before, after);
    struct syn_rank_file *file = syn_trace_rank(trace, 1);
    cr_assert_not_null(syn_rank_meta(file, "recovered"));
    cr_assert_str_eq(syn_rank_meta(file, "host.name"), "node17");
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_UNKNOWN);
    cr_assert_eq(syn_rank_timeline(file)->knot_count, 2);
    cr_assert_null(syn_rank_meta(syn_trace_rank(trace, 0), "recovered"));
    cr_assert_not(path_exists(temp_path("t/rank-000001.syn.part")));
    syn_trace_close(trace);
}

Test(recover, a_damaged_chunk_becomes_dropped_events)
{
    struct syn_recovered recovered;
    write_trace(directory(), 1, EVENTS_PER_RANK);
    size_t bytes;
    uint8_t *data = load_file(temp_path("t/rank-000000.syn"), &bytes);
    data[bytes / 2] ^= 4;
    save_file(temp_path("t/rank-000000.syn"), data, bytes);
    free(data);
    recover_it(&recovered);
    cr_assert_eq(recovered.lost_event_count, SYN_CHUNK_EVENTS);
    cr_assert_eq(recovered.event_count, 500);
    struct syn_trace *trace = open_it();
    cr_assert_eq(syn_trace_verify(trace), SYN_OK);
    cr_assert_eq(syn_rank_end(syn_trace_rank(trace, 0))->dropped_count, SYN_CHUNK_EVENTS);
    cr_assert_eq(syn_rank_end(syn_trace_rank(trace, 0))->ending, SYN_ENDING_FINALIZE);
    syn_trace_close(trace);
}

Test(recover, a_missing_rank_stays_missing)
{
    struct syn_recovered recovered;
    write_trace(directory(), 3, 100);
    unlink(temp_path("t/rank-000002.syn"));
    recover_it(&recovered);
    cr_assert_eq(recovered.missing_count, 1);
    cr_assert_eq(recovered.whole_count, 2);
    struct syn_trace *trace = open_it();
    size_t count;
    cr_assert_eq(syn_trace_faults(trace, &count)->status, SYN_EMISSING);
    cr_assert_eq(count, 1);
    cr_assert_eq(syn_trace_size(trace), 3);
    syn_trace_close(trace);
}

Test(recover, a_whole_trace_is_left_as_it_is)
{
    struct syn_recovered recovered;
    write_trace(directory(), 2, 100);
    size_t bytes, again;
    uint8_t *before = load_file(temp_path("t/rank-000001.syn"), &bytes);
    recover_it(&recovered);
    uint8_t *after = load_file(temp_path("t/rank-000001.syn"), &again);
    cr_assert_eq(recovered.file_count, 0);
    cr_assert_eq(bytes, again);
    cr_assert_arr_eq(before, after, bytes);
    free(before);
    free(after);
}
