/* analyze/match/members/experiment.h - finds the traces that a command reads. A path is a trace, or
 * an experiment: a directory of traces run-0001, run-0002, ... A run is the unit of repetition. */
#ifndef SYN_EXPERIMENT_H
#define SYN_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syn_run_path {
    uint32_t run;    /* from the directory's name, or counted from 1 */
    char *directory; /* owned */
    bool is_link;    /* a symbolic link inside an experiment, which is not followed */
};

struct syn_experiment {
    struct syn_run_path *run; /* [count], ascending in run */
    size_t count;
    char *left_out; /* a line about traces that are not read because their directories hold runs,
                       too; NULL: there are none */
    char *repeated; /* a line about traces that were given more than once, by any path; NULL: there
                       are none */
};

/* Lists the runs of `paths` [path_count >= 1] without opening them. A trace that is given more than
 * once is listed once. RATIONALE: the run is the unit of repetition, so a run that counts twice
 * would make a difference look certain. Returns 0; SYN_EMISSING,
 * SYN_EIO or SYN_ENOTTRACE, with *why a line that names the path (the caller frees it);
 * SYN_ENOMEM. */
int syn_experiment_list(char *const *paths, size_t path_count, struct syn_experiment *out,
                        char **why);
/* Returns whether `path` is a directory that `compare` made: it has a file named comparison, and
 * the experiments a/ and b/. */
bool syn_is_comparison(const char *path);
/* Opens a listed run, as syn_trace_open does. After an error *why is a line, except if memory ran
 * out. RATIONALE: a report has memory for each rank, so a damaged trace must not claim any number.
 * Returns SYN_ENOTSUP for more than SYN_RANKS_FREE + SYN_RANKS_EACH * (number of ranks that have a
 * file) ranks. */
#define SYN_RANKS_FREE 65536
#define SYN_RANKS_EACH 1000
struct syn_trace;
int syn_run_open(const struct syn_run_path *path, struct syn_trace **out, char **why);
void syn_experiment_free(struct syn_experiment *experiment);

#endif
