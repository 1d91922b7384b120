/* analyze/runs.c - lists and opens the traces that a command was given. */
#include "analyze/runs.h"

#include <stdlib.h>

#include "analyze/print/command.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

int syn_bad_status(int status, char *why)
{
    syn_bad_input("%s", why ? why : syn_status_text(status));
    free(why);
    return SYN_EXIT_BAD;
}

void syn_runs_say_left_out(const struct syn_experiment *experiment)
{
    if (experiment->left_out)
        syn_bad_input("%s", experiment->left_out);
    if (experiment->repeated)
        syn_bad_input("%s", experiment->repeated);
}

int syn_runs_list(char *const *paths, size_t count, struct syn_experiment *out)
{
    char *why = NULL;
    const int status = syn_experiment_list(paths, count, out, &why);
    if (status != SYN_OK)
        return syn_bad_status(status, why);
    syn_runs_say_left_out(out);
    return 0;
}

int syn_runs_open(const struct syn_run_path *path, struct syn_trace **out)
{
    char *why = NULL;
    const int status = syn_run_open(path, out, &why);
    if (status != SYN_OK)
        syn_bad_status(status, why);
    return status;
}

int syn_runs_each(char *const *paths, size_t count, int (*command)(const struct syn_run_path *path))
{
    struct syn_experiment experiment;
    int worst = SYN_EXIT_OK;
    if (syn_runs_list(paths, count, &experiment))
        return SYN_EXIT_BAD;
    for (size_t i = 0; i < experiment.count; i++) {
        const int status = command(&experiment.run[i]);
        worst = syn_largest(status, worst);
    }
    syn_experiment_free(&experiment);
    return worst;
}
