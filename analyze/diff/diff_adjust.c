/* analyze/diff/diff_adjust.c - adjusts p-values over all groups: Holm, Benjamini-Hochberg, or maxT,
 * which permutes whole runs (stats/samples/maxt.h). */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

#define SEED 1

SYN_ORDER(by_number, uint64_t, SYN_UP_ITSELF)

int syn_diff_rows_begin(const struct syn_diff *diff, size_t count, struct syn_diff_rows *rows)
{
    *rows = (struct syn_diff_rows){.count = count};
    for (int i = 0; i < 2; i++) {
        const struct syn_report *side = &diff->side[i];
        rows->run[i] = malloc((side->run_count + 1) * sizeof *rows->run[i]);
        if (!rows->run[i])
            return SYN_ENOMEM;
        while (rows->run_count[i] < side->run_count) {
            rows->run[i][rows->run_count[i]] = side->run[rows->run_count[i]].run;
            rows->run_count[i]++;
        }
    }
    size_t cells = count * (rows->run_count[0] + rows->run_count[1]);
    rows->x = malloc((cells + 1) * sizeof *rows->x);
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

void syn_diff_rows_put(struct syn_diff_rows *rows, size_t row, int side, const uint64_t *run,
                       const double *value, size_t count)
{
    double *x = rows->x + row * (rows->run_count[0] + rows->run_count[1]);
    x += side ? rows->run_count[0] : 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t *at =
            bsearch(&run[i], rows->run[side], rows->run_count[side], sizeof *run, by_number);
        if (at)
            x[at - rows->run[side]] = value[i];
    }
}

static int adjust_by_maxt(const struct syn_diff *diff, const struct syn_diff_rows *rows,
                          bool of_ratios, double *p, struct syn_maxt_row *own, struct syn_maxt *how)
{
    struct syn_maxt_table table = {rows->x, rows->count, rows->run_count[0], rows->run_count[1]};
    size_t n = table.na + table.nb;
    for (size_t row = 0; row < rows->count; row++) {
        double *x = rows->x + row * n;
        bool positive = of_ratios;
        for (size_t i = 0; i < n; i++)
            positive &= isnan(x[i]) || x[i] > 0;
        for (size_t i = 0; i < n; i++) /* a row that is not tested takes no part */
            x[i] = isnan(p[row]) ? NAN : positive ? log(x[i]) : x[i];
    }
    int status =
        syn_maxt_test(&table, diff->options.alternative, syn_diff_alpha(diff), SEED, own, how);
    for (size_t row = 0; row < rows->count && status == SYN_OK; row++)
        if (!isnan(p[row])) /* a row whose runs are all equal has no t */
            p[row] = isnan(own[row].p_adjusted) ? 1 : own[row].p_adjusted;
    return status;
}

int syn_diff_adjust(const struct syn_diff *diff, struct syn_diff_rows *rows, bool of_ratios,
                    double *first, size_t stride, struct syn_maxt_row *own, struct syn_maxt *how)
{
    struct syn_maxt_row *row = own ? own : malloc((rows->count + 1) * sizeof *row);
    struct syn_maxt found = {0, 0};
    double *p = malloc((rows->count + 1) * sizeof *p);
    int status = row && p ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < rows->count && status == SYN_OK; i++) {
        row[i] = (struct syn_maxt_row){NAN, NAN, NAN, NAN};
        p[i] = *(double *)((char *)first + i * stride);
    }
    if (status == SYN_OK)
        status = diff->adjust == SYN_ADJUST_MAXT
                     ? adjust_by_maxt(diff, rows, of_ratios, p, row, &found)
                 : diff->adjust == SYN_ADJUST_BH ? syn_adjust_bh(p, rows->count)
                                                 : syn_adjust_holm(p, rows->count);
    for (size_t i = 0; i < rows->count && status == SYN_OK; i++)
        *(double *)((char *)first + i * stride) = p[i];
    if (status == SYN_OK && how)
        *how = found;
    free(p);
    if (!own)
        free(row);
    return status;
}
