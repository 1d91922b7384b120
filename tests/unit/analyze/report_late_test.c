/* Naming of late ranks in a group: not by chance, not where instances depend, not among many
 * groups. */
#include <criterion/criterion.h>
#include <math.h>

#include "analyze/match/members/comms.h"
#include "analyze/report/figures/lateness.h"
#include "analyze/report/findings/facts.h"
#include "analyze/report/findings/report.h"
#include "sync/base/status.h"

#define RANKS      4
#define GROUPS_MAX 200
#define RUNS_MAX   20

/* A report of groups by site on four ranks, of which the last three share what rank 0 leaves; each
 * site is a kind of its own in each run. */
struct made {
    struct syn_group_rank group_rank[GROUPS_MAX][RANKS];
    struct syn_rank_figures rank[GROUPS_MAX][RANKS];
    struct syn_group group[GROUPS_MAX], *in_order[GROUPS_MAX + 1];
    struct syn_figures figures[GROUPS_MAX];
    struct syn_late_kind kind[GROUPS_MAX];
    struct syn_rank_facts facts[RANKS];
    struct syn_run_facts run[RUNS_MAX];
    struct syn_report report;
};

static struct made made;

static void add_group(uint64_t instance_count, uint64_t last_count)
{
    size_t g = made.report.groups.count++;
    struct syn_group *group = &made.group[g];
    for (int k = 0; k < SYN_KEY_COUNT; k++)
        group->key[k] = SYN_NO_KEY;
    group->key[SYN_KEY_SITE] = g;
    made.in_order[g] = group;
    made.kind[g] = (struct syn_late_kind){.key[SYN_KEY_SITE] = g,
                                          .instance_count = instance_count / made.report.run_count,
                                          .factor = 1};
    group->member_count = (struct syn_common){.value = RANKS, .known = true};
    for (int r = 0; r < RANKS; r++) {
        made.group_rank[g][r] = (struct syn_group_rank){
            .rank = r, .last_count = r == 0 ? last_count : (instance_count - last_count) / 3};
        made.rank[g][r] =
            (struct syn_rank_figures){.rank = &made.group_rank[g][r], .n = instance_count};
    }
    made.figures[g] =
        (struct syn_figures){.group = group, .rank = made.rank[g], .rank_count = RANKS};
}

static void begin(void)
{
    made = (struct made){0};
    for (int r = 0; r < RANKS; r++)
        made.facts[r].last_dependence = 1;
    made.report = (struct syn_report){.figures = made.figures,
                                      .run = made.run,
                                      .run_count = 1,
                                      .groups = {.by = SYN_BY(SYN_KEY_SITE)}};
}

/* The number of groups in which somebody is named. Runs have RANKS ranks each, or ranks_of_run.
 */
static size_t named_of_runs(const int32_t *ranks_of_run)
{
    size_t count = 0, kind_count = 0;
    while (kind_count < GROUPS_MAX && made.kind[kind_count].instance_count > 0)
        kind_count++;
    for (size_t i = 0; i < made.report.run_count; i++) {
        made.run[i].rank_count = ranks_of_run ? ranks_of_run[i] : RANKS;
        made.run[i].rank = made.facts;
        made.run[i].kinds = (struct syn_late_kinds){.at = made.kind, .count = kind_count};
    }
    made.report.groups.group = made.in_order;
    made.report.groups.capacity = GROUPS_MAX + 1;
    cr_assert_eq(syn_groups_sort(&made.report.groups, &made.report.names), 0);
    cr_assert_eq(syn_report_find_latest(&made.report), 0);
    syn_index_free(&made.report.groups.index);
    for (size_t g = 0; g < made.report.groups.count; g++)
        count += made.figures[g].latest != NULL;
    return count;
}

static size_t named(void)
{
    return named_of_runs(NULL);
}

TestSuite(report_late, .init = begin);

Test(report_late, a_rank_that_is_late_more_often_than_by_chance_is_named)
{
    add_group(400, 180); /* 45 % */
    cr_assert_eq(named(), 1);
    cr_assert_eq(made.figures[0].latest->rank->rank, 0);
    cr_assert_lt(made.figures[0].latest_p, 1e-10);
}

/* Three of three is rare by chance (p = 0.016), but not among four ranks: such a group can show
 * nothing, and is not among those that are adjusted for. */
Test(report_late, a_group_too_small_for_its_ranks_is_not_tested)
{
    add_group(3, 3);
    cr_assert_eq(named(), 0);
    cr_assert(isnan(made.figures[0].latest_p));
}

Test(report_late, chance_names_nobody)
{
    add_group(400, 112); /* 28 % of 4 ranks: p = 0.18 before any adjustment */
    cr_assert_eq(named(), 0);
}

/* A rank that is late for a hundred calls in a row was late once. */
Test(report_late, instances_that_depend_count_for_fewer)
{
    add_group(400, 136); /* 34 %, p = 1e-4 if independent */
    cr_assert_eq(named(), 1);
    made.kind[0].factor = 20;
    cr_assert_eq(named(), 0);
}

/* A group's own instances say how they depend, not those of the run between them. */
Test(report_late, the_dependence_of_a_run_is_not_that_of_a_group_of_one_kind)
{
    add_group(400, 136);
    made.facts[0].last_dependence = 20;
    cr_assert_eq(named(), 1);
}

/* Two sites in one group follow one another as the sites of a run do. */
Test(report_late, a_group_of_several_kinds_depends_as_the_run)
{
    add_group(400, 136);
    made.kind[0].instance_count = 200;
    made.kind[1] = made.kind[0];
    made.kind[1].key[SYN_KEY_BYTES] = 8;
    cr_assert_eq(named(), 1);
    made.facts[0].last_dependence = 20;
    cr_assert_eq(named(), 0);
}

/* Seven calls of one run may depend on one another in any way; seven runs do not. */
Test(report_late, a_run_that_is_too_short_to_tell_counts_as_one_instance)
{
    add_group(7, 7);
    made.kind[0].factor = 7;
    cr_assert_eq(named(), 0);
    begin();
    made.report.run_count = 7;
    add_group(7, 7);
    cr_assert_eq(named(), 1);
}

/* The dependence in a run without the rank is not added to the next run's, where one kind would be
 * two. */
Test(report_late, runs_without_the_rank_leave_nothing_to_the_next)
{
    static const int32_t ranks[] = {0, RANKS};
    made.report.run_count = 2;
    made.facts[0].last_dependence = 1000; /* of several kinds */
    add_group(400, 180);
    cr_assert_eq(named_of_runs(ranks), 1);
}

Test(report_late, clocks_that_were_never_compared_name_nobody)
{
    add_group(400, 180);
    made.rank[0][0].last_p = 0;
    made.run[0].clock_check.uncompared_count = 1;
    cr_assert_eq(named(), 0);
    cr_expect(isnan(made.figures[0].latest_p) && isnan(made.rank[0][0].last_p));
}

/* 130 of 400 (p = 8e-4) would be late in a program of one group; the best of 200 such is luck. */
Test(report_late, the_adjustment_is_over_all_groups)
{
    add_group(400, 130);
    cr_assert_eq(named(), 1);
    for (int g = 1; g < GROUPS_MAX; g++)
        add_group(400, 103);
    cr_assert_eq(named(), 0);
}

/* Two calls can show nothing; that there are many such groups says nothing of the one with more. */
Test(report_late, groups_that_can_show_nothing_do_not_count)
{
    add_group(400, 130);
    for (int g = 1; g < GROUPS_MAX; g++)
        add_group(2, 2);
    cr_assert_eq(named(), 1);
    cr_assert_not_null(made.figures[0].latest);
}

Test(report_late, groups_whose_communicators_differ_in_size_are_not_tested)
{
    add_group(400, 300);
    made.group[0].member_count.mixed = true;
    cr_assert_eq(named(), 0);
}

/* ---- how the sites of a loop depend ---- */

/* 100 iterations of ten sites on two ranks: at each site now one and now the other comes last, 20
 * times in a row, by leads that grow and shrink; the sites begin anywhere in that. */
Test(late_dependence, sites_of_a_loop_hide_it_from_neighbours_in_the_run)
{
    enum { SITES = 10, ITERATIONS = 100 };
    static const int begins[SITES] = {3, 31, 17, 8, 36, 22, 0, 27, 13, 38};
    struct syn_column last = {.count = 0}, lead_ns = {.count = 0}, kind = {.count = 0};
    struct syn_column one_kind = {.count = 0};
    struct syn_late_kinds kinds = {.count = 0}, one = {.count = 0};
    const int64_t rank[] = {0, 1};
    double factor[2], unseen[2];
    for (int i = 0; i < SITES * ITERATIONS; i++) {
        const int at = i / SITES + begins[i % SITES];
        const uint64_t key[SYN_KEY_COUNT] = {[SYN_KEY_SITE] = (uint64_t)(i % SITES)};
        syn_column_append(&last, NULL, at / 20 % 2);
        syn_column_append(&lead_ns, NULL, 100 + 10 * abs(10 - at % 20));
        syn_column_append(&kind, NULL, syn_late_kind_find(&kinds, key));
        syn_column_append(&one_kind, NULL, 0);
    }
    const uint64_t no_key[SYN_KEY_COUNT] = {0};
    cr_assert_eq(syn_late_kind_find(&one, no_key), 0);
    const struct syn_late_series series = {&last, &lead_ns, &kind, NULL};
    const struct syn_late_series neighbours = {&last, &lead_ns, &one_kind, NULL};
    cr_assert_eq(syn_late_dependence(&series, &kinds, rank, 2, factor), 0);
    cr_assert_eq(syn_late_dependence(&neighbours, &one, rank, 2, unseen), 0);
    for (int s = 0; s < SITES; s++) {
        cr_expect_eq(kinds.at[s].instance_count, ITERATIONS);
        cr_expect_gt(kinds.at[s].factor, 10, "%g", kinds.at[s].factor);
    }
    cr_expect_gt(factor[0], 10, "%g", factor[0]);
    cr_expect_lt(unseen[0], 5, "%g", unseen[0]);
    syn_late_kinds_free(&kinds);
    syn_late_kinds_free(&one);
    syn_column_free(&last);
    syn_column_free(&lead_ns);
    syn_column_free(&kind);
    syn_column_free(&one_kind);
}

/* A rank whose lateness lasts over all sites is late once for many of them, however little each
 * site says. */
Test(late_dependence, whole_iterations_show_what_sites_have_in_common)
{
    enum { SITES = 10, ITERATIONS = 40 };
    struct syn_column last = {.count = 0}, lead_ns = {.count = 0}, kind = {.count = 0};
    struct syn_late_kinds kinds = {.count = 0};
    const int64_t rank[] = {0, 1};
    double factor[2], mean = 0;
    for (int i = 0; i < SITES * ITERATIONS; i++) {
        const int iteration = i / SITES;
        const uint64_t key[SYN_KEY_COUNT] = {[SYN_KEY_SITE] = (uint64_t)(i % SITES)};
        syn_column_append(&last, NULL, (iteration * iteration * 7 / 3 + iteration / 2) % 2);
        syn_column_append(&lead_ns, NULL, 100);
        syn_column_append(&kind, NULL, syn_late_kind_find(&kinds, key));
    }
    const struct syn_late_series series = {&last, &lead_ns, &kind, NULL};
    cr_assert_eq(syn_late_dependence(&series, &kinds, rank, 2, factor), 0);
    for (int s = 0; s < SITES; s++)
        mean += kinds.at[s].factor / SITES;
    cr_expect_gt(factor[0], 5 * mean, "%g %g", factor[0], mean);
    syn_late_kinds_free(&kinds);
    syn_column_free(&last);
    syn_column_free(&lead_ns);
    syn_column_free(&kind);
}

/* ---- the order of who came last ---- */

#define STEP_NS 10

/* Instances first, first + step, ... below end: the k-th begins at k * STEP_NS and has the lead k,
 * so that the lead says which one it is. */
static void absorb(struct syn_run_facts *facts, int first, int end, int step, int64_t watermark_ns,
                   struct syn_store *store)
{
    uint32_t world_rank[RANKS] = {0, 1, 2, 3};
    const struct syn_communicator comm = {.size = RANKS, .world_rank = world_rank};
    const struct syn_member member[RANKS] = {{0}};
    struct syn_facts_part part;
    cr_assert_eq(syn_facts_part_begin(&part, RANKS), SYN_OK);
    for (int k = first; k < end; k += step) {
        const struct syn_instance instance = {.comm = &comm,
                                              .last_start_ns = k * STEP_NS,
                                              .first_end_ns = k * STEP_NS,
                                              .last_starter = (uint32_t)k % RANKS,
                                              .lead_ns = k,
                                              .member = member};
        cr_assert_eq(syn_facts_part_add(&part, &instance), SYN_OK);
    }
    cr_assert_eq(syn_facts_part_order(&part), SYN_OK);
    cr_assert_eq(syn_facts_absorb(facts, &part, watermark_ns, store), SYN_OK);
    syn_facts_part_free(&part);
}

/* Absorbs `count` instances of the first `size` ranks each. */
static void absorb_of_size(struct syn_run_facts *facts, uint32_t size, int count,
                           struct syn_store *store)
{
    uint32_t world_rank[RANKS] = {0, 1, 2, 3};
    const struct syn_communicator comm = {.size = size, .world_rank = world_rank};
    const struct syn_member member[RANKS] = {{0}};
    const struct syn_instance instance = {.comm = &comm, .member = member};
    struct syn_facts_part part;
    cr_assert_eq(syn_facts_part_begin(&part, RANKS), SYN_OK);
    for (int i = 0; i < count; i++)
        cr_assert_eq(syn_facts_part_add(&part, &instance), SYN_OK);
    cr_assert_eq(syn_facts_absorb(facts, &part, INT64_MAX, store), SYN_OK);
    syn_facts_part_free(&part);
}

/* Slices are others with other numbers of threads: sums of thirds in another order are not the same
 * in floating point. */
Test(last, are_expected_to_be_as_many_whatever_the_slices)
{
    struct syn_rank_facts rank[2][RANKS] = {{{0}}};
    struct syn_run_facts once = {.rank = rank[0], .rank_count = RANKS};
    struct syn_run_facts often = {.rank = rank[1], .rank_count = RANKS};
    struct syn_store store;
    syn_store_init(&store, 1 << 20);
    for (int i = 0; i < 999; i++) {
        absorb_of_size(&often, 3, 1 + i % 2, &store);
        absorb_of_size(&often, 2, 1, &store);
    }
    absorb_of_size(&once, 3, 1498, &store);
    absorb_of_size(&once, 2, 999, &store);
    absorb_of_size(&once, 1, 5, &store);
    for (int r = 0; r < RANKS; r++)
        cr_expect_eq(rank[0][r].expected_last, rank[1][r].expected_last);
    cr_expect_float_eq(rank[0][0].expected_last, 1498.0 / 3 + 999.0 / 2, 1e-12);
    cr_expect_float_eq(rank[0][2].expected_last, 1498.0 / 3, 1e-12);
    cr_expect_eq(rank[0][3].expected_last, 0);
    for (int i = 0; i < 2; i++) {
        struct syn_run_facts *facts = i ? &often : &once;
        syn_column_free(&facts->last);
        syn_column_free(&facts->lead_ns);
        syn_column_free(&facts->kind);
        syn_late_kinds_free(&facts->kinds);
        syn_facts_part_free(&facts->held);
    }
    syn_store_close(&store);
}

/* Instances pending at the end of a slice come behind the slice, and lies between its instances:
 * how much they depend on each other is a matter of their order. */
Test(last, come_in_the_order_of_time_whatever_the_slices)
{
    struct syn_rank_facts rank[RANKS] = {{0}};
    struct syn_run_facts facts = {.rank = rank, .rank_count = RANKS};
    struct syn_store store;
    int64_t lead[400], last[400];
    syn_store_init(&store, 1 << 20);
    for (int slice = 0; slice < 4; slice++) { /* k of ..8 is pending until the next slice */
        const int begin = 100 * slice, end = begin + 100;
        for (int k = 1; k < 10; k += 2)
            absorb(&facts, begin + k, end, 10, INT64_MIN, &store);
        for (int k = 2; k < 8; k += 2)
            absorb(&facts, begin + k, end, 10, INT64_MIN, &store);
        absorb(&facts, begin, end, 10, INT64_MIN, &store);
        if (slice > 0)
            absorb(&facts, begin - 92, begin, 10, (begin - 2) * STEP_NS, &store);
    }
    absorb(&facts, 308, 400, 10, INT64_MAX, &store);
    cr_assert_eq(facts.last.count, 400);
    cr_assert_eq(syn_column_read(&facts.lead_ns, &store, 0, 400, lead), SYN_OK);
    cr_assert_eq(syn_column_read(&facts.last, &store, 0, 400, last), SYN_OK);
    for (int k = 0; k < 400; k++) {
        cr_expect_eq(lead[k], k, "instance %lld at %d", (long long)lead[k], k);
        cr_expect_eq(last[k], lead[k] % RANKS);
    }
    syn_column_free(&facts.last);
    syn_column_free(&facts.lead_ns);
    syn_column_free(&facts.kind);
    syn_late_kinds_free(&facts.kinds);
    syn_facts_part_free(&facts.held);
    syn_store_close(&store);
}

/* Instances that start close together, far from others, and instances that start at the same
 * time. */
Test(last, of_a_crowd_come_in_the_order_of_time)
{
    enum { CROWD = 100, COUNT = 2 * CROWD + 4 };
    uint32_t world_rank[RANKS] = {0, 1, 2, 3};
    const struct syn_communicator comm = {.size = RANKS, .world_rank = world_rank};
    const struct syn_member member[RANKS] = {{0}};
    struct syn_facts_part part;
    cr_assert_eq(syn_facts_part_begin(&part, RANKS), SYN_OK);
    for (int k = 0; k < COUNT; k++) {
        const int at = k * 83 % COUNT; /* every place once */
        const struct syn_instance instance = {.comm = &comm,
                                              .last_start_ns =
                                                  at < CROWD ? at / 2 : 1000000 + at / 2,
                                              .last_starter = (uint32_t)at % 2,
                                              .lead_ns = at,
                                              .member = member};
        cr_assert_eq(syn_facts_part_add(&part, &instance), SYN_OK);
    }
    cr_assert(part.out_of_order);
    cr_assert_eq(syn_facts_part_order(&part), SYN_OK);
    for (int at = 0; at < COUNT; at++) {
        cr_expect_eq(part.lead_ns.value[at], at);
        cr_expect_eq(part.last.value[at], at % 2);
        cr_expect_eq(part.start_ns.value[at], at < CROWD ? at / 2 : 1000000 + at / 2);
    }
    cr_expect_not(part.out_of_order);
    syn_facts_part_free(&part);
}
