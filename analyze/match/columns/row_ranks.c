/* analyze/match/columns/row_ranks.c - midranks of a row, by comparing all pairs. RATIONALE: the
 * order of the numbers is random, so a branch on it would be mispredicted half of the time. The
 * loops have none. */
#include "analyze/match/columns/row_ranks.h"

/* Returns the sum over ties of t^3 - t: t^2 - 1 for each of the t equal numbers of a tie. */
static double ties_of(const int64_t *x, size_t count)
{
    double ties = 0;
    for (size_t i = 0; i < count; i++) {
        double alike = 0;
        for (size_t j = 0; j < count; j++)
            alike += x[j] == x[i];
        ties += alike * alike - 1;
    }
    return ties;
}

/* Computes the midranks of `count` numbers: the middle rank, plus half for each smaller number,
 * minus half for each larger one. It is inlined so that a constant `count` has no loops. */
static inline __attribute__((always_inline)) double rank_each(const int64_t *x, size_t count,
                                                              double *rank)
{
    int above[SYN_ROW_FEW] = {0}, pairs_alike = 0;
#pragma GCC unroll 4
    for (size_t i = 1; i < count; i++) {
#pragma GCC unroll 4
        for (size_t j = 0; j < i; j++) {
            int sign = (x[i] > x[j]) - (x[i] < x[j]);
            above[i] += sign;
            above[j] -= sign;
            pairs_alike += sign == 0;
        }
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i++)
        rank[i] = (double)((int)count + 1 + above[i]) / 2;
    return __builtin_expect(pairs_alike, 0) ? ties_of(x, count) : 0;
}

double syn_row_midranks(const int64_t *x, size_t count, double *rank)
{
    return count == 4 ? rank_each(x, 4, rank) : rank_each(x, count, rank);
}
