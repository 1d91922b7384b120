/* analyze/diff/page/diff_messages.c - writes which messages wait longer, or take longer, by call
 * site and by pair of ranks, as a table. */
#include <math.h>

#include "analyze/diff/page/diff_html.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/units.h"
#include "sync/base/integers.h"

/* Without enough runs for a test, a change is shown if it is at least this share of the run. */
#define SHARE_THAT_MATTERS 0.01

static bool is_shown(const struct syn_diff *diff, const struct syn_segment *item)
{
    if (!syn_segment_is_on_both(item))
        return false;
    if (item->verdict == SYN_VERDICT_TOO_FEW_RUNS)
        return fabs(item->change_ns) >= SHARE_THAT_MATTERS * diff->total[SYN_TOTAL_RUN].a;
    return item->verdict == SYN_VERDICT_SLOWER || item->verdict == SYN_VERDICT_FASTER ||
           item->verdict == SYN_VERDICT_UNCLEAR;
}

void syn_diff_message_where(const struct syn_segment *item, struct syn_text *out)
{
    if (item->op)
        syn_words(out, "{text} {text}", syn_unit_op(item->op),
                  item->half[item->half[0].run_count == 0].from);
    else
        syn_words(out, "rank {rank} to {rank}", item->messages.source, item->messages.destination);
}

const char *syn_diff_message_words(enum syn_diff_message kind)
{
    static const char *const times[] = {[SYN_MESSAGES_LATE_SENDER] = "late sender",
                                        [SYN_MESSAGES_LATE_RECEIVER] = "late receiver",
                                        [SYN_MESSAGES_TRANSFER] = "transfer"};
    return times[kind];
}

void syn_diff_messages_section(struct syn_doc *doc, const void *facts)
{
    static const struct syn_table_column columns[] = {
        {.title = "messages", .left = true, .flexible = true, .width_min = 12},
        {.title = "time", .left = true},
        {.title = "A"},
        {.title = "B"},
        {.title = "change"},
        {.title = "interval", .left = true},
        {.title = "B/A", .optional = 2},
        {.title = "p", .left = true, .optional = 3},
        {.title = "of a run", .optional = 1},
        {.title = "verdict", .left = true}};
    const struct syn_diff *diff = facts;
    const struct syn_diff_segments *messages = &diff->messages;
    const size_t most =
        diff->options.top && doc->format != SYN_DOC_HTML ? diff->options.top : SIZE_MAX;
    size_t shown = 0;
    if (messages->count == 0)
        return;
    syn_doc_heading(doc, "In messages");
    for (size_t i = 0; i < messages->count; i++) {
        if (!is_shown(diff, &messages->item[i]) || shown++ >= most)
            continue;
        if (shown == 1)
            syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
        const struct syn_segment *item = &messages->item[i];
        char change[SYN_UNIT_BYTES];
        syn_diff_message_where(item, syn_doc_begin(doc, SYN_DOC_CELL));
        syn_say_cell(doc, "{text}", syn_diff_message_words(item->messages.kind));
        syn_say_cell(doc, "{time}", item->half[0].median.value);
        syn_say_cell(doc, "{time}", item->half[1].median.value);
        syn_say_cell(doc, "{text}{time}", item->change.estimate > 0 ? "+" : "",
                     item->change.estimate);
        if (isfinite(item->change.low))
            syn_say_cell(doc, "{time..}", item->change.low, item->change.high);
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{text}",
                     syn_diff_change(change, item->ratio.estimate,
                                     syn_diff_scale_with(SYN_SCALE_PERCENT, &item->ratio)));
        syn_say_cell(doc, "{text}", isfinite(item->p_adjusted) ? syn_stars(item->p_adjusted) : "-");
        syn_say_cell(doc, "{time}", item->change_ns);
        syn_say_cell(doc, "{text}", syn_verdict_text(item->verdict));
    }
    if (shown > most)
        syn_say(doc, "{n} more row{s} (--top 0 shows all).", shown - most);
    syn_say(
        doc,
        "{n} row{s} of at least 1 % of a rank's time {is|are} compared, by the mean of a message",
        messages->both_count);
    syn_segments_in_all(messages, syn_doc_more(doc));
}
