/* analyze/report/findings/facts.h - facts about a run that a report has besides groups: the
 * program, its places and clocks, what is missing, and which ranks came late. All facts are copies:
 * none refers to an open trace. */
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
    bool recorded;         /* present, and not left out by --ranks */
    uint64_t passed_count; /* calls while MPI_Pcontrol had switched recording off */
    uint32_t node;         /* name number of the host's name; SYN_NO_NAME: unknown */
    char *core;    /* "core 3" or "pu 7" if the rank was bound to just that; NULL: unknown */
    char *package; /* number of its socket on the node; NULL: unknown or not bound */
    int32_t processor_count; /* of the node; 0: unknown */
    double load_average;     /* of the node when the run began, over a minute; NAN: unknown */
    enum syn_ending ending;
    uint64_t dropped_count;
    bool loss_unknown;
    double messages_ns; /* time in MPI calls that are no events, over the whole run; NAN: unknown */
    int64_t bound_ns;   /* largest clock bound from the rank's first event to its last, or over the
                           run   if it has none; SYN_BOUND_UNKNOWN_NS: never measured */
    /* over complete instances on communicators with at least two members: */
    uint64_t instance_count;
    double expected_last; /* instances in which the rank comes last by chance: the sum of 1/size; 0
                             in a part */
    /* expected_last, exact, so that the sum does not depend on its order: whole instances, and
     * 2^-64ths of one */
    uint64_t expected_whole, expected_rest;
    uint64_t last_count;
    uint64_t last_sure_count; /* of last_count: last by more than the clock bound */
    double inside_ns;         /* time inside MPI, in complete instances of any size */
    double waiting_ns;        /* of inside_ns: before the last member arrived */
    double caused_ns;         /* waiting time of others in instances in which the rank came last */
    double last_p; /* of last_count against chance: binomial, for dependent instances, Holm over
                      ranks */
    double last_dependence; /* how many of these instances say as much as one independent instance
                               (lateness.h); NAN: too few to tell */
};

struct syn_run_fault {
    int status;
    int32_t rank;
    char *text;
};

/* Facts that one partial result of a match contributes. */
struct syn_facts_part {
    struct syn_rank_facts *rank; /* [rank_count]; only members that are computed from instances */
    int32_t rank_count;
    struct syn_causality causality;
    struct syn_late_kinds kinds;
    struct syn_column last, lead_ns, kind; /* one value per instance, as in struct syn_run_facts */
    struct syn_column start_ns;            /* start of the last member */
    bool out_of_order;                     /* start_ns is not ascending */
};

struct syn_run_facts {
    uint32_t run;
    char *directory;
    int32_t rank_count, present_count;
    int32_t recorded_count; /* of present_count */
    uint32_t node_count;
    size_t spawned_count;            /* how often MPI_Comm_spawn started processes */
    size_t spawned_unrecorded_count; /* of these, how often the processes left no trace */
    struct syn_rank_facts *rank;     /* [rank_count] */
    struct syn_match_totals totals;
    char *program, *args, *mpi, *sync_method, *clock_kind,
        *program_build_id; /* NULL: not in the trace */
    char *sync_taken;      /* what the synchronization method did, in words; NULL: nothing */
    int64_t start_unix_ns; /* 0: unknown */
    int64_t begin_ns, duration_ns; /* trace/read/span.h; shares "of the run" are of duration_ns */
    bool duration_estimated;       /* duration_ns is from the first event to the last */
    bool has_messages;             /* time in messages was recorded */
    bool is_one_sided;             /* all calls of which only that was recorded are one-sided */
    double sync_begin_ns, sync_end_ns; /* interval of the clock synchronization; NAN: unknown */
    int32_t measured_once_count;       /* ranks whose clock bound grows until the end */
    struct syn_clock_check clock_check;
    struct syn_examination examination; /* whether the run hangs, and whether ranks disagree; does
                                           not refer to an open trace any more */
    struct syn_causality causality;     /* of the times in use, corrected or not */
    struct syn_clock_history *history;  /* [history_count], of its clocks; of the first run only */
    size_t history_count;
    /* From the first present rank's host; NULL: not in the trace. */
    char *kernel, *processor;
    double overhead_ns; /* time that the profiler added to MPI_Init and MPI_Finalize on the first
                           present rank; NAN: unknown */
    struct syn_run_fault *fault; /* [fault_count] */
    size_t fault_count;
    struct syn_causes causes;         /* sums of time and of the causes of waiting */
    struct syn_findings findings;     /* conclusions from `causes` */
    struct syn_message_pass messages; /* sends and receives */
    struct syn_passes *passes;        /* of single segments; NULL: not read (report_make.c) */
    struct syn_causes keyed;     /* the causes by other keys (keyed_causes.h); {0}: not requested */
    struct syn_late_kinds kinds; /* kinds of its instances; tests of groups use their dependence */
    /* one value per instance; freed by syn_facts_end: */
    struct syn_column last;     /* the world rank that came last */
    struct syn_column lead_ns;  /* how long after the member before */
    struct syn_column kind;     /* number of the instance's kind */
    struct syn_facts_part held; /* instances held back: later slices may have earlier ones */
};

/* A total of a run: its duration, or the mean over ranks of their time in collectives. */
enum syn_total { SYN_TOTAL_RUN, SYN_TOTAL_COLLECTIVES, SYN_TOTAL_COUNT };
double syn_facts_total_ns(const struct syn_run_facts *facts, enum syn_total total);

/* Begins the facts before the match. *node_of_rank is the argument of syn_groups_run; the caller
 * frees it. Returns 0 or SYN_ENOMEM. */
int syn_facts_begin(struct syn_run_facts *facts, struct syn_trace *trace, uint32_t run,
                    struct syn_names *names, uint32_t **node_of_rank);
/* Begins an empty part for a run of rank_count ranks. Returns 0 or SYN_ENOMEM. The caller frees the
 * part in any case. */
int syn_facts_part_begin(struct syn_facts_part *part, int32_t rank_count);
/* Adds a complete instance. Returns 0 or SYN_ENOMEM. */
int syn_facts_part_add(struct syn_facts_part *part, const struct syn_instance *instance);
/* Orders a part's instances by time after the last is added; the match has them communicator by
 * communicator. A second call does nothing. Returns 0 or SYN_ENOMEM. */
int syn_facts_part_order(struct syn_facts_part *part);
/* Takes up a part after syn_facts_part_order. Parts are taken up in the order of the match; a part
 * can only be freed afterwards. Instances from watermark_ns on are held back, since later parts
 * have instances among them (match.h). Returns 0, SYN_ENOMEM, or SYN_EIO of the store. */
int syn_facts_absorb(struct syn_run_facts *facts, struct syn_facts_part *part, int64_t watermark_ns,
                     struct syn_store *store);
void syn_facts_part_free(struct syn_facts_part *part);
/* Completes the facts after the match. Takes over *totals. Returns 0, SYN_ENOMEM, or SYN_EIO of the
 * store. */
int syn_facts_end(struct syn_run_facts *facts, struct syn_trace *trace,
                  struct syn_match_totals *totals, struct syn_store *store);
/* Fills `history` with the first SYN_FACTS_HISTORIES clocks. Call it after syn_facts_end. Returns 0
 * or SYN_ENOMEM. */
#define SYN_FACTS_HISTORIES 8
int syn_facts_find_histories(struct syn_run_facts *facts, struct syn_trace *trace);
void syn_facts_free(struct syn_run_facts *facts);

static inline double syn_facts_run_ns(const struct syn_run_facts *run)
{
    return (double)run->duration_ns;
}
/* Returns the time of the recorded ranks in [first, end): the run's duration, times the number of
 * their threads. */
double syn_facts_ranks_ns(const struct syn_run_facts *run, int32_t first, int32_t end);

#endif
