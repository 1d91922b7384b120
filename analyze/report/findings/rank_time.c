/* analyze/report/findings/rank_time.c - computes ranks x time from the sums of a run's causes. */
#include "analyze/report/findings/rank_time.h"

#include <stdlib.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "sync/base/status.h"

_Static_assert(SYN_CATEGORY_OPERATION == SYN_CAUSE_CATEGORIES - 1, "waiting causes nothing");

/* Sums in whole ns. As doubles, sums over very many ranks would not be exact to the ns, and would
 * depend on the order of adding. */
struct sums {
    int64_t *waiting, *caused, *useful;                     /* [row_count][bin_count] */
    int64_t (*by_category)[SYN_CAUSE_CATEGORIES], *path_ns; /* [rank_count] */
};

static size_t square_of(const struct syn_rank_time *time)
{
    return (size_t)time->row_count * time->bin_count;
}

/* Adds the part of a location's time that lies in later bins than the one in which it began. */
static void add_overlaps(const struct syn_causes *causes, const struct syn_rank_time *time,
                         uint32_t location, const struct sums *sums)
{
    const int32_t rank = causes->plan.location[location].rank;
    const struct syn_bin_overlap *overlap =
        causes->sums.overlap ? causes->sums.overlap[location] : NULL;
    const size_t first = (size_t)(rank / time->ranks_per_row) * time->bin_count;
    for (uint32_t b = 0; overlap && b < time->bin_count; b++) {
        syn_sum_add(&sums->waiting[first + b], overlap[b].waiting_ns);
        syn_sum_add(&sums->caused[first + b], overlap[b].caused_ns);
        syn_sum_add(&sums->useful[first + b], overlap[b].useful_ns);
    }
}

static void put(const struct sums *sums, struct syn_rank_time *out)
{
    for (size_t i = 0; i < square_of(out); i++) {
        out->waiting[i] = (double)sums->waiting[i];
        out->caused[i] = (double)sums->caused[i];
        out->useful[i] = (double)sums->useful[i];
    }
    for (int32_t r = 0; r < out->rank_count; r++) {
        int64_t caused_ns = 0;
        for (int category = 0; category < SYN_CAUSE_CATEGORIES; category++) {
            out->by_category[r][category] = (double)sums->by_category[r][category];
            syn_sum_add(&caused_ns, sums->by_category[r][category]);
        }
        out->caused_by[r] = (double)caused_ns;
        out->path_ns[r] = (double)sums->path_ns[r];
    }
}

/* Sums up the causes' cells. Returns 0 or SYN_ENOMEM. */
static int sum_up(const struct syn_causes *causes, struct syn_rank_time *out)
{
    const size_t count =
        3 * square_of(out) + ((size_t)SYN_CAUSE_CATEGORIES + 1) * (size_t)out->rank_count + 1;
    int64_t *sum = calloc(count, sizeof *sum);
    if (!sum)
        return SYN_ENOMEM;
    const size_t square = square_of(out), ranks = (size_t)out->rank_count;
    int64_t *of_ranks = sum + 3 * square;
    const struct sums sums = {.waiting = sum,
                              .caused = sum + square,
                              .useful = sum + 2 * square,
                              .by_category = (int64_t(*)[SYN_CAUSE_CATEGORIES])(void *)of_ranks,
                              .path_ns = of_ranks + ranks * SYN_CAUSE_CATEGORIES};
    for (uint32_t number = 1; number <= causes->sums.cell_count; number++) {
        /* add the cell: its sums over all bins, and its values in each bin */
        const struct syn_cause_cell *cell = syn_cause_cell_at(&causes->sums, number);
        const int32_t rank = causes->plan.location[cell->location].rank;
        const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, cell->label));
        const size_t first = (size_t)(rank / out->ranks_per_row) * out->bin_count;
        int64_t *by_category = sums.by_category[rank];
        for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++)
            syn_sum_add(&sums.path_ns[rank], syn_category_sums_of(cell, index)->path_ns);
        if (is_call)
            syn_sum_add(&by_category[SYN_CATEGORY_OPERATION],
                        cell->waiting_ns[syn_category_index(SYN_CATEGORY_OPERATION)]);
        for (int category = SYN_CATEGORY_COMPUTING; !is_call && category <= SYN_CATEGORY_OFF_CPU;
             category++)
            syn_sum_add(&by_category[category],
                        cell->waiting_ns[syn_category_index((enum syn_category)category)]);
        for (uint32_t b = 0; b < out->bin_count; b++) {
            const struct syn_bin_values bin = syn_bin_of_cell(&causes->sums, cell, b);
            if (syn_bin_is_used(&bin)) {
                /* Add the cell's values in the bin at index `at`. Waiting itself makes no other
                 * rank wait. */
                const size_t at = first + b;
                const int own_categories = is_call ? 1 : SYN_CATEGORIES_OF_LABEL;
                if (is_call) {
                    syn_sum_add(&sums.waiting[at],
                                bin.ns[syn_category_index(SYN_CATEGORY_WAITING)]);
                } else {
                    syn_sum_add(&sums.useful[at], bin.ns[SYN_CATEGORY_COMPUTING]);
                    syn_sum_add(&sums.useful[at], bin.ns[SYN_CATEGORY_OFF_CPU]);
                }
                for (int index = 0; index < own_categories; index++)
                    syn_sum_add(&sums.caused[at], bin.waiting_ns[index]);
            }
        }
    }
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        add_overlaps(causes, out, i, &sums);
    put(&sums, out);
    free(sum);
    return SYN_OK;
}

int syn_rank_time_make(const struct syn_run_facts *run, size_t rows, struct syn_rank_time *out)
{
    const struct syn_causes *causes = &run->causes;
    const size_t ranks = (size_t)run->rank_count;
    *out = (struct syn_rank_time){.rank_count = run->rank_count,
                                  .bin_count = causes->sums.bins.count,
                                  .bin_ns = (double)causes->sums.bins.bin_ns};
    out->ranks_per_row = rows ? (int32_t)((ranks + rows - 1) / rows) : 1;
    out->ranks_per_row += out->ranks_per_row == 0;
    out->row_count = (uint32_t)((run->rank_count + out->ranks_per_row - 1) / out->ranks_per_row);
    out->waiting = calloc(square_of(out) + 1, sizeof *out->waiting);
    out->caused = calloc(square_of(out) + 1, sizeof *out->caused);
    out->useful = calloc(square_of(out) + 1, sizeof *out->useful);
    out->by_category = calloc(ranks + 1, sizeof *out->by_category);
    out->caused_by = calloc(ranks + 1, sizeof *out->caused_by);
    out->path_ns = calloc(ranks + 1, sizeof *out->path_ns);
    if (!out->waiting || !out->caused || !out->useful || !out->by_category || !out->caused_by ||
        !out->path_ns)
        return SYN_ENOMEM;
    return sum_up(causes, out);
}

void syn_rank_time_free(struct syn_rank_time *time)
{
    free(time->waiting);
    free(time->caused);
    free(time->useful);
    free(time->by_category);
    free(time->caused_by);
    free(time->path_ns);
    *time = (struct syn_rank_time){0};
}
