/* analyze/tune/promise.c - predicts what a candidate brings the program. */
#include <math.h>

#include "analyze/stats/series/precision.h"
#include "analyze/stats/values/stats.h"
#include "analyze/tune/tune.h"

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
    struct tune_promise out = {count, NAN, NAN, NAN, NAN, NAN, NAN};
    if (count < TUNE_LAUNCHES_LEAST)
        return out;
    const double number = (double)count, mean = (with - now) / number;
    for (size_t i = 0; i < count; i++)
        squares += (pair[i] - mean) * (pair[i] - mean);
    const double t = syn_t_quantile(TUNE_CONFIDENCE, number - 1);
    const double error = sqrt(squares / (number - 1) / number);
    out.ratio = exp(mean);
    out.mean_low = exp(mean - t * error);
    out.mean_high = exp(mean + t * error);
    out.low = exp(mean - t * error * sqrt(2));
    out.high = exp(mean + t * error * sqrt(2));
    out.p = error > 0 ? syn_f_p(mean * mean / (error * error), 1, number - 1) : mean == 0;
    if (!isnan(program_ns)) {
        const double more = program_ns - exp(now / number);
        const double other = (exp(with / number) + more) / program_ns;
        out.low = fmin(out.low, fmax(other, out.low / 2));
        out.high = fmax(out.high, other);
    }
    return out;
}
