/* trace/directory/launch.h - reads a process's place in its job from the launcher's environment
 * variables, without a call of MPI. */
#ifndef SYN_LAUNCH_H
#define SYN_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* Returns the value of the first variable of `names` [count] that is set and not empty; NULL if
 * there is none. */
static inline const char *syn_launch_first_set(const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *value = getenv(names[i]);
        if (value && value[0])
            return value;
    }
    return NULL;
}

/* Returns this process's rank as digits, from the most reliable variable that is set; NULL if no
 * launcher set any. */
static inline const char *syn_launch_rank(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                        "PALS_RANKID"};
    return syn_launch_first_set(names, sizeof names / sizeof *names);
}

/* Returns the number of processes that the launcher started together with this one, including it,
 * and stores this process's rank. Returns 0 and leaves *rank if no launcher set both. */
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

/* Names the directory that `syncopate record` prepared for all launches of its command. */
#define SYN_LAUNCHES_VARIABLE "SYNCOPATE_LAUNCHES"

/* Returns whether this process reports problems that concern all ranks: rank 0, and each process
 * without a launcher. */
static inline bool syn_launch_speaks(void)
{
    const char *rank = syn_launch_rank();
    return !rank || strcmp(rank, "0") == 0;
}

#endif
