/* analyze/tune/tune_page.c - writes the answer, for people and for programs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/figures/figure_walk.h"
#include "analyze/print/figures/figure_writer.h"
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

static const struct tune_candidate *best_of(const struct tune_item *item)
{
    static const struct tune_candidate none = {.promise = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    return item->best ? &item->candidate[item->best] : &none;
}

/* ---- for programs ---- */

struct shown {
    struct syn_figure_writer out;
    const struct tune_session *session;
};

static void show_setting(void *ctx, const char *name, const char *value)
{
    syn_put_text(&((struct shown *)ctx)->out, name, value);
}

/* Writes the medians of the launches that decide; of calls in a row if `row`. */
static void show_medians(struct shown *to, const struct tune_item *item, size_t candidate, bool row)
{
    for (size_t i = 0; i < to->session->decided && item->best; i++) {
        const struct tune_candidate *of = &item->candidate[candidate];
        syn_put_figure(&to->out, NULL, round(exp(row ? of->log_row[i] : of->log_ns[i])));
    }
}

/* Writes names, each followed by a newline in `names`, as values. */
static void show_names(struct shown *to, const struct syn_text *names)
{
    for (size_t at = 0; at < names->length;) {
        char name[4 * TUNE_NAME_BYTES];
        const size_t length = strcspn(names->data + at, "\n");
        snprintf(name, sizeof name, "%.*s", (int)length, names->data + at);
        syn_put_text(&to->out, NULL, name);
        at += length + 1;
    }
}

#define SHOW(name, of, call)                               \
    static void name(struct shown *to, const struct of *o) \
    {                                                      \
        call;                                              \
    }
SHOW(show_now, tune_item, show_medians(to, o, 0, false))
SHOW(show_best, tune_item, show_medians(to, o, o->best, false))
SHOW(show_now_row, tune_item, show_medians(to, o, 0, true))
SHOW(show_best_row, tune_item, show_medians(to, o, o->best, true))
SHOW(show_item_settings, tune_item, tune_each_setting(to->session, o, show_setting, to))
SHOW(show_settings, tune_session, tune_each_setting(o, NULL, show_setting, to))
SHOW(show_refused, tune_session, show_names(to, &o->refused))
SHOW(show_wrong, tune_session, show_names(to, &o->wrong))
SHOW(show_broken, tune_session, show_names(to, &o->broken))

#include "analyze/tune/tune.def"

static void show_answer(struct syn_json *json, const void *session)
{
    struct shown to = {.out = syn_figures_as_json(json), .session = session};
    rows_of_tune_session(&to, session);
}

/* ---- for people ---- */

static const char *name_of(const struct tune_item *item)
{
    return syn_op_name(item->group->op);
}

static void say_groups(struct syn_doc *doc, const struct tune_session *session)
{
    static const struct syn_table_column columns[] = {
        {.title = "operation", .left = true},
        {.title = "ranks", .optional = 3},
        {.title = "bytes"},
        {.title = "of run"},
        {.title = "now"},
        {.title = "candidate", .left = true, .optional = 1},
        {.title = "ratio", .optional = 2},
        {.title = "promised"},
        {.title = "verdict", .left = true},
        {.title = "brings"}};
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        const struct tune_candidate *best = best_of(item);
        syn_say_cell(doc, "{text}", name_of(item));
        syn_say_cell(doc, "{n}", item->group->comm_size);
        syn_say_cell(doc, "{bytes}", item->group->bytes);
        syn_say_cell(doc, "{share}", share_of(session, item->group->operation_ns));
        syn_say_cell(doc, "{time}", item->group->median_ns);
        syn_say_cell(doc, "{text}", item->best ? (const char *)best->label : NULL);
        syn_say_cell(doc, "{number.2}", best->promise.ratio);
        if (item->best)
            syn_say_cell(doc, "{number.2..}", best->promise.low, best->promise.high);
        else
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
    double gain_ns = 0, certain_ns = 0;
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        gain_ns += tune_is_advised(item) ? item->gain_ns : 0;
        certain_ns += tune_is_advised(item)
                          ? item->group->operation_ns * (1 - best_of(item)->promise.high)
                          : 0;
    }
    if (session->count > 0)
        syn_say(doc, "Promised: the time with the best candidate, as a part of the time now.");
    syn_doc_heading(doc, "What to set");
    if (session->count == 0)
        syn_say(doc, "Nothing: no operation takes 1 % of the run.");
    else if (count == 0)
        syn_say(doc, "Nothing: no candidate is shown to be faster.");
    else {
        syn_say(doc,
                "{n} group{s} {is|are} faster with these, which brings {time}, {share} of a run, "
                "and {share} at least:",
                count, gain_ns, share_of(session, gain_ns), share_of(session, certain_ns));
        tune_each_setting(session, NULL, say_line, doc);
        for (size_t i = 0; i < session->count; i++) {
            const struct tune_item *item = &session->item[i];
            if (tune_is_advised(item))
                syn_say_item(doc,
                             "{text} of {bytes} on {n} ranks: {text} takes {share} of the time.",
                             name_of(item), item->group->bytes, item->group->comm_size,
                             (const char *)best_of(item)->label, best_of(item)->promise.ratio);
        }
        if (!session->rules_path && tune_offers_have_rules(&session->offers))
            syn_say(doc, "These leave the rules of {text}; with -o all others of its rules stay.",
                    (const char *)tune_offers_find(&session->offers, TUNE_RULES_FILE)->value);
    }
    if (output && count > 0)
        syn_say(doc, "Written to {text}; in a shell \". {text}{text}\" sets it.", output,
                strchr(output, '/') ? "" : "./", output);
    else if (output)
        syn_say(doc, "{text} sets nothing.", output);
}

/* Writes names, each followed by a newline in `names`, as one item. */
static void say_names(struct syn_doc *doc, const char *title, const struct syn_text *names)
{
    struct syn_text line = {0};
    for (size_t i = 0; i + 1 < names->length; i++)
        if (names->data[i] == '\n')
            syn_text_string(&line, ", ");
        else
            syn_text_char(&line, names->data[i]);
    if (line.length)
        syn_say_item(doc, "{text}: {text}.", title, syn_text_chars(&line));
    syn_text_free(&line);
}

static void say_how(struct syn_doc *doc, const struct tune_session *session)
{
    uint64_t kept = 0, dropped = 0;
    syn_doc_heading(doc, "How it was measured");
    for (size_t i = 0; i < session->count; i++) {
        kept += session->item[i].kept;
        dropped += session->item[i].dropped;
    }
    if (session->launch_count > 0)
        syn_say_item(doc,
                     "{count} launch{|es}. {count} instances were kept and {count} dropped: a rank "
                     "had missed its entry. The ranks arrived {text}. Data were bytes, of "
                     "reductions doubles to be added.",
                     session->launch_count, kept, dropped,
                     session->even ? "together" : "as in instances of the trace");
    say_names(doc, "Not obeyed, or without effect", &session->refused);
    say_names(doc, "Wrong results, never advised", &session->wrong);
    say_names(doc, "Ended or hung the program, never advised", &session->broken);
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

static void say_proof(struct syn_doc *doc, const struct tune_session *session)
{
    if (session->proof_runs == 0)
        return;
    syn_doc_heading(doc, "Promise and result");
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        const struct tune_promise *promise = &best_of(item)->promise;
        if (tune_is_advised(item))
            syn_say_item(doc,
                         "{text} of {bytes}: promised {number.2} {number.2..}, the program's "
                         "{number.2}: {text}.",
                         name_of(item), item->group->bytes, promise->ratio, promise->low,
                         promise->high, item->result,
                         isnan(item->result) ? "not there"
                         : item->result >= promise->low && item->result <= promise->high
                             ? "kept"
                             : "not kept");
    }
    syn_say_item(doc,
                 "Duration of a run, with to without: {number.3}, of {n} run{s} each. Runs and "
                 "diff: {text}.",
                 session->run_ratio, session->proof_runs, TUNE_PROOF);
}

void tune_page(struct syn_doc *doc, const struct tune_session *session, const char *output)
{
    syn_doc_open(doc, NULL, '{');
    syn_doc_fact(doc, "schema", 1);
    syn_doc_embed(doc, show_answer, session);
    say_groups(doc, session);
    say_advice(doc, session, output);
    say_how(doc, session);
    say_proof(doc, session);
    syn_doc_close(doc);
}
