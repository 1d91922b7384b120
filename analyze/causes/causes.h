/* analyze/causes/causes.h - finds where the time of a run went and which ranks made others wait,
 * from all events of the run.
 *
 * A run is read in slices (match/match.h) by several threads or processes. The events of a slice
 * are a part. A cut is an instance of all locations that none left before all had arrived. In each
 * part the calls from its first cut to its last one are replayed by the thread that reads the part.
 * The calls before the first and behind the last cut are kept, and replayed between the parts, in
 * the order of the slices. Nothing between two cuts depends on what was before the first of them,
 * and cuts follow from the calls alone (replay.h). So the sums do not depend on the slices. At the
 * end the labels are put in an order that does not depend on the threads (ordering.c). */
#ifndef SYN_CAUSES_H
#define SYN_CAUSES_H

#include <pthread.h>

#include "analyze/causes/replay/replay.h"
#include "analyze/causes/sums/kernel_counters.h"
#include "analyze/match/match.h"
#include "analyze/messages/message_pass.h"

struct syn_causes {
    struct syn_cause_plan plan;
    struct syn_cause_tables tables;
    struct syn_replay *replay;     /* replays the calls between the parts; adds to `sums` */
    struct syn_cause_sums *unused; /* list of sums that no part adds to now */
    pthread_mutex_t lock;          /* protects that list */
    struct syn_cause_sums sums;
    struct syn_run_span run;
    struct syn_kernel_counters *counters; /* [location_count] */
    struct syn_message_part messages;     /* what `replay` adds to; of NULL: sums of messages are
                                             not wanted */
};

struct syn_estimate {
    double median, low, high; /* low and high are NAN if there is no interval */
};

/* Begins the causes of a run. The replay also adds to `messages`, if not NULL, until
 * syn_causes_end. trace, comms and names (of the events' attributes) are borrowed until
 * syn_causes_end. Data beyond memory_bytes goes to temporary files. `keys` are those of the tables
 * (tables.h). Returns 0 or SYN_ENOMEM. The caller frees *causes in either case. */
int syn_causes_begin(struct syn_causes *causes, struct syn_trace *trace,
                     const struct syn_comms *comms, const struct syn_names *names,
                     size_t memory_bytes, unsigned keys, struct syn_message_pass *messages);
void syn_causes_free(struct syn_causes *causes);
/* Returns the number of time bins of a run: SYN_TIME_BINS_MOST, or fewer if there are very many
 * locations or call sites. */
uint32_t syn_cause_block_count(uint32_t location_count, uint64_t site_count);

/* Makes and frees a part. syn_causes_part_new returns NULL if out of memory. */
struct syn_causes_part;
struct syn_causes_part *syn_causes_part_new(struct syn_causes *causes);
void syn_causes_part_free(struct syn_causes_part *part);
/* Returns the number of a kind of events, or SYN_NO_NUMBER if out of memory. */
uint32_t syn_causes_part_kind(struct syn_causes_part *part, const struct syn_attributes *attributes,
                              const struct syn_comm_place *place);
/* Adds events of one location, in their order. Returns 0 or SYN_ENOMEM. */
int syn_causes_part_add(struct syn_causes_part *part, const struct syn_match_batch *batch);
/* Ends adding. Another part may use the same sums from now on. Absorbing a part settles it too. */
void syn_causes_part_settle(struct syn_causes_part *part);
/* Takes up the next part in the order of the slices. Events of later parts start at or after
 * watermark_ns. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part,
                      int64_t watermark_ns);
/* Ends the causes after the last part. Trace and comms are not used any more. Returns 0, SYN_ENOMEM
 * or SYN_EIO. */
int syn_causes_end(struct syn_causes *causes);

#endif
