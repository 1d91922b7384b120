/* sync/time/clock_skew.c - see clock_skew.h. */
#include "sync/time/clock_skew.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"

#define TWO_PI 6.283185307179586

/* Finalizer of splitmix64: similar inputs give unrelated outputs. */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Returns draw number `index` of a host, uniform in 0..1. */
static double uniform(uint64_t seed, uint64_t host, uint64_t index)
{
    return (double)(mix(mix(mix(seed + 1) + host) + index) >> 11) * 0x1p-53;
}

enum key {
    SEED,
    OFFSET_NS,
    DRIFT_PPM,
    WANDER_NS,
    WANDER_PERIOD_S,
    JITTER_NS,
    RANKS_PER_HOST,
    STEP_NS,
    STEP_BACK_NS,
    STEP_AT_S,
    WARM_PPM,
    WARM_AT_S,
    WARM_S,
    FAULT_HOST,
    KEYS
};

static const char *const key_names[KEYS] = {
    "seed",      "offset_ns",      "drift_ppm", "wander_ns",    "wander_period_s",
    "jitter_ns", "ranks_per_host", "step_ns",   "step_back_ns", "step_at_s",
    "warm_ppm",  "warm_at_s",      "warm_s",    "fault_host",
};

/* Reads one "key=number" at *text and its comma; advances *text. */
static int parse_pair(const char **text, double values[KEYS])
{
    const size_t name_bytes = strcspn(*text, "=");

    for (int key = 0; key < KEYS; key++) {
        const char *number = *text + name_bytes + 1;
        char *end;
        if (strlen(key_names[key]) != name_bytes ||
            memcmp(key_names[key], *text, name_bytes) != 0 || (*text)[name_bytes] != '=')
            continue;
        values[key] = strtod(number, &end);
        if (end == number || (*end != ',' && *end != '\0') || !(values[key] >= 0) ||
            !(values[key] <= 1e18))
            return SYN_EINVAL;
        *text = *end == ',' ? end + 1 : end;
        return SYN_OK;
    }
    return SYN_EINVAL;
}

/* Returns true if the clock always advances: the sine's largest slope is amplitude times angular
 * frequency. */
static int is_monotonic(const double values[KEYS])
{
    if (values[WANDER_NS] == 0)
        return values[DRIFT_PPM] < 1e5;
    return values[WANDER_PERIOD_S] > 0 &&
           values[DRIFT_PPM] * 1e-6 + TWO_PI * values[WANDER_NS] / (values[WANDER_PERIOD_S] * 1e9) <
               0.1;
}

int syn_clock_skew_parse(const char *text, int rank, struct syn_clock_skew *out)
{
    double values[KEYS] = {[RANKS_PER_HOST] = 1, [WARM_S] = 1, [FAULT_HOST] = 1};

    while (*text != '\0')
        if (parse_pair(&text, values) < 0)
            return SYN_EINVAL;
    if (rank < 0 || values[RANKS_PER_HOST] < 1 || !is_monotonic(values) || !(values[WARM_S] > 0) ||
        values[WARM_PPM] > 1e4)
        return SYN_EINVAL;
    const uint64_t seed = (uint64_t)values[SEED];
    const uint64_t host = (uint64_t)(rank / values[RANKS_PER_HOST]);
    *out = (struct syn_clock_skew){
        .offset_ns = (2 * uniform(seed, host, 0) - 1) * values[OFFSET_NS],
        .drift = (2 * uniform(seed, host, 1) - 1) * values[DRIFT_PPM] * 1e-6,
        .wander_ns = values[WANDER_NS],
        .wander_period_ns = values[WANDER_PERIOD_S] * 1e9,
        .wander_phase = uniform(seed, host, 2) * TWO_PI,
        .jitter_ns = values[JITTER_NS],
        .seed = mix(seed + (uint64_t)rank),
        .host = host + 1};
    if ((double)host == values[FAULT_HOST]) {
        out->step_ns = values[STEP_NS] - values[STEP_BACK_NS];
        out->step_at_ns = values[STEP_AT_S] * 1e9;
        out->warm_drift = values[WARM_PPM] * 1e-6;
        out->warm_at_ns = values[WARM_AT_S] * 1e9;
        out->warm_ns = values[WARM_S] * 1e9;
    }
    return SYN_OK;
}

int64_t syn_clock_skew_apply(const struct syn_clock_skew *skew, int64_t true_ns)
{
    double added_ns = skew->offset_ns + skew->drift * (double)true_ns;

    if (skew->wander_ns > 0)
        added_ns += skew->wander_ns * sin(TWO_PI * fmod((double)true_ns, skew->wander_period_ns) /
                                              skew->wander_period_ns +
                                          skew->wander_phase);
    /* The clock may be set, or warm. */
    const double warming_ns = (double)true_ns - skew->warm_at_ns;
    added_ns += (double)true_ns >= skew->step_at_ns ? skew->step_ns : 0;
    if (skew->warm_drift > 0 && warming_ns > 0)
        added_ns += skew->warm_drift * (warming_ns < skew->warm_ns
                                            ? warming_ns * warming_ns / (2 * skew->warm_ns)
                                            : warming_ns - skew->warm_ns / 2);
    int64_t shown_ns = syn_add_ns(true_ns, syn_saturate(floor(added_ns)));

    if (skew->jitter_ns > 0)
        shown_ns += (int64_t)(skew->jitter_ns *
                              ((double)(mix(skew->seed ^ (uint64_t)true_ns) >> 11) * 0x1p-53));
    return shown_ns;
}

void syn_clock_skew_identity(const struct syn_clock_skew *skew, struct syn_clock_identity *identity)
{
    identity->machine = mix(identity->machine + skew->host);
}

static syn_local_time skewed_now(void *ctx)
{
    const struct syn_skewed_clock *skewed = ctx;
    const syn_local_time inner = skewed->inner.now(skewed->inner.ctx);

    return (syn_local_time){syn_clock_skew_apply(&skewed->skew, inner.ns)};
}

struct syn_clock syn_skewed_clock(struct syn_skewed_clock *skewed)
{
    return (struct syn_clock){.now = skewed_now, .ctx = skewed};
}
