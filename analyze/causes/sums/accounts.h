/* analyze/causes/sums/accounts.h - counts by the kernel for each thread between its first and its
 * last sample: what the machine did to a rank, and how fast its clock ran. */
#ifndef SYN_CAUSE_ACCOUNTS_H
#define SYN_CAUSE_ACCOUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/base/records.h"

/* Not every sample has everything. */
enum syn_account_kind { SYN_ACCOUNT_USAGE, SYN_ACCOUNT_RUN_DELAY, SYN_ACCOUNT_COUNTERS };
#define SYN_ACCOUNT_KINDS 3

struct syn_account {
    struct syn_sample first[SYN_ACCOUNT_KINDS], last[SYN_ACCOUNT_KINDS];
    bool known[SYN_ACCOUNT_KINDS];
    uint64_t migrations; /* samples on another processor than the one before */
};

/* Takes the samples of a chunk, as columns have them; its first event starts at start_ns. */
void syn_account_take(struct syn_account *account, const struct syn_sample *sample, size_t count,
                      int64_t start_ns);
/* In any order. */
void syn_account_merge(struct syn_account *into, const struct syn_account *from);

/* Sums over some threads. NAN: not known of any. */
struct syn_account_sums {
    double switched_out_ns; /* off its processor, from the first sample to the last */
    double voluntary_switches, involuntary_switches, minor_faults, major_faults, migrations;
    double run_delay_ns, run_delay_of_ns; /* in so much time, of which ... */
    double off_cpu_ns;                    /* ... it was off its processor for so long */
    double instructions, cycles, counted_cpu_ns;
};
void syn_account_sums_begin(struct syn_account_sums *sums);
void syn_account_sums_add(struct syn_account_sums *sums, const struct syn_account *account);

#endif
