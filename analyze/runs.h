/* analyze/runs.h - the traces that a command was given: listed and opened, with a line on stderr
 * for what cannot be read. */
#ifndef SYN_RUNS_H
#define SYN_RUNS_H

#include <stddef.h>

#include "analyze/match/members/experiment.h"

struct syn_trace;

/* The line of what failed: `why`, which is freed, or where there is none what the status means.
 * Returns SYN_EXIT_BAD. */
int syn_bad_status(int status, char *why);
/* The line on what is not read, if there is one. */
void syn_runs_say_left_out(const struct syn_experiment *experiment);
/* syn_experiment_list with both lines. Returns 0, or SYN_EXIT_BAD with nothing to free. */
int syn_runs_list(char *const *paths, size_t count, struct syn_experiment *out);
/* syn_run_open with that line. Returns the status. */
int syn_runs_open(const struct syn_run_path *path, struct syn_trace **out);
/* `command` for each run behind the paths. Returns the worst of the exit statuses. */
int syn_runs_each(char *const *paths, size_t count,
                  int (*command)(const struct syn_run_path *path));

#endif
