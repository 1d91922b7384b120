/* sync/methods/link.h - the transport and the clock of one rank, as the methods use them: messages
 * are counted, and a failure is remembered rather than handled on the spot.
 *
 * A rank that has met an error goes on with its part of the schedule: its partners, who wait for
 * messages that do get through, are not left hanging, and all ranks agree at the end on whether
 * the synchronization stands. Data that did not arrive reads as zero. That holds as long as the
 * lost message carried times; who belongs to which group, and Netgauge's last ping, decide the
 * schedule. */
#ifndef SYN_LINK_H
#define SYN_LINK_H

#include <stddef.h>
#include <stdint.h>

#include "sync/ranks/transport.h"
#include "sync/time/clock.h"

struct syn_link {
    struct syn_transport transport; /* counts, remembers, always returns 0; for collect.h */
    struct syn_transport below;     /* the one that was given */
    struct syn_clock clock;
    int64_t message_count; /* sent by this rank */
    int status;            /* the first error, or 0 */
    int64_t switch_count;  /* of this thread's context switches, when last looked */
};

/* `link` must stay where it is: link->transport points to it. */
void syn_link_init(struct syn_link *link, const struct syn_transport *transport,
                   const struct syn_clock *clock);

void syn_link_send(struct syn_link *link, int peer_rank, const void *data, size_t bytes);
void syn_link_recv(struct syn_link *link, int peer_rank, void *data, size_t bytes);

/* Remember an error that did not come from the transport; the first one stays. */
void syn_link_fail(struct syn_link *link, int status);

int64_t syn_link_now_ns(const struct syn_link *link);
/* Let the own clock reach `until_ns`, asleep. */
void syn_link_sleep_until(const struct syn_link *link, int64_t until_ns);

/* Around a batch of ping-pongs. Was the thread taken off its processor meanwhile? Then it goes to
 * another one, if it may: two ranks that a scheduler has put on one processor, beside others that
 * are busy, have to hand it over for every message, and may stay there for as long as a measurement
 * takes. The set of processors that it may run on is afterwards what it was. */
void syn_link_watch(struct syn_link *link);
void syn_link_move_if_disturbed(const struct syn_link *link);

#endif
