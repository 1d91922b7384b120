/* analyze/tune/judge.c - computes promises and verdicts from the launches that decide. */
#include <math.h>
#include <string.h>

#include "analyze/stats/series/precision.h"
#include "analyze/stats/values/stats.h"
#include "analyze/tune/tune.h"
#include "sync/base/status.h"

void tune_give_up(struct tune_item *item, const char *why)
{
    item->verdict = TUNE_UNKNOWN;
    item->why = why;
}

struct tune_item *tune_next_advised(const struct tune_session *session,
                                    const struct tune_item *item)
{
    for (size_t i = item ? (size_t)(item - session->item) + 1 : 0; i < session->count; i++)
        if (session->item[i].verdict == TUNE_BETTER)
            return &session->item[i];
    return NULL;
}

void tune_halve(struct tune_item *item, size_t most)
{
    double best = NAN;
    for (size_t i = 1; i < item->count; i++)
        if (item->candidate[i].state == TUNE_IN)
            best = fmin(best, item->candidate[i].median_ns);
    for (size_t i = 1; i < item->count; i++) {
        struct tune_candidate *candidate = &item->candidate[i];
        size_t faster = 0;
        for (size_t k = 1; k < item->count; k++)
            faster += item->candidate[k].state == TUNE_IN &&
                      item->candidate[k].median_ns < candidate->median_ns;
        if (candidate->state == TUNE_IN &&
            !(candidate->median_ns <= best * TUNE_NOISE && faster < most))
            candidate->state = TUNE_OUT;
    }
}

/* ---- promises ---- */

/* The launches that measured both settings: logarithms of their ratios and of the present times. */
struct pairs {
    size_t n;
    double mean, error, t; /* of the mean: its standard error; half its t interval in errors */
    double low, high;      /* where the mean of TUNE_RUNS more will be */
    double now_low, now_high;
};

static struct pairs pairs_of(const struct tune_candidate *now, const struct tune_candidate *with,
                             enum tune_time time)
{
    struct pairs out = {0, 0, 0, 0, INFINITY, -INFINITY, INFINITY, -INFINITY};
    double squares = 0;
    for (size_t i = 0; i < TUNE_LAUNCHES; i++) {
        const double now_ns = now->log_ns[time][i], ratio = with->log_ns[time][i] - now_ns;
        if (isnan(ratio))
            continue;
        const double from_mean = ratio - out.mean;
        out.mean += from_mean / (double)++out.n;
        squares += from_mean * (ratio - out.mean);
        out.low = fmin(out.low, ratio);
        out.high = fmax(out.high, ratio);
        out.now_low = fmin(out.now_low, now_ns);
        out.now_high = fmax(out.now_high, now_ns);
    }
    if (out.n < TUNE_LAUNCHES_LEAST)
        return out;
    const double n = (double)out.n;
    out.t = syn_t_quantile(TUNE_CONFIDENCE, n - 1);
    out.error = sqrt(squares / (n - 1) / n);
    const double half = out.t * out.error * sqrt(1 + n / TUNE_RUNS);
    out.low = fmax(out.low, out.mean - half);
    out.high = fmin(out.high, out.mean + half);
    return out;
}

double tune_ratio_of(const struct tune_candidate *now, const struct tune_candidate *with,
                     enum tune_time time)
{
    const struct pairs pairs = pairs_of(now, with, time);
    return pairs.n ? exp(pairs.mean) : NAN;
}

struct tune_promise tune_promise_of(const struct tune_candidate *now,
                                    const struct tune_candidate *with, double program_ns)
{
    const struct pairs fresh = pairs_of(now, with, TUNE_FRESH), row = pairs_of(now, with, TUNE_ROW);
    struct tune_promise out = {fresh.n, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (fresh.n < TUNE_LAUNCHES_LEAST)
        return out;
    const double program = log(program_ns), mean = fresh.mean;
    const bool rows_count =
        !(program > row.now_high + log(2) && program - row.now_high > fresh.now_low - program);
    double low = rows_count ? fmin(fresh.low, row.low) : fresh.low;
    double high = rows_count ? fmax(fresh.high, row.high) : fresh.high;
    const double now_low = rows_count ? fmin(fresh.now_low, row.now_low) : fresh.now_low;
    const double now_high = rows_count ? fmax(fresh.now_high, row.now_high) : fresh.now_high;
    if (program > now_high) {
        high = fmax(high, log(1 - exp(now_high - program) * (1 - exp(high))));
        low -= program - now_high;
    } else if (program < now_low) {
        low -= now_low - program;
        high += now_low - program;
    }
    out.ratio = exp(mean);
    out.mean_low = exp(mean - fresh.t * fresh.error);
    out.low = exp(low - TUNE_TRANSFER * fabs(mean));
    out.high = exp(high + TUNE_TRANSFER * fabs(mean));
    out.p =
        fresh.error > 0 ? syn_f_p(pow(mean / fresh.error, 2), 1, (double)fresh.n - 1) : mean == 0;
    out.now_low_ns = exp(now_low);
    out.now_high_ns = exp(now_high);
    return out;
}

/* Returns whether a candidate was measured to the end. */
static bool is_left(const struct tune_item *item, size_t candidate)
{
    return candidate > 0 && item->candidate[candidate].state == TUNE_IN &&
           !isnan(item->candidate[candidate].promise.ratio);
}

/* Adjusts p of all remaining candidates by Holm. */
static int adjust(struct tune_session *session)
{
    double p[TUNE_ITEMS * TUNE_CANDIDATES];
    size_t count = 0, at = 0;
    for (size_t i = 0; i < session->count; i++)
        for (size_t k = 0; k < session->item[i].count; k++)
            p[count++] =
                is_left(&session->item[i], k) ? session->item[i].candidate[k].promise.p : NAN;
    const int status = syn_adjust_holm(p, count);
    for (size_t i = 0; i < session->count && status == SYN_OK; i++)
        for (size_t k = 0; k < session->item[i].count; k++)
            session->item[i].candidate[k].promise.p = p[at++];
    return status;
}

static double gain_of(const struct tune_item *item, double ratio)
{
    return isnan(ratio) ? 0 : item->group->operation_ns * (1 - ratio);
}

/* Makes a candidate the item's best, and sets the item's verdict. */
static void choose(const struct tune_session *session, struct tune_item *item, size_t candidate)
{
    const struct tune_promise *best = &item->candidate[candidate].promise;
    double most = 0;
    for (size_t k = 1; k < item->count; k++)
        if (is_left(item, k))
            most = fmax(most, gain_of(item, item->candidate[k].promise.mean_low));
    const bool is_shown = best->ratio < 1 && best->p < 1 - TUNE_CONFIDENCE;
    item->best = candidate;
    item->verdict = most < TUNE_SHARE * session->trace->run_ns ? TUNE_NOTHING : TUNE_UNKNOWN;
    if (is_shown && 1 - best->high >= TUNE_CERTAIN * (1 - best->ratio))
        item->verdict = TUNE_BETTER;
    else if (is_shown && item->verdict == TUNE_UNKNOWN)
        item->why = "the launches, or benchmark and program, differ too much to promise a gain";
}

/* Returns the measured candidate of an item with this setting; 0: none. */
static size_t find_setting(const struct tune_item *item, const char *op, const char *environment)
{
    for (size_t k = 1; k < item->count && !item->why && strcmp(item->op, op) == 0; k++)
        if (is_left(item, k) && strcmp(item->candidate[k].environment, environment) == 0)
            return k;
    return 0;
}

static void choose_shortest(const struct tune_session *session, struct tune_item *item)
{
    size_t best = 0;
    for (size_t k = 1; k < item->count; k++)
        if (is_left(item, k) &&
            (best == 0 || item->candidate[k].promise.ratio < item->candidate[best].promise.ratio))
            best = k;
    if (best > 0)
        choose(session, item, best);
    else
        item->why = "too few launches had enough instances in time";
}

/* One variable holds for all sizes of an operation: of the items' best settings, takes the one with
 * the largest gain over all items. */
static void agree_on_value(struct tune_session *session, const char *op)
{
    const char *best = NULL;
    double most = 0;
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));) {
        double gain = 0;
        if (strcmp(item->op, op) != 0)
            continue;
        const char *setting = item->candidate[item->best].environment;
        for (size_t k = 0; k < session->count; k++) {
            const struct tune_item *other = &session->item[k];
            const size_t found = find_setting(other, op, setting);
            gain += found ? gain_of(other, other->candidate[found].promise.ratio) : 0;
        }
        best = gain > most ? setting : best;
        most = fmax(most, gain);
    }
    for (size_t i = 0; i < session->count && best; i++) {
        struct tune_item *item = &session->item[i];
        const size_t candidate = find_setting(item, op, best);
        if (candidate > 0)
            choose(session, item, candidate);
        else if (item->verdict == TUNE_BETTER && strcmp(item->op, op) == 0)
            tune_give_up(item, "its variable has another value, for a larger gain elsewhere");
    }
}

int tune_judge(struct tune_session *session)
{
    for (size_t i = 0; i < session->count; i++)
        for (size_t k = 0; k < session->item[i].count; k++)
            session->item[i].candidate[k].promise =
                tune_promise_of(session->item[i].candidate, &session->item[i].candidate[k],
                                session->item[i].group->median_ns);
    if (adjust(session) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = 0; i < session->count; i++)
        if (!session->item[i].why)
            choose_shortest(session, &session->item[i]);
    if (!session->by_rules)
        for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
            agree_on_value(session, item->op);
    return 0;
}
