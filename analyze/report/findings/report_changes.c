/* analyze/report/findings/report_changes.c - how sure the changes of all groups' runs are, judged
 * together: the more runs are looked at, the more of them seem to change by chance. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/findings/report.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* Gathers the p of changes of all runs; NAN for groups without weight. Returns how many there
 * are. */
static size_t gather(const struct syn_report *report, double *p)
{
    double least_ns = SYN_SHARE_THAT_MATTERS * syn_report_time_in_groups(report);
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        for (size_t r = 0; r < figures->run_count; r++)
            p[count++] = figures->inside_ns >= least_ns ? figures->run[r].change.found.p : NAN;
    }
    return count;
}

int syn_report_adjust_changes(struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        count += report->figures[i].run_count;
    double *p = malloc((count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    int status = syn_adjust_holm(p, gather(report, p));
    count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        for (size_t r = 0; r < report->figures[i].run_count; r++)
            report->figures[i].run[r].change.p_adjusted = p[count++];
    free(p);
    return status;
}
