/* analyze/tune/tune.h - the parts of `syncopate tune`: what of a trace is worth it (tune_trace.c),
 * what the MPI offers (offers.c), launches (launch.c), which candidates are measured when
 * (session.c), promises and verdicts (judge.c), what to set (settings.c), page and proof
 * (tune_page.c, prove.c).
 *
 * 1. The launched program (preload/tune/measure.c) asks the MPI for its control variables.
 * 2. Two launches screen, all ranks arriving together: the slower half goes, then all that are
 *    slower than the best by TUNE_NOISE. Between the two, candidates with segments are added.
 * 3. At least TUNE_LAUNCHES_LEAST launches decide, with arrivals of the trace. They are new
 *    measurements: what was lucky in the first ones gains nothing by that.
 * 4. One more starts with the advice: is it as fast as promised?
 * In each launch blocks of all candidates follow in random order. An instance is dropped where a
 * rank missed its planned entry. */
#ifndef SYN_TUNE_H
#define SYN_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "analyze/doc/doc.h"
#include "analyze/match/members/experiment.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"
#include "analyze/stats/samples/bootstrap.h"

#define TUNE_CONFIDENCE     0.95
#define TUNE_SHARE          0.01 /* of the run, that an operation takes to be looked at */
#define TUNE_NOISE          1.2
#define TUNE_CERTAIN        0.25 /* of the gain must be promised by the interval's upper end */
#define TUNE_LAUNCHES       16
#define TUNE_LAUNCHES_LEAST 5
#define TUNE_NAME_BYTES     80
#define TUNE_SET_BYTES      400
#define TUNE_CANDIDATES     64
#define TUNE_ITEMS          16
#define TUNE_PROOF          "syncopate-tune"
#define TUNE_OPEN_MPI       "OMPI_MCA_"
#define TUNE_RULES          "coll_tuned_use_dynamic_rules"
#define TUNE_RULES_FILE     "coll_tuned_dynamic_rules_filename"

/* ---- the trace ---- */

struct tune_group {
    uint16_t op; /* syn_op_id */
    uint32_t comm_size;
    uint64_t bytes;
    int32_t root;        /* rank in the communicator; -1 none */
    double operation_ns; /* sum, mean over all ranks of the run */
    double median_ns;    /* of an instance, mean over runs (of logarithms) */
    double log_sum;      /* of the runs' medians */
    size_t log_count;
    struct tune_place {
        int32_t comm, rank; /* of communicators without a common rank; -1: in none */
    } * place;              /* [ranks of the run] */
    int32_t comm_count;
    int64_t *arrival; /* [pattern_count][comm_size], ns after the first member, a random sample */
    size_t pattern_count;
    double *sample;            /* [sample_count], operations of the run in hand, a random sample */
    size_t sample_count, seen; /* seen: in the run in hand */
    uint64_t instance_count;
};

struct tune_trace {
    struct tune_group *group; /* [count], the longest first */
    size_t count;
    size_t run_count;
    int32_t rank_count;
    double run_ns; /* mean duration of a run */
    char *mpi;     /* its library's name; NULL: unknown */
    char **host;   /* [rank_count] */
    struct syn_random random;
};

/* Read the runs. Returns 0, or SYN_EXIT_BAD after a line; free it in any case. */
int tune_trace_read(const struct syn_experiment *experiment, struct tune_trace *out);
/* NULL: none. */
struct tune_group *tune_trace_find(const struct tune_trace *trace, uint16_t op, uint32_t comm_size,
                                   uint64_t bytes);
void tune_trace_free(struct tune_trace *trace);

/* ---- promises ---- */

struct tune_promise {
    size_t n;                   /* launches that measured both */
    double now_ns;              /* their geometric mean now */
    double ratio;               /* candidate / now: mean of logarithms */
    double mean_low, mean_high; /* t interval of that mean, by pairs */
    double low, high; /* of what `compare` of as many pairs of runs finds in the program */
    double p;         /* two-sided t test of the pairs against a ratio of 1; not adjusted */
};

/* log_now, log_try [n]: logarithms of each launch's median; NAN: not measured. program_ns: the
 * median in the program; NAN: unknown. The launch is the unit of repetition.
 *
 * low and high are a prediction: a comparison of as many runs errs as much as the launches do, so
 * the interval is sqrt(2) times as wide as that of the mean (Student's t). Where the program's own
 * time differs from the benchmark's by some ns, it also holds the ratio that follows if these ns
 * stay as they are, and where it is longer, the one if they go. All NAN below TUNE_LAUNCHES_LEAST
 * launches. */
struct tune_promise tune_promise_of(const double *log_now, const double *log_try, size_t n,
                                    double program_ns);

/* ---- what the MPI offers ---- */

struct tune_variable {
    const char *name, *value, *words, *list;
    bool is_writable;
};

/* As the launched program tells it. */
struct tune_offers {
    char *answer; /* all text lies in it; owned */
    int rank_count;
    const char *mpi_version;
    const char **host; /* [host_count], of each rank */
    size_t host_count, host_capacity;
    struct tune_variable *variable; /* [count] */
    size_t count, capacity;
};

/* Takes the program's answer. Returns 0 or SYN_ENOMEM; free it in any case. */
int tune_offers_read(char *answer, struct tune_offers *out);
const struct tune_variable *tune_offers_find(const struct tune_offers *offers, const char *name);
/* Is a file of Open MPI's dynamic rules in force? */
bool tune_offers_have_rules(const struct tune_offers *offers);
void tune_offers_free(struct tune_offers *offers);

struct tune_value {
    int number;
    char name[TUNE_NAME_BYTES];
};
/* The values of a variable of the operation `op` ("bcast"), up to `capacity`, into `out`. Returns
 * how many: 0 where neither list nor description name any. */
size_t tune_values(const struct tune_variable *variable, const char *op, struct tune_value *out,
                   size_t capacity);

enum tune_state {
    TUNE_IN,      /* still measured */
    TUNE_OUT,     /* slower than others */
    TUNE_REFUSED, /* the variable kept its value, or the call returned an error */
    TUNE_WRONG,   /* its result was wrong */
    TUNE_BROKEN   /* the program ended, or hung */
};

struct tune_candidate {
    char set[TUNE_SET_BYTES];         /* for the program: "NAME=NUMBER,NAME=NUMBER" */
    char environment[TUNE_SET_BYTES]; /* for the user: "NAME=VALUE,NAME=VALUE"; "": as it is now */
    char label[2 * TUNE_NAME_BYTES];
    int algorithm, segment; /* numbers of Open MPI */
    enum tune_state state;
    double median_ns; /* of the last launch; NAN */
    /* Logarithms of medians in launches that decide; NAN. log_row: of calls in a row. */
    double log_ns[TUNE_LAUNCHES], log_inside[TUNE_LAUNCHES], log_row[TUNE_LAUNCHES];
    struct tune_promise promise; /* p: adjusted, once all are judged */
};

/* The candidates for `op` into candidate[TUNE_CANDIDATES], first the setting as it is now. Returns
 * how many; 0: this MPI has none. `refused` gets the name of a variable that cannot be written
 * (NULL: none; borrowed). */
size_t tune_candidates(const struct tune_offers *offers, const char *op,
                       struct tune_candidate *candidate, const char **refused);
/* Adds to each candidate that is still in those with segments below `bytes`. Returns how many there
 * are then. */
size_t tune_candidates_add_segments(const struct tune_offers *offers, const char *op,
                                    uint64_t bytes, struct tune_candidate *candidate, size_t count);

/* ---- launches ---- */

struct tune_launcher {
    char *const *word; /* NULL-terminated: up to where the program would stand */
    char program[4096];
};

/* Finds the program for the MPI that a trace names ("Open MPI v4.1.4", "MPICH Version: ..."):
 * beside the injected library. Returns 0, or SYN_EXIT_BAD after a line. */
int tune_launcher_find(struct tune_launcher *launcher, const char *mpi);
/* Runs `env`, `settings` ("NAME=VALUE ..."), LAUNCHER, PROGRAM with `plan` as its input. *answer:
 * what it printed, also where it failed; the caller frees it. `why` is then a line about that.
 * Returns 0; SYN_EEND where a signal ended it; SYN_ETRANSPORT where it failed or was silent;
 * SYN_EIO. */
int tune_launch(const struct tune_launcher *launcher, const char *settings, struct syn_text *plan,
                char **answer, struct syn_text *why);

/* ---- the session ---- */

enum tune_verdict { TUNE_UNKNOWN, TUNE_NOTHING, TUNE_BETTER };

/* A group of the trace that is looked at. */
struct tune_item {
    const struct tune_group *group;
    char op[TUNE_NAME_BYTES];         /* "bcast", as variables name it */
    const char *why;                  /* there is no verdict; NULL: there is */
    struct tune_candidate *candidate; /* [TUNE_CANDIDATES], `count` of them in use; owned */
    size_t count;                     /* 0: not measured */
    uint64_t kept, dropped;
    size_t best;         /* candidate; 0: none */
    double inside_ratio; /* of the ranks' time inside */
    double gain_ns;      /* of the run */
    enum tune_verdict verdict;
    double result; /* the program's median with the advice / without; NAN: not proven */
};

struct tune_session {
    const struct tune_trace *trace;
    struct tune_launcher launcher;
    double budget_s;
    bool even; /* arrivals, also where it is decided */
    long seed;
    const char *rules_path; /* of a rules file that may be written; NULL: none */
    bool by_rules;          /* advice is written there, for its sizes alone */
    struct tune_offers offers;
    struct tune_item *item; /* [count] */
    size_t count;
    struct syn_progress progress;
    time_t begun;
    size_t launch_count, decided;           /* decided: of those that decide */
    struct syn_text refused, wrong, broken; /* names, each with a newline behind it */
    size_t proof_runs;                      /* of each side; 0: nothing was proven */
    double run_ratio;                       /* of their durations; NAN */
};

/* Ask the MPI, measure, judge. Returns 0, or an exit status after a line. */
int tune_session_run(struct tune_session *session);
void tune_session_free(struct tune_session *session);

/* Leave those candidates in whose median is among the `most` shortest and within TUNE_NOISE of the
 * shortest; what is set now is not asked. Those that were not measured go. */
void tune_halve(struct tune_item *item, size_t most);
/* Sets best, gain_ns and verdict of all items. `better`: the paired test after Holm over
 * all candidates that were left is below 1 - TUNE_CONFIDENCE, and the promised interval lies below
 * 1. `nothing to gain`: for no candidate does the interval of its mean reach a gain of TUNE_SHARE
 * of the run. Where one variable holds for all sizes of an operation, the value with the largest
 * gain over its groups is taken for all of them. Returns 0 or SYN_ENOMEM. */
int tune_judge(struct tune_session *session);
/* Has it advice? */
bool tune_is_advised(const struct tune_item *item);
/* How many items have. */
size_t tune_advised(const struct tune_session *session);

/* ---- what to set ---- */

/* Call `each` for every NAME and VALUE of the advice, or of one item's, once for each name. */
typedef void tune_setting(void *ctx, const char *name, const char *value);
void tune_each_setting(const struct tune_session *session, const struct tune_item *only,
                       tune_setting *each, void *ctx);
/* All of them, as a shell takes them: " NAME='VALUE' NAME='VALUE'". */
void tune_settings(const struct tune_session *session, struct syn_text *out);
/* Add a name to a list of names, each with a newline behind it. Returns false if it is there. */
bool tune_list_once(struct syn_text *list, const char *name);
/* Writes Open MPI's dynamic rules for what is advised. Those of a file that is in force stay for
 * all else; false: they could not be read. */
bool tune_write_rules(const struct tune_session *session, struct syn_text *out);

/* ---- the answer ---- */

/* `syncopate compare` of the command with and without the advice, into the directory TUNE_PROOF.
 * Sets the items' results. Returns 0, or an exit status after a line. */
int tune_prove(struct tune_session *session, const char *command);

/* Put the answer on a page, which borrows it. `output`: the file that was written; NULL: none. */
void tune_page(struct syn_doc *doc, const struct tune_session *session, const char *output);

#endif
