/* analyze/report/sections/report_moment.c - finds one moment of the run from which on several call
 * sites are slower. This is one finding instead of one for each site. */
#include "analyze/report/sections/report_moment.h"
#include "analyze/report/sections/report_page.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/print/units.h"
#include "analyze/report/figures/changes.h"
#include "analyze/report/findings/report_parts.h"
#include "sync/base/integers.h"

/* Steps belong to one moment if they are no further apart than this share of the run. */
#define MOMENT_WIDTH 0.02
/* A moment is mentioned if the calls take longer from then on by this share of the run. */
#define MOMENT_THAT_MATTERS 0.01
#define SITES_SHOWN         3

struct step {
    const struct syn_figures *figures;
    double at_ns, ratio;
    double extra_ns; /* additional time of a rank from then on */
};

static int by_time(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    return a->at_ns < b->at_ns ? -1 : a->at_ns > b->at_ns;
}

static int by_extra(const void *left, const void *right)
{
    const struct step *a = left, *b = right;
    return a->extra_ns > b->extra_ns ? -1 : a->extra_ns < b->extra_ns;
}

/* Finds a group's step in the typical run. Returns false if it has none. */
static bool find_step(const struct syn_run_facts *typical, const struct syn_figures *figures,
                      struct step *out)
{
    for (size_t r = 0; r < figures->run_count; r++) {
        const struct syn_run_figures *run = &figures->run[r];
        const struct syn_change *found = &run->change.found;
        const double calls = (double)(run->instances + run->skipped);
        if (run->run != typical->run || !syn_run_change_is_claimed(&run->change) ||
            found->is_trend || !(found->after > found->before))
            continue;
        *out = (struct step){figures, (double)run->change.at_ns, found->after / found->before,
                             (found->after - found->before) *
                                 (calls - (double)syn_run_change_at(&run->change))};
        return true;
    }
    return false;
}

/* Finds the moment with most extra time: step[*first ..], ordered by time. Returns how many steps
 * it has. */
static size_t find_moment(const struct step *step, size_t count, double width_ns, size_t *first)
{
    double extra_ns = 0, most_ns = 0;
    size_t begin = 0, best = 0;
    for (size_t end = 0; end < count; end++) {
        extra_ns += step[end].extra_ns;
        while (step[end].at_ns - step[begin].at_ns > width_ns)
            extra_ns -= step[begin++].extra_ns;
        if (extra_ns > most_ns) {
            most_ns = extra_ns;
            best = end + 1 - begin;
            *first = begin;
        }
    }
    return best;
}

/* Gathers all steps into step [groups.count], those of the moment first, the largest in front.
 * Returns how many steps the moment has; 0 if they cost too little. */
static size_t gather(const struct syn_report *report, struct step *step)
{
    const struct syn_run_facts *typical = syn_report_typical(report);
    const double run_ns = syn_facts_run_ns(typical);
    size_t count = 0, first = 0;
    double extra_ns = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        count += find_step(typical, &report->figures[i], &step[count]);
    qsort(step, count, sizeof *step, by_time);
    const size_t found = find_moment(step, count, MOMENT_WIDTH * run_ns, &first);
    for (size_t i = 0; i < found; i++) {
        step[i] = step[first + i];
        extra_ns += step[i].extra_ns;
    }
    qsort(step, found, sizeof *step, by_extra);
    return extra_ns >= MOMENT_THAT_MATTERS * run_ns ? found : 0;
}

static void write_sites(const struct syn_report *report, const struct step *step, size_t count,
                        struct syn_text *out)
{
    const size_t most = SITES_SHOWN, shown = syn_least(count, most);
    for (size_t i = 0; i < shown; i++) {
        syn_text_string(out, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        syn_report_group_name(report, step[i].figures->group, out);
    }
    if (shown < count)
        syn_text_format(out, " and %zu more", count - shown);
}

double syn_report_moment_share(const struct syn_report *report)
{
    struct step *step = calloc(report->groups.count + 1, sizeof *step);
    const size_t count = step ? gather(report, step) : 0;
    double extra_ns = 0;
    for (size_t i = 0; i < count; i++)
        extra_ns += step[i].extra_ns;
    free(step);
    return fmin(1, extra_ns / syn_facts_run_ns(syn_report_typical(report)));
}

void syn_report_moment(struct syn_doc *doc, const struct syn_report *report)
{
    struct step *step = calloc(report->groups.count + 1, sizeof *step);
    const size_t count = step ? gather(report, step) : 0;
    doc->failed |= !step;
    if (count > 0) {
        const struct syn_run_facts *run = syn_report_typical(report);
        double least = INFINITY, most = 0, at_ns = INFINITY, extra_ns = 0;
        struct syn_text when = {0}, sites = {0}, times = {0};
        for (size_t i = 0; i < count; i++) {
            least = fmin(least, step[i].ratio);
            most = fmax(most, step[i].ratio);
            at_ns = fmin(at_ns, step[i].at_ns);
            extra_ns += step[i].extra_ns;
        }
        /* "1.20 s (14:03:12 UTC)" */
        const double since_ns = fmax(0, at_ns - (double)run->causes.sums.path_start_ns);
        const time_t seconds = (time_t)(((double)run->start_unix_ns + since_ns) / 1e9);
        char since[SYN_UNIT_BYTES], day[20];
        struct tm broken;
        syn_text_string(&when, syn_unit_time(since, since_ns));
        if (run->start_unix_ns > 0 && gmtime_r(&seconds, &broken) &&
            strftime(day, sizeof day, "%H:%M:%S", &broken))
            syn_text_format(&when, " (%s UTC)", day);
        write_sites(report, step, count, &sites);
        syn_words(&times, "{factor}", least);
        if (count > 1)
            syn_words(&times, " to {factor}", most);
        syn_say_item_next(
            doc, "see what began then: another program, output, a processor that was throttled",
            "From {text} on, {text} take{text} {text} times as long as before. "
            "That is {share} of the run.",
            syn_text_chars(&when), syn_text_chars(&sites), count == 1 ? "s" : "",
            syn_text_chars(&times), fmin(1, extra_ns / syn_facts_run_ns(run)));
        syn_text_free(&when);
        syn_text_free(&sites);
        syn_text_free(&times);
    }
    free(step);
}

size_t syn_report_moment_groups(const struct syn_report *report, const struct syn_figures **out)
{
    struct step *step = calloc(report->groups.count + 1, sizeof *step);
    const size_t count = step ? gather(report, step) : 0;
    for (size_t i = 0; i < count; i++)
        out[i] = step[i].figures;
    free(step);
    return count;
}
