/* analyze/report/sections/causes_words.h - writes why ranks waited, in sentences. */
#ifndef SYN_CAUSES_WORDS_H
#define SYN_CAUSES_WORDS_H

#include "analyze/report/sections/report_page.h"

/* A cause is named if the waiting for it is at least this share of the ranks' time. */
#define SYN_TIME_THAT_MATTERS 0.01

/* Ranks that lack a processor for the first share of their time are mentioned. From the second
 * share on, the figures say nothing about the program. */
#define SYN_LOST_THAT_MATTERS 0.02
#define SYN_LOST_THAT_SPOILS  0.1

/* Appends "rank 3", "ranks 1, 2 and 5", or "ranks 0, ... 7 and 12 more". With is_begin the first
 * letter is a capital. */
void syn_rank_words(const int32_t *rank, size_t count, bool is_begin, struct syn_text *out);
/* Appends one end of a segment: its site, as other parts of the report name it. */
void syn_cause_point(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t point, struct syn_text *out);
/* Returns the run's time, in ns, if each operation on the critical path took no longer than the
 * fastest tenth of its kind. This is a bound. NANs if groups are not by operation and site. */
struct syn_estimate syn_report_fast_operations(const struct syn_report *report,
                                               const struct syn_run_facts *run);
/* Returns the time of all ranks of all runs. */
double syn_report_ranks_ns(const struct syn_report *report);
/* Returns the time of a group's operations after the last arrival, as a share of ranks_ns. NAN: the
 * group is a part. */
double syn_report_operation_share(const struct syn_figures *figures, double ranks_ns);
/* Appends the place of a label: "between solve.c:112 and solve.c:140", "in MPI_Bcast at
 * main.c:31". */
void syn_cause_where(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t number, struct syn_text *out);
/* Returns true if a cause is large and certain enough to be named. */
bool syn_cause_matters(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster);
/* Finds uneven work that shows in messages only, and writes it as items of *Why*. doc NULL: nothing
 * is written. */
struct syn_uneven {
    size_t count;
    int32_t rank[2]; /* [count], rank and the kind of time that it has more of */
    enum syn_cause_kind kind[2];
};
void syn_report_uneven_work(struct syn_doc *doc, const struct syn_report *report,
                            const struct syn_run_facts *run, struct syn_uneven *told);
/* Returns true if there may be such items. The interval is not tested. */
bool syn_report_is_uneven(const struct syn_run_facts *run);
/* Returns the largest share of the run that balance would save by these items; 0: there are
 * none. */
double syn_report_uneven_saving(const struct syn_report *report, const struct syn_run_facts *run);
/* Returns true if the report describes single passes, in segments or in *Why*, and a second reading
 * of the trace is worth it. With several runs, only segments describe passes. */
bool syn_report_wants_passes(const struct syn_report *report, const struct syn_run_facts *run);
/* Appends "median 12.0 us, 99 % 15.1 ms, longest 16.0 ms; every 20th pass 15.0 ms". Appends nothing
 * if passes are not known. */
void syn_pass_words(const struct syn_run_facts *run, uint32_t label, int32_t rank,
                    struct syn_text *out);
/* Returns what the calls are of which only the time was recorded: "messages", "one-sided calls". */
const char *syn_report_messages_name(const struct syn_run_facts *run);
/* Writes the section "Why": what made ranks late, largest first, and efficiencies. */
void syn_report_why_section(struct syn_doc *doc, const void *facts);
/* Returns the largest share of the run that the section says could be saved; at least 0. */
double syn_report_largest_saving(const struct syn_report *report, const struct syn_run_facts *run);
/* Finds the operation at one place with most time on the critical path (path_ns 0: none). won_ns:
 * the time that would be saved if each call took no longer than the fastest tenth of its group;
 * NAN: unknown. */
struct syn_path_operation {
    uint32_t label;
    double path_ns, won_ns;
};
void syn_report_path_operation(const struct syn_report *report, const struct syn_run_facts *run,
                               struct syn_path_operation *out);
/* Returns true if a cause that is large and certain enough names the rank. */
bool syn_report_why_names(const struct syn_run_facts *run, int32_t rank);
/* Returns the first cause that the section names; NULL: none. */
const struct syn_cause *syn_report_first_cause(const struct syn_run_facts *run);
/* Writes ranks x time in characters; for text only. */
void syn_report_strip_section(struct syn_doc *doc, const void *facts);
/* Returns the share of the run that the item about the machine stands for; 0: there is no item.
 * INFINITY puts the item before all others: if the machine did more than take processors away, or
 * took so many that nothing else can be said. */
double syn_report_machine_share(const struct syn_report *report, const struct syn_run_facts *run);
/* Writes the item of *Why* about what the machine explains. Returns the number of items: 0 or 1.
 * *tells_causes: the item says what made ranks wait. */
size_t syn_report_machine_causes(struct syn_doc *doc, const struct syn_report *report,
                                 const struct syn_run_facts *run, bool *tells_causes);
/* Appends sentences on effect number `kind` of the machine, if the run has it; *next: what to do.
 * Returns false after the last kind. */
bool syn_report_machine_words(const struct syn_report *report, const struct syn_run_facts *run,
                              size_t kind, struct syn_text *out, const char **next);
/* Returns the size of an effect, to compare it with the same kind of another run. More is worse. */
double syn_report_machine_size(const struct syn_run_facts *run, size_t kind);
/* Returns true if the machine was busy, or may have been. Time in which the program itself was
 * blocked does not count. */
bool syn_report_machine_is_busy(const struct syn_report *report, const struct syn_run_facts *run);
/* The node with most ranks per processor (0 processors: unknown). lost_share: share of the ranks'
 * time in which they were ready to run but had no processor; NAN: unknown. */
struct syn_crowd {
    int32_t rank_count, processor_count;
    double lost_share;
};
struct syn_crowd syn_report_crowd(const struct syn_run_facts *run);
/* Returns true if the item about the machine mentions lost processors. It then includes the causes
 * that follow from them. */
bool syn_report_shows_lost(const struct syn_run_facts *run);
/* Returns the time, in ns, that a rank had no processor beyond the mean of the others, if it is the
 * rank that lost most; else 0. */
double syn_report_lost_beyond_ns(const struct syn_run_facts *run, int32_t rank);
/* Returns true if that may explain that the others waited for the rank for waiting_ns together: it
 * is as long, and the rank hardly computes longer. */
bool syn_report_lost_explains(const struct syn_run_facts *run, int32_t rank, double waiting_ns);
/* Returns true if the item about the machine names ranks. syn_report_lost_causes appends a sentence
 * on the causes that follow from lost processors, and returns true if there are any. */
bool syn_report_lost_names(const struct syn_run_facts *run);
bool syn_report_lost_causes(const struct syn_report *report, const struct syn_run_facts *run,
                            struct syn_text *out);
/* Advice. SYN_OFF_CPU_NEXT: for ranks that were off their processors for an unknown reason;
 * syn_report_lost_next: for ranks that lost their processors; SYN_BLOCKED_NEXT: for blocked
 * ranks. */
#define SYN_OFF_CPU_NEXT "see what else runs there, and what the program waits for"
const char *syn_report_lost_next(const struct syn_run_facts *run);
#define SYN_BLOCKED_NEXT                                                                   \
    "see what it waits for there, be it output, a lock or a signal: strace -f -c -p PID, " \
    "/proc/PID/stack"
/* Advice for ranks that compute longer. Processor time does not distinguish more work from slower
 * work, since memory and caches are shared. */
#define SYN_MORE_OR_SLOWER \
    "see if there is more to do there, or it takes longer for as much (perf record)"
/* A processor is hardly slower than half as fast as others. Certain ranks that compute longer by
 * less than this share of the others' time may have a slower one, unless its clock was counted. */
#define SYN_SLOWER_MOST 1
#define SYN_SWAP_NEXT                                                                        \
    "a slower processor looks the same as more work: swap the ranks' processors and record " \
    "again; if it stays this rank, compare the work there (perf record)"
/* Returns true if ranks were without a processor for so long that their times inside of calls say
 * nothing. */
bool syn_report_processors_lost(const struct syn_run_facts *run);
/* The machine's effects in figures. NAN: unknown. */
struct syn_machine_figures {
    double ranks_per_processor, load_per_processor; /* of the worst node */
    double off_cpu_share;                           /* of the ranks' time */
    double run_delay_share, run_delay_share_most; /* ready without a processor: mean, worst rank */
    double clock_hz_least;                        /* the slowest processor clock */
};
void syn_report_machine(const struct syn_run_facts *run, struct syn_machine_figures *out);

#endif
