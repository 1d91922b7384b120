/* Trace directories: opening them with all that can be wrong, the manifest, and making room for a
 * new one. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/directory/spawned.h"
#include "trace/read/span.h"

static struct syn_trace *trace;
static char *why;

static void clean_up(void)
{
    syn_trace_close(trace);
    free(why);
    temp_remove();
}

TestSuite(directory, .fini = clean_up);
TestSuite(prepare, .fini = temp_remove);

static const char *make_trace(int32_t size)
{
    static char directory[4096];
    snprintf(directory, sizeof directory, "%s", temp_path("t"));
    mkdir(directory, 0777);
    write_trace(directory, size, 200);
    return directory;
}

static void assert_faults(size_t count)
{
    size_t found;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &found);
    for (size_t i = 0; i < found && found != count; i++)
        cr_log_warn("%d rank %d: %s", faults[i].status, faults[i].rank, faults[i].text);
    cr_assert_eq(found, count);
}

static const struct syn_trace_fault *fault(size_t i)
{
    size_t found;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &found);
    cr_assert_lt(i, found);
    return &faults[i];
}

Test(directory, a_whole_trace)
{
    cr_assert_eq(syn_trace_open(make_trace(4), &trace, &why), SYN_OK, "%s", why);
    cr_assert_eq(syn_trace_size(trace), 4);
    cr_assert_eq(syn_trace_manifest(trace)->event_count, 800);
    cr_assert_eq(syn_trace_manifest(trace)->duration_ns, 123456789);
    cr_assert_eq(syn_trace_manifest(trace)->written_count, 4);
    for (int32_t rank = 0; rank < 4; rank++)
        cr_assert_eq(syn_rank_rank(syn_trace_rank(trace, rank)), rank);
    cr_assert_null(syn_trace_rank(trace, 4));
    cr_assert_null(syn_trace_rank(trace, -1));
    assert_faults(0);
    cr_assert_eq(syn_trace_verify(trace), SYN_OK);
}

/* However many ranks list its members: else memory would grow with the square of their number. */
Test(directory, the_members_of_a_communicator_are_kept_once)
{
    cr_assert_eq(syn_trace_open(make_trace(4), &trace, &why), SYN_OK, "%s", why);
    const struct syn_comm_record *first = syn_rank_comm(syn_trace_rank(trace, 0), 0);
    const struct syn_comm_record *last = syn_rank_comm(syn_trace_rank(trace, 3), 0);
    cr_assert_eq(first->size, 4);
    for (int32_t i = 0; i < 4; i++)
        cr_expect_eq(first->world_ranks[i], i);
    cr_expect_neq(first, last);
    cr_expect_eq(first->world_ranks, last->world_ranks);
}

Test(directory, trailing_slashes_and_other_files_do_not_matter)
{
    make_trace(2);
    save_file(temp_path("t/symbols"), "x", 1);
    save_file(temp_path("t/rank-1.syn"), "x", 1);
    save_file(temp_path("t/rank-000001.syn~"), "x", 1);
    cr_assert_eq(syn_trace_open(temp_path("t//"), &trace, &why), SYN_OK, "%s", why);
    assert_faults(0);
}

Test(directory, missing_ranks)
{
    const char *directory = make_trace(5);
    unlink(temp_path("t/rank-000001.syn"));
    unlink(temp_path("t/rank-000004.syn"));
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(2);
    cr_assert_eq(fault(0)->status, SYN_EMISSING);
    cr_assert_eq(fault(0)->rank, 1);
    cr_assert_eq(fault(1)->rank, 4);
    cr_assert(strstr(fault(1)->text, "rank-000004.syn: missing"));
    cr_assert_null(syn_trace_rank(trace, 1));
    cr_assert_not_null(syn_trace_rank(trace, 2));
    cr_assert_eq(syn_trace_verify(trace), SYN_EDAMAGED);
}

Test(directory, a_size_nobody_has_is_summed_up)
{
    const char *directory = temp_path("t");
    struct syn_manifest manifest = {.size = INT32_MAX};
    mkdir(directory, 0777);
    write_rank(directory, 0, INT32_MAX, 10);
    memcpy(manifest.run_id, identity_of(0, 1).run_id, 16);
    cr_assert_eq(syn_manifest_write(directory, &manifest), SYN_OK);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(1);
    cr_assert_eq(fault(0)->rank, 1);
    cr_assert(strstr(fault(0)->text, "rank-000001.syn: missing, and so on to rank 2147483646: "
                                     "2147483646 files"),
              "%s", fault(0)->text);
}

static void change_run(const char *path)
{
    size_t bytes;
    uint8_t *data = load_file(path, &bytes);
    struct syn_frame_header header;
    for (size_t at = 0; at < bytes; at += SYN_FRAME_HEADER_BYTES + header.compressed_bytes) {
        cr_assert_eq(syn_frame_decode(data + at, &header), SYN_FRAME_VALID);
        header.run_id[0] ^= 0xff;
        syn_frame_encode(&header, data + at);
    }
    save_file(path, data, bytes);
    free(data);
}

Test(directory, files_of_another_run_are_left_out)
{
    const char *directory = make_trace(3);
    change_run(temp_path("t/rank-000002.syn"));
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(1);
    cr_assert_eq(fault(0)->status, SYN_EMIXED);
    cr_assert_eq(fault(0)->rank, 2);
    cr_assert_null(syn_trace_rank(trace, 2));
    cr_assert_not_null(syn_trace_rank(trace, 0));
}

Test(directory, without_a_manifest_the_majority_is_the_run)
{
    const char *directory = make_trace(5);
    unlink(temp_path("t/manifest"));
    change_run(temp_path("t/rank-000000.syn"));
    change_run(temp_path("t/rank-000003.syn"));
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(3);
    cr_assert_eq(fault(0)->status, SYN_ETRUNCATED);
    cr_assert_eq(fault(0)->rank, -1);
    cr_assert_eq(fault(1)->status, SYN_EMIXED);
    cr_assert_eq(fault(1)->rank, 0);
    cr_assert_eq(fault(2)->rank, 3);
}

Test(directory, a_manifest_of_another_run_is_left_out)
{
    const char *directory = make_trace(2);
    change_run(temp_path("t/rank-000000.syn"));
    change_run(temp_path("t/rank-000001.syn"));
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK, "%s", why);
    assert_faults(1);
    cr_assert_eq(fault(0)->status, SYN_EMIXED);
    cr_assert_eq(fault(0)->rank, -1);
    cr_assert(strstr(fault(0)->text, "/manifest: is of another run"), "%s", fault(0)->text);
    cr_assert_null(syn_trace_manifest(trace));
    cr_assert_eq(syn_trace_readable_count(trace), 2);
}

/* As its manifest says, and never less than its events take. */
Test(directory, a_run_has_one_length)
{
    struct syn_manifest manifest;
    const char *directory = make_trace(2);
    cr_assert_eq(syn_manifest_read(directory, &manifest), SYN_OK);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK, "%s", why);
    const struct syn_run_span events = syn_trace_event_span(trace);
    cr_assert_lt(events.begin_ns, events.end_ns);
    syn_trace_close(trace);
    const struct {
        int64_t begin_ns, duration_ns, expected_begin_ns, expected_end_ns;
        bool is_of_events;
    } cases[] = {
        {events.begin_ns - 7, syn_run_span_ns(events) + 9, events.begin_ns - 7, events.end_ns + 2,
         false},
        {events.begin_ns + 5, 1, events.begin_ns, events.end_ns, false},
        {SYN_BEGIN_UNKNOWN, syn_run_span_ns(events) + 9, events.begin_ns, events.end_ns + 9, false},
        {SYN_BEGIN_UNKNOWN, 1, events.begin_ns, events.end_ns, false},
        {events.begin_ns - 7, 0, events.begin_ns, events.end_ns, true},
        {INT64_MAX, INT64_MAX, events.begin_ns, events.end_ns, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        manifest.begin_ns = cases[i].begin_ns;
        manifest.duration_ns = cases[i].duration_ns;
        cr_assert_eq(syn_manifest_write(directory, &manifest), SYN_OK);
        cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK, "%s", why);
        const struct syn_run_span run = syn_trace_span(trace);
        cr_expect_eq(run.begin_ns, cases[i].expected_begin_ns, "case %zu", i);
        cr_expect_eq(run.end_ns, cases[i].expected_end_ns, "case %zu", i);
        cr_expect_eq(run.is_of_events, cases[i].is_of_events, "case %zu", i);
        if (i + 1 < sizeof cases / sizeof *cases)
            syn_trace_close(trace);
    }
}

Test(directory, a_file_under_another_ranks_name)
{
    const char *directory = make_trace(3);
    cr_assert_eq(rename(temp_path("t/rank-000002.syn"), temp_path("t/rank-000001.syn")), 0);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(2);
    cr_assert_eq(fault(0)->status, SYN_EMIXED);
    cr_assert_eq(fault(1)->status, SYN_EMISSING);
    cr_assert_null(syn_trace_rank(trace, 1));
}

Test(directory, what_a_killed_run_left_behind)
{
    const char *directory = make_trace(2);
    size_t bytes;
    uint8_t *data = load_file(temp_path("t/rank-000001.syn"), &bytes);
    unlink(temp_path("t/manifest"));
    unlink(temp_path("t/rank-000001.syn"));
    save_file(temp_path("t/rank-000001.syn.part"), data, bytes - 200);
    free(data);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    cr_assert_null(syn_trace_manifest(trace));
    cr_assert_eq(syn_trace_size(trace), 2);
    cr_assert_not_null(syn_trace_rank(trace, 1));
    cr_assert_eq(fault(0)->rank, -1);
    cr_assert_eq(fault(1)->status, SYN_ETRUNCATED);
    cr_assert_eq(fault(1)->rank, 1);
}

Test(directory, a_finished_file_is_preferred_to_its_remains)
{
    const char *directory = make_trace(2);
    save_file(temp_path("t/rank-000001.syn.part"), "x", 1);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(0);
}

Test(directory, unreadable_files_have_a_line_each)
{
    const char *directory = make_trace(4);
    save_file(temp_path("t/rank-000001.syn"), "hello", 5);
    save_file(temp_path("t/rank-000002.syn"), "", 0);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(2);
    cr_assert_eq(fault(0)->status, SYN_ENOTTRACE);
    cr_assert_eq(fault(1)->status, SYN_ETRUNCATED);
}

Test(directory, events_that_the_manifest_counts_but_nobody_has)
{
    const char *directory = make_trace(2);
    struct syn_manifest manifest;
    cr_assert_eq(syn_manifest_read(directory, &manifest), SYN_OK);
    manifest.event_count++;
    cr_assert_eq(syn_manifest_write(directory, &manifest), SYN_OK);
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(1);
    cr_assert_eq(fault(0)->status, SYN_EDAMAGED);
}

static void assert_refused(const char *path, int status, const char *text)
{
    free(why);
    cr_assert_eq(syn_trace_open(path, &trace, &why), status);
    cr_assert_null(trace);
    cr_assert_not_null(why);
    cr_assert(strstr(why, text), "%s", why);
    cr_assert_null(strchr(why, '\n'));
    cr_assert(strstr(why, temp_directory()), "%s", why);
}

Test(directory, what_is_no_trace)
{
    mkdir(temp_path("empty"), 0777);
    mkdir(temp_path("x"), 0777);
    mkdir(temp_path("x/run-0001"), 0777);
    mkdir(temp_path("m"), 0777);
    struct syn_manifest manifest = {.size = 2};
    cr_assert_eq(syn_manifest_write(temp_path("m"), &manifest), SYN_OK);
    save_file(temp_path("file"), "x", 1);
    assert_refused(temp_path("nowhere"), SYN_EIO, "No such file");
    assert_refused(temp_path("file"), SYN_ENOTTRACE, "is a file");
    assert_refused(temp_path("empty"), SYN_ENOTTRACE, "holds no trace");
    assert_refused(temp_path("x"), SYN_ENOTTRACE, "experiment");
    assert_refused(temp_path("m"), SYN_EMISSING, "no rank's file");
}

Test(directory, newer_versions)
{
    const char *directory = make_trace(1);
    size_t bytes;
    uint8_t *data = load_file(temp_path("t/rank-000000.syn"), &bytes);
    struct syn_frame_header header;
    syn_frame_decode(data, &header);
    header.format_version = SYN_FORMAT_VERSION + 1;
    syn_frame_encode(&header, data);
    save_file(temp_path("t/rank-000000.syn"), data, bytes);
    free(data);
    assert_refused(directory, SYN_EVERSION, "newer format version");

    /* A manifest that says so, its checksum right. */
    char text[200];
    int length =
        snprintf(text, sizeof text, "syncopate-trace %d\nwhatever\n", SYN_FORMAT_VERSION + 1);
    length += snprintf(text + length, sizeof text - (size_t)length, "checksum %016llx\n",
                       (unsigned long long)syn_hash64(text, (size_t)length));
    save_file(temp_path("t/manifest"), text, (size_t)length);
    assert_refused(directory, SYN_EVERSION, "format version 2");
}

Test(directory, every_byte_of_the_manifest_counts)
{
    const char *directory = make_trace(1);
    struct syn_manifest manifest;
    size_t bytes;
    uint8_t *data = load_file(temp_path("t/manifest"), &bytes);
    for (size_t at = 0; at < bytes; at++) {
        data[at] ^= 1;
        save_file(temp_path("t/manifest"), data, bytes);
        data[at] ^= 1;
        int status = syn_manifest_read(directory, &manifest);
        cr_assert(status == SYN_EDAMAGED || status == SYN_ENOTTRACE, "byte %zu: %d", at, status);
        save_file(temp_path("t/manifest"), data, at);
        status = syn_manifest_read(directory, &manifest);
        cr_assert(status == SYN_EDAMAGED || status == SYN_ENOTTRACE, "cut at %zu: %d", at, status);
    }
    /* The ranks can be read all the same. */
    cr_assert_eq(syn_trace_open(directory, &trace, &why), SYN_OK);
    assert_faults(1);
    cr_assert_eq(syn_rank_event_count(syn_trace_rank(trace, 0)), 200);
    free(data);
}

/* ---- syn_trace_claim ---- */

/* Made ready, and nobody held off. */
static int prepare(const char *directory)
{
    int claim;
    const int status = syn_trace_claim(directory, &claim);
    if (status == SYN_OK)
        syn_trace_release(claim);
    return status;
}

Test(prepare, makes_directories)
{
    cr_assert_eq(prepare(temp_path("a/b/c")), SYN_OK);
    cr_assert(path_exists(temp_path("a/b/c")));
    /* Twice is fine: empty directories are taken as they are. */
    cr_assert_eq(prepare(temp_path("a/b/c/")), SYN_OK);
    cr_assert_not(path_exists(temp_path("a/b/c.old")));
}

Test(prepare, moves_a_trace_and_keeps_one_generation)
{
    make_trace(1);
    save_file(temp_path("t/symbols"), "first", 5);
    cr_assert_eq(prepare(temp_path("t")), SYN_OK);
    cr_assert(path_exists(temp_path("t.old/symbols")));
    cr_assert(path_exists(temp_path("t.old/rank-000000.syn")));
    cr_assert_not(path_exists(temp_path("t/manifest")));
    make_trace(2);
    cr_assert_eq(prepare(temp_path("t/")), SYN_OK);
    cr_assert_not(path_exists(temp_path("t.old/symbols")));
    cr_assert(path_exists(temp_path("t.old/rank-000001.syn")));
}

/* Two runs that start at once, or one while another records: the second leaves everything as it is.
 */
Test(prepare, a_directory_that_is_claimed_is_left_alone)
{
    int first, second = -1;
    cr_assert_eq(syn_trace_claim(temp_path("c"), &first), SYN_OK);
    cr_assert_eq(syn_trace_claim(temp_path("c"), &second), SYN_EIO);
    cr_assert_eq(errno, EBUSY);
    cr_assert_eq(second, -1);
    save_file(temp_path("c/rank-000000.syn.part"), "", 0);
    cr_assert_eq(prepare(temp_path("c")), SYN_EIO);
    cr_assert_eq(errno, EBUSY);
    cr_assert(path_exists(temp_path("c/rank-000000.syn.part")));
    cr_assert_not(path_exists(temp_path("c.old")));
    cr_assert_eq(syn_trace_hold(temp_path("c"), &second), SYN_EIO);
    bool is_known = false;
    cr_assert(syn_trace_is_claimed(temp_path("c"), &is_known));
    cr_assert(is_known);

    syn_trace_release(first);
    is_known = false;
    cr_assert_not(syn_trace_is_claimed(temp_path("c"), &is_known));
    cr_assert(is_known);
    cr_assert_not(syn_trace_is_claimed(temp_path("nowhere"), &is_known));
    cr_assert_not(is_known);
    cr_assert_eq(syn_trace_claim(temp_path("c"), &second), SYN_OK);
    cr_assert(path_exists(temp_path("c.old/rank-000000.syn.part")));
    /* The claim is on the new directory, not on the one that was moved. */
    cr_assert_eq(prepare(temp_path("c")), SYN_EIO);
    cr_assert_eq(prepare(temp_path("c.old")), SYN_OK);
    syn_trace_release(second);
}

/* Claimed by one of several launches; where. */
static const char *launch(const char *directory, int *claim)
{
    static char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", directory);
    cr_assert_eq(syn_trace_claim_launch(path, sizeof path, claim), SYN_OK);
    return path;
}

Test(prepare, each_of_several_launches_is_a_run)
{
    int first, second, third;
    uint32_t count;
    cr_assert_str_eq(launch(temp_path("l"), &first), temp_path("l"));
    cr_assert_str_eq(launch(temp_path("l"), &second), temp_path("l/run-0002"));
    save_file(temp_path("l/rank-000000.syn"), "", 0);
    mkdir(temp_path("l/spawned-0001"), 0777);
    cr_assert_eq(syn_trace_part_launches(temp_path("l"), &count), SYN_EIO);
    cr_assert_eq(errno, EBUSY);
    syn_trace_release(first);
    cr_assert_str_eq(launch(temp_path("l"), &third), temp_path("l/run-0003"));
    syn_trace_release(second);
    syn_trace_release(third);

    cr_assert_eq(syn_trace_part_launches(temp_path("l"), &count), SYN_OK);
    cr_assert_eq(count, 3);
    cr_assert(path_exists(temp_path("l/run-0001/rank-000000.syn")));
    cr_assert(path_exists(temp_path("l/run-0001/spawned-0001")));
    cr_assert_not(path_exists(temp_path("l/rank-000000.syn")));
    cr_assert_not(path_exists(temp_path("l.old")));
}

/* Calls of close for a descriptor that is not open. In a program with threads such a call may close
 * another thread's file. */
static int void_closes;

int close(int descriptor)
{
    const int result = (int)syscall(SYS_close, descriptor);
    void_closes += result != 0 && errno == EBADF;
    return result;
}

Test(prepare, a_claimed_directory_is_closed_once)
{
    int first, second;
    launch(temp_path("l"), &first);
    cr_assert_eq(syn_trace_hold(temp_path("l"), &second), SYN_EIO);
    cr_assert_eq(second, -1);
    void_closes = 0;
    launch(temp_path("l"), &second);
    cr_assert_eq(void_closes, 0);
    syn_trace_release(first);
    syn_trace_release(second);
}

Test(prepare, a_single_launch_stays_where_it_is)
{
    int claim;
    uint32_t count;
    cr_assert_str_eq(launch(temp_path("l"), &claim), temp_path("l"));
    save_file(temp_path("l/rank-000000.syn"), "", 0);
    syn_trace_release(claim);
    cr_assert_eq(syn_trace_part_launches(temp_path("l"), &count), SYN_OK);
    cr_assert_eq(count, 0);
    cr_assert(path_exists(temp_path("l/rank-000000.syn")));
}

Test(prepare, a_run_of_an_experiment_is_one_launch)
{
    int claim;
    char path[PATH_MAX];
    mkdir(temp_path("x"), 0777);
    save_file(temp_path("x/experiment"), "", 0);
    mkdir(temp_path("x/run-0001"), 0777);
    save_file(temp_path("x/run-0001/rank-000000.syn"), "", 0);
    snprintf(path, sizeof path, "%s", temp_path("x/run-0001"));
    cr_assert_eq(syn_trace_claim_launch(path, sizeof path, &claim), SYN_EINVAL);
    cr_assert_eq(errno, EALREADY);
}

Test(prepare, moves_what_a_killed_run_left_and_experiments)
{
    mkdir(temp_path("k"), 0777);
    save_file(temp_path("k/rank-000000.syn.part"), "", 0);
    cr_assert_eq(prepare(temp_path("k")), SYN_OK);
    cr_assert(path_exists(temp_path("k.old/rank-000000.syn.part")));

    for (int i = 0; i < 2; i++) {
        mkdir(temp_path("x"), 0777);
        mkdir(temp_path("x/run-0001"), 0777);
        save_file(temp_path("x/experiment"), "e", 1);
        write_trace(temp_path("x/run-0001"), 1, 10);
        cr_assert_eq(prepare(temp_path("x")), SYN_OK);
        cr_assert(path_exists(temp_path("x.old/run-0001/manifest")));
    }
}

/* Started processes have a directory within the run, taken once each, which moves with it. */
Test(prepare, started_processes_have_a_place_in_the_trace)
{
    uint32_t number = 0, other = 0;
    size_t announced;
    make_trace(1);
    cr_assert_eq(syn_spawned_claim(temp_path("t"), &number), SYN_EMISSING, "nobody records");
    cr_assert_eq(syn_spawned_announce(temp_path("t"), &number), SYN_OK);
    cr_assert_eq(syn_spawned_announce(temp_path("t"), &other), SYN_OK);
    cr_assert(number == 1 && other == 2);
    syn_spawned_withdraw(temp_path("t"), 1);
    cr_assert_eq(syn_spawned_claim(temp_path("t"), &number), SYN_OK);
    cr_assert_eq(number, 2);
    cr_assert_eq(syn_spawned_announce(temp_path("t"), &number), SYN_OK);
    cr_assert_eq(number, 1);
    cr_assert_eq(syn_spawned_count(temp_path("t"), &announced), 2);
    cr_assert_eq(announced, 1);
    /* Nobody announced it, but the run goes on: not one to be moved away. */
    cr_assert_eq(syn_spawned_claim(temp_path("t"), &number), SYN_OK);
    save_file(temp_path("t/rank-000000.syn.part"), "", 0);
    cr_assert_eq(syn_spawned_claim(temp_path("t"), &number), SYN_OK);
    cr_assert_eq(number, 3);
    write_trace(temp_path("t/spawned-0002"), 1, 10);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(prepare(temp_path("t")), SYN_OK);
        cr_assert_eq(path_exists(temp_path("t.old/spawned-0002/manifest")), i == 0);
        if (i == 0)
            make_trace(1);
    }
}

static void assert_untouched(const char *directory, const char *file, int error_number)
{
    char old[4096];
    snprintf(old, sizeof old, "%s.old", directory);
    bool had_old = path_exists(old);
    errno = 0;
    cr_assert_eq(prepare(directory), SYN_EINVAL, "%s", directory);
    cr_assert_eq(errno, error_number, "%s: %s", directory, strerror(errno));
    cr_assert(path_exists(file));
    cr_assert_eq(path_exists(old), had_old);
}

Test(prepare, leaves_foreign_directories_alone)
{
    make_trace(1);
    save_file(temp_path("t/thesis.tex"), "x", 1);
    assert_untouched(temp_path("t"), temp_path("t/thesis.tex"), ENOTEMPTY);
    cr_assert(path_exists(temp_path("t/manifest")));

    mkdir(temp_path("home"), 0777);
    mkdir(temp_path("home/run-0001"), 0777);
    save_file(temp_path("home/run-0001/results"), "x", 1);
    assert_untouched(temp_path("home"), temp_path("home/run-0001/results"), ENOTEMPTY);

    /* Names like ours, but not our content. */
    mkdir(temp_path("m"), 0777);
    save_file(temp_path("m/manifest"), "cargo list", 10);
    assert_untouched(temp_path("m"), temp_path("m/manifest"), ENOTEMPTY);
    mkdir(temp_path("r"), 0777);
    save_file(temp_path("r/rank-000000.syn"), "ranking", 7);
    assert_untouched(temp_path("r"), temp_path("r/rank-000000.syn"), ENOTEMPTY);

    /* A link, or a directory, under one of our names. */
    mkdir(temp_path("l"), 0777);
    cr_assert_eq(symlink("/etc/passwd", temp_path("l/symbols")), 0);
    assert_untouched(temp_path("l"), temp_path("l/symbols"), ENOTEMPTY);
    mkdir(temp_path("d"), 0777);
    mkdir(temp_path("d/manifest"), 0777);
    assert_untouched(temp_path("d"), temp_path("d/manifest"), ENOTEMPTY);
    mkdir(temp_path("s"), 0777);
    cr_assert_eq(symlink(temp_path("home"), temp_path("s/run-0001")), 0);
    assert_untouched(temp_path("s"), temp_path("s/run-0001"), ENOTEMPTY);

    save_file(temp_path("file"), "x", 1);
    assert_untouched(temp_path("file"), temp_path("file"), ENOTDIR);
}

Test(prepare, leaves_a_foreign_old_alone)
{
    make_trace(1);
    mkdir(temp_path("t.old"), 0777);
    save_file(temp_path("t.old/backup"), "x", 1);
    assert_untouched(temp_path("t"), temp_path("t.old/backup"), EEXIST);
    cr_assert(path_exists(temp_path("t/manifest")));
}

Test(prepare, an_old_that_is_a_file_or_a_link_stays)
{
    make_trace(1);
    save_file(temp_path("t.old"), "x", 1);
    assert_untouched(temp_path("t"), temp_path("t.old"), EEXIST);
    unlink(temp_path("t.old"));
    mkdir(temp_path("elsewhere"), 0777);
    write_trace(temp_path("elsewhere"), 1, 10);
    cr_assert_eq(symlink(temp_path("elsewhere"), temp_path("t.old")), 0);
    assert_untouched(temp_path("t"), temp_path("elsewhere/manifest"), EEXIST);
}

Test(prepare, never_moves_the_directory_it_stands_in)
{
    make_trace(1);
    cr_assert_eq(chdir(temp_path("t")), 0);
    errno = 0;
    cr_assert_eq(prepare("."), SYN_EINVAL);
    cr_assert_eq(errno, EINVAL);
    cr_assert_eq(prepare("./"), SYN_EINVAL);
    cr_assert_eq(prepare("../t/.."), SYN_EINVAL);
    cr_assert_eq(prepare(""), SYN_EINVAL);
    cr_assert(path_exists(temp_path("t/manifest")));
    cr_assert_eq(chdir("/"), 0);
}

Test(prepare, a_link_to_a_trace_stays_a_link)
{
    mkdir(temp_path("scratch"), 0777);
    mkdir(temp_path("scratch/t"), 0777);
    write_trace(temp_path("scratch/t"), 1, 10);
    cr_assert_eq(symlink(temp_path("scratch/t"), temp_path("link")), 0);
    cr_assert_eq(prepare(temp_path("link")), SYN_OK);
    cr_assert(path_exists(temp_path("scratch/t.old/manifest")));
    cr_assert(path_exists(temp_path("scratch/t")));
    cr_assert_not(path_exists(temp_path("link.old")));
}

Test(prepare, says_why_it_cannot)
{
    save_file(temp_path("file"), "x", 1);
    cr_assert_eq(prepare(temp_path("file/below")), SYN_EINVAL);
    cr_assert_eq(errno, ENOTDIR);
}

Test(names, of_rank_files)
{
    char path[64];
    int32_t rank = -1;
    bool is_part;
    cr_assert_eq(syn_rank_path(path, sizeof path, "d", 7), 17);
    cr_assert_str_eq(path, "d/rank-000007.syn");
    cr_assert(syn_rank_name_parse("rank-000007.syn", &rank, &is_part));
    cr_assert_eq(rank, 7);
    cr_assert_not(is_part);
    cr_assert(syn_rank_name_parse("rank-1234567.syn.part", &rank, &is_part));
    cr_assert_eq(rank, 1234567);
    cr_assert(is_part);
    static const char *const wrong[] = {
        "rank-7.syn",          "rank-0000007.syn",     "rank-000007.syn2",    "rank-000007",
        "rank--00007.syn",     "rank-99999999999.syn", "rank-2147483648.syn", "manifest",
        "rank-000007.syn.old", "rank- 00007.syn"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_not(syn_rank_name_parse(wrong[i], &rank, &is_part), "%s", wrong[i]);
}

static void assert_claim(const char *path, int status, int error_number)
{
    int claim = -1;
    errno = 0;
    cr_assert_eq(syn_trace_claim(path, &claim), status, "%s: %d", path, errno);
    if (error_number)
        cr_assert_eq(errno, error_number, "%s", path);
    syn_trace_release(claim);
}

Test(prepare, nothing_is_made_in_a_trace_but_runs_in_an_experiment)
{
    char path[5000];
    const char *trace_directory = make_trace(1);
    const char *const inside[] = {"x", "x/y/z", "run-0001", "x/", "/x//"};
    for (size_t i = 0; i < sizeof inside / sizeof *inside; i++) {
        snprintf(path, sizeof path, "%s/%s", trace_directory, inside[i]);
        cr_assert(syn_trace_is_in(path), "%s", path);
        assert_claim(path, SYN_EINVAL, ENOTSUP);
    }
    cr_assert_not(syn_trace_is_in(trace_directory));
    snprintf(path, sizeof path, "%s/experiment", temp_path("."));
    fclose(fopen(path, "w"));
    assert_claim(temp_path("run-0001"), SYN_OK, 0);
    assert_claim(temp_path("run-one"), SYN_EINVAL, ENOTSUP);
    assert_claim(temp_path("new/run-0001"), SYN_EINVAL, ENOTSUP);
}
