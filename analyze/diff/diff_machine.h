/* analyze/diff/diff_machine.h - the machines of the two sides: whether they were busy, whether they
 * are the same, and whether the sides were recorded in turn. */
#ifndef SYN_DIFF_MACHINE_H
#define SYN_DIFF_MACHINE_H

#include "analyze/diff/diff.h"

/* Were A and B recorded in turn, as `compare` does? In order of time no more than two runs of one
 * side follow one another. Then the machine's state is the same for both sides. False where a run's
 * begin is not known, or a side has one run only. */
bool syn_diff_in_turn(const struct syn_diff *diff);

/* The runs of a side (0: A, 1: B) whose machine was busy, or may have been. */
size_t syn_diff_busy_runs(const struct syn_diff *diff, int side);
/* A warning about the machine for each side and kind, of the run that has the most of it. */
typedef void (*syn_diff_warning)(void *ctx, struct syn_text *words);
void syn_diff_machine_warnings(const struct syn_diff *diff, syn_diff_warning warning, void *ctx);

/* Hosts, kernels, processors and loads in which the sides differ: one sentence. Nothing where they
 * do not. */
void syn_diff_machine_differences(const struct syn_diff *diff, struct syn_text *out);
/* Are the processors of another model? Appends a sentence, and returns true. */
bool syn_diff_processors_differ(const struct syn_diff *diff, struct syn_text *out);

#endif
