/* analyze/diff/page/diff_gate.c - see diff_gate.h.
 *
 * The gate is judged in three steps: whether these runs can show anything (the machine; `nothing`),
 * then whole runs (run-time, unable), then groups and segments. Each word has an error rate of its
 * own. */
#include "analyze/diff/page/diff_gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff.h"
#include "analyze/diff/diff_cost.h"
#include "analyze/diff/page/diff_words.h"
#include "analyze/print/command.h"
#include "analyze/print/units.h"
#include "sync/base/status.h"

/* ---- the list ---- */

static const struct {
    const char *name;
    enum syn_gate_word word;
} plain_words[] = {{"nothing", SYN_GATE_NOTHING},
                   {"only-in-a", SYN_GATE_ONLY_IN_A},
                   {"only-in-b", SYN_GATE_ONLY_IN_B},
                   {"slower-segment", SYN_GATE_SLOWER_SEGMENT},
                   {"faster-segment", SYN_GATE_FASTER_SEGMENT},
                   {"slower-message", SYN_GATE_SLOWER_MESSAGE},
                   {"faster-message", SYN_GATE_FASTER_MESSAGE},
                   {"run-time", SYN_GATE_RUN_TIME}};

/* Words that take a share. */
static const struct {
    const char *name;
    enum syn_gate_word word;
    size_t offset;
} share_words[] = {{"run-time=", SYN_GATE_RUN_TIME, offsetof(struct syn_diff_gate, run_time)},
                   {"slower=", SYN_GATE_SLOWER_THAN, offsetof(struct syn_diff_gate, slower_than)},
                   {"unable=", SYN_GATE_UNABLE, offsetof(struct syn_diff_gate, unable)}};

static int take_word(const char *word, struct syn_diff_gate *out)
{
    for (int verdict = 0; verdict <= SYN_VERDICT_INDISTINGUISHABLE; verdict++) {
        if (strcmp(word, syn_verdict_text((enum syn_verdict)verdict)) == 0) {
            out->set |= 1u << verdict;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof plain_words / sizeof *plain_words; i++) {
        if (strcmp(word, plain_words[i].name) == 0) {
            out->set |= 1u << plain_words[i].word;
            return 0;
        }
    }
    for (size_t i = 0; i < sizeof share_words / sizeof *share_words; i++) {
        const size_t length = strlen(share_words[i].name);
        if (strncmp(word, share_words[i].name, length) == 0) {
            out->set |= 1u << share_words[i].word;
            return syn_share_parse(word + length, (double *)((char *)out + share_words[i].offset));
        }
    }
    return SYN_EINVAL;
}

int syn_gate_parse(const char *list, struct syn_diff_gate *out)
{
    *out = (struct syn_diff_gate){.run_time = NAN};
    int status = 0;
    for (const char *at = list; at && status == SYN_OK;) {
        const size_t length = strcspn(at, ",");
        SYN_FREED char *word = strndup(at, length);
        status = word ? take_word(word, out) : SYN_ENOMEM;
        at = at[length] ? at + length + 1 : NULL;
    }
    return status;
}

/* ---- judging ---- */

struct judge {
    const struct syn_diff *diff;
    const struct syn_diff_gate *gate;
    struct syn_checks *checks;
    bool passes;
};

static void tell(struct judge *to, const char *name, enum syn_outcome outcome,
                 struct syn_text *message)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_text_string(&words, name);
    syn_checks_add(to->checks, "syncopate", outcome, &words, message);
    to->passes &= outcome != SYN_OUTCOME_FAILED;
    syn_text_free(message);
}

/* Fails the gate if the machine may have changed the times. Runs of another hour or machine differ
 * by more than the program; only runs recorded in turn share the machine's state. */
static void judge_machine(struct judge *to)
{
    const struct syn_diff *diff = to->diff;
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    /* Only words that depend on times matter here. */
    if ((!(to->gate->set & ~(1u << SYN_GATE_ONLY_IN_A | 1u << SYN_GATE_ONLY_IN_B))) ||
        syn_diff_in_turn(diff))
        return;
    const size_t busy[2] = {syn_diff_busy_runs(diff, 0), syn_diff_busy_runs(diff, 1)};
    SYN_CLEANUP(syn_text_free) struct syn_text processors = {0};
    const bool differ = syn_diff_processors_differ(diff, &processors);
    if (busy[0] + busy[1] > 0)
        syn_text_format(&words, "the machine was busy in %zu of %zu runs of A and %zu of %zu of B",
                        busy[0], diff->side[0].run_count, busy[1], diff->side[1].run_count);
    if (differ)
        syn_text_format(&words, "%s%s", words.length ? "; " : "", syn_text_chars(&processors));
    if (words.length == 0)
        return;
    struct syn_text message = {0};
    syn_text_format(&message,
                    "cannot tell: A and B were recorded one after the other, and %s. Record both "
                    "in one job: syncopate compare",
                    syn_text_chars(&words));
    tell(to, "the machine", SYN_OUTCOME_FAILED, &message);
}

#define MESSAGE_WORDS (1u << SYN_GATE_SLOWER_MESSAGE | 1u << SYN_GATE_FASTER_MESSAGE)

static void judge_nothing(struct judge *to)
{
    struct syn_text message = {0};
    const size_t too_few = to->diff->verdict_count[SYN_VERDICT_TOO_FEW_RUNS];
    /* Only words that depend on groups matter here: all except those on whole runs and messages. */
    if (!(to->gate->set & ~(1u << SYN_GATE_RUN_TIME | 1u << SYN_GATE_UNABLE | MESSAGE_WORDS)))
        return;
    if (syn_diff_says_nothing(to->diff)) {
        syn_diff_headline(to->diff, &message);
        tell(to, "something to compare", SYN_OUTCOME_FAILED, &message);
    } else if (too_few) {
        syn_words(&message, "{n} of {n} group{s} {has|have} too few runs to tell", too_few,
                  to->diff->count);
        tell(to, "runs enough", SYN_OUTCOME_SKIPPED, &message);
    }
}

static void judge_nothing_of_messages(struct judge *to)
{
    const struct syn_diff *diff = to->diff;
    const struct syn_diff_total *total = &diff->message[SYN_MESSAGES_TRANSFER];
    const size_t too_few = diff->messages.verdict_count[SYN_VERDICT_TOO_FEW_RUNS];
    struct syn_text message = {0};
    if (!(to->gate->set & MESSAGE_WORDS))
        return;
    if (isnan(total->a) || isnan(total->b)) {
        syn_words(&message,
                  "nothing to compare: {text} no messages that are recorded as events (--messages)",
                  isnan(total->a) && isnan(total->b) ? "A and B have"
                  : isnan(total->a)                  ? "A has"
                                                     : "B has");
        tell(to, "messages to compare", SYN_OUTCOME_FAILED, &message);
    } else if (too_few) {
        syn_words(&message, "{n} of {n} row{s} of messages have too few runs to tell", too_few,
                  diff->messages.both_count);
        tell(to, "runs enough for messages",
             too_few == diff->messages.both_count ? SYN_OUTCOME_FAILED : SYN_OUTCOME_SKIPPED,
             &message);
    }
}

static double run_time_limit(const struct judge *to)
{
    return isnan(to->gate->run_time) ? to->diff->options.threshold : to->gate->run_time;
}

static bool run_is_longer(const struct judge *to)
{
    return to->diff->total[SYN_TOTAL_RUN].ratio.low > 1 + run_time_limit(to);
}

static void judge_run_time(struct judge *to)
{
    const struct syn_shift *ratio = &to->diff->total[SYN_TOTAL_RUN].ratio;
    struct syn_text message = {0};
    if (!SYN_GATE_HAS(to->gate, SYN_GATE_RUN_TIME))
        return;
    if (isnan(ratio->low)) {
        syn_text_format(&message,
                        "run time: too few runs to tell: %zu against %zu; a difference takes %zu "
                        "against %zu to show",
                        to->diff->side[0].run_count, to->diff->side[1].run_count,
                        to->diff->needed_runs, to->diff->needed_runs);
        tell(to, "run time", SYN_OUTCOME_FAILED, &message);
        return;
    }
    /* The change of the run with its interval, in percent or as a factor. */
    char change[SYN_UNIT_BYTES], interval[2 * SYN_UNIT_BYTES];
    const enum syn_diff_scale scale = syn_diff_scale_with(SYN_SCALE_PERCENT, ratio);
    syn_text_format(&message, "run time %s %s", syn_diff_change(change, ratio->estimate, scale),
                    syn_diff_interval(interval, ratio->low, ratio->high, scale));
    syn_words(&message, ": {text}longer by more than {share} for certain",
              run_is_longer(to) ? "" : "not ", run_time_limit(to));
    tell(to, "run time", run_is_longer(to) ? SYN_OUTCOME_FAILED : SYN_OUTCOME_PASSED, &message);
}

static void judge_unable(struct judge *to)
{
    struct syn_text message = {0};
    if (!SYN_GATE_HAS(to->gate, SYN_GATE_UNABLE))
        return;
    /* If B's run had been longer by a share, the interval would have been around that share, with
     * the same width. */
    const struct syn_shift *ratio = &to->diff->total[SYN_TOTAL_RUN].ratio;
    const double limit = SYN_GATE_HAS(to->gate, SYN_GATE_RUN_TIME) ? run_time_limit(to) : 0;
    const double shown = ratio->estimate / ratio->low * (1 + limit) - 1;
    const bool is_able = shown <= to->gate->unable;
    if (is_able || (SYN_GATE_HAS(to->gate, SYN_GATE_RUN_TIME) && run_is_longer(to)))
        return; /* a change that was shown can be shown */
    if (isnan(shown))
        syn_words(&message, "run time: too few runs to show an increase of {share}",
                  to->gate->unable);
    else
        syn_words(&message,
                  "run time: these runs could not have shown an increase of {share}, the least "
                  "that they show is {share}; make more runs (--runs, --until)",
                  to->gate->unable, shown);
    tell(to, "runs enough", SYN_OUTCOME_FAILED, &message);
}

/* ---- groups ---- */

/* Judges the machine first, then whole runs, costs of groups, and verdicts. */
int syn_gate_judge(const struct syn_diff *diff, const struct syn_diff_gate *gate,
                   struct syn_checks *checks, bool *passes)
{
    struct judge to = {diff, gate, checks, true};
    *checks = (struct syn_checks){0};
    judge_machine(&to);
    if (to.passes) { /* else nothing that depends on times can be judged */
        judge_nothing(&to);
        judge_nothing_of_messages(&to);
        judge_run_time(&to);
        judge_unable(&to);
        struct syn_diff_cost *cost = NULL;
        if (SYN_GATE_HAS(to.gate, SYN_GATE_SLOWER_THAN)) {
            if (syn_diff_costs(to.diff, to.gate->slower_than, &cost) != SYN_OK)
                checks->failed = true;
            for (size_t i = 0; i < to.diff->count && !checks->failed; i++)
                if (cost[i].is_more) {
                    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
                    struct syn_text message = {0};
                    syn_diff_group_name(&to.diff->group[i], &name);
                    syn_words(&message,
                              "{text} takes {share} of the run more [{share}, {share}]: more than "
                              "{share} for certain",
                              syn_text_chars(&name), cost[i].share.estimate, cost[i].share.low,
                              cost[i].share.high, to.gate->slower_than);
                    tell(&to, syn_text_chars(&name), SYN_OUTCOME_FAILED, &message);
                }
            free(cost);
        }
    }
    /* Verdicts are in the diff itself, and get no sentence. */
    const size_t *segments = diff->segments.verdict_count, *messages = diff->messages.verdict_count;
    bool failed = (SYN_GATE_HAS(gate, SYN_GATE_ONLY_IN_A) && diff->only[0].count) ||
                  (SYN_GATE_HAS(gate, SYN_GATE_ONLY_IN_B) && diff->only[1].count) ||
                  (SYN_GATE_HAS(gate, SYN_GATE_SLOWER_SEGMENT) && segments[SYN_VERDICT_SLOWER]) ||
                  (SYN_GATE_HAS(gate, SYN_GATE_FASTER_SEGMENT) && segments[SYN_VERDICT_FASTER]) ||
                  (SYN_GATE_HAS(gate, SYN_GATE_SLOWER_MESSAGE) && messages[SYN_VERDICT_SLOWER]) ||
                  (SYN_GATE_HAS(gate, SYN_GATE_FASTER_MESSAGE) && messages[SYN_VERDICT_FASTER]);
    for (int verdict = 0; verdict <= SYN_VERDICT_INDISTINGUISHABLE; verdict++)
        failed |= SYN_GATE_HAS(gate, verdict) && diff->verdict_count[verdict] > 0;
    *passes = to.passes && !failed;
    return checks->failed ? SYN_ENOMEM : SYN_OK;
}
