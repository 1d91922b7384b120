#include "made_diff.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void fill(struct syn_column *column, const int64_t *values, size_t count, int64_t other)
{
    column->value = malloc((count + 1) * sizeof *column->value);
    column->count = column->capacity = count;
    for (size_t i = 0; i < count; i++)
        column->value[i] = values ? values[i] : other * (int64_t)(other == 1 ? i : 1);
}

static struct syn_common common(uint64_t value)
{
    return (struct syn_common){.value = value, .known = true};
}

struct syn_diff made_diff(void)
{
    struct syn_diff diff = {.options = {.by = SYN_BY_DEFAULT,
                                        .metric = SYN_METRIC_COMPLETION,
                                        .confidence = 0.95,
                                        .threshold = 0.02}};
    for (int i = 0; i < 2; i++)
        diff.side[i].run = calloc(100, sizeof *diff.side[i].run);
    return diff;
}

void made_diff_group(struct syn_diff *diff, int side, const struct made_group *like,
                     const int64_t *completion_ns, size_t count)
{
    struct syn_report *report = &diff->side[side];
    struct syn_group *group = calloc(1, sizeof *group);
    struct syn_groups *groups = &report->groups;
    uint64_t site = syn_names_id(&report->names, like->site);
    uint64_t comm = syn_names_id(&report->names, like->comm);
    group->op = common(like->op);
    group->site = common(site);
    group->comm = common(comm);
    group->comm_size = common(like->comm_size);
    group->bytes = common(like->bytes);
    memset(group->key, 0xFF, sizeof group->key);
    group->key[SYN_KEY_RUN] = like->run;
    group->instance_count = count;
    fill(&group->start_ns, NULL, count, 1);
    fill(&group->bound_ns, NULL, count, like->bound_ns);
    fill(&group->completion_ns, completion_ns, count, 0);
    fill(&group->spread_ns, NULL, count, 0);
    fill(&group->exit_skew_ns, NULL, count, 0);
    fill(&group->local_max_ns, completion_ns, count, 0);
    group->run = calloc(1, sizeof *group->run);
    group->run[0].run = like->run;
    group->run_count = 1;
    groups->group = realloc(groups->group, (groups->count + 1) * sizeof *groups->group);
    groups->group[groups->count++] = group;
    report->run[like->run - 1].run = like->run;
    report->run_count = like->run > report->run_count ? like->run : report->run_count;
}

void made_diff_runs(struct syn_diff *diff, int side, const struct made_group *like,
                    const double *completion_ns, size_t run_count)
{
    for (size_t r = 0; r < run_count; r++) {
        struct made_group group = *like;
        int64_t value = (int64_t)(completion_ns[r] * 1000 + 0.5);
        group.run = (uint32_t)r + 1;
        made_diff_group(diff, side, &group, &value, 1);
    }
}

void made_diff_compare(struct syn_diff *diff)
{
    for (int i = 0; i < 2; i++) {
        struct syn_report *report = &diff->side[i];
        const struct syn_figures_plan plan = {.confidence = diff->options.confidence};
        report->figures = calloc(report->groups.count + 1, sizeof *report->figures);
        cr_assert_eq(syn_figures_compute_all(&report->groups, &plan, report->figures), 0);
    }
    cr_assert_eq(syn_diff_match_groups(diff), 0);
    for (size_t i = 0; i < diff->count; i++) {
        syn_diff_leave_lost(diff, 0, &diff->group[i].a);
        syn_diff_leave_lost(diff, 1, &diff->group[i].b);
        cr_assert_eq(syn_diff_sample(diff, &diff->group[i].a), 0);
        cr_assert_eq(syn_diff_sample(diff, &diff->group[i].b), 0);
    }
    cr_assert_eq(syn_diff_judge(diff), 0);
    if (diff->options.same_program)
        cr_assert_eq(syn_diff_count_false_positives(diff), 0);
}

const struct syn_diff_group *made_diff_find(const struct syn_diff *diff, const char *op)
{
    const struct syn_diff_group *found = NULL;
    for (size_t i = 0; i < diff->count; i++) {
        if (strcmp(diff->group[i].op, op) != 0)
            continue;
        cr_assert_null(found, "%s twice", op);
        found = &diff->group[i];
    }
    cr_assert_not_null(found, "no %s", op);
    return found;
}
