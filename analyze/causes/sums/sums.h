/* analyze/causes/sums/sums.h - sums of a replay by label and location: times, and the waiting of
 * others. */
#ifndef SYN_CAUSE_SUMS_H
#define SYN_CAUSE_SUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/causes/sums/octaves.h"
#include "analyze/causes/sums/strips.h"
#include "analyze/causes/sums/tables.h"
#include "sync/base/status.h"

/* Parts of time. The first three: of a segment; the others: of a call. */
enum syn_part {
    SYN_PART_COMPUTING,
    SYN_PART_MESSAGES,
    SYN_PART_OFF_CPU,
    SYN_PART_OPERATION,
    SYN_PART_WAITING,
    SYN_PART_COUNT
};

/* A rank is late by its own time, whether it computed or was off its processor: off_cpu is no more
 * than what samples make certain, and the rest of the same pause counts as computing. So excesses
 * are of both together, and kept with computing; waiting is told apart.
 *
 * The parts of a segment, and those of a call, are kept at these places. */
static inline unsigned syn_part_slot(enum syn_part part)
{
    return part == SYN_PART_OPERATION ? 0 : part == SYN_PART_WAITING ? 1 : (unsigned)part;
}

/* How waiting that a cell made others wait came to them, where some of it was in messages. */
#define SYN_HOPS 16 /* the last one has all beyond it, too */
struct syn_cause_reach {
    int64_t messages_ns;       /* of the waiting, in messages */
    int64_t hops_ns[SYN_HOPS]; /* by how many times it was passed on */
    uint32_t hops_most;
};

/* Sums of one label on one location, but for its blocks and its slots. */
struct syn_cause_cell {
    /* of all blocks, once the sums are settled: */
    int64_t ns[SYN_SLOT_COUNT];
    int64_t waiting_ns[SYN_SLOT_COUNT]; /* of others that it made wait */
    int64_t count;                      /* times it was gone through */
    struct syn_cause_reach *reach;      /* [SYN_SLOT_COUNT], in slabs; NULL: none in messages */
    uint32_t number, location, label;
};

/* Sums of one of its parts: half a line of the cache, all that a charge needs. */
struct syn_cause_slot {
    int64_t path_ns;   /* of the critical path */
    int64_t bound_ns;  /* what clocks may have added to the waiting or hidden */
    int64_t instances; /* in which it made somebody wait */
    /* how much longer than the mean of those who waited it took, where it made somebody wait: */
    struct syn_octaves *octaves;
};

/* Why nobody is named for some waiting. */
enum syn_unknown {
    SYN_UNKNOWN_BEGIN,  /* there was no synchronization before */
    SYN_UNKNOWN_CLOCK,  /* no more than the clocks' bound */
    SYN_UNKNOWN_EARLY,  /* left before the last had come: it waited for something else */
    SYN_UNKNOWN_PASSED, /* the last one was late by waiting, for which nobody is named */
    SYN_UNKNOWN_COUNT
};

/* The run's time is cut into so many blocks of block_ns from begin_ns on; what lies outside belongs
 * to the first or last. */
#define SYN_BLOCKS_MOST 64
struct syn_cause_blocks {
    int64_t begin_ns, block_ns;
    uint32_t count;
};
static inline uint32_t syn_cause_block_of(const struct syn_cause_blocks *blocks, int64_t ns)
{
    const int64_t block = (ns - blocks->begin_ns) / blocks->block_ns;
    return block < 0 ? 0 : block >= blocks->count ? blocks->count - 1 : (uint32_t)block;
}

/* Cells are numbered as they come. Those of neighbouring numbers, which nearly always are those of
 * a label on all locations, lie together, and so do their slots of a kind, of which replays mostly
 * need the first, and what they have in each block of the run's time: most cells of a slice lie in
 * a block or two, and those of a phase of the run in few. */
struct syn_cause_sheet {
    struct syn_cause_slot slot[SYN_SLOT_COUNT][SYN_SHEET_CELLS];
    struct syn_cause_cell cell[SYN_SHEET_CELLS];
    struct syn_strip strip[]; /* [blocks.count] */
};

/* Returns the slot of a cell that has its number. */
static inline struct syn_cause_slot *syn_cause_slot_of(const struct syn_cause_cell *cell,
                                                       unsigned slot)
{
    const unsigned place = cell->number % SYN_SHEET_CELLS;
    struct syn_cause_sheet *sheet =
        (struct syn_cause_sheet *)((char *)(cell - place) - offsetof(struct syn_cause_sheet, cell));
    return &sheet->slot[slot][place];
}

/* Sums; adding them up in any order gives the same. */
struct syn_ledger;
struct syn_cause_sums {
    struct syn_cause_blocks blocks;
    uint32_t **number;     /* [location_count][label_count of it], of cells; 0: none */
    uint32_t *label_count; /* [location_count] */
    struct syn_ledger
        *ledger; /* whose cells they are (ledgers.h), by its labels; NULL: their own */
    uint32_t location_count;
    uint32_t cell_count;            /* numbers 1 to cell_count; number 0's place stays empty */
    struct syn_cause_sheet **sheet; /* [sheet_count], in slabs */
    size_t sheet_count, sheet_capacity;
    struct syn_slabs slabs; /* of sheets and strips */
    struct syn_slabs octaves;
    /* Memory of threads that helped to add other sums (merging.c): each has slabs of its own, and
     * goes on with them where the next sums are added. */
    struct syn_cause_helper {
        struct syn_slabs slabs, octaves;
    } * helper; /* [helper_count], owned */
    size_t helper_count;
    struct syn_cause_shift **shift; /* [location_count][blocks.count]: shifts.h; NULL where nothing
                                       goes on beyond its block */
    int64_t waiting_ns;             /* all there is to divide */
    int64_t caused_ns[SYN_BLOCKS_MOST]; /* in each block, by all cells, once the sums are settled */
    int64_t messages_ns[2]; /* of it, in messages: for late receivers, for late senders */
    int64_t unknown_ns[SYN_UNKNOWN_COUNT];
    int64_t path_start_ns; /* the path's pieces end at path_end_ns */
    int64_t path_end_ns;
    uint64_t instance_count; /* on communicators of two and more */
};

/* 0 or SYN_ENOMEM; free in any case. */
int syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                         const struct syn_cause_blocks *blocks);
void syn_cause_sums_free(struct syn_cause_sums *sums);
/* Returns the number of a label's cell on a location; 0: it has no cell. */
static inline uint32_t syn_cause_number_of(const struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label)
{
    return label < sums->label_count[location] ? sums->number[location][label] : 0;
}
static inline struct syn_cause_cell *syn_cause_cell_at(const struct syn_cause_sums *sums,
                                                       uint32_t number)
{
    return &sums->sheet[number / SYN_SHEET_CELLS]->cell[number % SYN_SHEET_CELLS];
}
static inline struct syn_cause_slot *syn_cause_slot_at(const struct syn_cause_sums *sums,
                                                       uint32_t number, unsigned slot)
{
    return &sums->sheet[number / SYN_SHEET_CELLS]->slot[slot][number % SYN_SHEET_CELLS];
}
/* Returns the place of that number. NULL: no memory. */
uint32_t *syn_cause_number_place(struct syn_cause_sums *sums, uint32_t location, uint32_t label);
/* An empty sheet out of slabs. NULL: no memory. */
struct syn_cause_sheet *syn_cause_sheet_new(const struct syn_cause_sums *sums,
                                            struct syn_slabs *slabs);
/* All but the numbers changes places: the cells, and what was added up. */
void syn_cause_sums_exchange(struct syn_cause_sums *one, struct syn_cause_sums *other);
/* Returns the strip of a cell in a block of time. */
static inline struct syn_strip *syn_cause_strip_at(const struct syn_cause_sums *sums,
                                                   uint32_t number, uint32_t block)
{
    return &sums->sheet[number / SYN_SHEET_CELLS]->strip[block];
}
static inline struct syn_cause_block syn_cause_block_of_cell(const struct syn_cause_sums *sums,
                                                             const struct syn_cause_cell *cell,
                                                             uint32_t block)
{
    return syn_strip_read(syn_cause_strip_at(sums, cell->number, block),
                          cell->number % SYN_SHEET_CELLS);
}
/* The cell of a label, made where there is none. NULL: no memory. */
struct syn_cause_cell *syn_cause_cell_make(struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label);
/* To what a cell has in a block. 0 or SYN_ENOMEM. */
static inline __attribute__((always_inline)) int
syn_cause_block_add_in(struct syn_cause_sums *sums, uint32_t number, uint32_t block,
                       const struct syn_cause_block *added)
{
    return syn_strip_add(&sums->slabs, syn_cause_strip_at(sums, number, block),
                         number % SYN_SHEET_CELLS, added);
}
/* Adds to a label on a location, whether it has a cell or not. */
static inline int syn_cause_block_add(struct syn_cause_sums *sums, uint32_t location,
                                      uint32_t label, uint32_t block,
                                      const struct syn_cause_block *added)
{
    uint32_t number = syn_cause_number_of(sums, location, label);
    if (__builtin_expect(number == 0, 0)) {
        const struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, label);
        number = cell ? cell->number : 0;
    }
    return number ? syn_cause_block_add_in(sums, number, block, added) : SYN_ENOMEM;
}
/* It made somebody wait, by so much excess, at a time. 0 or SYN_ENOMEM. */
struct syn_cause_charge {
    int64_t waiting_ns, bound_ns, excess_ns, at_ns;
    int64_t off_cpu_ns; /* of the excess, where that is of own time (key: computing) */
};
int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge);
/* A charge's way to those who waited. 0 or SYN_ENOMEM. */
struct syn_cause_way {
    int64_t waiting_ns, messages_ns, hops;
    uint32_t hops_most;
};
int syn_cause_cell_reach(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                         const struct syn_cause_way *way);
/* Adds to `reach` of a cell, which gets its own out of slabs. 0 or SYN_ENOMEM. */
int syn_cause_reach_add(struct syn_slabs *slabs, struct syn_cause_cell *into,
                        const struct syn_cause_reach *from);
/* Add what another one has, by several threads; its labels are map[label] here (NULL: the same).
 * Cells of the other one may become ours: it can only be freed then. 0 or SYN_ENOMEM, after which
 * both can only be freed. */
int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from,
                       const uint32_t *map);
/* Adds sums by the labels of other tables with the same names: `tables` has them, too, from then
 * on. */
int syn_cause_sums_add_theirs(struct syn_cause_sums *into, struct syn_cause_tables *tables,
                              struct syn_cause_sums *from, const struct syn_cause_tables *theirs);

/* Labels get other numbers: number[label]. 0 or SYN_ENOMEM; then they can only be freed. */
int syn_cause_sums_relabel(struct syn_cause_sums *sums, const uint32_t *number);

/* Nothing will be added any more: of each sample no more than SYN_OCTAVE_SAMPLES are left, in
 * order; cells know what their blocks add up to, and blocks what was waited for them. */
void syn_cause_sums_settle(struct syn_cause_sums *sums);

#endif
