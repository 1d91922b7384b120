/* analyze/tune/tune_page.c - writes the answer, for people and for programs. */
#include <math.h>
#include <string.h>

#include "analyze/print/figures/figure_walk.h"
#include "analyze/print/figures/figure_writer.h"
#include "analyze/tune/tune.h"
#include "trace/base/ops.h"

/* Fewer values have no interval of their median (stats/values/stats.h). */
#define INSTANCES_LEAST 6

static const char *const verdicts[] = {
    [TUNE_UNKNOWN] = "cannot tell", [TUNE_NOTHING] = "nothing to gain", [TUNE_BETTER] = "better"};

static double share_of(const struct tune_session *session, double ns)
{
    return session->trace->run_ns > 0 ? ns / session->trace->run_ns : NAN;
}

static const struct tune_candidate *best_of(const struct tune_item *item)
{
    static const struct tune_candidate none = {.promise = {0, NAN, NAN, NAN, NAN, NAN, NAN, NAN}};
    return item->best ? &item->candidate[item->best] : &none;
}

static double gain_of(const struct tune_item *item)
{
    return item->verdict == TUNE_BETTER
               ? item->group->operation_ns * (1 - best_of(item)->promise.ratio)
               : 0;
}

static double inside_ratio_of(const struct tune_item *item)
{
    return item->best ? tune_ratio_of(item->candidate, best_of(item), TUNE_INSIDE) : NAN;
}

/* Returns whether the program's time lies far from all of the benchmark's. */
static bool is_far(const struct tune_promise *promise, double program_ns)
{
    return program_ns > TUNE_DIFFERS * promise->now_high_ns ||
           program_ns < promise->now_low_ns / TUNE_DIFFERS;
}

/* ---- for programs ---- */

struct shown {
    struct syn_figure_writer out;
    const struct tune_session *session;
};

/* Writes the medians of the launches that decide. */
static void show_medians(struct shown *to, const struct tune_item *item, size_t candidate,
                         enum tune_time time)
{
    for (size_t i = 0; i < to->session->decided && item->best; i++)
        syn_put_figure(&to->out, NULL, round(exp(item->candidate[candidate].log_ns[time][i])));
}

static void show_names(struct shown *to, const struct syn_text *names)
{
    char line[TUNE_LINE_BYTES];
    for (size_t at = 0; tune_list_next(names, &at, line);)
        syn_put_text(&to->out, NULL, line);
}

/* Writes the advice, or one item's, as keys and values. */
static void show_advice(struct shown *to, const struct tune_item *only)
{
    SYN_CLEANUP(syn_text_free) struct syn_text lines = {0};
    char line[TUNE_LINE_BYTES];
    tune_settings(to->session, only, &lines);
    for (size_t at = 0; tune_list_next(&lines, &at, line);) {
        char *value = line;
        const char *name = strsep(&value, "=");
        syn_put_text(&to->out, name, value);
    }
}

#define SHOW(name, of, call)                               \
    static void name(struct shown *to, const struct of *o) \
    {                                                      \
        call;                                              \
    }
SHOW(show_now, tune_item, show_medians(to, o, 0, TUNE_FRESH))
SHOW(show_best, tune_item, show_medians(to, o, o->best, TUNE_FRESH))
SHOW(show_now_row, tune_item, show_medians(to, o, 0, TUNE_ROW))
SHOW(show_best_row, tune_item, show_medians(to, o, o->best, TUNE_ROW))
SHOW(show_refused, tune_session, show_names(to, &o->refused))
SHOW(show_wrong, tune_session, show_names(to, &o->wrong))
SHOW(show_broken, tune_session, show_names(to, &o->broken))
SHOW(show_settings, tune_session, (void)o; show_advice(to, NULL))

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

/* Says whether the trace has too few instances for an interval of their median. */
static bool has_too_few(const struct tune_item *item)
{
    return item->group->instance_count < INSTANCES_LEAST;
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
        if (item->best && has_too_few(item))
            syn_say_cell(doc, "too few");
        else if (item->best)
            syn_say_cell(doc, "{number.2..}", best->promise.low, best->promise.high);
        else
            syn_doc_no_cell(doc);
        syn_say_cell(doc, "{text}", verdicts[item->verdict]);
        if (item->verdict == TUNE_BETTER)
            syn_say_cell(doc, "{share}", share_of(session, gain_of(item)));
        else
            syn_doc_no_cell(doc);
    }
}

static void say_advice(struct syn_doc *doc, const struct tune_session *session, const char *output)
{
    size_t count = 0, few = 0;
    double gain_ns = 0, certain_ns = 0;
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));) {
        gain_ns += gain_of(item);
        certain_ns += item->group->operation_ns * (1 - best_of(item)->promise.high);
        count++;
    }
    for (size_t i = 0; i < session->count; i++)
        few += session->item[i].best && has_too_few(&session->item[i]);
    if (session->count > 0)
        syn_say(doc, "Promised: the time with the best candidate, as a part of the time now.");
    if (few > 0)
        syn_say_more(doc, " Too few: less than {n} instances in the trace.", INSTANCES_LEAST);
    syn_doc_heading(doc, "What to set");
    if (session->count == 0)
        syn_say(doc, "Nothing: no operation takes 1 % of the run.");
    else if (count == 0)
        syn_say(doc, "Nothing: no candidate is shown to be faster.");
    else {
        SYN_CLEANUP(syn_text_free) struct syn_text lines = {0};
        char line[TUNE_LINE_BYTES];
        syn_say(doc,
                "{n} group{s} {is|are} faster with these, which brings {time}, {share} of a run, "
                "and {share} at least:",
                count, gain_ns, share_of(session, gain_ns), share_of(session, certain_ns));
        tune_settings(session, NULL, &lines);
        for (size_t at = 0; tune_list_next(&lines, &at, line);)
            syn_say_note(doc, "{text}", (const char *)line);
        for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
            syn_say_item(doc, "{text} of {bytes} on {n} ranks: {text} takes {share} of the time.",
                         name_of(item), item->group->bytes, item->group->comm_size,
                         (const char *)best_of(item)->label, best_of(item)->promise.ratio);
        if (!session->rules_path && tune_offers_have_rules(&session->offers))
            syn_say(doc, "These leave the rules of {text}; with -o all others of its rules stay.",
                    (const char *)tune_offers_find(&session->offers, TUNE_RULES_FILE)->value);
    }
    if (output && count > 0)
        syn_say(doc, "Written to {text}; in a shell \". {text}{shell}\" sets it.", output,
                strchr(output, '/') ? "" : "./", output);
    else if (output)
        syn_say(doc, "{text} sets nothing.", output);
}

static void say_names(struct syn_doc *doc, const char *title, const struct syn_text *names)
{
    char line[TUNE_LINE_BYTES];
    size_t at = 0;
    if (!tune_list_next(names, &at, line))
        return;
    syn_say_item(doc, "{text}: {text}", title, (const char *)line);
    while (tune_list_next(names, &at, line))
        syn_say_more(doc, ", {text}", (const char *)line);
    syn_say_more(doc, ".");
}

static void say_how(struct syn_doc *doc, const struct tune_session *session)
{
    uint64_t kept = 0, dropped = 0;
    syn_doc_heading(doc, "How it was measured");
    for (size_t i = 0; i < session->count; i++) {
        kept += session->item[i].kept;
        dropped += session->item[i].dropped;
    }
    if (session->launch_count > 0) {
        syn_say_item(doc, "{count} launch{|es}. {count} instance{s} {was|were} kept",
                     session->launch_count, kept);
        if (dropped > 0)
            syn_say_more(doc, " and {count} dropped: a rank had missed its entry", dropped);
        syn_say_more(doc,
                     ". The ranks arrived {text}. Data were bytes, of reductions doubles to be "
                     "added.",
                     session->even ? "together" : "as in instances of the trace");
    }
    say_names(doc, "Not obeyed, or without effect", &session->refused);
    say_names(doc, "Wrong results, never advised", &session->wrong);
    say_names(doc, "Ended or hung the program, never advised", &session->broken);
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_item *item = &session->item[i];
        if (item->why)
            syn_say_item(doc, "{text} of {bytes} on {n} ranks: {text}.", name_of(item),
                         item->group->bytes, item->group->comm_size, item->why);
    }
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));) {
        if (inside_ratio_of(item) > 1)
            syn_say_item(
                doc, "{text} of {bytes}: the ranks spend more time inside it, ratio {number.2}.",
                name_of(item), item->group->bytes, inside_ratio_of(item));
        const struct tune_promise *promise = &best_of(item)->promise;
        if (is_far(promise, item->group->median_ns))
            syn_say_item(doc,
                         "{text} of {bytes}: takes {time} to {time} in the benchmark now, {time} "
                         "in the program. The promise may fail by that.",
                         name_of(item), item->group->bytes, promise->now_low_ns,
                         promise->now_high_ns, item->group->median_ns);
    }
}

static void say_proof(struct syn_doc *doc, const struct tune_session *session)
{
    if (session->proof_runs == 0)
        return;
    syn_doc_heading(doc, "Promise and result");
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));) {
        const struct tune_promise *promise = &best_of(item)->promise;
        syn_say_item(doc,
                     "{text} of {bytes}: promised {number.2} {number.2..}, the program's "
                     "{number.2}: {text}.",
                     name_of(item), item->group->bytes, promise->ratio, promise->low, promise->high,
                     item->result,
                     isnan(item->result)                                             ? "not there"
                     : item->result >= promise->low && item->result <= promise->high ? "kept"
                                                                                     : "not kept");
        if (is_far(promise, item->result_now_ns))
            syn_say_more(doc,
                         " Without the advice it took {time}, in the benchmark {time} to {time}.",
                         item->result_now_ns, promise->now_low_ns, promise->now_high_ns);
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
