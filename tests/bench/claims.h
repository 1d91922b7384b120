/* tests/bench/claims.h - trials of what the analysis claims, on series with a known truth
 * (docs/experiments.md, "What is claimed, simulated"). Each trial has a seed of its own, so the
 * figures are the same on any number of processors. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/threads.h"
#include "tests/unit/analyze/stats_simulate.h"

#define CLAIMS_COUNTS 16

/* Sums over all trials. Each kind of trial gives the counts its own meaning. */
struct claims_counts {
    double of[CLAIMS_COUNTS];
};

typedef void (*claims_trial)(struct syn_random *random, const void *setting,
                             struct claims_counts *counts);

struct claims_job {
    claims_trial trial;
    const void *setting;
    size_t trial_count;
    uint64_t seed;
    atomic_size_t next;
    _Atomic double sum[CLAIMS_COUNTS];
};

static inline void *claims_work(void *argument)
{
    struct claims_job *job = argument;
    struct claims_counts counts = {{0}};
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->trial_count;) {
        struct syn_random random;
        syn_random_seed(&random, job->seed * 1000003 + i);
        job->trial(&random, job->setting, &counts);
    }
    for (int c = 0; c < CLAIMS_COUNTS; c++) {
        double seen = atomic_load(&job->sum[c]);
        while (!atomic_compare_exchange_weak(&job->sum[c], &seen, seen + counts.of[c]))
            ;
    }
    return NULL;
}

/* Counts of all trials; whole numbers, so that their order does not matter. */
static inline struct claims_counts claims_run(claims_trial trial, const void *setting,
                                              size_t trial_count, uint64_t seed)
{
    struct claims_job job = {
        .trial = trial, .setting = setting, .trial_count = trial_count, .seed = seed};
    struct claims_counts counts;
    syn_threads_run(syn_thread_count(), claims_work, &job);
    for (int c = 0; c < CLAIMS_COUNTS; c++)
        counts.of[c] = atomic_load(&job.sum[c]);
    return counts;
}

/* The campaigns, each with its tables on standard output. */
void claims_of_diffs(size_t trial_count);
void claims_of_ranks(size_t trial_count);
void claims_of_late_ranks(size_t trial_count);
void claims_of_intervals(size_t trial_count);
void claims_of_changes(size_t trial_count);
void claims_of_warmups(size_t trial_count);
void claims_of_first_calls(size_t trial_count);
void claims_of_stopping(size_t trial_count);
void claims_of_clocks(size_t trial_count);
void claims_of_totals(size_t trial_count);
void claims_of_gates(size_t trial_count);
void claims_of_uneven_work(size_t trial_count);

#endif
