/* analyze/info/rules.c - the twelve rules of Hoefler and Belli (SC15), each judged on a report
 * and its factors. What a trace cannot show is said to be unknown, never assumed. */
#include "analyze/info/rules.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/bounds.h"
#include "analyze/print/units.h"
#include "analyze/report/details.h"
#include "analyze/stats/compare.h"
#include "sync/base/status.h"

/* What the rules are judged by. */
struct evidence {
    const struct syn_report *report;
    const struct syn_info *info;
    size_t groups;        /* with instances */
    size_t with_interval; /* of them, those whose median has one */
    size_t with_tail;     /* 100 instances and more: a 99 % quantile says something */
    size_t heavy_tailed;  /* p99 above twice the median */
    size_t tested_normal, normal, log_normal, too_many_for_shapiro;
    size_t varying;        /* not all instances are equal */
    size_t dependent;      /* Ljung-Box below 0.05 */
    size_t compared_ranks; /* Friedman's test done */
    size_t with_bytes;     /* a rate can be had */
    size_t below_clock;    /* completion smaller than the clocks can tell */
    uint64_t incomplete, dropped;
    int loss_unknown; /* ranks */
    double inside_ns, waiting_ns;
};

const char *syn_rule_status_text(enum syn_rule_status status)
{
    static const char *const texts[] = {"met", "partly", "not met", "open"};
    return texts[status];
}

static void add_line(char **lines, size_t *count, const char *format, va_list arguments)
{
    if (*count < SYN_RULE_LINES && vasprintf(&lines[*count], format, arguments) >= 0)
        (*count)++;
}

static void found(struct syn_rule *rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void found(struct syn_rule *rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(rule->found, &rule->found_count, format, arguments);
    va_end(arguments);
}

static void missing(struct syn_rule *rule, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void missing(struct syn_rule *rule, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_line(rule->missing, &rule->missing_count, format, arguments);
    va_end(arguments);
}

/* Met where nothing is missing. */
static void conclude(struct syn_rule *rule, bool in_part)
{
    rule->status = rule->missing_count == 0 ? SYN_RULE_MET
                   : in_part                ? SYN_RULE_PARTLY
                                            : SYN_RULE_NOT_MET;
}

/* ---- gathering ---- */

static void count_group(struct evidence *out, const struct syn_figures *figures,
                        const struct syn_details *details)
{
    const struct syn_metric_figures *main =
        &figures->metric[syn_figures_main_metric(figures->group)];
    const struct syn_summary *summary = &main->summary;
    out->groups++;
    out->with_interval += isfinite(summary->ci_low) != 0;
    out->varying += summary->min < summary->max;
    out->with_tail += summary->n >= 100;
    out->heavy_tailed += summary->n >= 100 && summary->p99 > 2 * summary->median;
    out->tested_normal += isfinite(summary->shapiro_p) != 0;
    out->normal += summary->shapiro_p >= 0.05;
    out->log_normal += !(summary->shapiro_p >= 0.05) && details->log_shapiro_p >= 0.05;
    out->too_many_for_shapiro += summary->n > 5000;
    out->dependent += details->ljung_box.p < 0.05;
    out->compared_ranks += isfinite(figures->friedman.p) != 0;
    out->with_bytes += isfinite(details->rate_bytes_per_s) != 0;
    out->below_clock += syn_figures_below_clock(main);
}

static int gather(const struct syn_report *report, const struct syn_info *info,
                  struct evidence *out)
{
    int status = 0;
    *out = (struct evidence){.report = report, .info = info};
    for (size_t i = 0; i < report->groups.count && status == SYN_OK; i++) {
        const struct syn_figures *figures = &report->figures[i];
        struct syn_details details;
        out->incomplete += figures->group->incomplete_count;
        out->inside_ns += figures->inside_ns;
        out->waiting_ns += figures->waiting_ns;
        status = syn_details_make(report, figures, &details);
        if (status == SYN_OK && syn_figures_count(figures) > 0)
            count_group(out, figures, &details);
        syn_details_free(&details);
    }
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].rank_count; r++) {
            out->dropped += report->run[i].rank[r].dropped_count;
            out->loss_unknown += report->run[i].rank[r].loss_unknown;
        }
    return status;
}

static const char *factor_of(const struct evidence *e, const char *key)
{
    for (size_t i = 0; i < e->info->factors.count; i++)
        if (strcmp(e->info->factors.factor[i].key, key) == 0)
            return e->info->factors.factor[i].value;
    return NULL;
}

/* ---- the rules ---- */

static void judge_speedup(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    char time[SYN_UNIT_BYTES];
    found(rule, "the report gives absolute times: this ran %s on %d rank%s",
          syn_unit_time(time, syn_facts_run_ns(run)), run->rank_count,
          run->rank_count == 1 ? "" : "s");
    if (run->rank_count == 1) {
        found(rule, "it is a run of a single process: a base case for speed-ups");
        rule->status = SYN_RULE_MET;
        return;
    }
    missing(rule, "a base case, should you publish a speed-up: record the program on one process "
                  "too, and say whether that is the parallel program or the best serial one");
    rule->status = SYN_RULE_OPEN;
}

/* Pauses come by count of calls, and so leave out a few of all instances alike. */
static void note_pauses(const struct evidence *e, struct syn_rule *rule)
{
    char count[SYN_UNIT_BYTES];
    const uint64_t perturbed = e->report->perturbed_count;
    if (perturbed == 0 || e->report->options.all)
        return;
    syn_unit_count(count, perturbed);
    if (perturbed > e->report->instance_count / 50)
        missing(rule, "in %s instances the profiler paused: left out (report --all keeps them)",
                count);
    else
        found(rule, "all but %s instances, in which the profiler paused", count);
}

static void judge_subsets(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    char count[SYN_UNIT_BYTES];
    const char *ops = factor_of(e, "env.SYNCOPATE_OPS"), *cpus = factor_of(e, "host.cpu_count");
    if (run->present_count == run->rank_count)
        found(rule, "all %d ranks have a file", run->rank_count);
    else
        missing(rule, "%d of %d ranks have no file", run->rank_count - run->present_count,
                run->rank_count);
    if (e->dropped)
        missing(rule, "%s calls were lost, as the recorder had no place for them",
                syn_unit_count(count, e->dropped));
    if (e->loss_unknown)
        missing(rule, "of %d ranks it is not known how many calls were lost", e->loss_unknown);
    if (e->incomplete)
        missing(rule, "%s instances lack members and are in no figure",
                syn_unit_count(count, e->incomplete));
    if (e->report->late_start_count && !e->report->options.all)
        missing(rule, "%s instances started late and are left out (report --all keeps them)",
                syn_unit_count(count, e->report->late_start_count));
    note_pauses(e, rule);
    if (ops)
        missing(rule, "only some collectives were recorded (SYNCOPATE_OPS=%s): say why", ops);
    if (cpus && run->node_count > 0) {
        int per_node = run->rank_count / (int)run->node_count;
        if (per_node < atoi(cpus))
            missing(rule,
                    "%d ranks on a node of %s processors: say why not all are used, or what "
                    "uses the others",
                    per_node, cpus);
        else
            found(rule, "%d ranks on a node of %s processors", per_node, cpus);
    } else {
        missing(rule, "how many processors a node has was not recorded");
    }
    conclude(rule, run->present_count > 0);
}

static void judge_means(const struct evidence *e, struct syn_rule *rule)
{
    found(rule, "times are costs: medians and arithmetic means of %zu groups, all in ns",
          e->groups);
    if (e->with_bytes)
        found(rule,
              "the rates of %zu groups (rate.bytes_per_s) are all bytes over all time, which "
              "is the harmonic mean",
              e->with_bytes);
    else
        found(rule, "no rate is given: no group has bytes of one size");
    conclude(rule, true);
}

static void judge_ratios(const struct evidence *e, struct syn_rule *rule)
{
    char waiting[SYN_UNIT_BYTES], inside[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES];
    found(rule, "shares of waiting are sums over sums: %s of %s in collectives, %s",
          syn_unit_time(waiting, e->waiting_ns), syn_unit_time(inside, e->inside_ns),
          syn_unit_share(share, e->waiting_ns / e->inside_ns));
    found(rule,
          "no ratio is averaged; diff estimates its ratio on logarithms of runs' medians, with "
          "both times beside it");
    conclude(rule, true);
}

static void judge_intervals(const struct evidence *e, struct syn_rule *rule)
{
    size_t runs = e->report->run_count;
    found(rule, "times vary in %zu of %zu groups; %zu medians have a %g %% interval", e->varying,
          e->groups, e->with_interval, 100 * e->report->options.confidence);
    if (e->dependent)
        found(rule,
              "calls of %zu groups depend on one another (Ljung-Box p < 0.05): the interval "
              "shown counts that",
              e->dependent);
    if (e->with_interval < e->groups)
        missing(rule, "intervals of %zu groups: fewer than 6 instances, record more",
                e->groups - e->with_interval);
    if (runs < 2)
        missing(rule,
                "what another run shows: these intervals speak of one run (record --runs 10)");
    else
        found(rule, "%zu runs: the report says how they vary", runs);
    conclude(rule, e->with_interval > 0);
}

static void judge_normality(const struct evidence *e, struct syn_rule *rule)
{
    found(rule, "nothing assumes it: medians, order statistics and rank tests throughout");
    if (e->tested_normal)
        found(rule,
              "Shapiro-Wilk for %zu of %zu groups: %zu look normal, %zu others lognormal (p >= "
              "0.05)",
              e->tested_normal, e->groups, e->normal, e->log_normal);
    if (e->too_many_for_shapiro)
        found(rule,
              "%zu groups have more than 5000 instances, where the test is not defined: see "
              "normality.qq",
              e->too_many_for_shapiro);
    size_t untested = e->groups - e->tested_normal - e->too_many_for_shapiro;
    if (untested)
        missing(rule,
                "a test for %zu groups (fewer than 3 instances, or all equal): do not use "
                "their means",
                untested);
    conclude(rule, true);
}

static void judge_comparison(const struct evidence *e, struct syn_rule *rule)
{
    size_t runs = e->report->run_count, needed = syn_runs_needed(1 - e->report->options.confidence);
    if (e->compared_ranks)
        found(rule,
              "ranks are compared in %zu of %zu groups (Friedman, Kruskal-Wallis, ANOVA; Holm; "
              "with effect sizes)",
              e->compared_ranks, e->groups);
    else
        missing(rule, "no group could be compared between ranks (one rank, or too few instances)");
    if (runs >= needed)
        found(rule, "%zu runs: enough for diff to claim a difference to another program", runs);
    else
        missing(rule,
                "runs to compare with another program: %zu, and diff needs %zu a side to claim "
                "anything (record --runs, or compare)",
                runs, needed);
    conclude(rule, e->compared_ranks > 0);
}

static void judge_centre(const struct evidence *e, struct syn_rule *rule)
{
    found(rule,
          "5, 25, 75, 95 and 99 %% quantiles stand beside each median; diff --quantiles compares "
          "any");
    if (e->heavy_tailed)
        found(rule,
              "they matter here: in %zu of %zu groups the 99 %% quantile is more than twice the "
              "median",
              e->heavy_tailed, e->with_tail);
    else if (e->with_tail)
        found(rule,
              "no group of 100 instances and more has a 99 %% quantile above twice its median");
    if (e->with_tail < e->groups)
        missing(rule, "%zu groups have fewer than 100 instances: their 99 %% quantile is a guess",
                e->groups - e->with_tail);
    conclude(rule, true);
}

/* What Table VI of Hunold & Carpen-Amarie 2015 and what Hoefler & Belli 2015 ask to be documented,
 * and where we keep it. */
static const struct {
    const char *what;
    const char *keys[3]; /* any of them does */
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

static void judge_setup(const struct evidence *e, struct syn_rule *rule)
{
    struct syn_text lacking = {0};
    size_t known = 0, count = sizeof setup / sizeof *setup;
    for (size_t i = 0; i < count; i++) {
        bool any = false;
        for (int k = 0; k < 3 && setup[i].keys[k]; k++)
            any |= factor_of(e, setup[i].keys[k]) != NULL;
        known += any;
        if (!any)
            syn_text_format(&lacking, "%s%s", lacking.length ? ", " : "", setup[i].what);
    }
    found(rule,
          "%zu factors are recorded with the trace (syncopate info); %zu of %zu kinds that are "
          "asked for",
          e->info->factors.count, known, count);
    if (e->info->compiler)
        found(rule, "the program's compiler: %.120s", e->info->compiler);
    else
        syn_text_format(&lacking, "%sthe program's compiler and flags (build with -g)",
                        lacking.length ? ", " : "");
    if (lacking.length)
        missing(rule, "%s", syn_text_chars(&lacking));
    missing(rule, "the source and the input data are yours to publish");
    conclude(rule, known > 0);
    if (rule->missing_count == 1 && rule->status == SYN_RULE_PARTLY && !lacking.length)
        rule->status = SYN_RULE_MET;
    syn_text_free(&lacking);
}

static int64_t worst_bound(const struct syn_report *report)
{
    int64_t worst = 0;
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].rank_count; r++)
            if (report->run[i].rank[r].bound_ns > worst)
                worst = report->run[i].rank[r].bound_ns;
    return worst;
}

static void judge_time(const struct evidence *e, struct syn_rule *rule)
{
    const struct syn_run_facts *run = &e->report->run[0];
    const struct syn_causality *causality = &e->info->causality;
    const char *align = factor_of(e, "align.method");
    int64_t bound_ns = worst_bound(e->report);
    char bound[SYN_UNIT_BYTES], checked[SYN_UNIT_BYTES];
    found(rule, "completion is from the first start to the last end over all ranks, on one clock; "
                "summarized by medians");
    if (bound_ns >= SYN_BOUND_UNKNOWN_NS)
        missing(rule, "clocks that were compared: figures across ranks have no known bound");
    else
        found(rule, "clock: %s, synchronized by %s, ranks agree to within %s",
              run->clock_kind ? run->clock_kind : "unknown",
              run->sync_method ? run->sync_method : "an unknown method",
              syn_unit_time(bound, (double)bound_ns));
    if (causality->violation_count)
        missing(rule, "a clock model that holds: causality is violated in %llu instances",
                (unsigned long long)causality->violation_count);
    else if (causality->checked_count)
        found(rule, "no rank left before the last came in %s instances where that can be checked",
              syn_unit_count(checked, causality->checked_count));
    found(rule, "processes started together: %s",
          align && strcmp(align, "none") != 0 ? align : "as the program has it (--align none)");
    if (e->below_clock)
        missing(rule, "%zu of %zu completions are smaller than the clocks can tell", e->below_clock,
                e->groups);
    conclude(rule, bound_ns < SYN_BOUND_UNKNOWN_NS);
}

static void judge_bounds(const struct evidence *e, struct syn_rule *rule)
{
    char work[SYN_UNIT_BYTES], inside[SYN_UNIT_BYTES];
    double ranks = (double)e->report->run[0].rank_count * (double)e->report->run_count;
    if (e->inside_ns > 0)
        found(rule,
              "without any waiting for late ranks the time in collectives would be %s of %s a "
              "rank: that much balancing can gain at most",
              syn_unit_time(work, (e->inside_ns - e->waiting_ns) / ranks),
              syn_unit_time(inside, e->inside_ns / ranks));
    missing(rule,
            "what the machine could do at best (latency, bandwidth): a model of it is yours to "
            "give");
    rule->status = e->inside_ns > 0 ? SYN_RULE_PARTLY : SYN_RULE_OPEN;
}

static void judge_plots(const struct evidence *e, struct syn_rule *rule)
{
    uint64_t events = 0;
    char count[SYN_UNIT_BYTES];
    for (size_t i = 0; i < e->report->run_count; i++)
        events += e->report->run[i].totals.event_count;
    found(rule,
          "report --format html draws each of %zu groups (5 to 99 %%, quartiles, median) and its "
          "Q-Q plot, and joins no points by lines",
          e->groups);
    found(rule, "export gives all %s events for plots of your own", syn_unit_count(count, events));
    if (e->with_tail < e->groups)
        missing(rule, "a picture of %zu groups with fewer than 100 instances says little",
                e->groups - e->with_tail);
    conclude(rule, true);
}

/* ---- all of them ---- */

int syn_rules_judge(const struct syn_report *report, const struct syn_info *info,
                    struct syn_rule rule[SYN_RULE_COUNT])
{
    static const struct {
        const char *title;
        void (*judge)(const struct evidence *, struct syn_rule *);
        bool of_groups; /* nothing to judge without any */
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
        if (evidence.groups == 0 && rules[i].of_groups) {
            missing(&rule[i], "no complete instance of a collective: nothing to judge");
            rule[i].status = SYN_RULE_OPEN;
        } else {
            rules[i].judge(&evidence, &rule[i]);
        }
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
