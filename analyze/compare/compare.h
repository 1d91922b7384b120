/* analyze/compare/compare.h - `syncopate compare`: record two commands in turn, then diff them.
 *
 *   DIR/a/run-0001 ...   an experiment of A: read by every command that reads experiments
 *   DIR/b/run-0001 ...   likewise
 *   DIR/comparison       the seed, and in which order the runs were made
 *   DIR/output-a.txt, DIR/output-b.txt   what the programs printed */
#ifndef SYN_COMPARE_COMMAND_H
#define SYN_COMPARE_COMMAND_H

#include <stddef.h>
#include <stdint.h>

/* The order of 2 * pair_count runs, 0 for A and 1 for B, into side: each pair holds both, half of
 * the pairs begin with A, and which ones is drawn: neither a drift of the machine nor the place in
 * a pair favours a side. The same seed gives the same order. */
void syn_compare_order(uint64_t seed, size_t pair_count, unsigned char *side);

#endif
