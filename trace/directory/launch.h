/* trace/directory/launch.h - a process's place in its job, from the launcher's environment
 * variables: known before MPI is asked, or without asking it. */
#ifndef SYN_LAUNCH_H
#define SYN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The first of `names` [count] that is set and not empty: its value; NULL where none is. */
static inline const char *syn_launch_first_set(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return value;
    }
    return NULL;
}

/* This process's rank, in digits, by whom a launcher told it; NULL outside of launchers. The most
 * reliable first. */
static inline const char *syn_launch_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "PALS_RANKID"};
    return syn_launch_first_set(names, sizeof names / sizeof *names);
}

/* How many processes its launcher started beside this one, itself among them; 0: not told. For a
 * launcher that tells both, also which of them this is. */
static inline int syn_launch_size(int *rank)
{
    static const char *const pairs[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                           {"PMI_SIZE", "PMI_RANK"},
                                           {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        const char *size = getenv(pairs[i][0]), *own = getenv(pairs[i][1]);
        if (size && own) {
            *rank = atoi(own);
            return atoi(size);
        }
    }
    return 0;
}

/* The directory that `syncopate record` made ready, for all launches of the command that it waits
 * for. */
#define SYN_LAUNCHES_VARIABLE "SYNCOPATE_LAUNCHES"

/* Does this process speak for its run? What is wrong with all is said by the first. */
static inline bool syn_launch_speaks(void)
{
    const char *rank = syn_launch_rank();
    return !rank || strcmp(rank, "0") == 0;
}

#endif
