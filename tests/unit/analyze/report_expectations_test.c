/* Breaks of plain expectations: what the section says of groups with known medians. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyze/report/sections/report_page.h"
#include "trace/base/ops.h"

#define GROUPS 8

struct made {
    struct syn_group group[GROUPS];
    struct syn_figures figures[GROUPS];
    struct syn_report report;
    struct syn_run_facts run;
    struct syn_rank_facts rank[4];
    struct syn_rank_totals total[4];
};

/* 1000 instances on four ranks with a 95 % interval of +- 2 %. */
static void add(struct made *made, uint64_t op, uint64_t bytes, double median_ns)
{
    const size_t at = made->report.groups.count++;
    struct syn_group *group = &made->group[at];
    group->op = (struct syn_common){.value = op, .known = true};
    group->bytes = (struct syn_common){.value = bytes, .known = true};
    group->comm_size = (struct syn_common){.value = 4, .known = true};
    group->instance_count = 1000;
    for (int k = 0; k < SYN_KEY_COUNT; k++)
        group->key[k] = UINT64_MAX;
    made->figures[at] = (struct syn_figures){.group = group};
    made->figures[at].metric[SYN_METRIC_OPERATION].summary =
        (struct syn_summary){.n = 1000,
                             .mean = median_ns,
                             .median = median_ns,
                             .ci_low = 0.98 * median_ns,
                             .ci_high = 1.02 * median_ns,
                             .n_effective = 1000};
}

static void begin(struct made *made, double run_ns)
{
    memset(made, 0, sizeof *made);
    made->run.rank = made->rank;
    made->run.rank_count = 4;
    made->run.duration_ns = (int64_t)run_ns;
    made->report.figures = made->figures;
    made->run.totals.rank = made->total;
    made->run.totals.rank_count = 4;
    for (int r = 0; r < 4; r++)
        made->rank[r].recorded = true;
    made->report.options.confidence = 0.95;
    made->report.run = &made->run;
    made->report.run_count = 1;
}

static void expect(struct made *made, const char *words)
{
    struct syn_terminal terminal = {.width = 200};
    struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
    struct syn_text text = {0};
    syn_doc_build(&doc,
                  &(struct syn_doc_section){syn_report_expectations_section, SYN_DOC_PEOPLE, NULL},
                  1, &made->report);
    syn_doc_write(&doc, &text);
    if (words)
        cr_expect(strstr(syn_text_chars(&text), words), "%s", syn_text_chars(&text));
    else
        cr_expect_str_eq(syn_text_chars(&text), "");
    syn_text_free(&text);
    syn_doc_free(&doc);
}

Test(report_expectations, hold_where_more_data_take_longer)
{
    struct made made;
    begin(&made, 1e9);
    add(&made, SYN_ROW_BCAST, 64, 20e3);
    add(&made, SYN_ROW_BCAST, 1024, 30e3);
    add(&made, SYN_ROW_ALLREDUCE, 1024, 55e3);
    add(&made, SYN_ROW_REDUCE, 1024, 40e3);
    expect(&made, NULL);
}

Test(report_expectations, a_smaller_size_that_takes_longer_is_told)
{
    struct made made;
    begin(&made, 1e9);
    add(&made, SYN_ROW_BCAST, 64, 90e3);
    add(&made, SYN_ROW_BCAST, 1024, 30e3);
    add(&made, SYN_ROW_BCAST, 2048, 40e3);
    expect(&made,
           "MPI_Bcast of 64 B takes 90.0 us after the last arrival; of 1 KiB it takes 30.0 us");
    made.figures[1].metric[SYN_METRIC_OPERATION].clock_bound_ns = 60e3; /* as by such clocks */
    made.figures[2].metric[SYN_METRIC_OPERATION].clock_bound_ns = NAN;
    expect(&made, NULL);
    begin(&made, 1e12); /* not worth it */
    add(&made, SYN_ROW_BCAST, 64, 90e3);
    add(&made, SYN_ROW_BCAST, 1024, 30e3);
    expect(&made, NULL);
}

Test(report_expectations, an_operation_that_two_others_beat_is_told)
{
    struct made made;
    begin(&made, 1e9);
    add(&made, SYN_ROW_ALLGATHER, 256, 90e3);
    add(&made, SYN_ROW_GATHER, 256, 20e3);
    add(&made, SYN_ROW_BCAST, 1024, 30e3);
    expect(&made,
           "MPI_Allgather of 256 B takes 90.0 us after the last arrival; MPI_Gather and MPI_Bcast "
           "together take 50.0 us");
    made.group[2].bytes.value = 256; /* another broadcast than the blocks of four ranks */
    expect(&made, NULL);
}

/* 10 % slower, and so within the noise of an interval of +- 20 %. */
Test(report_expectations, noise_is_not_told)
{
    struct made made;
    begin(&made, 1e9);
    add(&made, SYN_ROW_BCAST, 64, 40e3);
    add(&made, SYN_ROW_BCAST, 1024, 34e3);
    made.figures[0].metric[SYN_METRIC_OPERATION].summary.ci_low = 30e3;
    made.figures[0].metric[SYN_METRIC_OPERATION].summary.ci_high = 50e3;
    expect(&made, NULL);
}

/* Two groups take 2 % and 0.9 % of the ranks' time. */
Test(report_expectations, operations_that_are_worth_it_are_listed)
{
    static size_t order[] = {0, 1};
    struct made made;
    begin(&made, 1e9);
    add(&made, SYN_ROW_BCAST, 64, 20e3);
    add(&made, SYN_ROW_REDUCE, 64, 9e3);
    made.report.order = order;
    made.report.options.verbose = true;
    expect(&made, "After the last arrival take 1 % of the ranks' time and more: MPI_Bcast of 64 B "
                  "on 4 ranks 2.0 %.");
}
