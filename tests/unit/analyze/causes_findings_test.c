/* Causes of a run of known sums. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/findings.h"
#include "analyze/threads.h"

enum { RANKS = 8, BLOCKS = 16, PASSES = 200 };
#define RUN_NS    INT64_C(1000000000)
#define TOLD      0.01 /* of the ranks' time */
#define TOLD_NS   (TOLD * RANKS * RUN_NS)
#define LIKEWISE  40 /* labels at which rank 3 is late: each too small */
#define SCATTERED 60 /* too small, and at each any rank */
#define ONCE      10

struct made {
    struct syn_causes causes;
    struct syn_cause_location location[RANKS];
    uint32_t first_location[RANKS + 1];
    struct syn_kernel_counters counters[RANKS];
    uint32_t label_count;
    int64_t charges; /* so far: each at another time */
};

/* The next label, a segment that all ranks go through so often. */
static uint32_t next_label(struct made *made, int64_t passes)
{
    const uint32_t label =
        syn_label_of(&made->causes.tables, made->label_count + 1, made->label_count + 2);
    cr_assert_eq(label, made->label_count++);
    const int64_t bins = made->causes.sums.bins.count;
    for (uint32_t r = 0; r < made->causes.plan.location_count; r++)
        for (int64_t i = 0; i < passes; i++) {
            const struct syn_bin_values gone = {.count = 1, .ns = {1000}};
            cr_assert_eq(
                syn_bin_add(&made->causes.sums, r, label, (uint32_t)(i * bins / passes), &gone), 0);
        }
    return label;
}

/* At a time in a bin. */
static void charge(struct made *made, uint32_t label, uint32_t rank, int64_t waiting_ns,
                   int64_t bin)
{
    const int64_t at_ns = bin * made->causes.sums.bins.bin_ns + made->charges++;
    const struct syn_cause_charge charge = {
        .waiting_ns = waiting_ns, .excess_ns = waiting_ns / 7, .at_ns = at_ns};
    cr_assert_eq(syn_cause_cell_charge(&made->causes.sums, rank,
                                       label * SYN_CATEGORY_COUNT + SYN_CATEGORY_COMPUTING,
                                       &charge),
                 0);
    made->causes.sums.waiting_ns += waiting_ns;
}

static void put_on_path(struct made *made, uint32_t label, uint32_t rank, int64_t ns)
{
    syn_category_sums_of(syn_cause_cell_make(&made->causes.sums, rank, label), 0)->path_ns += ns;
}

static void begin_run_of(struct made *made, uint32_t ranks, uint32_t bin_count)
{
    const struct syn_time_bins bins = {.bin_ns = RUN_NS / bin_count, .count = bin_count};
    *made = (struct made){0};
    made->causes.plan = (struct syn_cause_plan){.location = made->location,
                                                .location_count = ranks,
                                                .rank_count = (int32_t)ranks,
                                                .first_location = made->first_location};
    made->causes.counters = made->counters;
    cr_assert_eq(syn_cause_tables_begin(&made->causes.tables, 0), 0);
    syn_cause_sums_begin(&made->causes.sums, ranks, &bins);
    made->causes.sums.path_end_ns = RUN_NS;
    for (uint32_t r = 0; r < ranks; r++) {
        made->location[r].rank = (int32_t)r;
        made->first_location[r + 1] = r + 1;
    }
}

static void begin_run(struct made *made)
{
    begin_run_of(made, RANKS, BLOCKS);
}

static void make_run(struct made *made)
{
    uint32_t label;
    begin_run(made);
    for (int l = 0; l < LIKEWISE; l++) { /* 2 % together */
        label = next_label(made, PASSES);
        for (int64_t i = 0; i < 100; i++)
            charge(made, label, 3, 40000 + 10 * l, i % BLOCKS);
        put_on_path(made, label, 3, 500000);
    }
    for (uint32_t l = 0; l < SCATTERED; l++) {
        label = next_label(made, PASSES);
        for (uint32_t i = 0; i < 100; i++)
            charge(made, label, (i + l) % RANKS, 10000 + 10 * (int64_t)l, i % BLOCKS);
    }
    for (int l = 0; l < ONCE; l++)
        charge(made, next_label(made, 1), 5, 100000 + l, l);
    label = next_label(made, PASSES); /* large, and growing */
    for (int64_t i = 0; i < PASSES; i++) {
        const struct syn_bin_values longer = {.ns = {100000 * (1 + i)}};
        const int64_t bin = i * BLOCKS / PASSES;
        charge(made, label, 1, 100000 * (1 + i), bin);
        cr_assert_eq(syn_bin_add(&made->causes.sums, 1, label, (uint32_t)bin, &longer), 0);
    }
    for (int l = 0; l < 2; l++) { /* rare */
        label = next_label(made, PASSES);
        for (uint32_t i = 0; i < 6; i++)
            charge(made, label, l ? 6 : i, 1000000, 2 * i);
        put_on_path(made, label, 6, 7000000);
    }
    label = next_label(made, PASSES); /* small, but what balance would gain most of */
    for (uint32_t i = 0; i < 160; i++)
        charge(made, label, i % RANKS, 9000, i % BLOCKS);
    put_on_path(made, label, 2, RUN_NS / 2);
    syn_cause_sums_settle(&made->causes.sums);
}

static void end_run(struct made *made)
{
    syn_cause_sums_free(&made->causes.sums);
    syn_cause_tables_free(&made->causes.tables);
}

/* The large one, whose excess grows; the first of those alike; what is rare, of one rank and of
 * several; and where balance would gain most. */
Test(causes_findings, a_few_small_places_of_one_rank_are_large_together)
{
    static struct made made;
    struct syn_findings told;
    int rare = 0;
    make_run(&made);
    cr_assert_eq(syn_findings_make(&made.causes, 0.95, &told), 0);
    const struct syn_cause_cluster *large = &told.cluster[0], *alike = NULL;
    for (size_t i = 0; i < told.cluster_count; i++)
        alike = told.cluster[i].place_count == LIKEWISE ? &told.cluster[i] : alike;
    for (size_t i = 0; i < told.cause_count; i++)
        rare += told.cause[i].pattern == SYN_PATTERN_RARE;
    cr_expect_eq(large->first->pattern, SYN_PATTERN_GROWING);
    cr_expect_eq(large->place_count, 1);
    cr_assert_neq(alike, NULL);
    cr_expect_eq(alike->first->rank_count, 1);
    cr_expect_eq(alike->first->ranks[0], 3);
    cr_expect((double)alike->first->waiting_ns < TOLD_NS);
    cr_expect_eq(alike->waiting_ns, 100 * (LIKEWISE * 40000 + 10 * LIKEWISE * (LIKEWISE - 1) / 2));
    cr_expect_eq(rare, 2);
    cr_expect(isfinite(told.what_if.balanced.low));
    syn_findings_free(&told);
    end_run(&made);
}

/* Places that each rank went through once are told one by one. */
Test(causes_findings, what_happened_once_is_alone)
{
    static struct made made;
    struct syn_findings all;
    int once = 0;
    make_run(&made);
    cr_assert_eq(syn_findings_make(&made.causes, 0.95, &all), 0);
    for (size_t i = 0; i < all.cluster_count; i++)
        if (all.cluster[i].first->pattern == SYN_PATTERN_NONE) {
            once++;
            cr_expect_eq(all.cluster[i].place_count, 1);
            cr_expect_eq(all.cluster[i].first->ranks[0], 5);
        }
    cr_expect_eq(once, ONCE);
    syn_findings_free(&all);
    end_run(&made);
}

/* A run of one label, to which rank[i] of RANKS in turns is charged in its own bin each. */
static void make_charged(struct made *made, const uint32_t *rank, int64_t count, int64_t passes)
{
    begin_run(made);
    const uint32_t label = next_label(made, passes);
    for (int64_t i = 0; i < count; i++)
        charge(made, label, rank[i], 7000000, i % BLOCKS);
}

static void end_charged(struct made *made, struct syn_findings *findings)
{
    syn_cause_sums_settle(&made->causes.sums);
    cr_assert_eq(syn_findings_make(&made->causes, 0.95, findings), 0);
    cr_assert_geq(findings->cause_count, 1);
}

Test(causes_findings, one_rank_in_all_of_few_passes_is_seen)
{
    static struct made made;
    struct syn_findings found;
    make_charged(&made, (const uint32_t[]){3, 3, 3}, 3, 3);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_SEEN);
    cr_assert_eq(found.cause[0].rank_count, 1);
    cr_expect_eq(found.cause[0].ranks[0], 3);
    cr_expect_eq(found.cause[0].seen_passes, 3);
    cr_expect_eq(found.cause[0].all_passes, 3);
    cr_expect(!found.cause[0].may_be_chance);
    syn_findings_free(&found);
    end_run(&made);
}

/* One of two ranks is late in all of three passes in a quarter of the runs, of four in an eighth.
 */
Test(causes_findings, one_of_two_ranks_is_late_in_three_passes_by_chance)
{
    static struct made made;
    struct syn_findings found;
    for (int64_t passes = 3; passes <= 4; passes++) {
        begin_run_of(&made, 2, BLOCKS);
        const uint32_t label = next_label(&made, passes);
        for (int64_t i = 0; i < passes; i++)
            charge(&made, label, 1, 7000000, i);
        end_charged(&made, &found);
        cr_expect_eq(found.cause[0].naming, SYN_NAMING_SEEN);
        cr_expect_eq(found.cause[0].seen_passes, passes);
        cr_expect_eq(found.cause[0].may_be_chance, passes == 3);
        syn_findings_free(&found);
        end_run(&made);
    }
}

Test(causes_findings, one_rank_in_all_of_more_passes_is_shown)
{
    static struct made made;
    struct syn_findings found;
    make_charged(&made, (const uint32_t[]){3, 3, 3, 3, 3, 3}, 6, 6);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_SHOWN);
    cr_expect_eq(found.cause[0].ranks[0], 3);
    cr_expect_eq(found.cause[0].pattern, SYN_PATTERN_STEADY);
    syn_findings_free(&found);
    end_run(&made);
}

/* ---- slow processors ---- */

enum { DRAWN = 300, BINS = 64, FOUND_LEAST = 285, FALSE_MOST = 24 };

/* About normal, by twelve uniform numbers. */
static double normal(uint64_t *state)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;
        sum += (double)(*state >> 11) * 0x1p-53;
    }
    return sum;
}

/* At how many labels a rank is shown, and at how many there is a trend. */
struct drawn_labels {
    int shown, trends;
};

/* Two ranks go through each of DRAWN labels, a pass in each bin of 1 ms. Rank 1 takes longer by
 * `more` in the mean (`grows`: from 0 on, to twice that), and by a speed of `varies` that lasts: of
 * one bin `phi` is left in the next. */
static struct drawn_labels draw_labels(double more, bool grows, double varies, double phi)
{
    static struct made made;
    struct syn_findings told;
    uint64_t state = 1;
    struct drawn_labels drawn = {0, 0};
    begin_run_of(&made, 2, BINS);
    for (int l = 0; l < DRAWN; l++) {
        const uint32_t label = next_label(&made, BINS);
        double speed = normal(&state);
        for (int64_t bin = 0; bin < BINS; bin++) {
            const double work = grows ? 2 * more * (double)bin / BINS : more;
            const double longer = work + varies * speed;
            const int64_t ns = (int64_t)(1e6 * fabs(longer)) + 1;
            const struct syn_bin_values own = {.ns = {ns}};
            charge(&made, label, longer > 0, ns, bin);
            cr_assert_eq(syn_bin_add(&made.causes.sums, longer > 0, label, (uint32_t)bin, &own), 0);
            speed = phi * speed + sqrt(1 - phi * phi) * normal(&state);
        }
    }
    syn_cause_sums_settle(&made.causes.sums);
    cr_assert_eq(syn_findings_make(&made.causes, 0.95, &told), 0);
    for (size_t i = 0; i < told.cause_count; i++) {
        if (told.cause[i].rank_count == 0) /* the rest of a label, or no rank */
            continue;
        drawn.shown += told.cause[i].naming == SYN_NAMING_SHOWN;
        drawn.trends += told.cause[i].pattern == SYN_PATTERN_GROWING ||
                        told.cause[i].pattern == SYN_PATTERN_SHRINKING;
    }
    syn_findings_free(&told);
    end_run(&made);
    return drawn;
}

/* 5 % more work on one rank is found where processors differ by 3 % from bin to bin, likewise if it
 * grows. A processor that is slow for a while is no such work, and no trend. */
Test(causes_findings, more_work_is_found_and_a_slow_processor_is_none)
{
    cr_expect_geq(draw_labels(0.05, false, 0.03, 0).shown, FOUND_LEAST);
    cr_expect_geq(draw_labels(0.05, false, 0.02, 0.5).shown, FOUND_LEAST);
    cr_expect_geq(draw_labels(0.05, true, 0.02, 0).trends, FOUND_LEAST);
    cr_expect_geq(draw_labels(0.05, true, 0.02, 0).shown, FOUND_LEAST);
    for (int i = 0; i < 4; i++) {
        const double phi[] = {0, 0.5, 0.8, 0.9};
        const struct drawn_labels of = draw_labels(0, false, 0.05, phi[i]);
        cr_expect_leq(of.shown, FALSE_MOST, "%d of %d at %g", of.shown, DRAWN, phi[i]);
        cr_expect_leq(of.trends, FALSE_MOST, "%d trends at %g", of.trends, phi[i]);
    }
}

/* Two of eight ranks in 3 of 5 passes are hardly more than chance, in 4 of 5 they are. */
Test(causes_findings, ranks_that_chance_makes_late_as_often_are_not_seen)
{
    static struct made made;
    struct syn_findings found;
    make_charged(&made, (const uint32_t[]){3, 3, 4, 0, 1}, 5, 5);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_OPEN);
    cr_expect_eq(found.cause[0].rank_count, 0);
    syn_findings_free(&found);
    end_run(&made);
    make_charged(&made, (const uint32_t[]){3, 3, 4, 3, 1}, 5, 5);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_SEEN);
    syn_findings_free(&found);
    end_run(&made);
}

Test(causes_findings, ranks_differ_only_where_a_test_says_so)
{
    static struct made made;
    struct syn_findings found;
    uint32_t rank[64];
    for (uint32_t i = 0; i < 64; i++)
        rank[i] = i % RANKS;
    make_charged(&made, rank, 2, 4);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_SEEN); /* two ranks of eight */
    syn_findings_free(&found);
    end_run(&made);
    make_charged(&made, rank, 4, 4);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_OPEN);
    cr_expect_neq(found.cause[0].pattern, SYN_PATTERN_MOVING);
    syn_findings_free(&found);
    end_run(&made);
    make_charged(&made, rank, 64, 64);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].naming, SYN_NAMING_DIFFER);
    cr_expect_eq(found.cause[0].pattern, SYN_PATTERN_MOVING);
    syn_findings_free(&found);
    end_run(&made);
}

/* The others have no time at this label: they do something else meanwhile, and wait 0.1 ms each. */
Test(causes_findings, over_ranks_that_go_elsewhere_an_excess_is_what_they_waited)
{
    static struct made made;
    struct syn_findings found;
    begin_run(&made);
    const uint32_t label = syn_label_of(&made.causes.tables, 7, 8);
    const struct syn_bin_values gone = {.count = 1, .ns = {5000000}};
    for (int64_t i = 0; i < 6; i++) {
        const struct syn_cause_charge late = {
            .waiting_ns = 700000, .excess_ns = 5000000, .at_ns = i * (RUN_NS / BLOCKS)};
        cr_assert_eq(syn_bin_add(&made.causes.sums, 3, label, (uint32_t)i, &gone), 0);
        cr_assert_eq(syn_cause_cell_charge(&made.causes.sums, 3,
                                           label * SYN_CATEGORY_COUNT + SYN_CATEGORY_COMPUTING,
                                           &late),
                     0);
        made.causes.sums.waiting_ns += 700000;
    }
    put_on_path(&made, label, 3, 6 * 5000000);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].ranks[0], 3);
    cr_expect_float_eq(found.cause[0].excess_ns.median, 100000, 1);
    cr_expect_float_eq(found.cause[0].gain_ns.median, 600000 * 7 / 8, 1);
    syn_findings_free(&found);
    end_run(&made);
}

/* From the run's begin to its end a thread ran for cpu_ns, and waited for a processor. */
static void counters(struct made *made, uint32_t rank, int64_t cpu_ns, int64_t delay_ns)
{
    struct syn_kernel_counters *of = &made->counters[rank];
    *of = (struct syn_kernel_counters){0};
    of->known[SYN_KERNEL_RUN_DELAY] = true;
    of->last[SYN_KERNEL_RUN_DELAY] = (struct syn_sample){
        .time = RUN_NS, .cpu_ns = (uint64_t)cpu_ns, .run_delay_ns = (uint64_t)delay_ns};
}

/* Rank 3 takes longer by 0.6 of the run, of which nothing is certain label by label; its counters
 * say so much of it. */
static enum syn_cause_kind kind_where(int64_t lost_ns, int64_t delay_ns)
{
    static struct made made;
    struct syn_findings found;
    const struct syn_bin_values longer = {.ns = {RUN_NS * 6 / 10}};
    make_charged(&made, (const uint32_t[]){3, 3, 3, 3, 3, 3}, 6, 6);
    cr_assert_eq(syn_bin_add(&made.causes.sums, 3, 0, 0, &longer), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        counters(&made, r, r == 3 ? RUN_NS - lost_ns : RUN_NS, r == 3 ? delay_ns : 0);
    end_charged(&made, &found);
    const enum syn_cause_kind kind = found.cause[0].kind;
    syn_findings_free(&found);
    end_run(&made);
    return kind;
}

Test(causes_findings, own_time_is_computing_blocked_or_without_a_processor)
{
    cr_expect_eq(kind_where(0, 0), SYN_KIND_COMPUTING);
    cr_expect_eq(kind_where(RUN_NS / 2, 0), SYN_KIND_BLOCKED);
    cr_expect_eq(kind_where(RUN_NS / 2, RUN_NS / 2), SYN_KIND_OFF_CPU);
    cr_expect_eq(kind_where(RUN_NS / 5, 0), SYN_KIND_COMPUTING); /* a third of it */
}

/* Rank 3 is blocked for 0.2 of the run, and so much longer at one label; rank 5 for 0.4 at another,
 * which only it goes through. */
Test(causes_findings, a_rank_that_is_late_elsewhere_does_not_hide_what_another_was_blocked)
{
    static struct made made;
    struct syn_findings found;
    const int64_t lost_ns[RANKS] = {[3] = RUN_NS / 5, [5] = RUN_NS * 2 / 5};
    const struct syn_bin_values longer = {.ns = {RUN_NS / 5}};
    const struct syn_bin_values elsewhere = {.count = 1, .ns = {RUN_NS * 2 / 5}};
    make_charged(&made, (const uint32_t[]){3, 3, 3, 3, 3, 3}, 6, 6);
    const uint32_t second = syn_label_of(&made.causes.tables, 7, 8);
    cr_assert_eq(syn_bin_add(&made.causes.sums, 3, 0, 0, &longer), 0);
    cr_assert_eq(syn_bin_add(&made.causes.sums, 5, second, 1, &elsewhere), 0);
    for (uint32_t r = 0; r < RANKS; r++)
        counters(&made, r, RUN_NS - lost_ns[r], 0);
    end_charged(&made, &found);
    cr_expect_eq(found.cause[0].label, 0);
    cr_expect_eq(found.cause[0].kind, SYN_KIND_BLOCKED);
    cr_expect_float_eq(found.cause[0].own.blocked, 1, 0.001);
    syn_findings_free(&found);
    end_run(&made);
}

/* Rank 0 has switches of both kinds and time off the processor, but no run delay. */
static bool is_divided_where(int64_t lost_ns)
{
    static struct made made;
    struct syn_findings found;
    make_charged(&made, (const uint32_t[]){3, 3, 3, 3, 3, 3}, 6, 6);
    for (uint32_t r = 0; r < RANKS; r++)
        counters(&made, r, RUN_NS, 0);
    struct syn_kernel_counters *of = &made.counters[0];
    *of = (struct syn_kernel_counters){0};
    of->known[SYN_KERNEL_USAGE] = true;
    of->last[SYN_KERNEL_USAGE] = (struct syn_sample){.time = RUN_NS,
                                                     .cpu_ns = (uint64_t)(RUN_NS - lost_ns),
                                                     .voluntary_switches = 1,
                                                     .involuntary_switches = 1};
    end_charged(&made, &found);
    const bool is_divided = found.cause[0].own.is_divided;
    syn_findings_free(&found);
    end_run(&made);
    return is_divided;
}

Test(causes_findings, a_little_time_of_which_nothing_is_known_does_not_matter)
{
    cr_expect(is_divided_where(RUN_NS / 200));
    cr_expect_not(is_divided_where(RUN_NS / 50));
}
