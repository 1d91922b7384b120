/* analyze/causes/sums/kernel_counters.c - keeps first and last samples, and adds the differences
 * between them. */
#include "analyze/causes/sums/kernel_counters.h"

#include <math.h>

static const uint16_t needs[SYN_KERNEL_COUNTER_KINDS] = {
    [SYN_KERNEL_USAGE] = SYN_SAMPLE_HAS_USAGE,
    [SYN_KERNEL_RUN_DELAY] = SYN_SAMPLE_HAS_RUN_DELAY,
    [SYN_KERNEL_PERF] = SYN_SAMPLE_HAS_COUNTERS,
};

static void take(struct syn_kernel_counters *counters, int kind, const struct syn_sample *sample)
{
    if (!counters->known[kind] || sample->time < counters->first[kind].time)
        counters->first[kind] = *sample;
    if (!counters->known[kind] || sample->time > counters->last[kind].time)
        counters->last[kind] = *sample;
    counters->known[kind] = true;
}

void syn_kernel_counters_take(struct syn_kernel_counters *counters, const struct syn_sample *sample,
                              size_t count, int64_t start_ns)
{
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < SYN_KERNEL_COUNTER_KINDS; kind++)
            if (sample[i].has & needs[kind])
                take(counters, kind, &sample[i]);
        /* the sample before start_ns also belongs to the previous chunk, which counts the change */
        if (i > 0 && sample[i - 1].time >= start_ns)
            counters->migrations += sample[i].processor >= 0 && sample[i - 1].processor >= 0 &&
                                    sample[i].processor != sample[i - 1].processor;
    }
}

void syn_kernel_counters_merge(struct syn_kernel_counters *into,
                               const struct syn_kernel_counters *from)
{
    into->migrations += from->migrations;
    for (int kind = 0; kind < SYN_KERNEL_COUNTER_KINDS; kind++) {
        if (!from->known[kind])
            continue;
        take(into, kind, &from->first[kind]);
        take(into, kind, &from->last[kind]);
    }
}

/* ---- sums ---- */

void syn_kernel_sums_begin(struct syn_kernel_sums *sums)
{
    *sums = (struct syn_kernel_sums){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static void add(double *sum, double value)
{
    *sum = isnan(*sum) ? value : *sum + value;
}

/* Returns the difference of two 32-bit counters, which may have wrapped around. */
static double since(uint32_t first, uint32_t last)
{
    return (double)(uint32_t)(last - first);
}

static double between(uint64_t first, uint64_t last)
{
    return last > first ? (double)(last - first) : 0;
}

void syn_kernel_sums_add(struct syn_kernel_sums *sums, const struct syn_kernel_counters *counters)
{
    const struct syn_sample *first = counters->first, *last = counters->last;
    if (counters->known[SYN_KERNEL_USAGE]) {
        const int kind = SYN_KERNEL_USAGE;
        add(&sums->voluntary_switches,
            since(first[kind].voluntary_switches, last[kind].voluntary_switches));
        add(&sums->involuntary_switches,
            since(first[kind].involuntary_switches, last[kind].involuntary_switches));
        add(&sums->switched_out_ns, (double)last[kind].time - (double)first[kind].time -
                                        between(first[kind].cpu_ns, last[kind].cpu_ns));
        add(&sums->minor_faults, since(first[kind].minor_faults, last[kind].minor_faults));
        add(&sums->major_faults, since(first[kind].major_faults, last[kind].major_faults));
        add(&sums->migrations, (double)counters->migrations);
    }
    if (counters->known[SYN_KERNEL_RUN_DELAY]) {
        const int kind = SYN_KERNEL_RUN_DELAY;
        add(&sums->run_delay_ns, between(first[kind].run_delay_ns, last[kind].run_delay_ns));
        const double elapsed_ns = (double)last[kind].time - (double)first[kind].time;
        add(&sums->run_delay_of_ns, elapsed_ns);
        add(&sums->off_cpu_ns, elapsed_ns - between(first[kind].cpu_ns, last[kind].cpu_ns));
    }
    if (counters->known[SYN_KERNEL_PERF]) {
        const int kind = SYN_KERNEL_PERF;
        add(&sums->instructions, between(first[kind].instructions, last[kind].instructions));
        add(&sums->cycles, between(first[kind].cycles, last[kind].cycles));
        add(&sums->counted_cpu_ns, between(first[kind].cpu_ns, last[kind].cpu_ns));
    }
}
