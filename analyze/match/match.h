/* analyze/match/match.h - from each rank's events to instances: one collective call on one
 * communicator, with what every member did in it.
 *
 * A trace is cut into slices: the chunks of all ranks that begin in a stretch of time. Slices are
 * matched by several threads, each instance told to the slice's partial result as soon as its last
 * member's event has been read. What is pending at the end of a slice is joined with what the
 * slices before it left, in partial results of their own. Slices and partial results follow from
 * the trace alone, never from the number of threads or the memory: so does everything that is
 * computed in the order of the partial results.
 *
 * Within a slice all ranks are read at once, a chunk each, always going on with the rank that is
 * furthest behind in time, so that what waits for its other members stays small. */
#ifndef SYN_MATCH_H
#define SYN_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/attributes.h"
#include "analyze/match/members/comms.h"
#include "analyze/match/members/disagreements.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/match/members/names.h"
#include "analyze/symbols/symbols.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"
#include "trace/read/span.h"

/* One member's call. A blocking call is inside MPI from start to end; a nonblocking one from start
 * to call_end and from wait_start to end. For a blocking call call_end = wait_start = start. */
struct syn_member {
    int64_t start_ns, call_end_ns, wait_start_ns, end_ns; /* global */
    /* once the instance is complete: syn_member_inside_ns, syn_member_waiting_ns */
    int64_t inside_ns, waiting_ns;
};

struct syn_instance {
    const struct syn_communicator *comm;
    uint64_t sequence;
    uint64_t bytes; /* of the communicator's rank 0 (of its first that records); v- and w-variants:
                       the mean over members, as a power of two */
    uint32_t site;  /* name number; of the communicator's rank 0 */
    uint32_t phase; /* likewise; the name is empty where the program was in none */
    int32_t root;   /* likewise */
    uint16_t op;    /* likewise */
    uint16_t flags; /* of all members, or-ed */
    bool has_request; /* of its members some were inside MPI twice */
    bool site_differs;
    bool op_differs; /* the members do not even agree on the operation: never handed over as an
                        instance */
    uint32_t arrived_count; /* members read: all of them in an instance */
    int64_t first_start_ns, last_start_ns, first_end_ns, last_end_ns;
    uint32_t last_starter;           /* member that arrived last (the lowest of several) */
    uint32_t first_ender;            /* member that left first (likewise) */
    int64_t lead_ns;                 /* last start - the start before it; 0 of a single member */
    double others_waiting_ns;        /* what the last starter made the others wait inside MPI */
    int64_t bound_ns;                /* max bound of the starts + max bound of the ends */
    const struct syn_member *member; /* [comm->size]; NULL for an incomplete one */
    /* Instances with the same serial that one partial result is told agree in all that does not
     * follow from times, but for their sequence numbers. 0: not known to agree with any. At one
     * place (small numbers), one serial replaces another. */
    uint64_t signature_serial;
    uint32_t signature_place;
};

/* Events of one rank as they are read: those of a thread in their order, each once, whether its
 * instance is complete or not. */
struct syn_match_batch {
    int32_t rank;
    const struct syn_event_columns *columns;
    size_t chunk;         /* of the rank's file, that they are a piece of */
    size_t first, end;    /* of these */
    const uint32_t *note; /* [end - first]: the number that the sink gave to each one's kind;
                             SYN_NO_NOTE: the event is left out */
    const struct syn_message_mark *mark; /* [end - first]: which messages they are; NULL: there are
                                            none */
    const uint32_t *message_note;        /* [end - first], of those: by message_kind */
};
#define SYN_NO_NOTE UINT32_MAX

/* Functions to tell; each may be NULL. A nonzero return ends the match with that status. */
struct syn_match_sink {
    int (*instance)(void *partial, const struct syn_instance *instance);
    /* Members are missing, or disagree on the operation; the attributes are those of the lowest
     * member there is, the first start is that of those there are, and the other times and the
     * bound are not set. */
    int (*incomplete)(void *partial, const struct syn_instance *instance);
    /* A number for events of a kind, once for each chunk, and then the events themselves. `place`
     * has SYN_NO_COMM where the communicator is not usable. SYN_NO_NOTE: no memory. Both may be
     * NULL. */
    uint32_t (*kind)(void *partial, const struct syn_attributes *attributes,
                     const struct syn_comm_place *place);
    int (*batch)(void *partial, const struct syn_match_batch *batch);
    /* A number for events of messages of a kind, for message_note. NULL: they have none. `kind` is
     * asked for messages, too, if kind_takes_messages; else their notes are SYN_NO_NOTE. Messages
     * are in batches only, and in no total. */
    uint32_t (*message_kind)(void *partial, const struct syn_attributes *attributes,
                             const struct syn_comm_place *place);
    bool kind_takes_messages;
    /* Reading goes on: events done of about `total`. May be NULL. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
    /* An empty partial result to tell the two above; NULL: no memory. Any thread may ask for one
     * and tell it, one thread a partial result. Where this is NULL, ctx is the only one, and there
     * is one thread. */
    void *(*partial_begin)(void *ctx);
    /* A slice's partial result has been told all there is, by the thread that told it. May be NULL.
     */
    int (*partial_settle)(void *partial);
    /* A partial result that is complete, freed by this. One at a time, two for each slice in the
     * order of the slices: its own, and that of what was pending until then. What comes later
     * starts at or after the watermark, but for members that came very late. */
    int (*partial_end)(void *ctx, void *partial, int64_t watermark_ns);
    /* Free one that will not come to its end. */
    void (*partial_drop)(void *ctx, void *partial);
};

/* Totals of one rank, complete or not. */
struct syn_rank_totals {
    uint64_t event_count;
    double inside_ns;                 /* spent inside collectives, all threads */
    double class_ns[SYN_CLASS_COUNT]; /* of that, by what they work on (trace/base/ops.h) */
    int64_t first_ns;                 /* earliest start and */
    int64_t last_ns;                  /*   latest end, where event_count > 0 */
    uint32_t thread_count;
};

struct syn_match_totals {
    struct syn_rank_totals *rank; /* [rank_count], owned */
    int32_t rank_count;
    uint64_t event_count;
    uint64_t instance_count;
    uint64_t incomplete_count;
    uint64_t op_differs_count;  /* of those incomplete */
    uint64_t unplaced_count;    /* events whose communicator's records contradict one another */
    uint64_t implausible_count; /* events with times beyond +-36 years, left out */
    uint64_t duplicate_count;   /* events of a member that had one already, left out */
    uint64_t slice_count;
    uint64_t pending_peak; /* most instances that were pending at once, in a slice or between
                              slices */
};

struct syn_match {
    struct syn_trace *trace;
    struct syn_symbols *symbols; /* NULL: all sites are SYN_LABEL_UNKNOWN */
    struct syn_names *names;     /* sites and communicators */
    const struct syn_comms *comms;
    const struct syn_message_numbers *numbers; /* NULL: events of messages are passed over */
    struct syn_match_sink sink;
    size_t
        memory_bytes; /* what decoded events may take, roughly: limits the threads; 0: no limit */
    uint64_t slice_events; /* a slice ends with the chunk that makes it so many; 0: as many as suit
                              the trace (slices.c). Figures of instances do not depend on it */
    unsigned hidden_classes; /* SYN_HIDE(class) | ...: their events are passed over as if they were
                                not there */
    struct syn_disagreements *disagreements; /* what members did not agree on goes there; NULL:
                                                nobody asks */
};
#define SYN_HIDE(class) (1u << (class))

/* Read everything. Damaged chunks are skipped: the trace lists them. Returns 0, SYN_ENOMEM,
 * SYN_EIO or what the sink returned. totals is filled in any case; free it with
 * syn_match_totals_free. */
int syn_match_run(const struct syn_match *match, struct syn_match_totals *totals);
void syn_match_totals_free(struct syn_match_totals *totals);

/* The time a member spent inside MPI, and how much of that before the last one had arrived. */
int64_t syn_member_inside_ns(const struct syn_member *member);
int64_t syn_member_waiting_ns(const struct syn_member *member, int64_t last_start_ns);
/* Largest power of two that is not above the mean, 0 for 0. */
uint64_t syn_bytes_bin(double mean_bytes);

#endif
