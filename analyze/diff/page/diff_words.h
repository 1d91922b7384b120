/* analyze/diff/page/diff_words.h - writes changes as text for a reader. */
#ifndef SYN_DIFF_WORDS_H
#define SYN_DIFF_WORDS_H

#include "analyze/diff/diff.h"

/* The scale of a column: percent, or factors if one of its figures is outside 1/10 .. 10. */
enum syn_diff_scale { SYN_SCALE_PERCENT, SYN_SCALE_FACTOR };
/* Returns the scale of a column that had `so_far` and gets this ratio, too. */
enum syn_diff_scale syn_diff_scale_with(enum syn_diff_scale so_far, const struct syn_shift *ratio);
/* Returns a quantile's change: the ratio of the runs' quantiles if there are enough runs, else that
 * of the regression on all instances. */
struct syn_shift syn_diff_quantile_ratio(const struct syn_diff_quantile *quantile);
/* Writes "+5.1 %", "-12 %", "x1.05" or "x14.2"; "-": not finite. buffer [SYN_UNIT_BYTES]. */
const char *syn_diff_change(char *buffer, double ratio, enum syn_diff_scale scale);
/* Writes "[+4.2, +6.0]" (percent) or "[x1.04, x1.06]"; "-": not known. buffer [2 *
 * SYN_UNIT_BYTES]. */
const char *syn_diff_interval(char *buffer, double low, double high, enum syn_diff_scale scale);
/* Writes a median of the metric; "<clock": smaller than its clock bound. buffer
 * [SYN_UNIT_BYTES]. */
const char *syn_diff_value(char *buffer, const struct syn_diff *diff,
                           const struct syn_diff_half *half);
/* Appends a sentence on the share of waiting in A and in B; nothing if that is not known, or is the
 * metric itself. */
void syn_diff_waiting(const struct syn_diff *diff, struct syn_text *text);
/* Appends a sentence for each time of whole runs: "Run time: 1.2 s in A, 1.3 s in B, +5.1 % [+4.2,
 * +6.0] (p = 0.012).". */
void syn_diff_totals(const struct syn_diff *diff, struct syn_text *text);
/* Appends "Parallel efficiency 80.1 % in A, 79.2 % in B (p = 0.012); load balance ...". */
void syn_diff_efficiencies(const struct syn_diff *diff, struct syn_text *text);
/* Calls `warning` with each sentence on the limits of the diff, and on what the machines did to the
 * runs. */
void syn_diff_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx);
/* Writes these warnings as a section with a heading. `facts` is a struct syn_diff. */
struct syn_doc;
void syn_diff_warnings_section(struct syn_doc *doc, const void *facts);
/* Appends the sentences on totals, waiting and efficiencies. */
void syn_diff_sentences(const struct syn_diff *diff, struct syn_text *text);
/* Appends ": 1 slower, 11 with too few runs"; nothing if all counts are 0. count: by enum
 * syn_verdict. */
void syn_diff_verdict_counts(const size_t *count, struct syn_text *text);
/* Appends ": 1 slower, 11 equivalent; 2 more on one side only". */
void syn_segments_in_all(const struct syn_diff_segments *segments, struct syn_text *out);
/* Returns "late sender", "late receiver" or "transfer". */
const char *syn_diff_message_words(enum syn_diff_message kind);
/* Appends "Recv ring.c:20 main" or "rank 0 to 1". */
void syn_diff_message_where(const struct syn_segment *item, struct syn_text *out);
/* Writes sentence 0, 1, ... on the changes of segments, without a newline. Returns false if there
 * is no such sentence. */
bool syn_segment_sentence(const struct syn_diff *diff, size_t number, struct syn_text *out);
/* Returns the number of such sentences. */
size_t syn_segment_sentences(const struct syn_diff *diff);
/* Appends " on rows 1"; nothing for MPI_COMM_WORLD, or if communicators are no key (""). */
void syn_diff_on_comm(const char *comm, struct syn_text *text);
/* Appends "MPI_Allreduce 8 B at main.c:31 solve on rows 1". */
void syn_diff_group_name(const struct syn_diff_group *group, struct syn_text *text);

/* Says whether a run lacks the group. Runs left out because of their clocks do not count. */
bool syn_diff_lacks_runs(const struct syn_diff *diff, const struct syn_diff_group *group);
/* Says whether the ratio of the sides' medians is outside the interval of their runs' ratio. The
 * runs of such a group are of several kinds. */
bool syn_diff_is_of_two_kinds(const struct syn_diff_group *group);
/* Writes "Holm", "Benjamini-Hochberg" or "p adjusted by all 252 divisions of the runs into two
 * (maxT)". */
const char *syn_diff_adjust_words(const struct syn_diff *diff, char *buffer, size_t bytes);

#endif
