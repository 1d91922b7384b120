/* analyze/report/report_csv.c - one row a group, flat column names (RFC 4180). */
#include <math.h>
#include <string.h>

#include "analyze/print/csv.h"
#include "analyze/print/json.h"
#include "analyze/report/details.h"
#include "analyze/report/figures_table.h"
#include "analyze/report/segments.h"
#include "analyze/report/time_slices.h"

static void number(struct syn_text *text, double value)
{
    char buffer[32];
    syn_number_text(value, buffer);
    syn_text_char(text, ',');
    syn_text_string(text, buffer);
}

static void count(struct syn_text *text, bool known, uint64_t value)
{
    syn_text_char(text, ',');
    if (known)
        syn_text_format(text, "%llu", (unsigned long long)value);
}

static void write_names(enum syn_figure_section first, enum syn_figure_section last,
                        struct syn_text *text)
{
    for (size_t i = 0; i < syn_group_figure_count; i++)
        if (syn_group_figures[i].csv && syn_group_figures[i].section >= first &&
            syn_group_figures[i].section <= last)
            syn_text_format(text, ",%s", syn_group_figures[i].csv);
}

static void write_sections(const struct syn_figures *figures, enum syn_figure_section first,
                           enum syn_figure_section last, struct syn_text *text)
{
    for (size_t i = 0; i < syn_group_figure_count; i++)
        if (syn_group_figures[i].csv && syn_group_figures[i].section >= first &&
            syn_group_figures[i].section <= last)
            number(text, syn_group_value(figures, &syn_group_figures[i]));
}

static void write_header(struct syn_text *text)
{
    syn_text_string(text,
                    "op,site,comm,comm_size,bytes,root,rank,node,run,phase,instances,incomplete,"
                    "site_differs");
    for (enum syn_metric metric = 0; metric < SYN_METRIC_COUNT; metric++) {
        const char *name = syn_metric_name(metric);
        syn_text_format(text, ",%s_n", name);
        for (size_t i = 0; i < syn_summary_figure_count; i++)
            syn_text_format(text, ",%s_%s", name, syn_summary_figures[i].name);
        syn_text_format(text, ",%s_outliers_tukey,%s_clock_bound", name, name);
    }
    write_names(SYN_SECTION_ANOVA, SYN_SECTION_FRIEDMAN, text);
    syn_text_string(text, ",shapiro_w,shapiro_p,autocorrelation_1");
    write_names(SYN_SECTION_WAIT, SYN_SECTION_WAIT, text);
    syn_text_string(text,
                    ",skipped,ljung_box_q,ljung_box_p,log_shapiro_w,log_shapiro_p,geometric_mean,"
                    "rate_bytes_per_s,half_width,instances_for_median\n");
}

static void write_keys(const struct syn_report *report, const struct syn_group *group,
                       struct syn_text *text)
{
    uint64_t value;
    int32_t root;
    const uint64_t *key = group->key;
    bool by_node = key[SYN_KEY_NODE] != UINT64_MAX;
    const char *op = syn_report_op(group);
    const char *site = syn_report_site(report, group);
    const char *comm = syn_report_comm(report, group);
    syn_csv_field(text, op ? op : "");
    syn_text_char(text, ',');
    syn_csv_field(text, site ? site : "");
    syn_text_char(text, ',');
    syn_csv_field(text, comm ? comm : "");
    bool known = syn_report_comm_size(group, &value);
    count(text, known, value);
    known = syn_report_bytes(group, &value);
    count(text, known, value);
    known = syn_report_root(group, &root);
    count(text, known, (uint64_t)(uint32_t)root);
    count(text, key[SYN_KEY_RANK] != UINT64_MAX, key[SYN_KEY_RANK]);
    syn_text_char(text, ',');
    if (by_node)
        syn_csv_field(text, syn_names_text(&report->names, (uint32_t)key[SYN_KEY_NODE]));
    count(text, key[SYN_KEY_RUN] != UINT64_MAX, key[SYN_KEY_RUN]);
    syn_text_char(text, ',');
    if (key[SYN_KEY_PHASE] != UINT64_MAX)
        syn_csv_field(text, syn_names_text(&report->names, (uint32_t)key[SYN_KEY_PHASE]));
}

static void write_metric(const struct syn_metric_figures *metric, struct syn_text *text)
{
    const struct syn_summary *summary = &metric->summary;
    bool known = summary->n > 0;
    count(text, known, summary->n);
    for (size_t i = 0; i < syn_summary_figure_count; i++) {
        number(text, known ? syn_summary_value(summary, &syn_summary_figures[i]) : NAN);
    }
    count(text, known, summary->outliers_tukey);
    number(text, metric->clock_bound_ns);
}

static void write_tests(const struct syn_figures *figures, struct syn_text *text)
{
    bool part = syn_group_is_part(figures->group);
    const struct syn_summary *shape =
        &figures->metric[part ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION].summary;
    write_sections(figures, SYN_SECTION_ANOVA, SYN_SECTION_FRIEDMAN, text);
    number(text, shape->shapiro_w);
    number(text, shape->shapiro_p);
    number(text, shape->acf[0]);
    write_sections(figures, SYN_SECTION_WAIT, SYN_SECTION_WAIT, text);
}

static void write_details(const struct syn_report *report, const struct syn_figures *figures,
                          struct syn_text *text)
{
    struct syn_details details;
    if (syn_details_make(report, figures, &details))
        text->failed = true;
    const double values[] = {details.ljung_box.Q,    details.ljung_box.p,
                             details.log_shapiro_w,  details.log_shapiro_p,
                             details.geometric.mean, details.rate_bytes_per_s,
                             details.half_width,     details.count_for_median};
    count(text, true, figures->skipped_count);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        number(text, values[i]);
    syn_details_free(&details);
}

static void write_groups(const struct syn_report *report, struct syn_text *text)
{
    write_header(text);
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        write_keys(report, figures->group, text);
        count(text, true, figures->group->instance_count);
        count(text, true, figures->group->incomplete_count);
        syn_text_string(text, figures->group->site_differs ? ",1" : ",0");
        for (int metric = 0; metric < SYN_METRIC_COUNT; metric++)
            write_metric(&figures->metric[metric], text);
        write_tests(figures, text);
        write_details(report, figures, text);
        syn_text_string(text, "\n");
    }
}

void syn_report_csv(const struct syn_report *report, struct syn_text *text)
{
    if (report->options.rows == SYN_ROWS_SEGMENTS)
        syn_report_segments_csv(report, text);
    else if (report->options.rows == SYN_ROWS_TIME)
        syn_report_time_csv(report, text);
    else
        write_groups(report, text);
}
