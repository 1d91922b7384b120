/* analyze/diff/page/diff_words.h - how a change is written for people. */
#ifndef SYN_DIFF_WORDS_H
#define SYN_DIFF_WORDS_H

#include "analyze/diff/diff.h"

/* One column has one scale: percent, or factors where one of its figures leaves 1/10 .. 10. */
enum syn_diff_scale { SYN_SCALE_PERCENT, SYN_SCALE_FACTOR };
/* The scale of a column that has had `so_far` and now has this, too. */
enum syn_diff_scale syn_diff_scale_with(enum syn_diff_scale so_far, const struct syn_shift *ratio);
/* A quantile's change: that of the runs' quantiles where there are runs enough, else that of the
 * regression on all instances. */
struct syn_shift syn_diff_quantile_ratio(const struct syn_diff_quantile *quantile);
/* "+5.1 %", "-12 %"; or "x1.05", "x14.2"; "-" for NAN. buffer [SYN_UNIT_BYTES]. */
const char *syn_diff_change(char *buffer, double ratio, enum syn_diff_scale scale);
/* "[+4.2, +6.0]" in percent, or "[x1.04, x1.06]"; "-" where unknown. buffer [2 * SYN_UNIT_BYTES].
 */
const char *syn_diff_interval(char *buffer, double low, double high, enum syn_diff_scale scale);
/* A median of the metric; "<clock" where it is smaller than the clocks can tell. buffer
 * [SYN_UNIT_BYTES]. */
const char *syn_diff_value(char *buffer, const struct syn_diff *diff,
                           const struct syn_diff_half *half);
/* How much of the time in collectives was waiting in A and in B: a sentence; nothing where that is
 * not known, or the metric itself. */
void syn_diff_waiting(const struct syn_diff *diff, struct syn_text *text);
/* "Run time: 1.2 s in A, 1.3 s in B, +5.1 % [+4.2, +6.0] (p = 0.012)."; two such sentences. */
void syn_diff_totals(const struct syn_diff *diff, struct syn_text *text);
/* "Parallel efficiency 80.1 % in A, 79.2 % in B (p = 0.012); load balance ...". */
void syn_diff_efficiencies(const struct syn_diff *diff, struct syn_text *text);
/* Calls `warning` for each sentence on what limits the diff: all of it, or what the machines did to
 * the runs. */
void syn_diff_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx);
/* The former under their heading, where there are such: a section; `facts` is a struct syn_diff. */
struct syn_doc;
void syn_diff_warnings_section(struct syn_doc *doc, const void *facts);
/* All of these, one behind the other. */
void syn_diff_sentences(const struct syn_diff *diff, struct syn_text *text);
/* "12 stretches of time worth 1 % of the ranks' time: 1 slower, 11 equivalent". */
void syn_segments_in_all(const struct syn_diff *diff, struct syn_text *out);
/* Writes sentence 0, 1, ... on the changes of segments, without a line's end. Returns false if
 * there is no such sentence. */
bool syn_segment_sentence(const struct syn_diff *diff, size_t number, struct syn_text *out);
/* How many such sentences there are. */
size_t syn_segment_sentences(const struct syn_diff *diff);
/* "MPI_Allreduce 8 B at main.c:31 solve". */
void syn_diff_group_name(const struct syn_diff_group *group, struct syn_text *text);

/* Are there runs that have no such group, but for those left out for their clocks? */
bool syn_diff_lacks_runs(const struct syn_diff *diff, const struct syn_diff_group *group);
/* Is the ratio of the sides' medians outside the interval of the ratio of their runs? So it is
 * where runs are of two kinds. */
bool syn_diff_is_of_two_kinds(const struct syn_diff_group *group);
/* "Holm", "Benjamini-Hochberg", "p adjusted by all 252 divisions of the runs (maxT)". */
const char *syn_diff_adjust_words(const struct syn_diff *diff, char *buffer, size_t bytes);

#endif
