/* Ranks x time out of cells of known sums, by one thread and by several. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/report/findings/rank_time.h"
#include "analyze/threads.h"

/* Enough labels for each thread to get some of them. */
enum { RANKS = 6, BLOCKS = 4, LABELS = 12000 };

/* Makes the bin b of label l on rank r: a segment that made others wait, or a call that waited.
 * Of later labels it is small. */
static struct syn_bin_values bin_of(uint32_t label, uint32_t rank, uint32_t bin)
{
    const int64_t ns = 10 + label + 1000 * (int64_t)rank + 7 * (int64_t)bin;
    struct syn_bin_values made = {.count = 1, .waits = 1, .waiting_ns = {ns, ns % 5, ns % 3}};
    made.ns[0] = 3 * ns;
    made.ns[1] = 2 * ns; /* of a segment: in messages */
    made.ns[2] = label % 2 ? 0 : ns % 11;
    if (label >= LABELS / 2)
        made.ns[2] = made.waiting_ns[1] = made.waiting_ns[2] = 0;
    return made;
}

static void make_run(struct syn_run_facts *run, struct syn_cause_location *location)
{
    const struct syn_time_bins bins = {.bin_ns = 1000, .count = BLOCKS};
    *run = (struct syn_run_facts){.rank_count = RANKS};
    run->causes.plan.location = location;
    run->causes.plan.location_count = RANKS;
    cr_assert_eq(syn_cause_tables_begin(&run->causes.tables, 0), 0);
    syn_cause_sums_begin(&run->causes.sums, RANKS, &bins);
    for (uint32_t r = 0; r < RANKS; r++)
        location[r].rank = (int32_t)r;
    for (uint32_t i = 0; i < LABELS * RANKS * BLOCKS; i++) {
        const uint32_t label = i / (RANKS * BLOCKS), rank = i / BLOCKS % RANKS, bin = i % BLOCKS;
        const struct syn_bin_values added = bin_of(label, rank, bin);
        cr_assert_eq(
            syn_label_of(&run->causes.tables, label, label % 2 ? SYN_POINT_INSIDE : label + 1),
            label);
        cr_assert_eq(syn_bin_add(&run->causes.sums, rank, label, bin, &added), 0);
        syn_category_sums_of(syn_cause_cell_make(&run->causes.sums, rank, label), (unsigned)bin % 3)
            ->path_ns += rank + 1;
    }
    cr_assert_eq(syn_bin_overlap_caused(&run->causes.sums, 2, 1, 3, 50), 0);
    syn_cause_sums_settle(&run->causes.sums);
}

static void expect_rows(const struct syn_rank_time *time)
{
    for (uint32_t at = 0; at < time->row_count * BLOCKS; at++) {
        int64_t waiting_ns = 0, caused_ns = 0, useful_ns = 0;
        const uint32_t row = at / BLOCKS, b = at % BLOCKS;
        for (uint32_t i = 0; i < LABELS * RANKS; i++) {
            const uint32_t label = i / RANKS, rank = i % RANKS;
            const struct syn_bin_values bin = bin_of(label, rank, b);
            if (rank / (uint32_t)time->ranks_per_row != row)
                continue;
            waiting_ns += label % 2 ? bin.ns[1] : 0;
            useful_ns += label % 2 ? 0 : bin.ns[0] + bin.ns[2];
            caused_ns += bin.waiting_ns[0];
            caused_ns += label % 2 ? 0 : bin.waiting_ns[1] + bin.waiting_ns[2];
        }
        if (row == 2 / (uint32_t)time->ranks_per_row)
            caused_ns += b == 3 ? 50 : b == 1 ? -50 : 0;
        cr_assert_eq(time->waiting[at], (double)waiting_ns);
        cr_assert_eq(time->caused[at], (double)caused_ns, "row %u, bin %u", row, b);
        cr_assert_eq(time->useful[at], (double)useful_ns);
    }
}

static void expect_ranks(const struct syn_rank_time *time)
{
    for (uint32_t r = 0; r < RANKS; r++) {
        int64_t category_ns[SYN_CAUSE_CATEGORIES] = {0};
        for (uint32_t i = 0; i < LABELS * BLOCKS; i++) {
            const struct syn_bin_values bin = bin_of(i / BLOCKS, r, i % BLOCKS);
            if (i / BLOCKS % 2)
                category_ns[SYN_CATEGORY_OPERATION] += bin.waiting_ns[0];
            for (int category = 0; i / BLOCKS % 2 == 0 && category < 3; category++)
                category_ns[category] += bin.waiting_ns[category];
        }
        for (int category = 0; category < SYN_CAUSE_CATEGORIES; category++)
            cr_assert_eq(time->by_category[r][category], (double)category_ns[category]);
        cr_assert_eq(time->caused_by[r],
                     (double)(category_ns[0] + category_ns[1] + category_ns[2] + category_ns[3]));
        cr_assert_eq(time->path_ns[r], (double)(LABELS * BLOCKS * (r + 1)));
    }
}

Test(report_rank_time, is_what_cells_have_whoever_adds_it_up)
{
    static struct syn_cause_location location[RANKS];
    struct syn_run_facts run;
    make_run(&run, location);
    for (size_t threads = 1; threads <= 8; threads += threads < 3 ? 1 : 5)
        for (size_t rows = 0; rows <= 2; rows++) {
            struct syn_rank_time time;
            syn_thread_count_set(threads);
            cr_assert_eq(syn_rank_time_make(&run, rows, &time), 0);
            cr_assert_eq(time.row_count, rows ? rows : RANKS);
            expect_rows(&time);
            expect_ranks(&time);
            syn_rank_time_free(&time);
        }
    syn_thread_count_set(0);
    syn_cause_sums_free(&run.causes.sums);
    syn_cause_tables_free(&run.causes.tables);
}
