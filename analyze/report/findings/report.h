/* analyze/report/findings/report.h - a report: read from traces, computed, sorted, and written in
 * one of several formats. */
#ifndef SYN_REPORT_H
#define SYN_REPORT_H

#include "analyze/doc/doc.h"
#include "analyze/match/groups/groups.h"
#include "analyze/match/members/experiment.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"
#include "analyze/report/figures/figures.h"
#include "analyze/report/findings/facts.h"

enum syn_report_rows {
    SYN_ROWS_GROUPS,
    SYN_ROWS_SEGMENTS, /* what ranks do between calls */
    SYN_ROWS_TIME,     /* slices of the run's time */
    SYN_ROWS_MESSAGES, /* messages by operation, site and size */
};

struct syn_report_options {
    unsigned hidden_classes;   /* SYN_HIDE(class) | ... */
    unsigned by;               /* SYN_BY(key) | ... */
    enum syn_report_rows rows; /* rows of the table */
    bool rows_by_rank;         /* segments or slices are by rank, too */
    double confidence;         /* of intervals, in (0, 1) */
    const char *skip; /* patterns of frames that only pass calls on (symbols.h); NULL: `wrappers` */
    const char *wrappers; /* wrappers found by another report, so that both name sites alike; NULL:
                             they are found */
    const char *sort;     /* a key of syn_report_sort */
    size_t top;           /* rows of the table; 0: all */
    double least_share; /* rows of a smaller share of the run are left out of a text's table, except
                           the first */
    bool verbose;   /* a text also has all warnings, what differs between ranks, and what the words
                       mean */
    bool all;       /* figures include late starts and pauses of the profiler */
    enum syn_ci ci; /* for the medians' intervals */
    uint64_t seed;  /* for resampling */
    bool skip_warmup; /* leave out warm-ups */
    bool pairs;       /* compare each pair of ranks */
    bool tukey;       /* also compute each run's averages without outliers (JSON) */
    double precision; /* wanted half width of the medians' intervals, as a share: 0.05; 0: none */
    size_t memory_bytes;   /* for columns and figures; what needs more goes to a temporary file. 0:
                              half of the machine's */
    bool without_causes;   /* do not find causes: used to measure what they cost */
    uint64_t slice_events; /* for tests, as in struct syn_match; 0: chosen by the trace's size */
    unsigned efficiency_keys; /* keys of efficiencies that causes lack (keyed_causes.h) */
    bool tells_passes; /* the format has *Why* or segments, which describe single passes: the trace
                          may be read a second time */
};

struct syn_report {
    struct syn_report_options options;
    struct syn_names names;
    struct syn_groups groups;
    struct syn_figures *figures; /* [groups.count] */
    size_t *order;               /* [groups.count], indices of `figures`, sorted */
    struct syn_run_facts *run;   /* [run_count], the runs that could be read */
    size_t run_count;
    uint64_t instance_count;   /* complete instances of all runs */
    uint64_t late_start_count; /* of these: with a late start */
    uint64_t perturbed_count;  /* of these: touched by a pause of the profiler */
    char *wrappers;    /* wrappers skipped when sites were named (symbols/wrappers.h); owned */
    char **unreadable; /* [unreadable_count], a line for each run that could not be read */
    size_t unreadable_count;
};

/* Reads the traces and computes the report. Returns 0, or a negative status with a line in *why
 * that names the file and the fault. The caller frees *why; it is NULL if memory ran out. */
int syn_report_make(const struct syn_experiment *experiment,
                    const struct syn_report_options *options, struct syn_report *out, char **why);
/* Writes to stderr what is missing in the traces, since the report itself may go to a file. */
void syn_report_say_faults(const struct syn_report *report);
/* Sorts groups in descending order by "total", "instances", "incomplete", "wait", a metric
 * ("completion": its median), a figure of a metric ("completion.p99"; "_ns" after the metric is
 * ignored), or a figure of another object of a group ("anova.p", "wait.share"). Returns 0, or
 * SYN_EINVAL for any other key. */
int syn_report_sort(struct syn_report *report, const char *key);
/* Sets `latest` and `latest_p` of the figures: the rank that came last most often in each group, if
 * that is more than chance. Returns 0 or SYN_ENOMEM. */
int syn_report_find_latest(struct syn_report *report);
/* Returns 0 if `key` is one of syn_report_sort, else SYN_EINVAL. */
int syn_report_sort_key(const char *key);
void syn_report_free(struct syn_report *report);

/* These functions append the report to `text` in one format. */
void syn_report_json(const struct syn_report *report, struct syn_text *text);
void syn_report_csv(const struct syn_report *report, struct syn_text *text);
/* Writes the JSON object `name`: whether a run's clocks ran as they were measured. Other commands
 * use it, too. `now`: causality of the times in use. */
struct syn_json;
void syn_clock_check_json(const struct syn_clock_check *check, const struct syn_causality *now,
                          struct syn_json *json, const char *name);
/* Appends the report for people: text that fits the terminal, an HTML page, or Markdown for a pull
 * request. */
void syn_report_page(const struct syn_report *report, enum syn_doc_format format,
                     const struct syn_terminal *terminal, struct syn_text *text);
/* Appends the report for build servers, as JUnit's XML or as annotations of one line each: the
 * check of the clocks, which fails if `fails_on_clock`, and what is missing. */
void syn_report_ci(const struct syn_report *report, bool fails_on_clock, bool as_junit,
                   struct syn_text *text);

/* Writes why figures of a group are missing: up to `capacity` constant strings. Returns how
 * many. */
#define SYN_GROUP_NOTES 16
size_t syn_report_group_notes(const struct syn_figures *figures, const char **notes,
                              size_t capacity);
/* Return the text of a property that all instances of the group share; NULL if they differ. */
const char *syn_report_op(const struct syn_group *group);
const char *syn_report_site(const struct syn_report *report, const struct syn_group *group);
const char *syn_report_comm(const struct syn_report *report, const struct syn_group *group);
/* Returns the phase; "" outside of all phases. */
const char *syn_report_phase(const struct syn_report *report, const struct syn_group *group);
bool syn_report_bytes(const struct syn_group *group, uint64_t *bytes);
bool syn_report_root(const struct syn_group *group, int32_t *root);
bool syn_report_comm_size(const struct syn_group *group, uint64_t *size);
/* Writes "Open MPI v4.1.4" from the text of MPI_Get_library_version, which has several lines; ""
 * for NULL. */
void syn_report_mpi_name(const char *library, char *out, size_t bytes);

#endif
