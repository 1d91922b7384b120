/* analyze/report/formats/report_figures.c - writes a report's JSON and CSV: all figures, from their
 * lists.
 *
 * match.def, figures.def and report.def define the objects and their rows. Here
 * print/figures/figure_walk.h turns each object into a function. The report's function writes the
 * runs and groups in the report, and so on. CSV walks over a group, a segment, a slice or a line of
 * messages only, and writes the rows that have a column. Values that a row's expression cannot
 * compute come from functions below: keys, values computed when they are written, and lists that
 * are no arrays. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/hang/page/hang_page.h"
#include "analyze/match/members/bounds.h"
#include "analyze/print/figures/figure_walk.h"
#include "analyze/print/figures/figure_writer.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/findings/message_lines.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/segments.h"
#include "analyze/report/sections/time_slices.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"

/* The places of CSV's columns: those of a group; FIRST and LAST are within a metric. */
enum {
    SYN_PLACE_KEYS,
    SYN_PLACE_FIRST = 0,
    SYN_PLACE_LAST,
    SYN_PLACE_COMPLETION,
    SYN_PLACE_SPREADS = SYN_PLACE_COMPLETION + 2,
    SYN_PLACE_OPERATION = SYN_PLACE_SPREADS + 2,
    SYN_PLACE_EXIT_SKEW = SYN_PLACE_OPERATION + 2,
    SYN_PLACE_LOCAL_MAX = SYN_PLACE_EXIT_SKEW + 2,
    SYN_PLACE_WAITS = SYN_PLACE_LOCAL_MAX + 2,
    SYN_PLACE_TESTS = SYN_PLACE_WAITS + 2,
    SYN_PLACE_SHAPE,
    SYN_PLACE_WAIT,
    SYN_PLACE_SKIPPED,
    SYN_PLACE_LJUNG_BOX,
    SYN_PLACE_LOG,
    SYN_PLACE_REST
};

/* The state of a walk: the report, and the current run or group. */
struct shown {
    struct syn_figure_writer out;
    const struct syn_report *report;
    double ranks_ns;
    /* a run */
    const struct syn_run_facts *run;
    const struct syn_causality *causality; /* of the times in use */
    struct syn_places place[2];            /* nodes, sockets */
    struct syn_machine_figures machine;
    struct syn_estimate fast_operations;
    struct syn_efficiency_rows efficiencies;
    struct syn_segment_rows segments;
    struct syn_time_rows time;
    struct syn_message_lines messages;
    struct syn_text point; /* scratch memory: the text of a label's point */
    /* a group */
    const struct syn_figures *figures;
    const struct syn_details *details;
    const struct syn_metric_figures *main;
    char *frame; /* scratch memory: the innermost frame of a path; owned */
};

static void note_failure(struct shown *to, bool failed)
{
    struct syn_text *text = to->out.json ? to->out.json->text : &to->out.table->cells;
    text->failed |= failed;
}

/* ---- of a group: keys ---- */

static bool is_by(const struct shown *to, enum syn_key key)
{
    return to->report->options.by & SYN_BY(key);
}

static bool is_shared(const struct syn_common *common)
{
    return common->known && !common->mixed;
}

static bool has_root(const struct syn_group *group)
{
    int32_t root;
    return syn_report_root(group, &root);
}

static bool has_stack(const struct shown *to, const struct syn_group *group)
{
    return is_by(to, SYN_KEY_STACK) && syn_report_site(to->report, group);
}

static size_t frame_length(const char *path)
{
    const char *end = strstr(path, SYN_PATH_SEPARATOR);
    return end ? (size_t)(end - path) : strlen(path);
}

/* Returns a group's site. By stack a site is a path: JSON has its innermost frame as the site, CSV
 * the whole path. */
static const char *site_of(struct shown *to, const struct syn_group *group)
{
    const char *path = syn_report_site(to->report, group);
    if (!to->out.json || !has_stack(to, group))
        return path;
    free(to->frame);
    to->frame = strndup(path, frame_length(path));
    note_failure(to, !to->frame);
    return to->frame;
}

static void show_stack(struct shown *to, const struct syn_figures *figures)
{
    const char *path = syn_report_site(to->report, figures->group);
    while (*path) {
        const size_t length = frame_length(path);
        SYN_FREED char *frame = strndup(path, length);
        note_failure(to, !frame);
        syn_put_text(&to->out, NULL, frame);
        path += length;
        path += *path ? strlen(SYN_PATH_SEPARATOR) : 0;
    }
}

static const char *node_of(const struct shown *to, const struct syn_group *group)
{
    const uint64_t node = group->key[SYN_KEY_NODE];
    return node == SYN_NO_KEY ? NULL : syn_names_text(&to->report->names, (uint32_t)node);
}

static const char *phase_of(const struct shown *to, const struct syn_group *group)
{
    const char *phase = syn_report_phase(to->report, group);
    return phase && phase[0] ? phase : NULL;
}

/* ---- of a group: figures ---- */

static const struct syn_pair *friedman_pair(const struct shown *to, const struct syn_pair *kruskal)
{
    return to->figures->friedman_pair + (kruskal - to->figures->kruskal_pair);
}

static const char *claim_of(const struct syn_run_figures *run)
{
    return isnan(run->change.p_adjusted)              ? NULL
           : syn_run_change_is_unclear(&run->change)  ? "unclear"
           : !syn_run_change_is_claimed(&run->change) ? "none"
           : run->change.found.is_trend               ? "trend"
                                                      : "step";
}

static void show_quantiles(struct shown *to, const struct syn_details *details)
{
    for (size_t i = 0; i < details->qq_count; i++) {
        syn_json_open_line(to->out.json, NULL, '[');
        syn_put_figure(&to->out, NULL, details->qq_normal[i]);
        syn_put_figure(&to->out, NULL, details->qq_sample[i]);
        syn_json_close(to->out.json);
    }
}

static void show_group_notes(struct shown *to, const struct syn_figures *figures)
{
    const char *notes[SYN_GROUP_NOTES];
    const size_t count = syn_report_group_notes(figures, notes, SYN_GROUP_NOTES);
    for (size_t i = 0; i < count; i++)
        syn_put_text(&to->out, NULL, notes[i]);
}

/* ---- of a run ---- */

static const struct syn_rank_totals *totals_of_rank(const struct shown *to,
                                                    const struct syn_rank_facts *rank)
{
    return &to->run->totals.rank[rank - to->run->rank];
}

static void show_machine_warnings(struct shown *to, const struct syn_machine_figures *machine)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    const char *next;
    (void)machine;
    for (size_t kind = 0; syn_report_machine_words(to->report, to->run, kind, &words, &next);
         kind++) {
        if (words.length > 0)
            syn_put_text(&to->out, NULL, syn_text_chars(&words));
        syn_text_clear(&words);
    }
    note_failure(to, words.failed);
}

/* ---- of a run: causes ---- */

static const struct syn_label *label_of(const struct shown *to, uint32_t number)
{
    return syn_label_at(&to->run->causes.tables, number);
}

/* Returns the end of a segment. A call has only one point. */
static uint32_t end_of(const struct syn_label *label)
{
    return syn_label_is_call(label) ? label->from : label->to;
}

static const char *point_of(struct shown *to, uint32_t point)
{
    if (point == SYN_POINT_OUTSIDE)
        return NULL;
    syn_text_clear(&to->point);
    syn_cause_point(to->report, to->run, point, &to->point);
    note_failure(to, to->point.failed);
    return syn_text_chars(&to->point);
}

static const char *op_of(const struct shown *to, const struct syn_label *label)
{
    const struct syn_cause_point *of = syn_point_at(&to->run->causes.tables, end_of(label));
    return syn_label_is_call(label) ? syn_call_name((uint16_t)of->op) : NULL;
}

static const char *name_text(const struct shown *to, uint32_t name)
{
    const char *text = syn_names_text(&to->report->names, name);
    return text && text[0] ? text : NULL;
}

static const char *phase_of_label(const struct shown *to, const struct syn_label *label)
{
    const uint32_t at = end_of(label);
    return at == SYN_POINT_OUTSIDE
               ? NULL
               : name_text(to, syn_point_at(&to->run->causes.tables, at)->phase);
}

static int64_t unknown_ns(const struct syn_run_facts *run)
{
    int64_t ns = 0;
    for (int i = 0; i < SYN_UNKNOWN_COUNT; i++)
        ns += run->causes.sums.unknown_ns[i];
    return ns;
}

/* A location's time on the critical path in one slot of a label. */
struct path_piece {
    int32_t rank;
    uint32_t label;
    const char *kind;
    int64_t ns;
};

/* Writes the sum of segments and calls for each location, which is the run's length. */
static void show_tiled(struct shown *to, const struct syn_run_facts *run)
{
    static const enum syn_category categories[] = {SYN_CATEGORY_COMPUTING, SYN_CATEGORY_MESSAGES,
                                                   SYN_CATEGORY_OFF_CPU};
    const struct syn_causes *causes = &run->causes;
    for (uint32_t i = 0; i < causes->sums.location_count; i++) {
        int64_t ns = 0;
        for (uint32_t label = 0; label < causes->tables.labels.count; label++)
            for (int category = 0; category < 3; category++)
                ns += syn_cell_ns(&causes->sums, i, label, categories[category]);
        syn_put_integer(&to->out, NULL, ns);
    }
}

/* ---- of a run: messages ---- */

static const char *recorded_word(const struct syn_run_facts *run)
{
    static const char *const words[] = {"off", "sums", "events"};
    return words[run->messages.recorded];
}

/* ---- of a run: efficiencies ---- */

static bool is_row_by(const struct shown *to, enum syn_key key)
{
    return to->efficiencies.by & SYN_BY(key);
}

static const struct syn_efficiency_key *key_of(const struct shown *to,
                                               const struct syn_efficiency_row *row)
{
    return syn_numbering_at(&to->efficiencies.keys, row->key);
}

static bool has_bytes(const struct syn_efficiency_key *key)
{
    return !key->is_outside && key->bytes != SYN_BYTES_DIFFER;
}

static const char *key_op(const struct shown *to, const struct syn_efficiency_row *row)
{
    const struct syn_efficiency_key *key = key_of(to, row);
    return key->is_outside ? NULL : syn_call_name((uint16_t)key->op);
}

static const char *key_name(const struct shown *to, const struct syn_efficiency_row *row,
                            uint32_t name)
{
    return key_of(to, row)->is_outside ? NULL : name_text(to, name);
}

/* ---- a run that did not end ---- */

static void rows_of_examination(struct shown *to, const struct syn_examination *examination)
{
    syn_hang_json(to->out.json, examination);
}

/* ---- the lists ---- */

static void show_pieces(struct shown *to, const struct syn_run_facts *run);
static void show_causes(struct shown *to, const struct syn_run_facts *run);
static void show_runs(struct shown *to, const struct syn_report *report);
static void show_groups(struct shown *to, const struct syn_report *report);

static void show_keys(struct shown *to, const struct syn_report *report)
{
    for (enum syn_key key = 0; key < SYN_KEY_COUNT; key++)
        if (report->options.by & SYN_BY(key))
            syn_put_text(&to->out, NULL, syn_key_name(key));
}

/* Writes the wrappers; report->wrappers has one on each line. */
static void show_wrappers(struct shown *to, const struct syn_report *report)
{
    SYN_FREED char *list = strdup(report->wrappers ? report->wrappers : "");
    char *rest = NULL;
    note_failure(to, !list);
    for (char *name = list ? strtok_r(list, "\n", &rest) : NULL; name;
         name = strtok_r(NULL, "\n", &rest))
        syn_put_text(&to->out, NULL, name);
}

#include "analyze/match/match.def"
#include "analyze/report/figures/figures.def"
#include "analyze/report/findings/report.def"

static void show_pieces(struct shown *to, const struct syn_run_facts *run)
{
    for (uint32_t i = 0; i < run->causes.sums.location_count; i++)
        for (uint32_t label = 0; label < run->causes.tables.labels.count; label++) {
            static const char *const segment[] = {"computing", "messages", "off_cpu"};
            static const char *const call[] = {"operation", "waiting", NULL};
            const struct syn_causes *causes = &to->run->causes;
            const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
            const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, label));
            for (unsigned slot = 0; cell && slot < SYN_CATEGORIES_OF_LABEL; slot++) {
                const struct path_piece piece = {causes->plan.location[i].rank, label,
                                                 (is_call ? call : segment)[slot],
                                                 syn_category_sums_of(cell, slot)->path_ns};
                if (piece.ns != 0)
                    show_path_piece(to, NULL, &piece);
            }
        }
}

/* Writes the causes. The last one is waiting without a cause, so that all add up to the whole
 * waiting. */
static void show_causes(struct shown *to, const struct syn_run_facts *run)
{
    for (size_t i = 0; i < run->findings.cause_count; i++)
        show_cause(to, NULL, &run->findings.cause[i]);
    if (run->causes.sums.waiting_ns > 0)
        show_unknown_cause(to, NULL, run);
}

/* ---- runs and groups ---- */

/* Computes values that are only needed when the run is written. */
static int begin_run(struct shown *to, const struct syn_run_facts *run)
{
    const struct syn_report_options *options = &to->report->options;
    to->run = run;
    to->causality = &run->causality;
    to->segments = (struct syn_segment_rows){0};
    to->time = (struct syn_time_rows){0};
    syn_report_machine(run, &to->machine);
    to->fast_operations = syn_report_fast_operations(to->report, run);
    int status = syn_efficiency_rows_make(run, options->by, &to->efficiencies);
    SYN_STEP(status, syn_message_lines_make(to->report, run, &to->messages));
    for (int kind = 0; kind < 2; kind++) {
        const int made =
            syn_places_of_run(to->report, run, (enum syn_place_kind)kind, &to->place[kind]);
        status = status == SYN_OK ? made : status;
    }
    if (status == SYN_OK && options->rows == SYN_ROWS_SEGMENTS)
        status = syn_segment_rows_make(run, options->rows_by_rank, &to->segments);
    if (status == SYN_OK && options->rows == SYN_ROWS_TIME)
        status = syn_time_rows_make(run, options->rows_by_rank, &to->time);
    return status;
}

static void end_run(struct shown *to)
{
    syn_efficiency_rows_free(&to->efficiencies);
    syn_message_lines_free(&to->messages);
    for (int kind = 0; kind < 2; kind++)
        syn_places_free(&to->place[kind]);
    syn_segment_rows_free(&to->segments);
    syn_time_rows_free(&to->time);
}

static void show_runs(struct shown *to, const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++) {
        if (begin_run(to, &report->run[i]) == SYN_OK)
            show_run(to, NULL, to->run);
        else
            note_failure(to, true);
        end_run(to);
    }
}

static void show_figures(struct shown *to, const struct syn_figures *figures)
{
    SYN_CLEANUP(syn_details_free) struct syn_details details = {0};
    to->figures = figures;
    to->details = &details;
    to->main = syn_figures_main(figures);
    note_failure(to, syn_details_make(to->report, figures, &details) != SYN_OK);
    show_group(to, NULL, figures);
}

static void show_groups(struct shown *to, const struct syn_report *report)
{
    for (size_t i = 0; i < report->groups.count; i++)
        show_figures(to, &report->figures[report->order[i]]);
}

/* ---- the formats ---- */

static void end(struct shown *to)
{
    syn_text_free(&to->point);
    free(to->frame);
}

void syn_report_json(const struct syn_report *report, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    struct shown to = {.out = syn_figures_as_json(&json),
                       .report = report,
                       .ranks_ns = syn_report_ranks_ns(report)};
    show_report(&to, NULL, report);
    end(&to);
}

void syn_clock_check_json(const struct syn_clock_check *check, const struct syn_causality *now,
                          struct syn_json *json, const char *name)
{
    struct shown to = {.out = syn_figures_as_json(json), .causality = now};
    show_clock_check(&to, name, check);
}

/* Writes a line of CSV with the columns that `show` fills. */
#define CSV_LINE(show)                      \
    do {                                    \
        syn_figure_line_begin(&to.out);     \
        show;                               \
        syn_figure_line_end(&to.out, text); \
    } while (0)

/* Writes a header, then a line for each group, or for each row of each run. */
void syn_report_csv(const struct syn_report *report, struct syn_text *text)
{
    SYN_CLEANUP(syn_figure_table_free) struct syn_figure_table table = {0};
    struct shown to = {.out = syn_figures_as_csv(&table), .report = report};
    if (report->options.rows == SYN_ROWS_GROUPS) {
        CSV_LINE(show_group(&to, NULL, NULL));
        for (size_t i = 0; i < report->groups.count; i++)
            CSV_LINE(show_figures(&to, &report->figures[report->order[i]]));
    } else {
        if (report->options.rows == SYN_ROWS_SEGMENTS)
            CSV_LINE(show_segment(&to, NULL, NULL));
        else if (report->options.rows == SYN_ROWS_TIME)
            CSV_LINE(show_time_slice(&to, NULL, NULL));
        else
            CSV_LINE(show_message(&to, NULL, NULL));
        for (size_t i = 0; i < report->run_count; i++) {
            /* lines of each run: segments, slices or messages */
            note_failure(&to, begin_run(&to, &report->run[i]) != SYN_OK);
            for (size_t j = 0; j < to.segments.count; j++)
                CSV_LINE(show_segment(&to, NULL, &to.segments.row[j]));
            for (size_t j = 0; j < to.time.count; j++)
                CSV_LINE(show_time_slice(&to, NULL, &to.time.row[j]));
            const bool has_messages = report->options.rows == SYN_ROWS_MESSAGES;
            for (size_t j = 0; has_messages && j < to.messages.count; j++)
                CSV_LINE(show_message(&to, NULL, &to.messages.line[j]));
            end_run(&to);
        }
    }
    text->failed |= table.failed || table.cells.failed;
    end(&to);
}
