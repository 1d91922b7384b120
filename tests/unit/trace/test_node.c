/* tests/unit/trace/test_node.c - node files: the same trace in one file for several ranks, whole,
 * beside rank files, and damaged anywhere. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fixture.h"
#include "pack_node.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"
#include "trace/base/sections.h"
#include "trace/directory/manifest.h"
#include "trace/node/node_part.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"
#include "trace/recover/recover.h"

#define RANKS  5
#define EVENTS 700

/* ---- what a rank's file says, as one number ---- */

static uint64_t mix(uint64_t hash, const void *data, size_t bytes)
{
    return syn_hash_add(hash, syn_hash64(data, bytes));
}

static uint64_t mix_text(uint64_t hash, const char *text)
{
    return mix(hash, text, strlen(text));
}

static uint64_t mix_records(uint64_t hash, const struct syn_rank_file *file)
{
    const char *key, *value;
    for (size_t i = 0; syn_rank_meta_at(file, i, &key, &value); i++)
        hash = mix_text(mix_text(hash, key), value);
    for (uint32_t i = 0; i < syn_rank_comm_count(file); i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, i);
        const int64_t what[] = {(int64_t)comm->id, comm->size, comm->rank, comm->remote_size};
        hash = mix(mix_text(hash, comm->name), what, sizeof what);
        hash = mix(hash, comm->world_ranks, (size_t)comm->size * sizeof *comm->world_ranks);
    }
    for (uint32_t i = 0; i < syn_rank_module_count(file); i++)
        hash = mix_text(hash, syn_rank_module(file, i)->path);
    for (uint32_t i = 0; i < syn_rank_stack_count(file); i++) {
        const struct syn_stack_record *stack = syn_rank_stack(file, i);
        for (uint32_t j = 0; j < stack->depth; j++)
            hash = syn_hash_add(hash, stack->frames[j].offset + stack->frames[j].module);
    }
    return hash;
}

static uint64_t mix_events(uint64_t hash, struct syn_rank_file *file)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &columns) == SYN_OK) {
        hash = mix(hash, columns.start_ns, columns.count * sizeof *columns.start_ns);
        hash = mix(hash, columns.end_ns, columns.count * sizeof *columns.end_ns);
        hash = mix(hash, columns.stack, columns.count * sizeof *columns.stack);
        hash = mix(hash, columns.comm, columns.count * sizeof *columns.comm);
        hash = mix(hash, columns.bytes, columns.count * sizeof *columns.bytes);
    }
    syn_cursor_close(cursor);
    return hash;
}

static uint64_t digest(struct syn_rank_file *file)
{
    return mix_events(mix_records(1, file), file);
}

static struct syn_trace *open_at(const char *directory)
{
    struct syn_trace *trace;
    char *why;
    const int status = syn_trace_open(directory, &trace, &why);
    cr_assert_eq(status, SYN_OK, "%s", why ? why : "?");
    return trace;
}

static void digests_of(const char *directory, uint64_t out[RANKS])
{
    struct syn_trace *trace = open_at(directory);
    for (int32_t rank = 0; rank < RANKS; rank++)
        out[rank] = syn_trace_rank(trace, rank) ? digest(syn_trace_rank(trace, rank)) : 0;
    syn_trace_close(trace);
}

static size_t fault_count(const char *directory, int32_t rank)
{
    size_t count, found = 0;
    struct syn_trace *trace = open_at(directory);
    syn_trace_verify(trace);
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    for (size_t i = 0; i < count; i++)
        found += rank == -2 || faults[i].rank == rank;
    syn_trace_close(trace);
    return found;
}

static const char *new_directory(void)
{
    static char directory[4096];
    snprintf(directory, sizeof directory, "%s", temp_path("t"));
    mkdir(directory, 0777);
    return directory;
}

/* The first of two node files: of ranks 0 to 2. */
static const char *first_node(void)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", temp_path("t/node-000000.syn"));
    return path;
}

/* A trace of node files of ranks 0 to 2, and of 3 and 4. */
static const char *packed_trace(uint64_t wanted[RANKS])
{
    const char *directory = new_directory();
    write_trace(directory, RANKS, EVENTS);
    digests_of(directory, wanted);
    cr_assert_eq(pack_node(directory, 0, 3), SYN_OK);
    cr_assert_eq(pack_node(directory, 3, 2), SYN_OK);
    return directory;
}

Test(node, holds_what_the_ranks_files_held, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = packed_trace(wanted);
    cr_assert(path_exists(temp_path("t/node-000003.syn")));
    cr_assert_not(path_exists(temp_path("t/rank-000003.syn")));
    digests_of(directory, got);
    for (int rank = 0; rank < RANKS; rank++)
        cr_assert_eq(got[rank], wanted[rank], "rank %d", rank);
    cr_assert_eq(fault_count(directory, -2), 0);
}

static size_t bytes_of(const char *path)
{
    struct stat state;
    cr_assert_eq(stat(path, &state), 0);
    return (size_t)state.st_size;
}

Test(node, short_files_say_the_same, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = new_directory();
    write_trace(directory, RANKS, EVENTS);
    digests_of(directory, wanted);
    const size_t before = bytes_of(temp_path("t/rank-000002.syn"));
    for (int32_t rank = 0; rank < RANKS; rank++)
        cr_assert_eq(shorten_rank(directory, rank), SYN_OK);
    cr_assert_lt(bytes_of(temp_path("t/rank-000002.syn")), before);
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
    cr_assert_eq(fault_count(directory, -2), 0);
    cr_assert_eq(pack_node(directory, 1, 3), SYN_OK, "they may still become one");
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
}

/* Each rank that can be read is as it was, or has a fault. */
static void expect_harmed_are_told(const char *directory, const uint64_t wanted[RANKS],
                                   uint64_t place)
{
    char *why;
    struct syn_trace *trace;
    size_t count;
    if (syn_trace_open(directory, &trace, &why) != SYN_OK) {
        cr_assert_fail("not a rank can be read: byte %llu: %s", (unsigned long long)place, why);
        return;
    }
    cr_assert_neq(syn_trace_verify(trace), SYN_OK, "byte %llu: unnoticed",
                  (unsigned long long)place);
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    for (int32_t rank = 0; rank < RANKS; rank++) {
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        bool told = false;
        for (size_t i = 0; i < count; i++)
            told |= faults[i].rank == rank;
        if (file && !told)
            cr_assert(digest(file) == wanted[rank], "byte %llu, rank %d", (unsigned long long)place,
                      rank);
    }
    syn_trace_close(trace);
}

/* A flipped byte of one is seen, and `recover` keeps the events where the sections are whole. */
Test(node, short_files_say_what_is_damaged, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = new_directory();
    write_trace(directory, RANKS, EVENTS);
    digests_of(directory, wanted);
    cr_assert_eq(shorten_rank(directory, 1), SYN_OK);
    char path[4096];
    size_t bytes;
    snprintf(path, sizeof path, "%s", temp_path("t/rank-000001.syn"));
    uint8_t *whole = load_file(path, &bytes);
    for (size_t at = 0; at < bytes; at += 61) {
        whole[at] ^= 0x5a;
        save_file(path, whole, bytes);
        expect_harmed_are_told(directory, wanted, at);
        whole[at] ^= 0x5a;
    }
    save_file(path, whole, bytes);
    free(whole);
    struct syn_recovered recovered;
    cr_assert_eq(truncate(temp_path("t/rank-000003.syn"), 2000), 0);
    struct syn_trace *trace = open_at(directory);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    digests_of(directory, got);
    cr_assert_eq(got[1], wanted[1]);
    struct syn_manifest manifest;
    cr_assert_eq(syn_manifest_read(directory, &manifest), SYN_OK);
    cr_assert_eq(manifest.format_version, SYN_FORMAT_VERSION);
}

/* A program that was killed after its short file got its name has left both. */
Test(node, short_files_go_before_what_they_were_made_of, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = new_directory();
    struct syn_recovered recovered;
    size_t bytes;
    write_trace(directory, RANKS, EVENTS);
    digests_of(directory, wanted);
    uint8_t *whole = load_file(temp_path("t/rank-000001.syn"), &bytes);
    save_file(temp_path("t/rank-000001.syn.part"), whole, bytes);
    free(whole);
    cr_assert_eq(shorten_rank(directory, 1), SYN_OK);
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
    cr_assert_eq(fault_count(directory, -2), 0);
    struct syn_trace *trace = open_at(directory);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_not(path_exists(temp_path("t/rank-000001.syn.part")));
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
}

Test(node, lies_beside_rank_files, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = new_directory();
    write_trace(directory, RANKS, EVENTS);
    digests_of(directory, wanted);
    cr_assert_eq(pack_node(directory, 1, 3), SYN_OK);
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
    cr_assert_eq(fault_count(directory, -2), 0);
}

/* A program that was killed after its node file got its name has left both. */
Test(node, goes_before_what_it_was_made_of, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = packed_trace(wanted);
    save_file(temp_path("t/rank-000001.syn.part"), "", 0);
    save_file(temp_path("t/node-000000.syn.part"), "junk", 4);
    digests_of(directory, got);
    cr_assert_arr_eq(got, wanted, sizeof got);
    cr_assert_eq(fault_count(directory, -2), 0);
}

Test(node, is_a_file_that_zstd_verifies, .fini = temp_remove)
{
    uint64_t wanted[RANKS];
    char command[4096];
    packed_trace(wanted);
    if (system("command -v zstd >/dev/null") != 0)
        cr_skip_test("no zstd");
    snprintf(command, sizeof command, "zstd -tq '%s'", temp_path("t/node-000000.syn"));
    cr_assert_eq(system(command), 0);
}

Test(node, one_flipped_byte_takes_no_more_than_it_hits, .fini = temp_remove)
{
    uint64_t wanted[RANKS];
    const char *directory = packed_trace(wanted);
    const char *path = first_node();
    size_t bytes;
    uint8_t *whole = load_file(path, &bytes);
    for (size_t at = 0; at < bytes; at += at < 1500 || at > bytes - 600 ? 7 : 211) {
        whole[at] ^= 0x5a;
        save_file(path, whole, bytes);
        expect_harmed_are_told(directory, wanted, at);
        whole[at] ^= 0x5a;
    }
    free(whole);
}

/* A byte hits one rank at most. */
Test(node, one_flipped_byte_hits_one_rank, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = packed_trace(wanted);
    const char *path = first_node();
    size_t bytes;
    uint8_t *whole = load_file(path, &bytes);
    for (size_t at = 3; at < bytes; at += 97) {
        int hit = 0;
        whole[at] ^= 0x5a;
        save_file(path, whole, bytes);
        digests_of(directory, got);
        for (int rank = 0; rank < RANKS; rank++)
            hit += got[rank] != wanted[rank];
        cr_assert_leq(hit, 1, "byte %zu", at);
        whole[at] ^= 0x5a;
    }
    free(whole);
}

Test(node, cut_anywhere_it_says_so, .fini = temp_remove)
{
    uint64_t wanted[RANKS];
    const char *directory = packed_trace(wanted);
    const char *path = first_node();
    size_t bytes;
    uint8_t *whole = load_file(path, &bytes);
    for (size_t length = 0; length < bytes; length += 173) {
        save_file(path, whole, length);
        expect_harmed_are_told(directory, wanted, length);
    }
    free(whole);
}

Test(node, recovers_into_rank_files, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = packed_trace(wanted);
    const char *path = first_node();
    struct syn_recovered recovered;
    struct stat state;
    cr_assert_eq(stat(path, &state), 0);
    cr_assert_eq(truncate(path, state.st_size / 2), 0);
    struct syn_trace *trace = open_at(directory);
    cr_assert_eq(syn_trace_recover(trace, &recovered), SYN_OK);
    syn_trace_close(trace);
    cr_assert_not(path_exists(path));
    cr_assert(path_exists(temp_path("t/rank-000000.syn")));
    cr_assert(path_exists(temp_path("t/node-000003.syn")));
    cr_assert_eq(recovered.whole_count, 3);
    cr_assert_eq(recovered.file_count, 1);
    digests_of(directory, got);
    cr_assert_eq(got[4], wanted[4]);
    cr_assert_eq(fault_count(directory, 0), 0);
}

/* ---- members in runs ---- */

static void expect_members(const int32_t *ranks, int32_t count)
{
    struct syn_comm_record comm = {
        .index = 3, .id = 9, .size = count, .rank = 1, .name = "x", .world_ranks = ranks};
    struct syn_comm_record got = {0}, again = {0};
    struct syn_rank_lists lists = {0};
    struct syn_arena arena;
    struct syn_bytes bytes = {0};
    syn_arena_init(&arena, 1 << 20);
    syn_put_comm_in_runs(&bytes, &comm);
    struct syn_take take = syn_take_from(bytes.data, bytes.count);
    cr_assert_eq(syn_take_comm_in_runs(&take, &arena, &lists, &got), SYN_OK);
    cr_assert_eq(syn_take_left(&take), 0);
    cr_assert_eq(got.size, count);
    cr_assert_arr_eq(got.world_ranks, ranks, (size_t)count * sizeof *ranks);
    take = syn_take_from(bytes.data, bytes.count);
    cr_assert_eq(syn_take_comm_in_runs(&take, &arena, &lists, &again), SYN_OK);
    cr_assert_eq(again.world_ranks, got.world_ranks, "the same list, kept once");
    for (size_t cut = 0; cut < bytes.count; cut++) {
        take = syn_take_from(bytes.data, cut);
        cr_assert_neq(syn_take_comm_in_runs(&take, &arena, &lists, &again), SYN_OK, "cut at %zu",
                      cut);
    }
    syn_bytes_free(&bytes);
    syn_arena_free(&arena);
    syn_rank_lists_free(&lists);
}

Test(node, members_come_back)
{
    int32_t ranks[1000];
    uint64_t state = 1;
    for (int32_t i = 0; i < 1000; i++)
        ranks[i] = i;
    expect_members(ranks, 1000);
    for (int32_t i = 0; i < 1000; i++)
        ranks[i] = 5 + 16 * i;
    expect_members(ranks, 1000);
    for (int32_t i = 0; i < 1000; i++)
        ranks[i] = i < 400 ? 999 - i : i < 700 ? -1 : (int32_t)(random_next(&state) >> 34);
    expect_members(ranks, 1000);
    ranks[0] = INT32_MAX;
    expect_members(ranks, 1);
    expect_members((int32_t[]){0, INT32_MAX, -1, INT32_MAX}, 4);
}

Test(node, members_of_a_world_take_few_bytes)
{
    int32_t *ranks = calloc(65536, sizeof *ranks);
    for (int32_t i = 0; i < 65536; i++)
        ranks[i] = i;
    struct syn_comm_record comm = {.id = 9, .size = 65536, .name = "", .world_ranks = ranks};
    struct syn_bytes bytes = {0};
    syn_put_comm_in_runs(&bytes, &comm);
    cr_assert_lt(bytes.count, 40);
    syn_bytes_free(&bytes);
    free(ranks);
}

/* ---- a part that was promised and not written ---- */

Test(node, a_rank_that_could_not_write_leaves_the_others, .fini = temp_remove)
{
    uint64_t wanted[RANKS], got[RANKS];
    const char *directory = packed_trace(wanted);
    const char *path = first_node();
    struct syn_node_file node;
    cr_assert_eq(syn_node_open(path, &node), SYN_OK);
    struct syn_bytes frame = {0};
    cr_assert_eq(syn_node_make_shared(&node.index, &node.shared, &frame), SYN_OK);
    uint64_t promised[3] = {0, node.index.parts[1].bytes, 0};
    node.index.parts[1].bytes = 0;
    const int to = open(path, O_RDWR);
    cr_assert_eq(syn_node_write_index(to, &node.index, &frame, promised), SYN_OK);
    close(to);
    syn_node_close(&node);
    syn_bytes_free(&frame);
    digests_of(directory, got);
    cr_assert_eq(got[0], wanted[0]);
    cr_assert_eq(got[1], 0);
    cr_assert_eq(got[2], wanted[2]);
    cr_assert_eq(fault_count(directory, -2), 1, "the rank is missing");
}

/* ---- names ---- */

Test(node, names)
{
    char path[64];
    int32_t rank;
    bool is_part;
    cr_assert_eq(syn_node_path(path, sizeof path, "d", 7), 17);
    cr_assert_str_eq(path, "d/node-000007.syn");
    cr_assert(syn_node_name_parse("node-000007.syn", &rank, &is_part) && rank == 7 && !is_part);
    cr_assert(syn_node_name_parse("node-1234567.syn.part", &rank, &is_part) && is_part);
    cr_assert_not(syn_node_name_parse("rank-000007.syn", &rank, &is_part));
    cr_assert_not(syn_node_name_parse("node-7.syn", &rank, &is_part));
}
