/* analyze/report/formats/report_html_verdict.c - writes the top of the report's page: what is wrong
 * and how bad that is, in words and colour, with the thresholds. */
#include <math.h>
#include <stdio.h>

#include "analyze/print/html.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/report_html.h"

enum level { LEVEL_UNKNOWN, LEVEL_GOOD, LEVEL_LOOK, LEVEL_BAD };
static const char *const level_class[] = {"quiet", "good", "look", "bad"};
static const char *const level_words[] = {"not known", "good", "worth a look", "bad"};

/* A share with two thresholds. It is good on one side of `look`, and bad beyond `bad`. */
struct gauge {
    const char *name;
    const char *lead; /* the page's first sentence if this gauge is the worst; %s is the share */
    double value, look, bad;
    bool counts; /* for the verdict of the whole */
};

static enum level level_of(const struct gauge *gauge)
{
    if (!isfinite(gauge->value))
        return LEVEL_UNKNOWN;
    const double sign = gauge->bad > gauge->look ? 1 : -1;
    return sign * gauge->value >= sign * gauge->bad    ? LEVEL_BAD
           : sign * gauge->value >= sign * gauge->look ? LEVEL_LOOK
                                                       : LEVEL_GOOD;
}

/* Returns the distance from the best value, as a share of the distance to `bad`, to compare
 * gauges. */
static double badness(const struct gauge *gauge)
{
    const double fine = gauge->bad > gauge->look ? 0 : 1;
    return isfinite(gauge->value) ? (gauge->value - fine) / (gauge->bad - fine) : -1;
}

#define GAUGES 6
static void write_lead(const struct gauge *gauge, const struct syn_report *report,
                       struct syn_text *out)
{
    const struct gauge *worst = NULL;
    for (int i = 0; i < GAUGES; i++)
        if (gauge[i].counts && level_of(&gauge[i]) != LEVEL_UNKNOWN &&
            (!worst || level_of(&gauge[i]) > level_of(worst) ||
             (level_of(&gauge[i]) == level_of(worst) && badness(&gauge[i]) > badness(worst))))
            worst = &gauge[i];
    const enum level level = worst ? level_of(worst) : LEVEL_UNKNOWN;
    char share[SYN_UNIT_BYTES], words[160];
    syn_text_format(out, "<div class='verdict %s'><p class=lead>", level_class[level]);
    if (level == LEVEL_GOOD) {
        syn_text_string(out, "Little time is lost in collectives: <span class=good>good</span>");
    } else if (worst) {
        snprintf(words, sizeof words, worst->lead, syn_unit_share(share, worst->value));
        syn_html_escape(out, words);
        syn_text_format(out, ": <span class=%s>%s</span>", level_class[level], level_words[level]);
    } else {
        syn_text_string(out, "How much time is lost is not known");
    }
    syn_text_string(out, "</p>\n");
    if (!isfinite(gauge[0].value))
        syn_text_format(out,
                        "<p>How the time in collectives divides between waiting and the "
                        "operations is not known: %s.</p>\n",
                        syn_report_any_is_cut(report) ? "not all ranks were recorded"
                        : syn_report_mostly_lacks(syn_report_typical(report))
                            ? "most of it is in calls that lack members"
                            : "the clocks cannot tell");
}

/* Fills the gauges, then writes the first sentence and a row for each gauge. */
void syn_report_html_verdict(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    struct gauge gauge[GAUGES];
    const bool lacks = syn_report_mostly_lacks(syn_report_typical(report));
    const struct syn_efficiency unknown = {NAN, NAN, NAN, NAN, NAN};
    const struct syn_efficiency *of =
        lacks ? &unknown : &syn_report_typical(report)->findings.efficiency;
    const double bound_ns = syn_report_waiting_bound_ns(report);
    const double waiting_ns = syn_report_waiting_ns(report);
    const bool known = !lacks && isfinite(bound_ns) && (waiting_ns <= 0 || bound_ns <= waiting_ns);
    const double waiting = syn_report_share(report, SYN_SHARE_WAITING).of_run;
    const double operating = syn_report_share(report, SYN_SHARE_OPERATING).of_run;
    const struct gauge all[GAUGES] = {
        {"waiting for late ranks, share of the run", "Ranks wait for late ranks for %s of the run",
         known ? waiting : NAN, 0.05, 0.2, true},
        {"the collectives themselves, share of the run",
         "The collective operations themselves take %s of the run", known ? operating : NAN, 0.1,
         0.3, true},
        {"parallel efficiency: a rank's time outside MPI",
         "Only %s of the ranks' time is outside MPI", of->parallel, 0.8, 0.6, true},
        {"load balance: mean work over the most of a rank", NULL, of->load_balance, 0.8, 0.6,
         false},
        {"waiting efficiency: 1 - loss by work that others wait for", NULL, of->waiting, 0.8, 0.6,
         false},
        {"transfer efficiency: 1 - loss in operations and messages", NULL, of->transfer, 0.8, 0.6,
         false},
    };
    for (int i = 0; i < GAUGES; i++)
        gauge[i] = all[i];
    write_lead(gauge, report, out);
    syn_text_string(out, "<table>");
    for (int i = 0; i < GAUGES; i++)
        if (isfinite(gauge[i].value)) {
            char share[SYN_UNIT_BYTES];
            const enum level level = level_of(&gauge[i]);
            syn_text_string(out, "<tr>");
            syn_html_cell(out, gauge[i].name, true);
            syn_html_cell(out, syn_unit_share(share, gauge[i].value), false);
            syn_text_format(
                out,
                "<td class='l %s'><span class=gauge><i style='width:%.1f%%'></i></span></td>"
                "<td class='l %s'><b>%s</b></td><td class=l>good %s %g %%, bad %s %g %%</td>"
                "</tr>\n",
                level_class[level], 100 * fmin(fmax(gauge[i].value, 0), 1), level_class[level],
                level_words[level], gauge[i].bad > gauge[i].look ? "below" : "above",
                100 * gauge[i].look, gauge[i].bad > gauge[i].look ? "from" : "up to",
                100 * gauge[i].bad);
        }
    syn_text_string(out, "</table>\n");
    if (isfinite(gauge[2].value))
        syn_text_string(out, "<p class=quiet>Parallel efficiency = load balance x waiting x "
                             "transfer. Only MPI's collectives and messages are seen: what ranks "
                             "do otherwise counts as work.</p>\n");
    syn_text_string(out, "</div>\n");
}
