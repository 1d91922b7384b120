/* analyze/match/match.h - matches the events of all ranks: builds instances from them. An instance
 * is one collective call on one communicator, with the call of every member.
 *
 * A trace is cut into slices. A slice has the chunks of all ranks that begin in one interval of
 * time. Several threads match the slices. A thread hands each instance to the slice's partial
 * result as soon as the event of its last member is read. Instances that are pending at the end of
 * a slice are joined with those of the slices before, and go to another partial result. Slices and
 * partial results depend on the trace only, not on the number of threads or the memory. The same
 * holds for everything that is computed in the order of the partial results.
 *
 * Within a slice all ranks are read together, one chunk of each. The next events are always those
 * of the rank that is furthest behind in time, so that few instances are pending. */
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

/* One member's call. A blocking call is inside MPI from start to end, and has call_end = wait_start
 * = start. A nonblocking call is inside MPI from start to call_end, and from wait_start to end. */
struct syn_member {
    int64_t start_ns, call_end_ns, wait_start_ns, end_ns; /* global times */
    /* set once the instance is complete: syn_member_inside_ns, syn_member_waiting_ns */
    int64_t inside_ns, waiting_ns;
};

struct syn_instance {
    const struct syn_communicator *comm;
    uint64_t sequence;
    uint64_t bytes; /* of member 0; of v- and w-variants: the mean over the members, rounded down to
                       a power of two */
    uint32_t site;  /* name number; of member 0 */
    uint32_t phase; /* name number; of member 0. The name is empty outside of all phases */
    int32_t root;   /* of member 0 */
    uint16_t op;    /* of member 0 */
    uint16_t flags; /* of all members, or-ed */
    bool has_request; /* a member has request times: its call is not plain (pending.h) */
    bool site_differs;
    bool op_differs; /* the members disagree on the operation: the instance counts as incomplete */
    uint32_t arrived_count; /* members that were read; of a complete instance: all */
    int64_t first_start_ns, last_start_ns, first_end_ns, last_end_ns;
    uint32_t last_starter;    /* member that arrived last; the lowest of several */
    uint32_t first_ender;     /* member that left first; the lowest of several */
    int64_t lead_ns;          /* last start - the start before it; 0: there is one member */
    double others_waiting_ns; /* time that the last starter made the others wait inside MPI */
    int64_t bound_ns; /* largest clock bound of the starts + largest clock bound of the ends */
    const struct syn_member *member; /* [comm->size]; NULL: the instance is incomplete */
    /* Identifies the signature. Instances of one partial result that have the same serial agree in
     * all that does not depend on times, except for the sequence number. 0: nothing is known. The
     * place is a small number. At one place a new serial may replace another. */
    uint64_t signature_serial;
    uint32_t signature_place;
};

/* Consecutive events of one rank, as they are read. A thread's events come in their order, each
 * once. Events of incomplete instances are included. */
struct syn_match_batch {
    int32_t rank;
    const struct syn_event_columns *columns;
    size_t chunk;           /* the chunk of the rank's file that has them */
    size_t first, end;      /* the events are first .. end - 1 of the columns */
    const uint32_t *note;   /* [end - first]: the number that the sink gave to the event's kind;
                               SYN_NO_NOTE: the event is left out */
    const uint32_t *member; /* [end - first]: the rank's number in the event's communicator */
    const struct syn_message_mark *mark; /* [end - first]: the message that the event belongs to;
                                            NULL: the trace has no messages */
};
#define SYN_NO_NOTE UINT32_MAX

/* Functions that get the results. Each may be NULL. A nonzero return ends the match with that
 * status. */
struct syn_match_sink {
    int (*instance)(void *partial, const struct syn_instance *instance);
    /* Gets an instance that lacks members, or whose members disagree on the operation. Its
     * attributes are those of the lowest member that is present. Its first start is that of the
     * members that are present. The other times and the bound are not set. */
    int (*incomplete)(void *partial, const struct syn_instance *instance);
    /* `kind` returns a number for events of these attributes. It is called about once for each
     * tuple of a chunk. `place` has SYN_NO_COMM if the communicator is not usable. SYN_NO_NOTE: no
     * memory. `batch` gets the events themselves. Both functions may be NULL. Messages are in
     * batches only, and in no total. */
    uint32_t (*kind)(void *partial, const struct syn_attributes *attributes,
                     const struct syn_comm_place *place);
    int (*batch)(void *partial, const struct syn_match_batch *batch);
    /* Reports that `done` of about `total` events are read. May be NULL. */
    void (*progress)(void *ctx, uint64_t done, uint64_t total);
    void *ctx;
    /* Returns an empty partial result for the functions above. NULL: no memory. Any thread may call
     * it; one thread fills a partial result. If this function is NULL, ctx is the only partial
     * result, and one thread matches all slices. */
    void *(*partial_begin)(void *ctx);
    /* Called by the thread that filled a slice's partial result, once it has all of its instances.
     * May be NULL. */
    int (*partial_settle)(void *partial);
    /* Takes a complete partial result, and frees it. The calls follow one another: two for each
     * slice, in the order of the slices. The first is for the slice's own partial result, the
     * second for that of the instances that were pending until then. Instances of later calls start
     * at or after the watermark, unless they were pending for very long. */
    int (*partial_end)(void *ctx, void *partial, int64_t watermark_ns);
    /* Frees a partial result that will not be complete, after an error. */
    void (*partial_drop)(void *ctx, void *partial);
};

/* Totals of one rank. Events of incomplete instances are included. */
struct syn_rank_totals {
    uint64_t event_count;
    double inside_ns;                 /* time inside collectives, of all threads */
    double class_ns[SYN_CLASS_COUNT]; /* part of inside_ns (trace/base/ops.h) */
    int64_t first_ns;                 /* earliest start, if event_count > 0 */
    int64_t last_ns;                  /* latest end, if event_count > 0 */
    uint32_t thread_count;
};

struct syn_match_totals {
    struct syn_rank_totals *rank; /* [rank_count], owned */
    int32_t rank_count;
    uint64_t event_count;
    uint64_t instance_count;
    uint64_t incomplete_count;
    uint64_t op_differs_count;  /* part of incomplete_count */
    uint64_t unplaced_count;    /* events of a communicator whose records contradict one another */
    uint64_t implausible_count; /* events with times beyond +-36 years; they are left out */
    uint64_t duplicate_count;   /* second events of a member in one instance; they are left out */
    uint64_t slice_count;
    uint64_t pending_peak; /* largest number of pending instances at a time, in a slice or between
                              slices */
};

struct syn_match {
    struct syn_trace *trace;
    struct syn_symbols *symbols; /* NULL: all call sites are SYN_LABEL_UNKNOWN */
    struct syn_names *names;     /* of call sites, phases and communicators */
    const struct syn_comms *comms;
    const struct syn_message_numbers *numbers; /* NULL: messages are passed over */
    struct syn_match_sink sink;
    size_t memory_bytes;     /* approximate limit of the memory for decoded events, which limits the
                                threads; 0: no limit */
    uint64_t slice_events;   /* a slice ends with the chunk that gives it at least this many events;
                                0: chosen for the trace (slices.c). Figures of instances do not depend
                                on it */
    unsigned hidden_classes; /* SYN_HIDE(class) | ...: events of these classes are passed over */
    struct syn_disagreements *disagreements; /* gets disagreements; NULL: none are collected */
};
#define SYN_HIDE(class) (1u << (class))

/* Matches the whole trace. Damaged chunks are skipped, and the trace lists them. Returns 0,
 * SYN_ENOMEM, SYN_EIO or the status of the sink. `totals` is set in any case; the caller frees it
 * with syn_match_totals_free. */
int syn_match_run(const struct syn_match *match, struct syn_match_totals *totals);
void syn_match_totals_free(struct syn_match_totals *totals);

/* Return the time that a member spent inside MPI, and the part of it before the last member
 * arrived. */
int64_t syn_member_inside_ns(const struct syn_member *member);
int64_t syn_member_waiting_ns(const struct syn_member *member, int64_t last_start_ns);
/* Returns the largest power of two that is not above the mean; 0 if the mean is below 1. */
uint64_t syn_bytes_bin(double mean_bytes);

#endif
