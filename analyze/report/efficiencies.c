/* analyze/report/efficiencies.c - efficiencies by phase, operation or call site, out of the sums of
 * the causes: a segment belongs to the call that it leads to. */
#include "analyze/report/efficiencies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/profile.h"
#include "analyze/print/units.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define ROWS_MOST     8
#define KEYS_OF_CALLS (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_PHASE))

/* What is no key is 0 in all. */
struct key {
    uint32_t site, phase, op;
    uint32_t is_outside; /* behind the last call */
};

struct row {
    uint32_t key;
    double time_ns; /* mean over the ranks */
    double length_ns, transfer_ns;
    struct syn_efficiency efficiency;
};

struct rows {
    unsigned by;
    struct syn_numbering keys;
    uint32_t *key_of;            /* [label count] */
    struct row *row;             /* [keys.count], the longest first */
    double *useful_ns, *time_ns; /* [rank_count] of the row in hand */
};

static void rows_free(struct rows *rows)
{
    syn_numbering_free(&rows->keys);
    free(rows->key_of);
    free(rows->row);
    free(rows->useful_ns);
    free(rows->time_ns);
}

static struct key key_of(const struct syn_causes *causes, unsigned by, uint32_t number)
{
    const struct syn_label *label = syn_label_at(&causes->tables, number);
    const uint32_t point = syn_label_is_call(label) ? label->from : label->to;
    const struct syn_cause_point *at = syn_point_at(&causes->tables, point);
    struct key key = {0};
    if (point == SYN_POINT_OUTSIDE) {
        key.is_outside = 1;
        return key;
    }
    key.site = by & SYN_BY(SYN_KEY_SITE) ? at->site : 0;
    key.phase = by & SYN_BY(SYN_KEY_PHASE) ? at->phase : 0;
    key.op = by & SYN_BY(SYN_KEY_OP) ? at->op : 0;
    return key;
}

static void add_call(const struct syn_causes *causes, uint32_t location, uint32_t label,
                     struct rows *rows, struct row *row)
{
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    const int32_t rank = causes->plan.location[location].rank;
    rows->time_ns[rank] +=
        (double)(syn_cell_ns(&causes->sums, location, label, SYN_PART_OPERATION) +
                 syn_cell_ns(&causes->sums, location, label, SYN_PART_WAITING));
    for (int slot = 0; cell && slot < SYN_SLOT_COUNT; slot++)
        row->transfer_ns += (double)cell->path_ns[slot];
}

static void add_segment(const struct syn_causes *causes, uint32_t location, uint32_t label,
                        struct rows *rows, struct row *row)
{
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    const int32_t rank = causes->plan.location[location].rank;
    const double messages_ns =
        (double)syn_cell_ns(&causes->sums, location, label, SYN_PART_MESSAGES);
    const double own_ns = (double)(syn_cell_ns(&causes->sums, location, label, SYN_PART_COMPUTING) +
                                   syn_cell_ns(&causes->sums, location, label, SYN_PART_OFF_CPU));
    rows->useful_ns[rank] += own_ns;
    rows->time_ns[rank] += own_ns + messages_ns;
    row->transfer_ns += cell ? (double)cell->path_ns[syn_part_slot(SYN_PART_MESSAGES)] : 0;
}

static void add_label(const struct syn_causes *causes, uint32_t label, struct rows *rows,
                      struct row *row)
{
    const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, label));
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        (is_call ? add_call : add_segment)(causes, i, label, rows, row);
}

/* Those that were recorded, side by side. Returns how many. */
static size_t close_ranks(const struct syn_causes *causes, struct rows *rows, struct row *row)
{
    size_t count = 0;
    double sum_ns = 0;
    for (int32_t r = 0; r < causes->plan.rank_count; r++) {
        if (causes->plan.first_location[r + 1] == causes->plan.first_location[r])
            continue;
        sum_ns += rows->time_ns[r];
        row->length_ns = fmax(row->length_ns, rows->time_ns[r]);
        rows->useful_ns[count++] = rows->useful_ns[r];
    }
    row->time_ns = count > 0 ? sum_ns / (double)count : 0;
    return count;
}

static void make_row(const struct syn_causes *causes, uint32_t key, struct rows *rows)
{
    const size_t bytes = (size_t)causes->plan.rank_count * sizeof *rows->useful_ns;
    struct row *row = &rows->row[key];
    *row = (struct row){.key = key};
    memset(rows->useful_ns, 0, bytes);
    memset(rows->time_ns, 0, bytes);
    for (uint32_t label = 0; label < causes->tables.labels.count; label++)
        if (rows->key_of[label] == key)
            add_label(causes, label, rows, row);
    const size_t count = close_ranks(causes, rows, row);
    const struct syn_efficiency_of of = {rows->useful_ns, count, row->length_ns, row->transfer_ns};
    syn_efficiency_make(&of, &row->efficiency);
}

static int by_time(const void *left, const void *right)
{
    const struct row *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns > b->time_ns ? -1 : 1;
    return (a->key > b->key) - (a->key < b->key);
}

/* 0 or SYN_ENOMEM; free in any case. */
static int make_rows(const struct syn_run_facts *run, unsigned by, struct rows *out)
{
    const struct syn_causes *causes = &run->causes;
    const size_t ranks = (size_t)causes->plan.rank_count, labels = causes->tables.labels.count;
    *out = (struct rows){.by = by};
    syn_numbering_begin(&out->keys, sizeof(struct key));
    out->key_of = malloc((labels + 1) * sizeof *out->key_of);
    out->useful_ns = malloc((ranks + 1) * sizeof *out->useful_ns);
    out->time_ns = malloc((ranks + 1) * sizeof *out->time_ns);
    if (!out->key_of || !out->useful_ns || !out->time_ns)
        return SYN_ENOMEM;
    for (uint32_t label = 0; label < labels; label++) {
        const struct key key = key_of(causes, by, label);
        out->key_of[label] = syn_numbering_of(&out->keys, &key);
        if (out->key_of[label] == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    out->row = malloc((out->keys.count + 1) * sizeof *out->row);
    if (!out->row)
        return SYN_ENOMEM;
    for (uint32_t key = 0; key < out->keys.count; key++)
        make_row(causes, key, out);
    if (out->keys.count > 1)
        qsort(out->row, out->keys.count, sizeof *out->row, by_time);
    return 0;
}

static unsigned keys_of(const struct syn_report *report)
{
    const unsigned by = report->options.by & KEYS_OF_CALLS;
    return by ? by : SYN_BY(SYN_KEY_PHASE);
}

/* ---- JSON ---- */

static void write_key(struct syn_json *json, const struct syn_report *report,
                      const struct rows *rows, const struct key *key)
{
    const char *phase = syn_names_text(&report->names, key->phase);
    if (rows->by & SYN_BY(SYN_KEY_OP))
        syn_json_string(json, "op", key->is_outside ? NULL : syn_op_name((uint16_t)key->op));
    if (rows->by & SYN_BY(SYN_KEY_SITE))
        syn_json_string(json, "site",
                        key->is_outside ? NULL : syn_names_text(&report->names, key->site));
    if (rows->by & SYN_BY(SYN_KEY_PHASE))
        syn_json_string(json, "phase", key->is_outside || !phase || !phase[0] ? NULL : phase);
}

static void write_row(struct syn_json *json, const struct syn_report *report,
                      const struct rows *rows, const struct row *row)
{
    const struct key *key = syn_numbering_at(&rows->keys, row->key);
    syn_json_open_line(json, NULL, '{');
    write_key(json, report, rows, key);
    syn_json_bool(json, "after_last_call", key->is_outside);
    syn_json_number(json, "time_ns", row->time_ns);
    syn_json_number(json, "longest_ns", row->length_ns);
    syn_json_number(json, "parallel", row->efficiency.parallel);
    syn_json_number(json, "load_balance", row->efficiency.load_balance);
    syn_json_number(json, "communication", row->efficiency.communication);
    syn_json_number(json, "waiting", row->efficiency.waiting);
    syn_json_number(json, "transfer", row->efficiency.transfer);
    syn_json_close(json);
}

void syn_report_efficiencies_json(struct syn_json *json, const struct syn_report *report,
                                  const struct syn_run_facts *run)
{
    struct rows rows;
    const int status = make_rows(run, keys_of(report), &rows);
    json->text->failed |= status != SYN_OK;
    syn_json_open(json, "efficiencies", '[');
    for (size_t i = 0; status == SYN_OK && i < rows.keys.count; i++)
        write_row(json, report, &rows, &rows.row[i]);
    syn_json_close(json);
    rows_free(&rows);
}

/* ---- text ---- */

/* "MPI_Bcast at main.c:31 in phase solve". */
static void write_name(const struct syn_report *report, const struct rows *rows,
                       const struct key *key, struct syn_text *out)
{
    const char *op = syn_op_name((uint16_t)key->op), *site = NULL, *phase = NULL;
    if (key->is_outside) {
        syn_text_string(out, "after the last call");
        return;
    }
    site = syn_names_text(&report->names, key->site);
    phase = syn_names_text(&report->names, key->phase);
    if (rows->by & SYN_BY(SYN_KEY_OP))
        syn_text_string(out, op ? op : "an operation");
    if (rows->by & SYN_BY(SYN_KEY_SITE))
        syn_text_format(out, "%s%s", out->length ? " at " : "", site ? site : "?");
    if (rows->by & SYN_BY(SYN_KEY_PHASE))
        syn_text_format(out, "%s%s%s", out->length ? ", " : "", phase && phase[0] ? "phase " : "",
                        phase && phase[0] ? phase : "no phase");
}

static void write_line(const struct syn_report_writer *to, const struct rows *rows,
                       const struct row *row)
{
    char time[SYN_UNIT_BYTES], part[5][SYN_UNIT_BYTES];
    const struct syn_efficiency *of = &row->efficiency;
    struct syn_text name = {0};
    write_name(to->report, rows, syn_numbering_at(&rows->keys, row->key), &name);
    syn_text_format(
        to->text, "  %9s %8s %8s %8s %8s %8s  %s\n", syn_unit_time(time, row->time_ns),
        syn_unit_share(part[0], of->parallel), syn_unit_share(part[1], of->load_balance),
        syn_unit_share(part[2], of->communication), syn_unit_share(part[3], of->waiting),
        syn_unit_share(part[4], of->transfer), syn_text_chars(&name));
    syn_text_free(&name);
}

static void write_lines(const struct syn_report_writer *to, const struct rows *rows)
{
    const size_t count = rows->keys.count, most = ROWS_MOST, shown = syn_least(count, most);
    syn_report_heading(to,
                       to->report->run_count > 1 ? "Efficiencies (the first run)" : "Efficiencies");
    syn_text_format(to->text, "  %9s %8s %8s %8s %8s %8s\n", "time", "parallel", "balance",
                    "commun.", "waiting", "transfer");
    for (size_t i = 0; i < shown; i++)
        write_line(to, rows, &rows->row[i]);
    if (shown < count)
        syn_text_format(to->text, "  and %zu more (--format json)\n", count - shown);
    syn_report_paragraph(to, 2, "  ",
                         "time: of a rank, in these calls and leading to them; parallel = load "
                         "balance x communication, communication = waiting x transfer");
}

void syn_report_efficiencies_section(const struct syn_report_writer *to)
{
    const unsigned by = to->report->options.by;
    const bool asked = !(by & ~KEYS_OF_CALLS);
    struct rows rows;
    if (to->report->options.rows != SYN_ROWS_GROUPS || syn_report_clocks_lost(to->report))
        return;
    if (make_rows(&to->report->run[0], asked ? by : SYN_BY(SYN_KEY_PHASE), &rows))
        to->text->failed = true;
    else if (asked || rows.keys.count > 2) /* one phase, and behind the last call */
        write_lines(to, &rows);
    rows_free(&rows);
}
