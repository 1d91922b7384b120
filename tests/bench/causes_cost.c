/* tests/bench/causes_cost.c - the cost of causes to a report: its figures with and without them, by
 * turns.
 *
 *     causes_cost TRACE [REPEAT=7 [THREADS=1]]
 *
 * Prints a line each time: nanoseconds of processor time per event, without and with causes; at
 * last the ratio of their medians, of their means and of their minima. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/report/findings/report.h"
#include "analyze/stats/values/stats.h"
#include "analyze/threads.h"

#define REPEAT_MOST 1000

/* Processor time of this process: other work of the machine does not count. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* An event of a report of the trace. */
static double cost_ns(const struct syn_experiment *experiment, bool without_causes)
{
    const struct syn_report_options options = {.by = SYN_BY_DEFAULT,
                                               .confidence = 0.95,
                                               .sort = "total",
                                               .without_causes = without_causes};
    struct syn_report report;
    char *why = NULL;
    const double begin_ns = now_ns();
    if (syn_report_make(experiment, &options, &report, &why)) {
        fprintf(stderr, "causes_cost: %s\n", why ? why : "no memory");
        exit(2);
    }
    const double each_ns = (now_ns() - begin_ns) / (double)report.run[0].totals.event_count;
    syn_report_free(&report);
    return each_ns;
}

static double mean_of(const double *value, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += value[i];
    return sum / (double)n;
}

int main(int argc, char **argv)
{
    static double without[REPEAT_MOST], with[REPEAT_MOST];
    struct syn_experiment experiment;
    char *why = NULL;
    const size_t repeat = argc > 2 ? strtoul(argv[2], NULL, 10) : 7;
    if (argc < 2 || repeat < 1 || repeat > REPEAT_MOST ||
        syn_experiment_list(&argv[1], 1, &experiment, &why)) {
        fprintf(stderr, "causes_cost: %s\n", why ? why : "TRACE [REPEAT [THREADS]]");
        return 2;
    }
    syn_thread_count_set(argc > 3 ? strtoul(argv[3], NULL, 10) : 1);
    for (size_t i = 0; i < repeat; i++) {
        without[i] = cost_ns(&experiment, true);
        with[i] = cost_ns(&experiment, false);
        printf("without %.1f ns, with %.1f ns an event\n", without[i], with[i]);
    }
    const double means = mean_of(with, repeat) / mean_of(without, repeat);
    syn_sort(with, repeat);
    syn_sort(without, repeat);
    printf("with / without: medians %.2f, means %.2f, minima %.2f\n",
           syn_quantile_sorted(with, repeat, 0.5) / syn_quantile_sorted(without, repeat, 0.5),
           means, with[0] / without[0]);
    syn_experiment_free(&experiment);
    return 0;
}
