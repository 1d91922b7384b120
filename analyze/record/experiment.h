/* analyze/record/experiment.h - writes the file `experiment` in the directory of several runs.
 *
 *   syncopate-experiment 1
 *   command <quoted for a shell>
 *   started_unix_ns <wall clock, for readers>
 *   planned_count <runs>
 *   run run-0001 <exit status> <seconds>       a line for each run, in order
 *   checksum <16 hex digits: syn_hash64 of all bytes before this line>
 *
 * The file is replaced after each run, by rename, so that it always lists the complete runs. */
#ifndef SYN_RECORD_EXPERIMENT_H
#define SYN_RECORD_EXPERIMENT_H

#include <stddef.h>

#include "analyze/record/run.h"
#include "sync/base/hash.h"

#define SYN_EXPERIMENT_NAME "experiment"

struct record_experiment {
    const char *directory; /* absolute */
    char **command;
    long long started_unix_ns;
    int planned_count;
    int done_count;
    struct record_run *runs; /* [planned_count] */
};

/* Writes the file. Returns 0, SYN_EIO or SYN_ENOMEM. */
int record_experiment_write(const struct record_experiment *experiment);

/* Writes the name of a run: "run-0001" for 1. Returns as snprintf does. */
int record_run_name(char *out, size_t capacity, int number);

/* Returns the seconds that the remaining runs will take, by the mean of the complete ones. */
double record_experiment_left_s(const struct record_experiment *experiment);

/* Writes "45 s", "12 min 30 s" or "3 h 5 min". */
void record_format_seconds(char *out, size_t capacity, double seconds);

#endif
