/* tests/unit/analyze/stats_reference.h - figures that R computed, and their comparison with ours.
 * data/stats_samples.csv holds samples (name, values...), data/stats_reference.csv figures (figure,
 * samples joined by
 * '|', argument, value); both written by make_stats_reference.R. */
#ifndef STATS_REFERENCE_H
#define STATS_REFERENCE_H

#include <stddef.h>

#include "analyze/stats/values/stats.h"

#define SAMPLES_MAX 8

struct sample {
    char *name;
    double *value;
    size_t n;
};

/* One figure asked for: of these samples, with this argument. */
struct query {
    size_t k;
    const struct sample *sample[SAMPLES_MAX];
    const char *argument; /* "" for none */
    double number;        /* the argument as a number, 0 where it is none */
};

struct figure {
    const char *name;
    double (*compute)(const struct query *query);
    double tolerance; /* relative, against max(|expected|, absolute) */
    double absolute;
};

struct figure_table {
    const struct figure *figure;
    size_t count;
};

/* One table for each area. */
extern const struct figure_table column_figures, group_figures, pair_figures, count_figures;

/* Compares every stored value of the table's figures with ours, and asserts that none differs, and
 * that each figure was compared at least once. */
void check_figures(const struct figure_table *table);

/* Asserts that every stored figure belongs to one of the tables. */
void check_that_all_have_figures(const struct figure_table *const *table, size_t count);

/* Ascending copy; the caller frees it. */
double *sorted_copy(const double *x, size_t n);

/* The query's samples behind one another. Freed by free_joined. */
struct syn_samples joined(const struct query *query);
void free_joined(struct syn_samples *samples);

#endif
