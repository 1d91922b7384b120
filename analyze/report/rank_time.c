/* analyze/report/rank_time.c - ranks x time out of the sums of a run's causes. */
#include "analyze/report/rank_time.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "analyze/causes/adding.h"
#include "analyze/causes/shifts.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

_Static_assert(SYN_PART_OPERATION == SYN_CAUSE_PARTS - 1, "waiting causes nothing");

/* Whole ns, of which sums are the same in any order: those of very many ranks are larger than what
 * a double has to the ns. Of a thread, one behind the other in its own stretch of `sum`. */
struct sums {
    int64_t *waiting, *caused, *useful;            /* [row_count][block_count] */
    int64_t (*by_part)[SYN_CAUSE_PARTS], *path_ns; /* [rank_count] */
};

/* Threads take sheets. */
struct summing {
    const struct syn_causes *causes;
    const struct syn_rank_time *time; /* what it is by; nothing is added to it yet */
    int64_t *sum;                     /* [thread_count][sum_count], owned */
    size_t sum_count, thread_count;
    _Atomic size_t next_sheet, next_thread;
};

static size_t square_of(const struct syn_rank_time *time)
{
    return (size_t)time->row_count * time->block_count;
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
                         .path_ns = of_ranks + ranks * SYN_CAUSE_PARTS};
}

/* Where what a cell has is added to. */
struct place {
    size_t first; /* of its row */
    int32_t rank; /* -1: it is no cell */
    bool is_call;
};

static void add_caused(struct sums *sums, const struct place *place, int part,
                       const struct syn_cause_block *block, uint32_t at)
{
    const int64_t ns = block->waiting_ns[syn_part_slot((enum syn_part)part)];
    if (ns == 0)
        return;
    syn_sum_add(&sums->caused[place->first + at], ns);
    syn_sum_add(&sums->by_part[place->rank][part], ns);
}

static void add_block(struct sums *sums, const struct place *place,
                      const struct syn_cause_block *block, uint32_t at)
{
    if (place->is_call) {
        syn_sum_add(&sums->waiting[place->first + at], block->ns[syn_part_slot(SYN_PART_WAITING)]);
        add_caused(sums, place, SYN_PART_OPERATION, block, at);
        return;
    }
    syn_sum_add(&sums->useful[place->first + at], block->ns[SYN_PART_COMPUTING]);
    syn_sum_add(&sums->useful[place->first + at], block->ns[SYN_PART_OFF_CPU]);
    for (int part = SYN_PART_COMPUTING; part <= SYN_PART_OFF_CPU; part++)
        add_caused(sums, place, part, block, at);
}

/* The same of a small block, in which only a cell's first slot makes anybody wait. */
static void add_small(struct sums *sums, const struct place *place,
                      const struct syn_small_block *small, uint32_t at)
{
    if (place->is_call) {
        syn_sum_add(&sums->waiting[place->first + at], small->ns[syn_part_slot(SYN_PART_WAITING)]);
        syn_sum_add(&sums->by_part[place->rank][SYN_PART_OPERATION], small->waiting_ns);
    } else {
        syn_sum_add(&sums->useful[place->first + at], small->ns[SYN_PART_COMPUTING]);
        syn_sum_add(&sums->by_part[place->rank][SYN_PART_COMPUTING], small->waiting_ns);
    }
    syn_sum_add(&sums->caused[place->first + at], small->waiting_ns);
}

static void add_strip(struct sums *sums, const struct place *place, const struct syn_strip *strip,
                      uint32_t at)
{
    for (unsigned i = 0; syn_strip_has_any(strip) && i < SYN_SHEET_CELLS; i++) {
        if (place[i].rank < 0)
            continue;
        if (strip->small)
            add_small(sums, &place[i], &strip->small[i], at);
        else
            add_block(sums, &place[i], &strip->large[i], at);
    }
}

static struct place place_of(const struct syn_rank_time *time, const struct syn_causes *causes,
                             const struct syn_cause_cell *cell)
{
    if (cell->number == 0)
        return (struct place){.rank = -1};
    const int32_t rank = causes->plan.location[cell->location].rank;
    return (struct place){.first = (size_t)(rank / time->ranks_per_row) * time->block_count,
                          .rank = rank,
                          .is_call = syn_label_is_call(syn_label_at(&causes->tables, cell->label))};
}

/* What the cells of a sheet have in a block lies side by side. */
static void add_sheet(const struct summing *summing, struct sums *sums,
                      const struct syn_cause_sheet *sheet)
{
    struct place place[SYN_SHEET_CELLS];
    for (unsigned i = 0; i < SYN_SHEET_CELLS; i++) {
        place[i] = place_of(summing->time, summing->causes, &sheet->cell[i]);
        for (int slot = 0; place[i].rank >= 0 && slot < SYN_SLOT_COUNT; slot++)
            syn_sum_add(&sums->path_ns[place[i].rank], sheet->cell[i].slot[slot].path_ns);
    }
    for (uint32_t b = 0; b < summing->time->block_count; b++)
        add_strip(sums, place, &sheet->strip[b], b);
}

static void *add_sheets(void *argument)
{
    struct summing *summing = argument;
    const struct syn_cause_sums *causes = &summing->causes->sums;
    struct sums sums = sums_of(summing, atomic_fetch_add(&summing->next_thread, 1));
    for (size_t s; (s = atomic_fetch_add(&summing->next_sheet, 1)) < causes->sheet_count;)
        add_sheet(summing, &sums, causes->sheet[s]);
    return NULL;
}

/* What went on beyond the block that it began in. */
static void add_shifts(const struct summing *summing, struct sums *sums, uint32_t location)
{
    const struct syn_causes *causes = summing->causes;
    const struct syn_rank_time *time = summing->time;
    const int32_t rank = causes->plan.location[location].rank;
    const struct syn_cause_shift *shift = causes->sums.shift ? causes->sums.shift[location] : NULL;
    const size_t first = (size_t)(rank / time->ranks_per_row) * time->block_count;
    for (uint32_t b = 0; shift && b < time->block_count; b++) {
        syn_sum_add(&sums->waiting[first + b], shift[b].waiting_ns);
        syn_sum_add(&sums->caused[first + b], shift[b].caused_ns);
        syn_sum_add(&sums->useful[first + b], shift[b].useful_ns);
    }
}

/* To those of the first thread. */
static void add_threads(struct summing *summing)
{
    for (size_t thread = 1; thread < summing->thread_count; thread++)
        for (size_t i = 0; i < summing->sum_count; i++)
            syn_sum_add(&summing->sum[i], summing->sum[thread * summing->sum_count + i]);
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
    summing.sum_count =
        3 * square_of(out) + ((size_t)SYN_CAUSE_PARTS + 1) * (size_t)out->rank_count + 1;
    summing.thread_count =
        syn_least(syn_thread_count(), causes->sums.cell_count / summing.sum_count + 1);
    summing.sum = calloc(summing.thread_count * summing.sum_count, sizeof *summing.sum);
    if (!summing.sum)
        return SYN_ENOMEM;
    syn_threads_run(summing.thread_count, add_sheets, &summing);
    add_threads(&summing);
    struct sums sums = sums_of(&summing, 0);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        add_shifts(&summing, &sums, i);
    put(&sums, out);
    free(summing.sum);
    return 0;
}

int syn_rank_time_make(const struct syn_run_facts *run, size_t rows, struct syn_rank_time *out)
{
    const struct syn_causes *causes = &run->causes;
    const size_t ranks = (size_t)run->rank_count;
    *out = (struct syn_rank_time){.rank_count = run->rank_count,
                                  .block_count = causes->sums.blocks.count,
                                  .begin_ns = (double)causes->sums.blocks.begin_ns -
                                              (double)causes->sums.path_start_ns,
                                  .block_ns = (double)causes->sums.blocks.block_ns};
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
