/* analyze/record/until.c - see until.h. */
#include "analyze/record/until.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/command.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/report.h"
#include "analyze/stats/series/precision.h"
#include "sync/base/status.h"

int record_until_take_share(struct record_until *until, const char *value)
{
    const int status = syn_share_parse(value, &until->share);
    return status || !(until->share > 0) ? SYN_EINVAL : 0;
}

int record_time_parse(const char *value, double *out_s)
{
    static const char letters[] = "smh";
    static const double seconds[] = {1, 60, 3600};
    char *end;
    const double number = strtod(value, &end);
    const char *letter = *end ? strchr(letters, *end) : letters;
    if (end == value || !letter || (*end && end[1]) || !(number > 0 && number < 1e9))
        return SYN_EINVAL;
    *out_s = number * seconds[letter - letters];
    return 0;
}

int record_until_take_budget(struct record_until *until, const char *value)
{
    return record_time_parse(value, &until->budget_s);
}

int record_totals_read(const char *directory, double total_ns[SYN_TOTAL_COUNT], char **why)
{
    const struct syn_report_options reading = {
        .by = SYN_BY(SYN_KEY_OP), .confidence = 0.95, .sort = "total"};
    char *const path = (char *)directory;
    struct syn_experiment run = {0};
    struct syn_report report;
    int status = syn_experiment_list(&path, 1, &run, why);
    SYN_STEP(status, syn_report_make(&run, &reading, &report, why));
    syn_experiment_free(&run);
    if (status != SYN_OK)
        return status;
    for (int total = 0; total < SYN_TOTAL_COUNT; total++)
        total_ns[total] = syn_facts_total_ns(&report.run[0], (enum syn_total)total);
    syn_report_free(&report);
    return 0;
}

int record_series_add(struct record_series *series, const double value[SYN_TOTAL_COUNT])
{
    for (int total = 0; total < SYN_TOTAL_COUNT; total++) {
        double *grown = realloc(series->value[total], (series->count + 1) * sizeof *grown);
        if (!grown)
            return SYN_ENOMEM;
        series->value[total] = grown;
        grown[series->count] = value[total];
    }
    series->count++;
    return 0;
}

void record_series_free(struct record_series *series)
{
    for (int total = 0; total < SYN_TOTAL_COUNT; total++)
        free(series->value[total]);
    *series = (struct record_series){0};
}

struct syn_sequence record_series_interval(const struct record_series *series, enum syn_total total,
                                           double confidence)
{
    struct syn_sequence sequence = {NAN, NAN, NAN};
    SYN_FREED double *copy = malloc((series->count + 1) * sizeof *copy);
    if (copy && series->count > 0) {
        memcpy(copy, series->value[total], series->count * sizeof *copy);
        sequence = syn_median_sequence(copy, series->count, confidence);
    }
    return sequence;
}

/* Says whether the total is 0 in all runs: a program without collectives has no time in them, and
 * no ratio of such times. */
static bool is_nothing(const struct record_series *series, enum syn_total total)
{
    for (size_t i = 0; i < series->count; i++)
        if (series->value[total][i] > 0)
            return false;
    return true;
}

bool record_until_is_reached(const struct record_until *until, const struct record_series *series)
{
    if (!(until->share > 0) || series->count < syn_median_sequence_least(until->confidence))
        return false;
    for (int total = 0; total < SYN_TOTAL_COUNT; total++) {
        const struct syn_sequence sequence =
            record_series_interval(series, (enum syn_total)total, until->confidence);
        if (!is_nothing(series, (enum syn_total)total) &&
            !syn_precise_enough(sequence.median, sequence.low, sequence.high, until->share))
            return false;
    }
    return true;
}

bool record_until_is_spent(const struct record_until *until, double spent_s, size_t step_count)
{
    return until->budget_s > 0 && step_count > 0 &&
           spent_s + spent_s / (double)step_count > until->budget_s;
}

void record_until_words(const struct record_until *until, const struct record_series *series,
                        bool of_ratios, struct syn_text *out)
{
    static const char *const names[] = {"run time", "time in collectives"};
    const char *gap = "";
    for (int total = 0; total < SYN_TOTAL_COUNT; total++) {
        const struct syn_sequence sequence =
            record_series_interval(series, (enum syn_total)total, until->confidence);
        if (is_nothing(series, (enum syn_total)total))
            continue;
        syn_text_format(out, "%s%s", gap, names[total]);
        char value[SYN_UNIT_BYTES], within[SYN_UNIT_BYTES];
        if (of_ratios)
            snprintf(value, sizeof value, "x%.3g", sequence.median);
        else
            syn_unit_time(value, sequence.median);
        syn_text_format(out, " %s", value);
        /* The share of the median by which the interval extends from it; NAN: not known. */
        if (isfinite(sequence.low))
            syn_text_format(out, " within %s",
                            syn_unit_percent(within, fmax(sequence.high / sequence.median - 1,
                                                          1 - sequence.low / sequence.median)));
        gap = ", ";
    }
}
