/* analyze/tune/tune.h - the parts of `syncopate tune`: operations of a trace that are worth tuning
 * (tune_trace.c), choices that the MPI offers (offers.c), launches (launch.c), which candidates are
 * measured when (session.c), promises and verdicts (judge.c), what to set (settings.c), page and
 * proof (tune_page.c, prove.c).
 *
 * 1. The launched program (preload/tune/measure.c) asks the MPI for its control variables.
 * 2. Two launches screen, with all ranks arriving together: the slower half of the candidates goes,
 *    then all that are slower than the best by TUNE_NOISE. Between the two launches, candidates
 * with segments are added.
 * 3. At least TUNE_LAUNCHES_LEAST launches decide, with arrivals of the trace. They are new
 *    measurements, so candidates that were fast by chance in the first launches lose that
 * advantage.
 * 4. Some more launches start with the advice, to check that it is as fast as promised.
 * In each launch, blocks of all candidates follow in random order. An instance is dropped if a rank
 * missed its planned entry. */
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

#define TUNE_CONFIDENCE 0.95
#define TUNE_SHARE      0.01 /* of the run: operations with a smaller share are not measured */
#define TUNE_NOISE      1.2
#define TUNE_CERTAIN \
    0.25 /* least share of the gain that is left at the upper end of the interval */
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
    int32_t root;        /* rank in the communicator; -1: none */
    double operation_ns; /* sum over the instances of a run; mean over ranks and runs */
    double median_ns;    /* median of an instance; geometric mean over runs */
    double log_sum;      /* sum of logarithms of the runs' medians */
    size_t log_count;
    struct tune_place {
        int32_t comm, rank; /* in communicators without a common rank; -1: in none */
    } * place;              /* [ranks of the run] */
    int32_t comm_count;
    int64_t *arrival; /* [pattern_count][comm_size], ns after the first member, of a random sample
                         of instances */
    size_t pattern_count;
    double *sample; /* [sample_count], operation times in the current run, a random sample */
    size_t sample_count, seen; /* seen: number in the current run */
    uint64_t instance_count;
};

struct tune_trace {
    struct tune_group *group; /* [count], the longest operation first */
    size_t count;
    size_t run_count;
    int32_t rank_count;
    double run_ns; /* mean duration of a run */
    char *mpi;     /* name of the MPI library; NULL: unknown */
    char **host;   /* [rank_count] */
    struct syn_random random;
};

/* Reads the runs. Returns 0, or SYN_EXIT_BAD after a line on stderr. `out` must be freed also after
 * an error. */
int tune_trace_read(const struct syn_experiment *experiment, struct tune_trace *out);
/* Returns the group with these properties; NULL if there is none. */
struct tune_group *tune_trace_find(const struct tune_trace *trace, uint16_t op, uint32_t comm_size,
                                   uint64_t bytes);
void tune_trace_free(struct tune_trace *trace);

/* ---- promises ---- */

struct tune_promise {
    size_t n;                   /* number of launches that measured both */
    double now_ns;              /* geometric mean over the launches, with the present setting */
    double ratio;               /* candidate / now: geometric mean over the launches */
    double mean_low, mean_high; /* t interval of that mean, by pairs */
    double low, high; /* prediction interval of the ratio that `compare` finds with as many pairs of
                         runs of the program */
    double p;         /* two-sided t test of the pairs against a ratio of 1; not adjusted */
};

/* Returns the promise for a candidate. log_now, log_try [n]: logarithms of each launch's median;
 * NAN: not measured. program_ns: the median in the program; NAN: unknown. The launch is the unit of
 * repetition.
 *
 * low and high are a prediction: a comparison of as many runs has the same error as the launches,
 * so the interval is sqrt(2) times as wide as that of the mean (Student's t). If the program's own
 * time differs from the benchmark's, the interval is widened to the ratio that follows if this
 * difference stays the same; low is at most halved by that. If the program's time is longer, low is
 * also reduced to the ratio that follows if the candidate avoids the difference. All NAN below
 * TUNE_LAUNCHES_LEAST launches. */
struct tune_promise tune_promise_of(const double *log_now, const double *log_try, size_t n,
                                    double program_ns);

/* ---- what the MPI offers ---- */

struct tune_variable {
    const char *name, *value, *words, *list;
    bool is_writable;
};

/* The answer of the launched program. */
struct tune_offers {
    char *answer; /* contains all texts below; owned */
    int rank_count;
    const char *mpi_version;
    const char **host; /* [host_count], the host of each rank */
    size_t host_count, host_capacity;
    struct tune_variable *variable; /* [count] */
    size_t count, capacity;
};

/* Parses the program's answer, and owns it from then on. Returns 0 or SYN_ENOMEM. `out` must be
 * freed also after an error. */
int tune_offers_read(char *answer, struct tune_offers *out);
const struct tune_variable *tune_offers_find(const struct tune_offers *offers, const char *name);
/* Returns whether a file of Open MPI's dynamic rules is in force. */
bool tune_offers_have_rules(const struct tune_offers *offers);
void tune_offers_free(struct tune_offers *offers);

struct tune_value {
    int number;
    char name[TUNE_NAME_BYTES];
};
/* Writes the values of a variable of the operation `op` ("bcast"), up to `capacity`, to `out`.
 * Returns their number: 0 if neither list nor description names any. */
size_t tune_values(const struct tune_variable *variable, const char *op, struct tune_value *out,
                   size_t capacity);

enum tune_state {
    TUNE_IN,      /* still measured */
    TUNE_OUT,     /* slower than others */
    TUNE_REFUSED, /* the variable kept its value, or the call returned an error */
    TUNE_WRONG,   /* a result was wrong */
    TUNE_BROKEN   /* the program ended early, or hung */
};

struct tune_candidate {
    char set[TUNE_SET_BYTES];         /* for the program: "NAME=NUMBER,NAME=NUMBER" */
    char environment[TUNE_SET_BYTES]; /* for the user: "NAME=VALUE,NAME=VALUE"; "": no change */
    char label[2 * TUNE_NAME_BYTES];
    int algorithm, segment; /* Open MPI's numbers */
    enum tune_state state;
    double median_ns; /* in the last launch; NAN: not measured */
    /* Logarithms of the medians in launches that decide; NAN: not measured. log_inside: of the
     * ranks' time inside the call; log_row: of calls in a row. */
    double log_ns[TUNE_LAUNCHES], log_inside[TUNE_LAUNCHES], log_row[TUNE_LAUNCHES];
    struct tune_promise promise; /* p is adjusted after all are judged */
};

/* Writes the candidates for `op` to candidate[TUNE_CANDIDATES], first the present setting. Returns
 * their number; 0: this MPI has none. *refused is the name of a variable that cannot be written
 * (borrowed; NULL: none). */
size_t tune_candidates(const struct tune_offers *offers, const char *op,
                       struct tune_candidate *candidate, const char **refused);
/* Adds, for each candidate that is still measured, variants with segments shorter than `bytes`.
 * Returns the new number of candidates. */
size_t tune_candidates_add_segments(const struct tune_offers *offers, const char *op,
                                    uint64_t bytes, struct tune_candidate *candidate, size_t count);

/* ---- launches ---- */

struct tune_launcher {
    char *const *word; /* the launcher's words before the program, NULL-terminated */
    char program[4096];
};

/* Finds the measuring program for the MPI that a trace names ("Open MPI v4.1.4", "MPICH Version:
 * ..."), in the directory of libsyncopate.so. Returns 0, or SYN_EXIT_BAD after a line on stderr. */
int tune_launcher_find(struct tune_launcher *launcher, const char *mpi);
/* Runs "env SETTINGS LAUNCHER PROGRAM" with `plan` as its input; settings: "NAME=VALUE ...".
 * *answer: its output, also after a failure; the caller frees it. If the program fails, its first
 * line of error output is appended to `why`. Returns 0; SYN_EEND if a signal interrupted it;
 * SYN_ETRANSPORT if it failed or was silent; SYN_EIO. */
int tune_launch(const struct tune_launcher *launcher, const char *settings, struct syn_text *plan,
                char **answer, struct syn_text *why);

/* ---- the session ---- */

enum tune_verdict { TUNE_UNKNOWN, TUNE_NOTHING, TUNE_BETTER };

/* A group of the trace that is measured. */
struct tune_item {
    const struct tune_group *group;
    char op[TUNE_NAME_BYTES];         /* "bcast": the name in control variables */
    const char *why;                  /* why there is no verdict; NULL: there is one */
    struct tune_candidate *candidate; /* [TUNE_CANDIDATES], `count` in use; owned */
    size_t count;                     /* 0: not measured */
    uint64_t kept, dropped;
    size_t best;         /* number of the best candidate; 0: none */
    double inside_ratio; /* ratio of the ranks' time inside the call */
    double gain_ns;      /* gain per run */
    enum tune_verdict verdict;
    double result; /* the program's median with / without the advice; NAN: not proven */
};

struct tune_session {
    const struct tune_trace *trace;
    struct tune_launcher launcher;
    double budget_s;
    bool even; /* all ranks arrive together, also in launches that decide */
    long seed;
    const char *rules_path; /* path of a rules file that may be written; NULL: none */
    bool by_rules;          /* the advice is written to that file, for single sizes */
    struct tune_offers offers;
    struct tune_item *item; /* [count] */
    size_t count;
    struct syn_progress progress;
    time_t begun;
    size_t launch_count, decided;           /* decided: launches that decide */
    struct syn_text refused, wrong, broken; /* names, each followed by a newline */
    size_t proof_runs;                      /* number of runs on each side; 0: not proven */
    double run_ratio;                       /* ratio of their durations; NAN: not proven */
};

/* Asks the MPI, measures and judges. Returns 0, or an exit status after a line on stderr. */
int tune_session_run(struct tune_session *session);
void tune_session_free(struct tune_session *session);

/* Keeps the candidates whose median is among the `most` shortest and within TUNE_NOISE of the
 * shortest; all others become TUNE_OUT, also those without a measurement. The present setting is
 * always kept. */
void tune_halve(struct tune_item *item, size_t most);
/* Sets best, gain_ns and verdict of all items. `better`: p of the paired test, after Holm over all
 * remaining candidates, is below 1 - TUNE_CONFIDENCE, and the promised interval lies below 1.
 * `nothing to gain`: for no candidate does the interval of its mean reach a gain of TUNE_SHARE of
 * the run. If one variable holds for all sizes of an operation, the value with the largest gain
 * over all its groups is chosen for all of them. Returns 0 or SYN_ENOMEM. */
int tune_judge(struct tune_session *session);
/* Returns whether the item has advice. */
bool tune_is_advised(const struct tune_item *item);
/* Returns the number of items with advice. */
size_t tune_advised(const struct tune_session *session);

/* ---- what to set ---- */

/* Calls `each` for every NAME and VALUE of the advice, or of one item's (`only`), once for each
 * name. */
typedef void tune_setting(void *ctx, const char *name, const char *value);
void tune_each_setting(const struct tune_session *session, const struct tune_item *only,
                       tune_setting *each, void *ctx);
/* Appends all settings as a shell reads them: " NAME='VALUE' NAME='VALUE'". */
void tune_settings(const struct tune_session *session, struct syn_text *out);
/* Adds a name to a list of names, each followed by a newline. Returns false if it is in the list.
 */
bool tune_list_once(struct syn_text *list, const char *name);
/* Writes Open MPI's dynamic rules for the advice. Rules of a file that is in force are kept for all
 * other sizes. Returns false if that file cannot be read. */
bool tune_write_rules(const struct tune_session *session, struct syn_text *out);

/* ---- the answer ---- */

/* Runs `syncopate compare` of the command with and without the advice, into the directory
 * TUNE_PROOF, and sets the items' results. Returns 0, or an exit status after a line on stderr. */
int tune_prove(struct tune_session *session, const char *command);

/* Writes the answer to a page, which borrows it. `output`: the file that was written; NULL: none.
 */
void tune_page(struct syn_doc *doc, const struct tune_session *session, const char *output);

#endif
