/* Tests of the run that stands for the others of an experiment, and of the runs far off. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/report/findings/report_parts.h"

/* A report of runs that took so many milliseconds. The caller frees run. */
static struct syn_report report_of(const double *ms, size_t count)
{
    struct syn_report report = {.run = calloc(count + 1, sizeof *report.run), .run_count = count};
    for (size_t i = 0; i < count; i++) {
        report.run[i].run = (uint32_t)i + 1;
        report.run[i].duration_ns = (int64_t)(ms[i] * 1e6);
    }
    return report;
}

Test(typical, is_the_run_nearest_to_the_median)
{
    static const double ms[] = {8450, 965, 990, 970, 960};
    struct syn_report report = report_of(ms, 5);
    struct syn_text words = {0};
    cr_expect_eq(syn_report_typical(&report)->run, 4);
    syn_report_typical_title(&report, "Why", &words);
    cr_expect_str_eq(syn_text_chars(&words), "Why (run 4, the nearest to the median)");
    syn_text_clear(&words);
    syn_report_far_runs(&report, &words);
    cr_expect_str_eq(syn_text_chars(&words),
                     "Run 1 (8.45 s) lies far from the median run time, 970 ms.");
    syn_text_free(&words);
    free(report.run);
}

Test(typical, of_two_or_one_there_is_nothing_to_say)
{
    static const double ms[] = {100, 900};
    struct syn_report report = report_of(ms, 2);
    struct syn_text words = {0};
    cr_expect_eq(syn_report_typical(&report)->run, 1); /* both are as near */
    syn_report_far_runs(&report, &words);
    cr_expect_eq(words.length, 0);
    report.run_count = 1;
    syn_report_typical_title(&report, "Why", &words);
    cr_expect_str_eq(syn_text_chars(&words), "Why");
    syn_text_free(&words);
    free(report.run);
}

Test(typical, several_far_runs_are_named_up_to_five)
{
    static const double ms[] = {10, 100, 100, 100, 100, 100, 100, 100, 100, 200, 210, 220, 60, 230};
    struct syn_report report = report_of(ms, 14);
    struct syn_text words = {0};
    syn_report_far_runs(&report, &words);
    cr_expect_str_eq(syn_text_chars(&words),
                     "Runs 1 (10.0 ms), 10 (200 ms), 11 (210 ms), 12 (220 ms), 13 (60.0 ms) and 1 "
                     "more lie far from the median run time, 100 ms.");
    syn_text_free(&words);
    free(report.run);
}
