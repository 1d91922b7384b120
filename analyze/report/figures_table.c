/* analyze/report/figures_table.c - the table of figures. A new one is a row here, and its sentence
 * in docs/reports.md. */
#include "analyze/report/figures_table.h"

#include <string.h>

/* clang-format off */
#define FIGURE(name, part) {#name, offsetof(struct syn_summary, name), SYN_SUMMARY_##part}
/* clang-format on */
const struct syn_summary_figure syn_summary_figures[] = {FIGURE(median, ORDER),
                                                         FIGURE(ci_low, ORDER),
                                                         FIGURE(ci_high, ORDER),
                                                         FIGURE(q1, ORDER),
                                                         FIGURE(q3, ORDER),
                                                         FIGURE(p5, ORDER),
                                                         FIGURE(p95, ORDER),
                                                         FIGURE(p99, ORDER),
                                                         FIGURE(min, ORDER),
                                                         FIGURE(max, ORDER),
                                                         FIGURE(mean, MOMENTS),
                                                         FIGURE(sd, MOMENTS),
                                                         FIGURE(n_effective, DEPENDENCE),
                                                         FIGURE(ci_dependent_low, INTERVAL),
                                                         FIGURE(ci_dependent_high, INTERVAL)};
const size_t syn_summary_figure_count = sizeof syn_summary_figures / sizeof *syn_summary_figures;

/* clang-format off */
const struct syn_group_figure syn_group_figures[] = {
    {SYN_SECTION_ANOVA, "F", "anova_F", offsetof(struct syn_figures, anova.F)},
    {SYN_SECTION_ANOVA, "df1", "anova_df1", offsetof(struct syn_figures, anova.df1)},
    {SYN_SECTION_ANOVA, "df2", "anova_df2", offsetof(struct syn_figures, anova.df2)},
    {SYN_SECTION_ANOVA, "p", "anova_p", offsetof(struct syn_figures, anova.p)},
    {SYN_SECTION_ANOVA, "p_dependent", NULL, offsetof(struct syn_figures, anova_p_dependent)},
    {SYN_SECTION_ANOVA, "effect_size", "anova_effect_size", offsetof(struct syn_figures, anova.effect_size)},
    {SYN_SECTION_ANOVA, "eta2", "anova_eta2", offsetof(struct syn_figures, anova.eta2)},
    {SYN_SECTION_KRUSKAL, "H", "kruskal_H", offsetof(struct syn_figures, kruskal.H)},
    {SYN_SECTION_KRUSKAL, "df", "kruskal_df", offsetof(struct syn_figures, kruskal.df)},
    {SYN_SECTION_KRUSKAL, "p", "kruskal_p", offsetof(struct syn_figures, kruskal.p)},
    {SYN_SECTION_KRUSKAL, "p_dependent", NULL, offsetof(struct syn_figures, kruskal_p_dependent)},
    {SYN_SECTION_KRUSKAL, "eta2", "kruskal_eta2", offsetof(struct syn_figures, kruskal.eta2)},
    {SYN_SECTION_FRIEDMAN, "chi2", "friedman_chi2", offsetof(struct syn_figures, friedman.chi2)},
    {SYN_SECTION_FRIEDMAN, "df", "friedman_df", offsetof(struct syn_figures, friedman.df)},
    {SYN_SECTION_FRIEDMAN, "p", "friedman_p", offsetof(struct syn_figures, friedman.p)},
    {SYN_SECTION_FRIEDMAN, "n_effective", NULL, offsetof(struct syn_figures, ranks_effective)},
    {SYN_SECTION_FRIEDMAN, "p_dependent", NULL, offsetof(struct syn_figures, friedman_p_dependent)},
    {SYN_SECTION_FRIEDMAN, "p_adjusted", NULL, offsetof(struct syn_figures, friedman_p_adjusted)},
    {SYN_SECTION_FRIEDMAN, "kendall_w", "friedman_kendall_w", offsetof(struct syn_figures, friedman.kendall_w)},
    {SYN_SECTION_WAIT, "total_ns", "wait_total", offsetof(struct syn_figures, wait_ns)},
    {SYN_SECTION_WAIT, "inside_ns", "inside_total", offsetof(struct syn_figures, inside_ns)},
    {SYN_SECTION_WAIT, "waiting_ns", "waiting_total", offsetof(struct syn_figures, waiting_ns)},
    {SYN_SECTION_WAIT, "share", "wait_share", offsetof(struct syn_figures, waiting_share)},
    {SYN_SECTION_WAIT, "clock_bound_ns", NULL, offsetof(struct syn_figures, bound_total_ns)},
};
/* clang-format on */
const size_t syn_group_figure_count = sizeof syn_group_figures / sizeof *syn_group_figures;

const char *syn_section_name(enum syn_figure_section section)
{
    static const char *const names[SYN_SECTION_COUNT] = {"anova", "kruskal_wallis", "friedman",
                                                         "wait"};
    return names[section];
}

static double value_at(const void *object, size_t offset)
{
    double value;
    memcpy(&value, (const char *)object + offset, sizeof value);
    return value;
}

double syn_summary_value(const struct syn_summary *summary, const struct syn_summary_figure *figure)
{
    return value_at(summary, figure->offset);
}

double syn_group_value(const struct syn_figures *figures, const struct syn_group_figure *figure)
{
    return value_at(figures, figure->offset);
}
