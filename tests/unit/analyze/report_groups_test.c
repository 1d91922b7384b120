/* Groups and their figures, and what a report says of a run. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/clocks/clocks.h"
#include "analyze/match/members/experiment.h"
#include "analyze/report/findings/report.h"
#include "analyze/report/findings/report_parts.h"
#include "made_trace.h"
#include "trace/base/ops.h"

static const struct syn_event allreduce = {
    .op = SYN_OP_BLOCKING(ALLREDUCE), .bytes = 8, .root = -1};

static struct syn_report make_all(struct made_trace *made, unsigned by, bool all)
{
    struct syn_run_path path = {.run = 1, .directory = made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    struct syn_report_options options = {.by = by, .confidence = 0.95, .sort = "total", .all = all};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    return report;
}

static struct syn_report make(struct made_trace *made, unsigned by)
{
    return make_all(made, by, false);
}

/* `count` instances in which rank `late` comes last, 50 ns after the others. */
static void add_instances(struct made_trace *made, int count, int late)
{
    for (int i = 0; i < count; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        for (int rank = 0; rank < made->rank_count; rank++)
            made_event(made, rank, i * 1000 + (rank == late ? 50 : rank), i * 1000 + 100 + i % 7,
                       event);
    }
}

Test(keys, are_parsed_and_refused)
{
    unsigned by = 0;
    cr_expect_eq(syn_keys_parse("op,rank", &by), 0);
    cr_expect_eq(by, SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_RANK));
    cr_expect_neq(syn_keys_parse("", &by), 0);
    cr_expect_neq(syn_keys_parse("op,", &by), 0);
    cr_expect_neq(syn_keys_parse(",op", &by), 0);
    cr_expect_neq(syn_keys_parse("ops", &by), 0);
    cr_expect_neq(syn_keys_parse("o", &by), 0);
}

Test(figures, follow_their_definitions)
{
    struct made_trace made;
    made_begin(&made, 3);
    add_instances(&made, 21, 2);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    cr_assert_eq(report.groups.count, 1);
    const struct syn_figures *figures = &report.figures[0];
    /* starts at 0, 1, 50; ends at 100 + i % 7 */
    cr_expect_eq(figures->metric[SYN_METRIC_COMPLETION].summary.median, 103);
    cr_expect_eq(figures->metric[SYN_METRIC_COMPLETION].summary.min, 100);
    cr_expect_eq(figures->metric[SYN_METRIC_SPREAD].summary.median, 50);
    cr_expect_eq(figures->metric[SYN_METRIC_OPERATION].summary.median, 53);
    cr_expect_eq(figures->metric[SYN_METRIC_EXIT_SKEW].summary.max, 0);
    cr_expect_eq(figures->metric[SYN_METRIC_LOCAL_MAX].summary.median, 103);
    cr_expect_eq(figures->metric[SYN_METRIC_WAIT].summary.n, 0);
    cr_expect_eq(figures->wait_ns, 21 * (50 + 49));
    cr_expect_eq(figures->waiting_ns, 21 * (50 + 49));
    cr_assert_eq(figures->rank_count, 3);
    cr_expect_eq(figures->rank[1].median, 102);
    cr_expect_eq(figures->rank[2].rank->last_count, 21);
    cr_expect_eq(figures->rank[2].rank->last_sure_count, 21);
    cr_expect_eq(figures->rank[2].rank->caused_ns, 21 * 99);
    cr_expect_eq(figures->friedman.kendall_w, 1); /* the order of the ranks is always the same */
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Every third of 7 instances has one rank that started late, or was held up by the profiler. */
static void leaves_out(uint16_t flag)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int i = 0; i < 7; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        made_event(&made, 0, i * 1000, i * 1000 + 100, event);
        event.flags = i % 3 == 0 ? flag : 0;
        made_event(&made, 1, i * 1000 + (i % 3 == 0 ? 90 : 0), i * 1000 + 100, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    for (int all = 0; all < 2; all++) {
        struct syn_report report = make_all(&made, SYN_BY_DEFAULT, all);
        const struct syn_figures *figures = &report.figures[0];
        cr_expect_eq(report.instance_count, 7);
        bool late = flag == SYN_EVENT_LATE_START;
        cr_expect_eq(late ? report.late_start_count : report.perturbed_count, 3);
        cr_expect_eq(late ? report.perturbed_count : report.late_start_count, 0);
        cr_expect_eq(late ? figures->group->late_start_count : figures->group->perturbed_count, 3);
        cr_expect_eq(figures->group->left_out_count, all ? 0 : 3);
        cr_expect_eq(figures->group->instance_count, all ? 7 : 4);
        cr_expect_eq(figures->metric[SYN_METRIC_SPREAD].summary.max, all ? 90 : 0);
        syn_report_free(&report);
    }
    made_end(&made, trace);
}

Test(figures, late_starts_are_left_out_unless_asked_for)
{
    leaves_out(SYN_EVENT_LATE_START);
}

Test(figures, pauses_of_the_profiler_are_left_out_unless_asked_for)
{
    leaves_out(SYN_EVENT_PERTURBED);
}

Test(figures, the_clock_bound_of_a_median_moves_with_the_bounds)
{
    struct made_trace made;
    made_begin_bounded(&made, 2, 10, 0);
    add_instances(&made, 30, 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    const struct syn_figures *figures = &report.figures[0];
    cr_expect_eq(figures->metric[SYN_METRIC_COMPLETION].clock_bound_ns, 20); /* 10 at either end */
    cr_expect_eq(figures->metric[SYN_METRIC_LOCAL_MAX].clock_bound_ns, 0);
    cr_expect(syn_figures_below_clock(&figures->metric[SYN_METRIC_EXIT_SKEW]));
    cr_expect(!syn_figures_below_clock(&figures->metric[SYN_METRIC_SPREAD]));
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Returns a value of a column without a full block. */
static int64_t value_of(const struct syn_column *column, size_t i)
{
    int64_t value = INT64_MIN;
    cr_assert_eq(syn_column_read(column, NULL, i, 1, &value), 0);
    return value;
}

Test(figures, bounds_that_grow_widen_the_interval_by_its_order_statistics)
{
    struct made_trace made;
    made_begin_bounded(&made, 2, 0, 1e-3); /* an absurd wander: 1 ns a microsecond */
    add_instances(&made, 41, 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    double bound = report.figures[0].metric[SYN_METRIC_COMPLETION].clock_bound_ns;
    double most = 0;
    for (size_t i = 0; i < 41; i++)
        most = fmax(most, (double)value_of(&report.groups.group[0]->bound_ns, i));
    cr_expect_gt(bound, 0);
    cr_expect_leq(bound, most);
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(groups, by_rank_have_the_rank_alone)
{
    struct made_trace made;
    made_begin(&made, 3);
    add_instances(&made, 12, 2);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY(SYN_KEY_RANK));
    cr_assert_eq(report.groups.count, 3);
    for (size_t i = 0; i < 3; i++) {
        const struct syn_figures *figures = &report.figures[i];
        uint64_t rank = figures->group->key[SYN_KEY_RANK];
        cr_expect_eq(figures->group->instance_count, 12);
        cr_expect_eq(figures->metric[SYN_METRIC_COMPLETION].summary.n, 0);
        cr_expect_eq(figures->metric[SYN_METRIC_WAIT].summary.median,
                     rank == 2 ? 0 : 50 - (double)rank);
        cr_expect_eq(figures->metric[SYN_METRIC_LOCAL_MAX].summary.min,
                     100 - (rank == 2 ? 50.0 : (double)rank));
    }
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(groups, of_different_members_have_no_friedman_test)
{
    static const int32_t pair[] = {0, 1};
    struct made_trace made;
    made_begin(&made, 3);
    add_instances(&made, 10, 2);
    for (int rank = 0; rank < 2; rank++) {
        made_comm(
            &made, rank,
            (struct syn_comm_record){
                .index = 1, .id = 9, .size = 2, .rank = rank, .name = "pair", .world_ranks = pair});
        for (int i = 0; i < 10; i++) {
            struct syn_event event = allreduce;
            event.comm = 1;
            event.sequence = (uint64_t)i;
            made_event(&made, rank, 50000 + i * 1000 + rank, 50000 + i * 1000 + 90 + i % 5, event);
        }
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY(SYN_KEY_OP));
    cr_assert_eq(report.groups.count, 1);
    cr_expect_eq(report.groups.group[0]->instance_count, 20);
    cr_expect(isnan(report.figures[0].friedman.chi2));
    cr_expect(isfinite(report.figures[0].kruskal.H));
    cr_expect_eq(report.figures[0].rank_count, 3);
    cr_expect_eq(report.figures[0].rank[2].n, 10);
    uint64_t size;
    cr_expect(!syn_report_comm_size(report.groups.group[0], &size));
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(groups, incomplete_instances_are_counted_where_they_belong)
{
    struct made_trace made;
    made_begin(&made, 2);
    add_instances(&made, 8, 1);
    struct syn_event alone = allreduce;
    alone.sequence = 8;
    made_event(&made, 1, 90000, 90100, alone);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    cr_assert_eq(report.groups.count, 1);
    cr_expect_eq(report.groups.group[0]->instance_count, 8);
    cr_expect_eq(report.groups.group[0]->incomplete_count, 1);
    struct syn_share_figures incomplete = syn_report_share(&report, SYN_SHARE_INCOMPLETE);
    cr_expect_eq(incomplete.mean_ns, 50); /* 100 ns of one of two ranks */
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(lateness, a_late_rank_is_found)
{
    struct made_trace made;
    struct syn_late_rank late[3];
    size_t found;
    made_begin(&made, 4);
    add_instances(&made, 60, 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    cr_assert_eq(syn_report_late_ranks(&report, late, 3, &found), 1);
    cr_expect_eq(late[0].rank, 1);
    cr_expect_eq(late[0].last_count, 60);
    cr_expect_eq(late[0].caused_ns, syn_report_waiting_ns(&report));
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(lateness, one_that_moves_about_is_chance)
{
    struct made_trace made;
    struct syn_late_rank late[3];
    size_t found;
    made_begin(&made, 4);
    for (int i = 0; i < 80; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        for (int rank = 0; rank < 4; rank++)
            made_event(&made, rank, i * 1000 + (rank == (i * 7 + i / 4) % 4 ? 50 : rank),
                       i * 1000 + 100, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    cr_expect_eq(syn_report_late_ranks(&report, late, 3, &found), 0);
    cr_expect_eq(found, 0);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Late in one long stretch of 20 of 80: independent trials would make that 1 in 10^5, one stretch
 * does not. */
Test(lateness, dependent_instances_count_for_less)
{
    struct made_trace made;
    made_begin(&made, 8);
    for (int i = 0; i < 80; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        int last = i >= 30 && i < 50 ? 1 : (i * 5 + i / 8) % 8;
        for (int rank = 0; rank < 8; rank++)
            made_event(&made, rank, i * 1000 + (rank == last ? 50 : rank), i * 1000 + 100, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    const struct syn_rank_facts *rank = &report.run[0].rank[1];
    double independent = 8 * syn_binomial_test(rank->last_count, 80, 1.0 / 8);
    cr_expect_gt(rank->last_p, 10 * independent, "%g, %g", rank->last_p, independent);
    syn_report_free(&report);
    made_end(&made, trace);
}

Test(sorting, by_any_figure_or_not_at_all)
{
    cr_expect_eq(syn_report_sort_key("total"), 0);
    cr_expect_eq(syn_report_sort_key("completion_ns"), 0);
    cr_expect_eq(syn_report_sort_key("spread.p99"), 0);
    cr_expect_neq(syn_report_sort_key("speed"), 0);
    cr_expect_neq(syn_report_sort_key("spread."), 0);
    cr_expect_neq(syn_report_sort_key(""), 0);
}

/* The figures of an only run are equal by the summary of its group, and, as with other intervals,
 * by itself. */
static void expect_same_run(const struct made_trace *made, bool skip_warmup, size_t instances)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    struct syn_report_options options = {
        .by = SYN_BY(SYN_KEY_OP), .confidence = 0.95, .sort = "total", .skip_warmup = skip_warmup};
    struct syn_report by_group, by_itself;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &by_group, &why), 0, "%s", why ? why : "");
    options.ci = SYN_CI_EXACT;
    cr_assert_eq(syn_report_make(&experiment, &options, &by_itself, &why), 0, "%s", why ? why : "");
    const struct syn_run_figures *run = by_group.figures[0].run, *other = by_itself.figures[0].run;
    cr_assert_eq(by_group.figures[0].run_count, 1);
    cr_expect_eq(run->instances, instances, "%zu", run->instances);
    cr_expect_eq(other->instances, instances);
    cr_expect(isfinite(run->ci_low));
    cr_expect_eq(run->median, other->median);
    cr_expect_eq(run->ci_low, other->ci_low);
    cr_expect_eq(run->ci_high, other->ci_high);
    cr_expect(isnan(run->tukey_median) && isnan(run->tukey_mean));
    syn_report_free(&by_group);
    syn_report_free(&by_itself);
}

Test(figures, of_an_only_run_are_those_of_its_group)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int i = 0; i < 200; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        for (int rank = 0; rank < 2; rank++)
            made_event(&made, rank, i * 10000,
                       i * 10000 + (i < 10 ? 5000 : 100) + i * 7 % 31 + rank, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    expect_same_run(&made, false, 200);
    expect_same_run(&made, true, 190);
    made_end(&made, trace);
}

/* Both runs are in one column, and calls of the second one take longer. */
Test(figures, the_slowest_call_of_a_run_is_that_of_the_run)
{
    struct made_trace made[2];
    struct syn_trace *trace[2];
    for (int run = 0; run < 2; run++) {
        made_begin(&made[run], 2);
        for (int i = 0; i < 700; i++) {
            struct syn_event event = allreduce;
            event.sequence = (uint64_t)i;
            for (int rank = 0; rank < 2; rank++)
                made_event(&made[run], rank, i * 10000,
                           i * 10000 + run * 3000 + (i == 0 ? 5000 : 100) + i * 7 % 31, event);
        }
        trace[run] = made_open(&made[run], 0);
    }
    struct syn_run_path path[2] = {{.run = 1, .directory = made[0].directory},
                                   {.run = 2, .directory = made[1].directory}};
    struct syn_experiment experiment = {.run = path, .count = 2};
    struct syn_report_options options = {
        .by = SYN_BY(SYN_KEY_OP), .confidence = 0.95, .sort = "total"};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    cr_assert_eq(report.figures[0].run_count, 2);
    for (int run = 0; run < 2; run++) {
        cr_expect(report.figures[0].run[run].first_is_slowest, "run %d", run);
        cr_expect(!report.figures[0].run[run].last_is_slowest, "run %d", run);
    }
    syn_report_free(&report);
    for (int run = 0; run < 2; run++)
        made_end(&made[run], trace[run]);
}

/* Each clock is 4 ns off from the one before it, so the first and the last differ by 8 ns. */
Test(clocks, are_not_one_where_a_third_is_between_them)
{
    struct made_trace made;
    struct syn_clock_check check;
    made_begin_bounded(&made, 3, 10, 0);
    for (int rank = 1; rank < 3; rank++)
        made.timeline[rank].knots[0].offset_ns = 4 * rank;
    add_instances(&made, 5, 1);
    struct syn_trace *trace = made_open(&made, 0);
    cr_assert_eq(syn_clocks_mend(trace, 0, &check), 0);
    cr_expect_eq(check.clock_count, 2);
    made_end(&made, trace);
}

/* Two allreduces, each of which a rank leaves long before the other comes, each time another one:
 * no clock that is off by so much, or drifts, explains both. */
static void add_contradictions(struct made_trace *made, int count)
{
    for (int i = 0; i < count; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        made_event(made, i % 2, i * 10000, i * 10000 + 100, event);
        made_event(made, 1 - i % 2, i * 10000 + 5000, i * 10000 + 5100, event);
    }
}

static void by_time(const struct made_trace *made, struct syn_text *text)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .rows = SYN_ROWS_TIME, .confidence = 0.95, .sort = "total"};
    const struct syn_terminal terminal = {.width = 80};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    syn_report_page(&report, SYN_DOC_TEXT, &terminal, text);
    syn_report_free(&report);
}

Test(time_slices, are_left_out_where_the_clocks_cannot_tell)
{
    static const char none[] = "No slices of time: the clocks cannot tell who waited.";
    for (int wrong = 0; wrong < 2; wrong++) {
        struct made_trace made;
        struct syn_text text = {0};
        made_begin_bounded(&made, 2, 10, 0);
        if (wrong)
            add_contradictions(&made, 40);
        else
            add_instances(&made, 40, 1);
        struct syn_trace *trace = made_open(&made, 0);
        by_time(&made, &text);
        cr_expect_eq(strstr(syn_text_chars(&text), none) != NULL, wrong, "%s",
                     syn_text_chars(&text));
        cr_expect_eq(strstr(syn_text_chars(&text), "since MPI_Init  ") != NULL, !wrong);
        syn_text_free(&text);
        made_end(&made, trace);
    }
}

/* Very many groups have each instance once, in its order, also where some are left out and
 * some lack a member between them. */
enum { MANY_GROUPS = 300, ROUNDS = 20 };

static bool lacks_member(int i)
{
    return i % 97 == 41;
}

static bool paused(int i)
{
    return i % 89 == 17;
}

static int64_t duration_ns(int i, int rank)
{
    return 1000 + (int64_t)i * 37 % 1009 + rank;
}

static void add_many(struct made_trace *made)
{
    for (int i = 0; i < MANY_GROUPS * ROUNDS; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        event.bytes = 8 * (uint64_t)(1 + i % MANY_GROUPS);
        event.flags = paused(i) ? SYN_EVENT_PERTURBED : 0;
        for (int rank = 0; rank < made->rank_count; rank++)
            if (rank == 0 || !lacks_member(i))
                made_event(made, rank, i * 10000, i * 10000 + duration_ns(i, rank), event);
    }
}

static void check_one_of_many(const struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    const int first = (int)(group->key[SYN_KEY_BYTES] / 8) - 1;
    uint64_t kept = 0, left_out = 0, incomplete = 0;
    for (int i = first; i < MANY_GROUPS * ROUNDS; i += MANY_GROUPS) {
        incomplete += lacks_member(i);
        left_out += !lacks_member(i) && paused(i);
        if (lacks_member(i) || paused(i))
            continue;
        cr_assert_lt(kept, group->start_ns.count);
        cr_expect_eq(value_of(&group->start_ns, kept), (int64_t)i * 10000);
        cr_expect_eq(value_of(&group->completion_ns, kept), duration_ns(i, 1));
        for (size_t r = 0; r < group->rank_count; r++)
            cr_expect_eq(value_of(&group->rank[r].local_ns, kept),
                         duration_ns(i, group->rank[r].rank));
        kept++;
    }
    cr_expect_eq(group->instance_count, kept);
    cr_expect_eq(group->start_ns.count, kept);
    cr_expect_eq(group->left_out_count, left_out);
    cr_expect_eq(group->incomplete_count, incomplete);
}

Test(groups, of_very_many_have_each_instance_once_and_in_order)
{
    struct made_trace made;
    made_begin(&made, 2);
    add_many(&made);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made, SYN_BY_DEFAULT);
    cr_assert_eq(report.groups.count, MANY_GROUPS);
    for (size_t i = 0; i < report.groups.count; i++)
        check_one_of_many(&report.figures[i]);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* ---- the order of the ranks' times ---- */

#define RANKS   3
#define STEP_NS 1000

/* Instances first, first + step, ... below end, as a part: the k-th begins at k * STEP_NS and takes
 * rank r 10 k + r ns, so that a time says whose it is. */
static void absorb(struct syn_groups *groups, int first, int end, int step, int64_t watermark_ns)
{
    uint32_t world_rank[RANKS] = {0, 1, 2};
    const struct syn_communicator comm = {
        .size = RANKS, .full_size = RANKS, .world_rank = world_rank};
    const struct syn_groups_run run = {0};
    struct syn_groups part;
    syn_groups_init(&part, SYN_BY(SYN_KEY_OP));
    for (int k = first; k < end; k += step) {
        const int64_t start_ns = (int64_t)k * STEP_NS;
        struct syn_member member[RANKS] = {{0}};
        for (int r = 0; r < RANKS; r++) {
            member[r].start_ns = start_ns;
            member[r].end_ns = start_ns + 10 * k + r;
        }
        const struct syn_instance instance = {.comm = &comm,
                                              .op = SYN_OP_BLOCKING(ALLREDUCE),
                                              .first_start_ns = start_ns,
                                              .last_start_ns = start_ns,
                                              .member = member};
        cr_assert_eq(syn_groups_add(&part, &run, &instance), 0);
    }
    cr_assert_eq(syn_groups_absorb(groups, &part, 0, watermark_ns), 0);
    syn_groups_free(&part);
}

/* A slice is told communicator by communicator, and what was pending at its end comes behind it:
 * how much a rank's times depend on each other is a matter of their order. 1,200: a full block too.
 */
Test(groups, have_the_times_of_ranks_in_the_order_of_time_whatever_the_slices)
{
    struct syn_groups groups;
    int64_t value[1200];
    syn_groups_init(&groups, SYN_BY(SYN_KEY_OP));
    cr_assert_eq(syn_groups_bound_memory(&groups, 1 << 20), 0);
    for (int slice = 0; slice < 4; slice++) { /* 8, 18, ... of each are pending until the next */
        const int begin = 300 * slice, end = begin + 300;
        for (int k = 1; k < 10; k += 2)
            absorb(&groups, begin + k, end, 10, INT64_MIN);
        for (int k = 0; k < 8; k += 2)
            absorb(&groups, begin + k, end, 10, INT64_MIN);
        if (slice > 0)
            absorb(&groups, begin - 292, begin, 10, (int64_t)(begin + 8) * STEP_NS);
    }
    absorb(&groups, 908, 1200, 10, INT64_MAX);
    cr_assert_eq(groups.count, 1);
    const struct syn_group *group = groups.group[0];
    cr_expect(group->same_members);
    cr_expect_not(group->out_of_order);
    cr_assert_eq(group->rank_count, RANKS);
    for (int r = 0; r < RANKS; r++) {
        cr_assert_eq(group->rank[r].local_ns.count, 1200);
        cr_assert_eq(syn_column_read(&group->rank[r].local_ns, groups.store, 0, 1200, value), 0);
        for (int k = 0; k < 1200; k++)
            cr_expect_eq(value[k], 10 * k + r, "rank %d at %d: %lld", r, k, (long long)value[k]);
    }
    syn_groups_free(&groups);
}

/* Ranks of instances with different members have times in no order, but none is lost. */
Test(groups, lose_no_time_of_a_rank_where_members_differ)
{
    struct syn_groups groups;
    const uint32_t pair[2] = {0, 2};
    uint32_t world_rank[2] = {pair[0], pair[1]};
    const struct syn_communicator comm = {
        .size = 2, .full_size = 2, .world_rank = world_rank, .label = 1};
    const struct syn_groups_run run = {0};
    syn_groups_init(&groups, SYN_BY(SYN_KEY_OP));
    absorb(&groups, 0, 40, 2, 10 * STEP_NS);
    struct syn_groups part;
    syn_groups_init(&part, SYN_BY(SYN_KEY_OP));
    const struct syn_member member[2] = {{.start_ns = 1, .end_ns = 2},
                                         {.start_ns = 1, .end_ns = 3}};
    const struct syn_instance instance = {.comm = &comm,
                                          .op = SYN_OP_BLOCKING(ALLREDUCE),
                                          .first_start_ns = 1,
                                          .last_start_ns = 1,
                                          .member = member};
    cr_assert_eq(syn_groups_add(&part, &run, &instance), 0);
    cr_assert_eq(syn_groups_absorb(&groups, &part, 0, 20 * STEP_NS), 0);
    syn_groups_free(&part);
    absorb(&groups, 1, 40, 2, INT64_MAX);
    const struct syn_group *group = groups.group[0];
    cr_expect_not(group->same_members);
    cr_assert_eq(group->start_ns.count, 41);
    cr_expect_eq(group->rank[0].local_ns.count, 41);
    cr_expect_eq(group->rank[1].local_ns.count, 40);
    cr_expect_eq(group->rank[2].local_ns.count, 41);
    syn_groups_free(&groups);
}
