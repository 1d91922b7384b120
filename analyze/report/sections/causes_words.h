/* analyze/report/sections/causes_words.h - why somebody waited, in sentences. */
#ifndef SYN_CAUSES_WORDS_H
#define SYN_CAUSES_WORDS_H

#include "analyze/report/sections/report_page.h"

/* A cause is named if the waiting for it is this share of the ranks' time. */
#define SYN_TIME_THAT_MATTERS 0.01

/* Ranks lack a processor for this share of their time; beyond the second nothing can be said. */
#define SYN_LOST_THAT_MATTERS 0.02
#define SYN_LOST_THAT_SPOILS  0.1

/* "rank 3", "ranks 1, 2 and 5", "ranks 0, ... 7 and 12 more"; with a capital at a sentence's begin.
 */
void syn_rank_words(const int32_t *rank, size_t count, bool is_begin, struct syn_text *out);
/* One end of a segment: its site, as the report's other parts have it. */
void syn_cause_point(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t point, struct syn_text *out);
/* Returns the time of the run, in ns, if each operation on the critical path took no longer than
 * the fastest tenth of its kind: a bound. NANs if groups are not by operation and site. */
struct syn_estimate syn_report_fast_operations(const struct syn_report *report,
                                               const struct syn_run_facts *run);
/* The time of all ranks of all runs. */
double syn_report_ranks_ns(const struct syn_report *report);
/* A group's operations, from the last arrival on, as a share of that. NAN: a part of a group. */
double syn_report_operation_share(const struct syn_figures *figures, double ranks_ns);
/* "between solve.c:112 and solve.c:140", "in MPI_Bcast at main.c:31": a label of the run. */
void syn_cause_where(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t number, struct syn_text *out);
/* Is a cause large and sure enough to be told? */
bool syn_cause_matters(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster);
/* Uneven work that shows in messages alone: items of that section, where there is such; doc NULL:
 * it is found, and nothing is written. */
struct syn_uneven {
    size_t count;
    int32_t rank[2]; /* [count], and what it has more of: */
    enum syn_cause_kind kind[2];
};
void syn_report_uneven_work(struct syn_doc *doc, const struct syn_report *report,
                            const struct syn_run_facts *run, struct syn_uneven *told);
/* May it tell of such? Its interval is not looked at. */
bool syn_report_is_uneven(const struct syn_run_facts *run);
/* Returns the largest share of the run that such items say balance would save; 0: there are none.
 */
double syn_report_uneven_saving(const struct syn_report *report, const struct syn_run_facts *run);
/* Are single passes told of, by segments or by *Why*, and is that worth reading the trace once
 * more? *Why* is about single passes only where it is of the only run. */
bool syn_report_wants_passes(const struct syn_report *report, const struct syn_run_facts *run);
/* "median 12.0 us, 99 % 15.1 ms, longest 16.0 ms; every 20th pass 15.0 ms"; nothing where passes
 * are not known. */
void syn_pass_words(const struct syn_run_facts *run, uint32_t label, int32_t rank,
                    struct syn_text *out);
/* The section "Why": what made ranks late, the largest first, and the efficiencies. */
void syn_report_why_section(struct syn_doc *doc, const void *facts);
/* Returns the largest share of the run that the section says could be saved. */
double syn_report_largest_saving(const struct syn_report *report, const struct syn_run_facts *run);
/* The operation at one place that is most of the critical path (0 ns: none), and what of it would
 * be won if each call took no longer than the fastest tenth of its group; NAN: not known. */
struct syn_path_operation {
    uint32_t label;
    double path_ns, won_ns;
};
void syn_report_path_operation(const struct syn_report *report, const struct syn_run_facts *run,
                               struct syn_path_operation *out);
/* Does a cause name the rank that is large and sure enough to be told? */
bool syn_report_why_names(const struct syn_run_facts *run, int32_t rank);
/* The first cause that the section names; NULL: none. */
const struct syn_cause *syn_report_first_cause(const struct syn_run_facts *run);
/* Ranks x time, in characters; text alone. */
void syn_report_strip_section(struct syn_doc *doc, const void *facts);
/* Returns the share of the run that the item about the machine stands for; 0 without one. It is
 * INFINITY, and the item comes before all others, where more is told than lost processors, or so
 * many are lost that nothing else can be said. */
double syn_report_machine_share(const struct syn_report *report, const struct syn_run_facts *run);
/* Write what the machine explains: an item of that section. Returns how many: 0 or 1.
 * *tells_causes: it tells what made ranks wait. */
size_t syn_report_machine_causes(struct syn_doc *doc, const struct syn_report *report,
                                 const struct syn_run_facts *run, bool *tells_causes);
/* Number `kind` of what the machine may explain, in sentences (nothing where it does not), and what
 * to do then. False behind the last kind. */
bool syn_report_machine_words(const struct syn_report *report, const struct syn_run_facts *run,
                              size_t kind, struct syn_text *out, const char **next);
/* How much of that there is: more is worse. Of use beside the same kind of another run. */
double syn_report_machine_size(const struct syn_run_facts *run, size_t kind);
/* Was the machine busy, or may it have been: is there such a warning, but for time that the program
 * itself was blocked? */
bool syn_report_machine_is_busy(const struct syn_report *report, const struct syn_run_facts *run);
/* The node that has most ranks a processor (0 processors: not known), and of the ranks' time, in
 * which they were ready to run but had no processor (NAN: not known). */
struct syn_crowd {
    int32_t rank_count, processor_count;
    double lost_share;
};
struct syn_crowd syn_report_crowd(const struct syn_run_facts *run);
/* Does that item tell of lost processors? Then it tells of the causes that follow from them, too:
 * a sentence. Returns whether there are any. */
bool syn_report_shows_lost(const struct syn_run_facts *run);
/* Does that item name ranks that are shown? */
bool syn_report_lost_names(const struct syn_run_facts *run);
bool syn_report_lost_causes(const struct syn_report *report, const struct syn_run_facts *run,
                            struct syn_text *out);
/* To be done about ranks that lost their processors; about those that were off them, be it for that
 * or not; and about blocked ones. */
#define SYN_OFF_CPU_NEXT "see what else runs there, and what the program waits for"
const char *syn_report_lost_next(const struct syn_run_facts *run);
#define SYN_BLOCKED_NEXT                                                                   \
    "see what it waits for there, be it output, a lock or a signal: strace -f -c -p PID, " \
    "/proc/PID/stack"
/* Processor time does not tell more work from slower work: memory and caches are shared. */
#define SYN_MORE_OR_SLOWER \
    "see if there is more to do there, or it takes longer for as much (perf record)"
/* Were ranks without a processor so long that what they did inside of calls says nothing? */
bool syn_report_processors_lost(const struct syn_run_facts *run);
/* In figures; NAN: not known. */
struct syn_machine_figures {
    double ranks_per_processor, load_per_processor; /* of the worst node */
    double off_cpu_share;                           /* of the ranks' time */
    double run_delay_share, run_delay_share_most; /* ready without a processor: mean, worst rank */
    double clock_hz_least;                        /* the slowest processor clock */
};
void syn_report_machine(const struct syn_run_facts *run, struct syn_machine_figures *out);

#endif
