/* preload/base/phases.c - see phases.h. */
#include "preload/base/phases.h"

#include <stdio.h>
#include <time.h>

#include "sync/time/clock.h"

void syn_phases_begin(struct syn_phases *phases)
{
    *phases = (struct syn_phases){.begin_ns = syn_read_clock_ns(CLOCK_MONOTONIC)};
    phases->last_ns = phases->begin_ns;
}

void syn_phase_done(struct syn_phases *phases, const char *name)
{
    const int64_t now = syn_read_clock_ns(CLOCK_MONOTONIC);
    if (phases->count < SYN_PHASE_COUNT_MAX) {
        phases->phase[phases->count].name = name;
        phases->phase[phases->count++].duration_ns = now - phases->last_ns;
    }
    phases->last_ns = now;
}

int64_t syn_phases_total_ns(const struct syn_phases *phases)
{
    return syn_read_clock_ns(CLOCK_MONOTONIC) - phases->begin_ns;
}

void syn_phases_emit(const struct syn_phases *phases, const char *prefix,
                     int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    char key[96], value[32];
    for (int i = 0; i < phases->count; i++) {
        snprintf(key, sizeof key, "%s.%s_ns", prefix, phases->phase[i].name);
        snprintf(value, sizeof value, "%lld", (long long)phases->phase[i].duration_ns);
        if (emit(ctx, key, value))
            return;
    }
}
