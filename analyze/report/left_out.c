/* analyze/report/left_out.c - selects the figures that the text, Markdown and formats for build
 * servers do not need.
 *
 * RATIONALE: all groups are counted, ordered and tested together, and the figures that this takes
 * are computed of each. But a group without weight has no line of its own besides its row of the
 * table. */
#include "analyze/report/left_out.h"

#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"

/* Figures of complete instances: rows, medians that the clocks cannot tell, intervals that are
 * missing, how much the first calls depend on their neighbours, and the fastest tenth of the
 * operations, whose interval is widened by how much these depend (fast_operations.c). */
static const unsigned read_of_whole[SYN_METRIC_COUNT] = {
    [SYN_METRIC_COMPLETION] = SYN_SUMMARY_ORDER | SYN_SUMMARY_INTERVAL,
    [SYN_METRIC_SPREAD] = SYN_SUMMARY_ORDER,
    [SYN_METRIC_OPERATION] = SYN_SUMMARY_ORDER | SYN_SUMMARY_MOMENTS | SYN_SUMMARY_DEPENDENCE,
};
/* Figures of ranks' or nodes' parts, which are judged by the time inside. */
static const unsigned read_of_parts[SYN_METRIC_COUNT] = {
    [SYN_METRIC_OPERATION] = SYN_SUMMARY_ORDER,
    [SYN_METRIC_LOCAL_MAX] = SYN_SUMMARY_ORDER | SYN_SUMMARY_INTERVAL,
    [SYN_METRIC_WAIT] = SYN_SUMMARY_ORDER,
};

/* Added up as syn_report_time_in_groups does: who is not light has weight there, to the last bit.
 */
static double light_ns(const struct syn_groups *groups)
{
    double inside_ns = 0;
    for (size_t i = 0; i < groups->count; i++)
        inside_ns += syn_group_inside_ns(groups->group[i]);
    return SYN_SHARE_THAT_MATTERS * inside_ns;
}

double syn_report_told_share(const struct syn_report_options *options)
{
    return options->only_text ? SYN_TIME_THAT_MATTERS : 0;
}

struct syn_left_out syn_report_left_out(const struct syn_report *report)
{
    const struct syn_report_options *options = &report->options;
    const bool parts = options->by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE));
    struct syn_left_out out = {.light_ns = light_ns(&report->groups)};
    enum syn_metric sorted_by = 0;
    if (!options->only_text)
        return (struct syn_left_out){0};
    for (int m = 0; m < SYN_METRIC_COUNT; m++)
        out.metric[m] = SYN_SUMMARY_ALL & ~(parts ? read_of_parts : read_of_whole)[m];
    if (report->run_count > 1) /* what varies between them is computed of all of it (details.h) */
        out.metric[parts ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION] = 0;
    const bool reads = syn_report_sort_reads(options->sort, &sorted_by);
    if (reads && sorted_by < SYN_METRIC_COUNT)
        out.metric[sorted_by] = 0;
    else if (reads)
        out.light_ns = 0;
    return out;
}
