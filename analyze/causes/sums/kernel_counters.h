/* analyze/causes/sums/kernel_counters.h - the kernel's counts for each thread, from its first to
 * its last sample: how long it was off its processor, and how fast the processor's clock ran. */
#ifndef SYN_KERNEL_COUNTERS_H
#define SYN_KERNEL_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/base/records.h"

/* Kinds of counts. A sample may lack some of them. */
enum syn_kernel_counter_kind { SYN_KERNEL_USAGE, SYN_KERNEL_RUN_DELAY, SYN_KERNEL_PERF };
#define SYN_KERNEL_COUNTER_KINDS 3

struct syn_kernel_counters {
    struct syn_sample first[SYN_KERNEL_COUNTER_KINDS], last[SYN_KERNEL_COUNTER_KINDS];
    bool known[SYN_KERNEL_COUNTER_KINDS];
    uint64_t migrations; /* samples on another processor than the sample before */
};

/* Adds the samples of a chunk, stored as columns. Its first event starts at start_ns. */
void syn_kernel_counters_take(struct syn_kernel_counters *counters, const struct syn_sample *sample,
                              size_t count, int64_t start_ns);
/* Adds the counts of another part of the same thread's time, in any order. */
void syn_kernel_counters_merge(struct syn_kernel_counters *into,
                               const struct syn_kernel_counters *from);

/* Sums over threads. NAN: not known of any thread. */
struct syn_kernel_sums {
    double switched_out_ns; /* off the processor, from the first sample to the last */
    double voluntary_switches, involuntary_switches, minor_faults, major_faults, migrations;
    double run_delay_ns, run_delay_of_ns; /* time ready without a processor, and the time over which
                                             it was counted */
    double off_cpu_ns;                    /* time off the processor in the same period */
    double instructions, cycles, counted_cpu_ns;
};
void syn_kernel_sums_begin(struct syn_kernel_sums *sums);
void syn_kernel_sums_add(struct syn_kernel_sums *sums, const struct syn_kernel_counters *counters);

#endif
