/* Each member of a structure that a report shows figures of has its row: it is written, or it is
 * said that it is not. And what --sort takes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "analyze/match/groups/groups.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/findings/message_lines.h"
#include "analyze/report/formats/figure_rows.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* A member's place, and the size that it is aligned by at most: of an array, an element's. */
struct member {
    size_t at, bytes, element;
};
struct structure {
    const char *name;
    const struct member *member; /* [count] */
    size_t count, bytes;
};
static const struct structure *structure[64];
static size_t structure_count;

/* Every structure of the lists, without naming it here. */
/* clang-format off */
#define PLACE(part, element)                                                          \
    {offsetof(O, part), sizeof ((O *)0)->part, sizeof ((O *)0)->element},
#define STRUCTURE(id) static const struct member id##_members[] = {
#define STRUCTURE_END(id)                                                             \
    };                                                                                \
    static const struct structure id##_structure = {                                  \
        #id, id##_members, sizeof id##_members / sizeof *id##_members, sizeof(O)};    \
    __attribute__((constructor)) static void note_##id(void)                          \
    {                                                                                 \
        structure[structure_count++] = &id##_structure;                               \
    }
/* clang-format on */
#define ROW(how, name, unit, part, meaning)   PLACE(part, part)
#define ARRAY(how, name, unit, part, meaning) PLACE(part, part[0])
#define LEFT_OUT(part)                        PLACE(part, part)
#define PART(id)
#define OBJECT(id, style, about)
#define END(id)
#define MADE(how, name, unit, expression, meaning)
#define VALUES(how, name, style, unit, count, value, meaning)
#define VALUES_BY(how, name, style, unit, function, meaning)
#define LIST_BY(name, id, function, meaning)
#define LIST(name, id, count, pointer, meaning)
#define INNER(name, id, pointer, meaning)
#define INNER_IF(name, id, condition, pointer, meaning)
#define SPREAD(id, pointer)
#define ALSO(id)
#define COLUMN(how, expression)
#define CSV(place, column, row)      row
#define KNOWN_IN_CSV(condition, row) row
#define KNOWN(condition, row)        row
#define WHERE(condition, row)        row

#include "analyze/match/match.def"
#include "analyze/report/figures/figures.def"
#include "analyze/report/findings/report.def"

#include "analyze/diff/diff.def"

static size_t alignment_of(const struct member *member)
{
    return syn_least(member->element & -member->element, sizeof(uint64_t));
}

static int by_place(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* Sorted by place, members follow one another but for what alignment leaves. */
static bool covers_all(const struct structure *of)
{
    struct member member[128];
    size_t end = 0, alignment = 1;
    bool covers = of->count <= 128;
    memcpy(member, of->member, (covers ? of->count : 0) * sizeof *member);
    qsort(member, covers ? of->count : 0, sizeof *member, by_place);
    for (size_t i = 0; i < of->count && covers; i++) {
        covers = member[i].at >= end && member[i].at - end < alignment_of(&member[i]);
        end = member[i].at + member[i].bytes;
        alignment = syn_largest(alignment, alignment_of(&member[i]));
    }
    return covers && end <= of->bytes && of->bytes - end < alignment;
}

Test(figure_rows, every_member_has_its_row)
{
    cr_assert_gt(structure_count, 20);
    for (size_t i = 0; i < structure_count; i++)
        cr_expect(covers_all(structure[i]), "a member of %s has no row in a .def",
                  structure[i]->name);
}

Test(figure_rows, a_member_that_was_forgotten_is_found)
{
    for (size_t i = 0; i < structure_count; i++) {
        struct member row[128];
        struct structure lacking = *structure[i];
        size_t missed = 0;
        lacking.member = row;
        lacking.count--;
        for (size_t without = 0; without <= lacking.count; without++) {
            for (size_t f = 0; f < lacking.count; f++)
                row[f] = structure[i]->member[f < without ? f : f + 1];
            missed += covers_all(&lacking);
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
