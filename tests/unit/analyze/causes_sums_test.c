/* Sums of causes: cells and their bins of time, put together from parts of a run, by several
 * threads. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/causes/replay/replay.h"
#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"

enum { LOCATIONS = 3, LABELS = 5, BLOCKS = 16 };
static const struct syn_time_bins in_bins = {.bin_ns = 1000, .count = BLOCKS};

static void begin_sums(struct syn_cause_sums *sums)
{
    syn_cause_sums_begin(sums, LOCATIONS, &in_bins);
}

/* Charges in the bins from `first_bin` on. */
static void make_sums(struct syn_cause_sums *sums, uint32_t first_bin)
{
    begin_sums(sums);
    for (uint32_t i = 0; i < 40; i++) {
        const struct syn_cause_charge charge = {.waiting_ns = 10 + i,
                                                .bound_ns = i,
                                                .excess_ns = 100 * i + 1,
                                                .at_ns = 1000 * (first_bin + i % 5) + i};
        cr_assert_eq(
            syn_cause_cell_charge(sums, i % LOCATIONS, i % LABELS * SYN_CATEGORY_COUNT, &charge),
            0);
    }
}

static void expect_same_histogram(const struct syn_excess_histogram *a,
                                  const struct syn_excess_histogram *b)
{
    cr_assert_eq(!a, !b);
    if (!a)
        return;
    cr_assert_eq(a->present, b->present);
    for (uint32_t i = 0; i < a->count; i++) {
        const struct syn_excess_bucket *x = &a->at[i], *y = &b->at[i];
        cr_assert(x->count == y->count && x->waiting_ns == y->waiting_ns && x->below == y->below &&
                  x->sample_count == y->sample_count);
        for (uint32_t k = 0; k < x->sample_count; k++)
            cr_expect(x->sample[k].draw == y->sample[k].draw &&
                      x->sample[k].excess_ns == y->sample[k].excess_ns);
    }
}

static void expect_same_cells(const struct syn_cause_sums *a, const struct syn_cause_cell *of_a,
                              const struct syn_cause_sums *b, const struct syn_cause_cell *of_b)
{
    for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        const struct syn_category_sums *x = syn_category_sums_of(of_a, index);
        const struct syn_category_sums *y = syn_category_sums_of(of_b, index);
        cr_expect(x->path_ns == y->path_ns && x->bound_ns == y->bound_ns &&
                  x->instances == y->instances);
        expect_same_histogram(x->histogram, y->histogram);
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const struct syn_bin_values x = syn_bin_of_cell(a, of_a, i);
        const struct syn_bin_values y = syn_bin_of_cell(b, of_b, i);
        cr_expect(x.count == y.count && x.waits == y.waits);
        cr_expect_arr_eq(x.ns, y.ns, sizeof x.ns);
        cr_expect_arr_eq(x.waiting_ns, y.waiting_ns, sizeof x.waiting_ns);
    }
}

static void expect_same_sums(const struct syn_cause_sums *a, const struct syn_cause_sums *b)
{
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        const uint32_t labels = syn_largest(a->label_count, b->label_count);
        for (uint32_t label = 0; label < labels; label++) {
            const uint32_t of_a = syn_cause_number_of(a, i, label);
            const uint32_t of_b = syn_cause_number_of(b, i, label);
            cr_assert_eq(!of_a, !of_b);
            if (of_a)
                expect_same_cells(a, syn_cause_cell_at(a, of_a), b, syn_cause_cell_at(b, of_b));
        }
    }
    cr_expect_eq(a->waiting_ns, b->waiting_ns);
    cr_expect_eq(a->instance_count, b->instance_count);
    cr_expect_arr_eq(a->unknown_ns, b->unknown_ns, sizeof a->unknown_ns);
}

/* Whichever of the two is the larger one. */
static void expect_added_alike(uint32_t first_bin)
{
    struct syn_cause_sums part, again, taken_over, added;
    make_sums(&part, first_bin);
    make_sums(&again, first_bin);
    begin_sums(&taken_over);
    begin_sums(&added);
    for (uint32_t label = 0; label < 20; label++)
        cr_assert_neq(syn_cause_cell_make(&added, 0, label), NULL);
    cr_assert_eq(syn_cause_sums_add(&taken_over, &part), 0);
    cr_assert_eq(syn_cause_sums_add(&added, &again), 0);
    for (uint32_t label = 0; label < 20; label++)
        cr_assert_neq(syn_cause_cell_make(&taken_over, 0, label), NULL);
    syn_cause_sums_settle(&taken_over);
    syn_cause_sums_settle(&added);
    expect_same_sums(&taken_over, &added);
    syn_cause_sums_free(&part);
    syn_cause_sums_free(&again);
    syn_cause_sums_free(&taken_over);
    syn_cause_sums_free(&added);
}

Test(causes_sums, a_settled_cell_knows_what_its_bins_add_up_to)
{
    struct syn_cause_sums sums;
    begin_sums(&sums);
    for (uint32_t b = 0; b < BLOCKS; b += 3)
        for (uint32_t label = 0; label < 2 * SYN_BLOCK_CELLS; label++) {
            const struct syn_bin_values added = {.ns = {[1] = b + label},
                                                 .waiting_ns = {1000 * b + label},
                                                 .count = b + 2,
                                                 .waits = 1};
            cr_assert_eq(syn_bin_add(&sums, 1, label, b, &added), 0);
        }
    syn_cause_sums_settle(&sums);
    const struct syn_cause_cell *cell = syn_profile_cell(&sums, 1, SYN_BLOCK_CELLS);
    cr_assert_neq(cell, NULL);
    cr_expect_eq(cell->ns[1], 0 + 3 + 6 + 9 + 12 + 15 + 6 * SYN_BLOCK_CELLS);
    cr_expect_eq(cell->ns[0], 0);
    cr_expect_eq(cell->waiting_ns[0], 45000 + 6 * SYN_BLOCK_CELLS);
    cr_expect_eq(cell->waiting_ns[1], 0);
    cr_expect_eq(cell->count, 45 + 6 * 2, "what they were gone through, and not who waited");
    cr_expect_eq(sums.caused_ns[15],
                 2 * SYN_BLOCK_CELLS * 15000 + SYN_BLOCK_CELLS * (2 * SYN_BLOCK_CELLS - 1));
    cr_expect_eq(sums.caused_ns[0], SYN_BLOCK_CELLS * (2 * SYN_BLOCK_CELLS - 1));
    cr_expect_eq(sums.caused_ns[1], 0);
    cr_expect_eq(syn_bin_of_cell(&sums, cell, 3).ns[1], 3 + SYN_BLOCK_CELLS);
    cr_expect_eq(syn_bin_of_cell(&sums, cell, 4).ns[1], 0, "there is none");
    cr_expect_eq(syn_profile_cell(&sums, 0, 0), NULL);
    syn_cause_sums_free(&sums);
}

Test(causes_sums, a_cell_that_has_what_is_not_small_knows_the_same)
{
    struct syn_cause_sums sums;
    const struct syn_bin_values large = {
        .ns = {1, 2, INT64_C(1) << 40}, .waiting_ns = {3, 4, 5}, .count = 6, .waits = 1};
    const struct syn_bin_values small = {.ns = {10, 20}, .waiting_ns = {30}, .count = 60};
    begin_sums(&sums);
    cr_assert_eq(syn_bin_add(&sums, 0, 0, 1, &large), 0);
    cr_assert_eq(syn_bin_add(&sums, 0, 0, 2, &small), 0);
    syn_cause_sums_settle(&sums);
    const struct syn_cause_cell *cell = syn_profile_cell(&sums, 0, 0);
    cr_expect_eq(cell->ns[0], 11);
    cr_expect_eq(cell->ns[2], INT64_C(1) << 40);
    cr_expect_eq(cell->waiting_ns[0], 33);
    cr_expect_eq(cell->waiting_ns[1], 4);
    cr_expect_eq(cell->waiting_ns[2], 5);
    cr_expect_eq(cell->count, 66);
    syn_cause_sums_free(&sums);
}

/* Each slab in use has more than one kind of thing, and the largest ones come several times. */
Test(causes_sums, what_lies_in_cell_memory_does_not_overlap)
{
    enum { COUNT = 4000, LINES_BYTES = 5000, PIECE_BYTES = 100 };
    struct syn_cell_memory memory = {0};
    char **line = malloc(COUNT * sizeof *line), **piece = malloc(COUNT * sizeof *piece);
    for (int i = 0; i < COUNT; i++) {
        line[i] = syn_cell_memory_lines(&memory, LINES_BYTES);
        piece[i] = syn_cell_memory_piece(&memory, PIECE_BYTES);
        cr_assert_eq((uintptr_t)line[i] % SYN_LINE_BYTES, 0);
        cr_assert_eq((uintptr_t)piece[i] % SYN_PIECE_BYTES, 0);
        cr_assert(line[i][0] == 0 && memcmp(line[i], line[i] + 1, LINES_BYTES - 1) == 0);
        memset(line[i], i % 100 + 1, LINES_BYTES);
        memset(piece[i], i % 100 + 1, PIECE_BYTES);
    }
    for (int i = 0; i < COUNT; i++) {
        cr_assert_eq(line[i][0], i % 100 + 1);
        cr_assert_eq(memcmp(line[i], line[i] + 1, LINES_BYTES - 1), 0);
        cr_assert_eq(memcmp(line[i], piece[i], PIECE_BYTES), 0);
    }
    syn_cell_memory_free(&memory);
    free(line);
    free(piece);
}

Test(causes_sums, a_piece_that_is_given_back_is_the_next_of_its_size)
{
    struct syn_cell_memory memory = {0};
    char *small = syn_cell_memory_piece(&memory, 40),
         *large = syn_cell_memory_piece(&memory, SYN_PIECE_MOST);
    syn_cell_memory_give_back(&memory, small, 40);
    syn_cell_memory_give_back(&memory, large, SYN_PIECE_MOST);
    syn_cell_memory_give_back(&memory, NULL, 40);
    cr_expect_neq(syn_cell_memory_piece(&memory, 50), small, "that is larger");
    cr_expect_eq(syn_cell_memory_piece(&memory, 48), small);
    cr_expect_neq(syn_cell_memory_piece(&memory, 48), small);
    cr_expect_eq(syn_cell_memory_piece(&memory, SYN_PIECE_MOST), large);
    syn_cell_memory_free(&memory);
}

/* ---- excesses ---- */

enum { EXCESSES = 3 * SYN_BUCKET_ROOM };

/* Some of which are too large to be kept as they came. */
static struct syn_excess excess_at(unsigned i, bool has_large)
{
    const uint64_t draw = (i + 1) * UINT64_C(0x9E3779B97F4A7C15);
    const int64_t large_ns = (int64_t)UINT32_MAX + 1 + i;
    struct syn_excess excess = {1 + i % 3 * 40 + i % 2, 1000 + i, draw};
    if (has_large && i % 17 == 4)
        excess.excess_ns = large_ns;
    if (has_large && i % 17 == 9)
        excess.waiting_ns = large_ns;
    return excess;
}

static void add_excesses(struct syn_cell_memory *memory, struct syn_excess_histogram **histogram,
                         unsigned first, unsigned end, bool has_large)
{
    for (unsigned i = first; i < end; i++) {
        const struct syn_excess excess = excess_at(i, has_large);
        cr_assert_eq(syn_excess_histogram_add(memory, histogram, &excess), 0);
    }
}

/* The k-th smallest draw of an bucket among the first `end`. */
static int64_t excess_of_draw(unsigned bucket, unsigned end, unsigned k, bool has_large)
{
    for (unsigned i = 0; i < end; i++) {
        const struct syn_excess excess = excess_at(i, has_large);
        unsigned below = 0;
        for (unsigned j = 0; j < end; j++) {
            const struct syn_excess other = excess_at(j, has_large);
            below += syn_excess_bucket_of(other.excess_ns) == bucket && other.draw < excess.draw;
        }
        if (syn_excess_bucket_of(excess.excess_ns) == bucket && below == k)
            return excess.excess_ns;
    }
    return -1;
}

static void expect_bucket(const struct syn_excess_bucket *of, unsigned bucket, unsigned end,
                          bool has_large)
{
    int64_t count = 0, waiting_ns = 0;
    for (unsigned i = 0; i < end; i++) {
        const struct syn_excess excess = excess_at(i, has_large);
        count += syn_excess_bucket_of(excess.excess_ns) == bucket;
        waiting_ns += syn_excess_bucket_of(excess.excess_ns) == bucket ? excess.waiting_ns : 0;
    }
    cr_expect_eq(of->count, count);
    cr_expect_eq(of->waiting_ns, waiting_ns);
    cr_assert_eq(of->sample_count, count < SYN_BUCKET_SAMPLES ? count : SYN_BUCKET_SAMPLES);
    for (unsigned k = 0; k < of->sample_count; k++)
        cr_expect_eq(of->sample[k].excess_ns, excess_of_draw(bucket, end, k, has_large));
}

static void expect_excesses(struct syn_excess_histogram *histogram, unsigned end, bool has_large)
{
    int64_t all = 0;
    uint32_t at = 0;
    syn_excess_histogram_finish(histogram);
    for (unsigned o = 0; histogram && o < SYN_EXCESS_BUCKETS; o++)
        if (histogram->present >> o & 1) {
            expect_bucket(&histogram->at[at], o, end, has_large);
            all += histogram->at[at++].count;
        }
    cr_expect_eq(at, histogram ? histogram->count : 0);
    cr_expect_eq(all, end, "%u", end);
}

/* However many there are, and however they are put together. */
static void expect_as_defined(unsigned end, unsigned first, bool has_large)
{
    struct syn_cell_memory memory = {0};
    struct syn_excess_histogram *at_once = NULL, *begin = NULL, *rest = NULL;
    add_excesses(&memory, &at_once, 0, end, has_large);
    add_excesses(&memory, &begin, 0, first, has_large);
    add_excesses(&memory, &rest, first, end, has_large);
    cr_assert_eq(syn_excess_histogram_merge(&memory, &begin, rest), 0);
    expect_excesses(at_once, end, has_large);
    expect_excesses(begin, end, has_large);
    syn_cell_memory_free(&memory);
}

Test(causes_sums, excesses_are_counted_and_drawn_as_defined)
{
    for (unsigned end = 0; end <= EXCESSES; end += end < 2 * SYN_BUCKET_SAMPLES ? 1 : 23)
        for (unsigned first = 0; first <= end; first += 7) {
            expect_as_defined(end, first, false);
            expect_as_defined(end, first, true);
        }
}

Test(causes_sums, sums_of_a_first_part_are_as_if_added)
{
    for (uint32_t first_bin = 0; first_bin + 5 <= BLOCKS; first_bin++)
        expect_added_alike(first_bin);
}

/* ---- by several threads ---- */

enum { MANY_LABELS = 2500, PARTS = 4 };

/* Some of the labels, in an order of the part's own: what lies side by side in one lies apart in
 * another, and each has labels that no part before it has. Some is too large for a small packed
 * bin, and some labels have more excesses than are kept. */
static void charge_many(struct syn_cause_sums *sums, uint32_t part, uint32_t often)
{
    for (uint32_t i = 0; i < MANY_LABELS; i++) {
        const uint32_t label = (i * (2 * part + 3) + 7 * part) % MANY_LABELS;
        const uint32_t times = label % 100 == 0 ? often : 2;
        for (uint32_t k = 0; label % PARTS <= part && k < LOCATIONS * times; k++) {
            const struct syn_cause_charge charge = {
                .waiting_ns = label % 50 == 1 ? INT64_C(3) << 31 : 10 + k,
                .bound_ns = k,
                .excess_ns = k < 9 ? 100 * k + label : 300,
                .at_ns = 1000 * ((label / 200 + part + k % 3) % BLOCKS) + k + 50 * part};
            cr_assert_eq(
                syn_cause_cell_charge(sums, k % LOCATIONS, label * SYN_CATEGORY_COUNT, &charge), 0);
        }
    }
}

static void add_many(struct syn_cause_sums *run, size_t threads, uint32_t often)
{
    begin_sums(run);
    syn_thread_count_set(threads);
    for (uint32_t p = 0; p < PARTS; p++) {
        struct syn_cause_sums part;
        begin_sums(&part);
        charge_many(&part, p, often);
        cr_assert_eq(syn_cause_sums_add(run, &part), 0);
        syn_cause_sums_free(&part);
    }
    syn_cause_sums_settle(run);
    syn_thread_count_set(0);
}

Test(causes_sums, several_threads_add_as_one_does)
{
    struct syn_cause_sums by_one, by_several;
    add_many(&by_one, 1, 70);
    for (size_t threads = 2; threads <= 8; threads += 3) {
        add_many(&by_several, threads, 70);
        expect_same_sums(&by_one, &by_several);
        syn_cause_sums_free(&by_several);
    }
    syn_cause_sums_free(&by_one);
}

Test(causes_sums, of_parts_are_those_of_all_at_once)
{
    struct syn_cause_sums plain, added;
    begin_sums(&plain);
    for (uint32_t p = 0; p < PARTS; p++)
        charge_many(&plain, p, 2);
    syn_cause_sums_settle(&plain);
    add_many(&added, 3, 2);
    expect_same_sums(&plain, &added);
    cr_expect_eq(added.cell_count, MANY_LABELS * LOCATIONS);
    syn_cause_sums_free(&plain);
    syn_cause_sums_free(&added);
}

/* ---- strips ---- */

static void add_to_model(struct syn_bin_values *model, const struct syn_bin_values *added)
{
    model->count += added->count;
    model->waits += added->waits;
    for (int index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        syn_sum_add(&model->ns[index], added->ns[index]);
        syn_sum_add(&model->waiting_ns[index], added->waiting_ns[index]);
    }
}

static void expect_packed(const struct syn_packed_bin *packed, const struct syn_bin_values *model)
{
    for (unsigned i = 0; i < SYN_BLOCK_CELLS; i++) {
        const struct syn_bin_values bin = syn_packed_bin_read(packed, i);
        cr_assert_eq(memcmp(&bin, &model[i], sizeof bin), 0, "cell %u", i);
    }
}

/* Small numbers in all cells, then `beyond` in one of them, then small ones again. */
static void expect_added(const struct syn_bin_values *beyond, bool stays_small)
{
    struct syn_cell_memory memory = {0};
    struct syn_packed_bin packed = {0};
    struct syn_bin_values model[SYN_BLOCK_CELLS] = {0};
    expect_packed(&packed, model);
    for (int i = 0; i < 5 * SYN_BLOCK_CELLS; i++) {
        const struct syn_bin_values few = {
            .count = 1, .ns = {100 + i, i % 3}, .waiting_ns = {i % 7}, .waits = i % 2};
        const struct syn_bin_values *added = i == 3 * SYN_BLOCK_CELLS + 9 ? beyond : &few;
        cr_assert_eq(syn_packed_bin_add(&memory, &packed, (unsigned)i % SYN_BLOCK_CELLS, added), 0);
        add_to_model(&model[i % SYN_BLOCK_CELLS], added);
        if (i % SYN_BLOCK_CELLS == 10)
            expect_packed(&packed, model);
    }
    expect_packed(&packed, model);
    cr_expect_eq(packed.small != NULL, stays_small);
    cr_expect_eq(packed.large != NULL, !stays_small);
    syn_cell_memory_free(&memory);
}

Test(causes_sums, what_does_not_fit_in_a_packed_bin_makes_it_larger)
{
    const struct syn_bin_values some = {.count = 9, .ns = {-50, 90}, .waits = 3};
    const struct syn_bin_values most = {
        .count = 65000, .ns = {4000000000, 4000000000}, .waiting_ns = {4000000000}, .waits = 65000};
    expect_added(&some, true);
    expect_added(&most, true);
    expect_added(&(struct syn_bin_values){.ns = {4294967200}}, false);
    expect_added(&(struct syn_bin_values){.ns = {-5000}}, false);
    expect_added(&(struct syn_bin_values){.ns = {0, 1, 1}}, false);
    expect_added(&(struct syn_bin_values){.ns = {0, INT64_MAX}}, false);
    expect_added(&(struct syn_bin_values){.waiting_ns = {4294967296}}, false);
    expect_added(&(struct syn_bin_values){.waiting_ns = {0, 1}}, false);
    expect_added(&(struct syn_bin_values){.waiting_ns = {0, 0, 1}}, false);
    expect_added(&(struct syn_bin_values){.count = 65535}, false);
    expect_added(&(struct syn_bin_values){.waits = 65536}, false);
}
