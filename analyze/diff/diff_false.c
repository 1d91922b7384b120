/* analyze/diff/diff_false.c - counts how often a difference is claimed where there is none (A/A).
 *
 * The runs are divided into A and B once, which says little about a rate if there are few groups.
 * So the same runs are also divided many times at random. The instances are ranked once: a division
 * only adds up the rank sums of its runs. */
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/samples/bootstrap.h"
#include "sync/base/status.h"

#define SPLITS     400
#define SPLIT_SEED 1

/* The runs of both sides of a group, those of B first. */
struct row {
    double *value;    /* [run_count] */
    double *rank_sum; /* [run_count] sum of the ranks of a run's instances among all instances */
    double *count;    /* [run_count] instances of a run */
    double ties, instances;
    size_t run_count, b_count;
    size_t *order;    /* [run_count] the runs, shuffled */
    double *shuffled; /* [run_count] values in that order */
};

static int rank_instances(struct row *row, double *x, const size_t *end, size_t n)
{
    SYN_FREED double *rank = malloc((n + 1) * sizeof *rank);
    SYN_FREED size_t *order = malloc((n + 1) * sizeof *order);
    int status = rank && order ? 0 : SYN_ENOMEM;
    if (status == SYN_OK) {
        row->ties = syn_midranks(x, n, rank, order);
        row->instances = (double)n;
        for (size_t r = 0, i = 0; r < row->run_count; r++) {
            row->count[r] = (double)(end[r] - i);
            for (row->rank_sum[r] = 0; i < end[r]; i++)
                row->rank_sum[r] += rank[i];
        }
    }
    return status;
}

/* Makes the row of a group: its runs' values, and the rank sums of their instances. */
static int make_row(const struct syn_diff *diff, const struct syn_diff_group *group,
                    struct row *row)
{
    size_t n = group->a.run_count + group->b.run_count;
    *row = (struct row){.run_count = n, .b_count = group->b.run_count};
    row->value = calloc(4 * n, sizeof *row->value);
    row->order = calloc(n, sizeof *row->order);
    if (!row->value || !row->order)
        return SYN_ENOMEM;
    row->rank_sum = row->value + n;
    row->count = row->rank_sum + n;
    row->shuffled = row->count + n;
    memcpy(row->value, group->b.run_value, group->b.run_count * sizeof *row->value);
    memcpy(row->value + group->b.run_count, group->a.run_value,
           group->a.run_count * sizeof *row->value);
    for (size_t i = 0; i < n; i++)
        row->order[i] = i;
    /* Join the instances of both sides, those of B first. */
    SYN_FREED double *b = NULL, *a = NULL;
    SYN_FREED size_t *b_start = NULL, *a_start = NULL;
    int status = syn_diff_instances(diff, &group->b, &b, &b_start);
    SYN_STEP(status, syn_diff_instances(diff, &group->a, &a, &a_start));
    if (status == SYN_OK) {
        size_t nb = b_start[group->b.run_count], na = a_start[group->a.run_count];
        double *x = realloc(b, (na + nb + 1) * sizeof *x);
        SYN_FREED size_t *end = malloc((row->run_count + 1) * sizeof *end);
        b = x ? x : b;
        status = x && end ? 0 : SYN_ENOMEM;
        for (size_t r = 0; r < row->run_count && status == SYN_OK; r++)
            end[r] = r < row->b_count ? b_start[r + 1] : nb + a_start[r - row->b_count + 1];
        if (status == SYN_OK) {
            memcpy(x + nb, a, na * sizeof *x);
            status = rank_instances(row, x, end, na + nb);
        }
    }
    return status == SYN_EINVAL ? 0 : status; /* wait_share: instances do not have it */
}

static bool claims_of_instances(const struct syn_diff *diff, const struct row *row)
{
    double sum = 0, nx = 0;
    for (size_t i = 0; i < row->b_count; i++) {
        sum += row->rank_sum[row->order[i]];
        nx += row->count[row->order[i]];
    }
    double U = sum - nx * (nx + 1) / 2;
    return syn_wilcoxon_normal_p(U, nx, row->instances - nx, row->ties, diff->options.alternative) <
           1 - diff->options.confidence;
}

int syn_diff_count_false_positives(struct syn_diff *diff)
{
    struct syn_false_positives *out = &diff->false_positives;
    struct syn_random random;
    size_t run_claims = 0, pooled_claims = 0;
    syn_random_seed(&random, SPLIT_SEED);
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        struct row row;
        if (group->verdict == SYN_VERDICT_TOO_FEW_RUNS)
            continue;
        int status = make_row(diff, group, &row);
        out->group_count += status == SYN_OK;
        out->run_claims += status == SYN_OK && group->test.p < 1 - diff->options.confidence;
        out->adjusted_claims +=
            status == SYN_OK && group->p_adjusted < 1 - diff->options.confidence;
        out->pooled_claims += status == SYN_OK && claims_of_instances(diff, &row);
        for (int split = 0; split < SPLITS && status == SYN_OK; split++) {
            for (size_t k = row.run_count; k > 1; k--) {
                size_t j = (size_t)syn_random_below(&random, k), kept = row.order[k - 1];
                row.order[k - 1] = row.order[j];
                row.order[j] = kept;
            }
            struct syn_wilcoxon test;
            for (size_t j = 0; j < row.run_count; j++)
                row.shuffled[j] = row.value[row.order[j]];
            run_claims += syn_wilcoxon_test(row.shuffled, row.b_count, row.shuffled + row.b_count,
                                            row.run_count - row.b_count, diff->options.alternative,
                                            &test) == 0 &&
                          test.p < 1 - diff->options.confidence;
            pooled_claims += claims_of_instances(diff, &row);
        }
        free(row.value);
        free(row.order);
        if (status != SYN_OK)
            return status;
    }
    out->split_count = SPLITS;
    out->run_claim_rate = (double)run_claims / ((double)out->group_count * SPLITS);
    out->pooled_claim_rate = (double)pooled_claims / ((double)out->group_count * SPLITS);
    return 0;
}
