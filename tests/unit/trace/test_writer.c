/* The writer where something goes wrong: a full disk, bad arguments; and the file sink. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/read/reader.h"
#include "trace/write/batch.h"

TestSuite(writer, .fini = temp_remove);

static const struct syn_end_record finalize = {.ending = SYN_ENDING_FINALIZE};

static int open_limited(struct memory_file *file, size_t limit_bytes, struct syn_writer **writer)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer_identity identity = identity_of(0, 1);
    file->limit_bytes = limit_bytes;
    return syn_writer_open(memory_sink(file), &identity, 1, &ticks, writer);
}

/* Whatever the disk holds: the first error stays, nothing is written after it, nothing leaks. */
Test(writer, disk_full_at_any_byte)
{
    struct syn_event *events = simulated_events(100, 1);
    size_t refused_count = 0;
    for (size_t limit = 1; limit < 6000; limit += 13) {
        struct memory_file file = {0};
        struct syn_writer *writer;
        int status = open_limited(&file, limit, &writer);
        if (status != SYN_OK) {
            cr_assert_eq(status, SYN_EIO);
            cr_assert_eq(errno, ENOSPC);
            cr_assert_null(writer);
            cr_assert(file.closed);
            memory_file_free(&file);
            continue;
        }
        declare(writer, 3, 12);
        status = syn_writer_entries(writer, 0, events, 100, 0, NULL);
        size_t bytes = file.bytes;
        if (status != SYN_OK) {
            refused_count++;
            file.limit_bytes = 0; /* space is back, but the file has a hole already */
            errno = 0;
            cr_assert_eq(status, SYN_EIO);
            cr_assert_eq(syn_writer_entries(writer, 0, events, 100, 0, NULL), SYN_EIO);
            cr_assert_eq(errno, ENOSPC);
            cr_assert_eq(syn_writer_meta(writer, "a", "b"), SYN_EIO);
            cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_EIO);
            cr_assert_eq(file.bytes, bytes);
            cr_assert_not(file.committed);
        }
        syn_writer_close(writer);
        cr_assert(file.closed);
        memory_file_free(&file);
    }
    cr_assert_gt(refused_count, 0);
    free(events);
}

Test(writer, a_failed_commit_is_an_error)
{
    struct memory_file file = {.fail_commit = true};
    struct syn_writer *writer;
    cr_assert_eq(open_limited(&file, 0, &writer), SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_EIO);
    syn_writer_close(writer);
    memory_file_free(&file);
}

Test(writer, bad_identities_are_refused)
{
    static const int32_t bad[][2] = {{-1, 4}, {4, 4}, {0, 0}, {0, -3}};
    struct syn_tick_source ticks = nanosecond_ticks();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct memory_file file = {0};
        struct syn_writer *writer;
        struct syn_writer_identity identity = {.rank = bad[i][0], .size = bad[i][1]};
        cr_assert_eq(syn_writer_open(memory_sink(&file), &identity, 1, &ticks, &writer),
                     SYN_EINVAL);
        cr_assert(file.closed);
    }
}

Test(writer, nothing_after_finish)
{
    struct memory_file file = {0};
    struct syn_writer *writer;
    cr_assert_eq(open_limited(&file, 0, &writer), SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_OK);
    cr_assert_eq(syn_writer_meta(writer, "a", "b"), SYN_EINVAL);
    cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_EINVAL);
    syn_writer_close(writer);
    syn_writer_close(NULL);
    memory_file_free(&file);
}

/* A killed process leaves a file that is readable up to its last call. */
Test(writer, everything_is_with_the_sink_when_a_call_returns)
{
    struct memory_file file = {0};
    struct syn_writer *writer;
    struct syn_rank_file *opened;
    struct syn_event *events = simulated_events(500, 2);
    cr_assert_eq(open_limited(&file, 0, &writer), SYN_OK);
    declare(writer, 3, 12);
    syn_writer_meta(writer, "early", "yes");
    cr_assert_eq(syn_writer_flush(writer), SYN_OK);
    cr_assert_eq(syn_writer_entries(writer, 0, events, 500, 0, NULL), SYN_OK);
    save_file(temp_path("rank-000000.syn.part"), file.data, file.bytes);
    cr_assert_eq(syn_rank_open(temp_path("rank-000000.syn.part"), NULL, &opened), SYN_OK);
    cr_assert_eq(syn_rank_fault(opened, NULL), SYN_ETRUNCATED);
    cr_assert_eq(syn_rank_event_count(opened), 500);
    cr_assert_str_eq(syn_rank_meta(opened, "early"), "yes");
    cr_assert_eq(syn_rank_comm_count(opened), 3);
    syn_rank_close(opened);
    syn_writer_close(writer);
    memory_file_free(&file);
    free(events);
}

Test(writer, file_sink_renames_only_what_was_committed)
{
    struct syn_sink sink;
    cr_assert_eq(syn_sink_file(temp_path("a"), &sink), SYN_OK);
    cr_assert_eq(sink.write(sink.ctx, "abc", 3), SYN_OK);
    cr_assert(path_exists(temp_path("a.part")));
    cr_assert_not(path_exists(temp_path("a")));
    cr_assert_eq(sink.commit(sink.ctx), SYN_OK);
    sink.close(sink.ctx);
    cr_assert(path_exists(temp_path("a")));
    cr_assert_not(path_exists(temp_path("a.part")));

    cr_assert_eq(syn_sink_file(temp_path("b"), &sink), SYN_OK);
    sink.close(sink.ctx);
    cr_assert(path_exists(temp_path("b.part")));
    cr_assert_not(path_exists(temp_path("b")));
}

Test(writer, file_sink_follows_a_directory_that_is_moved)
{
    struct syn_sink sink;
    mkdir(temp_path("dir"), 0777);
    cr_assert_eq(syn_sink_file(temp_path("dir/file"), &sink), SYN_OK);
    cr_assert_eq(rename(temp_path("dir"), temp_path("dir.old")), 0);
    mkdir(temp_path("dir"), 0777);
    save_file(temp_path("dir/file.part"), "another run's", 13);
    cr_assert_eq(sink.commit(sink.ctx), SYN_OK);
    sink.close(sink.ctx);
    cr_assert(path_exists(temp_path("dir.old/file")));
    cr_assert(path_exists(temp_path("dir/file.part")));
    cr_assert_not(path_exists(temp_path("dir/file")));
}

Test(writer, file_sink_reports_the_systems_errors)
{
    struct syn_sink sink;
    errno = 0;
    cr_assert_eq(syn_sink_file(temp_path("missing/file"), &sink), SYN_EIO);
    cr_assert_eq(errno, ENOENT);
    /* A link in the temporary file's place is not written through. */
    save_file(temp_path("precious"), "x", 1);
    cr_assert_eq(symlink(temp_path("precious"), temp_path("c.part")), 0);
    cr_assert_eq(syn_sink_file(temp_path("c"), &sink), SYN_OK);
    cr_assert_eq(sink.write(sink.ctx, "yy", 2), SYN_OK);
    cr_assert_eq(sink.commit(sink.ctx), SYN_OK);
    sink.close(sink.ctx);
    size_t bytes;
    free(load_file(temp_path("precious"), &bytes));
    cr_assert_eq(bytes, 1);
    /* Nor does a pipe there stop us. A directory does, and stays. */
    cr_assert_eq(mkfifo(temp_path("p.part"), 0600), 0);
    cr_assert_eq(syn_sink_file(temp_path("p"), &sink), SYN_OK);
    sink.close(sink.ctx);
    cr_assert_eq(mkdir(temp_path("e.part"), 0700), 0);
    cr_assert_eq(syn_sink_file(temp_path("e"), &sink), SYN_EIO);
    cr_assert_eq(errno, EISDIR);
}

Test(writer, descriptors_are_not_inherited)
{
    struct syn_sink sink;
    cr_assert_eq(syn_sink_file(temp_path("d"), &sink), SYN_OK);
    for (int fd = 3; fd < 64; fd++)
        if (fcntl(fd, F_GETFD) >= 0 && fcntl(fd, F_GETFL) >= 0) {
            struct stat state, own;
            cr_assert_eq(fstat(fd, &state), 0);
            if (stat(temp_path("d.part"), &own) == 0 && own.st_ino == state.st_ino)
                cr_assert(fcntl(fd, F_GETFD) & FD_CLOEXEC);
        }
    sink.close(sink.ctx);
}

static void put_comm(struct syn_writer *writer, uint32_t index, const char *kind)
{
    char name[40];
    snprintf(name, sizeof name, "%s %u of the world", kind, index);
    const struct syn_comm_record comm = {
        .index = index, .id = 1000 + index, .size = 1, .name = name, .world_ranks = NULL};
    cr_assert_eq(syn_writer_comm(writer, &comm), SYN_OK);
}

/* Until all of it is with the sink. */
static void take_steps(struct syn_writer *writer)
{
    enum syn_ahead what = SYN_AHEAD_NOTHING;
    do
        cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
    while (what == SYN_AHEAD_BEGUN || what == SYN_AHEAD_UNDER_WAY);
    cr_assert_eq(what, SYN_AHEAD_WRITTEN);
}

/* Until the file ends with a page: the rest of a frame has to come. */
static void take_half(struct syn_writer *writer)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    size_t count = 0;
    do {
        enum syn_ahead what;
        cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
        cr_assert_eq(what, SYN_AHEAD_UNDER_WAY);
        count++;
    } while (syn_writer_bytes(writer) % page_bytes != 0);
    cr_assert_gt(count, 4, "600 names are more than a step");
}

static void put_events(struct syn_writer *writer, const struct syn_event *events, size_t count)
{
    struct syn_batch *batch = syn_writer_new_batch(writer);
    cr_assert_eq(syn_batch_begin(batch, 0, events, count, 0, NULL), SYN_OK);
    while (syn_batch_steps_left(batch) > 0)
        cr_assert_eq(syn_batch_step(batch), SYN_OK);
    bool is_whole = false;
    while (!is_whole)
        cr_assert_eq(syn_writer_batch(writer, batch, 0, &is_whole), SYN_OK);
    syn_batch_free(batch);
}

#define MANY 600

/* Events, names given anew and flushes come in between: the file has all of it, in its order. */
Test(writer, what_was_declared_goes_to_the_sink_in_steps)
{
    struct syn_writer *writer;
    struct syn_sink sink;
    struct syn_rank_file *file;
    const struct syn_tick_source ticks = nanosecond_ticks();
    const struct syn_writer_identity identity = identity_of(0, 1);
    struct syn_event *events = simulated_events(100, 1);
    enum syn_ahead what;
    cr_assert_eq(syn_sink_file(temp_path("rank-000000.syn"), &sink), SYN_OK);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), SYN_OK);
    cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
    cr_assert_eq(what, SYN_AHEAD_NOTHING);
    declare(writer, 3, 12);
    for (uint32_t i = 3; i < MANY; i++)
        put_comm(writer, i, "first");
    const uint64_t until = syn_writer_declared_count(writer);
    cr_assert_eq(syn_writer_ahead(writer, 1 << 20, &what), SYN_OK);
    cr_assert_eq(what, SYN_AHEAD_NOTHING, "less than a megabyte");
    cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
    cr_assert_eq(what, SYN_AHEAD_BEGUN);
    put_comm(writer, 3, "second");
    put_events(writer, events, 100);
    cr_assert_lt(syn_writer_written_count(writer), until);
    take_half(writer);
    put_events(writer, events, 100);
    cr_assert_lt(syn_writer_written_count(writer), until);
    take_steps(writer);
    cr_assert_eq(syn_writer_written_count(writer), until);
    for (uint32_t i = 4; i < 8; i++)
        put_comm(writer, i, "second");
    cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
    put_comm(writer, 7, "third");
    cr_assert_eq(syn_writer_flush(writer), SYN_OK);
    cr_assert_eq(syn_writer_written_count(writer), syn_writer_declared_count(writer));
    put_comm(writer, 8, "fourth");
    cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_OK);
    syn_writer_close(writer);
    free(events);

    cr_assert_eq(syn_rank_open(temp_path("rank-000000.syn"), NULL, &file), SYN_OK);
    cr_assert_eq(syn_rank_fault(file, NULL), SYN_OK);
    cr_expect_eq(syn_rank_event_count(file), 200);
    for (uint32_t i = 3; i < MANY; i++) {
        char name[40];
        snprintf(name, sizeof name, "%s %u of the world",
                 i == 7            ? "third"
                 : i == 8          ? "fourth"
                 : i >= 3 && i < 8 ? "second"
                                   : "first",
                 i);
        cr_assert_str_eq(syn_rank_comm(file, i)->name, name);
    }
    syn_rank_close(file);
}

/* Does a write go over the end of a page that had bytes before? */
static bool goes_over_page(size_t from_bytes, size_t to_bytes, size_t page_bytes)
{
    return from_bytes % page_bytes != 0 &&
           to_bytes > from_bytes / page_bytes * page_bytes + page_bytes;
}

/* A write is a step by itself, of one frame, or of what of it belongs into the page that is there;
 * before the first one, the sink is told in a step. */
Test(writer, each_frame_is_handed_over_in_a_step_of_its_own)
{
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    struct memory_file file = {0};
    struct syn_writer *writer;
    size_t halves = 0;
    cr_assert_eq(open_limited(&file, 0, &writer), SYN_OK);
    cr_assert_eq(syn_writer_meta(writer, "a", "b"), SYN_OK);
    declare(writer, 3, 12);
    for (size_t round = 1; round <= 2; round++) {
        enum syn_ahead what;
        size_t frames = 0;
        for (uint32_t i = 3; i < MANY; i++)
            put_comm(writer, i, "first");
        do {
            const struct memory_file before = file;
            const bool is_whole = syn_writer_is_ahead_whole(writer);
            cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_OK);
            const size_t writes = file.write_count - before.write_count;
            cr_assert_leq(writes, 1);
            cr_assert_eq(writes + file.expect_count - before.expect_count, is_whole ? 1 : 0);
            cr_assert(writes == 0 || file.expect_count == round, "told before the first");
            cr_assert_not(goes_over_page(before.bytes, file.bytes, page_bytes));
            const bool is_half = writes > 0 && file.bytes % page_bytes == 0;
            halves += is_half;
            frames += writes - is_half;
        } while (what != SYN_AHEAD_WRITTEN);
        cr_expect_eq(frames, round == 1 ? 4 : 1, "facts, communicators, modules, stacks");
    }
    cr_expect_eq(file.expect_count, 2);
    cr_expect_gt(halves, 0, "one of them went over the end of a page");
    cr_expect_eq(syn_writer_finish(writer, &finalize), SYN_OK);
    syn_writer_close(writer);
    memory_file_free(&file);
}

/* Whatever byte of it does not fit: an error, once and for all. */
Test(writer, disk_full_in_a_step)
{
    for (size_t limit = 500; limit < 9000; limit += 511) {
        struct memory_file file = {0};
        struct syn_writer *writer;
        int status = open_limited(&file, limit, &writer);
        if (status != SYN_OK) {
            memory_file_free(&file);
            continue;
        }
        for (uint32_t i = 0; i < MANY; i++)
            put_comm(writer, i, "first");
        enum syn_ahead what = SYN_AHEAD_BEGUN;
        while (status == SYN_OK && what != SYN_AHEAD_WRITTEN && what != SYN_AHEAD_NOTHING)
            status = syn_writer_ahead(writer, 1, &what);
        if (status != SYN_OK) {
            cr_assert_eq(status, SYN_EIO);
            cr_assert_eq(syn_writer_ahead(writer, 1, &what), SYN_EIO);
            cr_assert_eq(what, SYN_AHEAD_NOTHING);
            cr_assert_eq(syn_writer_finish(writer, &finalize), SYN_EIO);
        }
        syn_writer_close(writer);
        memory_file_free(&file);
    }
}
