/* analyze/report/findings/rank_time.c - ranks x time out of the sums of a run's causes. */
#include "analyze/report/findings/rank_time.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Each packed bin lies in memory where there was room when it began: so many ahead it is asked for.
 */
#define BINS_AHEAD 2

_Static_assert(SYN_PART_OPERATION == SYN_CAUSE_PARTS - 1, "waiting causes nothing");

/* Sums of small bins: useful time for segments, waiting for calls; and the waiting caused. */
struct small_sum {
    uint64_t ns, caused_ns;
};

/* Whole ns, of which sums are the same in any order: those of very many ranks are larger than what
 * a double has to the ns. Of a thread, one behind the other in its own stretch of `sum`; but for
 * what small bins have, of which no sum overflows. */
struct sums {
    int64_t *waiting, *caused, *useful;            /* [row_count][bin_count] */
    int64_t (*by_part)[SYN_CAUSE_PARTS], *path_ns; /* [rank_count] */
    struct small_sum *small;                       /* [2: is it a call?][row_count][bin_count] */
};

/* Threads take cell blocks. */
struct summing {
    const struct syn_causes *causes;
    const struct syn_rank_time *time; /* what it is by; nothing is added to it yet */
    int64_t *sum;                     /* [thread_count][sum_count], owned */
    struct small_sum *small;          /* [thread_count][2 squares], owned */
    size_t sum_count, thread_count;
    _Atomic size_t next_block, next_thread;
};

static size_t square_of(const struct syn_rank_time *time)
{
    return (size_t)time->row_count * time->bin_count;
}

static struct sums sums_of(const struct summing *summing, size_t thread)
{
    const size_t square = square_of(summing->time), ranks = (size_t)summing->time->rank_count;
    int64_t *first = summing->sum + thread * summing->sum_count;
    int64_t *of_ranks = first + 3 * square;
    return (struct sums){.waiting = first,
                         .caused = first + square,
                         .useful = first + 2 * square,
                         .by_part = (int64_t(*)[SYN_CAUSE_PARTS])(void *)of_ranks,
                         .path_ns = of_ranks + ranks * SYN_CAUSE_PARTS,
                         .small = summing->small + thread * 2 * square};
}

/* The place to which a cell's bins are added, and the time that its small bins have. */
struct place {
    struct small_sum *small; /* [bin_count] */
    size_t first;            /* of its row */
    unsigned small_slot;
    bool is_call;
};

/* All parts make others wait, but waiting itself. */
static void add_bin(const struct sums *sums, const struct place *place,
                    const struct syn_bin_values *bin, uint32_t at)
{
    const int own_parts = place->is_call ? 1 : SYN_SLOT_COUNT;
    if (place->is_call) {
        syn_sum_add(&sums->waiting[place->first + at], bin->ns[syn_part_slot(SYN_PART_WAITING)]);
    } else {
        syn_sum_add(&sums->useful[place->first + at], bin->ns[SYN_PART_COMPUTING]);
        syn_sum_add(&sums->useful[place->first + at], bin->ns[SYN_PART_OFF_CPU]);
    }
    for (int slot = 0; slot < own_parts; slot++)
        syn_sum_add(&sums->caused[place->first + at], bin->waiting_ns[slot]);
}

/* Cells from `begin` on to `end`, which have a place each. Of small bins only a cell's first slot
 * makes anybody wait. */
static void add_packed(const struct sums *sums, const struct place *place, unsigned begin,
                       unsigned end, const struct syn_packed_bin *packed, uint32_t at)
{
    const struct syn_small_bin *small = packed->small;
    for (unsigned i = begin; small && i < end; i++) {
        struct small_sum *sum = &place[i].small[at];
        sum->ns += small[i].ns[place[i].small_slot];
        sum->caused_ns += small[i].waiting_ns;
    }
    for (unsigned i = begin; packed->large && i < end; i++)
        add_bin(sums, &place[i], &packed->large[i], at);
}

/* Adds a cell's sums over all bins. */
static void add_cell(const struct sums *sums, const struct syn_cause_cell *cell, int32_t rank,
                     bool is_call)
{
    int64_t *by_part = sums->by_part[rank];
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT; slot++)
        syn_sum_add(&sums->path_ns[rank], syn_cause_slot_of(cell, slot)->path_ns);
    if (is_call)
        syn_sum_add(&by_part[SYN_PART_OPERATION],
                    cell->waiting_ns[syn_part_slot(SYN_PART_OPERATION)]);
    for (int part = SYN_PART_COMPUTING; !is_call && part <= SYN_PART_OFF_CPU; part++)
        syn_sum_add(&by_part[part], cell->waiting_ns[syn_part_slot((enum syn_part)part)]);
}

static struct place place_of(const struct summing *summing, const struct sums *sums, int32_t rank,
                             bool is_call)
{
    const struct syn_rank_time *time = summing->time;
    const size_t first = (size_t)(rank / time->ranks_per_row) * time->bin_count;
    return (struct place){.small = sums->small + (is_call ? square_of(time) : 0) + first,
                          .first = first,
                          .small_slot =
                              syn_part_slot(is_call ? SYN_PART_WAITING : SYN_PART_COMPUTING),
                          .is_call = is_call};
}

/* Adds the cells of a cell block, bin by bin: what its cells have in a bin lies side by side. All
 * cell blocks are full but for cell 0, which is none, and places after the last cell. */
static void add_cell_block(const struct summing *summing, const struct sums *sums, size_t number)
{
    const struct syn_causes *causes = summing->causes;
    const struct syn_cell_block *cells = causes->sums.block[number];
    const size_t count = (size_t)causes->sums.cell_count + 1 - number * SYN_BLOCK_CELLS;
    const unsigned begin = number == 0, end = (unsigned)syn_least(count, SYN_BLOCK_CELLS);
    struct place place[SYN_BLOCK_CELLS];
    for (unsigned i = begin; i < end; i++) {
        const struct syn_cause_cell *cell = &cells->cell[i];
        const int32_t rank = causes->plan.location[cell->location].rank;
        const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, cell->label));
        add_cell(sums, cell, rank, is_call);
        place[i] = place_of(summing, sums, rank, is_call);
    }
    for (uint32_t b = 0; b < summing->time->bin_count; b++) {
        if (b + BINS_AHEAD < summing->time->bin_count)
            syn_packed_bin_fetch(&cells->packed[b + BINS_AHEAD]);
        add_packed(sums, place, begin, end, &cells->packed[b], b);
    }
}

static void *add_blocks(void *argument)
{
    struct summing *summing = argument;
    const struct syn_cause_sums *causes = &summing->causes->sums;
    struct sums sums = sums_of(summing, atomic_fetch_add(&summing->next_thread, 1));
    for (size_t s; (s = atomic_fetch_add(&summing->next_block, 1)) < causes->block_count;)
        add_cell_block(summing, &sums, s);
    return NULL;
}

/* Adds the time that lies beyond the bin in which it began. */
static void add_overlaps(const struct summing *summing, struct sums *sums, uint32_t location)
{
    const struct syn_causes *causes = summing->causes;
    const struct syn_rank_time *time = summing->time;
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

static void add_small(const struct sums *from, size_t square, const struct sums *into)
{
    const struct small_sum *of_segments = from->small, *of_calls = from->small + square;
    for (size_t i = 0; i < square; i++) {
        syn_sum_add(&into->useful[i], (int64_t)of_segments[i].ns);
        syn_sum_add(&into->waiting[i], (int64_t)of_calls[i].ns);
        syn_sum_add(&into->caused[i], (int64_t)of_segments[i].caused_ns);
        syn_sum_add(&into->caused[i], (int64_t)of_calls[i].caused_ns);
    }
}

/* To those of the first thread. */
static void add_threads(struct summing *summing)
{
    const struct sums into = sums_of(summing, 0);
    for (size_t thread = 1; thread < summing->thread_count; thread++)
        for (size_t i = 0; i < summing->sum_count; i++)
            syn_sum_add(&summing->sum[i], summing->sum[thread * summing->sum_count + i]);
    for (size_t thread = 0; thread < summing->thread_count; thread++) {
        const struct sums from = sums_of(summing, thread);
        add_small(&from, square_of(summing->time), &into);
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
        for (int part = 0; part < SYN_CAUSE_PARTS; part++) {
            out->by_part[r][part] = (double)sums->by_part[r][part];
            syn_sum_add(&caused_ns, sums->by_part[r][part]);
        }
        out->caused_by[r] = (double)caused_ns;
        out->path_ns[r] = (double)sums->path_ns[r];
    }
}

/* Each thread has all sums: no more threads than there are cells for each of them. 0 or SYN_ENOMEM.
 */
static int sum_up(const struct syn_causes *causes, struct syn_rank_time *out)
{
    struct summing summing = {.causes = causes, .time = out};
    int status = SYN_ENOMEM;
    summing.sum_count =
        3 * square_of(out) + ((size_t)SYN_CAUSE_PARTS + 1) * (size_t)out->rank_count + 1;
    summing.thread_count =
        syn_least(syn_thread_count(), causes->sums.cell_count / summing.sum_count + 1);
    summing.sum = calloc(summing.thread_count * summing.sum_count, sizeof *summing.sum);
    summing.small = calloc(summing.thread_count * 2 * square_of(out) + 1, sizeof *summing.small);
    if (summing.sum && summing.small) {
        syn_threads_run(summing.thread_count, add_blocks, &summing);
        add_threads(&summing);
        struct sums sums = sums_of(&summing, 0);
        for (uint32_t i = 0; i < causes->plan.location_count; i++)
            add_overlaps(&summing, &sums, i);
        put(&sums, out);
        status = SYN_OK;
    }
    free(summing.sum);
    free(summing.small);
    return status;
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
    out->by_part = calloc(ranks + 1, sizeof *out->by_part);
    out->caused_by = calloc(ranks + 1, sizeof *out->caused_by);
    out->path_ns = calloc(ranks + 1, sizeof *out->path_ns);
    if (!out->waiting || !out->caused || !out->useful || !out->by_part || !out->caused_by ||
        !out->path_ns)
        return SYN_ENOMEM;
    return sum_up(causes, out);
}

void syn_rank_time_free(struct syn_rank_time *time)
{
    free(time->waiting);
    free(time->caused);
    free(time->useful);
    free(time->by_part);
    free(time->caused_by);
    free(time->path_ns);
    *time = (struct syn_rank_time){0};
}
