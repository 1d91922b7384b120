/* analyze/diff/diff.h - compares two sets of runs, A (the base) and B, group by group.
 *
 * The run is the unit of repetition: each run gives one value of a group, the median of the metric
 * over the run's instances. Groups are matched by what a user sees (operation, call site, size and
 * name of the communicator, bytes), never by addresses. So A and B may be different builds.
 * Definitions: docs/reports.md and docs/methods-statistics.md. */
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

/* The metric that is compared: one of report/figures/figures.h, or the share of the time inside
 * collectives that is waiting. */
#define SYN_DIFF_WAIT_SHARE     ((int)SYN_METRIC_COUNT)
#define SYN_DIFF_METRIC_DEFAULT (-1)

/* How p-values are adjusted over the groups. */
enum syn_adjust {
    SYN_ADJUST_HOLM,
    SYN_ADJUST_BH,
    SYN_ADJUST_MAXT, /* permutes whole runs, for all groups at once (stats/samples/maxt.h) */
    SYN_ADJUST_AUTO  /* maxT if Holm could show little with so few runs; else Holm */
};
/* Returns "holm", "bh", "maxt" or "auto". */
const char *syn_adjust_name(enum syn_adjust adjust);

enum syn_diff_order {
    SYN_ORDER_VERDICT, /* one table for each verdict, the largest change first */
    SYN_ORDER_BYTES,   /* one table: by operation, site, communicator, then bytes */
    SYN_ORDER_CHANGE   /* one table, the largest change first */
};

#define SYN_DIFF_TAUS 16

struct syn_diff_options {
    int metric;  /* an enum syn_metric, but not SYN_METRIC_WAIT; SYN_DIFF_WAIT_SHARE; or
                    SYN_DIFF_METRIC_DEFAULT, which depends on `by` */
    unsigned by; /* SYN_BY(key) | ... without SYN_KEY_RUN; messages are compared by call site if it
                    has SYN_KEY_SITE */
    bool without_pairs; /* messages are not compared by pair of ranks */
    enum syn_diff_order order;
    double tau[SYN_DIFF_TAUS]; /* quantiles to compare, each in (0,1) */
    size_t tau_count;
    enum syn_side alternative; /* of B against A: SYN_GREATER is "B is slower" */
    enum syn_adjust adjust;
    double confidence; /* 1 - alpha; for the tests, too */
    double threshold;  /* the largest share of change that does not matter, such as 0.02 */
    bool skip_warmup;  /* leave out the calls before a group has settled */
    bool same_program; /* --aa: A and B are the same program; count false positives */
    bool in_pairs; /* run k of A and run k of B were made one after the other, in a random order, as
                      `compare` does */
    size_t top;    /* rows of each table in the text; 0: all */
};

/* The keys by which the two halves of a group were matched, the most certain first. */
enum syn_diff_match {
    SYN_MATCH_EXACT,    /* all keys agree */
    SYN_MATCH_SHAPE,    /* all keys but the communicator's name */
    SYN_MATCH_FUNCTION, /* all keys but that name and the line; file and function agree */
    SYN_MATCH_NO_SITE,  /* operation, size and bytes: no call site is on both sides */
    SYN_MATCH_COUNT
};
/* Returns "exact", "the communicator's name differs", ... */
const char *syn_diff_match_text(enum syn_diff_match match);

/* The median of the runs' values, with its confidence interval; NAN: too few runs. */
struct syn_diff_median {
    double value, low, high;
};

/* One side of a group. */
struct syn_diff_half {
    const struct syn_figures **part; /* [part_count], in order of run; owned */
    size_t part_count;
    const char *site, *comm; /* of the first part; not owned */
    size_t label_count; /* groups of the side (call sites, communicators) that are taken together */
    double *run_value;  /* [run_count], the metric of each run; owned */
    uint64_t *run;      /* [run_count], the numbers of these runs, ascending; owned */
    size_t run_count;
    size_t lost_run_count; /* runs left out because their clocks are wrong */
    uint64_t instance_count;
    struct syn_diff_median median; /* of run_value; of a single run, with its own interval */
    double clock_bound;            /* the largest of a run's value; NAN: not known */
};

/* The share of the time inside that is waiting, in the runs of A and of B. A share may be 0, so
 * shares are compared by differences and not by ratios. */
struct syn_diff_wait {
    double a, b; /* median over the runs; NAN: no run has one, or the clocks were never compared */
    struct syn_shift change; /* B - A (Hodges-Lehmann); interval NAN: too few runs */
    struct syn_wilcoxon test;
    double p_adjusted;  /* over the groups; NAN: too few runs */
    double clock_bound; /* the largest error of a run's share that is due to clocks */
};
/* Returns the stars for the change; none if it is not larger than the clock bound. */
const char *syn_diff_wait_stars(const struct syn_diff_wait *wait);

/* A total of whole runs: the run time, or the mean over ranks of their time in collectives. */
struct syn_diff_total {
    double a, b;            /* median over the runs, in ns */
    struct syn_shift ratio; /* B/A; its interval is NAN if the runs are too few */
    struct syn_wilcoxon test;
    double p_adjusted; /* Holm over the totals; NAN: too few runs */
    bool by_pairs;     /* test and ratio compare pairs of runs: signed-rank test of log B/A */
};
/* Efficiencies of whole runs (causes/findings/findings.h), compared as totals are, with Holm over
 * them. */
enum syn_diff_efficiency {
    SYN_EFFICIENCY_PARALLEL,
    SYN_EFFICIENCY_LOAD_BALANCE,
    SYN_EFFICIENCY_COMMUNICATION,
    SYN_EFFICIENCY_WAITING,
    SYN_EFFICIENCY_TRANSFER,
    SYN_EFFICIENCY_COUNT
};

/* Sums of a run over its messages, the mean over ranks in ns; NAN if messages are not recorded as
 * events. Compared as totals are, with Holm over them. */
enum syn_diff_message {
    SYN_MESSAGES_LATE_SENDER,
    SYN_MESSAGES_LATE_RECEIVER,
    SYN_MESSAGES_TRANSFER,
    SYN_MESSAGES_SUM_COUNT
};
/* Returns "late_sender", "late_receiver" or "transfer". */
const char *syn_diff_message_name(enum syn_diff_message kind);

/* One quantile of the metric. The runs' quantiles are compared as values of runs. The pooled effect
 * is a quantile regression on all instances; its interval holds for these runs only. */
struct syn_diff_quantile {
    double tau;
    double a, b;                   /* median over the runs of each run's quantile (type 7) */
    struct syn_shift ratio, shift; /* of the runs: B/A, B - A; intervals NAN: too few runs */
    struct syn_wilcoxon test;
    double p_adjusted; /* over all groups and quantiles; NAN: too few runs */
    struct syn_quantile_effect pooled;
};

struct syn_diff_group {
    const char *op;     /* not owned; "*": not a key */
    const char *node;   /* not owned; NULL: not a key */
    int64_t rank, root; /* -1: not a key, or none */
    uint64_t comm_size, bytes;
    enum syn_diff_match match;
    struct syn_diff_half a, b;
    struct syn_diff_wait wait;
    struct syn_diff_quantile *quantile; /* [options.tau_count], of diff->quantile */
    struct syn_shift ratio;             /* B/A; NANs if a value is not above 0 */
    bool ratio_within_runs; /* too few runs: the interval of the ratio holds for these runs only */
    struct syn_wilcoxon test;
    double p_adjusted;
    double p_permutation; /* maxT: p of the difference of the mean logarithms, by permutation of the
                             runs; else NAN */
    double least_p; /* smallest adjusted p that these numbers of runs allow; NAN: not tested */
    double vargha_delaney_a; /* probability that a run of B has the larger value */
    double delta;            /* max(threshold, clock bound / median); NAN: clock bound not known */
    double detectable_slower, detectable_faster; /* ratios nearest to 1 that this group alone could
                                                    have shown; NAN: none */
    double runs_for_equivalence; /* runs needed on each side to show equivalence; NAN unless
                                    indistinguishable with known clocks */
    enum syn_verdict verdict;
};

/* A group that only one side has. */
struct syn_diff_single {
    const char *op, *site, *comm, *node; /* not owned; node NULL: not a key */
    int64_t rank;                        /* -1: not a key */
    uint64_t comm_size, bytes, instance_count;
    size_t run_count;
};

struct syn_diff_singles {
    struct syn_diff_single *item; /* [count], owned */
    size_t count;
};

/* The differences that are claimed although A and B are the same program. */
struct syn_false_positives {
    size_t group_count;                 /* tested */
    size_t run_claims, adjusted_claims; /* groups with p below alpha, unadjusted and adjusted */
    size_t pooled_claims;               /* as many, if all instances were pooled */
    size_t split_count;                 /* other divisions of the same runs into two sides */
    double run_claim_rate, pooled_claim_rate; /* over groups and splits; NAN: no splits */
};

/* ---- segments ---- */

/* A segment is the ranks' time between two calls, or in a call without its waiting. A segment is
 * tested for being longer, on which ranks, and for causing more waiting.
 *
 * Each run gives one value: the mean time of one occurrence of the segment, over all occurrences
 * and ranks. One rank's clock measures each of these times, so that errors between clocks do not
 * matter; the waiting that a segment causes (causes/) does rest on the common clock. A segment is
 * compared if, in some run, it takes at least a hundredth of the ranks' time, or makes ranks wait
 * for as much. */

/* One side of a segment. Arrays are owned. */
struct syn_segment_half {
    char *from, *to; /* call sites; from "": before the first call, to "": the run's end. Of a call,
                        both its own */
    /* Arrays with a value for each run that has the segment. */
    double *run_ns;          /* [run_count] mean time of an occurrence, in ns */
    double *run_occurrences; /* [run_count] occurrences on all ranks */
    uint64_t *run;           /* [run_count] numbers of these runs, ascending */
    size_t run_count;        /* 0: this side lacks the segment */
    double *rank_ns;         /* [rank_count][rank_stride] mean time of a rank in a run; NAN: none */
    double *rank_occurrences; /* [rank_count][rank_stride] */
    size_t rank_stride;
    int32_t rank_count; /* 0: the runs have different numbers of ranks */
    struct syn_diff_median median;
    double times;      /* occurrences, mean over runs: on one rank, of messages on all ranks */
    double time_share; /* share of the ranks' time, mean over all runs */
    /* Arrays with a value for each run whose clocks can be used; 0: the run lacks the segment. */
    double *waiting;       /* [waiting_count] the waiting caused, as a share of the ranks' time */
    uint64_t *waiting_run; /* [waiting_count] numbers of these runs */
    size_t waiting_count;
    double waiting_bound; /* the largest possible error of a run's share that is due to clocks */
    double bound_ns;      /* of messages: the largest clock bound of a message */
};

/* An item of diff->messages is a segment, too: the time of one kind in the messages of a call site,
 * or of a pair of ranks. An occurrence is a message. Items are compared by differences as well,
 * because waiting may be 0. */
struct syn_segment_messages {
    enum syn_diff_message kind;
    int32_t source, destination; /* ranks of MPI_COMM_WORLD; -1: of a call site, which is `from` */
};

struct syn_segment {
    enum syn_category category;
    struct syn_segment_messages messages;
    const char *op;    /* of a call; not owned; NULL: between calls */
    const char *phase; /* not owned; "": none */
    bool line_differs; /* the sides have the segment at different lines of the same functions */
    struct syn_segment_half half[2]; /* A, B */
    struct syn_shift ratio;          /* B/A; NANs: too few runs, or on one side only */
    struct syn_shift change;         /* B - A, in ns */
    struct syn_wilcoxon test;
    double p_adjusted, least_p; /* over all segments; NAN: not tested */
    enum syn_verdict verdict;
    bool every_rank; /* the intervals of all ranks show the change that the verdict claims */
    int32_t *rank;   /* [rank_count] ranks that show it, adjusted for their number; owned. None: not
                        known */
    size_t rank_count;
    double change_ns;  /* change of a run's time that follows: B - A; mean over ranks, of messages
                          the sum */
    double waiting[2]; /* medians of A and B */
    struct syn_shift waits; /* B - A of the waiting caused */
    struct syn_wilcoxon waits_test;
    double waits_p_adjusted; /* over all segments; NAN: not tested */
};

struct syn_diff_segments {
    struct syn_segment *item; /* [count], owned: slower, faster, unclear, other verdicts, on one
                                 side only; each by the size of change_ns */
    size_t count;
    size_t verdict_count[SYN_VERDICT_INDISTINGUISHABLE + 1]; /* of segments on both sides */
    size_t both_count;
};

static inline bool syn_segment_is_on_both(const struct syn_segment *segment)
{
    return segment->half[0].run_count > 0 && segment->half[1].run_count > 0;
}

/* ---- all ---- */

struct syn_diff {
    struct syn_diff_options options;
    struct syn_report side[2];    /* A, B; also grouped by run */
    struct syn_diff_group *group; /* [count], in options.order */
    size_t count;
    struct syn_diff_quantile *quantile; /* [count][options.tau_count], owned; NULL: none */
    struct syn_diff_singles only[2];
    struct syn_diff_total total[SYN_TOTAL_COUNT];
    struct syn_diff_total efficiency[SYN_EFFICIENCY_COUNT]; /* shares; a and b are no times */
    struct syn_diff_total message[SYN_MESSAGES_SUM_COUNT];
    struct syn_diff_segments segments;
    struct syn_diff_segments messages; /* by call site, and by pair of ranks */
    struct syn_diff_wait wait;         /* of all collectives together; p_adjusted is not adjusted */
    enum syn_adjust adjust;            /* the adjustment used; never SYN_ADJUST_AUTO */
    struct syn_maxt maxt;              /* of the groups, if adjust is SYN_ADJUST_MAXT */
    size_t verdict_count[SYN_VERDICT_INDISTINGUISHABLE + 1];
    size_t needed_runs;          /* on each side, for a single test at this level */
    size_t needed_runs_adjusted; /* on each side, to claim one group among all of them with the
                                    adjustment used */
    struct syn_false_positives false_positives; /* if options.same_program */
};

/* Reads both sides and compares them. Returns 0, or a negative status with *why set to a line that
 * names the file and the fault (the caller frees it; NULL: no memory). */
int syn_diff_make(const struct syn_experiment side[2], const struct syn_diff_options *options,
                  struct syn_diff *out, char **why);
void syn_diff_free(struct syn_diff *diff);

/* Return "completion", ..., "wait_share", and parse that name. The parser returns SYN_EINVAL for
 * any other name. */
const char *syn_diff_metric_name(int metric);
int syn_diff_metric_parse(const char *name, int *metric);
/* Return the metric by which groups of such keys are compared by default, and whether groups of
 * such keys have a metric. */
int syn_diff_metric_default(unsigned by);
bool syn_diff_metric_exists(int metric, unsigned by);
/* Parses "0.5,0.9" into tau [SYN_DIFF_TAUS]. Returns 0, or SYN_EINVAL if the list is too long or
 * has other than numbers between 0 and 1. */
int syn_diff_taus_parse(const char *list, double *tau, size_t *count);
/* Returns the name of the alternative: "two-sided", "less" or "greater". */
const char *syn_diff_alternative_name(enum syn_side alternative);

/* Say whether a side of the group has no run left because the clocks of its runs are wrong, and
 * whether all groups (at least one) are like that. Nothing is claimed of such a group. */
bool syn_diff_is_withdrawn(const struct syn_diff_group *group);
bool syn_diff_all_are_withdrawn(const struct syn_diff *diff);
/* Says whether no group can have a verdict: there is no group, none with clocks that can be
 * trusted, or none with enough runs. The headline says which. */
bool syn_diff_says_nothing(const struct syn_diff *diff);
/* Returns the largest number of runs that a group leaves out on a side (0: A, 1: B) because their
 * clocks are wrong. */
size_t syn_diff_lost_runs(const struct syn_diff *diff, int side);

/* Appends one line on whole runs: the ratios B/A of run time, parallel efficiency and time in
 * collectives, with their intervals. Appends nothing if none is known. */
void syn_diff_whole(const struct syn_diff *diff, struct syn_text *text);
/* Appends the result in one line, without a newline: "3 of 14 groups slower, worst: ...". */
void syn_diff_headline(const struct syn_diff *diff, struct syn_text *text);
/* Fills notes [capacity] with constant strings on the limits of a group's figures. Returns their
 * number. */
#define SYN_DIFF_NOTES 11
size_t syn_diff_group_notes(const struct syn_diff *diff, const struct syn_diff_group *group,
                            const char **notes, size_t capacity);

void syn_diff_json(const struct syn_diff *diff, struct syn_text *text);
void syn_diff_csv(const struct syn_diff *diff, struct syn_text *text);
/* Writes the page for a reader: text that fits the terminal, HTML, or Markdown for a pull
 * request. */
void syn_diff_page(const struct syn_diff *diff, enum syn_doc_format format,
                   const struct syn_terminal *terminal, struct syn_text *text);
/* Adds a check for each group to those of the gate (page/diff_gate.h), and writes all as JUnit XML
 * or as annotations, one on each line. */
struct syn_diff_gate;
struct syn_checks;
void syn_diff_ci(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                 struct syn_checks *checks, bool as_junit, struct syn_text *text);

/* Makes and writes the diff of recorded runs, for `diff` and `compare`. format: a word of
 * SYN_DIFF_FORMATS. Returns the exit status: 1 if the gate does not pass or cannot be judged. */
int syn_diff_run(const struct syn_experiment side[2], const struct syn_diff_options *options,
                 const char *format, const char *output, const struct syn_diff_gate *gate);

/* ---- the machines: whether they were busy, whether they are the same (diff_machine.c) ---- */

/* Says whether A and B were recorded in turn, as `compare` does: in order of time, at most two runs
 * of one side follow each other. Then the state of the machine is the same for both sides. Returns
 * false if the start of a run is not known, or a side has only one run. */
bool syn_diff_in_turn(const struct syn_diff *diff);

/* Returns the number of runs of a side (0: A, 1: B) whose machine was, or may have been, busy. */
size_t syn_diff_busy_runs(const struct syn_diff *diff, int side);
/* Calls `warning` for each side and kind of warning about the machine, with the run that has the
 * most of it. */
typedef void (*syn_diff_warning)(void *ctx, struct syn_text *words);
void syn_diff_machine_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx);

/* Appends one sentence on the hosts, kernels, processors and loads in which the sides differ;
 * nothing if they do not. */
void syn_diff_machine_differences(const struct syn_diff *diff, struct syn_text *out);
/* If the sides have processors of different models, appends a sentence and returns true. */
bool syn_diff_processors_differ(const struct syn_diff *diff, struct syn_text *out);

#endif
