/* Who is named as late in a group: not by chance, not where instances depend, not among many
 * groups. */
#include <criterion/criterion.h>
#include <math.h>

#include "analyze/report/report.h"

#define RANKS      4
#define GROUPS_MAX 200

/* A report of groups on four ranks, of which the last three share what rank 0 leaves. */
struct made {
    struct syn_group_rank group_rank[GROUPS_MAX][RANKS];
    struct syn_rank_figures rank[GROUPS_MAX][RANKS];
    struct syn_group group[GROUPS_MAX];
    struct syn_figures figures[GROUPS_MAX];
    struct syn_rank_facts facts[RANKS];
    struct syn_run_facts run;
    struct syn_report report;
};

static struct made made;

static void add_group(uint64_t instance_count, uint64_t last_count)
{
    size_t g = made.report.groups.count++;
    struct syn_group *group = &made.group[g];
    for (int k = 0; k < SYN_KEY_COUNT; k++)
        group->key[k] = UINT64_MAX;
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
    made.run = (struct syn_run_facts){.rank_count = RANKS, .rank = made.facts};
    made.report = (struct syn_report){.figures = made.figures, .run = &made.run, .run_count = 1};
}

/* The number of groups in which somebody is named. */
static size_t named(void)
{
    size_t count = 0;
    cr_assert_eq(syn_report_find_latest(&made.report), 0);
    for (size_t g = 0; g < made.report.groups.count; g++)
        count += made.figures[g].latest != NULL;
    return count;
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
    made.facts[0].last_dependence = 20;
    cr_assert_eq(named(), 0);
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
