/* analyze/report/findings/places.c - sums up a run's ranks by node or by socket, and tests last
 * arrivals. */
#include "analyze/report/findings/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/figures/lateness.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- looking up ---- */

static uint64_t hash_of(uint32_t node, const char *package)
{
    return syn_hash_pair(node, package ? syn_hash64(package, strlen(package)) : 0);
}

static uint64_t hash_of_place(const void *owner, uint32_t number)
{
    const struct syn_report_place *place = &((const struct syn_places *)owner)->place[number];
    return hash_of(place->node, place->package);
}

static bool is_at(const void *owner, uint32_t number, const void *key)
{
    const struct syn_report_place *place = &((const struct syn_places *)owner)->place[number];
    const struct syn_rank_facts *rank = key;
    return rank->node == place->node &&
           (!place->package || strcmp(rank->package, place->package) == 0);
}

/* Returns the slot of a rank's place in the index, which has room for another; NULL: the rank's
 * file is missing or does not name the place. */
static uint32_t *slot_of(const struct syn_places *places, const struct syn_rank_facts *rank)
{
    const bool by_socket = places->kind == SYN_PLACE_SOCKET;
    if (!rank->recorded || (by_socket && !rank->package))
        return NULL;
    return syn_index_slot(&places->index, hash_of(rank->node, by_socket ? rank->package : NULL),
                          is_at, places, rank);
}

size_t syn_place_of_rank(const struct syn_places *places, const struct syn_run_facts *run,
                         int32_t rank)
{
    const uint32_t *slot =
        rank < run->rank_count && places->count > 0 ? slot_of(places, &run->rank[rank]) : NULL;
    return slot && *slot ? *slot - 1 : SIZE_MAX;
}

/* ---- sums ---- */

/* Returns the p of a place's last arrivals. In instances within one place, one of its ranks is
 * always last. They count in last_count and in expected_last, so they can only make the test
 * weaker. */
static double late_p(const struct syn_report_place *place, uint64_t instance_count)
{
    double n = (double)instance_count, chance = place->expected_last / n;
    if (!(chance > 0) || chance >= 1 - 1e-9)
        return NAN;
    return syn_late_p(fmin((double)place->last_count, n), n, place->expected_last,
                      n / place->dependence);
}

/* Adds each rank to its place, then tests which place was last too often. */
int syn_places_of_run(const struct syn_report *report, const struct syn_run_facts *run,
                      enum syn_place_kind kind, struct syn_places *out)
{
    *out =
        (struct syn_places){calloc((size_t)run->rank_count + 1, sizeof *out->place), 0, kind, {0}};
    if (!out->place)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < run->rank_count; r++) {
        const struct syn_rank_facts *rank = &run->rank[r];
        if (syn_index_make_room(&out->index, out->count, hash_of_place, out) != SYN_OK)
            return SYN_ENOMEM;
        uint32_t *slot = slot_of(out, rank);
        if (!slot)
            continue;
        if (*slot == 0)
            *slot = (uint32_t)out->count + 1;
        const size_t at = *slot - 1;
        if (at == out->count) {
            out->count++;
            out->place[at].node = rank->node;
            out->place[at].package = kind == SYN_PLACE_SOCKET ? rank->package : NULL;
            struct syn_report_place *place = &out->place[at];
            const char *node = syn_names_text(&report->names, place->node);
            if (place->package)
                snprintf(place->name, sizeof place->name, "socket %.10s of %.50s", place->package,
                         node ? node : "?");
            else
                snprintf(place->name, sizeof place->name, "%.60s", node ? node : "?");
        }
        out->place[at].rank_count++;
        out->place[at].last_count += rank->last_count;
        out->place[at].expected_last += rank->expected_last;
        out->place[at].caused_ns += rank->caused_ns;
        out->place[at].dependence = isnan(out->place[at].dependence) || isnan(rank->last_dependence)
                                        ? NAN
                                        : fmax(out->place[at].dependence, rank->last_dependence);
        out->place[at].most_of_a_rank =
            syn_largest(rank->last_count, out->place[at].most_of_a_rank);
    }
    uint64_t instance_count = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        instance_count += run->rank[r].last_count;
    for (size_t i = 0; i < out->count; i++) {
        out->place[i].p = NAN;
        out->place[i].instance_count = instance_count;
    }
    if (out->count < 2 || instance_count == 0 ||
        !syn_clocks_can_order(&run->clock_check, &run->causality))
        return 0;
    for (size_t i = 0; i < out->count; i++)
        out->place[i].p = late_p(&out->place[i], instance_count);
    return syn_adjust_holm_in(&out->place->p, sizeof *out->place, out->count);
}

void syn_places_free(struct syn_places *places)
{
    free(places->place);
    syn_index_free(&places->index);
    *places = (struct syn_places){0};
}
