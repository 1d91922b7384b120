/* analyze/causes/findings/findings.h - the findings of a run, computed from its sums: causes of
 * waiting, the largest first, each with its kind and certainty; efficiencies; the critical path.
 * docs/methods-causes.md defines each figure. */
#ifndef SYN_CAUSE_FINDINGS_H
#define SYN_CAUSE_FINDINGS_H

#include "analyze/causes/causes.h"
#include "analyze/causes/findings/own_time.h"

/* How a cause recurs. */
enum syn_pattern {
    SYN_PATTERN_NONE,   /* not known: the cause occurs too rarely */
    SYN_PATTERN_STEADY, /* the same ranks, by about as much all the time */
    SYN_PATTERN_MOVING, /* uneven each time, but no few ranks cause most of it */
    SYN_PATTERN_RARE,   /* in a few instances only */
    SYN_PATTERN_GROWING,
    SYN_PATTERN_SHRINKING,
    SYN_PATTERN_FIRST, /* only at the begin of the run */
    SYN_PATTERN_OTHER  /* one of the others except rare; not examined */
};
/* Returns the name, such as "steady", or NULL for SYN_PATTERN_NONE and SYN_PATTERN_OTHER. */
const char *syn_pattern_name(enum syn_pattern pattern);
/* The kind of a cause tells what made others wait: a category of time (enum syn_category), or being
 * blocked. Own time has three kinds: computing, off_cpu and blocked. */
enum syn_cause_kind {
    SYN_KIND_COMPUTING = SYN_CATEGORY_COMPUTING,
    SYN_KIND_MESSAGES = SYN_CATEGORY_MESSAGES,
    SYN_KIND_OFF_CPU = SYN_CATEGORY_OFF_CPU, /* ready without a processor, or just off it */
    SYN_KIND_OPERATION = SYN_CATEGORY_OPERATION,
    SYN_KIND_BLOCKED /* asleep: waiting for something other than a processor */
};
/* Returns the name of a category: "computing", "messages", "off_cpu", "operation". */
const char *syn_category_name(enum syn_category category);
/* Returns the name of a kind. It may also be "blocked". */
const char *syn_cause_kind_name(enum syn_cause_kind kind);

/* How certain the ranks of a cause are. */
enum syn_naming {
    SYN_NAMING_OPEN,   /* no few ranks cause most of the waiting, and too few passes show whether
                          ranks differ */
    SYN_NAMING_DIFFER, /* ranks differ: a test shows that no few ranks cause most of the waiting */
    SYN_NAMING_SEEN,   /* these ranks cause most of the waiting, in too few passes to be certain */
    SYN_NAMING_SHOWN   /* these ranks certainly cause most of the waiting, or it happened once */
};
/* Returns the name: "open", "differ", "seen" or "shown". */
const char *syn_naming_name(enum syn_naming naming);

struct syn_cause {
    enum syn_category category; /* SYN_CATEGORY_COMPUTING stands for all of own time */
    enum syn_cause_kind kind;
    struct syn_own_shares own; /* shares of the excess of own time */
    enum syn_naming naming;
    int64_t seen_passes, all_passes; /* passes in which these ranks, and in which any rank, were
                                        late here; 0 without ranks */
    bool are_latest;                 /* both numbers count only the passes with large excesses */
    bool may_be_chance; /* seen in so few passes that any rank may be late in as many */
    bool in_waves;      /* not shown, although the passes would suffice if they were independent */
    enum syn_pattern pattern;
    int32_t *ranks; /* [rank_count], ascending, owned; rank_count 0: all ranks */
    size_t rank_count;
    uint32_t label; /* in the run's tables */
    int64_t waiting_ns, bound_ns;
    int64_t off_cpu_waiting_ns;  /* part of the waiting that is certainly due to time off the
                                    processor */
    int64_t messages_waiting_ns; /* part of the waiting that was in messages */
    struct syn_cause_hops {      /* How many ranks passed the waiting on, for waiting in messages or
                                    passed on to them; both 0 if there is none */
        double median;           /* weighted by waiting */
        int64_t most;
    } hops;
    double share;                /* share of all waiting */
    double path_ns;              /* time on the critical path */
    struct syn_estimate gain_ns; /* time by which the run would be shorter if all ranks took the
                                    mean time; low and high are NAN if it happened once */
    int64_t instances;
    double instances_share; /* share of all passes */
    bool is_seldom; /* occurs in less than 60 % of the passes; instances and excess are of these
                       passes alone */
    bool is_shared; /* one excess counts in several instances, so the number of passes with an
                       excess is not known */
    struct syn_estimate excess_ns, excess_ratio; /* over the others, in ns and as a ratio */
    double mean_excess_ns;      /* mean excess over all passes; NAN without certain ranks */
    struct syn_estimate change; /* growing, shrinking: of the excess over the run, in ns */
    struct syn_cause_evidence { /* NAN: not known */
        double involuntary_switches, run_delay_ns, major_faults, minor_faults, migrations;
        double instructions_ratio, cycles_ratio; /* per processor time, relative to the others */
    } evidence; /* counts of the cause's ranks over the whole run */
};

/* Returns whether the rank is one of the cause's ranks. */
bool syn_cause_names_rank(const struct syn_cause *cause, int32_t rank);

/* Causes of the same ranks and kind at several places. They are told in one sentence. */
struct syn_cause_cluster {
    const struct syn_cause *first; /* the largest */
    size_t place_count;
    int64_t waiting_ns;
    int64_t shown_ns; /* waiting at places where a test shows the ranks */
    double gain_ns;
};

struct syn_efficiency {
    double parallel, load_balance, communication, waiting, transfer; /* NAN: not known */
};

/* Computes the efficiency of ranks [rank_count] in a part of the run. useful_ns is each rank's time
 * outside of MPI. length_ns is the time of the rank that was in the part longest. transfer_ns is
 * the time on the part's critical path that is neither computing nor off the processor. All
 * efficiencies are NAN if no time is useful. */
struct syn_efficiency_of {
    const double *useful_ns;
    size_t rank_count;
    double length_ns, transfer_ns;
};
void syn_efficiency_make(const struct syn_efficiency_of *of, struct syn_efficiency *out);

/* Bounds of the run's time under four assumptions, in ns; they are not predictions. (The fourth,
 * fast operations, needs the groups: analyze/report/sections/fast_operations.c.) */
struct syn_what_if {
    struct syn_estimate balanced; /* without the largest gain by balance: all ranks take the mean
                                     time in that segment */
    struct syn_estimate nobody_late;
    struct syn_estimate no_pauses; /* without the gains of rare causes */
};

struct syn_findings {
    struct syn_cause *cause; /* [cause_count], the largest waiting first; owned */
    size_t cause_count, cause_capacity;
    struct syn_cause_cluster *cluster; /* [cluster_count], as their first causes; owned */
    size_t cluster_count;
    struct syn_own_times own;
    struct syn_efficiency efficiency;
    struct syn_what_if what_if;
    int64_t run_ns;   /* length of the run, and sum of the critical path */
    double waited_ns; /* waiting of all ranks; a moment in which several calls waited counts once */
};

/* Finds the causes of a run whose causes have ended. `confidence` is that of the intervals. Returns
 * 0 or SYN_ENOMEM. The caller frees *out in either case. */
int syn_findings_make(const struct syn_causes *causes, double confidence, struct syn_findings *out);
void syn_findings_free(struct syn_findings *findings);

/* Sets ns [SYN_CATEGORY_COUNT] to the time of each category on the critical path. */
void syn_findings_path(const struct syn_causes *causes, double *ns);

/* Returns the sum of a category over all bins, in ns; 0 if the label has no cell on the location.
 */
int64_t syn_cell_ns(const struct syn_cause_sums *sums, uint32_t location, uint32_t label,
                    enum syn_category category);

#endif
