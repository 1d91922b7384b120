/* analyze/tune/tune.h - the parts of `syncopate tune`: operations of a trace that are worth tuning
 * (tune_trace.c), choices that the MPI offers (offers.c), launches (launch.c), which candidates are
 * measured when (session.c), promises and verdicts (judge.c), what to set (settings.c), the page
 * (tune_page.c) and the proof (tune_command.c). docs/tune.md says in which order all is done.
 * Launches that decide are new measurements, so candidates that were fast by chance while screening
 * lose that advantage. */
#ifndef SYN_TUNE_H
#define SYN_TUNE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "analyze/doc/doc.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"
#include "analyze/stats/samples/bootstrap.h"

#define TUNE_CONFIDENCE     0.95
#define TUNE_SHARE          0.01 /* of the run: operations with a smaller share are not measured */
#define TUNE_NOISE          1.2
#define TUNE_CERTAIN        0.25 /* least share of the gain at the upper end of the interval */
#define TUNE_TRANSFER       0.15 /* of the gain's logarithm: by that calls in a program differ */
#define TUNE_DIFFERS        1.5  /* ratio from which benchmark and program are said to differ */
#define TUNE_RUNS           6    /* of the proof, on each side */
#define TUNE_LAUNCHES       16
#define TUNE_LAUNCHES_LEAST 5
#define TUNE_NAME_BYTES     80
#define TUNE_SET_BYTES      400
#define TUNE_LINE_BYTES     4400
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
    double median_ns;    /* of an instance; geometric mean over the runs; NAN: unknown */
    struct tune_place {
        int32_t comm, rank; /* in communicators without a common rank; -1: in none */
    } * place;              /* [ranks of the run] */
    int32_t comm_count;
    int64_t *arrival; /* [pattern_count][comm_size], ns after the first member, of a random sample
                         of instances */
    size_t pattern_count;
    double *sample; /* operation times of a random sample of a run's instances */
    uint64_t instance_count, of_run;
    double log_ns; /* sum over the runs with instances */
    size_t timed_runs;
};

struct tune_trace {
    struct tune_group *group; /* [count], the longest operation first */
    size_t count, capacity;
    size_t run_count;
    int32_t rank_count;
    double run_ns; /* mean duration of a run */
    char *mpi;     /* name of the MPI library; NULL: unknown */
    char **host;   /* [rank_count] */
    struct syn_random random;
};

/* Reads a trace, or an experiment's runs. Returns 0, or SYN_EXIT_BAD after a line on stderr. `out`
 * must be freed also after an error. */
int tune_trace_read(char *path, struct tune_trace *out);
/* Returns the group with these properties; NULL if there is none. */
struct tune_group *tune_trace_find(const struct tune_trace *trace, uint16_t op, uint32_t comm_size,
                                   uint64_t bytes);
void tune_trace_free(struct tune_trace *trace);

/* ---- promises ---- */

struct tune_promise {
    size_t n;                       /* number of launches that measured both */
    double ratio;                   /* candidate / now: geometric mean over the launches */
    double mean_low;                /* lower end of its t interval, by pairs */
    double low, high;               /* of the ratio that `compare` finds */
    double p;                       /* two-sided t test of the pairs against 1; not adjusted */
    double now_low_ns, now_high_ns; /* shortest and longest median with the present setting */
};

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

/* Medians of a launch: the operation with fresh data, the ranks' time inside it, and in a row. */
enum tune_time { TUNE_FRESH, TUNE_INSIDE, TUNE_ROW, TUNE_TIMES };

struct tune_candidate {
    char set[TUNE_SET_BYTES];         /* for the program: "NAME=NUMBER,NAME=NUMBER" */
    char environment[TUNE_SET_BYTES]; /* for the user: lines "NAME=VALUE"; "": no change */
    char label[2 * TUNE_NAME_BYTES];
    int algorithm, segment; /* Open MPI's numbers */
    enum tune_state state;
    double median_ns;                         /* in the last launch; NAN: not measured */
    double log_ns[TUNE_TIMES][TUNE_LAUNCHES]; /* of launches that decide; NAN: not measured */
    struct tune_promise promise;              /* p is adjusted after all are judged */
};

/* Returns the promise for a candidate. program_ns: the median in the program; NAN: unknown. The
 * interval is the prediction interval (t, of logarithms) of TUNE_RUNS pairs of runs, no wider than
 * the launches' ratios, with fresh data and in a row; the latter unless the program takes more than
 * twice as long as any row, and is nearer to fresh data. A program outside
 * of the launches' times widens it. If it is slower: up to the ratio that follows if this
 * difference stays with the candidate, and if it goes. If it is faster: by that factor at both
 * ends. Last, both ends move by TUNE_TRANSFER of the mean's logarithm, as calls in the program
 * differ from the benchmark's. All NAN below TUNE_LAUNCHES_LEAST launches. */
struct tune_promise tune_promise_of(const struct tune_candidate *now,
                                    const struct tune_candidate *with, double program_ns);
/* Returns the geometric mean of the launches' ratios; NAN: none. */
double tune_ratio_of(const struct tune_candidate *now, const struct tune_candidate *with,
                     enum tune_time time);

/* ---- the session ---- */

enum tune_verdict { TUNE_UNKNOWN, TUNE_NOTHING, TUNE_BETTER };

/* A group of the trace that is measured. */
struct tune_item {
    const struct tune_group *group;
    char op[TUNE_NAME_BYTES]; /* "bcast": the name in control variables */
    const char *why;          /* why the verdict is TUNE_UNKNOWN; NULL: by the times */
    struct tune_candidate candidate[TUNE_CANDIDATES];
    size_t count; /* of candidates; 0: not measured */
    uint64_t kept, dropped;
    size_t best; /* number of the best candidate; 0: none */
    enum tune_verdict verdict;
    double result;        /* the program's median with / without the advice; NAN: not proven */
    double result_now_ns; /* the latter */
};

/* Adds the item's candidates, first the present setting; none if this MPI has none. Returns the
 * name of a variable that cannot be written (borrowed; NULL: none). */
const char *tune_candidates(const struct tune_offers *offers, struct tune_item *item);
/* Adds variants with shorter segments than the bytes for each candidate that is still measured. */
void tune_add_segments(const struct tune_offers *offers, struct tune_item *item);

struct tune_session {
    const struct tune_trace *trace;
    char *const *launcher; /* its words, NULL-terminated */
    char program[4096];    /* that it launches */
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
    struct syn_text refused, wrong, broken; /* lists of names */
    size_t proof_runs;                      /* number of runs on each side; 0: not proven */
    double run_ratio;                       /* ratio of their durations; NAN: not proven */
};

/* Asks the MPI, measures and judges. Returns 0, or an exit status after a line on stderr. */
int tune_session_run(struct tune_session *session);
void tune_session_free(struct tune_session *session);

/* The candidates of a launch. TUNE_ADVICE: the best ones of the advice, and what the launch's
 * environment sets in the place of the present setting. */
enum tune_which { TUNE_ALL, TUNE_NOW, TUNE_OTHERS, TUNE_ADVICE };

/* Both start the program once or more, and return 0, or an exit status after a line on stderr.
 * tune_ask asks for the offers. tune_launch measures candidates; it launches again without a
 * candidate that ends the program. settings: "NAME=VALUE ..."; launch: number of a launch that
 * decides, or what it is for. */
enum { TUNE_SCREENS = -2, TUNE_CHECKS = -1 };
int tune_ask(struct tune_session *session);
int tune_launch(struct tune_session *session, const char *settings, double seconds, int launch,
                enum tune_which which);

/* Keeps the present setting, and the candidates whose median is among the `most` shortest and
 * within TUNE_NOISE of the shortest; all others become TUNE_OUT. */
void tune_halve(struct tune_item *item, size_t most);
/* Sets best and verdict of all items, as docs/tune.md says. Returns 0 or SYN_ENOMEM. */
int tune_judge(struct tune_session *session);
/* Takes an item's verdict back. */
void tune_give_up(struct tune_item *item, const char *why);
/* Returns the next item that is better (it has advice) after `item`; NULL: the first, or none. */
struct tune_item *tune_next_advised(const struct tune_session *session,
                                    const struct tune_item *item);

/* ---- what to set ---- */

/* Appends lines "NAME=VALUE": the settings of the advice, or of one item's (`only`). */
void tune_settings(const struct tune_session *session, const struct tune_item *only,
                   struct syn_text *out);
/* Appends all settings as a shell reads them: " NAME=VALUE NAME='two words'". */
void tune_shell_settings(const struct tune_session *session, struct syn_text *out);
/* Lists are lines, each ended by a newline. tune_list_once adds one; it returns false if the list
 * has it. tune_list_next copies the line that begins at *at, and moves *at to the next one. */
bool tune_list_once(struct syn_text *list, const char *name);
bool tune_list_next(const struct syn_text *list, size_t *at, char line[TUNE_LINE_BYTES]);
/* Writes Open MPI's dynamic rules for the advice. Those in force stay for all other sizes. Returns
 * false if their file cannot be read. */
bool tune_write_rules(const struct tune_session *session, struct syn_text *out);

/* ---- the answer ---- */

/* Writes the answer to a page, which borrows it. `output`: the written file; NULL: none. */
void tune_page(struct syn_doc *doc, const struct tune_session *session, const char *output);

#endif
