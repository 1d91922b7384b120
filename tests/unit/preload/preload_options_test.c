/* tests/unit/preload/preload_options_test.c - the SYNCOPATE_* variables: what is taken, and what is
 * not. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "preload/base/options.h"

static struct syn_options read_with(const char *name, const char *value)
{
    static struct syn_options options;
    setenv(name, value, 1);
    syn_options_read(&options);
    unsetenv(name);
    return options;
}

Test(options, sizes)
{
    static const struct {
        const char *text;
        uint64_t bytes;
    } good[] = {{"0", 0},       {"65536", 65536}, {"64K", 65536},
                {"64k", 65536}, {"3M", 3u << 20}, {"2G", (uint64_t)2 << 30}};
    static const char *const bad[] = {"",     "K",   "-1",   "1T",           "64KB",
                                      "64 K", " 64", "0x10", "99999999999G", "1.5M"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        uint64_t bytes = 1;
        cr_assert_eq(syn_options_parse_bytes(good[i].text, &bytes), 0, "%s", good[i].text);
        cr_assert_eq(bytes, good[i].bytes, "%s", good[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        uint64_t bytes = 1;
        cr_assert_eq(syn_options_parse_bytes(bad[i], &bytes), SYN_EINVAL, "%s", bad[i]);
        cr_assert_eq(bytes, 1);
    }
}

static size_t count(const bool *recorded)
{
    size_t sum = 0;
    for (int row = 0; row < SYN_ROW_COUNT; row++)
        sum += recorded[row];
    return sum;
}

Test(options, operations)
{
    bool recorded[SYN_ROW_COUNT] = {false};
    cr_assert_eq(syn_options_parse_operations("MPI_Bcast,allreduce", recorded), 0);
    cr_assert(recorded[SYN_ROW_BCAST] && recorded[SYN_ROW_ALLREDUCE]);
    cr_assert_eq(count(recorded), 2);
    cr_assert_eq(syn_options_parse_operations("MPI_IBCAST mpi_Allreduce_init", recorded), 0);
    cr_assert(recorded[SYN_ROW_BCAST] && recorded[SYN_ROW_ALLREDUCE]);
    cr_assert_eq(count(recorded), 2);
    cr_assert_eq(syn_options_parse_operations("-Barrier", recorded), 0);
    cr_assert_not(recorded[SYN_ROW_BARRIER]);
    cr_assert_eq(count(recorded), SYN_ROW_COUNT - 1);
    cr_assert_eq(syn_options_parse_operations("all", recorded), 0);
    cr_assert_eq(count(recorded), SYN_ROW_COUNT);
}

Test(options, an_unknown_operation_or_none_changes_nothing)
{
    bool recorded[SYN_ROW_COUNT] = {true};
    static const char *const wrong[] = {"Bcast,Nonsense", "Nonsense,Bcast", ",", " ", "-", "-,"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_assert_eq(syn_options_parse_operations(wrong[i], recorded), SYN_EINVAL, "%s", wrong[i]);
        cr_assert(recorded[0]);
        cr_assert_eq(count(recorded), 1);
    }
}

Test(options, defaults)
{
    const struct syn_options options = read_with("UNRELATED", "1");
    cr_assert_eq(options.buffer_bytes, (uint64_t)64 << 20);
    cr_assert_eq(options.stack_depth, 8);
    cr_assert_eq(options.clock, SYN_CLOCK_TSC);
    cr_assert_eq(options.sync.method, SYN_SYNC_AUTO);
    cr_assert_eq(count(options.recorded), SYN_ROW_COUNT);
    cr_assert_eq(options.directory[0], '/');
    cr_assert_str_eq(strrchr(options.directory, '/'), "/syncopate-trace");
}

Test(options, values)
{
    cr_assert_str_eq(read_with("SYNCOPATE_OUTPUT", "/a/b").directory, "/a/b");
    cr_assert_eq(read_with("SYNCOPATE_SYNC", "hca3").sync.method, SYN_SYNC_HCA3);
    cr_assert_eq(read_with("SYNCOPATE_CLOCK", "monotonic").clock, SYN_CLOCK_MONOTONIC);
    cr_assert_eq(read_with("SYNCOPATE_CLOCK", "mpi").clock, SYN_CLOCK_FUNCTION);
    cr_assert_eq(read_with("SYNCOPATE_STACK", "0").stack_depth, 0);
    cr_assert_eq(read_with("SYNCOPATE_STACK", "64").stack_depth, 64);
    cr_assert_eq(read_with("SYNCOPATE_SYNC_BUDGET", "0.25").sync.budget_s, 0.25);
    cr_assert_eq(read_with("SYNCOPATE_LEVEL", "-3").level, -3);
    cr_assert(read_with("SYNCOPATE_QUIET", "1").quiet);
    cr_assert_not(read_with("SYNCOPATE_QUIET", "0").quiet);
    cr_assert_eq(read_with("SYNCOPATE_FILES", "node").files, SYN_FILES_NODE);
    cr_assert_eq(read_with("SYNCOPATE_FILES", "rank").files, SYN_FILES_RANK);
    cr_assert_eq(read_with("SYNCOPATE_FILES", "both").files, SYN_FILES_AUTO);
    cr_assert(read_with("SYNCOPATE_SIGNALS", "on").signals);
    cr_assert_not(read_with("SYNCOPATE_SIGNALS", "off").signals);
    cr_assert(read_with("SYNCOPATE_SIGNALS", "perhaps").signals);
}

Test(options, a_bad_value_leaves_the_default)
{
    cr_assert_eq(read_with("SYNCOPATE_STACK", "65").stack_depth, 8);
    cr_assert_eq(read_with("SYNCOPATE_STACK", "8x").stack_depth, 8);
    cr_assert_eq(read_with("SYNCOPATE_BUFFER", "1K").buffer_bytes, (uint64_t)64 << 20);
    cr_assert_eq(read_with("SYNCOPATE_SYNC", "sundial").sync.method, SYN_SYNC_AUTO);
    cr_assert_eq(read_with("SYNCOPATE_SYNC_BUDGET", "nan").sync.budget_s,
                 read_with("NONE", "1").sync.budget_s);
    char *long_path = calloc(1, 5001);
    memset(long_path, 'x', 5000);
    cr_assert_str_eq(strrchr(read_with("SYNCOPATE_OUTPUT", long_path).directory, '/'),
                     "/syncopate-trace");
    free(long_path);
}
