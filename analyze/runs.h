/* analyze/runs.h - lists and opens the traces that a command was given, with a line on stderr for
 * each that cannot be read. */
#ifndef SYN_RUNS_H
#define SYN_RUNS_H

#include <stddef.h>

#include "analyze/match/members/experiment.h"

struct syn_trace;

/* Prints an error line: `why`, which is freed, or the text of `status` if `why` is NULL. Returns
 * SYN_EXIT_BAD. */
int syn_bad_status(int status, char *why);
/* Prints a line on runs that are not read, and one on runs that were given twice, if there are any.
 */
void syn_runs_say_left_out(const struct syn_experiment *experiment);
/* Calls syn_experiment_list and prints its error line, or the line on runs that are not read.
 * Returns 0, or SYN_EXIT_BAD with nothing to free. */
int syn_runs_list(char *const *paths, size_t count, struct syn_experiment *out);
/* Calls syn_run_open and prints its error line. Returns the status. */
int syn_runs_open(const struct syn_run_path *path, struct syn_trace **out);
/* Calls `command` for each run of the paths. Returns the largest exit status. */
int syn_runs_each(char *const *paths, size_t count,
                  int (*command)(const struct syn_run_path *path));

#endif
