/* analyze/causes/sums/shifts.c - time that crosses the edges of blocks of the run. */
#include "analyze/causes/sums/shifts.h"

#include <stdlib.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Returns the shifts of a location, [blocks.count]. NULL: no memory. */
static struct syn_cause_shift *shifts_of(struct syn_cause_sums *sums, uint32_t location)
{
    if (!sums->shift)
        sums->shift = calloc((size_t)sums->location_count + 1, sizeof(struct syn_cause_shift *));
    if (sums->shift && !sums->shift[location])
        sums->shift[location] = calloc(sums->blocks.count, sizeof *sums->shift[location]);
    return sums->shift ? sums->shift[location] : NULL;
}

int syn_cause_shift_waiting(struct syn_cause_sums *sums, uint32_t location,
                            const struct syn_cause_span *span)
{
    struct syn_cause_shift *shift = shifts_of(sums, location);
    uint32_t block = span->home;
    if (!shift)
        return SYN_ENOMEM;
    for (int64_t at_ns = syn_cause_block_end(&sums->blocks, block); at_ns < span->to_ns;) {
        const int64_t end_ns = syn_least(syn_cause_block_end(&sums->blocks, ++block), span->to_ns);
        syn_sum_add(&shift[block].waiting_ns, end_ns - at_ns);
        syn_sum_add(&shift[span->home].waiting_ns, at_ns - end_ns);
        at_ns = end_ns;
    }
    return 0;
}

int syn_cause_shift_early(struct syn_cause_sums *sums, uint32_t location, int64_t from_ns,
                          int64_t to_ns)
{
    if (from_ns >= to_ns)
        return 0;
    const uint32_t home = syn_cause_block_of(&sums->blocks, from_ns);
    struct syn_cause_shift *shift = shifts_of(sums, location);
    if (!shift)
        return SYN_ENOMEM;
    syn_sum_add(&shift[home].waiting_ns, to_ns - from_ns);
    const struct syn_cause_span span = {home, from_ns, to_ns};
    return syn_cause_shift_waiting(sums, location, &span);
}

int syn_cause_shift_useful(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_cause_span *span, int64_t useful_ns)
{
    struct syn_cause_shift *shift = shifts_of(sums, location);
    uint32_t block = span->home;
    if (!shift)
        return SYN_ENOMEM;
    const unsigned __int128 all_ns = (unsigned __int128)(span->to_ns - span->from_ns);
    int64_t at_ns = syn_cause_block_end(&sums->blocks, block);
    int64_t before_ns = syn_portion(useful_ns, (unsigned __int128)(at_ns - span->from_ns), all_ns);
    while (at_ns < span->to_ns) {
        at_ns = syn_least(syn_cause_block_end(&sums->blocks, ++block), span->to_ns);
        const int64_t until_ns =
            syn_portion(useful_ns, (unsigned __int128)(at_ns - span->from_ns), all_ns);
        syn_sum_add(&shift[block].useful_ns, until_ns - before_ns);
        syn_sum_add(&shift[span->home].useful_ns, before_ns - until_ns);
        before_ns = until_ns;
    }
    return 0;
}

int syn_cause_shift_caused(struct syn_cause_sums *sums, uint32_t location, uint32_t home,
                           uint32_t block, int64_t ns)
{
    struct syn_cause_shift *shift = ns > 0 ? shifts_of(sums, location) : NULL;
    if (ns <= 0)
        return 0;
    if (!shift)
        return SYN_ENOMEM;
    syn_sum_add(&shift[block].caused_ns, ns);
    syn_sum_add(&shift[home].caused_ns, -ns);
    return 0;
}

void syn_cause_shifts_free(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; sums->shift && i < sums->location_count; i++)
        free(sums->shift[i]);
    free(sums->shift);
    sums->shift = NULL;
}

static void add_shifts(struct syn_cause_shift *into, const struct syn_cause_shift *from,
                       uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        syn_sum_add(&into[b].waiting_ns, from[b].waiting_ns);
        syn_sum_add(&into[b].caused_ns, from[b].caused_ns);
        syn_sum_add(&into[b].useful_ns, from[b].useful_ns);
    }
}

int syn_cause_shifts_add(struct syn_cause_sums *into, const struct syn_cause_sums *from)
{
    for (uint32_t i = 0; from->shift && i < from->location_count; i++) {
        if (!from->shift[i])
            continue;
        struct syn_cause_shift *shift = shifts_of(into, i);
        if (!shift)
            return SYN_ENOMEM;
        add_shifts(shift, from->shift[i], from->blocks.count);
    }
    return 0;
}
