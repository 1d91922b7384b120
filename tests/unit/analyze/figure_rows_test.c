/* Each member of a structure that a report shows figures of has its row: it is written, or it is
 * said that it is not. And what --sort takes. */
#include <criterion/criterion.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "analyze/match/groups/groups.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/formats/figure_rows.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"
#include "fields_cover.h"
#include "sync/base/status.h"

#define FIELDS_LINKAGE static
#include "analyze/print/figures/figure_fields.h"

static const struct syn_fields *structure[64];
static size_t structure_count;

/* Every structure of the lists, without naming it here. */
#undef STRUCTURE_END
#define STRUCTURE_END(id)                                                       \
    }                                                                           \
    ;                                                                           \
    static const struct syn_fields syn_##id##_fields = {                        \
        #id, id##_fields, sizeof id##_fields / sizeof *id##_fields, sizeof(O)}; \
    __attribute__((constructor)) static void note_##id(void)                    \
    {                                                                           \
        structure[structure_count++] = &syn_##id##_fields;                      \
    }

#include "analyze/match/match.def"
#include "analyze/report/figures/figures.def"
#include "analyze/report/findings/report.def"

#include "analyze/diff/diff.def"

Test(figure_rows, every_member_has_its_row)
{
    cr_assert_gt(structure_count, 20);
    for (size_t i = 0; i < structure_count; i++)
        cr_expect(fields_cover_all(structure[i]), "a member of %s has no row in a .def",
                  structure[i]->name);
}

Test(figure_rows, a_member_that_was_forgotten_is_found)
{
    for (size_t i = 0; i < structure_count; i++) {
        struct syn_field row[128];
        struct syn_fields lacking = *structure[i];
        size_t missed = 0;
        lacking.field = row;
        lacking.count--;
        for (size_t without = 0; without <= lacking.count; without++) {
            for (size_t f = 0; f < lacking.count; f++)
                row[f] = structure[i]->field[f < without ? f : f + 1];
            missed += fields_cover_all(&lacking);
        }
        /* what is as small as alignment may leave */
        cr_expect_leq(missed, lacking.count / 4 + 1, "%s: %zu", structure[i]->name, missed);
    }
}

Test(figure_rows, sort_takes_every_number_of_a_group)
{
    static const char *const taken[] = {"total",
                                        "wait",
                                        "instances",
                                        "completion",
                                        "spread_ns.p99",
                                        "operation.n",
                                        "wait.p99",
                                        "wait.share",
                                        "anova.p",
                                        "wait_ns.median",
                                        "friedman.n_effective",
                                        "latest.p_adjusted",
                                        "flagged.failed",
                                        "kruskal_wallis.H"};
    static const char *const refused[] = {
        "",   "completion.", "completion.p98",        "anova",   "ranks.p",     "anova.q",
        "op", "levels.F",    "completion.confidence", ".median", "notes.median"};
    for (size_t i = 0; i < sizeof taken / sizeof *taken; i++)
        cr_expect_eq(syn_report_sort_key(taken[i]), SYN_OK, "%s", taken[i]);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        cr_expect_eq(syn_report_sort_key(refused[i]), SYN_EINVAL, "%s", refused[i]);
}

/* A row's value is that of its member. */
Test(figure_rows, a_value_is_read_from_its_member)
{
    const struct syn_figure_object *group =
        syn_figure_row_named(syn_report_object, "groups")->inner;
    const struct syn_figure_object *metric = syn_figure_row_named(group, "spread_ns")->inner;
    const struct syn_metric_figures figures = {.summary = {.n = 7, .p99 = 2.5},
                                               .clock_bound_ns = 3.5};
    cr_expect_eq(syn_figure_row_value(syn_figure_row_named(metric, "n"), &figures), 7);
    cr_expect_eq(syn_figure_row_value(syn_figure_row_named(metric, "p99"), &figures), 2.5);
    cr_expect_eq(syn_figure_row_value(syn_figure_row_named(metric, "clock_bound_ns"), &figures),
                 3.5);
    cr_expect_not(syn_figure_row_is_number(syn_figure_row_named(metric, "confidence")));
}
