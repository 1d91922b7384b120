/* analyze/causes/sums/bin_overlap.c - notes time that crosses the edges of time bins. */
#include "analyze/causes/sums/bin_overlap.h"

#include <stdlib.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Returns the overlaps of a location, [bins.count], made if there are none. Returns NULL if out of
 * memory. */
static struct syn_bin_overlap *overlaps_of(struct syn_cause_sums *sums, uint32_t location)
{
    if (!sums->overlap)
        sums->overlap = calloc((size_t)sums->location_count + 1, sizeof(struct syn_bin_overlap *));
    if (sums->overlap && !sums->overlap[location])
        sums->overlap[location] = calloc(sums->bins.count, sizeof *sums->overlap[location]);
    return sums->overlap ? sums->overlap[location] : NULL;
}

int syn_bin_overlap_waiting(struct syn_cause_sums *sums, uint32_t location,
                            const struct syn_cause_span *span)
{
    struct syn_bin_overlap *overlap = overlaps_of(sums, location);
    uint32_t bin = span->home;
    if (!overlap)
        return SYN_ENOMEM;
    for (int64_t at_ns = syn_time_bin_end(&sums->bins, bin); at_ns < span->to_ns;) {
        const int64_t end_ns = syn_least(syn_time_bin_end(&sums->bins, ++bin), span->to_ns);
        syn_sum_add(&overlap[bin].waiting_ns, end_ns - at_ns);
        syn_sum_add(&overlap[span->home].waiting_ns, at_ns - end_ns);
        at_ns = end_ns;
    }
    return 0;
}

int syn_bin_overlap_early(struct syn_cause_sums *sums, uint32_t location, int64_t from_ns,
                          int64_t to_ns)
{
    if (from_ns >= to_ns)
        return 0;
    const uint32_t home = syn_time_bin_of(&sums->bins, from_ns);
    struct syn_bin_overlap *overlap = overlaps_of(sums, location);
    if (!overlap)
        return SYN_ENOMEM;
    syn_sum_add(&overlap[home].waiting_ns, to_ns - from_ns);
    const struct syn_cause_span span = {home, from_ns, to_ns};
    return syn_bin_overlap_waiting(sums, location, &span);
}

int syn_bin_overlap_useful(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_cause_span *span, int64_t useful_ns)
{
    struct syn_bin_overlap *overlap = overlaps_of(sums, location);
    uint32_t bin = span->home;
    if (!overlap)
        return SYN_ENOMEM;
    const unsigned __int128 all_ns = (unsigned __int128)(span->to_ns - span->from_ns);
    int64_t at_ns = syn_time_bin_end(&sums->bins, bin);
    int64_t before_ns = syn_portion(useful_ns, (unsigned __int128)(at_ns - span->from_ns), all_ns);
    while (at_ns < span->to_ns) {
        at_ns = syn_least(syn_time_bin_end(&sums->bins, ++bin), span->to_ns);
        const int64_t until_ns =
            syn_portion(useful_ns, (unsigned __int128)(at_ns - span->from_ns), all_ns);
        syn_sum_add(&overlap[bin].useful_ns, until_ns - before_ns);
        syn_sum_add(&overlap[span->home].useful_ns, before_ns - until_ns);
        before_ns = until_ns;
    }
    return 0;
}

int syn_bin_overlap_caused(struct syn_cause_sums *sums, uint32_t location, uint32_t home,
                           uint32_t bin, int64_t ns)
{
    struct syn_bin_overlap *overlap = ns > 0 ? overlaps_of(sums, location) : NULL;
    if (ns <= 0)
        return 0;
    if (!overlap)
        return SYN_ENOMEM;
    syn_sum_add(&overlap[bin].caused_ns, ns);
    syn_sum_add(&overlap[home].caused_ns, -ns);
    return 0;
}

int syn_bin_overlaps_add(struct syn_cause_sums *into, const struct syn_cause_sums *from)
{
    for (uint32_t i = 0; from->overlap && i < from->location_count; i++) {
        const struct syn_bin_overlap *added = from->overlap[i];
        struct syn_bin_overlap *overlap = added ? overlaps_of(into, i) : NULL;
        if (added && !overlap)
            return SYN_ENOMEM;
        for (uint32_t b = 0; added && b < from->bins.count; b++) {
            syn_sum_add(&overlap[b].waiting_ns, added[b].waiting_ns);
            syn_sum_add(&overlap[b].caused_ns, added[b].caused_ns);
            syn_sum_add(&overlap[b].useful_ns, added[b].useful_ns);
        }
    }
    return 0;
}
