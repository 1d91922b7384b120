/* analyze/report/findings/keyed_causes.h - the causes of a run, and a second sum of the same calls
 * by other keys.
 *
 * Efficiencies may be requested by keys that segments lack: communicator, size, root. The calls are
 * then summed up by these keys, too. This takes as long as the replay for the causes, and changes
 * no other figure. */
#ifndef SYN_KEYED_CAUSES_H
#define SYN_KEYED_CAUSES_H

#include "analyze/report/findings/facts.h"

/* Returns the keys to sum up by. 0: the causes have all keys of `by`, or `by` is the default, for
 * which efficiencies are by operation and site. */
unsigned syn_keys_beyond_causes(unsigned by);

/* A part of both sums. */
struct syn_keyed_part {
    struct syn_causes_part *causes, *keyed; /* keyed NULL: not requested */
    struct syn_numbering pairs; /* pairs of kinds; events are noted by the number of a pair */
    uint32_t *note;             /* [capacity], a batch's kinds for one of the sums */
    size_t capacity;
};

/* Begins both sums of a run, as syn_causes_begin. With `keys` each has half of the memory. */
struct syn_keyed_plan {
    const struct syn_names *names;
    size_t memory_bytes;
    unsigned keys;
};
int syn_keyed_begin(struct syn_run_facts *facts, struct syn_trace *trace,
                    const struct syn_comms *comms, const struct syn_keyed_plan *plan);
/* These work on both sums like the functions of causes.h. The caller frees a part in any case. */
int syn_keyed_part_begin(struct syn_run_facts *facts, struct syn_keyed_part *part);
void syn_keyed_part_free(struct syn_keyed_part *part);
uint32_t syn_keyed_part_kind(struct syn_keyed_part *part, const struct syn_attributes *attributes,
                             const struct syn_comm_place *place);
int syn_keyed_part_add(struct syn_keyed_part *part, const struct syn_match_batch *batch);
int syn_keyed_absorb(struct syn_run_facts *facts, struct syn_keyed_part *part,
                     int64_t watermark_ns);
int syn_keyed_end(struct syn_run_facts *facts);
void syn_keyed_part_settle(struct syn_keyed_part *part);
static inline bool syn_is_keyed(const struct syn_run_facts *facts)
{
    return facts->keyed.tables.keys != 0;
}

#endif
