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

/* ---- for programs ---- */

static void add_fact(void *ctx, const char *name, const char *value)
{
    syn_doc_fact(ctx, name, value);
}

static void tell_group(struct syn_doc *doc, const struct tune_session *session,
                       const struct tune_item *item, const double *result)
{
    static const struct tune_promise none = {0, NAN, NAN, NAN, NAN, NAN, NAN};
    const struct tune_group *group = item->group;
    const struct tune_candidate *best = item->best > 0 ? &item->candidate[item->best] : NULL;
    const struct tune_promise *promise = best ? &best->promise : &none;
    syn_doc_open(doc, NULL, '{');
    syn_doc_fact(doc, "op", syn_op_name(group->op));
    syn_doc_fact(doc, "comm_size", group->comm_size);
    syn_doc_fact(doc, "bytes", group->bytes);
    syn_doc_fact(doc, "share", share_of(session, group->operation_ns));
    syn_doc_fact(doc, "operation_ns", group->median_ns);
    syn_doc_fact(doc, "verdict", verdict_of(item));
    syn_doc_fact(doc, "why", item->why);
    syn_doc_fact(doc, "candidate", best ? (const char *)best->label : NULL);
    syn_doc_fact(doc, "launches", promise->n);
    syn_doc_fact(doc, "ratio", promise->ratio);
    syn_doc_fact(doc, "ratio_low", promise->low);
    syn_doc_fact(doc, "ratio_high", promise->high);
    syn_doc_fact(doc, "p_adjusted", promise->p);
    syn_doc_fact(doc, "inside_ratio", best ? item->inside_ratio : NAN);
    syn_doc_fact(doc, "gain_ns", tune_is_advised(item) ? item->gain_ns : 0.0);
    syn_doc_fact(doc, "kept", item->kept);
    syn_doc_fact(doc, "dropped", item->dropped);
    syn_doc_open_line(doc, "set", '{');
    tune_each_setting(session, item, add_fact, doc);
    syn_doc_close(doc);
    if (result)
        syn_doc_fact(doc, "result", *result);
    syn_doc_close(doc);
}

/* The names of a list, each with a newline behind it. */
static void list_names(struct syn_doc *doc, const char *key, const struct syn_text *names)
{
    char name[256];
    syn_doc_open_line(doc, key, '[');
    for (const char *at = names->data, *end = at + names->length; at && at < end;) {
        const size_t length = strcspn(at, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, at);
        syn_doc_fact(doc, NULL, (const char *)name);
        at += length + 1;
    }
    syn_doc_close(doc);
}

static void tell_all(struct syn_doc *doc, const struct tune_session *session,
                     const struct tune_proof *proof)
{
    syn_doc_open(doc, NULL, '{');
    syn_doc_fact(doc, "schema", 1);
    syn_doc_fact(doc, "mpi", (const char *)session->offers.mpi_version);
    syn_doc_fact(doc, "launches", session->launch_count);
    syn_doc_open(doc, "groups", '[');
    for (size_t i = 0; i < session->count; i++)
        tell_group(doc, session, &session->item[i],
                   i < proof->item_count ? &proof->ratio[i] : NULL);
    syn_doc_close(doc);
    syn_doc_open_line(doc, "set", '{');
    tune_each_setting(session, NULL, add_fact, doc);
    syn_doc_close(doc);
    list_names(doc, "refused", &session->refused);
    list_names(doc, "wrong", &session->wrong);
    list_names(doc, "broken", &session->broken);
    if (proof->item_count > 0)
        syn_doc_fact(doc, "run_ratio", proof->run_ratio);
    syn_doc_close(doc);
}

/* ---- for people ---- */

static void draw_groups(struct syn_doc *doc, const struct tune_session *session)
{
    static const struct syn_table_column columns[] = {{.title = "operation", .left = true},
                                                      {.title = "ranks"},
                                                      {.title = "bytes"},
                                                      {.title = "of the run"},
                                                      {.title = "now"},
                                                      {.title = "candidate", .left = true},
                                                      {.title = "ratio"},
                                                      {.title = "promised"},
                                                      {.title = "verdict", .left = true},
                                                      {.title = "brings"}};
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        syn_say_cell(doc, "{text}", syn_op_name(item->group->op));
        syn_say_cell(doc, "{n}", item->group->comm_size);
        syn_say_cell(doc, "{bytes}", item->group->bytes);
        syn_say_cell(doc, "{share}", share_of(session, item->group->operation_ns));
        syn_say_cell(doc, "{time}", item->group->median_ns);
        if (item->best > 0) {
            const struct tune_candidate *best = &item->candidate[item->best];
            syn_say_cell(doc, "{text}", (const char *)best->label);
            syn_say_cell(doc, "{number.2}", best->promise.ratio);
            syn_say_cell(doc, "{number.2..}", best->promise.low, best->promise.high);
        } else
            for (int k = 0; k < 3; k++)
                syn_doc_no_cell(doc);
        syn_say_cell(doc, "{text}", verdict_of(item));
        if (tune_is_advised(item))
            syn_say_cell(doc, "{share}", share_of(session, item->gain_ns));
        else
            syn_doc_no_cell(doc);
    }
}

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
        tune_each_setting(session, NULL, say_line, doc);
    }
    if (output)
        syn_say(doc, "Written to {text}.", output);
}

static void say_names(struct syn_doc *doc, const char *what, const struct syn_text *names)
{
    struct syn_text line = {0};
    for (size_t i = 0; i + 1 < names->length; i++)
        syn_text_append(&line, names->data[i] == '\n' ? ", " : &names->data[i],
                        names->data[i] == '\n' ? 2 : 1);
    if (line.length)
        syn_say_item(doc, "{text}: {text}.", what, syn_text_chars(&line));
    doc->failed |= line.failed;
    syn_text_free(&line);
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
    say_names(doc, "Not obeyed, or without effect", &session->refused);
    say_names(doc, "Wrong results, never advised", &session->wrong);
    say_names(doc, "Ended or hung the program, never advised", &session->broken);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        if (item->why)
            syn_say_item(doc, "{text} of {bytes} on {n} ranks: {text}.",
                         syn_op_name(item->group->op), item->group->bytes, item->group->comm_size,
                         item->why);
        else if (item->verdict == TUNE_BETTER && item->inside_ratio > 1)
            syn_say_item(
                doc, "{text} of {bytes}: the ranks spend more time inside it, ratio {number.2}.",
                syn_op_name(item->group->op), item->group->bytes, item->inside_ratio);
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
                     syn_op_name(item->group->op), item->group->bytes, promise->ratio, promise->low,
                     promise->high, ratio,
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
    tell_all(doc, session, proof);
    if (session->count > 0)
        draw_groups(doc, session);
    say_advice(doc, session, output);
    say_how(doc, session);
    say_proof(doc, session, proof);
}
