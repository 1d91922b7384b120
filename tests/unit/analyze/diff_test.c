/* Groups of A to groups of B, and what is then said of them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/page/diff_words.h"
#include "analyze/print/command.h"
#include "analyze/stats/samples/bootstrap.h"
#include "made_diff.h"
#include "stats_simulate.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

#define ALLREDUCE SYN_OP_BLOCKING(ALLREDUCE)
#define BARRIER   SYN_OP_BLOCKING(BARRIER)
#define ALLTOALL  SYN_OP_BLOCKING(ALLTOALL)

static const struct made_group base = {1, ALLREDUCE, "main.c:31 solve", "MPI_COMM_WORLD", 4, 8, 0};
static const int64_t some[] = {100, 110, 120, 130, 140, 150, 160};

/* ---- clocks ---- */

/* Ten runs a side, B twice as slow; the clocks of the first `lost_count` runs of B are wrong. */
static struct syn_diff with_lost_clocks(int metric, size_t lost_count)
{
    struct syn_diff diff = made_diff();
    struct made_group like = base;
    double a[10], b[10];
    like.bound_ns = 2;
    diff.options.metric = metric;
    for (int r = 0; r < 10; r++) {
        a[r] = 100 + r;
        b[r] = 200 + r;
        diff.side[1].run[r].run = (uint32_t)r + 1;
        diff.side[1].run[r].causality.violation_count = (size_t)r < lost_count;
    }
    made_diff_runs(&diff, 0, &like, a, 10);
    made_diff_runs(&diff, 1, &like, b, 10);
    made_diff_compare(&diff);
    cr_assert_eq(diff.count, 1);
    return diff;
}

Test(diff_clocks, runs_with_lost_clocks_are_left_out)
{
    struct syn_diff diff = with_lost_clocks(SYN_METRIC_COMPLETION, 3);
    cr_expect_eq(diff.group[0].b.run_count, 7);
    cr_expect_eq(diff.group[0].b.lost_run_count, 3);
    cr_expect_eq(diff.group[0].b.median.value, 206000); /* of runs 4 to 10 */
    cr_expect_eq(diff.group[0].verdict, SYN_VERDICT_SLOWER);
    cr_expect(!syn_diff_all_are_withdrawn(&diff));
    syn_diff_free(&diff);
}

Test(diff_clocks, without_any_other_run_nothing_is_claimed)
{
    struct syn_diff diff = with_lost_clocks(SYN_METRIC_COMPLETION, 10);
    struct syn_text line = {0};
    const struct syn_diff_group *group = &diff.group[0];
    cr_expect_eq(group->verdict, SYN_VERDICT_TOO_FEW_RUNS);
    cr_expect(isnan(group->ratio.estimate) && isnan(group->p_adjusted) && isnan(group->test.p));
    cr_expect(syn_diff_all_are_withdrawn(&diff));
    syn_diff_headline(&diff, &line);
    cr_expect_str_eq(syn_text_chars(&line), "nothing is claimed: the clocks are wrong");
    syn_text_free(&line);
    syn_diff_free(&diff);
}

Test(diff_clocks, what_one_clock_has_measured_stays)
{
    struct syn_diff diff = with_lost_clocks(SYN_METRIC_LOCAL_MAX, 10);
    cr_expect_eq(diff.group[0].b.run_count, 10);
    cr_expect_eq(diff.group[0].verdict, SYN_VERDICT_SLOWER);
    syn_diff_free(&diff);
}

/* ---- waiting ---- */

/* A run's group at two sites that A knows by one name only: half of the time inside is waiting at
 * each, or nine tenths at the one and nothing at the other. */
Test(diff_wait, a_run_s_share_is_over_all_of_its_parts)
{
    struct syn_diff diff = made_diff();
    struct made_group like = base;
    for (uint32_t run = 1; run <= 6; run++) {
        for (int side = 0; side < 2; side++) {
            like.run = run;
            like.site = side == 0 ? "main.c:31 solve" : "main.c:40 solve";
            made_diff_group(&diff, side, &like, some, 7);
            like.site = "main.c:44 solve";
            if (side == 1)
                made_diff_group(&diff, side, &like, some, 7);
        }
    }
    made_diff_compare(&diff);
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < diff.side[side].groups.count; i++) {
            struct syn_figures *figures = &diff.side[side].figures[i];
            const bool second = side == 1 && i % 2 == 1;
            figures->inside_ns = 100;
            figures->waiting_ns = side == 0 ? 50 : second ? 0 : 90;
            figures->bound_total_ns = 0;
        }
    cr_assert_eq(syn_diff_compare_waiting(&diff), 0);
    cr_assert_eq(diff.count, 1);
    cr_expect_float_eq(diff.group[0].wait.a, 0.5, 1e-12);
    cr_expect_float_eq(diff.group[0].wait.b, 0.45, 1e-12, "%g", diff.group[0].wait.b);
    syn_diff_free(&diff);
}

/* ---- matching ---- */

/* One group a side; NULL keeps the base's. */
static struct syn_diff pair_of(const char *a_site, const char *a_comm, const char *b_site,
                               const char *b_comm)
{
    struct syn_diff diff = made_diff();
    struct made_group a = base, b = base;
    a.site = a_site ? a_site : base.site;
    a.comm = a_comm ? a_comm : base.comm;
    b.site = b_site ? b_site : base.site;
    b.comm = b_comm ? b_comm : base.comm;
    made_diff_group(&diff, 0, &a, some, 7);
    made_diff_group(&diff, 1, &b, some, 7);
    made_diff_compare(&diff);
    return diff;
}

Test(diff_match, loosens_its_key_step_by_step)
{
    static const struct {
        const char *a_site, *a_comm, *b_site, *b_comm;
        enum syn_diff_match match;
    } cases[] = {
        {NULL, NULL, NULL, NULL, SYN_MATCH_EXACT},
        {NULL, "rows", NULL, "columns", SYN_MATCH_SHAPE},
        {"a.c:31 solve", NULL, "a.c:33 solve", NULL, SYN_MATCH_FUNCTION},
        {"a.c:31 solve", "rows", "a.c:33 solve", "columns", SYN_MATCH_FUNCTION},
        {"a.c:31 solve", NULL, "b.c:31 solve", NULL, SYN_MATCH_NO_SITE},
        {"a.c:31 solve", NULL, "a.c:31 relax", NULL, SYN_MATCH_NO_SITE},
        {"prog+0x1000", NULL, "prog+0x2000", NULL, SYN_MATCH_NO_SITE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct syn_diff diff =
            pair_of(cases[i].a_site, cases[i].a_comm, cases[i].b_site, cases[i].b_comm);
        cr_assert_eq(diff.count, 1, "case %zu", i);
        cr_expect_eq(diff.group[0].match, cases[i].match, "case %zu", i);
        cr_expect_eq(diff.only[0].count + diff.only[1].count, 0);
        syn_diff_free(&diff);
    }
}

Test(diff_match, what_differs_in_operation_size_or_bytes_is_in_one_side_only)
{
    struct made_group others[] = {base, base, base};
    others[0].op = BARRIER;
    others[1].comm_size = 8;
    others[2].bytes = 16;
    for (int i = 0; i < 3; i++) {
        struct syn_diff diff = made_diff();
        made_diff_group(&diff, 0, &base, some, 7);
        made_diff_group(&diff, 1, &others[i], some, 7);
        made_diff_compare(&diff);
        cr_expect_eq(diff.count, 0);
        cr_assert_eq(diff.only[0].count, 1);
        cr_assert_eq(diff.only[1].count, 1);
        cr_expect_eq(diff.only[1].item[0].instance_count, 7);
        syn_diff_free(&diff);
    }
}

/* Sites that exchanged their sizes are not each other. */
Test(diff_match, a_site_that_both_sides_know_is_never_taken_for_another)
{
    struct syn_diff diff = made_diff();
    struct made_group one = base, two = base;
    two.site = "main.c:40 solve";
    two.bytes = 16;
    made_diff_group(&diff, 0, &one, some, 7);
    made_diff_group(&diff, 0, &two, some, 7);
    one.bytes = 16;
    two.bytes = 8;
    made_diff_group(&diff, 1, &one, some, 7);
    made_diff_group(&diff, 1, &two, some, 7);
    made_diff_compare(&diff);
    cr_expect_eq(diff.count, 0);
    cr_expect_eq(diff.only[0].count, 2);
    cr_expect_eq(diff.only[1].count, 2);
    syn_diff_free(&diff);
}

Test(diff_match, two_lines_of_one_function_are_taken_together_not_guessed)
{
    struct syn_diff diff = made_diff();
    struct made_group like = base;
    const int64_t low[] = {100, 100, 100}, high[] = {300, 300, 300, 300, 300};
    made_diff_group(&diff, 0, &like, low, 3);
    like.site = "main.c:35 solve";
    made_diff_group(&diff, 0, &like, high, 5);
    like.site = "main.c:41 solve";
    made_diff_group(&diff, 1, &like, low, 3);
    made_diff_compare(&diff);
    cr_assert_eq(diff.count, 1);
    cr_expect_eq(diff.group[0].match, SYN_MATCH_NO_SITE);
    cr_expect_eq(diff.group[0].a.label_count, 2);
    cr_expect_eq(diff.group[0].a.run_count, 1);
    cr_expect_eq(diff.group[0].a.instance_count, 8);
    cr_expect_eq(diff.group[0].a.median.value, 300); /* of all eight, no median of medians */
    syn_diff_free(&diff);
}

Test(diff_match, runs_of_a_group_are_gathered_whatever_their_order)
{
    struct syn_diff diff = made_diff();
    const double a[] = {5, 4, 3, 2, 1}, b[] = {1, 2, 3};
    made_diff_runs(&diff, 0, &base, a, 5);
    made_diff_runs(&diff, 1, &base, b, 3);
    made_diff_compare(&diff);
    cr_assert_eq(diff.count, 1);
    cr_assert_eq(diff.group[0].a.run_count, 5);
    cr_assert_eq(diff.group[0].b.run_count, 3);
    for (int i = 0; i < 5; i++)
        cr_expect_eq(diff.group[0].a.run_value[i], 1000 * a[i]);
    syn_diff_free(&diff);
}

/* ---- figures ---- */

/* R: wilcox.test(b, a), exp(wilcox.test(log(b), log(a), conf.int = TRUE)), p.adjust. */
static const double r_a[3][10] = {
    {101.5, 99.2, 103.1, 98.7, 100.4, 102.2, 97.9, 100.9, 99.6, 104.0},
    {50.1, 52.3, 49.7, 51.0, 50.6, 53.2, 48.9, 51.8, 50.9, 49.4},
    {10, 11, 12, 10, 11, 12, 13, 10, 11, 12}};
static const double r_b[3][10] = {
    {107.3, 105.1, 109.9, 104.4, 106.6, 108.2, 103.5, 106.1, 105.8, 110.7},
    {51.2, 49.9, 52.7, 50.3, 48.6, 53.9, 51.5, 50.0, 49.1, 52.0},
    {10, 9, 10, 11, 10, 9, 12, 10, 11, 9}};
static const struct {
    const char *op;
    double U, p, p_greater, ratio, low, high, a12, median_a, median_b, holm, bh;
} r_figures[3] = {{"MPI_Allreduce", 99, 2.16501764489381e-05, 1.0825088224469e-05, 1.05822947904572,
                   1.03816046966732, 1.08165322580645, 0.99, 100650, 106350, 6.49505293468142e-05,
                   6.49505293468142e-05},
                  {"MPI_Barrier", 52, 0.911797181147026, 0.455898590573513, 1.00395679167985,
                   0.971042471042471, 1.03333333333333, 0.52, 50750, 50750, 0.911797181147026,
                   0.911797181147026},
                  {"MPI_Alltoall", 22.5, 0.0345340896779533, 0.985812694722624, 0.909046087205443,
                   0.818218807188525, 0.999987660675647, 0.225, 11000, 10000, 0.0690681793559066,
                   0.0518011345169299}};

static struct syn_diff diff_of_r(const struct syn_diff_options *options)
{
    static const uint16_t ops[] = {ALLREDUCE, BARRIER, ALLTOALL};
    struct syn_diff diff = made_diff();
    if (options)
        diff.options = *options;
    for (int i = 0; i < 3; i++) {
        struct made_group like = base;
        like.op = ops[i];
        made_diff_runs(&diff, 0, &like, r_a[i], 10);
        made_diff_runs(&diff, 1, &like, r_b[i], 10);
    }
    made_diff_compare(&diff);
    return diff;
}

Test(diff_figures, are_those_of_r)
{
    struct syn_diff diff = diff_of_r(NULL);
    for (int i = 0; i < 3; i++) {
        const struct syn_diff_group *group = made_diff_find(&diff, r_figures[i].op);
        double loose = i == 2 ? 1e-3 : 1e-12; /* ties: R's root finder */
        cr_expect_eq(group->test.U, r_figures[i].U);
        cr_expect_float_eq(group->test.p, r_figures[i].p, 1e-14);
        cr_expect_float_eq(group->p_adjusted, r_figures[i].holm, 1e-14);
        cr_expect_float_eq(group->ratio.estimate, r_figures[i].ratio, loose);
        cr_expect_float_eq(group->ratio.low, r_figures[i].low, loose);
        cr_expect_float_eq(group->ratio.high, r_figures[i].high, loose);
        cr_expect_float_eq(group->vargha_delaney_a, r_figures[i].a12, 1e-15);
        cr_expect_float_eq(group->a.median.value, r_figures[i].median_a, 1e-9);
        cr_expect_float_eq(group->b.median.value, r_figures[i].median_b, 1e-9);
    }
    /* sort(a)[1] and sort(a)[10]: floor((10 - 1.96 sqrt 10)/2) = 1 */
    cr_expect_eq(made_diff_find(&diff, "MPI_Allreduce")->a.median.low, 97900);
    cr_expect_eq(made_diff_find(&diff, "MPI_Allreduce")->a.median.high, 104000);
    cr_expect_eq(made_diff_find(&diff, "MPI_Allreduce")->verdict, SYN_VERDICT_SLOWER);
    cr_expect_eq(made_diff_find(&diff, "MPI_Barrier")->verdict, SYN_VERDICT_INDISTINGUISHABLE);
    syn_diff_free(&diff);
}

Test(diff_figures, one_sided_tests_and_benjamini_hochberg)
{
    struct syn_diff_options options = {.metric = SYN_METRIC_COMPLETION,
                                       .by = SYN_BY_DEFAULT,
                                       .alternative = SYN_GREATER,
                                       .confidence = 0.95,
                                       .threshold = 0.02};
    struct syn_diff diff = diff_of_r(&options);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(made_diff_find(&diff, r_figures[i].op)->test.p, r_figures[i].p_greater,
                           1e-14);
    cr_expect_eq(diff.group[0].verdict, SYN_VERDICT_SLOWER);
    syn_diff_free(&diff);
    options.alternative = SYN_LESS;
    diff = diff_of_r(&options);
    cr_expect_neq(made_diff_find(&diff, "MPI_Allreduce")->verdict, SYN_VERDICT_SLOWER);
    syn_diff_free(&diff);
    options.alternative = SYN_TWO_SIDED;
    options.adjust = SYN_ADJUST_BH;
    diff = diff_of_r(&options);
    for (int i = 0; i < 3; i++)
        cr_expect_float_eq(made_diff_find(&diff, r_figures[i].op)->p_adjusted, r_figures[i].bh,
                           1e-14);
    syn_diff_free(&diff);
}

/* ---- verdicts ---- */

static enum syn_verdict verdict_of(double factor, double scatter, size_t runs, int64_t bound_ns,
                                   double threshold)
{
    struct syn_diff diff = made_diff();
    struct made_group like = base;
    double a[20], b[20];
    like.bound_ns = bound_ns;
    diff.options.threshold = threshold;
    for (size_t i = 0; i < runs; i++) { /* no two values alike */
        a[i] = 100 * (1 + scatter * ((double)i - (double)runs / 2) / (double)runs);
        b[i] = factor * a[i] * (1 + 1e-4 * ((double)i + 1));
    }
    made_diff_runs(&diff, 0, &like, a, runs);
    made_diff_runs(&diff, 1, &like, b, runs);
    made_diff_compare(&diff);
    enum syn_verdict verdict = diff.group[0].verdict;
    syn_diff_free(&diff);
    return verdict;
}

Test(diff_verdict, follows_the_table)
{
    cr_expect_eq(verdict_of(1.10, 0.02, 10, 0, 0.02), SYN_VERDICT_SLOWER);
    cr_expect_eq(verdict_of(0.90, 0.02, 10, 0, 0.02), SYN_VERDICT_FASTER);
    cr_expect_eq(verdict_of(1.10, 0.02, 3, 0, 0.02), SYN_VERDICT_TOO_FEW_RUNS);
    cr_expect_eq(verdict_of(1.10, 0.02, 4, 0, 0.02), SYN_VERDICT_SLOWER);
    cr_expect_eq(verdict_of(1.03, 0.03, 20, 0, 0.025), SYN_VERDICT_UNCLEAR);
    cr_expect_eq(verdict_of(1.01, 0.005, 10, 0, 0.02), SYN_VERDICT_EQUIVALENT);
    cr_expect_eq(verdict_of(1.00, 0.30, 10, 0, 0.02), SYN_VERDICT_INDISTINGUISHABLE);
    /* 20 us of clock in 100 us: a tenth more is no difference that these clocks can tell */
    cr_expect_eq(verdict_of(1.10, 0.02, 10, 20000, 0.02), SYN_VERDICT_EQUIVALENT);
    cr_expect_eq(verdict_of(1.10, 0.02, 10, INT64_MAX / 4, 0.02), SYN_VERDICT_UNCLEAR);
}

Test(diff_verdict, a_single_run_gets_its_ratio_and_no_stars)
{
    struct syn_diff diff = made_diff();
    struct syn_random random;
    struct syn_text headline = {0};
    int64_t a[400], b[400];
    syn_random_seed(&random, 5);
    for (int i = 0; i < 400; i++) {
        a[i] = (int64_t)(10000 * exp(0.1 * simulate_normal(&random)));
        b[i] = (int64_t)(12000 * exp(0.1 * simulate_normal(&random)));
    }
    made_diff_group(&diff, 0, &base, a, 400);
    made_diff_group(&diff, 1, &base, b, 400);
    made_diff_compare(&diff);
    cr_expect_eq(diff.group[0].verdict, SYN_VERDICT_TOO_FEW_RUNS);
    cr_expect_float_eq(diff.group[0].ratio.estimate, 1.2, 0.03);
    cr_expect(diff.group[0].ratio.low < 1.2 && diff.group[0].ratio.high > 1.2);
    cr_expect(diff.group[0].ratio.high - diff.group[0].ratio.low < 0.1);
    cr_expect_eq(diff.needed_runs, 4);
    syn_diff_headline(&diff, &headline);
    cr_expect_not_null(strstr(syn_text_chars(&headline), "takes 4 against 4"));
    cr_expect_null(strchr(syn_text_chars(&headline), '*'));
    syn_text_free(&headline);
    syn_diff_free(&diff);
}

Test(diff_verdict, the_headline_names_the_worst)
{
    struct syn_diff diff = diff_of_r(NULL);
    struct syn_text headline = {0};
    syn_diff_headline(&diff, &headline);
    cr_expect_str_eq(syn_text_chars(&headline),
                     "1 of 3 groups slower, namely: MPI_Allreduce 8 B at main.c:31 solve, +5.8 % "
                     "[+3.8, +8.2], ***");
    syn_text_free(&headline);
    syn_diff_free(&diff);
}

Test(diff_options, are_parsed_and_refused)
{
    double threshold = 0;
    int metric;
    cr_expect_eq(syn_share_parse("2%", &threshold), 0);
    cr_expect_float_eq(threshold, 0.02, 1e-15);
    cr_expect_eq(syn_share_parse("0.05", &threshold), 0);
    cr_expect_float_eq(threshold, 0.05, 1e-15);
    cr_expect_eq(syn_share_parse("2", &threshold), SYN_EINVAL);
    cr_expect_eq(syn_share_parse("-1%", &threshold), SYN_EINVAL);
    cr_expect_eq(syn_share_parse("2%x", &threshold), SYN_EINVAL);
    cr_expect_eq(syn_share_parse("nan", &threshold), SYN_EINVAL);
    cr_expect_eq(syn_diff_metric_parse("wait_share", &metric), 0);
    cr_expect_eq(metric, SYN_DIFF_WAIT_SHARE);
    cr_expect_eq(syn_diff_metric_parse("wait", &metric), SYN_EINVAL);
}

/* ---- few runs, many groups ---- */

/* Five runs a side; each group's are 30 % longer in B, and no two of a group's runs are equal. */
static struct syn_diff many_slower_groups(enum syn_adjust adjust)
{
    struct syn_diff diff = made_diff();
    struct syn_random random;
    syn_random_seed(&random, 8);
    diff.options.adjust = adjust;
    for (uint64_t bytes = 1; bytes <= 200; bytes++) {
        struct made_group like = base;
        double value[2][5];
        like.bytes = bytes;
        for (int i = 0; i < 10; i++)
            value[i / 5][i % 5] = (i < 5 ? 100 : 130) * exp(0.03 * simulate_normal(&random));
        made_diff_runs(&diff, 0, &like, value[0], 5);
        made_diff_runs(&diff, 1, &like, value[1], 5);
    }
    made_diff_compare(&diff);
    return diff;
}

Test(diff_many, holm_could_not_have_shown_anything_and_says_so)
{
    struct syn_diff diff = many_slower_groups(SYN_ADJUST_HOLM);
    cr_expect_eq(diff.verdict_count[SYN_VERDICT_TOO_FEW_RUNS], 200);
    cr_expect(isnan(diff.group[0].detectable_slower), "nothing could have been shown");
    cr_expect_eq(diff.needed_runs, 4);
    cr_expect_eq(diff.needed_runs_adjusted, 8);
    syn_diff_free(&diff);
}

Test(diff_many, by_default_whole_runs_are_divided_anew)
{
    struct syn_diff diff = many_slower_groups(SYN_ADJUST_AUTO);
    cr_expect_eq(diff.adjust, SYN_ADJUST_MAXT);
    cr_expect(diff.maxt.exact);
    cr_expect_eq(diff.maxt.divisions, 252);
    cr_expect_geq(diff.verdict_count[SYN_VERDICT_SLOWER], 195);
    for (size_t i = 0; i < diff.count; i++) {
        const struct syn_diff_group *group = &diff.group[i];
        cr_expect_eq(group->p_adjusted < 0.05, group->verdict == SYN_VERDICT_SLOWER);
        cr_expect(group->p_adjusted >= group->p_permutation);
        cr_expect(group->detectable_slower > 1.01 && group->detectable_slower < 1.6, "%g",
                  group->detectable_slower);
    }
    syn_diff_free(&diff);
}

/* ---- segments ---- */

/* B's lines are 8 further down. */
static void expect_segment(const char *op, const char *from, const char *to, const char *moved_from,
                           const char *moved_to, const char *want)
{
    struct syn_text line = {0};
    struct syn_segment segment = {
        .op = op,
        .category = op ? SYN_CATEGORY_OPERATION : SYN_CATEGORY_COMPUTING,
        .phase = "",
        .line_differs = true,
        .half = {{.from = strdup(from), .to = strdup(to), .run_count = 10, .times = 1},
                 {.from = strdup(moved_from), .to = strdup(moved_to), .run_count = 10, .times = 1}},
        .ratio = {.estimate = 20, .low = 19, .high = 21},
        .verdict = SYN_VERDICT_SLOWER,
        .every_rank = true,
        .waits_p_adjusted = NAN};
    struct syn_diff diff = {.segments = {.item = &segment, .count = 1}};
    cr_expect(syn_segment_sentence(&diff, 0, &line));
    cr_expect(strstr(syn_text_chars(&line), want), "%s", syn_text_chars(&line));
    syn_text_free(&line);
    for (int side = 0; side < 2; side++) {
        free(segment.half[side].from);
        free(segment.half[side].to);
    }
}

Test(diff_segments, say_where_b_has_a_line_that_moved)
{
    expect_segment("MPI_Bcast", "a.c:2 main", "a.c:2 main", "a.c:10 main", "a.c:10 main",
                   " (in B at a.c:10 main)");
    expect_segment(NULL, "a.c:2 main", "a.c:2 main", "a.c:10 main", "a.c:10 main",
                   " (in B between one call and the next at a.c:10 main)");
    expect_segment(NULL, "a.c:2 main", "a.c:4 main", "a.c:10 main", "a.c:12 main",
                   " (in B between a.c:10 main and a.c:12 main)");
    expect_segment(NULL, "", "a.c:4 main", "", "a.c:12 main", " (in B before a.c:12 main)");
}

/* All time in messages of both sides' runs is in one-sided calls. */
Test(diff_segments, one_sided_calls_are_no_messages)
{
    char from[] = "a.c:2 main", to[] = "a.c:4 main";
    struct syn_run_facts run = {.is_one_sided = false};
    struct syn_segment segment = {.category = SYN_CATEGORY_MESSAGES,
                                  .phase = "",
                                  .half = {{.from = from, .to = to, .run_count = 10, .times = 1},
                                           {.from = from, .to = to, .run_count = 10, .times = 1}},
                                  .ratio = {.estimate = 20, .low = 19, .high = 21},
                                  .verdict = SYN_VERDICT_SLOWER,
                                  .every_rank = true,
                                  .waits_p_adjusted = NAN};
    const struct syn_diff diff = {
        .side = {{.run = &run, .run_count = 1}, {.run = &run, .run_count = 1}},
        .segments = {.item = &segment, .count = 1}};
    for (int is_one_sided = 0; is_one_sided < 2; is_one_sided++) {
        struct syn_text line = {0};
        run.is_one_sided = is_one_sided;
        syn_segment_sentence(&diff, 0, &line);
        cr_expect(strstr(syn_text_chars(&line), is_one_sided ? "every rank is in one-sided calls 20"
                                                             : "every rank is in messages 20"),
                  "%s", syn_text_chars(&line));
        syn_text_free(&line);
    }
}

/* ---- A against A ---- */

/* Ten runs a side of 100 instances, each run with a factor of its own of 3 %. */
static void add_same(struct syn_diff *diff, struct syn_random *random, uint64_t bytes)
{
    for (uint32_t run = 0; run < 20; run++) {
        struct made_group like = base;
        int64_t values[100];
        double factor = exp(0.03 * simulate_normal(random));
        like.run = run % 10 + 1;
        like.bytes = bytes;
        for (int i = 0; i < 100; i++)
            values[i] = (int64_t)(1e6 * factor * exp(0.1 * simulate_normal(random)));
        made_diff_group(diff, run >= 10, &like, values, 100);
    }
}

Test(diff_same_program, runs_hold_the_level_that_pooling_breaks)
{
    struct syn_diff diff = made_diff();
    struct syn_random random;
    syn_random_seed(&random, 55);
    diff.options.same_program = true;
    for (uint64_t bytes = 1; bytes <= 1000; bytes++)
        add_same(&diff, &random, bytes);
    made_diff_compare(&diff);
    const struct syn_false_positives *found = &diff.false_positives;
    cr_expect_eq(found->group_count, 1000);
    cr_log_info("runs %zu, adjusted %zu, pooled %zu of 1000; over divisions %.4f and %.4f",
                found->run_claims, found->adjusted_claims, found->pooled_claims,
                found->run_claim_rate, found->pooled_claim_rate);
    cr_expect(found->run_claims > 25 && found->run_claims < 75, "%zu", found->run_claims);
    cr_expect_leq(found->adjusted_claims, 1);
    cr_expect_gt(found->pooled_claims, 300);
    /* the exact level below 0.05 of ten against ten is 0.0433 */
    cr_expect_float_eq(found->run_claim_rate, 0.0433, 0.003);
    cr_expect_gt(found->pooled_claim_rate, 0.3);
    cr_expect_eq(
        diff.verdict_count[SYN_VERDICT_SLOWER] + diff.verdict_count[SYN_VERDICT_FASTER] <= 1, true);
    syn_diff_free(&diff);
}
