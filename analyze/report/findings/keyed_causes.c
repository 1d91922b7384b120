/* analyze/report/findings/keyed_causes.c - passes events to the causes of a run, and to their sums
 * by other keys. */
#include "analyze/report/findings/keyed_causes.h"

#include <stdlib.h>

#include "analyze/match/groups/groups.h"
#include "sync/base/status.h"

#define OF_CALLS                                                                                \
    (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_PHASE) | SYN_BY(SYN_KEY_COMM) | \
     SYN_BY(SYN_KEY_BYTES) | SYN_BY(SYN_KEY_ROOT))
#define BEYOND (SYN_BY(SYN_KEY_COMM) | SYN_BY(SYN_KEY_BYTES) | SYN_BY(SYN_KEY_ROOT))

/* The kinds of an event in both sums. */
struct pair {
    uint32_t causes, keyed;
};

unsigned syn_keys_beyond_causes(unsigned by)
{
    return by != SYN_BY_DEFAULT && by & BEYOND ? by & OF_CALLS : 0;
}

int syn_keyed_begin(struct syn_run_facts *facts, struct syn_trace *trace,
                    const struct syn_comms *comms, const struct syn_keyed_plan *plan)
{
    const size_t bytes = plan->keys ? plan->memory_bytes / 2 : plan->memory_bytes;
    const int status =
        syn_causes_begin(&facts->causes, trace, comms, plan->names, bytes, 0, &facts->messages);
    return status != SYN_OK || !plan->keys ? status
                                           : syn_causes_begin(&facts->keyed, trace, comms,
                                                              plan->names, bytes, plan->keys, NULL);
}

int syn_keyed_part_begin(struct syn_run_facts *facts, struct syn_keyed_part *part)
{
    *part = (struct syn_keyed_part){.causes = syn_causes_part_new(&facts->causes)};
    syn_numbering_begin(&part->pairs, sizeof(struct pair));
    if (syn_is_keyed(facts))
        part->keyed = syn_causes_part_new(&facts->keyed);
    return part->causes && (part->keyed || !syn_is_keyed(facts)) ? 0 : SYN_ENOMEM;
}

void syn_keyed_part_free(struct syn_keyed_part *part)
{
    syn_causes_part_free(part->causes);
    syn_causes_part_free(part->keyed);
    syn_numbering_free(&part->pairs);
    free(part->note);
    *part = (struct syn_keyed_part){0};
}

uint32_t syn_keyed_part_kind(struct syn_keyed_part *part, const struct syn_attributes *attributes,
                             const struct syn_comm_place *place)
{
    struct pair pair = {syn_causes_part_kind(part->causes, attributes, place), SYN_NO_NUMBER};
    if (!part->keyed)
        return pair.causes;
    pair.keyed = syn_causes_part_kind(part->keyed, attributes, place);
    return pair.causes == SYN_NO_NUMBER || pair.keyed == SYN_NO_NUMBER
               ? SYN_NO_NUMBER
               : syn_numbering_of(&part->pairs, &pair);
}

/* Writes the kinds of a batch's events in one of the two sums to part->note. */
static void translate(const struct syn_keyed_part *part, const struct syn_match_batch *batch,
                      bool is_keyed)
{
    for (size_t i = 0; i < batch->end - batch->first; i++) {
        const struct pair *pair =
            batch->note[i] == SYN_NO_NOTE ? NULL : syn_numbering_at(&part->pairs, batch->note[i]);
        part->note[i] = !pair ? SYN_NO_NOTE : is_keyed ? pair->keyed : pair->causes;
    }
}

static int reserve(struct syn_keyed_part *part, size_t count)
{
    if (count <= part->capacity)
        return 0;
    free(part->note);
    part->note = malloc(count * sizeof *part->note);
    part->capacity = part->note ? count : 0;
    return part->note ? 0 : SYN_ENOMEM;
}

int syn_keyed_part_add(struct syn_keyed_part *part, const struct syn_match_batch *batch)
{
    struct syn_match_batch own = *batch;
    if (!part->keyed)
        return syn_causes_part_add(part->causes, batch);
    int status = reserve(part, batch->end - batch->first);
    own.note = part->note;
    if (status == SYN_OK) {
        translate(part, batch, false);
        status = syn_causes_part_add(part->causes, &own);
    }
    if (status == SYN_OK) {
        translate(part, batch, true);
        status = syn_causes_part_add(part->keyed, &own);
    }
    return status;
}

int syn_keyed_absorb(struct syn_run_facts *facts, struct syn_keyed_part *part, int64_t watermark_ns)
{
    const int status = syn_causes_absorb(&facts->causes, part->causes, watermark_ns);
    return status != SYN_OK || !part->keyed
               ? status
               : syn_causes_absorb(&facts->keyed, part->keyed, watermark_ns);
}

int syn_keyed_end(struct syn_run_facts *facts)
{
    const int status = syn_causes_end(&facts->causes);
    return status != SYN_OK || !syn_is_keyed(facts) ? status : syn_causes_end(&facts->keyed);
}

void syn_keyed_part_settle(struct syn_keyed_part *part)
{
    syn_causes_part_settle(part->causes);
    if (part->keyed)
        syn_causes_part_settle(part->keyed);
}
