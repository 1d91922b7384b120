/* analyze/report/findings/keyed_causes.h - the causes of a run; and where efficiencies are asked
 * for by what segments do not tell (communicator, size, root), the same calls once more, summed up
 * by these keys. That takes the replay's time again, and changes no other figure. */
#ifndef SYN_KEYED_CAUSES_H
#define SYN_KEYED_CAUSES_H

#include "analyze/report/findings/facts.h"

/* The keys to sum up by; 0: the causes tell all that `by` asks for. What is asked for by default
 * has efficiencies by operation and site. */
unsigned syn_keys_beyond_causes(unsigned by);

/* A part of both. */
struct syn_keyed_part {
    struct syn_causes_part *causes, *keyed; /* keyed NULL: not asked for */
    struct syn_numbering pairs;             /* of their kinds: what events are told by */
    uint32_t *note;                         /* [capacity], of a batch, for one of them */
    size_t capacity;
};

/* Both of a run, by `keys`; as syn_causes_begin, each with half of the memory. */
struct syn_keyed_plan {
    const struct syn_names *names;
    size_t memory_bytes;
    unsigned keys;
};
int syn_keyed_begin(struct syn_run_facts *facts, struct syn_trace *trace,
                    const struct syn_comms *comms, const struct syn_keyed_plan *plan);
/* As those of causes.h. Free a part in any case. */
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
