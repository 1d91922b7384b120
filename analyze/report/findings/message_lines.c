/* analyze/report/findings/message_lines.c - computes figures and words for each row of messages. */
#include "analyze/report/findings/message_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/figures/tally.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"

#define READ_AT_ONCE ((size_t)1 << 16)

/* ---- the transfer ---- */

static int count_values(const struct syn_column *column, const struct syn_store *store,
                        struct syn_tally *tally)
{
    int64_t *value = malloc(READ_AT_ONCE * sizeof *value), least, most;
    int status = value ? SYN_OK : SYN_ENOMEM;
    syn_column_range(column, 0, column->count, &least, &most);
    SYN_STEP(status, syn_tally_begin(tally, least, most, column->count));
    for (size_t first = 0; first < column->count && status == SYN_OK; first += READ_AT_ONCE) {
        const size_t count = syn_least(READ_AT_ONCE, column->count - first);
        status = syn_column_read(column, store, first, count, value);
        SYN_STEP(status, syn_tally_add(tally, value, count));
    }
    free(value);
    return status == SYN_OK ? syn_tally_close(tally) : status;
}

/* Computes median, interval and rate. They are NAN if times are too far apart for a tally. */
static int find_median(const struct syn_report *report, struct syn_message_line *line,
                       struct syn_tally *tally)
{
    struct syn_median median = {NAN, NAN, NAN};
    int status = line->row->transfer.count > 0
                     ? count_values(&line->row->transfer, report->groups.store, tally)
                     : SYN_EINVAL;
    if (status == SYN_OK) {
        const struct syn_ordered values = syn_tally_ordered(tally);
        syn_median_of_ordered(&values, report->options.confidence, &median);
    }
    line->median = median.value;
    line->low = median.low;
    line->high = median.high;
    line->rate_bytes_per_s =
        line->bytes > 0 && median.value > 0 ? line->bytes / median.value * 1e9 : NAN;
    return status == SYN_EINVAL ? SYN_OK : status;
}

/* ---- words ---- */

static void find_late(const struct syn_message_table *table, uint32_t row,
                      struct syn_message_line *line)
{
    int64_t most_ns = 0;
    line->late = -1;
    for (size_t i = 0; i < table->late_count; i++) {
        const struct syn_message_late *late = &table->late[i];
        if (late->row == row && (late->waiting_ns > most_ns ||
                                 (late->waiting_ns == most_ns && late->rank < line->late))) {
            most_ns = late->waiting_ns;
            line->late = late->rank;
        }
    }
    line->late_share =
        line->row->waiting_ns > 0 ? (double)most_ns / (double)line->row->waiting_ns : NAN;
}

SYN_ORDER(by_time, struct syn_message_line,
          SYN_DOWN(inside_ns) ?: SYN_UP(row->key.op) ?: strcmp(a->site, b->site)
                              ?: SYN_UP(row->key.size) ?: SYN_UP(row->key.receives))

int syn_message_lines_make(const struct syn_report *report, const struct syn_run_facts *run,
                           struct syn_message_lines *out)
{
    const struct syn_message_table *table = &run->messages.table;
    struct syn_tally tally = {0};
    int status = SYN_OK;
    *out = (struct syn_message_lines){.line = calloc(table->row_count + 1, sizeof *out->line)};
    if (!out->line)
        return SYN_ENOMEM;
    for (uint32_t i = 0; i < table->row_count && status == SYN_OK; i++) {
        const struct syn_message_row *row = &table->row[i];
        struct syn_message_line *line = &out->line[out->count++];
        *line = (struct syn_message_line){
            .row = row,
            .site = syn_names_text(&report->names, row->key.site),
            .bytes = row->count > row->cancelled_count
                         ? (double)row->bytes / (double)(row->count - row->cancelled_count)
                         : NAN,
            .inside_ns = (double)(row->waiting_ns + row->transfer_ns)};
        /* describe the partners: one rank with many, or distances that are the same for all
         * ranks */
        const size_t bytes = sizeof line->partners;
        const struct syn_message_pattern *pattern = &row->pattern;
        const int32_t from = row->key.receives ? pattern->peer : pattern->own;
        const int32_t to = row->key.receives ? pattern->own : pattern->peer;
        size_t used = 0;
        if (from == -1)
            snprintf(line->partners, bytes, "unknown");
        else if (from >= 0 && to >= 0)
            snprintf(line->partners, bytes, "%d to %d", from, to);
        else if (from >= 0)
            snprintf(line->partners, bytes, "%d to many", from);
        else if (to >= 0)
            snprintf(line->partners, bytes, "many to %d", to);
        else if (pattern->offset_count > SYN_OFFSETS_MAX)
            snprintf(line->partners, bytes, "many to many");
        else
            used = (size_t)snprintf(line->partners, bytes, "neighbours");
        for (uint8_t j = 0; used > 0 && j < pattern->offset_count && used < bytes; j++)
            used +=
                (size_t)snprintf(line->partners + used, bytes - used, " %+d", pattern->offset[j]);
        find_late(table, i, line);
        status = find_median(report, line, &tally);
    }
    syn_tally_free(&tally);
    if (status == SYN_OK)
        qsort(out->line, out->count, sizeof *out->line, by_time);
    return status;
}

void syn_message_lines_free(struct syn_message_lines *lines)
{
    free(lines->line);
    *lines = (struct syn_message_lines){0};
}
