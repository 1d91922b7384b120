/* analyze/report/sections/report_strip.c - draws ranks x time in characters: the share of its time
 * that each rank waited for late ranks, from the run's begin to its end. */
#include <stdio.h>
#include <string.h>

#include "analyze/print/units.h"
#include "analyze/report/findings/rank_time.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/integers.h"

#define ROWS_MOST   16
#define COLUMN_MOST 64
#define LABEL_WIDTH 14
/* There is no picture if waiting is a smaller share of the run. */
#define WAITING_THAT_MATTERS 0.01
/* A page without --verbose has no picture if waiting is a smaller share of the run. */
#define WAITING_TO_LOOK_AT 0.05

/* The character for a share is that of the last `from` that it reaches. */
static const struct {
    double from;
    char sign;
} levels[] = {{0.01, '.'}, {0.05, ':'}, {0.2, '+'}, {0.5, '#'}};

struct strip {
    struct syn_rank_time time;
    uint32_t rows, columns;
    uint32_t rows_each, bins_each; /* rows and bins of `time` in one of the strip */
};

static uint32_t divided(uint32_t count, uint32_t by)
{
    return (count + by - 1) / by;
}

static int32_t first_rank(const struct strip *strip, uint32_t row)
{
    const int32_t rank = (int32_t)(row * strip->rows_each) * strip->time.ranks_per_row;
    return syn_least(rank, strip->time.rank_count);
}

/* Returns the waiting of a row's ranks in a column, as a share of their time. */
static double share_at(const struct strip *strip, uint32_t row, uint32_t column)
{
    const struct syn_rank_time *time = &strip->time;
    const uint32_t from = column * strip->bins_each;
    double waiting = 0;
    uint32_t bins = 0;
    for (uint32_t b = from; b < time->bin_count && b < from + strip->bins_each; b++, bins++)
        for (uint32_t r = row * strip->rows_each;
             r < time->row_count && r < (row + 1) * strip->rows_each; r++)
            waiting += time->waiting[(size_t)r * time->bin_count + b];
    const double ranks = first_rank(strip, row + 1) - first_rank(strip, row);
    return waiting / (ranks * bins * time->bin_ns);
}

static char sign_of(double share)
{
    char sign = ' ';
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (share >= levels[i].from)
            sign = levels[i].sign;
    return sign;
}

static void write_axis(struct syn_doc *doc, const struct strip *strip)
{
    char end[SYN_UNIT_BYTES];
    syn_unit_time(end, strip->time.bin_ns * strip->time.bin_count);
    const int room = (int)strip->columns - (int)strlen(end);
    syn_text_format(syn_doc_draw(doc), "%*s%-*s%s\n", LABEL_WIDTH + 1, "", syn_largest(room, 1),
                    "0", end);
    syn_say_note(doc, "share of its time that a rank waited: . from 1 %, : 5 %, + 20 %, # 50 %");
}

/* Lays out rows and columns, then writes a line for each row of ranks. */
void syn_report_strip_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const struct syn_run_facts *run = syn_report_typical(report);
    struct syn_rank_time time;
    const double ns = (double)run->findings.run_ns * run->causes.plan.location_count;
    const bool is_short = !syn_report_tells_all(doc, report);
    const double least = is_short ? WAITING_TO_LOOK_AT : WAITING_THAT_MATTERS;
    if (!((double)run->causes.sums.waiting_ns >= least * ns) || run->rank_count < 2 ||
        syn_report_clocks_lost(report) || (is_short && syn_report_processors_lost(run)))
        return;
    if (syn_rank_time_make(run, SYN_RANK_TIME_ROWS, &time)) {
        doc->failed = true;
    } else {
        struct strip strip = {.time = time};
        const size_t room = doc->terminal->width - LABEL_WIDTH - 2;
        const uint32_t most = room < COLUMN_MOST ? (uint32_t)room : COLUMN_MOST;
        strip.rows_each = divided(time.row_count, ROWS_MOST);
        strip.rows_each += strip.rows_each == 0;
        strip.bins_each = divided(time.bin_count, most);
        strip.bins_each += strip.bins_each == 0;
        strip.rows = divided(time.row_count, strip.rows_each);
        strip.columns = divided(time.bin_count, strip.bins_each);
        SYN_CLEANUP(syn_text_free) struct syn_text title = {0};
        syn_report_typical_title(report, "When ranks waited", &title);
        syn_doc_heading(doc, syn_text_chars(&title));
        for (uint32_t row = 0; row < strip.rows; row++) {
            const int32_t first = first_rank(&strip, row), last = first_rank(&strip, row + 1) - 1;
            char label[40];
            if (first == last)
                snprintf(label, sizeof label, "rank %d", first);
            else
                snprintf(label, sizeof label, "%d-%d", first, last);
            syn_text_format(syn_doc_draw(doc), "%*s |", LABEL_WIDTH - 1, label);
            for (uint32_t column = 0; column < strip.columns; column++)
                syn_text_char(syn_doc_draw(doc), sign_of(share_at(&strip, row, column)));
            syn_text_string(syn_doc_draw(doc), "|\n");
        }
        write_axis(doc, &strip);
    }
    syn_rank_time_free(&time);
}
