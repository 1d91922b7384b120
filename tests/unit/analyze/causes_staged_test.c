/* Sums that locations set aside for a tile's labels go where they would have gone one by one. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/tile.h"
#include "analyze/stats/samples/bootstrap.h"

#define LOCATIONS 11 /* so that a label's cells now and then lie in two sheets */
#define LABELS    40
#define LAYERS    24
#define TILES     6

static struct syn_random drawn;
static struct syn_tile *tile;
static struct syn_cause_sums staged, one_by_one;

static void begin(void)
{
    const struct syn_cause_blocks blocks = {.begin_ns = 0, .block_ns = 1000, .count = 3};
    syn_random_seed(&drawn, 7);
    tile = calloc(1, sizeof *tile);
    cr_assert(tile);
    tile->staged.location_count = LOCATIONS;
    cr_assert_eq(syn_cause_sums_begin(&staged, LOCATIONS, &blocks), 0);
    cr_assert_eq(syn_cause_sums_begin(&one_by_one, LOCATIONS, &blocks), 0);
}

static void end(void)
{
    syn_staged_free(&tile->staged);
    syn_cause_sums_free(&staged);
    syn_cause_sums_free(&one_by_one);
    free(tile);
}

TestSuite(causes_staged, .init = begin, .fini = end);

/* Label l is a call where it is odd. The first `twice` of the tile's come in two layers. */
static void draw_labels(size_t twice)
{
    size_t at = 0;
    tile->block = (uint32_t)syn_random_below(&drawn, 3);
    tile->label_count = LABELS - twice;
    for (size_t l = 0; l < tile->label_count; l++) {
        tile->label[l] = (uint32_t)(LABELS - 1 - l);
        tile->is_call[l] = tile->label[l] % 2 == 1;
        tile->times[l] = l < twice ? 2 : 1;
        for (uint32_t t = 0; t < tile->times[l]; t++)
            tile->layer[at++] = (uint8_t)(1 + syn_random_below(&drawn, LAYERS));
    }
}

static void draw_times(struct syn_row_times *times, uint64_t most_ns)
{
    for (size_t k = 1; k <= LAYERS; k++) {
        times->segment_ns[k] = (int64_t)syn_random_below(&drawn, 3) > 0
                                   ? (int64_t)syn_random_below(&drawn, most_ns)
                                   : 0;
        times->operation_ns[k] = (int64_t)syn_random_below(&drawn, most_ns);
        times->waiting_ns[k] = (int64_t)syn_random_below(&drawn, most_ns);
    }
}

static void add_one_by_one(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_row_times *times)
{
    const uint8_t *layer = tile->layer;
    for (size_t l = 0; l < tile->label_count; l++)
        for (uint32_t t = 0; t < tile->times[l]; t++, layer++) {
            struct syn_cause_block added = {.count = 1};
            if (tile->is_call[l]) {
                added.ns[0] = times->operation_ns[*layer];
                added.ns[1] = times->waiting_ns[*layer];
            } else {
                added.ns[0] = times->segment_ns[*layer];
                added.count = times->segment_ns[*layer] != 0;
            }
            cr_assert_eq(syn_cause_block_add(sums, location, tile->label[l], tile->block, &added),
                         0);
        }
}

static void expect_the_same(void)
{
    for (uint32_t i = 0; i < LOCATIONS; i++)
        for (uint32_t label = 0; label < LABELS; label++)
            for (uint32_t b = 0; b < 3; b++) {
                const uint32_t number = syn_cause_number_of(&staged, i, label);
                const uint32_t other = syn_cause_number_of(&one_by_one, i, label);
                const struct syn_cause_block was =
                    number ? syn_cause_block_of_cell(&staged, syn_cause_cell_at(&staged, number), b)
                           : (struct syn_cause_block){0};
                const struct syn_cause_block is =
                    other ? syn_cause_block_of_cell(&one_by_one,
                                                    syn_cause_cell_at(&one_by_one, other), b)
                          : (struct syn_cause_block){0};
                cr_assert_eq(memcmp(&was, &is, sizeof was), 0, "location %u, label %u, block %u", i,
                             label, b);
            }
}

/* Tiles of which the `long_one`-th location has long times. */
static void go(size_t twice, uint64_t most_ns, uint32_t long_one)
{
    draw_labels(twice);
    for (size_t l = 0; l < tile->label_count; l++)
        cr_assert_eq(syn_staged_make_cells(&tile->staged, &staged, tile->label[l]), 0);
    cr_assert(syn_staged_begin(&tile->staged, tile, LAYERS));
    for (uint32_t i = 0; i < LOCATIONS; i++) {
        struct syn_row_times times;
        int64_t waiting_ns, waited_ns = 0;
        draw_times(&times, i == long_one ? UINT64_C(1) << 40 : most_ns);
        for (size_t k = 1; k <= LAYERS; k++)
            waited_ns += times.waiting_ns[k];
        if (syn_staged_keep(&tile->staged, i, &times, LAYERS, &waiting_ns))
            cr_expect_eq(waiting_ns, waited_ns);
        else
            add_one_by_one(&staged, i, &times);
        add_one_by_one(&one_by_one, i, &times);
    }
    cr_assert_eq(syn_staged_add(&tile->staged, tile, &staged), 0);
    expect_the_same();
}

Test(causes_staged, as_if_added_one_by_one)
{
    for (int t = 0; t < TILES; t++)
        go((size_t)t, 100000, LOCATIONS);
}

Test(causes_staged, a_location_with_long_times_adds_them_itself)
{
    for (int t = 0; t < TILES; t++)
        go(2, 100000, (uint32_t)t);
}

/* A sum grows until it does not fit into a strip's small blocks, and on. */
Test(causes_staged, what_no_longer_fits_is_added_all_the_same)
{
    for (int t = 0; t < 1000; t++)
        go(1, UINT64_C(1) << 24, LOCATIONS);
}

/* Cells that were there before: backwards, or in order but for two of them. */
Test(causes_staged, cells_that_do_not_follow_one_another)
{
    for (uint32_t label = 0; label < LABELS; label += 2)
        for (uint32_t i = 0; i < LOCATIONS; i++) {
            const uint32_t swapped = i == 4 ? 5 : i == 5 ? 4 : i;
            const uint32_t location = label % 4 == 0 ? LOCATIONS - 1 - i : swapped;
            cr_assert(syn_cause_cell_make(&staged, location, label));
        }
    for (int t = 0; t < TILES; t++)
        go(3, 100000, LOCATIONS);
}

/* A label that comes often is added up location by location. */
Test(causes_staged, few_labels_are_not_staged)
{
    draw_labels(LABELS / 2);
    cr_expect_not(syn_staged_begin(&tile->staged, tile, LAYERS));
}
