/* analyze/causes/findings/findings.h - Findings of a run, out of its sums: causes, the largest
 * first, each with its kind and how sure it is; efficiencies; the critical path.
 * docs/methods-causes.md defines each figure. */
#ifndef SYN_CAUSE_FINDINGS_H
#define SYN_CAUSE_FINDINGS_H

#include "analyze/causes/causes.h"
#include "analyze/causes/findings/own_time.h"

/* How a cause recurs. */
enum syn_pattern {
    SYN_PATTERN_NONE,   /* not known: too little of the run has it */
    SYN_PATTERN_STEADY, /* the same ranks, by about as much all the time */
    SYN_PATTERN_MOVING, /* uneven each time, but no rank more than others */
    SYN_PATTERN_RARE,   /* a few instances have it */
    SYN_PATTERN_GROWING,
    SYN_PATTERN_SHRINKING,
    SYN_PATTERN_FIRST, /* at the run's begin only */
    SYN_PATTERN_OTHER  /* one of the others but rare; not looked into */
};
/* "steady"; NULL for none and other. */
const char *syn_pattern_name(enum syn_pattern pattern);
/* The kind says what made others wait: a part (enum syn_part), or blocked. Own time has three
 * kinds: computing, off_cpu and blocked. */
enum syn_cause_kind {
    SYN_KIND_COMPUTING = SYN_PART_COMPUTING,
    SYN_KIND_MESSAGES = SYN_PART_MESSAGES,
    SYN_KIND_OFF_CPU = SYN_PART_OFF_CPU, /* ready without a processor; or just off it, where the
                                            kernel says no more */
    SYN_KIND_OPERATION = SYN_PART_OPERATION,
    SYN_KIND_BLOCKED /* asleep: waiting for something else than a processor */
};
/* "computing", "messages", "off_cpu", "operation". */
const char *syn_part_name(enum syn_part part);
/* Returns the kind's name, "blocked" included. */
const char *syn_cause_kind_name(enum syn_cause_kind kind);

/* How well the ranks of a cause are known. */
enum syn_naming {
    SYN_NAMING_OPEN,   /* no few ranks cause most of it so far; too few passes to say that ranks
                          differ */
    SYN_NAMING_DIFFER, /* ranks differ: a test says that no few cause most of it */
    SYN_NAMING_SEEN,   /* the ranks cause most of it, in too few passes to be sure */
    SYN_NAMING_SHOWN   /* the ranks cause most of it for certain; or it happened once */
};
/* "open", "differ", "seen", "shown". */
const char *syn_naming_name(enum syn_naming naming);

struct syn_cause {
    enum syn_part part; /* SYN_PART_COMPUTING: all of own time */
    enum syn_cause_kind kind;
    struct syn_own_shares own; /* of the excess of own time */
    enum syn_naming naming;
    int64_t seen_passes, all_passes; /* passes in which these ranks, and any rank, were late here; 0
                                        without ranks */
    bool are_latest;                 /* both count only the passes with large excesses */
    bool in_waves; /* not shown although that were enough passes if each stood for itself */
    enum syn_pattern pattern;
    int32_t *ranks; /* [rank_count] ascending, owned; none: all */
    size_t rank_count;
    uint32_t label; /* of the run's tables */
    int64_t waiting_ns, bound_ns;
    int64_t
        off_cpu_waiting_ns; /* of the waiting, what is for certain for being off the processor */
    int64_t messages_waiting_ns; /* of the waiting, in messages */
    struct syn_cause_hops {      /* by how many ranks it was passed on, of what was in messages or
                                    passed on to them; both 0 where nothing was */
        double median;           /* of the waiting */
        int64_t most;
    } hops;
    double share;                /* of all waiting */
    double path_ns;              /* on the critical path */
    struct syn_estimate gain_ns; /* what the run would be shorter by, if all took the mean time;
                                    low and high NAN where it happened once */
    int64_t instances;
    double instances_share; /* of all passes */
    bool is_seldom; /* in less than 60 % of the passes: instances and excess are of these alone */
    bool is_shared; /* one excess counts in several instances, so the number of passes with one is
                       not known */
    struct syn_estimate excess_ns, excess_ratio; /* over the others */
    double mean_excess_ns;                       /* mean of all passes; NAN without certain ranks */
    struct syn_estimate change; /* growing, shrinking: of the excess over the run, in ns */
    struct syn_cause_evidence { /* NAN: not known */
        double involuntary_switches, run_delay_ns, major_faults, minor_faults, migrations;
        double instructions_ratio, cycles_ratio; /* a time of processor, to that of the others */
    } evidence;                                  /* of its ranks, over the whole run */
};

/* Is the rank one of those of the cause? */
bool syn_cause_names_rank(const struct syn_cause *cause, int32_t rank);

/* Causes of the same ranks, of the same kind, at several places: told in one sentence. */
struct syn_cause_cluster {
    const struct syn_cause *first; /* the largest */
    size_t place_count;
    int64_t waiting_ns;
    double gain_ns;
};

struct syn_efficiency {
    double parallel, load_balance, communication, waiting, transfer; /* NAN: unknown */
};

/* Efficiency of ranks [rank_count] that were outside of MPI for useful_ns each, in a stretch of the
 * run of length_ns (that of the rank which was there longest), of whose critical path transfer_ns
 * is neither computing nor off the processor. NANs where nothing is useful. */
struct syn_efficiency_of {
    const double *useful_ns;
    size_t rank_count;
    double length_ns, transfer_ns;
};
void syn_efficiency_make(const struct syn_efficiency_of *of, struct syn_efficiency *out);

/* Bounds of the run's time, in ns, not promises. (The fourth, of fast operations, needs the groups:
 * analyze/report/sections/fast_operations.c.) */
struct syn_what_if {
    struct syn_estimate balanced; /* all ranks take the mean time in the worst segment */
    struct syn_estimate nobody_late;
    struct syn_estimate no_pauses; /* rare causes are gone */
};

struct syn_findings {
    struct syn_cause *cause; /* [cause_count], by waiting; owned */
    size_t cause_count, cause_capacity;
    struct syn_cause_cluster *cluster; /* [cluster_count], by the waiting for the first of each;
                                          owned */
    size_t cluster_count;
    struct syn_own_times own;
    struct syn_efficiency efficiency;
    struct syn_what_if what_if;
    int64_t run_ns;   /* of the run: what the critical path adds up to */
    double waited_ns; /* of all ranks; a moment that several calls waited in counts once */
};

/* Finds the causes of a run that has ended; `confidence` of the intervals. 0 or SYN_ENOMEM; free in
 * any case. */
int syn_findings_make(const struct syn_causes *causes, double confidence, struct syn_findings *out);
void syn_findings_free(struct syn_findings *findings);

/* The critical path by part, in ns [SYN_PART_COUNT]. */
void syn_findings_path(const struct syn_causes *causes, double *ns);

/* Sums over all bins of a cell that may not be there. */
int64_t syn_cell_ns(const struct syn_cause_sums *sums, uint32_t location, uint32_t label,
                    enum syn_part part);

#endif
