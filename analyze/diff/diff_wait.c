/* analyze/diff/diff_wait.c - is more of the time waiting? The share of waiting, run against run.
 *
 * RATIONALE: a share is waiting over time inside, both summed over a run: shares are never averaged
 * over groups or instances. Differences are compared, because a share may well be 0. */
#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

/* One share a run. */
struct shares {
    double *value; /* [count] */
    uint64_t *run; /* [count] */
    size_t count;
    double clock_bound;
    const struct syn_report *side;
};

static int make_room(struct shares *shares, const struct syn_report *side, size_t capacity)
{
    shares->side = side;
    shares->value = malloc((capacity + 1) * sizeof *shares->value);
    shares->run = malloc((capacity + 1) * sizeof *shares->run);
    return shares->value && shares->run ? 0 : SYN_ENOMEM;
}

static void free_shares(struct shares *shares)
{
    free(shares->value);
    free(shares->run);
}

/* A run's share. Without a known bound of the clocks, or with clocks that are wrong, it means
 * nothing. */
static void add_share(struct shares *shares, uint64_t run, double waiting_ns, double inside_ns,
                      double bound_ns)
{
    if (!(inside_ns > 0) || isnan(bound_ns))
        return;
    if (bound_ns > 0 && syn_diff_run_is_lost(shares->side, run))
        return;
    shares->run[shares->count] = run;
    shares->value[shares->count++] = waiting_ns / inside_ns;
    shares->clock_bound = fmax(shares->clock_bound, bound_ns / inside_ns);
}

const char *syn_diff_wait_stars(const struct syn_diff_wait *wait)
{
    return fabs(wait->change.estimate) > wait->clock_bound ? syn_stars(wait->p_adjusted) : "";
}

static int compare(const struct syn_diff *diff, const struct shares *a, const struct shares *b,
                   struct syn_diff_wait *out)
{
    *out = (struct syn_diff_wait){.a = syn_diff_median_of(a->value, a->count),
                                  .b = syn_diff_median_of(b->value, b->count),
                                  .change = {NAN, NAN, NAN, NAN, 0},
                                  .test = {NAN, NAN, 0},
                                  .p_adjusted = NAN,
                                  .clock_bound = fmax(a->clock_bound, b->clock_bound)};
    int status = syn_wilcoxon_test(b->value, b->count, a->value, a->count,
                                   diff->options.alternative, &out->test);
    if (status == SYN_OK)
        status = syn_hodges_lehmann(b->value, b->count, a->value, a->count,
                                    1 - syn_diff_table_alpha(diff), &out->change);
    if (status == SYN_OK && syn_diff_runs_suffice(diff, a->count, b->count))
        out->p_adjusted = out->test.p;
    else
        out->change.low = out->change.high = out->change.confidence = NAN;
    return status == SYN_ENOMEM ? status : 0;
}

/* ---- a group ---- */

static int shares_of(const struct syn_report *side, const struct syn_diff_half *half,
                     struct shares *out)
{
    if (make_room(out, side, half->part_count))
        return SYN_ENOMEM;
    for (size_t first = 0, end; first < half->part_count; first = end) {
        double waiting_ns = 0, inside_ns = 0, bound_ns = 0;
        end = syn_diff_end_of_run(half, first);
        for (size_t i = first; i < end; i++) {
            waiting_ns += half->part[i]->waiting_ns;
            inside_ns += half->part[i]->inside_ns;
            bound_ns += half->part[i]->bound_total_ns;
        }
        add_share(out, half->part[first]->group->key[SYN_KEY_RUN], waiting_ns, inside_ns, bound_ns);
    }
    return 0;
}

static void put_shares(struct syn_diff_rows *rows, size_t row, int side,
                       const struct shares *shares)
{
    for (size_t r = 0; r < shares->count; r++)
        syn_diff_rows_put(rows, row, side, shares->run[r], shares->value[r]);
}

static int compare_group(const struct syn_diff *diff, size_t i, struct syn_diff_rows *rows)
{
    struct syn_diff_group *group = &diff->group[i];
    struct shares a = {0}, b = {0};
    int status = shares_of(&diff->side[0], &group->a, &a);
    if (status == SYN_OK)
        status = shares_of(&diff->side[1], &group->b, &b);
    if (status == SYN_OK)
        status = compare(diff, &a, &b, &group->wait);
    put_shares(rows, i, 0, &a);
    put_shares(rows, i, 1, &b);
    free_shares(&a);
    free_shares(&b);
    return status;
}

static int adjust(struct syn_diff *diff, const struct syn_diff_rows *rows)
{
    double *p = malloc((diff->count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < diff->count; i++)
        p[i] = diff->group[i].wait.p_adjusted;
    int status = syn_diff_adjust(diff, rows, p, NULL, NULL);
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        diff->group[i].wait.p_adjusted = p[i];
    free(p);
    return status;
}

/* ---- all collectives ---- */

struct total {
    uint64_t run;
    double waiting_ns, inside_ns, bound_ns;
};

static int by_run(const void *left, const void *right)
{
    const struct total *a = left;
    const struct total *b = right;
    return a->run < b->run ? -1 : a->run > b->run;
}

/* Whether or not the other side has the group. */
static int shares_of_side(const struct syn_report *side, struct shares *out)
{
    size_t count = side->groups.count;
    struct total *total = calloc(count + 1, sizeof *total);
    int status = make_room(out, side, count);
    for (size_t i = 0; i < count && total; i++)
        total[i] =
            (struct total){side->figures[i].group->key[SYN_KEY_RUN], side->figures[i].waiting_ns,
                           side->figures[i].inside_ns, side->figures[i].bound_total_ns};
    if (total && count)
        qsort(total, count, sizeof *total, by_run);
    for (size_t i = 0; i < count && total && status == SYN_OK;) {
        struct total sum = {total[i].run, 0, 0, 0};
        for (; i < count && total[i].run == sum.run; i++) {
            sum.waiting_ns += total[i].waiting_ns;
            sum.inside_ns += total[i].inside_ns;
            sum.bound_ns += total[i].bound_ns;
        }
        add_share(out, sum.run, sum.waiting_ns, sum.inside_ns, sum.bound_ns);
    }
    status = total ? status : SYN_ENOMEM;
    free(total);
    return status;
}

int syn_diff_compare_waiting(struct syn_diff *diff)
{
    struct shares a = {0}, b = {0};
    struct syn_diff_rows rows;
    int status = shares_of_side(&diff->side[0], &a);
    if (status == SYN_OK)
        status = shares_of_side(&diff->side[1], &b);
    if (status == SYN_OK)
        status = compare(diff, &a, &b, &diff->wait);
    free_shares(&a);
    free_shares(&b);
    int begun = syn_diff_rows_begin(diff, diff->count, &rows);
    status = status != SYN_OK ? status : begun;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        status = compare_group(diff, i, &rows);
    if (status == SYN_OK)
        status = adjust(diff, &rows);
    syn_diff_rows_free(&rows);
    return status;
}
