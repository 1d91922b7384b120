/* analyze/report/findings/facts.h - facts that a report has about a run besides its groups: what
 * ran, where, on which clock, what is missing, and who came late. They are copies: nothing here
 * refers to an open trace. */
#ifndef SYN_FACTS_H
#define SYN_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/findings/findings.h"
#include "analyze/causes/findings/passes.h"
#include "analyze/clocks/clock_history.h"
#include "analyze/clocks/clocks.h"
#include "analyze/hang/examine.h"
#include "analyze/match/columns/column.h"
#include "analyze/match/match.h"
#include "analyze/messages/message_pass.h"
#include "analyze/report/figures/late_kinds.h"
#include "sync/base/integers.h"

struct syn_rank_facts {
    bool present;
    bool recorded;           /* and it is one of those that --ranks names */
    uint64_t passed_count;   /* calls while MPI_Pcontrol had recording off */
    uint32_t node;           /* name number of its host's name; SYN_NO_NAME unknown */
    char *core;              /* "core 3" or "pu 7", which it was bound to; NULL unknown */
    char *package;           /* number of its socket within the node; NULL unknown or not bound */
    int32_t processor_count; /* of its node; 0 unknown */
    double load_average;     /* of its node as the run began, over a minute; NAN unknown */
    enum syn_ending ending;
    uint64_t dropped_count;
    bool loss_unknown;
    int64_t bound_ns; /* largest clock bound from its first event to its last; SYN_BOUND_UNKNOWN_NS:
                         never measured */
    /* over the complete instances on communicators of two and more members: */
    uint64_t instance_count;
    double expected_last; /* instances into which it would have come last by chance: the sum of
                             1/size; of a part 0 */
    /* expected_last, exact, so that its sum is the same in any order: whole instances, and
     * 2^-64ths. */
    uint64_t expected_whole, expected_rest;
    uint64_t last_count;
    uint64_t last_sure_count; /* by more than the clock's bound */
    double inside_ns;         /* inside MPI, in complete instances of any size */
    double waiting_ns;        /* of that, before the last had arrived */
    double caused_ns;         /* waiting_ns of others where it came last */
    double
        last_p; /* last_count against chance: binomial, for dependent instances, Holm over ranks */
    double last_dependence; /* by how much less than independent ones the instances said for that;
                               NAN where they are too few to tell */
};

struct syn_run_fault {
    int status;
    int32_t rank;
    char *text;
};

/* Sums of a part of a match. */
struct syn_facts_part {
    struct syn_rank_facts *rank; /* [rank_count], only what follows from instances */
    int32_t rank_count;
    struct syn_causality causality;
    struct syn_late_kinds kinds;
    struct syn_column last, lead_ns, kind; /* instance by instance, as in syn_run_facts, */
    struct syn_column start_ns;            /*   and when the last one started */
    bool out_of_order;                     /* of these times */
};

struct syn_run_facts {
    uint32_t run;
    char *directory;
    int32_t rank_count, present_count;
    int32_t recorded_count; /* of those present */
    uint32_t node_count;
    size_t spawned_count;            /* times that processes were started by MPI_Comm_spawn */
    size_t spawned_unrecorded_count; /* of those, whose processes left no trace */
    struct syn_rank_facts *rank;     /* [rank_count] */
    struct syn_match_totals totals;
    char *program, *args, *mpi, *sync_method, *clock_kind,
        *program_build_id;         /* NULL where the trace does not say */
    char *sync_taken;              /* what the method made of it; NULL: nothing to say */
    int64_t start_unix_ns;         /* 0 unknown */
    int64_t begin_ns, duration_ns; /* trace/read/span.h: what shares "of the run" are shares of */
    bool duration_estimated;       /* from the first event to the last */
    bool has_messages;             /* time in messages was recorded */
    double sync_begin_ns, sync_end_ns; /* time taken to synchronize; NAN unknown */
    int32_t measured_once_count;       /* ranks whose clock's bound grows until the end */
    struct syn_clock_check clock_check;
    struct syn_examination examination; /* does it hang, do ranks disagree: nothing of it refers to
                                           an open trace any more */
    struct syn_causality causality;     /* of the times as they are, mended or not */
    struct syn_clock_history *course;   /* [history_count] of its clocks; of the first run only */
    size_t history_count;
    /* The first rank's host's; NULL where the trace does not say. */
    char *kernel, *processor;
    double overhead_ns; /* what the profiler added to Init and Finalize on rank 0; NAN unknown */
    struct syn_run_fault *fault; /* [fault_count] */
    size_t fault_count;
    struct syn_causes causes;         /* where its time went, and why somebody waited, */
    struct syn_findings findings;     /*   and what can be said of that */
    struct syn_message_pass messages; /* sends and receives */
    struct syn_passes *passes;        /* of single segments; NULL: not asked for, or not worth it */
    struct syn_causes keyed;     /* the causes by other keys (keyed_causes.h); {0}: not asked for */
    struct syn_late_kinds kinds; /* of its instances; that of a group uses their dependence */
    /* instance by instance; freed once tested: */
    struct syn_column last;     /* the world rank that came last */
    struct syn_column lead_ns;  /* and how long after the one before it */
    struct syn_column kind;     /* and the number of its kind */
    struct syn_facts_part held; /* those that a later slice may have earlier ones than */
};

/* Totals of a run: its duration, and the mean over ranks of their time in collectives. */
enum syn_total { SYN_TOTAL_RUN, SYN_TOTAL_COLLECTIVES, SYN_TOTAL_COUNT };
double syn_facts_total_ns(const struct syn_run_facts *facts, enum syn_total total);

/* Before the match. node_of_rank is what syn_groups_run wants: owned by the caller. Returns 0 or
 * SYN_ENOMEM. */
int syn_facts_begin(struct syn_run_facts *facts, struct syn_trace *trace, uint32_t run,
                    struct syn_names *names, uint32_t **node_of_rank);
/* An empty part of a run of so many ranks. Returns 0 or SYN_ENOMEM; free it in any case. */
int syn_facts_part_begin(struct syn_facts_part *part, int32_t rank_count);
/* Each complete instance. Returns 0 or SYN_ENOMEM. */
int syn_facts_part_add(struct syn_facts_part *part, const struct syn_instance *instance);
/* All instances are added: from here on they lie in the order of time, where the match tells them
 * communicator by communicator. Again: nothing. Returns 0 or SYN_ENOMEM. */
int syn_facts_part_order(struct syn_facts_part *part);
/* Parts in the order of the match, each put in order; of no use any more. Instances from
 * watermark_ns on are held back: later parts have some among them (match.h). Returns 0, SYN_ENOMEM,
 * or SYN_EIO of the store. */
int syn_facts_absorb(struct syn_run_facts *facts, struct syn_facts_part *part, int64_t watermark_ns,
                     struct syn_store *store);
void syn_facts_part_free(struct syn_facts_part *part);
/* After the match, which found totals (taken over). Returns 0, SYN_ENOMEM, or SYN_EIO of the store.
 */
int syn_facts_end(struct syn_run_facts *facts, struct syn_trace *trace,
                  struct syn_match_totals *totals, struct syn_store *store);
/* `course`, of the first clocks; after syn_facts_end. Returns 0 or SYN_ENOMEM. */
#define SYN_FACTS_HISTORIES 8
int syn_facts_find_histories(struct syn_run_facts *facts, struct syn_trace *trace);
void syn_facts_free(struct syn_run_facts *facts);

static inline double syn_facts_run_ns(const struct syn_run_facts *run)
{
    return (double)run->duration_ns;
}
/* The time of the recorded ones among ranks [first, end), all threads of each: as many times the
 * run as there are threads. */
double syn_facts_ranks_ns(const struct syn_run_facts *run, int32_t first, int32_t end);

#endif
