/* The clock of this process: conversions exact, rate right. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/time/clock.h"
#include "sync/time/identity.h"

static int64_t fixed_ticks(void)
{
    return 4711;
}

static struct syn_tick_source source_with_rate(double ns_per_tick)
{
    return (struct syn_tick_source){.kind = SYN_CLOCK_TSC,
                                    .multiplier = (uint64_t)(ns_per_tick * 0x1p32)};
}

Test(clock, ticks_come_back_to_within_one)
{
    const double rates[] = {0.25, 0.3333333, 0.408163265, 0.999999, 1.0};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const struct syn_tick_source source = source_with_rate(rates[i]);
        for (int64_t ticks = -987654321987654321; ticks < 999999999999999999;
             ticks += 12345678912345678) {
            const syn_local_time local = syn_tick_source_local(&source, ticks);
            const int64_t back = syn_tick_source_ticks(&source, local);
            cr_assert_leq(llabs(back - ticks), (int64_t)(1 / rates[i]) + 1);
            cr_assert_eq(syn_tick_source_local(&source, back).ns, local.ns);
        }
    }
}

Test(clock, local_time_never_runs_backwards)
{
    const struct syn_tick_source source = source_with_rate(0.4);
    int64_t last_ns = INT64_MIN;

    for (int64_t ticks = -5000; ticks < 5000; ticks++) {
        const int64_t now_ns = syn_tick_source_local(&source, ticks).ns;
        cr_assert_geq(now_ns, last_ns);
        last_ns = now_ns;
    }
}

Test(clock, tsc_runs_at_the_rate_of_the_raw_clock)
{
    struct syn_tick_source source;

    cr_assert_eq(syn_tick_source_init(&source, SYN_CLOCK_TSC, NULL, 0.05), 0);
    if (source.kind != SYN_CLOCK_TSC) {
        cr_assert_not(syn_cpu_counter_trusted());
        cr_assert_eq(syn_clock_rate_error(&source), 0);
        return;
    }
    /* 100 ppm of 50 ms is 5 us: more than any bracketed pair of reads can be apart. */
    cr_assert_lt(syn_clock_rate_error(&source), 1e-4);
    cr_assert_gt(syn_clock_rate_error(&source), -1e-4);
    source.multiplier += source.multiplier / 100;
    cr_assert_lt(syn_clock_rate_error(&source), -0.0098);
    cr_assert_gt(syn_clock_rate_error(&source), -0.0100);
}

Test(clock, kinds_in_nanoseconds_are_not_scaled)
{
    struct syn_tick_source source;

    cr_assert_eq(syn_tick_source_init(&source, SYN_CLOCK_MONOTONIC, NULL, 0), 0);
    cr_assert_eq(syn_tick_source_local(&source, 123456789).ns, 123456789);
    cr_assert_eq(syn_tick_source_ticks(&source, (syn_local_time){-5}), -5);
    cr_assert_eq(syn_clock_rate_error(&source), 0);
    cr_assert_eq(syn_tick_source_init(&source, SYN_CLOCK_FUNCTION, fixed_ticks, 0), 0);
    struct syn_clock clock = syn_tick_source_clock(&source);
    cr_assert_eq(clock.now(clock.ctx).ns, 4711);
}

Test(clock, refuses_what_it_cannot_read)
{
    struct syn_tick_source source;

    cr_assert_eq(syn_tick_source_init(&source, SYN_CLOCK_FUNCTION, NULL, 0), SYN_EINVAL);
    cr_assert_eq(syn_tick_source_init(&source, SYN_CLOCK_TSC, NULL, 0), SYN_EINVAL);
    cr_assert_eq(syn_tick_source_init(&source, (enum syn_clock_kind)9, NULL, 1), SYN_EINVAL);
}

Test(clock, names_are_those_of_the_command_line)
{
    cr_assert_str_eq(syn_clock_kind_name(SYN_CLOCK_TSC), "tsc");
    cr_assert_str_eq(syn_clock_kind_name(SYN_CLOCK_MONOTONIC), "monotonic");
    cr_assert_str_eq(syn_clock_kind_name(SYN_CLOCK_FUNCTION), "mpi");
}

Test(identity, is_the_machines_unless_the_clock_is_the_process_s_own)
{
    struct syn_tick_source raw, function;
    struct syn_clock_identity first, second;

    syn_tick_source_init(&raw, SYN_CLOCK_MONOTONIC_RAW, NULL, 0);
    syn_tick_source_init(&function, SYN_CLOCK_FUNCTION, fixed_ticks, 0);
    cr_assert_eq(syn_clock_identity_read(&raw, &first), 0);
    cr_assert_eq(syn_clock_identity_read(&raw, &second), 0);
    cr_assert_eq(first.machine, second.machine);
    cr_assert_eq(first.namespace_, second.namespace_);
    cr_assert_neq(first.namespace_, 0);
    cr_assert_eq(syn_clock_identity_read(&function, &second), 0);
    cr_assert_neq(first.machine, second.machine);
}

/* 62.5 MHz: an event lies up to 16 ns after its time. */
Test(clock, resolution_is_that_of_ticks_longer_than_a_nanosecond)
{
    const struct {
        double ns_per_tick;
        int64_t resolution_ns;
    } cases[] = {{0.3, 0}, {1, 0}, {1.5, 2}, {16, 16}, {40, 40}, {52.08333, 53}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct syn_tick_source source = {.multiplier =
                                                   (uint64_t)(cases[i].ns_per_tick * 0x1p32)};
        cr_assert_eq(syn_tick_resolution_ns(&source), cases[i].resolution_ns, "%g",
                     cases[i].ns_per_tick);
    }
}
