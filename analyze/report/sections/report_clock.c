/* analyze/report/sections/report_clock.c - writes the warning that comes first in every format if
 * the clocks did not run as they were measured. */
#include <inttypes.h>

#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/report_page.h"

static bool is_wrong(const struct syn_run_facts *run)
{
    return syn_clocks_are_wrong(&run->clock_check, &run->causality);
}

bool syn_report_clocks_lost(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (syn_clocks_are_lost(&report->run[i].causality))
            return true;
    return false;
}

bool syn_report_clocks_can_order(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (!syn_clocks_can_order(&report->run[i].clock_check, &report->run[i].causality))
            return false;
    return true;
}

bool syn_report_clocks_wrong(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (is_wrong(&report->run[i]))
            return true;
    return false;
}

/* Returns the worst run: one whose clocks are lost, else one whose clocks are wrong. NULL: none.
 * *wrong_count: number of runs with wrong clocks. */
static const struct syn_run_facts *worst_run(const struct syn_report *report, size_t *wrong_count)
{
    const struct syn_run_facts *worst = NULL;
    *wrong_count = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        if (!is_wrong(run))
            continue;
        (*wrong_count)++;
        if (!worst ||
            (syn_clocks_are_lost(&run->causality) && !syn_clocks_are_lost(&worst->causality)))
            worst = run;
    }
    return worst;
}

void syn_report_clock_alarm(const struct syn_report *report, struct syn_text *out)
{
    size_t wrong_count;
    const struct syn_run_facts *run = worst_run(report, &wrong_count);
    if (!run)
        return;
    syn_clocks_write(&run->clock_check, &run->causality, out);
    if (report->run_count > 1)
        syn_text_format(out, " (Run %" PRIu32 "; %zu of %zu runs.)", run->run, wrong_count,
                        report->run_count);
}

const char *syn_report_clocks_verdict(const struct syn_report *report)
{
    size_t wrong_count;
    const struct syn_run_facts *run = worst_run(report, &wrong_count);
    for (size_t i = 0; i < report->run_count && !run; i++)
        run = report->run[i].clock_check.uncompared_count > 0 ? &report->run[i] : NULL;
    return run ? syn_clocks_verdict(&run->clock_check, &run->causality) : "as measured";
}
