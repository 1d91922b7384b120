/* preload/run/directory.c - see directory.h. */
#include "preload/run/directory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "preload/base/environment.h"
#include "preload/base/say.h"
#include "preload/calls/spawn.h"
#include "sync/base/status.h"
#include "trace/base/guarded.h"
#include "trace/directory/launch.h"
#include "trace/directory/manifest.h"

static struct syn_guarded claim = {.descriptor = -1};

void syn_directory_release(void)
{
    syn_guarded_close(&claim);
}

/* Changes the directory of a singleton. If the launcher started several processes but MPI knows
 * one, the program uses another MPI than its launcher, and each process is a run of its own. They
 * must not share a directory. */
static void set_singleton_apart(struct syn_options *options, int size)
{
    int rank = 0;
    const int launched = syn_launch_size(&rank);
    const size_t used = strlen(options->directory);
    if (size > 1 || launched < 2 || syn_spawned())
        return;
    if (rank == 0)
        syn_say(SYN_SAY_LAUNCH,
                "the launcher started %d processes, but the program's MPI knows of one: is it "
                "another MPI's launcher? Each is recorded as a run of its own, rank N's in "
                "%s.rank-N",
                launched, options->directory);
    else
        snprintf(options->directory + used, sizeof options->directory - used, ".rank-%d", rank);
}

int syn_directory_take(struct syn_options *options, int size, char *why, size_t capacity)
{
    char *const directory = options->directory;
    int descriptor = -1, status = SYN_EMISSING;
    set_singleton_apart(options, size);
    /* Prepare the directory. It may belong to a launch of a command that `syncopate record` waits
     * for. */
    const char *of_launches = syn_environment(SYN_LAUNCHES_VARIABLE);
    if (syn_spawned())
        status = syn_spawned_place(directory, sizeof options->directory);
    if (status == SYN_EMISSING)
        status = of_launches && strcmp(of_launches, directory) == 0
                     ? syn_trace_claim_launch(directory, sizeof options->directory, &descriptor)
                     : syn_trace_claim(directory, &descriptor);
    syn_guarded_take(&claim, descriptor);
    if (!directory[0])
        snprintf(why, capacity, "the working directory was removed");
    else if (status != SYN_OK)
        syn_trace_explain(status, directory, why, capacity);
    return status;
}
