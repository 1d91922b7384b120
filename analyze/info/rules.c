/* analyze/info/rules.c - judges a report and its factors by the twelve rules of Hoefler and Belli
 * (SC15). A fact that a trace does not have is reported as unknown, never assumed. */
#include "analyze/info/rules.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/doc/say.h"
#include "analyze/match/members/bounds.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/details.h"
#include "analyze/stats/samples/compare.h"
#include "sync/base/status.h"

/* Facts by which the rules are judged. Counts are numbers of groups, unless a comment says
 * otherwise. */
struct evidence {
    const struct syn_report *report;
    const struct syn_info *info;
    size_t groups;        /* that have a complete instance: only these are counted below */
    size_t with_interval; /* the median has a confidence interval */
    size_t with_tail;     /* 100 instances or more: enough for a 99 % quantile */
    size_t heavy_tailed;  /* of with_tail: the 99 % quantile is above twice the median */
    size_t tested_normal; /* Shapiro-Wilk's test was made */
    size_t normal, log_normal;
    size_t too_many_for_shapiro; /* over 5000 instances: the test is not defined */
    size_t varying;              /* not all instances are equal */
    size_t dependent;            /* p of Ljung-Box's test is below 0.05 */
    size_t compared_ranks;       /* Friedman's test was made */
    size_t with_bytes;           /* a rate was computed */
    size_t below_clock;          /* completion is smaller than the clock bound */
    uint64_t incomplete;         /* instances, of all groups */
    uint64_t dropped;            /* calls */
    int loss_unknown;            /* ranks that do not know how many calls they lost */
    double inside_ns, waiting_ns;
};

const char *syn_rule_status_text(enum syn_rule_status status)
{
    static const char *const texts[] = {"met", "partly", "not met", "open"};
    return texts[status];
}

/* Adds a sentence to a rule's lines, if there is room. Returns true if memory ran out. */
static bool add_line(char **lines, size_t *count, const struct syn_value *value, size_t values)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    bool failed = false;
    syn_words_of(&words, value, values);
    if (*count < SYN_RULE_LINES) {
        lines[*count] = strdup(syn_text_chars(&words));
        failed = words.failed || !lines[*count];
        *count += lines[*count] != NULL;
    }
    return failed;
}
#define syn_say_found(rule, ...) \
    ((rule)->failed |= add_line((rule)->found, &(rule)->found_count, SYN_VALUES(__VA_ARGS__)))
#define syn_say_missing(rule, ...) \
    ((rule)->failed |= add_line((rule)->missing, &(rule)->missing_count, SYN_VALUES(__VA_ARGS__)))

/* A rule is met if nothing is missing. Else `in_part` says whether it is partly met. */
static void conclude(struct syn_rule *rule, bool in_part)
{
    rule->status = rule->missing_count == 0 ? SYN_RULE_MET
                   : in_part                ? SYN_RULE_PARTLY
                                            : SYN_RULE_NOT_MET;
}

/* ---- gathering ---- */

/* Sets the evidence: sums over all groups, and over the ranks of all runs. Returns 0 or
 * SYN_ENOMEM. */
static int gather(const struct syn_report *report, const struct syn_info *info,
                  struct evidence *out)
{
    int status = 0;
    *out = (struct evidence){.report = report, .info = info};
    for (size_t i = 0; i < report->groups.count && status == SYN_OK; i++) {
        const struct syn_figures *figures = &report->figures[i];
        SYN_CLEANUP(syn_details_free) struct syn_details details = {0};
        out->incomplete += figures->group->incomplete_count;
        out->inside_ns += figures->inside_ns;
        out->waiting_ns += figures->waiting_ns;
        status = syn_details_make(report, figures, &details);
        if (status == SYN_OK && syn_figures_count(figures) > 0) {
            const struct syn_metric_figures *main = syn_figures_main(figures);
            const struct syn_summary *summary = &main->summary;
            out->groups++;
            out->with_interval += isfinite(summary->ci_low) != 0;
            out->varying += summary->min < summary->max;
            out->with_tail += summary->n >= 100;
            out->heavy_tailed += summary->n >= 100 && summary->p99 > 2 * summary->median;
            out->tested_normal += isfinite(summary->shapiro_p) != 0;
            out->normal += summary->shapiro_p >= 0.05;
            out->log_normal += !(summary->shapiro_p >= 0.05) && details.log_shapiro_p >= 0.05;
            out->too_many_for_shapiro += summary->n > 5000;
            out->dependent += details.ljung_box.p < 0.05;
            out->compared_ranks += isfinite(figures->friedman.p) != 0;
            out->with_bytes += isfinite(details.rate_bytes_per_s) != 0;
            out->below_clock += syn_figures_below_clock(main);
        }
    }
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].rank_count; r++) {
            out->dropped += report->run[i].rank[r].dropped_count;
            out->loss_unknown += report->run[i].rank[r].loss_unknown;
        }
    return status;
}

/* Returns the value of a factor; NULL: the trace lacks it. */
static const char *factor_of(const struct evidence *e, const char *key)
{
    for (size_t i = 0; i < e->info->factors.count; i++)
        if (strcmp(e->info->factors.factor[i].key, key) == 0)
            return e->info->factors.factor[i].value;
    return NULL;
}

/* ---- the rules, in the order of the paper: one function judges one rule ---- */

static void judge_speedup(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    syn_say_found(rule, "the report gives absolute times: this ran {time} on {n} rank{s}",
                  syn_facts_run_ns(run), run->rank_count);
    if (run->rank_count == 1) {
        syn_say_found(rule, "it is a run of a single process: a base case for speed-ups");
        rule->status = SYN_RULE_MET;
        return;
    }
    syn_say_missing(rule,
                    "a base case, should you publish a speed-up: record the program on one process "
                    "too, and say whether that is the parallel program or the best serial one");
    rule->status = SYN_RULE_OPEN;
}

/* Rule 2: all data and all resources.
 *
 * Plan: look for data that the report lacks (files of ranks, calls, members, instances that were
 * left out, operations that were not recorded); then compare ranks with processors. */
static void judge_subsets(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    const char *ops = factor_of(e, "env.SYNCOPATE_OPS"), *cpus = factor_of(e, "host.cpu_count");
    if (run->present_count == run->rank_count)
        syn_say_found(rule, "all ranks have a file: {n}", run->rank_count);
    else
        syn_say_missing(rule, "of {n} rank{s} {n} {has|have} no file", run->rank_count,
                        run->rank_count - run->present_count);
    if (e->dropped)
        syn_say_missing(rule,
                        "{count} call{s} {was|were} lost, as the recorder had no place for them",
                        e->dropped);
    if (e->loss_unknown)
        syn_say_missing(rule, "of {n} rank{s} it is not known how many calls were lost",
                        e->loss_unknown);
    if (e->incomplete)
        syn_say_missing(rule, "{count} instance{s} {lacks|lack} members and {is|are} in no figure",
                        e->incomplete);
    if (e->report->late_start_count && !e->report->options.all)
        syn_say_missing(
            rule,
            "{count} instance{s} started late and {is|are} left out (report --all keeps them)",
            e->report->late_start_count);
    /* Pauses come after a number of calls, not of time, so they do not select slow instances. Up to
     * 2 % of the instances count as all data. */
    const uint64_t perturbed = e->report->perturbed_count;
    if (perturbed != 0 && !e->report->options.all) {
        if (perturbed > e->report->instance_count / 50)
            syn_say_missing(
                rule,
                "in {count} instance{s} the profiler paused: left out (report --all keeps them)",
                perturbed);
        else
            syn_say_found(rule, "all but {count} instance{s}, in which the profiler paused",
                          perturbed);
    }
    if (ops)
        syn_say_missing(rule, "only some collectives were recorded (SYNCOPATE_OPS={text}): say why",
                        ops);
    if (cpus && run->node_count > 0) {
        int per_node = run->rank_count / (int)run->node_count;
        if (per_node < atoi(cpus))
            syn_say_missing(rule,
                            "{n} rank{s} on a node of {text} processors: say why not all are used, "
                            "or what uses the others",
                            per_node, cpus);
        else
            syn_say_found(rule, "{n} rank{s} on a node of {text} processors", per_node, cpus);
    } else {
        syn_say_missing(rule, "how many processors a node has was not recorded");
    }
    conclude(rule, run->present_count > 0);
}

static void judge_means(const struct evidence *e, struct syn_rule *rule)
{
    syn_say_found(rule, "times are costs: medians and arithmetic means of {n} group{s}, all in ns",
                  e->groups);
    if (e->with_bytes)
        syn_say_found(rule,
                      "rates (rate.bytes_per_s, of {n} group{s}) are all bytes over all time, "
                      "which is the harmonic mean",
                      e->with_bytes);
    else
        syn_say_found(rule, "no rate is given: no group has bytes of one size");
    conclude(rule, true);
}

static void judge_ratios(const struct evidence *e, struct syn_rule *rule)
{
    syn_say_found(rule,
                  "shares of waiting are sums over sums: {time} of {time} in collectives, {share}",
                  e->waiting_ns, e->inside_ns, e->waiting_ns / e->inside_ns);
    syn_say_found(rule, "no ratio is averaged; diff estimates its ratio on logarithms of runs' "
                        "medians, with both times beside it");
    conclude(rule, true);
}

static void judge_intervals(const struct evidence *e, struct syn_rule *rule)
{
    size_t runs = e->report->run_count;
    syn_say_found(
        rule, "times vary in {n} of {n} group{s}; {n} median{s} {has|have} a {number} % interval",
        e->varying, e->groups, e->with_interval, 100 * e->report->options.confidence);
    if (e->dependent)
        syn_say_found(rule,
                      "calls of {n} group{s} depend on one another (Ljung-Box p < 0.05): the "
                      "interval shown counts that",
                      e->dependent);
    if (e->with_interval < e->groups)
        syn_say_missing(rule, "intervals of {n} group{s}: fewer than 6 instances, record more",
                        e->groups - e->with_interval);
    if (runs < 2)
        syn_say_missing(
            rule, "what another run shows: these intervals speak of one run (record --runs 10)");
    else
        syn_say_found(rule, "{n} runs: the report says how they vary", runs);
    conclude(rule, e->with_interval > 0);
}

static void judge_normality(const struct evidence *e, struct syn_rule *rule)
{
    syn_say_found(rule, "nothing assumes it: medians, order statistics and rank tests throughout");
    if (e->tested_normal)
        syn_say_found(rule,
                      "Shapiro-Wilk for {n} of {n} group{s}: {n} {looks|look} normal, {n} other{s} "
                      "lognormal (p >= 0.05)",
                      e->tested_normal, e->groups, e->normal, e->log_normal);
    if (e->too_many_for_shapiro)
        syn_say_found(
            rule,
            "{n} group{s} {has|have} more than 5000 instances, where the test is not defined: "
            "see normality.qq",
            e->too_many_for_shapiro);
    size_t untested = e->groups - e->tested_normal - e->too_many_for_shapiro;
    if (untested)
        syn_say_missing(rule,
                        "a test for {n} group{s} (fewer than 3 instances, or all equal): do not "
                        "use their means",
                        untested);
    conclude(rule, true);
}

static void judge_comparison(const struct evidence *e, struct syn_rule *rule)
{
    size_t runs = e->report->run_count, needed = syn_runs_needed(1 - e->report->options.confidence);
    if (e->compared_ranks)
        syn_say_found(rule,
                      "ranks are compared in {n} of {n} group{s} (Friedman, Kruskal-Wallis, ANOVA; "
                      "Holm; with effect sizes)",
                      e->compared_ranks, e->groups);
    else
        syn_say_missing(
            rule, "no group could be compared between ranks (one rank, or too few instances)");
    if (runs >= needed)
        syn_say_found(rule, "{n} runs: enough for diff to claim a difference to another program",
                      runs);
    else
        syn_say_missing(rule,
                        "runs to compare with another program: {n}, and diff needs {n} a side to "
                        "claim anything (record --runs, or compare)",
                        runs, needed);
    conclude(rule, e->compared_ranks > 0);
}

static void judge_centre(const struct evidence *e, struct syn_rule *rule)
{
    syn_say_found(
        rule,
        "5, 25, 75, 95 and 99 % quantiles stand beside each median; diff --quantiles compares any");
    if (e->heavy_tailed)
        syn_say_found(
            rule,
            "they matter here: in {n} of {n} group{s} the 99 % quantile is more than twice "
            "the median",
            e->heavy_tailed, e->with_tail);
    else if (e->with_tail)
        syn_say_found(
            rule, "no group of 100 instances and more has a 99 % quantile above twice its median");
    if (e->with_tail < e->groups)
        syn_say_missing(
            rule, "{n} group{s} {has|have} fewer than 100 instances: the 99 % quantile is a guess",
            e->groups - e->with_tail);
    conclude(rule, true);
}

/* Facts that Table VI of Hunold & Carpen-Amarie 2015 and Hoefler & Belli 2015 demand to be
 * documented, each with the factors that have them. */
static const struct {
    const char *what;
    const char *keys[3]; /* one of them is enough */
} setup[] = {
    {"processor", {"host.cpu_model", NULL, NULL}},
    {"frequency control", {"host.governor", "host.frequency_khz", "host.turbo"}},
    {"memory", {"host.memory_bytes", NULL, NULL}},
    {"network", {"host.network", NULL, NULL}},
    {"operating system", {"host.kernel", "host.os", NULL}},
    {"topology", {"host.topology", NULL, NULL}},
    {"binding of ranks", {"rank.bound", "rank.bound_pus", NULL}},
    {"MPI library", {"mpi.name", NULL, NULL}},
    {"launcher", {"launcher", NULL, NULL}},
    {"program and arguments", {"program.path", NULL, NULL}},
    {"build of the program", {"program.build_id", NULL, NULL}},
};

/* Rule 9: the whole setup is documented.
 *
 * Plan: list the facts of `setup` that no factor tells; add the compiler; name the source and the
 * input, which a trace never has. The rule is met if nothing but these two is missing. */
static void judge_setup(const struct evidence *e, struct syn_rule *rule)
{
    char compiler[121]; /* a longer version line is cut */
    SYN_CLEANUP(syn_text_free) struct syn_text lacking = {0};
    size_t known = 0, count = sizeof setup / sizeof *setup;
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (int k = 0; k < 3 && setup[i].keys[k]; k++)
            any |= factor_of(e, setup[i].keys[k]) != NULL;
        known += any;
        if (!any)
            syn_text_format(&lacking, "%s%s", lacking.length ? ", " : "", setup[i].what);
    }
    syn_say_found(rule,
                  "{n} factors are recorded with the trace (syncopate info); {n} of {n} kinds that "
                  "are asked for",
                  e->info->factors.count, known, count);
    snprintf(compiler, sizeof compiler, "%s", e->info->compiler ? e->info->compiler : "");
    if (compiler[0])
        syn_say_found(rule, "the program's compiler: {text}", compiler);
    else
        syn_text_format(&lacking, "%sthe program's compiler and flags (build with -g)",
                        lacking.length ? ", " : "");
    if (lacking.length)
        syn_say_missing(rule, "{text}", syn_text_chars(&lacking));
    syn_say_missing(rule, "the source and the input data are yours to publish");
    conclude(rule, known > 0);
    if (rule->missing_count == 1 && rule->status == SYN_RULE_PARTLY && !lacking.length)
        rule->status = SYN_RULE_MET;
}

/* Rule 10: how time was measured, synchronized and summarized.
 *
 * Plan: find the largest clock bound of any rank; say what a completion is; then judge the clocks,
 * causality, the common start, and completions that are too small for the clocks. */
static void judge_time(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    const struct syn_causality *causality = &e->info->causality;
    const char *align = factor_of(e, "align.method");
    const struct syn_report *report = e->report;
    int64_t bound_ns = 0;
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].rank_count; r++)
            if (report->run[i].rank[r].bound_ns > bound_ns)
                bound_ns = report->run[i].rank[r].bound_ns;
    syn_say_found(rule, "completion is from the first start to the last end over all ranks, on one "
                        "clock; summarized by medians");
    if (bound_ns >= SYN_BOUND_UNKNOWN_NS)
        syn_say_missing(rule,
                        "clocks that were compared: figures across ranks have no known bound");
    else
        syn_say_found(rule, "clock: {text}, synchronized by {text}, ranks agree to within {time}",
                      run->clock_kind ? run->clock_kind : "unknown",
                      run->sync_method ? run->sync_method : "an unknown method", bound_ns);
    if (causality->violation_count)
        syn_say_missing(rule, "a clock model that holds: causality is violated in {n} instance{s}",
                        causality->violation_count);
    else if (causality->checked_count)
        syn_say_found(
            rule,
            "no rank left before the last came in {count} instance{s} where that can be checked",
            causality->checked_count);
    syn_say_found(rule, "processes started together: {text}",
                  align && strcmp(align, "none") != 0 ? align
                                                      : "as the program has it (--align none)");
    if (e->below_clock)
        syn_say_missing(rule,
                        "of {n} group{s} {n} {has|have} a median below what the clocks can tell",
                        e->groups, e->below_clock);
    conclude(rule, bound_ns < SYN_BOUND_UNKNOWN_NS);
}

static void judge_bounds(const struct evidence *e, struct syn_rule *rule)
{
    double ranks = (double)e->report->run[0].rank_count * (double)e->report->run_count;
    if (e->inside_ns > 0)
        syn_say_found(rule,
                      "without any waiting for late ranks the time in collectives would be {time} "
                      "of {time} a rank: that much balancing can gain at most",
                      (e->inside_ns - e->waiting_ns) / ranks, e->inside_ns / ranks);
    syn_say_missing(
        rule,
        "what the machine could do at best (latency, bandwidth): a model of it is yours to give");
    rule->status = e->inside_ns > 0 ? SYN_RULE_PARTLY : SYN_RULE_OPEN;
}

static void judge_plots(const struct evidence *e, struct syn_rule *rule)
{
    uint64_t events = 0;
    for (size_t i = 0; i < e->report->run_count; i++)
        events += e->report->run[i].totals.event_count;
    syn_say_found(rule,
                  "report --format html draws {n} group{s} (5 to 99 %, quartiles, median, a Q-Q "
                  "plot each), and joins no points by lines",
                  e->groups);
    syn_say_found(rule, "export gives all {count} events for plots of your own", events);
    if (e->with_tail < e->groups)
        syn_say_missing(rule, "a picture of {n} group{s} with fewer than 100 instances says little",
                        e->groups - e->with_tail);
    conclude(rule, true);
}

/* ---- all rules ---- */

/* Plan: gather the evidence; then call each rule's function, unless it needs groups and there are
 * none. */
int syn_rules_judge(const struct syn_report *report, const struct syn_info *info,
                    struct syn_rule rule[SYN_RULE_COUNT])
{
    static const struct {
        const char *title;
        void (*judge)(const struct evidence *, struct syn_rule *);
        bool needs_groups; /* open if no group has a complete instance */
    } rules[SYN_RULE_COUNT] = {
        {"speed-ups name their base case and its absolute time", judge_speedup, false},
        {"all data and all resources, or the reason why not", judge_subsets, false},
        {"arithmetic means of costs, harmonic means of rates", judge_means, true},
        {"no averages of ratios", judge_ratios, true},
        {"confidence intervals where times vary", judge_intervals, true},
        {"no normality without a look at it", judge_normality, true},
        {"comparisons by a sound test", judge_comparison, true},
        {"more than the centre where the tail matters", judge_centre, true},
        {"the whole setup is documented", judge_setup, false},
        {"how time was measured, synchronized, summarized", judge_time, false},
        {"upper bounds of performance", judge_bounds, false},
        {"plots show what it takes to judge", judge_plots, true},
    };
    struct evidence evidence;
    memset(rule, 0, SYN_RULE_COUNT * sizeof *rule);
    int status = gather(report, info, &evidence);
    for (int i = 0; i < SYN_RULE_COUNT && status == SYN_OK; i++) {
        rule[i].number = i + 1;
        rule[i].title = rules[i].title;
        if (evidence.groups == 0 && rules[i].needs_groups) {
            syn_say_missing(&rule[i], "no complete instance of a collective: nothing to judge");
            rule[i].status = SYN_RULE_OPEN;
        } else {
            rules[i].judge(&evidence, &rule[i]);
        }
        status = rule[i].failed ? SYN_ENOMEM : SYN_OK;
    }
    return status;
}

void syn_rules_free(struct syn_rule rule[SYN_RULE_COUNT])
{
    for (int i = 0; i < SYN_RULE_COUNT; i++) {
        for (size_t j = 0; j < rule[i].found_count; j++)
            free(rule[i].found[j]);
        for (size_t j = 0; j < rule[i].missing_count; j++)
            free(rule[i].missing[j]);
    }
}
