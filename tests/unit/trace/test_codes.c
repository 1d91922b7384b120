/* The small codes: varints, magnitudes, operation names. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/arena.h"
#include "sync/base/bytes.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"
#include "trace/base/ops.h"
#include "trace/columns/columns_tables.h"
#include "trace/columns/magnitude.h"
#include "trace/columns/times.h"
#include "trace/directory/lists.h"

/* Around every power of two, both signs. */
static size_t corner_values(int64_t *values)
{
    size_t count = 0;
    for (int shift = 0; shift < 64; shift++)
        for (int64_t delta = -2; delta <= 2; delta++)
            for (int sign = 0; sign < 2; sign++) {
                uint64_t value = ((uint64_t)1 << shift) + (uint64_t)delta;
                values[count++] = (int64_t)(sign ? 0 - value : value);
            }
    return count;
}

/* Nothing but these bytes. */
Test(codes, short_copies)
{
    uint8_t from[64], to[66];
    for (uint8_t i = 0; i < sizeof from; i++)
        from[i] = i;
    for (size_t count = 0; count <= sizeof from; count++) {
        memset(to, 0xee, sizeof to);
        syn_copy_short(to + 1, from, count);
        cr_expect_eq(to[0], 0xee);
        cr_expect_eq(memcmp(to + 1, from, count), 0, "%zu bytes", count);
        cr_expect_eq(to[1 + count], 0xee);
    }
}

Test(codes, varints_and_zigzag)
{
    static int64_t values[1000];
    size_t count = corner_values(values);
    struct syn_bytes bytes = {0};
    for (size_t i = 0; i < count; i++) {
        syn_bytes_put_varint(&bytes, (uint64_t)values[i]);
        syn_bytes_put_zigzag(&bytes, values[i]);
    }
    struct syn_take take = syn_take_from(bytes.data, bytes.count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(syn_take_varint(&take), (uint64_t)values[i]);
        cr_assert_eq(syn_take_zigzag(&take), values[i]);
    }
    cr_assert_eq(syn_take_left(&take), 0);
    cr_assert_not(take.failed);
    cr_assert_eq(syn_take_varint(&take), 0);
    cr_assert(take.failed);
    syn_bytes_free(&bytes);
    cr_assert_eq(syn_zigzag(-1), 1);
    cr_assert_eq(syn_zigzag(1), 2);
}

/* The unit as its definition has it: by Euclid, value by value. */
static uint64_t plain_unit(const int64_t *values, size_t count)
{
    uint64_t unit = 0;
    for (size_t i = 0; i < count; i++)
        for (uint64_t other = values[i] < 0 ? 0 - (uint64_t)values[i] : (uint64_t)values[i];
             other;) {
            const uint64_t rest = unit % other;
            unit = other;
            other = rest;
        }
    return unit == 0 || unit > INT64_MAX ? 1 : unit;
}

static void assert_divides(const int64_t *values, size_t count)
{
    int64_t divided[64];
    const uint64_t wanted = plain_unit(values, count);
    memcpy(divided, values, count * sizeof *values);
    const uint64_t unit = (uint64_t)syn_times_divide(divided, count);
    cr_assert_eq(unit, wanted, "%" PRIu64 " instead of %" PRIu64, unit, wanted);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(divided[i], values[i] / (int64_t)unit);
}

static void assert_columns_are_divided(void)
{
    static const int64_t units[] = {1, 2, 3, 10, 26, 64, 1000, 4096, 999999937, INT64_C(1) << 40};
    static const int64_t alone[][3] = {
        {0, 0, 0},          {INT64_MIN, 0, 0}, {INT64_MIN, 6, 0}, {INT64_MAX, 0, INT64_MAX},
        {INT64_MIN, -1, 1}, {0, -12, 18},      {3, 0, 6},         {INT64_MIN / 2, INT64_MIN, 0}};
    int64_t values[64];
    uint64_t state = 7;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        assert_divides(alone[i], 3);
    for (int round = 0; round < 2000; round++) {
        const int64_t unit = units[round % (sizeof units / sizeof *units)];
        const int64_t times = 1 + round / 10 % 7; /* of which only the last may be none */
        for (size_t i = 0; i < 64; i++)
            values[i] = ((int64_t)(random_next(&state) >> 44) - (1 << 19)) * times * unit;
        values[63] = round % 2 ? values[63] : unit;
        assert_divides(values, 64);
        for (size_t i = 0; i < 64; i++) /* of short times, that 32 bits hold, and of none below 0 */
            values[i] = (values[i] < 0 ? -values[i] : values[i]) >> (round % 3 ? 0 : 12);
        assert_divides(values, 61 + (size_t)round % 4);
    }
}

Test(codes, columns_are_divided_by_their_largest_unit)
{
    assert_columns_are_divided();
    syn_cpu_limit(SYN_CPU_ANY);
    assert_columns_are_divided();
}

Test(codes, varints_that_are_none)
{
    static const uint8_t endless[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                                      0x80, 0x80, 0x80, 0x80, 0x80, 0x00};
    static const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    static const uint8_t cut[] = {0x80};
    struct syn_take take = syn_take_from(endless, sizeof endless);
    syn_take_varint(&take);
    cr_assert(take.failed);
    take = syn_take_from(too_big, sizeof too_big);
    syn_take_varint(&take);
    cr_assert(take.failed);
    take = syn_take_from(cut, sizeof cut);
    syn_take_varint(&take);
    cr_assert(take.failed);
    /* Nothing is read after a failure. */
    cr_assert_eq(syn_take_u64(&take), 0);
    cr_assert_null(syn_take_bytes(&take, 1));
}

Test(codes, magnitudes_of_all_sizes)
{
    static int64_t values[1000];
    static uint8_t symbols[1000], below[8 * 1000 + 32];
    size_t count = corner_values(values);
    struct syn_bit_writer bits = {.at = below};
    for (size_t i = 0; i < count; i++)
        symbols[i] = syn_magnitude_put(&bits, values[i]);
    size_t position = 0;
    for (size_t i = 0; i < count; i++) {
        unsigned bit_count = syn_magnitude_bits(symbols[i]);
        uint64_t magnitude =
            syn_magnitude_base(symbols[i]) + syn_bits_get(below, position, bit_count);
        position += bit_count;
        bool negative = symbols[i] & SYN_MAGNITUDE_NEGATIVE;
        cr_assert_eq((int64_t)(negative ? 0 - magnitude : magnitude), values[i]);
    }
    cr_assert_eq((position + 7) / 8, (size_t)(syn_bits_end(&bits) - below));
}

/* Random values of which `wide` in 256 are of any size and sign, the others short and positive; at
 * 16 so short that four together stay short beside a long one. */
static void draw_values(int64_t *values, size_t count, unsigned wide, uint64_t *state)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t draw = random_next(state);
        values[i] = (int64_t)(random_next(state) >> (draw & 255) % 64);
        values[i] = (draw >> 8 & 255) < wide ? values[i] : values[i] & (wide == 16 ? 1 : 0x3fff);
        values[i] = (draw >> 8 & 255) < wide && draw >> 16 & 1 ? (int64_t)(0 - (uint64_t)values[i])
                                                               : values[i];
    }
}

/* The loops for several values at once write what one by one writes. */
static void assert_column_is_written(const int64_t *values, size_t count, const uint8_t *symbols)
{
    static uint8_t got_symbols[1100], got[8 * 1100 + 32], below[8 * 1100 + 32];
    struct syn_bit_writer bits = {.at = below};
    for (size_t i = 0; i < count; i++)
        syn_magnitude_put(&bits, values[i]);
    size_t bytes = (size_t)(syn_bits_end(&bits) - below);
    memset(got_symbols + count, 0xee, 16);
    cr_assert_eq(syn_times_encode(values, count, got_symbols, got), got + bytes);
    cr_assert_eq(memcmp(got_symbols, symbols, count), 0);
    cr_assert_eq(memcmp(got, below, bytes), 0);
    cr_assert_eq(got_symbols[count], 0xee);
}

/* And they give back what one by one gives, whatever the values. */
static void assert_column_comes_back(const int64_t *values, size_t count, uint64_t unit)
{
    static uint8_t symbols[1100], below[8 * 1100 + 32];
    static int64_t got[1100];
    const struct syn_times_tables *tables = syn_times_tables();
    struct syn_bit_writer bits = {.at = below};
    syn_bits_put(&bits, 5, 3); /* columns of a block begin in the middle of a byte */
    uint64_t bit_count = 0, position = 3;
    for (size_t i = 0; i < count; i++) {
        symbols[i] = syn_magnitude_put(&bits, values[i]);
        bit_count += syn_magnitude_bits(symbols[i]);
    }
    assert_column_is_written(values, count, symbols);
    cr_assert_eq(syn_times_bit_count(symbols, count), bit_count);
    for (size_t done = 0, part; done < count; done += part) {
        part = count - done < 300 ? count - done : 300;
        position = syn_times_decode(tables, symbols + done, part, below, position, unit, got);
        for (size_t i = 0; i < part; i++)
            cr_assert_eq((uint64_t)got[i], (uint64_t)values[done + i] * unit);
    }
    cr_assert_eq(position, 3 + bit_count);
}

Test(codes, columns_of_times_come_back_on_every_processor)
{
    static const unsigned wides[] = {0, 1, 16, 256};
    static int64_t values[1000];
    uint64_t state = 5;
    size_t corner_count = corner_values(values);
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        cr_assert_leq(syn_cpu(), cpu);
        corner_values(values);
        assert_column_comes_back(values, corner_count, 1);
        for (size_t w = 0; w < sizeof wides / sizeof *wides; w++)
            for (size_t count = 0; count < 1000; count += count < 40 ? 1 : 317) {
                draw_values(values, count, wides[w], &state);
                assert_column_comes_back(values, count, count % 3 ? 1 : 1000);
            }
    }
}

/* Symbols of a damaged file; so many of the longest that sums in 16 bits would not hold them. */
Test(codes, bits_of_any_symbols_are_counted)
{
    static uint8_t symbols[20000];
    uint64_t bits = 0;
    for (size_t i = 0; i < sizeof symbols; i++) {
        symbols[i] = (uint8_t)(i < 19000 ? 0x7f : i * 37);
        if (i < 50 || i > 18950)
            cr_assert_eq(syn_times_bit_count(symbols, i), bits);
        bits += syn_magnitude_bits(symbols[i]);
    }
}

Test(codes, symbols_grow_with_magnitude)
{
    static uint8_t below[64];
    uint8_t before = 0;
    for (int64_t value = 1; value < 100000; value++) {
        struct syn_bit_writer bits = {.at = below};
        uint8_t symbol = syn_magnitude_put(&bits, value);
        cr_assert_geq(symbol, before);
        cr_assert_leq(syn_magnitude_base(symbol), (uint64_t)value);
        before = symbol;
    }
}

Test(codes, an_arena_keeps_to_its_budget)
{
    struct syn_arena arena;
    syn_arena_init(&arena, 1000);
    cr_assert_not_null(syn_arena_take(&arena, 10, 50));
    cr_assert_null(syn_arena_take(&arena, 600, 1));
    cr_assert(arena.over_budget);
    cr_assert_null(syn_arena_take(&arena, SIZE_MAX / 2, 16));
    cr_assert_str_eq(syn_arena_string(&arena, "abc", 3), "abc");
    cr_assert_not_null(syn_arena_take(&arena, 0, 8));
    syn_arena_free(&arena);
}

Test(ops, names_and_forms)
{
    cr_assert_str_eq(syn_op_name(SYN_OP_BLOCKING(ALLREDUCE)), "MPI_Allreduce");
    cr_assert_str_eq(syn_op_name(syn_op_id(SYN_ROW_REDUCE_SCATTER_BLOCK, SYN_FORM_NONBLOCKING)),
                     "MPI_Ireduce_scatter_block");
    cr_assert_str_eq(syn_op_name(syn_op_id(SYN_ROW_BARRIER, SYN_FORM_PERSISTENT)),
                     "MPI_Barrier_init");
    cr_assert_null(syn_op_name(SYN_ROW_COUNT));
    cr_assert_null(syn_op_name(3 * SYN_OP_FORM_STRIDE));
    cr_assert_null(syn_op_name(4 * SYN_OP_FORM_STRIDE));
    cr_assert_str_eq(syn_op_name(syn_op_id(SYN_ROW_COMM_DUP, SYN_FORM_NONBLOCKING)),
                     "MPI_Comm_idup");
    cr_assert_null(syn_op_name(syn_op_id(SYN_ROW_COMM_DUP, SYN_FORM_PERSISTENT)));
    cr_assert_null(syn_op_name(syn_op_id(SYN_ROW_COMM_FREE, SYN_FORM_NONBLOCKING)));
    cr_assert_null(syn_op_name(UINT16_MAX));
}

/* Ids are in files: these may never change. */
Test(ops, ids_are_fixed)
{
    cr_assert_eq(SYN_OP_BLOCKING(BARRIER), 0);
    cr_assert_eq(SYN_OP_BLOCKING(ALLREDUCE), 12);
    cr_assert_eq(SYN_OP_BLOCKING(EXSCAN), 16);
    cr_assert_eq(syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING), 1025);
    cr_assert_eq(syn_op_id(SYN_ROW_NEIGHBOR_ALLTOALLW, SYN_FORM_PERSISTENT), 2069);
    cr_assert_eq(SYN_OP_BLOCKING(COMM_DUP), 22);
    cr_assert_eq(syn_op_id(SYN_ROW_COMM_DUP, SYN_FORM_NONBLOCKING), 1046);
    cr_assert_eq(SYN_OP_BLOCKING(COMM_DISCONNECT), 36);
    cr_assert_eq(SYN_OP_BLOCKING(WIN_FREE), 42);
    cr_assert_eq(SYN_OP_BLOCKING(FILE_OPEN), 43);
    cr_assert_eq(SYN_OP_BLOCKING(COMM_SPAWN), 57);
    cr_assert_eq(SYN_OP_BLOCKING(COMM_CREATE_FROM_GROUP), 61);
    cr_assert_eq(SYN_OP_BLOCKING(FILE_SET_INFO), 65);
    cr_assert_eq(SYN_OP_BLOCKING(COMM_AGREE), 67);
    cr_assert_eq(syn_op_id(SYN_ROW_FILE_WRITE_ORDERED, SYN_FORM_SPLIT), 3128);
}

/* Nor may the names that they stand for. */
Test(ops, names_of_numbers_are_fixed)
{
    static const char *const names[] = {"MPI_Barrier",
                                        "MPI_Bcast",
                                        "MPI_Gather",
                                        "MPI_Gatherv",
                                        "MPI_Scatter",
                                        "MPI_Scatterv",
                                        "MPI_Allgather",
                                        "MPI_Allgatherv",
                                        "MPI_Alltoall",
                                        "MPI_Alltoallv",
                                        "MPI_Alltoallw",
                                        "MPI_Reduce",
                                        "MPI_Allreduce",
                                        "MPI_Reduce_scatter",
                                        "MPI_Reduce_scatter_block",
                                        "MPI_Scan",
                                        "MPI_Exscan",
                                        "MPI_Neighbor_allgather",
                                        "MPI_Neighbor_allgatherv",
                                        "MPI_Neighbor_alltoall",
                                        "MPI_Neighbor_alltoallv",
                                        "MPI_Neighbor_alltoallw",
                                        "MPI_Comm_dup",
                                        "MPI_Comm_dup_with_info",
                                        "MPI_Comm_split",
                                        "MPI_Comm_split_type",
                                        "MPI_Comm_create",
                                        "MPI_Comm_create_group",
                                        "MPI_Intercomm_create",
                                        "MPI_Intercomm_merge",
                                        "MPI_Cart_create",
                                        "MPI_Cart_sub",
                                        "MPI_Graph_create",
                                        "MPI_Dist_graph_create",
                                        "MPI_Dist_graph_create_adjacent",
                                        "MPI_Comm_free",
                                        "MPI_Comm_disconnect",
                                        "MPI_Win_create",
                                        "MPI_Win_allocate",
                                        "MPI_Win_allocate_shared",
                                        "MPI_Win_create_dynamic",
                                        "MPI_Win_fence",
                                        "MPI_Win_free",
                                        "MPI_File_open",
                                        "MPI_File_close",
                                        "MPI_File_set_view",
                                        "MPI_File_set_size",
                                        "MPI_File_preallocate",
                                        "MPI_File_sync",
                                        "MPI_File_set_atomicity",
                                        "MPI_File_seek_shared",
                                        "MPI_File_read_all",
                                        "MPI_File_read_at_all",
                                        "MPI_File_read_ordered",
                                        "MPI_File_write_all",
                                        "MPI_File_write_at_all",
                                        "MPI_File_write_ordered",
                                        "MPI_Comm_spawn",
                                        "MPI_Comm_spawn_multiple",
                                        "MPI_Comm_accept",
                                        "MPI_Comm_connect",
                                        "MPI_Comm_create_from_group",
                                        "MPI_Intercomm_create_from_groups",
                                        "MPI_Comm_set_info",
                                        "MPI_Win_set_info",
                                        "MPI_File_set_info",
                                        "MPIX_Comm_shrink",
                                        "MPIX_Comm_agree"};
    cr_assert_eq(sizeof names / sizeof *names, SYN_ROW_COUNT);
    for (uint16_t row = 0; row < SYN_ROW_COUNT; row++)
        cr_expect_str_eq(syn_op_name(row), names[row], "row %u", row);
}

Test(ops, every_name_parses_to_its_id)
{
    size_t count = 0;
    for (unsigned id = 0; id <= UINT16_MAX; id++) {
        const char *name = syn_op_name((uint16_t)id);
        uint16_t parsed;
        if (!name)
            continue;
        count++;
        cr_assert_eq(syn_op_parse(name, &parsed), SYN_OK, "%s", name);
        cr_assert_eq(parsed, id, "%s", name);
        cr_assert_eq(syn_op_parse(strchr(name, '_') + 1, &parsed), SYN_OK, "%s", name);
        cr_assert_eq(parsed, id, "%s", name);
    }
    cr_assert_eq(count, 66 + 17 + 2 + 4 + 6 + 14 + 10 + 3 + 3);
}

Test(ops, parsing_is_lenient_about_case_only)
{
    uint16_t id = 77;
    cr_assert_eq(syn_op_parse("mpi_IALLREDUCE", &id), SYN_OK);
    cr_assert_eq(id, syn_op_id(SYN_ROW_ALLREDUCE, SYN_FORM_NONBLOCKING));
    id = 77;
    cr_assert_eq(syn_op_parse("MPI_Allreduc", &id), SYN_EINVAL);
    cr_assert_eq(syn_op_parse("MPI_Send", &id), SYN_EINVAL);
    cr_assert_eq(syn_op_parse("", &id), SYN_EINVAL);
    cr_assert_eq(id, 77);
}

Test(ops, a_selection_takes_operations_and_classes)
{
    bool rows[SYN_ROW_COUNT] = {false};
    cr_assert_eq(syn_ops_select("comm", true, rows), SYN_OK);
    for (unsigned row = 0; row < SYN_ROW_COUNT; row++)
        cr_assert_eq(rows[row], syn_op_class((uint16_t)row, NULL) == SYN_CLASS_COMM, "%u", row);
    cr_assert_eq(syn_ops_select("Comm_idup", false, rows), SYN_OK);
    cr_assert_not(rows[SYN_ROW_COMM_DUP]);
    cr_assert(rows[SYN_ROW_COMM_SPLIT]);
    cr_assert_eq(syn_ops_select("Bcast", true, rows), SYN_OK);
    cr_assert(rows[SYN_ROW_BCAST]);
    cr_assert_eq(syn_ops_select("communicators", true, rows), SYN_EINVAL);
}

Test(ops, classes)
{
    cr_assert_eq(syn_op_class(SYN_OP_BLOCKING(ALLREDUCE), NULL), SYN_CLASS_DATA);
    cr_assert_eq(syn_op_class(syn_op_id(SYN_ROW_COMM_DUP, SYN_FORM_NONBLOCKING), NULL),
                 SYN_CLASS_COMM);
    cr_assert_eq(syn_op_class(UINT16_MAX, NULL), SYN_CLASS_DATA);
    cr_assert_eq(syn_op_class(UINT16_MAX, "MPI_File_of_tomorrow"), SYN_CLASS_FILE);
    cr_assert_eq(syn_op_class(UINT16_MAX, "MPI_Win_of_tomorrow"), SYN_CLASS_WINDOW);
}

Test(ops, names_as_users_write_them)
{
    uint16_t id;
    cr_assert_eq(syn_op_parse("allreduce", &id), SYN_OK);
    cr_assert_eq(id, SYN_OP_BLOCKING(ALLREDUCE));
    cr_assert_eq(syn_op_parse("MPI_IBCAST", &id), SYN_OK);
    cr_assert_eq(id, syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING));
    cr_assert_eq(syn_op_parse("mpi_barrier_init", &id), SYN_OK);
    cr_assert_eq(id, syn_op_id(SYN_ROW_BARRIER, SYN_FORM_PERSISTENT));
}

Test(ops, properties)
{
    uint16_t ibcast = syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING);
    cr_assert_eq(syn_op_flags(ibcast), SYN_OPF_ROOTED | SYN_OPF_SAME_BYTES);
    cr_assert(syn_op_flags(SYN_OP_BLOCKING(BARRIER)) & SYN_OPF_SYNCHRONIZING);
    cr_assert_eq(syn_op_flags(UINT16_MAX), 0);
}

/* ---- lists ---- */

Test(lists, ranks)
{
    static const char *const wrong[] = {"",   ",", "1,",  ",1",   "-1",  "3-1",
                                        "1-", "a", "1:0", "1-4:", "1 2", "99999999999"};
    static const char list[] = "0-3,8,16-64:4";
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(syn_rank_list_check(wrong[i]), SYN_EINVAL, "\"%s\"", wrong[i]);
    cr_assert_eq(syn_rank_list_check(list), SYN_OK);
    for (int rank = 0; rank < 80; rank++) {
        bool wanted = rank <= 3 || rank == 8 || (rank >= 16 && rank <= 64 && rank % 4 == 0);
        cr_assert_eq(syn_rank_list_has(list, rank), wanted, "%d", rank);
    }
}

Test(lists, phases)
{
    static const char *const wrong[] = {"",     "2",        "2=",   "1=on", "=x",
                                        "2=a,", "2=a,,3=b", "-3=a", "x=a",  "2=a,3=b,2=c"};
    static const char list[] = "2=assembly,17=the solver";
    size_t length;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_assert_eq(syn_phase_list_check(wrong[i]), SYN_EINVAL, "\"%s\"", wrong[i]);
    cr_assert_eq(syn_phase_list_check(list), SYN_OK);
    const char *name = syn_phase_list_find(list, 17, &length);
    cr_assert_eq(length, 10);
    cr_assert_eq(strncmp(name, "the solver", length), 0);
    cr_assert_null(syn_phase_list_find(list, 3, &length));
}

/* ---- which tuple each event has ---- */

/* Returns true if one of `count` events, and only one, has the index `largest`. */
static bool is_there(size_t width, size_t tuple_count, size_t count, size_t at, uint16_t largest)
{
    static uint8_t index[2 * 300];
    static uint8_t extended[70000];
    const struct syn_columns_payload payload = {
        .tables = {.event_count = count, .tuple_count = tuple_count, .tuples.extended = extended},
        .index = index,
        .index_width = width};
    memset(index, 0, sizeof index);
    index[at] = (uint8_t)largest;
    index[(width - 1) * count + at] = (uint8_t)(largest >> 8 * (width - 1));
    return syn_columns_check_index(&payload);
}

Test(codes, no_index_lies_outside_the_table)
{
    static const size_t counts[] = {1, 15, 16, 17, 300};
    static const size_t tuple_counts[] = {1, 2, 200, 255, 256, 257, 40000, 65535, 65536};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t t = 0; t < sizeof tuple_counts / sizeof *tuple_counts; t++)
            for (size_t at = 0; at < counts[c]; at += 7)
                for (size_t width = tuple_counts[t] > 256 ? 2 : 1; width <= 2; width++) {
                    const size_t n = tuple_counts[t], most = width == 1 ? UINT8_MAX : UINT16_MAX;
                    cr_expect(is_there(width, n, counts[c], at, (uint16_t)(n - 1)));
                    cr_expect(n > most || !is_there(width, n, counts[c], at, (uint16_t)n));
                    cr_expect(n > most || !is_there(width, n, counts[c], at, (uint16_t)most));
                }
    cr_expect_not(is_there(1, 0, 1, 0, 0));
}
