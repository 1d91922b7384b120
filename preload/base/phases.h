/* preload/base/phases.h - the time added to MPI_Init and MPI_Finalize, by phases: each lasts from
 * the end of the one before to its own end. */
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
/* Ends a phase: the time since the last call was `name`. */
void syn_phase_done(struct syn_phases *phases, const char *name);
/* All of it until now, ns. */
int64_t syn_phases_total_ns(const struct syn_phases *phases);
/* emit(ctx, "PREFIX.NAME_ns", "12345") for each. */
void syn_phases_emit(const struct syn_phases *phases, const char *prefix,
                     int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

#endif
