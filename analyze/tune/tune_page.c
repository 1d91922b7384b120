/* analyze/tune/tune_page.c - the answer, for people and for programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/tune/tune.h"
#include "trace/base/ops.h"

static const char *verdict_of(const struct tune_item *item)
{
    return item->why                       ? "cannot tell"
           : item->verdict == TUNE_BETTER  ? "better"
           : item->verdict == TUNE_NOTHING ? "nothing to gain"
                                           : "cannot tell";
}

static double share_of(const struct tune_session *session, double ns)
{
    return session->trace->run_ns > 0 ? ns / session->trace->run_ns : NAN;
}

static const char *name_of(const struct tune_item *item)
{
    return syn_op_name(item->group->op);
}

/* ---- facts ---- */

static void tell_groups(struct syn_doc *doc, const struct tune_session *session,
                        const struct tune_proof *proof)
{
    static const struct syn_table_column columns[] = {
        {.title = "operation", .key = "op", .left = true},
        {.title = "ranks", .key = "comm_size"},
        {.title = "bytes", .key = "bytes"},
        {.title = "of the run", .key = "share"},
        {.title = "now", .key = "operation_ns"},
        {.title = "candidate", .key = "candidate", .left = true},
        {.title = "ratio", .key = "ratio"},
        {.title = "promised"},
        {.title = "verdict", .key = "verdict", .left = true},
        {.title = "brings"},
        {.key = "why"},
        {.key = "launches"},
        {.key = "ratio_low"},
        {.key = "ratio_high"},
        {.key = "p_adjusted"},
        {.key = "inside_ratio"},
        {.key = "gain_ns"},
        {.key = "kept"},
        {.key = "dropped"},
        {.key = "result"}};
    static const struct tune_promise none = {0, NAN, NAN, NAN, NAN, NAN, NAN};
    syn_doc_table(doc, "groups", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        const struct tune_candidate *best = item->best ? &item->candidate[item->best] : NULL;
        const struct tune_promise *promise = best ? &best->promise : &none;
        const double gain_ns = tune_is_advised(item) ? item->gain_ns : 0;
        syn_say_cell(doc, "{text}", name_of(item));
        syn_say_cell(doc, "{n}", item->group->comm_size);
        syn_say_cell(doc, "{bytes}", item->group->bytes);
        syn_say_cell(doc, "{share}", share_of(session, item->group->operation_ns));
        syn_say_cell(doc, "{time}", item->group->median_ns);
        syn_say_cell(doc, "{text}", best ? (const char *)best->label : NULL);
        syn_say_cell(doc, "{number.2}", promise->ratio);
        if (best)
            syn_say_cell(doc, "{number.2..}", promise->low, promise->high);
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{text}", verdict_of(item));
        if (gain_ns > 0)
            syn_say_cell(doc, "{share}", share_of(session, gain_ns));
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{text}", item->why);
        syn_say_cell(doc, "{n}", promise->n);
        syn_say_cell(doc, "{number.2}", promise->low);
        syn_say_cell(doc, "{number.2}", promise->high);
        syn_say_cell(doc, "{number.2}", promise->p);
        syn_say_cell(doc, "{number.2}", best ? item->inside_ratio : NAN);
        syn_say_cell(doc, "{time}", gain_ns);
        syn_say_cell(doc, "{n}", item->kept);
        syn_say_cell(doc, "{n}", item->dropped);
        syn_say_cell(doc, "{number.2}", i < proof->item_count ? proof->ratio[i] : NAN);
    }
}

static void add_fact(void *ctx, const char *name, const char *value)
{
    syn_doc_fact(ctx, name, value);
}

/* Names, each with a newline behind it: a list for programs, and an item for people. */
static void tell_names(struct syn_doc *doc, const char *key, const char *title,
                       const struct syn_text *names)
{
    struct syn_text line = {0};
    char name[4 * TUNE_NAME_BYTES];
    syn_doc_open_line(doc, key, '[');
    for (const char *at = names->data, *end = at + names->length; at < end;
         at += strlen(name) + 1) {
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "\n"), at);
        syn_doc_fact(doc, NULL, (const char *)name);
        syn_text_format(&line, "%s%s", line.length ? ", " : "", name);
    }
    syn_doc_close(doc);
    if (line.length)
        syn_say_item(doc, "{text}: {text}.", title, syn_text_chars(&line));
    syn_text_free(&line);
}

/* ---- sentences ---- */

static void say_line(void *ctx, const char *name, const char *value)
{
    syn_say_note(ctx, "{text}={text}", name, value);
}

static void say_advice(struct syn_doc *doc, const struct tune_session *session, const char *output)
{
    const size_t count = tune_advised(session);
    double gain_ns = 0;
    for (size_t i = 0; i < session->count; i++)
        gain_ns += tune_is_advised(&session->item[i]) ? session->item[i].gain_ns : 0;
    syn_doc_heading(doc, "What to set");
    if (session->count == 0)
        syn_say(doc, "Nothing: no operation takes 1 % of the run.");
    else if (count == 0)
        syn_say(doc, "Nothing: no candidate is shown to be faster.");
    else {
        syn_say(doc,
                "{n} group{s} {is|are} faster with these, which brings {time}, {share} of a run:",
                count, gain_ns, share_of(session, gain_ns));
        tune_each_setting(session, say_line, doc);
    }
    if (output)
        syn_say(doc, "Written to {text}.", output);
}

static void say_how(struct syn_doc *doc, const struct tune_session *session)
{
    uint64_t kept = 0, dropped = 0;
    for (size_t i = 0; i < session->count; i++) {
        kept += session->item[i].kept;
        dropped += session->item[i].dropped;
    }
    syn_doc_heading(doc, "How it was measured");
    if (session->launch_count > 0) {
        syn_say_item(doc,
                     "{count} launch{|es}. {count} instances were kept and {count} dropped: a rank "
                     "had missed its entry.",
                     session->launch_count, kept, dropped);
        syn_say_item(
            doc, "The ranks arrived {text}. Data were bytes, of reductions doubles to be added.",
            session->even ? "together" : "as in instances of the trace");
    }
    tell_names(doc, "refused", "Not obeyed, or without effect", &session->refused);
    tell_names(doc, "wrong", "Wrong results, never advised", &session->wrong);
    tell_names(doc, "broken", "Ended or hung the program, never advised", &session->broken);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        if (item->why)
            syn_say_item(doc, "{text} of {bytes} on {n} ranks: {text}.", name_of(item),
                         item->group->bytes, item->group->comm_size, item->why);
        else if (item->verdict == TUNE_BETTER && item->inside_ratio > 1)
            syn_say_item(
                doc, "{text} of {bytes}: the ranks spend more time inside it, ratio {number.2}.",
                name_of(item), item->group->bytes, item->inside_ratio);
    }
}

static void say_proof(struct syn_doc *doc, const struct tune_session *session,
                      const struct tune_proof *proof)
{
    if (proof->item_count > 0)
        syn_doc_heading(doc, "Promise and result");
    for (size_t i = 0; i < proof->item_count; i++) {
        const struct tune_item *item = &session->item[i];
        if (!tune_is_advised(item))
            continue;
        const struct tune_promise *promise = &item->candidate[item->best].promise;
        const double ratio = proof->ratio[i];
        syn_say_item(doc,
                     "{text} of {bytes}: promised {number.2} {number.2..}, the program's "
                     "{number.2}: {text}.",
                     name_of(item), item->group->bytes, promise->ratio, promise->low, promise->high,
                     ratio,
                     isnan(ratio)                                      ? "not there"
                     : ratio >= promise->low && ratio <= promise->high ? "kept"
                                                                       : "not kept");
    }
    if (proof->item_count > 0)
        syn_say_item(doc,
                     "Duration of a run, with to without: {number.3}, of {n} run{s} each. Runs and "
                     "diff: {text}.",
                     proof->run_ratio, proof->run_count, TUNE_PROOF);
}

void tune_page(struct syn_doc *doc, const struct tune_session *session,
               const struct tune_proof *proof, const char *output)
{
    syn_doc_open(doc, NULL, '{');
    syn_doc_fact(doc, "schema", 1);
    syn_doc_fact(doc, "mpi", (const char *)session->offers.mpi_version);
    syn_doc_fact(doc, "launches", session->launch_count);
    tell_groups(doc, session, proof);
    say_advice(doc, session, output);
    syn_doc_open_line(doc, "set", '{');
    tune_each_setting(session, add_fact, doc);
    syn_doc_close(doc);
    say_how(doc, session);
    say_proof(doc, session, proof);
    if (proof->item_count > 0)
        syn_doc_fact(doc, "run_ratio", proof->run_ratio);
    syn_doc_close(doc);
}
