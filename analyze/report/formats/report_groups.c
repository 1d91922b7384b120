/* analyze/report/formats/report_groups.c - properties, order and notes of groups, which all formats
 * share. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/findings/report.h"
#include "analyze/report/formats/figure_rows.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

/* ---- properties ---- */

static bool shared(const struct syn_common *common)
{
    return common->known && !common->mixed;
}

const char *syn_report_op(const struct syn_group *group)
{
    static _Thread_local char unknown[32];
    if (!shared(&group->op))
        return NULL;
    const char *name = syn_op_name((uint16_t)group->op.value);
    if (name)
        return name;
    snprintf(unknown, sizeof unknown, "operation %u", (unsigned)group->op.value);
    return unknown;
}

const char *syn_report_site(const struct syn_report *report, const struct syn_group *group)
{
    return shared(&group->site) ? syn_names_text(&report->names, (uint32_t)group->site.value)
                                : NULL;
}

const char *syn_report_comm(const struct syn_report *report, const struct syn_group *group)
{
    return shared(&group->comm) ? syn_names_text(&report->names, (uint32_t)group->comm.value)
                                : NULL;
}

const char *syn_report_phase(const struct syn_report *report, const struct syn_group *group)
{
    return shared(&group->phase) ? syn_names_text(&report->names, (uint32_t)group->phase.value)
                                 : NULL;
}

bool syn_report_bytes(const struct syn_group *group, uint64_t *bytes)
{
    *bytes = group->bytes.value;
    return shared(&group->bytes);
}

bool syn_report_root(const struct syn_group *group, int32_t *root)
{
    *root = (int32_t)(uint32_t)group->root.value;
    return shared(&group->root) && *root >= 0;
}

bool syn_report_comm_size(const struct syn_group *group, uint64_t *size)
{
    *size = group->comm_size.value;
    return shared(&group->comm_size);
}

void syn_report_mpi_name(const char *library, char *out, size_t bytes)
{
    size_t length = library ? strcspn(library, ",\n\r") : 0;
    if (library && strncmp(library, "MPICH Version:", 14) == 0) {
        const char *version = library + 14;
        version += strspn(version, " \t");
        snprintf(out, bytes, "MPICH %.*s", (int)strcspn(version, " \t\n\r"), version);
    } else {
        snprintf(out, bytes, "%.*s", length > 60 ? 60 : (int)length, library ? library : "");
    }
}

/* ---- order ---- */

/* The number of each group that --sort compares. */
struct sort_key {
    enum sort_kind { BY_TOTAL, BY_WAIT, BY_INSTANCES, BY_INCOMPLETE, BY_METRIC, BY_OBJECT } kind;
    enum syn_metric metric;
    const struct syn_figure_row *row; /* of a metric, or of the structure that is_of_group names */
    bool is_of_group;                 /* of struct syn_group, else of struct syn_figures */
};

/* Returns an object of a group, or of its `ranks`. NULL: there is none of that name. */
static const struct syn_figure_object *object_named(const char *name)
{
    const struct syn_figure_object *group =
        syn_figure_row_named(syn_report_object, "groups")->inner;
    const struct syn_figure_row *row = syn_figure_row_named(group, name);
    if (!row)
        row = syn_figure_row_named(syn_figure_row_named(group, "ranks")->inner, name);
    return row && row->how == SYN_FIGURE_object ? row->inner : NULL;
}

static const struct syn_figure_row *number_named(const struct syn_figure_object *object,
                                                 const char *name)
{
    const struct syn_figure_row *row = object ? syn_figure_row_named(object, name) : NULL;
    return row && syn_figure_row_is_number(row) ? row : NULL;
}

/* Parses one of the plain keys, or a figure of a metric or of a group. Returns 0 or SYN_EINVAL. */
static int parse_sort(const char *key, struct sort_key *out)
{
    static const char *const names[] = {"total", "wait", "instances", "incomplete"};
    for (enum sort_kind i = 0; i < BY_METRIC; i++) {
        if (strcmp(key, names[i]) == 0) {
            *out = (struct sort_key){.kind = i};
            return 0;
        }
    }
    /* "completion", "completion.p99" or "completion_ns.p99"; "anova.p" and others */
    char name[40];
    const size_t length = strcspn(key, ".");
    const char *figure = key[length] ? key + length + 1 : "median";
    const bool has_unit = length > 3 && strncmp(key + length - 3, "_ns", 3) == 0;
    enum syn_metric metric = 0;
    snprintf(name, sizeof name, "%.*s", (int)(has_unit ? length - 3 : length), key);
    while (metric < SYN_METRIC_COUNT && strcmp(syn_metric_name(metric), name) != 0)
        metric++;
    *out = (struct sort_key){BY_METRIC, metric, number_named(object_named("completion_ns"), figure),
                             false};
    if (metric < SYN_METRIC_COUNT && out->row)
        return 0;
    const struct syn_figure_object *object = object_named(name);
    *out = (struct sort_key){BY_OBJECT, 0, number_named(object, figure), false};
    if (!out->row)
        return SYN_EINVAL;
    out->is_of_group = strcmp(object->structure, "struct syn_group") == 0;
    return out->is_of_group || strcmp(object->structure, "struct syn_figures") == 0 ? 0
                                                                                    : SYN_EINVAL;
}

static double sort_value(const struct syn_figures *figures, const struct sort_key *key)
{
    switch (key->kind) {
    case BY_TOTAL:
        return figures->inside_ns;
    case BY_WAIT:
        return figures->waiting_ns;
    case BY_INSTANCES:
        return (double)figures->group->instance_count;
    case BY_INCOMPLETE:
        return (double)figures->group->incomplete_count;
    case BY_METRIC:
        return syn_figure_row_value(key->row, &figures->metric[key->metric]);
    case BY_OBJECT:
        break;
    }
    return key->is_of_group ? syn_figure_row_value(key->row, figures->group)
                            : syn_figure_row_value(key->row, figures);
}

struct sorted {
    double value;
    size_t index;
};

/* Compares in descending order. Groups without a value are last. Equal groups keep their order, so
 * that it is the same on every machine. */
SYN_ORDER(by_value, struct sorted,
          ((isnan(a->value) != 0) - (isnan(b->value) != 0)) ?: SYN_DOWN(value) ?: SYN_UP(index))

int syn_report_sort_key(const char *key)
{
    struct sort_key sort_key;
    return parse_sort(key, &sort_key);
}

int syn_report_sort(struct syn_report *report, const char *key)
{
    struct sort_key sort_key;
    int status = parse_sort(key, &sort_key);
    if (status != SYN_OK)
        return status;
    size_t count = report->groups.count;
    SYN_FREED struct sorted *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct sorted){sort_value(&report->figures[i], &sort_key), i};
    qsort(sorted, count, sizeof *sorted, by_value);
    for (size_t i = 0; i < count; i++)
        report->order[i] = sorted[i].index;
    return 0;
}

/* ---- notes ---- */

static bool warms_up(const struct syn_figures *figures)
{
    for (size_t r = 0; r < figures->run_count; r++)
        if (figures->run[r].warmup.settled_at > 0)
            return true;
    return false;
}

size_t syn_report_group_notes(const struct syn_figures *figures, const char **notes,
                              size_t capacity)
{
    const struct syn_group *group = figures->group;
    const struct syn_metric_figures *completion = &figures->metric[SYN_METRIC_COMPLETION];
    size_t n = group->instance_count, count = 0;
    bool part = syn_group_is_part(group);
    const struct {
        bool applies;
        const char *text;
    } all[SYN_GROUP_NOTES] = {
        {n == 0, "no complete instance: no figures"},
        {n > 0 && n < 6, "fewer than 6 instances: no intervals"},
        {n > 0 && n < 3, "fewer than 3 instances: no normality test"},
        {n > 5000, "more than 5000 instances: no Shapiro-Wilk test, which is not defined there"},
        {n > 0 && part && group->key[SYN_KEY_RANK] == UINT64_MAX,
         "part of an instance: no completion, spread, operation, exit skew"},
        {n > 0 && group->key[SYN_KEY_RANK] != UINT64_MAX,
         "part of an instance: no completion, spread, exit skew; operation is what was left for "
         "this rank once all had arrived"},
        {n > 0 && !part && completion->summary.min == completion->summary.max,
         "all completions are equal: no normality test and no autocorrelation"},
        {n > 0 && !part && figures->rank_count < 2, "one rank: nothing to compare between ranks"},
        {n > 0 && !part && !group->same_members,
         "the instances have different members: no Friedman test"},
        {n > 0 && !part && isnan(completion->clock_bound_ns),
         "the clocks were never compared: figures across ranks have no known bound"},
        {group->perturbed_count > 0, "some instances were touched by a pause of the profiler"},
        {group->left_out_count > 0,
         "instances with a late start or a pause of the profiler are left out of the figures "
         "(--all keeps them)"},
        {figures->skipped_count > 0, "instances before the group settled are left out of the "
                                     "figures, but for ranks, waiting and "
                                     "time (--skip-warmup)"},
        {figures->skipped_count == 0 && warms_up(figures),
         "the group begins otherwise than it goes on (runs: settled_at); --skip-warmup leaves that "
         "out"},
        {group->failed_count > 0, "some calls returned an error"},
        {group->site_differs, "the ranks call from different sites: rank 0's is shown"},
    };
    for (size_t i = 0; i < SYN_GROUP_NOTES && count < capacity; i++)
        if (all[i].applies)
            notes[count++] = all[i].text;
    return count;
}
