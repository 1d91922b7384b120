/* preload/base/phases.h - measures the time that the recorder adds to MPI_Init and MPI_Finalize, by
 * phases. A phase begins when the previous one ends. */
#ifndef SYN_PHASES_H
#define SYN_PHASES_H

#include <stdint.h>

#define SYN_PHASE_COUNT_MAX 12

struct syn_phases {
    int64_t begin_ns; /* CLOCK_MONOTONIC */
    int64_t last_ns;
    struct {
        const char *name; /* a literal */
        int64_t duration_ns;
    } phase[SYN_PHASE_COUNT_MAX];
    int count;
};

void syn_phases_begin(struct syn_phases *phases);
/* Ends the phase `name`, a literal. Phases beyond SYN_PHASE_COUNT_MAX are not kept. */
void syn_phase_done(struct syn_phases *phases, const char *name);
/* Returns the nanoseconds since syn_phases_begin. */
int64_t syn_phases_total_ns(const struct syn_phases *phases);
/* Calls emit(ctx, "PREFIX.NAME_ns", "12345") for each phase, until emit returns nonzero. */
void syn_phases_emit(const struct syn_phases *phases, const char *prefix,
                     int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

#endif
