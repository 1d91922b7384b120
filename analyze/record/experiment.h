/* analyze/record/experiment.h - the file `experiment` in the directory of several runs.
 *
 *   syncopate-experiment 1
 *   command <as a shell would need it written>
 *   started_unix_ns <wall clock, for people>
 *   planned_count <runs>
 *   run run-0001 <exit status> <seconds>       one a run, in order
 *   checksum <16 hex digits: syn_hash64 of all bytes before this line>
 * Written anew after each run, by rename: it always says which runs are complete. */
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

/* Returns 0, SYN_EIO, SYN_ENOMEM. */
int record_experiment_write(const struct record_experiment *experiment);

/* "run-0001" for 1; snprintf's contract. */
int record_run_name(char *out, size_t capacity, int number);

/* Seconds that the runs still to come will take, by the mean of those done. */
double record_experiment_left_s(const struct record_experiment *experiment);

/* "45 s", "12 min 30 s", "3 h 5 min". */
void record_format_seconds(char *out, size_t capacity, double seconds);

#endif
