/* sync/methods/link.h - transport and clock of a rank, as the methods use them: counts messages and
 * remembers failures.
 *
 * After an error a rank goes on with its part of the schedule, so that no partner waits for ever;
 * all ranks agree at the end whether the synchronization is valid. Data that did not arrive reads
 * as zero. Exception: messages that decide the schedule (groups, the last ping of Netgauge) must
 * arrive. */
#ifndef SYN_LINK_H
#define SYN_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "sync/ranks/transport.h"
#include "sync/time/clock.h"

struct syn_link {
    struct syn_transport transport; /* counts, remembers errors, always returns 0 */
    struct syn_transport below;     /* the caller's transport */
    struct syn_clock clock;
    int64_t message_count; /* sent by this rank */
    int status;            /* first error, or 0 */
    int64_t switch_count;  /* context switches of this thread at syn_link_watch */
};

/* `link` must not move: link->transport points to it. */
void syn_link_init(struct syn_link *link, const struct syn_transport *transport,
                   const struct syn_clock *clock);

void syn_link_send(struct syn_link *link, int peer_rank, const void *data, size_t bytes);
void syn_link_recv(struct syn_link *link, int peer_rank, void *data, size_t bytes);

/* Remember an error from elsewhere; the first one stays. */
void syn_link_fail(struct syn_link *link, int status);

int64_t syn_link_now_ns(const struct syn_link *link);
/* Sleep until the own clock shows until_ns. */
void syn_link_sleep_until(const struct syn_link *link, int64_t until_ns);

/* Call these before and after a batch of ping-pongs. If the thread lost its processor meanwhile, it
 * moves to another one, if it may run there. Its set of allowed processors stays the same.
 * RATIONALE: if the scheduler has put two ranks on one processor, they hand it over for every
 * message, and may stay there during the whole measurement. */
void syn_link_watch(struct syn_link *link);
void syn_link_move_if_disturbed(const struct syn_link *link);

#endif
