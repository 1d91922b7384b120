/* analyze/report/findings/places.c - sums up a run's ranks by node or by socket, and tests last
 * arrivals. */
#include "analyze/report/findings/places.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/figures/lateness.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

static bool is_at(const struct syn_report_place *place, const struct syn_rank_facts *rank)
{
    if (!rank->recorded || rank->node != place->node)
        return false;
    return !place->package || (rank->package && strcmp(rank->package, place->package) == 0);
}

size_t syn_place_of_rank(const struct syn_places *places, const struct syn_run_facts *run,
                         int32_t rank)
{
    for (size_t i = 0; rank < run->rank_count && i < places->count; i++)
        if (is_at(&places->place[i], &run->rank[rank]))
            return i;
    return SIZE_MAX;
}

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
    *out = (struct syn_places){calloc((size_t)run->rank_count + 1, sizeof *out->place), 0};
    if (!out->place)
        return SYN_ENOMEM;
    for (int32_t r = 0; r < run->rank_count; r++) {
        const struct syn_rank_facts *rank = &run->rank[r];
        if (!rank->recorded || (kind == SYN_PLACE_SOCKET && !rank->package))
            continue;
        size_t at = syn_place_of_rank(out, run, r);
        if (at == SIZE_MAX) {
            at = out->count++;
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
    *places = (struct syn_places){NULL, 0};
}
