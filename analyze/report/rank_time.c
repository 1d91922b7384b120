/* analyze/report/rank_time.c - ranks x time out of the sums of a run's causes. */
#include "analyze/report/rank_time.h"

#include <stdlib.h>

#include "analyze/causes/shifts.h"
#include "sync/base/status.h"

_Static_assert(SYN_PART_OPERATION == SYN_CAUSE_PARTS - 1, "waiting causes nothing");

/* Where what a cell has is added to. */
struct place {
    size_t first; /* of its row */
    int32_t rank; /* -1: it is no cell */
    bool is_call;
};

static void add_caused(struct syn_rank_time *time, const struct place *place, int part,
                       const struct syn_cause_block *block, uint32_t at)
{
    const int64_t ns = block->waiting_ns[syn_part_slot((enum syn_part)part)];
    if (ns == 0)
        return;
    time->caused[place->first + at] += (double)ns;
    time->caused_by[place->rank] += (double)ns;
    time->by_part[place->rank][part] += (double)ns;
}

static void add_block(struct syn_rank_time *time, const struct place *place,
                      const struct syn_cause_block *block, uint32_t at)
{
    if (place->is_call) {
        time->waiting[place->first + at] += (double)block->ns[syn_part_slot(SYN_PART_WAITING)];
        add_caused(time, place, SYN_PART_OPERATION, block, at);
        return;
    }
    time->useful[place->first + at] +=
        (double)(block->ns[SYN_PART_COMPUTING] + block->ns[SYN_PART_OFF_CPU]);
    for (int part = SYN_PART_COMPUTING; part <= SYN_PART_OFF_CPU; part++)
        add_caused(time, place, part, block, at);
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
static void add_sheet(struct syn_rank_time *time, const struct syn_causes *causes,
                      const struct syn_cause_sheet *sheet)
{
    struct place place[SYN_SHEET_CELLS];
    for (unsigned i = 0; i < SYN_SHEET_CELLS; i++) {
        place[i] = place_of(time, causes, &sheet->cell[i]);
        for (int slot = 0; place[i].rank >= 0 && slot < SYN_SLOT_COUNT; slot++)
            time->path_ns[place[i].rank] += (double)sheet->cell[i].slot[slot].path_ns;
    }
    for (uint32_t b = 0; b < time->block_count; b++)
        for (unsigned i = 0; syn_strip_has_any(&sheet->strip[b]) && i < SYN_SHEET_CELLS; i++) {
            const struct syn_cause_block block = syn_strip_read(&sheet->strip[b], i);
            if (place[i].rank >= 0)
                add_block(time, &place[i], &block, b);
        }
}

/* What went on beyond the block that it began in. */
static void add_shifts(struct syn_rank_time *time, const struct syn_causes *causes,
                       uint32_t location)
{
    const int32_t rank = causes->plan.location[location].rank;
    const struct syn_cause_shift *shift = causes->sums.shift ? causes->sums.shift[location] : NULL;
    const size_t first = (size_t)(rank / time->ranks_per_row) * time->block_count;
    for (uint32_t b = 0; shift && b < time->block_count; b++) {
        time->waiting[first + b] += (double)shift[b].waiting_ns;
        time->caused[first + b] += (double)shift[b].caused_ns;
        time->useful[first + b] += (double)shift[b].useful_ns;
    }
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
    const size_t cells = (size_t)out->row_count * out->block_count + 1;
    out->waiting = calloc(cells, sizeof *out->waiting);
    out->caused = calloc(cells, sizeof *out->caused);
    out->useful = calloc(cells, sizeof *out->useful);
    out->by_part = calloc(ranks + 1, sizeof *out->by_part);
    out->caused_by = calloc(ranks + 1, sizeof *out->caused_by);
    out->path_ns = calloc(ranks + 1, sizeof *out->path_ns);
    if (!out->waiting || !out->caused || !out->useful || !out->by_part || !out->caused_by ||
        !out->path_ns)
        return SYN_ENOMEM;
    for (size_t s = 0; s < causes->sums.sheet_count; s++)
        add_sheet(out, causes, causes->sums.sheet[s]);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        add_shifts(out, causes, i);
    return 0;
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
