/* analyze/record/refusal.c - recognizes command lines that Open MPI's mpirun refuses. mpirun's own
 * message is long and names no variable. */
#include "analyze/record/refusal.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/record/program.h"

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the lowest processor of the core that `processor` is part of; `processor` itself if Linux
 * does not say. */
static size_t first_of_core(size_t processor)
{
    char path[96];
    size_t first = processor;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%zu/topology/thread_siblings_list",
             processor);
    FILE *file = fopen(path, "re");
    if (file && fscanf(file, "%zu", &first) != 1)
        first = processor;
    if (file)
        fclose(file);
    return first;
}

int record_core_count(void)
{
    cpu_set_t allowed, cores;
    CPU_ZERO(&cores);
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return 1;
    for (size_t processor = 0; processor < CPU_SETSIZE; processor++)
        if (CPU_ISSET(processor, &allowed))
            CPU_SET(first_of_core(processor), &cores);
    return CPU_COUNT(&cores);
}

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value && *value;
}

static bool allows_root(char *const *command)
{
    for (; *command; command++)
        if (strcmp(*command, "--allow-run-as-root") == 0)
            return true;
    return is_set("OMPI_ALLOW_RUN_AS_ROOT") && is_set("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM");
}

/* Says whether the slots may differ from this machine's cores. */
static bool has_other_slots(char *const *command)
{
    static const char *const words[] = {"-H",
                                        "--host",
                                        "-host",
                                        "--hostfile",
                                        "-hostfile",
                                        "--machinefile",
                                        "-machinefile",
                                        "--use-hwthread-cpus",
                                        "-use-hwthread-cpus"};
    static const char *const variables[] = {"OMPI_MCA_rmaps_base_oversubscribe",
                                            "PRTE_MCA_rmaps_default_mapping_policy",
                                            "OMPI_MCA_orte_default_hostfile",
                                            "PRTE_MCA_prte_default_hostfile",
                                            "SLURM_JOB_ID",
                                            "PBS_JOBID",
                                            "LSB_JOBID"};
    for (; *command; command++)
        if (strcasestr(*command, "oversubscribe") ||
            record_is_any_of(*command, words, COUNT_OF(words)))
            return true;
    for (size_t i = 0; i < COUNT_OF(variables); i++)
        if (is_set(variables[i]))
            return true;
    return false;
}

/* Returns the ranks that the command asks for: the sum of the first number of each part between
 * colons. */
static long asked_ranks(char *const *command)
{
    static const char *const words[] = {"-n", "--n", "-np", "--np", "-c"};
    long sum = 0;
    bool has_number = false;
    for (; *command; command++) {
        if (strcmp(*command, ":") == 0) {
            has_number = false;
        } else if (!has_number && command[1] &&
                   record_is_any_of(*command, words, COUNT_OF(words))) {
            sum += atol(command[1]);
            has_number = true;
        }
    }
    return sum;
}

void record_refusal_words(char *const *command, bool is_root, int core_count, struct syn_text *out)
{
    const char *between = "";
    if (record_launcher_identify(command[0]) != RECORD_LAUNCHER_OPENMPI)
        return;
    if (is_root && !allows_root(command)) {
        syn_text_format(out,
                        "%s refuses to run as root: set OMPI_ALLOW_RUN_AS_ROOT=1 and "
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or give it --allow-run-as-root",
                        command[0]);
        between = "; ";
    }
    const long ranks = asked_ranks(command);
    if (ranks > core_count && !has_other_slots(command))
        syn_text_format(out,
                        "%s%s refuses %ld ranks on %d core%s: give it --oversubscribe, or fewer "
                        "ranks",
                        between, command[0], ranks, core_count, core_count == 1 ? "" : "s");
}
