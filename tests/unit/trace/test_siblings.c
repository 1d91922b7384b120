/* Communicators that are declared by their number alone: what is read, and what is refused. */
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/read/repeated_comms.h"

#define BASE_ID UINT64_C(0xfeed000000000000)

static struct memory_file stored;
static struct syn_rank_file *opened;
static const int32_t members[] = {4, 6, 8};

static void clean_up(void)
{
    syn_rank_close(opened);
    memory_file_free(&stored);
    temp_remove();
}

TestSuite(siblings, .fini = clean_up);

static struct syn_writer *new_writer(void)
{
    struct syn_writer *writer;
    const struct syn_writer_identity identity = identity_of(1, 4);
    const struct syn_tick_source ticks = nanosecond_ticks();
    cr_assert_eq(syn_writer_open(memory_sink(&stored), &identity, 1, &ticks, &writer), SYN_OK);
    return writer;
}

static struct syn_comm_record base_of(const char *name)
{
    return (struct syn_comm_record){.index = 2,
                                    .id = BASE_ID,
                                    .parent_id = 17,
                                    .size = 3,
                                    .rank = 1,
                                    .name = name,
                                    .world_ranks = members};
}

static void put_base(struct syn_writer *writer, const char *name)
{
    const struct syn_comm_record base = base_of(name);
    cr_assert_eq(syn_writer_comm(writer, &base), SYN_OK);
}

static void put_repeated(struct syn_writer *writer, uint32_t base, uint32_t index, int64_t further)
{
    struct syn_repeated_comm_written written = {0};
    const struct syn_repeated_comm sibling = {base, index, further};
    syn_repeated_comm_write(&written, &sibling);
    cr_assert_eq(syn_writer_record(writer, SYN_FRAME_COMM, written.record, written.bytes), SYN_OK);
}

static void finish(struct syn_writer *writer)
{
    const struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE};
    cr_assert_eq(syn_writer_finish(writer, &end), SYN_OK);
    syn_writer_close(writer);
    save_file(temp_path("rank-000001.syn"), stored.data, stored.bytes);
    cr_assert_eq(syn_rank_open(temp_path("rank-000001.syn"), NULL, &opened), SYN_OK);
}

static int fault(void)
{
    const char *where = NULL;
    return syn_rank_fault(opened, &where);
}

static void expect(uint32_t index, int64_t further, const char *name)
{
    const struct syn_comm_record *comm = syn_rank_comm(opened, index);
    cr_assert_not_null(comm, "communicator %u", index);
    cr_expect_eq(comm->index, index);
    cr_expect_eq(comm->id, BASE_ID + (uint64_t)further);
    cr_expect_eq(comm->parent_id, 17);
    cr_expect_eq(comm->rank, 1);
    cr_expect_str_eq(comm->name, name);
    cr_assert_eq(comm->size, 3);
    cr_expect_arr_eq(comm->world_ranks, members, sizeof members);
}

/* Numbers get longer and shorter; what looks like a number in the parent's name stays. */
Test(siblings, are_their_base_with_another_number)
{
    struct syn_writer *writer = new_writer();
    put_base(writer, "dup 9 of dup 3 of all");
    put_repeated(writer, 2, 3, 1);
    put_repeated(writer, 2, 5, -8);
    put_repeated(writer, 2, 4, 4294967286);
    finish(writer);
    cr_assert_eq(fault(), SYN_OK);
    expect(2, 0, "dup 9 of dup 3 of all");
    expect(3, 1, "dup 10 of dup 3 of all");
    expect(5, -8, "dup 1 of dup 3 of all");
    expect(4, 4294967286, "dup 4294967295 of dup 3 of all");
}

/* Between others, in a section that was begun before: over several frames. */
Test(siblings, follow_their_base_in_later_frames)
{
    struct syn_writer *writer = new_writer();
    put_base(writer, "typed split 1 of all");
    cr_assert_eq(syn_writer_flush(writer), SYN_OK);
    put_repeated(writer, 2, 7, 41);
    finish(writer);
    cr_assert_eq(fault(), SYN_OK);
    expect(7, 41, "typed split 42 of all");
}

/* A record may be there twice after a kill, and the base have got another name in between. */
Test(siblings, keep_what_they_were_when_their_base_is_renamed)
{
    struct syn_writer *writer = new_writer();
    put_base(writer, "dup 1 of all");
    put_repeated(writer, 2, 3, 1);
    put_base(writer, "solver");
    put_repeated(writer, 2, 3, 1);
    finish(writer);
    cr_assert_eq(fault(), SYN_OK);
    expect(2, 0, "solver");
    expect(3, 1, "dup 2 of all");
}

/* The record of the base lay in a frame that was damaged: once more before the end both are there.
 */
Test(siblings, are_found_in_the_copy_of_what_was_declared)
{
    struct syn_writer *writer = new_writer();
    put_repeated(writer, 2, 3, 1);
    put_repeated(writer, UINT32_MAX - 1, 4, 1);
    put_base(writer, "dup 1 of all");
    put_repeated(writer, 2, 3, 1);
    finish(writer);
    cr_assert_eq(fault(), SYN_OK);
    expect(3, 1, "dup 2 of all");
    cr_expect_null(syn_rank_comm(opened, 4));
}

static void expect_damage(const char *name, int64_t further)
{
    struct syn_writer *writer = new_writer();
    put_base(writer, name);
    put_repeated(writer, 2, 3, further);
    finish(writer);
    cr_expect_eq(fault(), SYN_EDAMAGED, "%s, %lld", name, (long long)further);
    cr_expect_null(syn_rank_comm(opened, 3));
    clean_up();
    opened = NULL;
    memset(&stored, 0, sizeof stored);
}

Test(siblings, that_cannot_be_are_damage)
{
    expect_damage("solver", 1);
    expect_damage("solver 1", 1);
    expect_damage("dup 12345678901 of all", 1);
    expect_damage("dup 1 of all", -1);
    expect_damage("dup 1 of all", UINT32_MAX);
    expect_damage("dup 1 of all", INT64_MAX);
    expect_damage("dup 1 of all", INT64_MIN);
    opened = NULL;
}

/* Has the record of whatever was there before become that of nothing before? */
static void expect_as_alone(struct syn_repeated_comm_written *written,
                            struct syn_repeated_comm sibling)
{
    struct syn_repeated_comm_written alone = {0};
    syn_repeated_comm_write(written, &sibling);
    syn_repeated_comm_write(&alone, &sibling);
    cr_assert_eq(written->bytes, alone.bytes, "%u, %lld", sibling.index,
                 (long long)sibling.further);
    cr_assert_arr_eq(written->record, alone.record, alone.bytes, "%u, %lld", sibling.index,
                     (long long)sibling.further);
}

/* From below 0 and over every length that a number may get in between. */
Test(siblings, are_written_alike_whatever_was_written_before)
{
    static const int64_t starts[] = {-70, 1, 8130, 1048500, 134217700};
    struct syn_repeated_comm_written written = {0};
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
        for (int64_t i = 0; i < 300; i++)
            expect_as_alone(&written,
                            (struct syn_repeated_comm){2, (uint32_t)(i + 90), starts[s] + i});
    for (uint32_t i = 2097000; i < 2097300; i++)
        expect_as_alone(&written, (struct syn_repeated_comm){2, i, i});
    expect_as_alone(&written, (struct syn_repeated_comm){0, 1, 1});
    expect_as_alone(&written, (struct syn_repeated_comm){1, 2, 2});
    expect_as_alone(&written, (struct syn_repeated_comm){1, 4, 3});
    expect_as_alone(&written, (struct syn_repeated_comm){1, 5, 5});
    expect_as_alone(&written, (struct syn_repeated_comm){1, 6, 6});
}
