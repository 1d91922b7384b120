/* analyze/report/sections/efficiencies.c - writes the section of efficiencies by the keys of
 * --by. */
#include "analyze/print/units.h"
#include "analyze/report/findings/efficiency_rows.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/report_page.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/calls.h"

#define ROWS_MOST 8

static bool has(const struct syn_efficiency_rows *rows, enum syn_key key)
{
    return rows->by & SYN_BY(key);
}

/* Returns a name's text; NULL: there is none. */
static const char *name_of(const struct syn_report *report, uint32_t name)
{
    const char *text = syn_names_text(&report->names, name);
    return text && text[0] ? text : NULL;
}

/* ---- text ---- */

static const char *separator(const struct syn_text *out)
{
    return out->length ? ", " : "";
}

/* A run's rows, and the number of the run. */
struct rows_of_run {
    struct syn_efficiency_rows rows;
    uint32_t run;
};

static void write_line(struct syn_doc *doc, const struct syn_report *report,
                       const struct rows_of_run *of, const struct syn_efficiency_row *row)
{
    const struct syn_efficiency *efficiency = &row->efficiency;
    const struct syn_efficiency_key *key = syn_numbering_at(&of->rows.keys, row->key);
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    if (key->is_outside) {
        syn_text_string(&name, "after the last call");
    } else {
        /* "MPI_Bcast at main.c:31, phase solve" */
        const char *op = syn_call_name((uint16_t)key->op);
        const char *site = name_of(report, key->site), *phase = name_of(report, key->phase);
        if (has(&of->rows, SYN_KEY_OP))
            syn_text_string(&name, op ? op : "an operation");
        if (has(&of->rows, SYN_KEY_SITE)) {
            syn_text_string(&name, name.length ? " at " : "");
            syn_unit_place(&name, site ? site : "?");
        }
        if (has(&of->rows, SYN_KEY_PHASE))
            syn_text_format(&name, "%s%s%s", separator(&name), phase ? "phase " : "",
                            phase ? phase : "no phase");
        /* ", on MPI_COMM_WORLD, 8 B, root 0" */
        char bytes[SYN_UNIT_BYTES];
        const char *comm = name_of(report, key->comm);
        if (has(&of->rows, SYN_KEY_COMM))
            syn_text_format(&name, "%son %s", separator(&name),
                            comm ? comm : "an unknown communicator");
        if (has(&of->rows, SYN_KEY_BYTES))
            syn_text_format(&name, "%s%s", separator(&name),
                            key->bytes == SYN_BYTES_DIFFER
                                ? "sizes that differ by rank"
                                : syn_unit_bytes(bytes, (double)key->bytes));
        if (has(&of->rows, SYN_KEY_ROOT) && key->root >= 0)
            syn_text_format(&name, "%sroot %d", separator(&name), key->root);
        else if (has(&of->rows, SYN_KEY_ROOT))
            syn_text_format(&name, "%sno root", separator(&name));
    }
    /* ", rank 3, run 2" */
    const char *node = name_of(report, row->node);
    if (has(&of->rows, SYN_KEY_RANK))
        syn_text_format(&name, "%srank %d", separator(&name), row->rank);
    if (has(&of->rows, SYN_KEY_NODE))
        syn_text_format(&name, "%snode %s", separator(&name), node ? node : "?");
    if (has(&of->rows, SYN_KEY_RUN))
        syn_text_format(&name, "%srun %u", separator(&name), of->run);
    syn_words(syn_doc_draw(doc), "  {time:9} {share:8} {share:8} {share:8} {share:8} {share:8}  ",
              row->time_ns, efficiency->parallel, efficiency->load_balance,
              efficiency->communication, efficiency->waiting, efficiency->transfer);
    syn_text_harmless(syn_doc_draw(doc), syn_text_chars(&name));
    syn_text_char(syn_doc_draw(doc), '\n');
}

#define MEANING                                                                       \
    "time: of a rank, in these calls and leading to them; parallel = load balance x " \
    "communication, communication = waiting x transfer"

/* Writes rows of the typical run, or of each run. If --by was given, rows are also written if there
 * is only one phase besides the time after the last call.
 *
 * Plan: for each run: make its rows; before the first, write title and header; write the rows;
 * after the last, write what the columns mean. */
void syn_report_efficiencies_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const bool is_asked =
        report->options.by != SYN_BY_DEFAULT && !(report->options.by & SYN_BY(SYN_KEY_STACK));
    const unsigned by = is_asked ? report->options.by : SYN_BY(SYN_KEY_PHASE);
    const bool is_each = by & SYN_BY(SYN_KEY_RUN);
    if (report->options.rows != SYN_ROWS_GROUPS || syn_report_clocks_lost(report))
        return;
    const size_t count = is_each ? report->run_count : 1;
    for (size_t i = 0; i < count; i++) {
        const struct syn_run_facts *run = is_each ? &report->run[i] : syn_report_typical(report);
        struct rows_of_run of = {.run = run->run};
        const int status = syn_efficiency_rows_make(run, by, &of.rows);
        const bool is_shown = status == SYN_OK && (is_asked || of.rows.keys.count > 2);
        doc->failed |= status != SYN_OK;
        if (is_shown && i == 0) {
            SYN_CLEANUP(syn_text_free) struct syn_text title = {0};
            if (has(&of.rows, SYN_KEY_RUN))
                syn_text_string(&title, "Efficiencies");
            else
                syn_report_typical_title(report, "Efficiencies", &title);
            syn_doc_heading(doc, syn_text_chars(&title));
            syn_text_format(syn_doc_draw(doc), "  %9s %8s %8s %8s %8s %8s\n", "time", "parallel",
                            "balance", "commun.", "waiting", "transfer");
        }
        if (is_shown) {
            const size_t most = ROWS_MOST, shown = syn_least(of.rows.count, most);
            for (size_t j = 0; j < shown; j++)
                write_line(doc, report, &of, &of.rows.row[j]);
            if (shown < of.rows.count)
                syn_text_format(syn_doc_draw(doc), "  and %zu more (--format json)\n",
                                of.rows.count - shown);
        }
        if (is_shown && i + 1 == count) {
            const bool of_ranks = has(&of.rows, SYN_KEY_RANK) || has(&of.rows, SYN_KEY_NODE);
            syn_say_note(doc, "{text}",
                         of_ranks ? MEANING "; balance: the work of these ranks, to that of the "
                                            "rank of all with the most; the rest is of all ranks"
                                  : MEANING);
        }
        syn_efficiency_rows_free(&of.rows);
    }
}
