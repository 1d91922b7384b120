/* analyze/diff/diff_adjust.c - p-values over all groups: Holm, Benjamini-Hochberg, or by dividing
 * whole runs anew (stats/maxt.h).
 *
 * RATIONALE: which of them is chosen must not hang on what they would say, or the level would not
 * hold. It hangs on the numbers of runs and groups alone. With few runs for so many groups Holm
 * asks of a group that nearly each run of one side is beyond all of the other's, and finds little
 * or nothing; maxT has no such bound. With many runs both find about the same, and Holm's rank
 * tests do not mind runs that are far off. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

#define SEED 1
/* Holm where the least p, times the groups, is below this part of the level. */
#define HOLM_WHERE_BELOW 0.1

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* The runs that a side's groups are of, ascending. */
static int list_runs(const struct syn_report *side, uint64_t **out, size_t *count)
{
    uint64_t *run = malloc((side->groups.count + 1) * sizeof *run);
    if (!run)
        return SYN_ENOMEM;
    for (size_t i = 0; i < side->groups.count; i++)
        run[i] = side->groups.group[i]->key[SYN_KEY_RUN];
    qsort(run, side->groups.count, sizeof *run, by_number);
    *count = 0;
    for (size_t i = 0; i < side->groups.count; i++)
        if (*count == 0 || run[*count - 1] != run[i])
            run[(*count)++] = run[i];
    *out = run;
    return 0;
}

int syn_diff_rows_begin(const struct syn_diff *diff, size_t count, struct syn_diff_rows *rows)
{
    *rows = (struct syn_diff_rows){.count = count};
    int status = list_runs(&diff->side[0], &rows->run[0], &rows->run_count[0]);
    if (status == SYN_OK)
        status = list_runs(&diff->side[1], &rows->run[1], &rows->run_count[1]);
    size_t cells = count * (rows->run_count[0] + rows->run_count[1]);
    rows->x = status != SYN_OK ? NULL : malloc((cells + 1) * sizeof *rows->x);
    for (size_t i = 0; i < cells && rows->x; i++)
        rows->x[i] = NAN;
    return rows->x ? 0 : SYN_ENOMEM;
}

void syn_diff_rows_free(struct syn_diff_rows *rows)
{
    free(rows->x);
    free(rows->run[0]);
    free(rows->run[1]);
}

void syn_diff_rows_put(struct syn_diff_rows *rows, size_t row, int side, uint64_t run, double value)
{
    size_t n = rows->run_count[0] + rows->run_count[1], count = rows->run_count[side];
    const uint64_t *at = bsearch(&run, rows->run[side], count, sizeof run, by_number);
    if (at)
        rows->x[row * n + (side ? rows->run_count[0] : 0) + (size_t)(at - rows->run[side])] = value;
}

void syn_diff_rows_put_half(struct syn_diff_rows *rows, size_t row, int side,
                            const struct syn_diff_half *half, const double *value)
{
    for (size_t first = 0, r = 0; first < half->part_count;
         first = syn_diff_end_of_run(half, first), r++)
        syn_diff_rows_put(rows, row, side, half->part[first]->group->key[SYN_KEY_RUN], value[r]);
}

void syn_diff_rows_to_logarithms(struct syn_diff_rows *rows)
{
    size_t n = rows->run_count[0] + rows->run_count[1];
    for (size_t row = 0; row < rows->count; row++) {
        double *x = rows->x + row * n;
        bool positive = true;
        for (size_t i = 0; i < n; i++)
            positive &= isnan(x[i]) || x[i] > 0;
        for (size_t i = 0; i < n && positive; i++)
            x[i] = log(x[i]);
    }
}

/* ---- adjusting ---- */

enum syn_adjust syn_diff_choose_adjust(const struct syn_diff *diff, const double *least_p,
                                       size_t count)
{
    double least = 1, tests = 0;
    if (diff->options.adjust != SYN_ADJUST_AUTO)
        return diff->options.adjust;
    for (size_t i = 0; i < count; i++) {
        least = fmin(least, isnan(least_p[i]) ? 1 : least_p[i]);
        tests += !isnan(least_p[i]);
    }
    bool holm = tests < 2 || least * tests < HOLM_WHERE_BELOW * syn_diff_alpha(diff);
    return holm ? SYN_ADJUST_HOLM : SYN_ADJUST_MAXT;
}

static int adjust_by_maxt(const struct syn_diff *diff, const struct syn_diff_rows *rows, double *p,
                          struct syn_maxt_row *own, struct syn_maxt *how)
{
    struct syn_maxt_table table = {rows->x, rows->count, rows->run_count[0], rows->run_count[1]};
    size_t n = table.na + table.nb;
    /* what is not to be tested is no group of this test */
    for (size_t row = 0; row < rows->count; row++)
        for (size_t i = 0; i < n && isnan(p[row]); i++)
            rows->x[row * n + i] = NAN;
    int status =
        syn_maxt_test(&table, diff->options.alternative, syn_diff_alpha(diff), SEED, own, how);
    for (size_t row = 0; row < rows->count && status == SYN_OK; row++)
        if (!isnan(p[row])) /* runs that are all equal have no t */
            p[row] = isnan(own[row].p_adjusted) ? 1 : own[row].p_adjusted;
    return status == SYN_EINVAL ? 0 : status;
}

int syn_diff_adjust(const struct syn_diff *diff, const struct syn_diff_rows *rows, double *p,
                    struct syn_maxt_row *own, struct syn_maxt *how)
{
    struct syn_maxt_row *row = calloc(rows->count + 1, sizeof *row);
    struct syn_maxt found = {0, 0};
    int status = row ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < rows->count && row; i++)
        row[i] = (struct syn_maxt_row){NAN, NAN, NAN, NAN};
    if (status == SYN_OK)
        status = diff->adjust == SYN_ADJUST_MAXT ? adjust_by_maxt(diff, rows, p, row, &found)
                 : diff->adjust == SYN_ADJUST_BH ? syn_adjust_bh(p, rows->count)
                                                 : syn_adjust_holm(p, rows->count);
    if (status == SYN_OK && own)
        memcpy(own, row, rows->count * sizeof *own);
    if (status == SYN_OK && how)
        *how = found;
    free(row);
    return status;
}
