/* analyze/compare/compare.h - `syncopate compare`: records two commands in turn, then compares the
 * runs as `diff` does.
 *
 *   DIR/a/run-0001 ...   the experiment of A: every command that reads experiments can read it
 *   DIR/b/run-0001 ...   the experiment of B
 *   DIR/comparison       the seed, and the order in which the runs were made
 *   DIR/output-a.txt, DIR/output-b.txt   the standard output of the commands */
#ifndef SYN_COMPARE_COMMAND_H
#define SYN_COMPARE_COMMAND_H

#include <stddef.h>
#include <stdint.h>

/* Fills `side` with the order of 2 * pair_count runs, 0 for A and 1 for B. Each pair has a run of
 * both sides. Half of the pairs, drawn at random, begin with A. So neither a drift of the machine
 * nor the place in a pair favours a side. The same seed gives the same order. */
void syn_compare_order(uint64_t seed, size_t pair_count, unsigned char *side);

#endif
