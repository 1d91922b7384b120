/* analyze/report/formats/report_ci.c - writes the report for build servers: whether each run is
 * complete, and whether its clocks can be trusted. */
#include "analyze/print/ci.h"
#include "analyze/report/sections/report_page.h"

/* The check of the clocks fails with --fail-on clock, else it is a warning. Anything missing in a
 * trace is a warning. */
void syn_report_ci(const struct syn_report *report, bool fails_on_clock, bool as_junit,
                   struct syn_text *text)
{
    SYN_CLEANUP(syn_checks_free) struct syn_checks checks = {0};
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, message = {0};
    const bool wrong = syn_report_clocks_wrong(report);
    size_t incomplete = 0, faults = report->unreadable_count;
    for (size_t i = 0; i < report->groups.count; i++)
        incomplete += report->groups.group[i]->incomplete_count;
    for (size_t i = 0; i < report->run_count; i++)
        faults += report->run[i].fault_count;
    syn_text_string(&name, "clocks as measured");
    (wrong ? syn_report_clock_alarm : syn_report_clock)(report, &message);
    syn_checks_add(&checks, "syncopate.clock",
                   !wrong           ? SYN_OUTCOME_PASSED
                   : fails_on_clock ? SYN_OUTCOME_FAILED
                                    : SYN_OUTCOME_SKIPPED,
                   &name, &message);
    syn_text_string(&name, "whole trace");
    syn_words(&message, "{n} fault{s} in the trace, {n} incomplete instance{s}", faults,
              incomplete);
    syn_checks_add(&checks, "syncopate.trace",
                   faults + incomplete ? SYN_OUTCOME_SKIPPED : SYN_OUTCOME_PASSED, &name, &message);
    (as_junit ? syn_ci_junit : syn_ci_annotations)(text, "syncopate report", &checks);
    text->failed |= checks.failed;
}
