/* analyze/report/sections/segments.c - makes rows of a run's segments from the sums of its
 * causes. */
#include "analyze/report/sections/segments.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

#define CATEGORY_COUNT SYN_SEGMENT_CATEGORIES

static double all_of(const struct syn_segment_row *row)
{
    double ns = 0;
    for (int category = 0; category < CATEGORY_COUNT; category++)
        ns += row->ns[category];
    return ns;
}

/* Returns the sums of one rank in a segment. */
static struct syn_segment_row row_of(const struct syn_causes *causes, uint32_t label, int32_t rank)
{
    struct syn_segment_row row = {.label = label, .rank = rank, .least = rank, .most = rank};
    const uint32_t *first = &causes->plan.first_location[rank];
    for (uint32_t i = first[0]; i < first[1]; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, i, label);
        for (uint32_t b = 0; cell && b < causes->sums.bins.count; b++) {
            const struct syn_bin_values block = syn_bin_of_cell(&causes->sums, cell, b);
            row.times += (double)block.count;
            for (int category = 0; category < CATEGORY_COUNT; category++) {
                row.ns[category] += (double)block.ns[category];
                row.caused_ns += (double)block.waiting_ns[category];
            }
        }
    }
    row.least_ns = row.most_ns = row.times > 0 ? all_of(&row) / row.times : NAN;
    return row;
}

/* Adds a rank's row to that of all ranks. */
static void add_row(struct syn_segment_row *all, const struct syn_segment_row *row)
{
    all->times += row->times;
    all->caused_ns += row->caused_ns;
    for (int category = 0; category < CATEGORY_COUNT; category++)
        all->ns[category] += row->ns[category];
    if (row->times == 0)
        return;
    if (all->least < 0 || row->least_ns < all->least_ns) {
        all->least = row->rank;
        all->least_ns = row->least_ns;
    }
    if (all->most < 0 || row->most_ns > all->most_ns) {
        all->most = row->rank;
        all->most_ns = row->most_ns;
    }
}

SYN_ORDER(by_time, struct syn_segment_row,
          SYN_COMPARE(all_of(b), all_of(a)) ?: SYN_UP(label) ?: SYN_UP(rank))

/* Makes a row of each segment from its locations, then sorts the rows. */
static int make_rows(const struct syn_causes *causes, bool by_rank, struct syn_segment_rows *out)
{
    const size_t ranks = (size_t)causes->plan.rank_count;
    *out = (struct syn_segment_rows){0};
    out->row = malloc((causes->tables.labels.count * (by_rank ? ranks : 1) + 1) * sizeof *out->row);
    if (!out->row)
        return SYN_ENOMEM;
    for (uint32_t label = 0; label < causes->tables.labels.count; label++) {
        struct syn_segment_row all = {.label = label, .rank = -1, .least = -1, .most = -1};
        if (syn_label_is_call(syn_label_at(&causes->tables, label)))
            continue;
        for (int32_t rank = 0; rank < (int32_t)ranks; rank++) {
            const struct syn_segment_row row = row_of(causes, label, rank);
            if (row.times > 0 && by_rank)
                out->row[out->count++] = row;
            add_row(&all, &row);
        }
        if (!by_rank && all.times > 0)
            out->row[out->count++] = all;
    }
    if (out->count > 1)
        qsort(out->row, out->count, sizeof *out->row, by_time);
    return 0;
}

static double time_of(const struct syn_run_facts *run, const struct syn_segment_row *row)
{
    const struct syn_cause_plan *plan = &run->causes.plan;
    const uint32_t threads =
        row->rank < 0 ? plan->location_count
                      : plan->first_location[row->rank + 1] - plan->first_location[row->rank];
    return syn_facts_run_ns(run) * threads;
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Returns the figures of single passes; all 0: unknown. */
static struct syn_pass_figures passes_of(const struct syn_run_facts *run,
                                         const struct syn_segment_row *row)
{
    struct syn_pass_figures passes = {0};
    if (run->passes)
        syn_passes_of(run->passes, &run->causes, row->label, row->rank, &passes);
    return passes;
}

/* ---- text ---- */

void syn_report_segments_table(struct syn_doc *doc, const struct syn_report *report)
{
    const struct syn_run_facts *run = syn_report_typical(report);
    const size_t top = report->options.top;
    struct syn_segment_rows rows;
    if (make_rows(&run->causes, report->options.rows_by_rank, &rows)) {
        doc->failed = true;
        return;
    }
    const size_t shown = top && rows.count > top ? top : rows.count;
    syn_text_string(syn_doc_draw(doc),
                    "between two calls\n  of time     times    a time messages  off cpu  caused  "
                    "least (rank) .. most (rank)\n");
    for (size_t i = 0; i < shown; i++) {
        const struct syn_segment_row *row = &rows.row[i];
        SYN_CLEANUP(syn_text_free) struct syn_text place = {0}, line = {0};
        const double all_ns = all_of(row);
        syn_cause_where(report, run, row->label, &place);
        if (row->rank >= 0)
            syn_text_format(&place, ", rank %d", row->rank);
        syn_say_hanging(doc, "{text}", syn_text_chars(&place));
        syn_words(&line, "{share:9} {number.0:9} {time:9} {share:8} {share:8} {share:7}",
                  share(all_ns, time_of(run, row)), row->times, all_ns / row->times,
                  share(row->ns[SYN_CATEGORY_MESSAGES], all_ns),
                  share(row->ns[SYN_CATEGORY_OFF_CPU], all_ns),
                  share(row->caused_ns, (double)run->causes.sums.waiting_ns));
        syn_words(syn_doc_draw(doc), "{text}  {time} ({n}) .. {time} ({n})\n",
                  syn_text_chars(&line), row->least_ns, row->least, row->most_ns, row->most);
        /* a second line: single passes */
        SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
        syn_pass_words(run, row->label, row->rank, &words);
        if (words.length)
            syn_text_format(syn_doc_draw(doc), "            a pass without messages: %s\n",
                            syn_text_chars(&words));
    }
    if (shown < rows.count)
        syn_text_format(syn_doc_draw(doc), "and %zu more (--top 0 shows all)\n",
                        rows.count - shown);
    syn_say(doc, "of time: share of the ranks' time; a time: mean; messages, off cpu: shares of "
                 "that, the rest is computed; caused: share of all waiting");
    if (!run->passes)
        syn_say(doc, "Single passes are not shown: they take more than an eighth of --memory.");
    free(rows.row);
}

int syn_segment_rows_make(const struct syn_run_facts *run, bool by_rank,
                          struct syn_segment_rows *out)
{
    const int status = make_rows(&run->causes, by_rank, out);
    for (size_t i = 0; i < out->count; i++)
        out->row[i].passes = passes_of(run, &out->row[i]);
    return status;
}

void syn_segment_rows_free(struct syn_segment_rows *rows)
{
    free(rows->row);
    *rows = (struct syn_segment_rows){0};
}
