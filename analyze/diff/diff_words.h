/* analyze/diff/diff_words.h - how a change is written for people. */
#ifndef SYN_DIFF_WORDS_H
#define SYN_DIFF_WORDS_H

#include "analyze/diff/diff.h"

/* "+5.1 %", "-12 %", "x14" from tenfold on; "-" for NAN. buffer [SYN_UNIT_BYTES]. */
const char *syn_diff_change(char *buffer, double ratio);
/* "[+4.2, +6.0]" in percent; "-" where unknown. buffer [2 * SYN_UNIT_BYTES]. */
const char *syn_diff_interval(char *buffer, double low, double high);
/* A median of the metric; "<clock" where it is smaller than the clocks can tell. buffer
 * [SYN_UNIT_BYTES]. */
const char *syn_diff_value(char *buffer, const struct syn_diff *diff,
                           const struct syn_diff_half *half);
/* How much of the time in collectives was waiting in A and in B: a sentence; nothing where that is
 * not known, or the metric itself. */
void syn_diff_waiting(const struct syn_diff *diff, struct syn_text *text);
/* "Run time: 1.2 s in A, 1.3 s in B, +5.1 % [+4.2, +6.0] (p = 0.012)."; two such sentences. */
void syn_diff_totals(const struct syn_diff *diff, struct syn_text *text);
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
