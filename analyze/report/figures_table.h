/* analyze/report/figures_table.h - each figure once: its key in JSON, its name in CSV and where it
 * is. JSON, CSV and the keys of --sort follow; tests/house/docs.py holds docs/reports.md against
 * it. Units are those of the keys: nanoseconds, but for probabilities, shares and statistics. */
#ifndef SYN_FIGURES_TABLE_H
#define SYN_FIGURES_TABLE_H

#include <stddef.h>

#include "analyze/report/figures.h"

/* Of a metric: one for each of completion, spread, ... */
struct syn_summary_figure {
    const char *name; /* in JSON within `completion_ns`, in CSV behind `completion_`, in --sort */
    size_t offset;    /* in struct syn_summary, of a double */
    unsigned part;    /* SYN_SUMMARY_...: what it is computed with */
};
extern const struct syn_summary_figure syn_summary_figures[];
extern const size_t syn_summary_figure_count;

/* Of a group. */
enum syn_figure_section {
    SYN_SECTION_ANOVA,
    SYN_SECTION_KRUSKAL,
    SYN_SECTION_FRIEDMAN,
    SYN_SECTION_WAIT,
    SYN_SECTION_COUNT
};
struct syn_group_figure {
    enum syn_figure_section section;
    const char *key; /* in JSON, within the section */
    const char *csv; /* NULL: in JSON alone */
    size_t offset;   /* in struct syn_figures, of a double */
};
extern const struct syn_group_figure syn_group_figures[];
extern const size_t syn_group_figure_count;

/* "anova", "kruskal_wallis", "friedman", "wait". */
const char *syn_section_name(enum syn_figure_section section);
double syn_summary_value(const struct syn_summary *summary,
                         const struct syn_summary_figure *figure);
double syn_group_value(const struct syn_figures *figures, const struct syn_group_figure *figure);

#endif
