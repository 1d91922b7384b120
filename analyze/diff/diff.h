/* analyze/diff/diff.h - two sets of runs, A the base and B, group by group.
 *
 * The run is the unit of repetition: a group enters with one figure a run, the median of the metric
 * over the run's instances. Groups are matched by what a user sees (operation, label of the site,
 * communicator's size and name, bytes), never by addresses, so that A and B may be different
 * builds. Definitions: docs/reports.md and docs/methods-statistics.md. */
#ifndef SYN_DIFF_H
#define SYN_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/replay/replay.h"
#include "analyze/doc/doc.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"
#include "analyze/report/findings/report.h"
#include "analyze/stats/samples/compare.h"
#include "analyze/stats/samples/maxt.h"
#include "analyze/stats/samples/quantreg.h"

/* The compared figure: a metric of report/figures.h, or the share of the time inside that was
 * waiting. */
#define SYN_DIFF_WAIT_SHARE     ((int)SYN_METRIC_COUNT)
#define SYN_DIFF_METRIC_DEFAULT (-1)

/* How p is adjusted over the groups. */
enum syn_adjust {
    SYN_ADJUST_HOLM,
    SYN_ADJUST_BH,
    SYN_ADJUST_MAXT, /* whole runs divided anew over all groups at once (stats/maxt.h) */
    SYN_ADJUST_AUTO  /* maxT where Holm's would show little with so few runs, else Holm's */
};
/* "holm", "bh", "maxt", "auto". */
const char *syn_adjust_name(enum syn_adjust adjust);

enum syn_diff_order {
    SYN_ORDER_VERDICT, /* a table a verdict, the largest change first */
    SYN_ORDER_BYTES,   /* one table: by operation, site, communicator, then bytes */
    SYN_ORDER_CHANGE   /* one table, the largest change first */
};

#define SYN_DIFF_TAUS 16

struct syn_diff_options {
    int metric;  /* enum syn_metric but SYN_METRIC_WAIT, or SYN_DIFF_WAIT_SHARE; or
                    SYN_DIFF_METRIC_DEFAULT, which depends on `by` */
    unsigned by; /* SYN_BY(key) | ... without SYN_KEY_RUN */
    enum syn_diff_order order;
    double tau[SYN_DIFF_TAUS]; /* quantiles that are compared too, each in (0,1) */
    size_t tau_count;
    enum syn_side alternative; /* of B against A: SYN_GREATER is "B is slower" */
    enum syn_adjust adjust;
    double confidence; /* 1 - alpha, of the tests too */
    double threshold;  /* a change that nobody minds, as a share: 0.02 */
    bool skip_warmup;  /* leave out what comes before a group settles */
    bool same_program; /* --aa: report false positives */
    bool in_pairs;     /* run k of A and run k of B were made one after the other, which of them
                          first drawn: by `compare` */
    size_t top;        /* rows of a table in the text; 0: all */
};

/* How the sides of a group found each other, the surest first. */
enum syn_diff_match {
    SYN_MATCH_EXACT,    /* all keys agree */
    SYN_MATCH_SHAPE,    /* but for the communicator's name */
    SYN_MATCH_FUNCTION, /* but for the line, within the same file and function */
    SYN_MATCH_NO_SITE,  /* operation, size and bytes only: the sites are in one side only */
    SYN_MATCH_COUNT
};
/* "exact", "communicator's name differs", ... */
const char *syn_diff_match_text(enum syn_diff_match match);

/* The median of runs' figures and its confidence interval: NAN where they are too few. */
struct syn_diff_median {
    double value, low, high;
};

/* One side's part in a group. */
struct syn_diff_half {
    const struct syn_figures **part; /* [part_count], ascending in run; owned */
    size_t part_count;
    const char *site, *comm; /* of the first part; not owned */
    size_t label_count;      /* groups of the side (sites, communicators) that are taken together */
    double *run_value;       /* [run_count], of the metric; owned */
    uint64_t *run;           /* [run_count], their numbers, ascending; owned */
    size_t run_count;
    size_t lost_run_count; /* runs that are left out, as their clocks are wrong */
    uint64_t instance_count;
    struct syn_diff_median median; /* of the runs' values; of a single run, its interval within */
    double clock_bound;            /* of a run's value, the largest; NAN unknown */
};

/* The share of the time inside that was waiting, in a run of A and of B. A share is no cost and may
 * be 0, so it is compared by differences, never by ratios. */
struct syn_diff_wait {
    double a, b; /* median over the runs; NAN where none has one, or clocks are unknown */
    struct syn_shift
        change; /* B - A (Hodges-Lehmann); its interval NAN where the runs are too few */
    struct syn_wilcoxon test;
    double p_adjusted;  /* over the groups; NAN where the runs are too few */
    double clock_bound; /* what the clocks' errors may move in a run's share, the largest */
};
/* Its stars: none where the clocks cannot tell the change. */
const char *syn_diff_wait_stars(const struct syn_diff_wait *wait);

/* Totals of whole runs: their durations, and the mean over ranks of their time in collectives. */
struct syn_diff_total {
    double a, b;            /* median over the runs, nanoseconds */
    struct syn_shift ratio; /* B/A; its interval NAN where the runs are too few */
    struct syn_wilcoxon test;
    double p_adjusted; /* Holm over the totals; NAN where the runs are too few */
    bool by_pairs;     /* test and ratio are of pairs: a signed-rank test of log B/A */
};
/* Efficiencies of whole runs (causes/findings.h), compared in the same way; Holm over them. */
enum syn_diff_efficiency {
    SYN_EFFICIENCY_PARALLEL,
    SYN_EFFICIENCY_LOAD_BALANCE,
    SYN_EFFICIENCY_COMMUNICATION,
    SYN_EFFICIENCY_WAITING,
    SYN_EFFICIENCY_TRANSFER,
    SYN_EFFICIENCY_COUNT
};

/* Sums of whole runs over their messages, the mean over ranks in nanoseconds; NAN where messages
 * are no events. Compared in the same way; Holm over them. */
enum syn_diff_message {
    SYN_MESSAGES_LATE_SENDER,
    SYN_MESSAGES_LATE_RECEIVER,
    SYN_MESSAGES_TRANSFER,
    SYN_MESSAGES_SUM_COUNT
};

/* One quantile of the metric. Of the runs: each run's own quantile is its figure. Pooled: quantile
 * regression on all instances, whose interval speaks of these runs only. */
struct syn_diff_quantile {
    double tau;
    double a, b;                   /* median over the runs of each run's quantile (type 7) */
    struct syn_shift ratio, shift; /* of the runs: B/A, B - A; intervals NAN where too few runs */
    struct syn_wilcoxon test;
    double p_adjusted; /* over all groups and quantiles; NAN where the runs are too few */
    struct syn_quantile_effect pooled;
};

struct syn_diff_group {
    const char *op;     /* not owned; "*" where it is no key */
    const char *node;   /* not owned; NULL: no key */
    int64_t rank, root; /* -1: no key, or none */
    uint64_t comm_size, bytes;
    enum syn_diff_match match;
    struct syn_diff_half a, b;
    struct syn_diff_wait wait;
    struct syn_diff_quantile *quantile; /* [options.tau_count], of diff->quantile */
    struct syn_shift ratio;             /* B/A; NANs where a value is not above 0 */
    bool ratio_within_runs;             /* its interval speaks of these runs only */
    struct syn_wilcoxon test;
    double p_adjusted;
    double p_permutation; /* of the difference of the logarithms' means, by divisions of the runs;
                             NAN but for maxT */
    double least_p;       /* that runs like these could have had, adjusted; NAN where not tested */
    double vargha_delaney_a; /* that a run of B has the larger value */
    double delta; /* max(threshold, clock bound / median); NAN where clocks are unknown */
    double detectable_slower, detectable_faster; /* ratios, by themselves among all groups; NAN
                                                    where none would have been shown */
    double runs_for_equivalence; /* a side; NAN but where indistinguishable, with known clocks */
    enum syn_verdict verdict;
};

/* A group of one side alone. */
struct syn_diff_single {
    const char *op, *site, *comm, *node; /* not owned; node NULL: no key */
    int64_t rank;                        /* -1: no key */
    uint64_t comm_size, bytes, instance_count;
    size_t run_count;
};

struct syn_diff_singles {
    struct syn_diff_single *item; /* [count], owned */
    size_t count;
};

/* Differences that are claimed although both sides are the same program. */
struct syn_false_positives {
    size_t group_count;                       /* tested */
    size_t run_claims, adjusted_claims;       /* p below alpha, as it is and adjusted */
    size_t pooled_claims;                     /* had all instances been pooled */
    size_t split_count;                       /* other divisions of the same runs into two */
    double run_claim_rate, pooled_claim_rate; /* over groups and splits; NAN without splits */
};

/* ---- segments ---- */

/* The ranks' time between calls, and in them but for waiting: did it become longer, on which ranks,
 * and does anybody wait for it more than before?
 *
 * A run enters with one figure: the mean time of a rank in the segment, over all times and ranks.
 * Each time is measured by one rank's clock alone, so that clocks do not matter; the waiting it
 * caused (causes/) rests on the common one. A segment is compared if it takes, or makes ranks wait
 * for, at least a hundredth of their time in some run. */

/* One side's part. Arrays are owned. */
struct syn_segment_half {
    char *from, *to; /* sites; from NULL: before the first call; of a call both its own */
    /* These have a value for each run that has the segment. */
    double *run_ns;          /* [run_count] mean time of an occurrence */
    double *run_occurrences; /* [run_count] of all ranks */
    uint64_t *run;           /* [run_count] numbers of these runs, ascending */
    size_t run_count;        /* 0: this side does not have it */
    double
        *rank_ns; /* [rank_count][rank_stride], the mean time of each rank in each run; NAN: none */
    double *rank_occurrences; /* [rank_count][rank_stride] */
    size_t rank_stride;
    int32_t rank_count; /* 0: runs have different numbers of ranks */
    struct syn_diff_median median;
    double times;      /* occurrences, mean of ranks and runs */
    double time_share; /* of the ranks' time, mean over all runs */
    /* These have a value for each run whose clocks can be used; 0 if it lacks the segment. */
    double *waiting;       /* [waiting_count] waiting caused, as a share of the ranks' time */
    uint64_t *waiting_run; /* numbers of these runs */
    size_t waiting_count;
    double waiting_bound; /* the largest possible error of a run's share that is due to clocks */
};

struct syn_segment {
    enum syn_part part;
    const char *op;                  /* of a call, not owned; NULL: between calls */
    const char *phase;               /* not owned; "" none */
    bool line_differs;               /* the sides have it in other lines of the same functions */
    struct syn_segment_half half[2]; /* A, B */
    struct syn_shift ratio;          /* B/A; NANs where the runs are too few, or on one side only */
    struct syn_wilcoxon test;
    double p_adjusted, least_p; /* over all segments; NAN: not tested */
    enum syn_verdict verdict;
    bool every_rank; /* each rank changed to that side, its interval says; else: */
    int32_t *rank;   /* [rank_count], those which did, owned; none: it cannot be said */
    size_t rank_count;
    double change_ns;       /* of a run by that, on the mean of the ranks: B - A */
    double waiting[2];      /* medians */
    struct syn_shift waits; /* B - A of the waiting caused */
    struct syn_wilcoxon waits_test;
    double waits_p_adjusted; /* over all segments; NAN: not tested */
};

struct syn_diff_segments {
    struct syn_segment *item; /* [count], owned: slower, faster, others, each by change_ns */
    size_t count;
    size_t verdict_count[SYN_VERDICT_INDISTINGUISHABLE + 1]; /* of those on both sides */
    size_t both_count;
};

static inline bool syn_segment_is_on_both(const struct syn_segment *segment)
{
    return segment->half[0].run_count > 0 && segment->half[1].run_count > 0;
}

/* ---- all ---- */

struct syn_diff {
    struct syn_diff_options options;
    struct syn_report side[2];    /* A, B; grouped by run too */
    struct syn_diff_group *group; /* [count]: by verdict, the largest change first */
    size_t count;
    struct syn_diff_quantile *quantile; /* [count][options.tau_count], owned; NULL: none */
    struct syn_diff_singles only[2];
    struct syn_diff_total total[SYN_TOTAL_COUNT];
    struct syn_diff_total efficiency[SYN_EFFICIENCY_COUNT]; /* shares, no times */
    struct syn_diff_total message[SYN_MESSAGES_SUM_COUNT];
    struct syn_diff_segments segments; /* what ranks do between calls, and in them */
    struct syn_diff_wait wait;         /* of all collectives together; p_adjusted is p */
    enum syn_adjust adjust;            /* that was used: not SYN_ADJUST_AUTO */
    struct syn_maxt maxt;              /* how, where it was maxT */
    size_t verdict_count[SYN_VERDICT_INDISTINGUISHABLE + 1];
    size_t needed_runs;          /* a side, for one test at this level */
    size_t needed_runs_adjusted; /* ... for one group to be claimed among all of them, by
                                    the adjustment that was used */
    struct syn_false_positives false_positives; /* where options.same_program */
};

/* Read and compare. Returns 0, or negative with *why a line that names the file and the fault
 * (caller frees; NULL where memory ran out). */
int syn_diff_make(const struct syn_experiment side[2], const struct syn_diff_options *options,
                  struct syn_diff *out, char **why);
void syn_diff_free(struct syn_diff *diff);

/* "completion", ..., "wait_share". Parse returns SYN_EINVAL for what is none. */
const char *syn_diff_metric_name(int metric);
int syn_diff_metric_parse(const char *name, int *metric);
/* The metric that groups by such keys are compared by where none is chosen; and whether they have
 * one that is. */
int syn_diff_metric_default(unsigned by);
bool syn_diff_metric_exists(int metric, unsigned by);
/* "0.5,0.9" into tau [SYN_DIFF_TAUS]. Returns 0, or SYN_EINVAL for what is no list of numbers
 * between 0 and 1, or too long a one. */
int syn_diff_taus_parse(const char *list, double *tau, size_t *count);
/* The alternative as it is written: "two-sided", "less", "greater". */
const char *syn_diff_alternative_name(enum syn_side alternative);

/* Has a side of the group no run that is left, as the clocks of all that have it are wrong? Then
 * nothing is claimed of it. And: is that so of every group, of which there is one? */
bool syn_diff_is_withdrawn(const struct syn_diff_group *group);
bool syn_diff_all_are_withdrawn(const struct syn_diff *diff);
/* No group can have a verdict: there is none, none whose clocks can be trusted, or none with runs
 * enough. The headline says which. */
bool syn_diff_says_nothing(const struct syn_diff *diff);
/* The largest number of runs that a group of a side (0: A, 1: B) leaves out because their clocks
 * are wrong. */
size_t syn_diff_lost_runs(const struct syn_diff *diff, int side);

/* One line, the whole: run time, efficiency, time in collectives, B/A each with its interval.
 * Nothing where none of them is known. */
void syn_diff_whole(const struct syn_diff *diff, struct syn_text *text);
/* One line, the answer: "3 of 14 groups slower, worst: ...". Appends, without a line's end. */
void syn_diff_headline(const struct syn_diff *diff, struct syn_text *text);
/* Up to `capacity` constant strings on what a group's figures lack. Returns how many. */
#define SYN_DIFF_NOTES 11
size_t syn_diff_group_notes(const struct syn_diff *diff, const struct syn_diff_group *group,
                            const char **notes, size_t capacity);

void syn_diff_json(const struct syn_diff *diff, struct syn_text *text);
void syn_diff_csv(const struct syn_diff *diff, struct syn_text *text);
/* For people: text that fits the terminal, a page of HTML, or Markdown for a pull request. */
void syn_diff_page(const struct syn_diff *diff, enum syn_doc_format format,
                   const struct syn_terminal *terminal, struct syn_text *text);
/* A check for each group, and what the gate (diff_gate.h) answered, as JUnit's XML or as
 * annotations of a line each. */
struct syn_diff_gate;
struct syn_gate_answer;
void syn_diff_ci(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                 const struct syn_gate_answer *answer, bool as_junit, struct syn_text *text);

/* Make and write the diff of recorded runs, for `diff` and `compare`. format: a name of --format,
 * as checked by syn_diff_format_known. Returns the exit status; a gate that is not passed, or that
 * cannot be judged, makes it 1. */
int syn_diff_run(const struct syn_experiment side[2], const struct syn_diff_options *options,
                 const char *format, const char *output, const struct syn_diff_gate *gate);

/* ---- the machines: whether they were busy, whether they are the same (diff_machine.c) ---- */

/* Were A and B recorded in turn, as `compare` does? In order of time no more than two runs of one
 * side follow one another. Then the machine's state is the same for both sides. False where a run's
 * begin is not known, or a side has one run only. */
bool syn_diff_in_turn(const struct syn_diff *diff);

/* The runs of a side (0: A, 1: B) whose machine was busy, or may have been. */
size_t syn_diff_busy_runs(const struct syn_diff *diff, int side);
/* A warning about the machine for each side and kind, of the run that has the most of it. */
typedef void (*syn_diff_warning)(void *ctx, struct syn_text *words);
void syn_diff_machine_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx);

/* Hosts, kernels, processors and loads in which the sides differ: one sentence. Nothing where they
 * do not. */
void syn_diff_machine_differences(const struct syn_diff *diff, struct syn_text *out);
/* Are the processors of another model? Appends a sentence, and returns true. */
bool syn_diff_processors_differ(const struct syn_diff *diff, struct syn_text *out);

#endif
