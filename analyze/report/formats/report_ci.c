/* analyze/report/formats/report_ci.c - writes the report for build servers: whether each run is
 * complete, and whether its clocks can be trusted. */
#include <stdio.h>

#include "analyze/print/ci.h"
#include "analyze/report/sections/report_page.h"

static size_t count_faults(const struct syn_report *report)
{
    size_t count = report->unreadable_count;
    for (size_t i = 0; i < report->run_count; i++)
        count += report->run[i].fault_count;
    return count;
}

/* The check of the clocks fails with --fail-on clock, else it is a warning. Anything missing in a
 * trace is a warning. */
void syn_report_ci(const struct syn_report *report, bool fails_on_clock, bool as_junit,
                   struct syn_text *text)
{
    struct syn_text clocks = {0};
    char missing[120];
    const bool wrong = syn_report_clocks_wrong(report);
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        count += report->groups.group[i]->incomplete_count;
    const size_t faults = count_faults(report), incomplete = count;
    if (wrong)
        syn_report_clock_alarm(report, &clocks);
    else
        syn_report_clock(report, &clocks);
    snprintf(missing, sizeof missing, "%zu fault%s in the trace, %zu incomplete instance%s", faults,
             faults == 1 ? "" : "s", incomplete, incomplete == 1 ? "" : "s");
    const struct syn_check check[] = {
        {"clocks as measured", "syncopate.clock",
         !wrong           ? SYN_OUTCOME_PASSED
         : fails_on_clock ? SYN_OUTCOME_FAILED
                          : SYN_OUTCOME_SKIPPED,
         syn_text_chars(&clocks)},
        {"whole trace", "syncopate.trace",
         faults + incomplete ? SYN_OUTCOME_SKIPPED : SYN_OUTCOME_PASSED, missing},
    };
    (as_junit ? syn_ci_junit : syn_ci_annotations)(text, "syncopate report", check,
                                                   sizeof check / sizeof *check);
    text->failed |= clocks.failed;
    syn_text_free(&clocks);
}
