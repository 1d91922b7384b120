/* analyze/causes/octaves.c - counts of excesses, and samples whose choice does not depend on the
 * order of work. */
#include "analyze/causes/octaves.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/adding.h"
#include "analyze/causes/tables.h"
#include "sync/base/fields.h"
#include "sync/base/status.h"

static struct syn_cause_octave *make(struct syn_cause_octave **octaves)
{
    if (!*octaves && (*octaves = calloc(SYN_OCTAVES, sizeof **octaves)))
        for (int o = 0; o < SYN_OCTAVES; o++)
            (*octaves)[o].below = UINT64_MAX;
    return *octaves;
}

void syn_octaves_free(struct syn_cause_octave *octaves)
{
    for (int o = 0; octaves && o < SYN_OCTAVES; o++)
        free(octaves[o].sample);
    free(octaves);
}

static unsigned octave_of(int64_t ns)
{
    const unsigned octave = ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
    return octave < SYN_OCTAVES ? octave : SYN_OCTAVES - 1;
}

/* ---- samples ---- */

static uint32_t count_below(const struct syn_cause_octave *octave, uint64_t below)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SYN_OCTAVE_ROOM; i++)
        count += octave->sample[i].draw < below;
    return count;
}

/* A bound that enough are below, and not all. Draws are as good as random, so that a bound that is
 * lower by a third leaves two thirds of them. */
static uint64_t choose_bound(const struct syn_cause_octave *octave)
{
    uint64_t most = octave->below, below = most / 3 * 2;
    uint32_t count = count_below(octave, below);
    for (int tries = 0; tries < 64 && (count < SYN_OCTAVE_SAMPLES || count == SYN_OCTAVE_ROOM);
         tries++) {
        most = count == SYN_OCTAVE_ROOM ? below : most;
        below = count == SYN_OCTAVE_ROOM ? below / 2 : below + (most - below) / 2;
        count = count_below(octave, below);
    }
    return below;
}

/* Drops what is above a lower bound. That compares no draw with another: a processor would predict
 * half of such comparisons wrong. */
static void lower(struct syn_cause_octave *octave)
{
    const uint64_t below = choose_bound(octave);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < SYN_OCTAVE_ROOM; i++) {
        octave->sample[kept] = octave->sample[i];
        kept += octave->sample[i].draw < below;
    }
    octave->below = below;
    octave->sample_count = kept < SYN_OCTAVE_ROOM ? kept : SYN_OCTAVE_ROOM - 1;
}

static int offer(struct syn_cause_octave *octave, const struct syn_cause_drawn *drawn)
{
    if (drawn->draw >= octave->below)
        return 0;
    if (__builtin_expect(!octave->sample, 0) &&
        !(octave->sample = malloc(SYN_OCTAVE_ROOM * sizeof *octave->sample)))
        return SYN_ENOMEM;
    octave->sample[octave->sample_count] = *drawn;
    if (__builtin_expect(++octave->sample_count == SYN_OCTAVE_ROOM, 0))
        lower(octave);
    return 0;
}

static int by_draw(const void *left, const void *right)
{
    const struct syn_cause_drawn *a = left, *b = right;
    if (a->draw != b->draw)
        return a->draw < b->draw ? -1 : 1;
    return a->excess_ns < b->excess_ns ? -1 : a->excess_ns > b->excess_ns;
}

void syn_octaves_settle(struct syn_cause_octave *octaves)
{
    for (int o = 0; octaves && o < SYN_OCTAVES; o++) {
        struct syn_cause_octave *octave = &octaves[o];
        if (octave->sample_count > 1)
            qsort(octave->sample, octave->sample_count, sizeof *octave->sample, by_draw);
        if (octave->sample_count > SYN_OCTAVE_SAMPLES)
            octave->sample_count = SYN_OCTAVE_SAMPLES;
    }
}

/* ---- adding ---- */

int syn_octaves_add(struct syn_cause_octave **octaves, const struct syn_excess *excess)
{
    struct syn_cause_octave *octave = __builtin_expect(!!*octaves, 1) ? *octaves : make(octaves);
    if (!octave)
        return SYN_ENOMEM;
    octave += octave_of(excess->excess_ns);
    octave->count++;
    syn_sum_add(&octave->waiting_ns, excess->waiting_ns);
    return offer(octave, &(struct syn_cause_drawn){excess->draw, excess->excess_ns});
}

int syn_octaves_merge(struct syn_cause_octave **into, const struct syn_cause_octave *from)
{
    int status = 0;
    if (!from)
        return 0;
    if (!make(into))
        return SYN_ENOMEM;
    for (int o = 0; o < SYN_OCTAVES; o++) {
        (*into)[o].count += from[o].count;
        syn_sum_add(&(*into)[o].waiting_ns, from[o].waiting_ns);
        for (uint32_t k = 0; k < from[o].sample_count && status == SYN_OK; k++)
            status = offer(&(*into)[o], &from[o].sample[k]);
    }
    return status;
}

/* ---- as bytes ---- */

SYN_FIELDS(syn_cause_drawn_fields, struct syn_cause_drawn, SYN_FIELD(struct syn_cause_drawn, draw),
           SYN_FIELD(struct syn_cause_drawn, excess_ns));

void syn_octaves_put(const struct syn_cause_octave *octaves, struct syn_bytes *out)
{
    for (uint32_t o = 0; octaves && o < SYN_OCTAVES; o++) {
        if (octaves[o].count == 0)
            continue;
        syn_bytes_put_varint(out, o);
        syn_bytes_put_zigzag(out, octaves[o].count);
        syn_bytes_put_zigzag(out, octaves[o].waiting_ns);
        syn_bytes_put_varint(out, octaves[o].below);
        syn_bytes_put_varint(out, octaves[o].sample_count);
        syn_fields_put_all(&syn_cause_drawn_fields, octaves[o].sample, octaves[o].sample_count,
                           out);
    }
    syn_bytes_put_varint(out, SYN_OCTAVES);
}

static int take_octave(struct syn_take *take, struct syn_cause_octave *octave)
{
    octave->count = syn_take_zigzag(take);
    octave->waiting_ns = syn_take_zigzag(take);
    octave->below = syn_take_varint(take);
    const uint32_t count = (uint32_t)syn_take_bounded(take, SYN_OCTAVE_ROOM - 1);
    free(octave->sample);
    octave->sample = malloc(SYN_OCTAVE_ROOM * sizeof *octave->sample);
    if (!octave->sample)
        return SYN_ENOMEM;
    syn_fields_take_all(&syn_cause_drawn_fields, take, octave->sample, count);
    octave->sample_count = take->failed ? 0 : count;
    return take->failed ? SYN_ETRANSPORT : SYN_OK;
}

int syn_octaves_take(struct syn_take *take, struct syn_cause_octave **into)
{
    int status = 0;
    for (unsigned o; status == SYN_OK && !take->failed &&
                     (o = (unsigned)syn_take_bounded(take, SYN_OCTAVES)) < SYN_OCTAVES;)
        status = make(into) ? take_octave(take, &(*into)[o]) : SYN_ENOMEM;
    return status;
}
