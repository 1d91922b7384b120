/* analyze/diff/diff_make.c - makes a diff from two lists of traces. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

const char *syn_diff_metric_name(int metric)
{
    return metric == SYN_DIFF_WAIT_SHARE ? "wait_share" : syn_metric_name((enum syn_metric)metric);
}

int syn_diff_metric_parse(const char *name, int *metric)
{
    for (int i = 0; i <= SYN_DIFF_WAIT_SHARE; i++) {
        if (i != SYN_METRIC_WAIT && strcmp(name, syn_diff_metric_name(i)) == 0) {
            *metric = i;
            return 0;
        }
    }
    return SYN_EINVAL;
}

int syn_diff_metric_default(unsigned by)
{
    return by & SYN_BY(SYN_KEY_RANK)   ? SYN_METRIC_OPERATION
           : by & SYN_BY(SYN_KEY_NODE) ? SYN_METRIC_LOCAL_MAX
                                       : SYN_METRIC_COMPLETION;
}

bool syn_diff_metric_exists(int metric, unsigned by)
{
    if (metric == SYN_METRIC_OPERATION && by & SYN_BY(SYN_KEY_RANK))
        return true;
    return metric == SYN_METRIC_LOCAL_MAX || metric == SYN_DIFF_WAIT_SHARE ||
           !(by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE)));
}

int syn_diff_taus_parse(const char *list, double *tau, size_t *count)
{
    *count = 0;
    for (const char *at = list;; at++) {
        char *end;
        double value = strtod(at, &end);
        if (end == at || *count == SYN_DIFF_TAUS || !(value > 0 && value < 1))
            return SYN_EINVAL;
        tau[(*count)++] = value;
        at = end;
        if (*at == '\0')
            return 0;
        if (*at != ',')
            return SYN_EINVAL;
    }
}

const char *syn_diff_message_name(enum syn_diff_message kind)
{
    static const char *const names[] = {"late_sender", "late_receiver", "transfer"};
    return names[kind];
}

const char *syn_adjust_name(enum syn_adjust adjust)
{
    static const char *const names[] = {"holm", "bh", "maxt", "auto"};
    return names[adjust];
}

const char *syn_diff_alternative_name(enum syn_side alternative)
{
    static const char *const names[] = {"two-sided", "less", "greater"};
    return names[alternative];
}

/* Reads both sides, matches their groups, then compares them step by step. */
int syn_diff_make(const struct syn_experiment side[2], const struct syn_diff_options *options,
                  struct syn_diff *out, char **why)
{
    struct syn_report_options reading = {.by = options->by | SYN_BY(SYN_KEY_RUN),
                                         .confidence = options->confidence,
                                         .sort = "total",
                                         .skip_warmup = options->skip_warmup,
                                         .top = 0};
    int status = 0;
    memset(out, 0, sizeof *out);
    out->options = *options;
    *why = NULL;
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        status = syn_report_make(&side[i], &reading, &out->side[i], why);
        reading.wrappers =
            out->side[0].wrappers; /* so that the call sites of both sides get the same names */
    }
    if (status == SYN_OK) {
        status = syn_diff_match_groups(out);
        for (size_t i = 0; i < out->count && status == SYN_OK; i++) {
            syn_diff_leave_lost(out, 0, &out->group[i].a);
            syn_diff_leave_lost(out, 1, &out->group[i].b);
            status = syn_diff_sample(out, &out->group[i].a);
            SYN_STEP(status, syn_diff_sample(out, &out->group[i].b));
        }
        SYN_STEP(status, syn_diff_judge(out));
        SYN_STEP(status, syn_diff_compare_totals(out));
        SYN_STEP(status, syn_diff_compare_waiting(out));
        SYN_STEP(status, syn_diff_compare_segments(out));
        SYN_STEP(status, syn_diff_compare_quantiles(out));
        if (status == SYN_OK && out->options.same_program)
            status = syn_diff_count_false_positives(out);
    }
    if (status != SYN_OK)
        syn_diff_free(out);
    return status;
}

void syn_diff_free(struct syn_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_half *half[2] = {&diff->group[i].a, &diff->group[i].b};
        for (int side = 0; side < 2; side++) {
            free(half[side]->part);
            free(half[side]->run_value);
            free(half[side]->run);
        }
    }
    free(diff->group);
    free(diff->quantile);
    syn_diff_segments_free(&diff->segments);
    syn_diff_segments_free(&diff->messages);
    for (int i = 0; i < 2; i++) {
        free(diff->only[i].item);
        syn_report_free(&diff->side[i]);
    }
    memset(diff, 0, sizeof *diff);
}
