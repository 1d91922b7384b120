/* analyze/match/members/experiment.h - finds the traces that a command is to read: the run is the
 * unit of repetition. A path is a trace, or an experiment: a directory of traces run-0001,
 * run-0002, ... */
#ifndef SYN_EXPERIMENT_H
#define SYN_EXPERIMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syn_run_path {
    uint32_t run;    /* number: that of its directory's name, or counted on from 1 */
    char *directory; /* owned */
    bool is_link;    /* inside an experiment: not followed */
};

struct syn_experiment {
    struct syn_run_path *run; /* [count], ascending in run */
    size_t count;
    char *left_out; /* a line on traces that are not read as their directories hold runs; NULL: none
                     */
};

/* List the runs behind `paths` [path_count >= 1]; opens none of them. Returns 0; SYN_EMISSING or
 * SYN_EIO with *why a line that names the path (caller frees); SYN_ENOMEM. */
int syn_experiment_list(char *const *paths, size_t path_count, struct syn_experiment *out,
                        char **why);
/* Is `path` what `compare` leaves: a directory whose a/ and b/ are experiments? */
bool syn_is_comparison(const char *path);
/* syn_trace_open of a listed run, with *why always a line (but where memory ran out), and a limit
 * on what a trace may claim, as a report keeps something for each rank: SYN_ENOTSUP for more than
 * SYN_RANKS_FREE, and SYN_RANKS_EACH for each that has a file. */
#define SYN_RANKS_FREE 65536
#define SYN_RANKS_EACH 1000
struct syn_trace;
int syn_run_open(const struct syn_run_path *path, struct syn_trace **out, char **why);
void syn_experiment_free(struct syn_experiment *experiment);

#endif
