/* tests/unit/analyze/stats_reference.c - reads the stored figures and compares. */
#include "stats_reference.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED_MAX 20

struct store {
    struct sample *sample;
    size_t count;
};

static FILE *open_data(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", SYN_TEST_DATA, name);
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file, "cannot open %s", path);
    return file;
}

static void parse_sample(char *line, struct sample *out)
{
    size_t capacity = 1;
    for (const char *c = line; *c; c++)
        capacity += *c == ',';
    char *rest = NULL;
    *out =
        (struct sample){strdup(strtok_r(line, ",\n", &rest)), malloc(capacity * sizeof(double)), 0};
    for (char *text; (text = strtok_r(NULL, ",\n", &rest));)
        out->value[out->n++] = strtod(text, NULL);
}

static struct store load_samples(void)
{
    struct store store = {NULL, 0};
    FILE *file = open_data("stats_samples.csv");
    char *line = NULL;
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        store.sample = realloc(store.sample, (store.count + 1) * sizeof *store.sample);
        parse_sample(line, &store.sample[store.count++]);
    }
    free(line);
    fclose(file);
    return store;
}

static void free_samples(struct store *store)
{
    for (size_t i = 0; i < store->count; i++) {
        free(store->sample[i].name);
        free(store->sample[i].value);
    }
    free(store->sample);
}

static const struct sample *find_sample(const struct store *store, const char *name)
{
    for (size_t i = 0; i < store->count; i++)
        if (strcmp(store->sample[i].name, name) == 0)
            return &store->sample[i];
    cr_assert_fail("no sample %s", name);
    return NULL;
}

static const struct figure *find_figure(const struct figure_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->figure[i].name, name) == 0)
            return &table->figure[i];
    return NULL;
}

static void fill_query(const struct store *store, char *names, const char *argument,
                       struct query *out)
{
    char *rest = NULL;
    *out = (struct query){.argument = argument, .number = strtod(argument, NULL)};
    for (char *name = strtok_r(names, "|", &rest); name; name = strtok_r(NULL, "|", &rest)) {
        cr_assert_lt(out->k, (size_t)SAMPLES_MAX);
        out->sample[out->k++] = find_sample(store, name);
    }
}

static int agrees(const struct figure *figure, double expected, double got)
{
    if (isnan(expected) || isnan(got))
        return isnan(expected) && isnan(got);
    if (isinf(expected) || isinf(got))
        return expected == got;
    return fabs(got - expected) <= figure->tolerance * fmax(fabs(expected), figure->absolute);
}

/* Splits "figure,samples,argument,value" in place. */
static void split_line(char *line, char *field[4])
{
    for (int i = 0; i < 4; i++) {
        field[i] = strsep(&line, ",\n");
        cr_assert_not_null(field[i]);
    }
}

static int compare_line(const struct store *store, const struct figure *figure,
                        char *const field[4])
{
    struct query query;
    char names[512];
    snprintf(names, sizeof names, "%s", field[1]);
    fill_query(store, names, field[2], &query);
    double expected = strtod(field[3], NULL), got = figure->compute(&query);
    if (agrees(figure, expected, got))
        return 0;
    fprintf(stderr, "%s(%s, %s): R %.17g, ours %.17g\n", field[0], field[1], field[2], expected,
            got);
    return 1;
}

void check_figures(const struct figure_table *table)
{
    struct store store = load_samples();
    size_t *compared = calloc(table->count, sizeof *compared), total = 0, differ = 0;
    FILE *file = open_data("stats_reference.csv");
    char *line = NULL, *field[4];
    size_t capacity = 0;
    while (getline(&line, &capacity, file) > 0) {
        split_line(line, field);
        const struct figure *figure = find_figure(table, field[0]);
        if (!figure)
            continue;
        compared[figure - table->figure]++;
        total++;
        differ += (size_t)compare_line(&store, figure, field);
        cr_assert_lt(differ, (size_t)LISTED_MAX, "too many differences to list");
    }
    fclose(file);
    free(line);
    for (size_t i = 0; i < table->count; i++)
        cr_expect_gt(compared[i], (size_t)0, "no stored value of %s", table->figure[i].name);
    cr_assert_eq(differ, (size_t)0, "figures compared: %zu, differ: %zu", total, differ);
    free(compared);
    free_samples(&store);
}

void check_that_all_have_figures(const struct figure_table *const *table, size_t count)
{
    FILE *file = open_data("stats_reference.csv");
    char *line = NULL, *field[4];
    size_t capacity = 0, lines = 0;
    while (getline(&line, &capacity, file) > 0) {
        size_t owners = 0;
        split_line(line, field);
        for (size_t i = 0; i < count; i++)
            owners += find_figure(table[i], field[0]) != NULL;
        cr_assert_eq(owners, (size_t)1, "%s is computed by %zu tables", field[0], owners);
        lines++;
    }
    cr_assert_gt(lines, (size_t)5000);
    fclose(file);
    free(line);
}

double *sorted_copy(const double *x, size_t n)
{
    double *copy = malloc((n + 1) * sizeof *copy);
    memcpy(copy, x, n * sizeof *x);
    syn_sort(copy, n);
    return copy;
}

struct syn_samples joined(const struct query *query)
{
    size_t *start = calloc(query->k + 1, sizeof *start);
    for (size_t i = 0; i < query->k; i++)
        start[i + 1] = start[i] + query->sample[i]->n;
    double *value = malloc((start[query->k] + 1) * sizeof *value);
    for (size_t i = 0; i < query->k; i++)
        memcpy(value + start[i], query->sample[i]->value, query->sample[i]->n * sizeof *value);
    return (struct syn_samples){value, start, query->k};
}

void free_joined(struct syn_samples *samples)
{
    free((void *)samples->value);
    free((void *)samples->start);
}
