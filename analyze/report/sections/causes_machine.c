/* analyze/report/sections/causes_machine.c - finds effects of the machine on ranks, which no change
 * of the program removes: more ranks than processors, other programs, ranks off their processors.
 * These come before all other causes, and wherever figures depend on such a run. */
#include <math.h>
#include <stdlib.h>

#include "analyze/print/units.h"
#include "analyze/report/sections/causes_words.h"
#include "sync/base/integers.h"

/* Least load per processor for a warning. The load is a minute's average when the run begins, so
 * the ranks are hardly part of it. */
#define LOAD_THAT_MATTERS 1.25
/* Least shares of the ranks' time for a sentence. */
#define OFF_CPU_THAT_MATTERS 0.02
#define BLOCKED_THAT_MATTERS 0.05
/* Only one rank is mentioned if the others lost less than this share of what it lost. */
#define LIKE_OTHERS 0.5
/* A smaller share is not mentioned. */
#define SHARE_TO_SAY 0.0005
/* Least difference of clocks, as a share of the fastest. */
#define CLOCK_THAT_MATTERS 0.05

/* A host, its ranks and processors. */
struct host {
    uint32_t node;
    int32_t rank_count, processor_count;
    double load_average;
};

/* Returns the index of a rank's host in the result of hosts_of. Index 0 is for hosts without a
 * name. */
static size_t host_at(const struct syn_rank_facts *rank)
{
    return rank->node == SYN_NO_NAME ? 0 : (size_t)rank->node + 1;
}

/* Returns the hosts of the present ranks, indexed by host_at. An entry without ranks is unused. The
 * caller frees the array. NULL: memory ran out. */
static struct host *hosts_of(const struct syn_run_facts *run)
{
    size_t count = 1;
    for (int32_t r = 0; r < run->rank_count; r++)
        if (run->rank[r].present)
            count = syn_largest(count, host_at(&run->rank[r]) + 1);
    struct host *host = calloc(count, sizeof *host);
    for (int32_t r = 0; r < run->rank_count && host; r++) {
        const struct syn_rank_facts *rank = &run->rank[r];
        struct host *of = &host[host_at(rank)];
        if (!rank->present)
            continue;
        if (of->rank_count++ == 0)
            *of = (struct host){.node = rank->node, .rank_count = 1, .load_average = NAN};
        of->processor_count = syn_largest(of->processor_count, rank->processor_count);
        of->load_average = fmax(of->load_average, rank->load_average);
    }
    return host;
}

/* Returns ranks per processor; 0: unknown. */
static double crowd_of(const struct host *host)
{
    return host->processor_count > 0 ? (double)host->rank_count / host->processor_count : 0;
}

static double load_of(const struct host *host)
{
    return host->processor_count > 0 && isfinite(host->load_average)
               ? host->load_average / host->processor_count
               : 0;
}

/* Finds the host with the largest figure above the limit; of equal hosts, the one of the lowest
 * rank. Returns how many hosts are above the limit. */
static size_t worst_host(const struct syn_run_facts *run, double (*figure)(const struct host *),
                         double limit, struct host *worst)
{
    size_t count = 0;
    SYN_FREED struct host *host = hosts_of(run);
    for (int32_t r = 0; r < run->rank_count && host; r++) {
        if (!run->rank[r].present)
            continue;
        struct host *own = &host[host_at(&run->rank[r])];
        if (own->rank_count > 0 && figure(own) > limit &&
            (count++ == 0 || figure(own) > figure(worst)))
            *worst = *own;
        own->rank_count = 0; /* count each host once */
    }
    return count;
}

/* Returns the share of all threads' time that they were certainly off their processors; NAN:
 * unknown. */
static double off_cpu_share(const struct syn_run_facts *run)
{
    const double time = (double)run->findings.run_ns * run->causes.sums.location_count;
    return time > 0 ? run->findings.own.sum.certain_ns / time : NAN;
}

/* Returns the share of all threads' time that they were blocked; NAN: unknown. */
static double blocked_share(const struct syn_run_facts *run)
{
    const double time = (double)run->findings.run_ns * run->causes.sums.location_count;
    return time > 0 ? run->findings.own.sum.blocked_ns / time : NAN;
}

static const char *name_of(const struct syn_report *report, const struct host *host)
{
    const char *name = syn_names_text(&report->names, host->node);
    return name ? name : "a node";
}

static void add_more(size_t count, struct syn_text *out)
{
    if (count > 1)
        syn_text_format(out, " (and %zu more node%s)", count - 1, count == 2 ? "" : "s");
}

static bool is_shown_as_cause(const struct syn_run_facts *run)
{
    for (size_t i = 0; i < run->findings.cluster_count; i++)
        if (run->findings.cluster[i].first->kind == SYN_KIND_OFF_CPU &&
            syn_cause_matters(run, &run->findings.cluster[i]))
            return true;
    return false;
}

/* Appends a sentence on time off processors that the kernel does not divide, unless a cause
 * mentions it. */
static void write_off_cpu(const struct syn_report *report, const struct syn_run_facts *run,
                          struct syn_text *out)
{
    const double off = off_cpu_share(run);
    (void)report;
    if (isnan(run->findings.own.sum.blocked_ns) && off > OFF_CPU_THAT_MATTERS &&
        !is_shown_as_cause(run))
        syn_words(out,
                  "Outside of MPI ranks were off their processors for {share} of the time or more: "
                  "asleep, or displaced by other programs.",
                  off);
}

/* Appends a sentence on blocked time that all ranks have. If only some have it, it is a cause of
 * waiting, or uneven work. */
static void write_blocked(const struct syn_report *report, const struct syn_run_facts *run,
                          struct syn_text *out)
{
    const struct syn_own_times *own = &run->findings.own;
    double least_ns = INFINITY;
    (void)report;
    for (size_t r = 0; r < own->rank_count; r++)
        if (own->rank[r].is_present)
            least_ns = fmin(least_ns, own->rank[r].blocked_ns);
    if (blocked_share(run) > BLOCKED_THAT_MATTERS &&
        least_ns * (double)own->present_count > own->sum.blocked_ns / 2)
        syn_words(out,
                  "Outside of MPI ranks are blocked for {share} of their time: each waits for "
                  "something else than a processor.",
                  blocked_share(run));
}

/* Sums up the kernel counters of a rank's threads. */
static void rank_counters(const struct syn_run_facts *run, int32_t rank,
                          struct syn_kernel_sums *out)
{
    const struct syn_cause_plan *plan = &run->causes.plan;
    syn_kernel_sums_begin(out);
    for (uint32_t i = plan->first_location[rank]; i < plan->first_location[rank + 1]; i++)
        syn_kernel_sums_add(out, &run->causes.counters[i]);
}

/* Returns the share of a rank's time that it could have run but had no processor; NAN: unknown. */
static double lost_share(const struct syn_kernel_sums *sums)
{
    return sums->run_delay_of_ns > 0 ? fmin(1, sums->run_delay_ns / sums->run_delay_of_ns) : NAN;
}

static double clock_hz(const struct syn_kernel_sums *sums)
{
    return sums->counted_cpu_ns > 0 ? sums->cycles / sums->counted_cpu_ns * 1e9 : NAN;
}

/* A figure of the ranks: its mean over the ranks that have it, and the extreme ranks. */
struct rank_figure {
    double mean, least, most;
    double others_mean; /* mean without the largest */
    int32_t least_rank, most_rank;
};

static struct rank_figure figure_of(const struct syn_run_facts *run,
                                    double (*figure)(const struct syn_kernel_sums *))
{
    struct rank_figure out = {NAN, INFINITY, -INFINITY, NAN, -1, -1};
    double sum = 0, count = 0;
    for (int32_t r = 0; r < run->causes.plan.rank_count; r++) {
        struct syn_kernel_sums sums;
        rank_counters(run, r, &sums);
        const double value = figure(&sums);
        if (!isfinite(value))
            continue;
        sum += value;
        count++;
        out.least_rank = value < out.least ? r : out.least_rank;
        out.least = fmin(out.least, value);
        out.most_rank = value > out.most ? r : out.most_rank;
        out.most = fmax(out.most, value);
    }
    out.mean = count > 0 ? sum / count : NAN;
    out.others_mean = count > 1 ? (sum - out.most) / (count - 1) : NAN;
    return out;
}

static void write_crowd(const struct syn_report *report, const struct syn_run_facts *run,
                        struct syn_text *out)
{
    struct host worst;
    const struct rank_figure lost = figure_of(run, lost_share);
    const size_t count = worst_host(run, crowd_of, 1, &worst);
    if (count == 0)
        return;
    syn_words(out, "{n} ranks share the {n} processor{s} of {text}", worst.rank_count,
              worst.processor_count, name_of(report, &worst));
    add_more(count, out);
    if (lost.mean > SYN_LOST_THAT_MATTERS)
        syn_words(out, ": for {share} of their time ranks could have run but had none", lost.mean);
    syn_text_string(out, ". A rank without a processor is late for that reason alone, which may "
                         "explain all of the waiting.");
}

static void write_load(const struct syn_report *report, const struct syn_run_facts *run,
                       struct syn_text *out)
{
    struct host worst;
    const size_t count = worst_host(run, load_of, LOAD_THAT_MATTERS, &worst);
    if (count == 0 || isfinite(figure_of(run, lost_share).mean)) /* lost_share says more */
        return;
    syn_text_format(out, "The load of %s", name_of(report, &worst));
    add_more(count, out);
    syn_words(out,
              " was {number.1} on {n} processor{s} when the run began. Other programs may have "
              "delayed ranks.",
              worst.load_average, worst.processor_count);
}

/* Returns true if one rank lost its processor, and hardly any other. */
static bool is_one_rank(const struct rank_figure *lost)
{
    return !(lost->others_mean > SYN_LOST_THAT_MATTERS &&
             lost->others_mean > LIKE_OTHERS * lost->most);
}

static void write_lost(const struct syn_report *report, const struct syn_run_facts *run,
                       struct syn_text *out)
{
    const struct rank_figure lost = figure_of(run, lost_share);
    struct syn_kernel_sums sums;
    struct host crowded;
    (void)report;
    if (!(lost.most > SYN_LOST_THAT_MATTERS) || worst_host(run, crowd_of, 1, &crowded) > 0)
        return;
    rank_counters(run, lost.most_rank, &sums);
    const bool is_one = is_one_rank(&lost);
    if (is_one)
        syn_words(out, "Rank {n} could have run but had no processor for {share} of its time",
                  lost.most_rank, lost.most);
    else
        syn_words(out,
                  "For {share} of their time ranks could have run but had no processor (rank {n}: "
                  "{share}",
                  lost.mean, lost.most_rank, lost.most);
    if (isfinite(sums.involuntary_switches))
        syn_text_format(out, "%sswitched out %.0f times", is_one ? " (" : ", ",
                        sums.involuntary_switches);
    if (!is_one || isfinite(sums.involuntary_switches))
        syn_text_char(out, ')');
    if (is_one && lost.others_mean >= SHARE_TO_SAY)
        syn_words(out, ", the other{text} for {share}", run->present_count == 2 ? "" : "s",
                  lost.others_mean);
    syn_text_char(out, '.');
}

static void write_clock(const struct syn_report *report, const struct syn_run_facts *run,
                        struct syn_text *out)
{
    const struct rank_figure hz = figure_of(run, clock_hz);
    (void)report;
    if (hz.least < (1 - CLOCK_THAT_MATTERS) * hz.most)
        syn_text_format(out,
                        "Processors ran at different clocks: rank %d at %.2f GHz, rank %d at %.2f "
                        "GHz (mean %.2f).",
                        hz.least_rank, hz.least * 1e-9, hz.most_rank, hz.most * 1e-9,
                        hz.mean * 1e-9);
}

double syn_report_lost_beyond_ns(const struct syn_run_facts *run, int32_t rank)
{
    const struct rank_figure lost = figure_of(run, lost_share);
    if (rank != lost.most_rank || !(lost.most > SYN_LOST_THAT_MATTERS) ||
        !isfinite(lost.others_mean))
        return 0;
    return (lost.most - lost.others_mean) * (double)run->findings.run_ns;
}

bool syn_report_shows_lost(const struct syn_run_facts *run)
{
    struct host crowded;
    return worst_host(run, crowd_of, 1, &crowded) > 0 ||
           figure_of(run, lost_share).most > SYN_LOST_THAT_MATTERS;
}

bool syn_report_processors_lost(const struct syn_run_facts *run)
{
    return figure_of(run, lost_share).mean > SYN_LOST_THAT_SPOILS;
}

const char *syn_report_lost_next(const struct syn_run_facts *run)
{
    /* a rank that is bound to one core or processor cannot be bound more closely */
    for (int32_t r = 0; r < run->rank_count; r++)
        if (run->rank[r].present && !run->rank[r].core)
            return "keep other programs off these processors; bind ranks to cores";
    return "keep other programs off these processors";
}

static double worst_of(const struct syn_run_facts *run, double (*figure)(const struct host *))
{
    struct host worst;
    return worst_host(run, figure, 0, &worst) > 0 ? figure(&worst) : 0;
}

static double crowd_size(const struct syn_run_facts *run)
{
    return worst_of(run, crowd_of);
}

static double load_size(const struct syn_run_facts *run)
{
    return worst_of(run, load_of);
}

static double lost_size(const struct syn_run_facts *run)
{
    return figure_of(run, lost_share).most;
}

static double clock_size(const struct syn_run_facts *run)
{
    const struct rank_figure hz = figure_of(run, clock_hz);
    return hz.most / hz.least;
}

static const struct {
    void (*tell)(const struct syn_report *, const struct syn_run_facts *, struct syn_text *);
    double (*size)(const struct syn_run_facts *); /* larger is worse */
    bool is_busy; /* the machine causes it, or may cause it; false: the program does */
    const char *next;
} kinds[] = {
    {write_crowd, crowd_size, true, "run at most as many ranks as there are processors"},
    {write_lost, lost_size, true, NULL}, /* syn_report_lost_next */
    {write_clock, clock_size, true, "fix the frequency; look for a hot or throttled node"},
    {write_load, load_size, true, "repeat the run on an idle machine"},
    {write_blocked, blocked_share, false, SYN_BLOCKED_NEXT},
    {write_off_cpu, off_cpu_share, true, SYN_OFF_CPU_NEXT},
};

static const char *next_of(const struct syn_run_facts *run, size_t kind)
{
    return kinds[kind].next ? kinds[kind].next : syn_report_lost_next(run);
}

bool syn_report_machine_words(const struct syn_report *report, const struct syn_run_facts *run,
                              size_t kind, struct syn_text *out, const char **next)
{
    if (kind >= sizeof kinds / sizeof *kinds)
        return false;
    kinds[kind].tell(report, run, out);
    *next = next_of(run, kind);
    return true;
}

double syn_report_machine_size(const struct syn_run_facts *run, size_t kind)
{
    return kinds[kind].size(run);
}

bool syn_report_machine_is_busy(const struct syn_report *report, const struct syn_run_facts *run)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++)
        if (kinds[kind].is_busy)
            kinds[kind].tell(report, run, &words);
    return words.length > 0;
}

double syn_report_machine_share(const struct syn_report *report, const struct syn_run_facts *run)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    bool is_lost = false, is_other = false;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        syn_text_clear(&words);
        kinds[kind].tell(report, run, &words);
        *(kinds[kind].tell == write_lost ? &is_lost : &is_other) |= words.length > 0;
    }
    return is_other || (is_lost && syn_report_processors_lost(run)) ? INFINITY
           : is_lost ? figure_of(run, lost_share).mean
                     : 0;
}

/* Returns true if the page's first line says as much about lost processors as an item would,
 * because the item names no rank. */
static bool is_told_first(const struct syn_run_facts *run, bool has_causes)
{
    struct host crowded;
    const struct rank_figure lost = figure_of(run, lost_share);
    if (syn_report_processors_lost(run))
        return !syn_report_lost_names(run) && !is_one_rank(&lost);
    return !has_causes && (worst_host(run, crowd_of, 1, &crowded) > 0 ||
                           (lost.mean > SYN_LOST_THAT_MATTERS && !is_one_rank(&lost)));
}

size_t syn_report_machine_causes(struct syn_doc *doc, const struct syn_report *report,
                                 const struct syn_run_facts *run, bool *tells_causes)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0}, steps = {0};
    *tells_causes = false;
    for (size_t kind = 0; kind < sizeof kinds / sizeof *kinds; kind++) {
        SYN_CLEANUP(syn_text_free) struct syn_text sentence = {0};
        kinds[kind].tell(report, run, &sentence);
        if (sentence.length > 0 &&
            (kinds[kind].tell == write_crowd || kinds[kind].tell == write_lost)) {
            const bool has_causes = syn_report_lost_causes(report, run, &sentence);
            if (!syn_report_tells_all(doc, report) && is_told_first(run, has_causes))
                syn_text_clear(&sentence);
            else
                *tells_causes |= has_causes;
        }
        if (sentence.length > 0) {
            syn_text_format(&words, "%s%s", words.length ? " " : "", syn_text_chars(&sentence));
            syn_text_format(&steps, "%s%s", steps.length ? "; " : "", next_of(run, kind));
        }
    }
    const bool told = words.length > 0;
    if (told)
        syn_say_item_next(doc, syn_text_chars(&steps), "{text}", syn_text_chars(&words));
    return told;
}

struct syn_crowd syn_report_crowd(const struct syn_run_facts *run)
{
    struct host worst = {0};
    worst_host(run, crowd_of, 0, &worst);
    return (struct syn_crowd){worst.rank_count, worst.processor_count,
                              figure_of(run, lost_share).mean};
}

void syn_report_machine(const struct syn_run_facts *run, struct syn_machine_figures *out)
{
    const struct rank_figure lost = figure_of(run, lost_share), hz = figure_of(run, clock_hz);
    struct host crowded = {0}, loaded = {.load_average = NAN};
    worst_host(run, crowd_of, 0, &crowded);
    worst_host(run, load_of, 0, &loaded);
    *out = (struct syn_machine_figures){
        .ranks_per_processor = crowd_of(&crowded) > 0 ? crowd_of(&crowded) : NAN,
        .load_per_processor = load_of(&loaded) > 0 ? load_of(&loaded) : NAN,
        .off_cpu_share = off_cpu_share(run),
        .run_delay_share = lost.mean,
        .run_delay_share_most = lost.most_rank < 0 ? NAN : lost.most,
        .clock_hz_least = hz.least_rank < 0 ? NAN : hz.least};
}
