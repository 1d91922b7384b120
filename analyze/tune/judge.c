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

struct tune_promise tune_promise_of(const double *log_now, const double *log_try, size_t n,
                                    double program_ns)
{
    double pair[TUNE_LAUNCHES], now = 0, with = 0, squares = 0;
    size_t count = 0;
    for (size_t i = 0; i < n && count < TUNE_LAUNCHES; i++) {
        if (isnan(log_now[i]) || isnan(log_try[i]))
            continue;
        now += log_now[i];
        with += log_try[i];
        pair[count++] = log_try[i] - log_now[i];
    }
    struct tune_promise out = {count, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count < TUNE_LAUNCHES_LEAST)
        return out;
    const double number = (double)count, mean = (with - now) / number;
    for (size_t i = 0; i < count; i++)
        squares += (pair[i] - mean) * (pair[i] - mean);
    const double t = syn_t_quantile(TUNE_CONFIDENCE, number - 1);
    const double error = sqrt(squares / (number - 1) / number);
    out.now_ns = exp(now / number);
    out.ratio = exp(mean);
    out.mean_low = exp(mean - t * error);
    out.mean_high = exp(mean + t * error);
    out.low = exp(mean - t * error * sqrt(2));
    out.high = exp(mean + t * error * sqrt(2));
    out.p = error > 0 ? syn_f_p(mean * mean / (error * error), 1, number - 1) : mean == 0;
    if (!isnan(program_ns)) {
        const double more = program_ns - out.now_ns;
        const double other = (exp(with / number) + more) / program_ns;
        if (more > 0)
            out.low *= out.now_ns / program_ns;
        else
            out.low = fmin(out.low, fmax(other, out.low / 2));
        out.high = fmax(out.high, other);
    }
    return out;
}

/* Returns the promise for a candidate. Its interval also contains that of calls in a row, unless
 * the program clearly calls in another way: its median differs by more than a factor of two from
 * that of calls in a row, and is nearer to the median with fresh data. */
static struct tune_promise promise_both(const struct tune_candidate *now,
                                        const struct tune_candidate *with, double program_ns)
{
    struct tune_promise out = tune_promise_of(now->log_ns[TUNE_FRESH], with->log_ns[TUNE_FRESH],
                                              TUNE_LAUNCHES, program_ns);
    const struct tune_promise row =
        tune_promise_of(now->log_ns[TUNE_ROW], with->log_ns[TUNE_ROW], TUNE_LAUNCHES, program_ns);
    const double from_row = fabs(log(program_ns / row.now_ns));
    const bool is_row = !(from_row > fabs(log(program_ns / out.now_ns)));
    out.near_ns = is_row ? row.now_ns : out.now_ns;
    if (from_row > log(2) && !is_row)
        return out;
    out.low = fmin(out.low, row.low);
    out.high = fmax(out.high, row.high);
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
    item->best = candidate;
    item->verdict = most < TUNE_SHARE * session->trace->run_ns ? TUNE_NOTHING : TUNE_UNKNOWN;
    if (best->ratio < 1 && best->p < 1 - TUNE_CONFIDENCE && best->high < 1)
        item->verdict = TUNE_BETTER;
    if (item->verdict == TUNE_BETTER && 1 - best->high < TUNE_CERTAIN * (1 - best->ratio))
        tune_give_up(item, "the benchmark differs too much from the program to promise a gain");
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
                promise_both(session->item[i].candidate, &session->item[i].candidate[k],
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
