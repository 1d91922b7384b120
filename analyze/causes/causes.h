/* analyze/causes/causes.h - from all events of a run to where its time went and who made whom wait.
 *
 * A run is read in slices (match/match.h), by several threads or processes. Each slice's events are
 * a part. Within a part all from its first cut (an instance of all locations that none left before
 * all had come) to its last one is replayed where the part is read; what is before and behind is
 * taken along as it is, and replayed between the parts, in their order. As nothing that happens
 * between two cuts depends on what was before the first, and what is a cut follows from the calls
 * alone (replay.h), the sums are the same wherever they are made, for any slices. At the end labels
 * are put in an order that does not depend on who met which first (ordering.c). */
#ifndef SYN_CAUSES_H
#define SYN_CAUSES_H

#include <pthread.h>

#include "analyze/causes/replay/replay.h"
#include "analyze/causes/sums/kernel_counters.h"
#include "analyze/match/match.h"

struct syn_causes {
    struct syn_cause_plan plan;
    struct syn_cause_tables tables;
    struct syn_replay *replay;     /* between the parts; adds to `sums` */
    struct syn_cause_sums *unused; /* that parts add to, until all are added up; nobody has them */
    pthread_mutex_t lock;          /* of that list */
    struct syn_cause_sums sums;
    struct syn_run_span run;
    struct syn_kernel_counters *counters; /* [location_count] */
};

struct syn_estimate {
    double median, low, high; /* low and high NAN where there is no interval */
};

/* trace, comms and names (those of the events' attributes) have to outlive syn_causes_end. What is
 * kept of a run beyond memory_bytes goes to temporary files. `keys` are those of the tables
 * (tables.h). 0 or SYN_ENOMEM; free in any case. */
int syn_causes_begin(struct syn_causes *causes, struct syn_trace *trace,
                     const struct syn_comms *comms, const struct syn_names *names,
                     size_t memory_bytes, unsigned keys);
void syn_causes_free(struct syn_causes *causes);
/* Into how many bins the time of such a run is cut: SYN_TIME_BINS_MOST, or fewer of very many
 * locations or sites. */
uint32_t syn_cause_block_count(uint32_t location_count, uint64_t site_count);

/* NULL: no memory. */
struct syn_causes_part;
struct syn_causes_part *syn_causes_part_new(struct syn_causes *causes);
void syn_causes_part_free(struct syn_causes_part *part);
/* The number of a kind of events. SYN_NO_NUMBER: no memory. */
uint32_t syn_causes_part_kind(struct syn_causes_part *part, const struct syn_attributes *attributes,
                              const struct syn_comm_place *place);
/* Events of a location, in their order. 0 or SYN_ENOMEM. */
int syn_causes_part_add(struct syn_causes_part *part, const struct syn_match_batch *batch);
/* After the last event: another part may go on with the same sums. It is done with absorbing at the
 * latest. */
void syn_causes_part_settle(struct syn_causes_part *part);
/* Parts in the order of the slices; what comes later starts at or after watermark_ns. 0 or
 * SYN_ENOMEM. */
int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part,
                      int64_t watermark_ns);
/* After the last part. Trace and comms are not needed any more. */
int syn_causes_end(struct syn_causes *causes);

#endif
