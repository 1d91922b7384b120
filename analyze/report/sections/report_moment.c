/* analyze/report/sections/report_moment.c - finds one moment of the run from which on several call
 * sites are slower. This is one finding instead of one for each site. */
#include "analyze/report/sections/report_page.h"

#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/print/units.h"
#include "analyze/report/figures/changes.h"
#include "analyze/report/findings/report_parts.h"
#include "sync/base/compare.h"
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

SYN_ORDER(by_time, struct step, SYN_UP(at_ns))

SYN_ORDER(by_extra, struct step, SYN_DOWN(extra_ns))

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

/* Finds the steps with most extra time within a width: step[*first ..], ordered by time. Returns
 * how many they are. */
static size_t find_densest(const struct step *step, size_t count, double width_ns, size_t *first)
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

/* A moment: its steps, the largest first. */
struct moment {
    struct step *step; /* [count]; owned */
    size_t count;      /* 0: there is none that costs enough */
    double extra_ns;
    bool failed; /* memory ran out */
};

/* Finds the most expensive moment of the typical run. The caller frees `step`. */
static struct moment find_moment(const struct syn_report *report)
{
    const struct syn_run_facts *typical = syn_report_typical(report);
    const double run_ns = syn_facts_run_ns(typical);
    struct step *step = calloc(report->groups.count + 1, sizeof *step);
    struct moment moment = {.step = step, .failed = !step};
    size_t count = 0, first = 0;
    for (size_t i = 0; i < report->groups.count && step; i++)
        count += find_step(typical, &report->figures[i], &step[count]);
    if (count == 0)
        return moment;
    qsort(step, count, sizeof *step, by_time);
    const size_t found = find_densest(step, count, MOMENT_WIDTH * run_ns, &first);
    for (size_t i = 0; i < found; i++) {
        step[i] = step[first + i];
        moment.extra_ns += step[i].extra_ns;
    }
    qsort(step, found, sizeof *step, by_extra);
    moment.count = moment.extra_ns >= MOMENT_THAT_MATTERS * run_ns ? found : 0;
    return moment;
}

static double share_of(const struct syn_report *report, const struct moment *moment)
{
    return moment->count == 0
               ? 0
               : fmin(1, moment->extra_ns / syn_facts_run_ns(syn_report_typical(report)));
}

static void write_sites(const struct syn_report *report, const struct moment *moment,
                        struct syn_text *out)
{
    const size_t most = SITES_SHOWN, count = moment->count, shown = syn_least(count, most);
    for (size_t i = 0; i < shown; i++) {
        syn_text_string(out, i == 0 ? "" : i + 1 == count ? " and " : ", ");
        syn_report_group_name(report, moment->step[i].figures->group, out);
    }
    if (shown < count)
        syn_text_format(out, " and %zu more", count - shown);
}

/* Writes "1.20 s (14:03:12 UTC)": when the first step of the moment was. */
static void write_when(const struct syn_report *report, const struct moment *moment,
                       struct syn_text *out)
{
    const struct syn_run_facts *run = syn_report_typical(report);
    double at_ns = INFINITY;
    for (size_t i = 0; i < moment->count; i++)
        at_ns = fmin(at_ns, moment->step[i].at_ns);
    const double since_ns = fmax(0, at_ns - (double)run->causes.sums.path_start_ns);
    const time_t seconds = (time_t)(((double)run->start_unix_ns + since_ns) / 1e9);
    char day[20];
    struct tm broken;
    syn_words(out, "{time}", since_ns);
    if (run->start_unix_ns > 0 && gmtime_r(&seconds, &broken) &&
        strftime(day, sizeof day, "%H:%M:%S", &broken))
        syn_text_format(out, " (%s UTC)", day);
}

double syn_report_moment_share(const struct syn_report *report)
{
    const struct moment moment = find_moment(report);
    const double share = share_of(report, &moment);
    free(moment.step);
    return share;
}

void syn_report_moment(struct syn_doc *doc, const struct syn_report *report)
{
    const struct moment moment = find_moment(report);
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < moment.count; i++) {
        least = fmin(least, moment.step[i].ratio);
        most = fmax(most, moment.step[i].ratio);
    }
    if (moment.count > 0) {
        struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
        syn_text_string(line, "From ");
        write_when(report, &moment, line);
        syn_text_string(line, " on, ");
        write_sites(report, &moment, line);
        syn_words(line, " take{text} {factor}", moment.count == 1 ? "s" : "", least);
        if (moment.count > 1)
            syn_words(line, " to {factor}", most);
        syn_words(line, " times as long as before. That is {share} of the run.",
                  share_of(report, &moment));
        syn_doc_next(
            doc, "see what began then: another program, output, a processor that was throttled");
    }
    doc->failed |= moment.failed;
    free(moment.step);
}

size_t syn_report_moment_groups(const struct syn_report *report, const struct syn_figures **out)
{
    const struct moment moment = find_moment(report);
    for (size_t i = 0; i < moment.count; i++)
        out[i] = moment.step[i].figures;
    free(moment.step);
    return moment.count;
}
