/* analyze/report/sections/report_divided.c - divides the time in collectives by operation, and by
 * the size of the data, which shows whether latency or bandwidth costs time. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/report_page.h"
#include "sync/base/compare.h"
#include "trace/base/ops.h"

/* ---- a table of categories ---- */

struct category {
    const char *name;
    uint64_t calls;
    double inside_ns, waiting_ns; /* sums over ranks */
};

static void add_to_category(struct category *category, const struct syn_figures *figures)
{
    category->calls += figures->group->instance_count;
    category->inside_ns += figures->inside_ns;
    category->waiting_ns += figures->waiting_ns;
}

/* Returns true if the page has room for such a table, and waiting times are known. */
static bool can_divide(const struct syn_doc *doc, const struct syn_report *report)
{
    return (doc->format != SYN_DOC_TEXT || report->options.verbose) &&
           !isnan(syn_report_waiting_bound_ns(report)) && !syn_report_any_is_cut(report);
}

/* The columns of a table whose first one has this title. */
#define COLUMNS_OF(what)                                                           \
    {                                                                              \
        {.title = "  " what, .left = true}, {.title = "calls"}, {.title = "time"}, \
            {.title = "of all"}, {.title = "waiting"},                             \
    }
#define COLUMNS 5

/* Writes a row for each category with calls. */
static void write_categories(struct syn_doc *doc, const struct syn_report *report,
                             const struct syn_table_column *columns,
                             const struct category *category, size_t count)
{
    const double all_ns = syn_report_time_in_groups(report);
    const double ranks = syn_report_recorded_ranks(report);
    syn_doc_table(doc, NULL, columns, COLUMNS);
    for (size_t i = 0; i < count; i++) {
        if (category[i].calls == 0)
            continue;
        syn_say_cell(doc, "  {text}", category[i].name);
        syn_say_cell(doc, "{count}", category[i].calls);
        syn_say_cell(doc, "{time}", category[i].inside_ns / ranks);
        syn_say_cell(doc, "{share}", category[i].inside_ns / all_ns);
        syn_say_cell(doc, "{share}", category[i].waiting_ns / category[i].inside_ns);
    }
}

/* ---- by operation ---- */

SYN_ORDER(longest_first, struct category, SYN_DOWN(inside_ns))

/* Fills category [groups.count], longest first. Returns how many there are. Returns 0 if a group
 * has several operations, or one that this version does not know. */
static size_t add_up_operations(const struct syn_report *report, struct category *category)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        const struct syn_common *op = &figures->group->op;
        const char *name = op->known && !op->mixed ? syn_op_name((uint16_t)op->value) : NULL;
        size_t at = 0;
        if (!name)
            return 0;
        while (at < count && category[at].name != name)
            at++;
        count += at == count;
        category[at].name = name;
        add_to_category(&category[at], figures);
    }
    qsort(category, count, sizeof *category, longest_first);
    return count;
}

/* Writes the table, unless the table of groups already has one row for each operation. */
void syn_report_operations_section(struct syn_doc *doc, const void *facts)
{
    static const struct syn_table_column columns[COLUMNS] = COLUMNS_OF("operation");
    const struct syn_report *report = facts;
    SYN_FREED struct category *category = calloc(report->groups.count, sizeof *category);
    doc->failed |= !category;
    const size_t count =
        category && can_divide(doc, report) ? add_up_operations(report, category) : 0;
    if (count > 1 && count < report->groups.count) {
        syn_doc_heading(doc, "The time by operation");
        write_categories(doc, report, columns, category, count);
    }
}

/* ---- by the size of the data ---- */

/* Sizes up to `most` bytes per rank, above those of the row before. */
static const struct size {
    const char *name;
    uint64_t most;
} sizes[] = {{"no data", 0},
             {"up to 1 KiB", 1 << 10},
             {"up to 64 KiB", 1 << 16},
             {"up to 1 MiB", 1 << 20},
             {"more", UINT64_MAX}};
#define SIZES     (sizeof sizes / sizeof *sizes)
#define SMALL     1 /* last size for which latency is most of the time */
#define LARGE     3 /* first size for which bandwidth is most of the time */
#define MOST_TIME 0.5

/* Sums up groups by size. Returns false if a group has several sizes, or all have one size. */
static bool add_up_sizes(const struct syn_report *report, struct category category[SIZES])
{
    size_t shown = 0;
    for (size_t i = 0; i < SIZES; i++)
        category[i].name = sizes[i].name;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        uint64_t bytes;
        size_t at = 0;
        if (!syn_report_bytes(figures->group, &bytes))
            return false;
        while (bytes > sizes[at].most)
            at++;
        shown += category[at].calls == 0 && figures->group->instance_count > 0;
        add_to_category(&category[at], figures);
    }
    return shown > 1;
}

void syn_report_data_sizes_section(struct syn_doc *doc, const void *facts)
{
    static const struct syn_table_column columns[COLUMNS] = COLUMNS_OF("data of a rank");
    const struct syn_report *report = facts;
    struct category category[SIZES] = {{0}};
    if (!can_divide(doc, report) || !add_up_sizes(report, category))
        return;
    syn_doc_heading(doc, "The time by the size of the data");
    write_categories(doc, report, columns, category, SIZES);
    double small_ns = 0, large_ns = 0, all_ns = 0;
    for (size_t i = 0; i < SIZES; i++) {
        const double operating_ns = category[i].inside_ns - category[i].waiting_ns;
        small_ns += i <= SMALL ? operating_ns : 0;
        large_ns += i >= LARGE ? operating_ns : 0;
        all_ns += operating_ns;
    }
    if (all_ns < SYN_TIME_THAT_MATTERS * syn_report_ranks_ns(report))
        return;
    if (small_ns > MOST_TIME * all_ns)
        syn_say_note(doc,
                     "{share} of the operations' own time goes to at most 1 KiB: latency and the "
                     "number of calls cost, not bandwidth.",
                     small_ns / all_ns);
    else if (large_ns > MOST_TIME * all_ns)
        syn_say_note(doc,
                     "{share} of the operations' own time goes to more than 64 KiB: bandwidth "
                     "costs, not latency.",
                     large_ns / all_ns);
}
