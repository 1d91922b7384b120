/* analyze/match/members/disagreements.c - keeps the first disagreeing instance of each
 * communicator.
 *
 * Disagreements are rare, so one lock is enough. The first one has the lowest sequence number,
 * whichever thread finds it, and in whichever order. */
#include "analyze/match/members/disagreements.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/match/members/pending.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* ---- calls that have not returned ---- */

SYN_ORDER(by_place, struct syn_open_instance, SYN_UP(comm) ?: SYN_UP(sequence))

static int add_said(struct syn_open_instance *open, const struct syn_said *said)
{
    if (SYN_ROOM(open->said, open->said_capacity, open->said_count) != SYN_OK)
        return SYN_ENOMEM;
    open->said[open->said_count++] = *said;
    return SYN_OK;
}

int syn_disagreements_add_open(struct syn_disagreements *all, uint32_t comm, uint64_t sequence,
                               int64_t start_ns, const struct syn_said *said)
{
    if (SYN_ROOM(all->open, all->open_capacity, all->open_count) != SYN_OK)
        return SYN_ENOMEM;
    struct syn_open_instance *open = &all->open[all->open_count++];
    *open = (struct syn_open_instance){.comm = comm, .sequence = sequence, .start_ns = start_ns};
    return add_said(open, said);
}

/* Calls of one instance are joined. */
void syn_disagreements_ready(struct syn_disagreements *all)
{
    size_t kept = 0;
    if (all->open_count == 0)
        return;
    qsort(all->open, all->open_count, sizeof *all->open, by_place);
    for (size_t i = 1; i < all->open_count; i++) {
        struct syn_open_instance *into = &all->open[kept], *from = &all->open[i];
        if (by_place(into, from) != 0) {
            all->open[++kept] = *from;
            continue;
        }
        all->failed |= add_said(into, &from->said[0]) != SYN_OK;
        into->start_ns = syn_least(into->start_ns, from->start_ns);
        free(from->said);
    }
    all->open_count = kept + 1;
}

/* ---- instances ---- */

/* Counts a disagreeing instance. `said` becomes the communicator's first one, or is freed. The
 * caller holds the lock, or no other thread runs. */
static void add_instance(struct syn_disagreements *all, uint32_t comm, uint64_t sequence,
                         int64_t start_ns, struct syn_said *said, size_t count)
{
    struct syn_disagreement *first = &all->first[comm];
    if (first->instance_count++ > 0 && first->sequence <= sequence) {
        free(said);
        return;
    }
    free(first->said);
    first->sequence = sequence;
    first->start_ns = start_ns;
    first->said = said;
    first->said_count = count;
}

/* Returns the arguments of all members that are present: *count of them. *start_ns is their first
 * start. NULL: no memory. */
static struct syn_said *gather_said(const struct syn_pending *pending,
                                    const struct syn_attribute_table *attributes, size_t *count,
                                    int64_t *start_ns)
{
    const uint32_t *member = pending->by_arrival ? syn_pending_members(pending) : NULL;
    const struct syn_span *span = syn_pending_spans(pending);
    struct syn_said *said = malloc((pending->arrived_count + (size_t)1) * sizeof *said);
    *count = 0;
    *start_ns = INT64_MAX;
    for (uint32_t m = 0; said && m < pending->capacity; m++) {
        if (pending->attributes[m] == SYN_NO_ATTRIBUTES)
            continue;
        said[(*count)++] =
            syn_attributes_said(&attributes->at[pending->attributes[m]], member ? member[m] : m);
        *start_ns = syn_least(*start_ns, span[m].start_ns);
    }
    return said;
}

void syn_disagreements_take(struct syn_disagreements *all, const struct syn_pending *pending,
                            const struct syn_attribute_table *attributes)
{
    size_t count;
    int64_t start_ns;
    struct syn_said *said = gather_said(pending, attributes, &count, &start_ns);
    pthread_mutex_lock(&all->lock);
    const struct syn_open_instance key = {.comm = pending->comm, .sequence = pending->sequence};
    struct syn_open_instance *open =
        all->open_count ? bsearch(&key, all->open, all->open_count, sizeof key, by_place) : NULL;
    all->failed |= !said;
    if (said && open) {
        /* Keep them with the open calls; syn_disagreements_settle compares all. */
        for (size_t i = 0; i < count; i++)
            all->failed |= add_said(open, &said[i]) != SYN_OK;
        open->start_ns = syn_least(open->start_ns, start_ns);
        free(said);
    } else if (said && count > 1 && syn_said_compare(said, count) != SYN_DIFFERENCE_NONE)
        add_instance(all, pending->comm, pending->sequence, start_ns, said, count);
    else
        free(said);
    pthread_mutex_unlock(&all->lock);
}

int syn_disagreements_settle(struct syn_disagreements *all)
{
    for (size_t i = 0; i < all->open_count; i++) {
        struct syn_open_instance *open = &all->open[i];
        if (syn_said_compare(open->said, open->said_count) == SYN_DIFFERENCE_NONE)
            continue;
        struct syn_said *said = malloc(open->said_count * sizeof *said);
        all->failed |= !said;
        if (!said)
            continue;
        memcpy(said, open->said, open->said_count * sizeof *said);
        add_instance(all, open->comm, open->sequence, open->start_ns, said, open->said_count);
    }
    return all->failed ? SYN_ENOMEM : SYN_OK;
}

bool syn_disagreements_block(const struct syn_disagreements *all)
{
    for (size_t i = 0; i < all->open_count; i++) {
        const struct syn_open_instance *open = &all->open[i];
        const enum syn_difference differs = syn_said_compare(open->said, open->said_count);
        if (differs != SYN_DIFFERENCE_NONE && differs < SYN_DIFFERENCE_REDUCTION)
            return true;
    }
    return false;
}

/* ---- begin and end ---- */

int syn_disagreements_begin(struct syn_disagreements *all, const struct syn_comms *comms)
{
    *all = (struct syn_disagreements){.lock = PTHREAD_MUTEX_INITIALIZER, .comms = comms};
    all->first = calloc(comms->count + 1, sizeof *all->first);
    return all->first ? SYN_OK : SYN_ENOMEM;
}

void syn_disagreements_end(struct syn_disagreements *all)
{
    for (size_t c = 0; all->first && c < all->comms->count; c++)
        free(all->first[c].said);
    for (size_t i = 0; i < all->open_count; i++)
        free(all->open[i].said);
    free(all->first);
    free(all->open);
    if (all->comms)
        pthread_mutex_destroy(&all->lock);
    *all = (struct syn_disagreements){0};
}
