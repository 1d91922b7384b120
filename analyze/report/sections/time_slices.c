/* analyze/report/sections/time_slices.c - makes rows of slices of a run's time from the sums of its
 * causes. */
#include "analyze/report/sections/time_slices.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

#define EVERY_RANK       0
#define WAITED_FOR_MOST  3   /* most ranks named in a row of the text */
#define WAITED_FOR_LEAST 0.1 /* least share of a rank after the first */

void syn_time_rows_free(struct syn_time_rows *rows)
{
    syn_rank_time_free(&rows->time);
    free(rows->row);
}

static double in_bins(const struct syn_rank_time *time, const double *ns, int32_t rank,
                      const struct syn_time_row *row)
{
    double sum = 0;
    for (uint32_t b = 0; b < row->bin_count; b++)
        sum += ns[(size_t)rank * time->bin_count + row->first_bin + b];
    return sum;
}

/* Adds a rank's time. A rank with several threads has that many times the slice. */
static void add_rank(const struct syn_time_rows *rows, int32_t rank, struct syn_time_row *row)
{
    const struct syn_rank_time *time = &rows->time;
    const uint32_t *first = &rows->run->causes.plan.first_location[rank];
    const double caused_ns = in_bins(time, time->caused, rank, row);
    const double useful_ns = in_bins(time, time->useful, rank, row);
    row->waiting_ns += in_bins(time, time->waiting, rank, row);
    row->whole_ns += (first[1] - first[0]) * (row->end_ns - row->begin_ns);
    row->useful_ns += useful_ns;
    row->most_useful_ns = fmax(row->most_useful_ns, useful_ns);
    row->caused_ns += caused_ns;
    if (caused_ns > row->waited_for_ns) {
        row->waited_for = rank;
        row->waited_for_ns = caused_ns;
    }
}

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static struct syn_time_row row_of(const struct syn_time_rows *rows, uint32_t first_bin,
                                  uint32_t bin_count, int32_t rank)
{
    const struct syn_rank_time *time = &rows->time;
    struct syn_time_row row = {.begin_ns = first_bin * time->bin_ns,
                               .rank = rank,
                               .waited_for = -1,
                               .first_bin = first_bin,
                               .bin_count = bin_count};
    row.end_ns = row.begin_ns + bin_count * time->bin_ns;
    if (rank >= 0)
        add_rank(rows, rank, &row);
    else
        for (int32_t r = 0; r < time->rank_count; r++)
            add_rank(rows, r, &row);
    /* waiting and transfer are shares of the critical path, which is not known by slice */
    const double length_ns = row.end_ns - row.begin_ns, most_ns = row.most_useful_ns;
    row.load_balance = share(row.useful_ns / rows->run->present_count, most_ns);
    row.communication = fmin(1, share(most_ns, length_ns));
    row.parallel = most_ns > 0 ? row.load_balance * row.communication : 0;
    return row;
}

/* Makes rows ordered by time, then by rank. Slices have so many bins that there are at most
 * `slices`; 0: one slice for each bin. */
static int make_rows(const struct syn_run_facts *run, bool by_rank, size_t slices,
                     struct syn_time_rows *out)
{
    *out = (struct syn_time_rows){.run = run};
    if (syn_rank_time_make(run, EVERY_RANK, &out->time))
        return SYN_ENOMEM;
    const uint32_t bins = out->time.bin_ns > 0 ? out->time.bin_count : 0;
    const uint32_t each = slices ? (uint32_t)((bins + slices - 1) / slices) : 1;
    const size_t ranks = by_rank ? (size_t)run->rank_count : 1;
    out->row = malloc((bins * ranks + 1) * sizeof *out->row);
    if (!out->row)
        return SYN_ENOMEM;
    for (uint32_t b = 0; b < bins; b += each)
        for (size_t r = 0; r < ranks; r++)
            out->row[out->count++] =
                row_of(out, b, bins - b < each ? bins - b : each, by_rank ? (int32_t)r : -1);
    return 0;
}

/* ---- text ---- */

/* Writes "1.20 ms .. 1.30 ms", the row's rank if it has one, and its waiting. */
static void write_begin(struct syn_text *text, const struct syn_time_row *row)
{
    syn_words(text, "{time:8} .. {time:-8}", row->begin_ns, row->end_ns);
    if (row->rank >= 0)
        syn_text_format(text, " %6d", row->rank);
    syn_words(text, " {time:8} {share:8}", row->waiting_ns, share(row->waiting_ns, row->whole_ns));
}

struct causer {
    int32_t rank;
    double ns;
};

/* A smaller difference may come from rounding of slices. */
#define OVERLAP_THAT_MATTERS 0.001

/* Explains why the slices have less waiting than the section above, which counts overlapping calls
 * several times. */
static void write_overlaps(struct syn_doc *doc, const struct syn_time_rows *rows)
{
    const double called_ns = (double)rows->run->causes.sums.waiting_ns;
    double waiting_ns = 0;
    for (size_t i = 0; i < rows->count; i++)
        waiting_ns += rows->row[i].waiting_ns;
    if (called_ns - waiting_ns > OVERLAP_THAT_MATTERS * called_ns)
        syn_say(doc,
                "Nonblocking calls: what is waited for several of them at once, or while one is "
                "started, counts for each call above ({time} of all ranks); here ({time}) each "
                "moment counts once, where a call completes.",
                called_ns, waiting_ns);
}

static void write_slices(struct syn_doc *doc, const struct syn_time_rows *rows)
{
    syn_text_string(syn_doc_draw(doc),
                    "since MPI_Init        waiting  of time  useful  waited for (its "
                    "share)\n");
    for (size_t i = 0; i < rows->count; i++) {
        const struct syn_time_row *row = &rows->row[i];
        write_begin(syn_doc_draw(doc), row);
        syn_words(syn_doc_draw(doc), " {share:7}", share(row->useful_ns, row->whole_ns));
        struct causer causer[WAITED_FOR_MOST];
        /* find the ranks that caused most waiting in the slice, largest first; of equal ranks the
         * lowest first */
        int count = 0;
        for (int32_t rank = 0; rank < rows->time.rank_count; rank++) {
            const double ns = in_bins(&rows->time, rows->time.caused, rank, row);
            int at = count;
            for (; at > 0 && causer[at - 1].ns < ns; at--)
                if (at < WAITED_FOR_MOST)
                    causer[at] = causer[at - 1];
            if (ns > 0 && at < WAITED_FOR_MOST)
                causer[at] = (struct causer){rank, ns};
            count += ns > 0 && count < WAITED_FOR_MOST;
        }
        for (int j = 0; j < count && (j == 0 || causer[j].ns >= WAITED_FOR_LEAST * row->caused_ns);
             j++)
            syn_words((syn_doc_draw(doc)), "{text}{n} ({share})", j ? ", " : "  ", causer[j].rank,
                      causer[j].ns / row->caused_ns);
        syn_text_char(syn_doc_draw(doc), '\n');
    }
    syn_say(doc, "waiting: of all ranks, for late ranks; of time: its share of their time; useful: "
                 "the share outside of MPI (parallel efficiency); waited for: the ranks that are "
                 "the cause, with their shares of the waiting that has one");
    write_overlaps(doc, rows);
}

SYN_ORDER(by_caused, struct syn_time_row, SYN_DOWN(caused_ns) ?: SYN_UP(begin_ns) ?: SYN_UP(rank))

void syn_report_time_table(struct syn_doc *doc, const struct syn_report *report)
{
    const struct syn_report_options *options = &report->options;
    struct syn_time_rows rows;
    if (syn_report_clocks_lost(report)) {
        syn_say(doc, "No slices of time: the clocks cannot tell who waited.");
        return;
    }
    if (make_rows(syn_report_typical(report), options->rows_by_rank,
                  options->rows_by_rank ? 0 : options->top, &rows))
        doc->failed = true;
    else if (options->rows_by_rank) {
        /* Write a row for each rank in each slice, those that caused most waiting first. */
        const size_t top = report->options.top;
        const size_t shown = top && rows.count > top ? top : rows.count;
        qsort(rows.row, rows.count, sizeof *rows.row, by_caused);
        syn_text_string(syn_doc_draw(doc),
                        "since MPI_Init         rank  waiting  of time  useful   caused  of all "
                        "waiting\n");
        for (size_t i = 0; i < shown; i++) {
            const struct syn_time_row *row = &rows.row[i];
            write_begin(syn_doc_draw(doc), row);
            syn_words(syn_doc_draw(doc), " {share:7} {time:8} {share:15}\n",
                      share(row->useful_ns, row->whole_ns), row->caused_ns,
                      share(row->caused_ns, (double)rows.run->causes.sums.waiting_ns));
        }
        if (shown < rows.count)
            syn_text_format(syn_doc_draw(doc), "and %zu more (--top 0 shows all)\n",
                            rows.count - shown);
        syn_say(doc,
                "waiting: of the rank, for late ranks; of time: its share of the slice; useful: "
                "the share outside of MPI; caused: waiting of all others in the slice for what "
                "the rank did then or before");
        write_overlaps(doc, &rows);
    } else
        write_slices(doc, &rows);
    syn_time_rows_free(&rows);
}

int syn_time_rows_make(const struct syn_run_facts *run, bool by_rank, struct syn_time_rows *out)
{
    return make_rows(run, by_rank, 0, out);
}
