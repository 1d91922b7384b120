/* analyze/report/sections/report_messages.c - writes which messages wait for which ranks, and how
 * long transfers take, and draws which rank sends to which. */
#include <math.h>

#include "analyze/print/units.h"
#include "analyze/report/findings/message_lines.h"
#include "analyze/report/sections/report_html.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"

/* Most cells of the picture on either side; with more ranks, several share a cell. */
#define CELLS_MOST 64
/* Largest side of the picture, and of a cell. */
#define PIXELS      320.0
#define CELL_PIXELS 48.0

static void say_table(struct syn_doc *doc, const struct syn_report *report,
                      const struct syn_message_lines *lines)
{
    static const struct syn_table_column columns[] = {
        {.title = "operation", .left = true},
        {.title = "site", .left = true, .flexible = true, .width_min = 12},
        {.title = "half", .left = true},
        {.title = "ranks", .left = true, .optional = 3},
        {.title = "bytes"},
        {.title = "count"},
        {.title = "transfer"},
        {.title = "interval", .optional = 1},
        {.title = "wait"},
        {.title = "time", .optional = 2},
        {.title = "late", .left = true}};
    const size_t top = report->options.top;
    const size_t shown = top ? syn_least(top, lines->count) : lines->count;
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct syn_message_line *line = &lines->line[i];
        const struct syn_message_row *row = line->row;
        const char *op = syn_call_name(row->key.op);
        if (op)
            syn_say_cell(doc, "{text}", syn_unit_op(op));
        else
            syn_say_cell(doc, "operation {n}", row->key.op);
        syn_say_cell(doc, "{text}", line->site);
        syn_say_cell(doc, "{text}", row->key.receives ? "recv" : "send");
        syn_say_cell(doc, "{text}", line->partners);
        syn_say_cell(doc, "{bytes}", line->bytes);
        syn_say_cell(doc, "{count}", row->count);
        syn_say_cell(doc, "{time}", line->median);
        if (isfinite(line->low))
            syn_say_cell(doc, "{time..}", line->low, line->high);
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{share}",
                     line->inside_ns > 0 ? (double)row->waiting_ns / line->inside_ns : NAN);
        syn_say_cell(doc, "{time}", line->inside_ns);
        if (line->late >= 0)
            syn_say_cell(doc, "rank {rank}: {number.0} %", line->late, 100 * line->late_share);
        else
            syn_doc_no_cell(doc);
    }
    if (shown < lines->count)
        syn_say(doc, "{n} more row{s} (--top 0 shows all).", lines->count - shown);
}

/* Writes sums over the messages, then the table of messages. */
void syn_report_messages_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        SYN_CLEANUP(syn_message_lines_free) struct syn_message_lines lines = {0};
        if (run->messages.table.row_count == 0 && report->options.rows != SYN_ROWS_MESSAGES)
            continue;
        if (report->run_count > 1)
            syn_say_heading(doc, "Messages of run {n}", run->run);
        else
            syn_doc_heading(doc, "Messages");
        if (run->messages.table.row_count == 0) {
            syn_say(doc, "{text}",
                    run->messages.recorded == SYN_MESSAGES_EVENTS
                        ? "There is none."
                        : "They were not recorded as events (record --messages events).");
            continue;
        }
        const struct syn_message_sums *sums = &run->messages.sums;
        syn_say(doc,
                "{count} message{s} received, {bytes}: {time} waiting for late senders, {time} for "
                "late receivers, {time} transfer, summed over ranks.",
                sums->count, sums->bytes, sums->late_sender_ns, sums->late_receiver_ns,
                sums->transfer_ns);
        if (sums->unmatched > 0)
            syn_say_note(doc, "Of {count} send{s} or receive{s} the other half is not known.",
                         sums->unmatched);
        if (sums->ambiguous > 0)
            syn_say_note(
                doc,
                "{count} send{s} or receive{s} {is|are} on channels that several threads of a "
                "rank use: which meet is not known.",
                sums->ambiguous);
        if (run->messages.counts.missing_count > 0)
            syn_say_note(
                doc,
                "{count} message{s} {was|were} counted but {is|are} not in the trace: what "
                "those threads posted later is not matched.",
                run->messages.counts.missing_count);
        if (syn_message_lines_make(report, run, &lines) == SYN_OK)
            say_table(doc, report, &lines);
        else
            doc->failed = true;
    }
}

/* ---- pictures by sender and receiver ---- */

struct picture {
    size_t cells; /* on either side */
    double ranks_of_cell;
    double value[CELLS_MOST * CELLS_MOST]; /* [destination][source] */
    double most;
};

static struct picture picture_of(const struct syn_run_facts *run, bool of_waiting)
{
    const int32_t size = run->rank_count;
    const int32_t of_cell = (size + CELLS_MOST - 1) / CELLS_MOST;
    struct picture picture = {.cells = (size_t)((size + of_cell - 1) / of_cell),
                              .ranks_of_cell = of_cell};
    for (size_t i = 0; i < run->messages.pair_count; i++) {
        const struct syn_message_pair *pair = &run->messages.pair[i];
        if (pair->source < 0 || pair->source >= size || pair->destination < 0 ||
            pair->destination >= size)
            continue;
        double *value = &picture.value[(size_t)(pair->destination / of_cell) * CELLS_MOST +
                                       (size_t)(pair->source / of_cell)];
        *value += of_waiting ? (double)(pair->late_sender_ns + pair->late_receiver_ns)
                             : (double)pair->bytes;
        picture.most = fmax(picture.most, *value);
    }
    return picture;
}

void syn_report_html_messages(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const struct syn_run_facts *run = &report->run[0];
    if (run->messages.pair_count == 0 || run->rank_count < 2)
        return;
    SYN_CLEANUP(syn_text_free) struct syn_text title = {0};
    struct syn_text *out = syn_doc_draw(doc);
    for (int of_waiting = 0; of_waiting < 2; of_waiting++) {
        const struct picture picture = picture_of(run, of_waiting);
        if (!(picture.most > 0))
            continue;
        syn_text_clear(&title);
        if (of_waiting)
            syn_words(&title, "Waiting in messages, by sender and receiver: at most {time}",
                      picture.most);
        else
            syn_words(&title, "Bytes, by sender and receiver: at most {bytes}", picture.most);
        const double side = fmin(CELL_PIXELS, PIXELS / (double)picture.cells),
                     pixels = side * (double)picture.cells;
        syn_text_string(out, "<figure class=plot><figcaption>");
        syn_text_string(out, syn_text_chars(&title));
        syn_text_format(out,
                        "</figcaption><svg viewBox='-30 -6 %.0f %.0f' width='%.0f' role=img>"
                        "<rect width='%.0f' height='%.0f' fill='none' stroke='currentColor' "
                        "stroke-opacity='.3'/>",
                        pixels + 36, pixels + 36, pixels + 36, pixels, pixels);
        for (size_t to = 0; to < picture.cells; to++)
            for (size_t from = 0; from < picture.cells; from++) {
                const double value = picture.value[to * CELLS_MOST + from];
                if (value > 0)
                    syn_text_format(out,
                                    "<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' "
                                    "fill='currentColor' fill-opacity='%.3f'/>",
                                    (double)from * side, (double)to * side, side, side,
                                    0.08 + 0.92 * sqrt(value / picture.most));
            }
        syn_text_format(out,
                        "<text x='%.0f' y='%.0f' text-anchor=middle font-size='12'>from rank 0 to "
                        "%.0f</text><text x='-12' y='%.0f' text-anchor=middle font-size='12' "
                        "transform='rotate(-90 -12 %.0f)'>to rank 0 to %.0f</text></svg></figure>",
                        pixels / 2, pixels + 20, (double)picture.cells * picture.ranks_of_cell - 1,
                        pixels / 2, pixels / 2, (double)picture.cells * picture.ranks_of_cell - 1);
    }
}
