/* analyze/report/findings/report.h - a report: read, computed, ordered; written in one of several
 * formats.
 */
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
    SYN_ROWS_MESSAGES, /* by operation, site and size */
};

struct syn_report_options {
    unsigned hidden_classes;   /* SYN_HIDE(class) | ... */
    unsigned by;               /* SYN_BY(key) | ... */
    enum syn_report_rows rows; /* what stands in the place of groups */
    bool rows_by_rank;         /* likewise, by rank */
    double confidence;         /* of intervals, in (0, 1) */
    const char *skip;          /* frames that only pass calls on (symbols.h); NULL: wrappers */
    const char *wrappers; /* those of another report, for the same names; NULL: they are found */
    const char *sort;     /* "total", "instances", a metric, OBJECT.FIGURE; see syn_report_sort */
    size_t top;           /* rows of the text's table; 0: all */
    double least_share; /* of the run: rows of less are left out of that table, but for the first */
    bool verbose;       /* the text has all warnings, what differs between ranks, the words */
    bool all;           /* late starts and pauses are part of the figures */
    enum syn_ci ci;     /* of the medians' intervals */
    uint64_t seed;      /* of resampling */
    bool skip_warmup;   /* leave out what comes before a group settles */
    bool pairs;         /* compare each pair of ranks */
    bool tukey;         /* each run's averages without outliers, too (JSON) */
    double precision;   /* wanted of the medians, as a share of them: 0.05; 0: none */
    size_t memory_bytes;   /* for the columns and what is computed of them; beyond, a temporary file
                              takes them. 0: half of the machine's */
    bool without_causes;   /* what they cost is measured so */
    uint64_t slice_events; /* tests, as in struct syn_match; 0: as the trace is */
    unsigned efficiency_keys; /* efficiencies by these, which causes do not have (keyed_causes.h) */
    bool tells_passes; /* *Why* or segments are written, which tell of single passes: the trace may
                          be read a second time */
};

struct syn_report {
    struct syn_report_options options;
    struct syn_names names;
    struct syn_groups groups;
    struct syn_figures *figures; /* [groups.count] */
    size_t *order;               /* [groups.count], of figures as sorted */
    struct syn_run_facts *run;   /* [run_count] of those that could be read */
    size_t run_count;
    uint64_t instance_count;   /* complete ones of all runs, and */
    uint64_t late_start_count; /*   those of them with a late start */
    uint64_t perturbed_count;  /*   and those that a pause of the profiler touched */
    char *wrappers;            /* passed by when sites were named (symbols/wrappers.h); owned */
    char **unreadable;         /* [unreadable_count], a line for each run that could not be */
    size_t unreadable_count;
};

/* Read and compute. Returns 0, or
 * negative with *why a line that names the file and the fault (caller frees; NULL where memory ran
 * out). */
int syn_report_make(const struct syn_experiment *experiment,
                    const struct syn_report_options *options, struct syn_report *out, char **why);
/* Say on stderr what is missing of the traces: the report itself may go into a file. */
void syn_report_say_faults(const struct syn_report *report);
/* Sort by "total", "instances", "incomplete", "wait", a metric ("completion", its median), a figure
 * of one ("completion.p99"; "_ns" after the metric is ignored) or of another object of a group
 * ("anova.p", "wait.share"). Descending. Returns 0, or SYN_EINVAL for a key that is none. */
int syn_report_sort(struct syn_report *report, const char *key);
/* The rank that came last most often in each group, where that is more than chance: `latest` and
 * `latest_p` of the figures. Returns 0 or SYN_ENOMEM. */
int syn_report_find_latest(struct syn_report *report);
/* Is it a key? 0 or SYN_EINVAL. */
int syn_report_sort_key(const char *key);
void syn_report_free(struct syn_report *report);

/* The formats. Each appends to text. */
void syn_report_json(const struct syn_report *report, struct syn_text *text);
void syn_report_csv(const struct syn_report *report, struct syn_text *text);
/* Did a run's clocks run as they were measured: the object of that name, for others, too. `now`: of
 * the times as they are used. */
struct syn_json;
void syn_clock_check_json(const struct syn_clock_check *check, const struct syn_causality *now,
                          struct syn_json *json, const char *name);
/* For people: text that fits the terminal, a page of HTML, or Markdown for a pull request. */
void syn_report_page(const struct syn_report *report, enum syn_doc_format format,
                     const struct syn_terminal *terminal, struct syn_text *text);
/* For build servers: the clocks (which fail where that is asked for) and what is missing, as
 * JUnit's XML or as annotations of a line each. */
void syn_report_ci(const struct syn_report *report, bool fails_on_clock, bool as_junit,
                   struct syn_text *text);

/* Why figures of a group are missing: up to `capacity` constant strings. Returns how many. */
#define SYN_GROUP_NOTES 16
size_t syn_report_group_notes(const struct syn_figures *figures, const char **notes,
                              size_t capacity);
/* The text of a property that all instances share; NULL where they do not. */
const char *syn_report_op(const struct syn_group *group);
const char *syn_report_site(const struct syn_report *report, const struct syn_group *group);
const char *syn_report_comm(const struct syn_report *report, const struct syn_group *group);
/* "" where the program was in none. */
const char *syn_report_phase(const struct syn_report *report, const struct syn_group *group);
bool syn_report_bytes(const struct syn_group *group, uint64_t *bytes);
bool syn_report_root(const struct syn_group *group, int32_t *root);
bool syn_report_comm_size(const struct syn_group *group, uint64_t *size);
/* "Open MPI v4.1.4" out of what MPI_Get_library_version says, which goes on for lines. "" for NULL.
 */
void syn_report_mpi_name(const char *library, char *out, size_t bytes);

#endif
