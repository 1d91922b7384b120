/* analyze/report/findings/typical.c - see typical.h. */
#include "analyze/report/findings/typical.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/print/units.h"
#include "analyze/stats/values/stats.h"

/* A run that differs from the median by this factor lies far off. */
#define FAR_FACTOR 1.5
/* Runs that a sentence names. */
#define RUNS_NAMED 5

static double time_of(const struct syn_report *report, size_t run)
{
    return syn_facts_total_ns(&report->run[run], SYN_TOTAL_RUN);
}

/* NAN where memory runs out. */
static double median_time(const struct syn_report *report)
{
    double *time = malloc((report->run_count + 1) * sizeof *time);
    if (!time)
        return NAN;
    for (size_t i = 0; i < report->run_count; i++)
        time[i] = time_of(report, i);
    syn_sort(time, report->run_count);
    const double median = syn_quantile_sorted(time, report->run_count, 0.5);
    free(time);
    return median;
}

const struct syn_run_facts *syn_report_typical(const struct syn_report *report)
{
    const double median = report->run_count > 1 ? median_time(report) : NAN;
    size_t nearest = 0;
    for (size_t i = 1; i < report->run_count; i++)
        if (fabs(time_of(report, i) - median) < fabs(time_of(report, nearest) - median))
            nearest = i;
    return &report->run[nearest];
}

void syn_report_typical_title(const struct syn_report *report, const char *title,
                              struct syn_text *out)
{
    syn_text_string(out, title);
    if (report->run_count > 1)
        syn_text_format(out, " (run %u, the nearest to the median)",
                        syn_report_typical(report)->run);
}

static bool is_far(double time_ns, double median_ns)
{
    return time_ns > FAR_FACTOR * median_ns || time_ns * FAR_FACTOR < median_ns;
}

void syn_report_far_runs(const struct syn_report *report, struct syn_text *out)
{
    const double median = report->run_count > 2 ? median_time(report) : NAN;
    size_t far = 0, named = 0;
    for (size_t i = 0; i < report->run_count; i++)
        far += is_far(time_of(report, i), median);
    for (size_t i = 0; i < report->run_count && named < RUNS_NAMED; i++) {
        if (!is_far(time_of(report, i), median))
            continue;
        syn_words(out, "{text}{n} ({time})",
                  named      ? ", "
                  : far == 1 ? "Run "
                             : "Runs ",
                  report->run[i].run, time_of(report, i));
        named++;
    }
    if (far > named)
        syn_text_format(out, " and %zu more", far - named);
    if (far)
        syn_words(out, " {text} far from the median run time, {time}.", far == 1 ? "lies" : "lie",
                  median);
}
