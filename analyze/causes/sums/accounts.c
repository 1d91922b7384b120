/* analyze/causes/sums/accounts.c - first and last samples, and differences between them. */
#include "analyze/causes/sums/accounts.h"

#include <math.h>

static const uint16_t needs[SYN_ACCOUNT_KINDS] = {
    [SYN_ACCOUNT_USAGE] = SYN_SAMPLE_HAS_USAGE,
    [SYN_ACCOUNT_RUN_DELAY] = SYN_SAMPLE_HAS_RUN_DELAY,
    [SYN_ACCOUNT_COUNTERS] = SYN_SAMPLE_HAS_COUNTERS,
};

static void take(struct syn_account *account, int kind, const struct syn_sample *sample)
{
    if (!account->known[kind] || sample->time < account->first[kind].time)
        account->first[kind] = *sample;
    if (!account->known[kind] || sample->time > account->last[kind].time)
        account->last[kind] = *sample;
    account->known[kind] = true;
}

void syn_account_take(struct syn_account *account, const struct syn_sample *sample, size_t count,
                      int64_t start_ns)
{
    for (size_t i = 0; i < count; i++) {
        for (int kind = 0; kind < SYN_ACCOUNT_KINDS; kind++)
            if (sample[i].has & needs[kind])
                take(account, kind, &sample[i]);
        /* what lies between two chunks is seen with both: it is counted with the earlier one */
        if (i > 0 && sample[i - 1].time >= start_ns)
            account->migrations += sample[i].processor >= 0 && sample[i - 1].processor >= 0 &&
                                   sample[i].processor != sample[i - 1].processor;
    }
}

void syn_account_merge(struct syn_account *into, const struct syn_account *from)
{
    into->migrations += from->migrations;
    for (int kind = 0; kind < SYN_ACCOUNT_KINDS; kind++) {
        if (!from->known[kind])
            continue;
        take(into, kind, &from->first[kind]);
        take(into, kind, &from->last[kind]);
    }
}

/* ---- sums ---- */

void syn_account_sums_begin(struct syn_account_sums *sums)
{
    *sums = (struct syn_account_sums){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

static void add(double *sum, double value)
{
    *sum = isnan(*sum) ? value : *sum + value;
}

/* Counters of 32 bits go round. */
static double since(uint32_t first, uint32_t last)
{
    return (double)(uint32_t)(last - first);
}

static double between(uint64_t first, uint64_t last)
{
    return last > first ? (double)(last - first) : 0;
}

void syn_account_sums_add(struct syn_account_sums *sums, const struct syn_account *account)
{
    const struct syn_sample *first = account->first, *last = account->last;
    if (account->known[SYN_ACCOUNT_USAGE]) {
        const int kind = SYN_ACCOUNT_USAGE;
        add(&sums->voluntary_switches,
            since(first[kind].voluntary_switches, last[kind].voluntary_switches));
        add(&sums->involuntary_switches,
            since(first[kind].involuntary_switches, last[kind].involuntary_switches));
        add(&sums->switched_out_ns, (double)last[kind].time - (double)first[kind].time -
                                        between(first[kind].cpu_ns, last[kind].cpu_ns));
        add(&sums->minor_faults, since(first[kind].minor_faults, last[kind].minor_faults));
        add(&sums->major_faults, since(first[kind].major_faults, last[kind].major_faults));
        add(&sums->migrations, (double)account->migrations);
    }
    if (account->known[SYN_ACCOUNT_RUN_DELAY]) {
        const int kind = SYN_ACCOUNT_RUN_DELAY;
        add(&sums->run_delay_ns, between(first[kind].run_delay_ns, last[kind].run_delay_ns));
        const double elapsed_ns = (double)last[kind].time - (double)first[kind].time;
        add(&sums->run_delay_of_ns, elapsed_ns);
        add(&sums->off_cpu_ns, elapsed_ns - between(first[kind].cpu_ns, last[kind].cpu_ns));
    }
    if (account->known[SYN_ACCOUNT_COUNTERS]) {
        const int kind = SYN_ACCOUNT_COUNTERS;
        add(&sums->instructions, between(first[kind].instructions, last[kind].instructions));
        add(&sums->cycles, between(first[kind].cycles, last[kind].cycles));
        add(&sums->counted_cpu_ns, between(first[kind].cpu_ns, last[kind].cpu_ns));
    }
}
