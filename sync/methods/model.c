/* sync/methods/model.c - see model.h. */
#include "sync/methods/model.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/methods/feasible.h"

static int64_t round_ns(double value)
{
    return syn_saturate(floor(value + 0.5));
}

static int64_t rtt_ns(const struct syn_exchange *exchange)
{
    return exchange->recv_ns - exchange->send_ns;
}

static const struct syn_exchange *tightest(const struct syn_exchange *exchanges, int count)
{
    const struct syn_exchange *best = exchanges;

    for (int i = 1; i < count; i++)
        if (rtt_ns(&exchanges[i]) < rtt_ns(best))
            best = &exchanges[i];
    return best;
}

/* Finds the largest lower and the smallest upper bound on y at x, relative to base_ns. An exchange
 * says that at some instant of send..recv, y lay between send - stamp and recv - stamp: the farther
 * end of the interval is used as the distance. */
static void intersect_bounds(const struct syn_exchange *exchanges, int count, int64_t x_ns,
                             int64_t base_ns, double slope, double slope_half_width, double *low,
                             double *high)
{
    *low = -INFINITY;
    *high = INFINITY;
    for (int i = 0; i < count; i++) {
        const struct syn_exchange *e = &exchanges[i];
        const double to_send = (double)(x_ns - e->send_ns), to_recv = (double)(x_ns - e->recv_ns);
        const double loose = slope_half_width * fmax(fabs(to_send), fabs(to_recv));
        const double shift_low = fmin(slope * to_send, slope * to_recv);
        const double shift_high = fmax(slope * to_send, slope * to_recv);
        *low = fmax(*low, (double)(e->send_ns - e->stamp_ns - base_ns) + shift_low - loose);
        *high = fmin(*high, (double)(e->recv_ns - e->stamp_ns - base_ns) + shift_high + loose);
    }
}

static void set_bounds(struct syn_point *point, const struct syn_exchange *exchanges, int count,
                       double slope, double slope_half_width)
{
    const int64_t base_ns = exchanges[0].recv_ns - exchanges[0].stamp_ns;
    double low, high;

    intersect_bounds(exchanges, count, point->x_ns, base_ns, slope, slope_half_width, &low, &high);
    if (low > high) { /* The clock jumped: no offset fits all exchanges, so the bounds say how far
                         they disagree. */
        const double swap = low;
        low = high;
        high = swap;
    }
    point->low_ns = syn_add_ns(base_ns, syn_saturate(floor(low)));
    point->high_ns = syn_add_ns(base_ns, syn_saturate(ceil(high)));
}

struct syn_point syn_point_from_bounds(const struct syn_exchange *exchanges, int count,
                                       double slope, double slope_half_width)
{
    const struct syn_exchange *best = tightest(exchanges, count);
    struct syn_point point = {.x_ns = best->send_ns + rtt_ns(best) / 2, .rtt_min_ns = rtt_ns(best)};

    set_bounds(&point, exchanges, count, slope, slope_half_width);
    point.y_ns = point.low_ns + (point.high_ns - point.low_ns) / 2;
    return point;
}

static int by_one_way(const void *a, const void *b)
{
    const struct syn_exchange *left = a, *right = b;
    const int64_t difference =
        (left->recv_ns - left->stamp_ns) - (right->recv_ns - right->stamp_ns);

    return (difference > 0) - (difference < 0);
}

struct syn_point syn_point_from_median(struct syn_exchange *exchanges, int count, int64_t rtt)
{
    struct syn_point point = {.rtt_min_ns = rtt_ns(tightest(exchanges, count))};
    const struct syn_exchange *median;

    qsort(exchanges, (size_t)count, sizeof *exchanges, by_one_way);
    median = &exchanges[(count - 1) / 2];
    point.x_ns = median->recv_ns;
    point.y_ns = median->recv_ns - median->stamp_ns - rtt / 2;
    set_bounds(&point, exchanges, count, 0, SYN_SLOPE_LIMIT);
    return point;
}

static int by_rtt(const void *a, const void *b)
{
    const int64_t left = rtt_ns(a), right = rtt_ns(b);

    return (left > right) - (left < right);
}

int64_t syn_mean_rtt_ns(struct syn_exchange *exchanges, int count)
{
    double sum = 0;
    int kept = 0;

    qsort(exchanges, (size_t)count, sizeof *exchanges, by_rtt);
    const double q1 = (double)rtt_ns(&exchanges[count / 4]);
    const double q3 = (double)rtt_ns(&exchanges[count - 1 - count / 4]);
    for (int i = 0; i < count; i++) {
        const double rtt = (double)rtt_ns(&exchanges[i]);
        if (rtt < q1 - 1.5 * (q3 - q1) || rtt > q3 + 1.5 * (q3 - q1))
            continue;
        sum += rtt;
        kept++;
    }
    return round_ns(sum / kept); /* kept > 0: the quartiles lie within their own fences */
}

struct syn_model syn_model_least_squares(const struct syn_point *points, int count)
{
    double mean_x = 0, mean_y = 0, sxx = 0, sxy = 0;

    for (int i = 0; i < count; i++) {
        mean_x += (double)(points[i].x_ns - points[0].x_ns) / count;
        mean_y += (double)(points[i].y_ns - points[0].y_ns) / count;
    }
    for (int i = 0; i < count; i++) {
        const double dx = (double)(points[i].x_ns - points[0].x_ns) - mean_x;
        sxx += dx * dx;
        sxy += dx * ((double)(points[i].y_ns - points[0].y_ns) - mean_y);
    }
    /* The centre is rounded to a nanosecond, which times a slope is negligible. */
    return (struct syn_model){.x_ns = points[0].x_ns + round_ns(mean_x),
                              .y_ns = points[0].y_ns + round_ns(mean_y),
                              .slope = sxx > 0 ? sxy / sxx : 0};
}

SYN_ORDER(by_value, double, SYN_UP_ITSELF)

static double median_of(double *values, size_t count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Returns the i-th of `kept` points spread evenly over `count`. */
static const struct syn_point *spread_point(const struct syn_point *points, int count, int kept,
                                            int i)
{
    return kept == count ? &points[i] : &points[(int64_t)i * (count - 1) / (kept - 1)];
}

/* Pairs of points nearer to each other than this share of the whole time are not used for slopes.
 * RATIONALE: if ranks seldom run at the same time, most points come in one burst, and its pairs
 * would outnumber all others. */
#define NEAR_SHARE 0.1

/* The standard error of a Theil-Sen slope comes from a jackknife that leaves out blocks of
 * consecutive points. RATIONALE: while a rank shares its processor or runs on another one, all its
 * points are off to the same side; residuals do not show that, but the slope without such a block
 * does. Blocks for dependent points: Kuensch 1989, Annals of Statistics 17, 1217-1241. For a
 * median, leaving out single points is inconsistent: Shao & Wu 1989, ibid., 1176-1197.
 *
 * Blocks are tenths of the points, and fifths; the larger error counts. Fifths also notice
 * disturbances as long as a tenth; but only five slopes may be close together by chance. */
#define PART_COUNT 10

/* Slope of a pair of points, and a bit for each tenth that has one of them. */
struct pair_slope {
    double slope;
    unsigned parts;
};

static int by_slope(const void *a, const void *b)
{
    return by_value(&((const struct pair_slope *)a)->slope, &((const struct pair_slope *)b)->slope);
}

/* Returns the median of the sorted slopes without those that have a point in the parts `block`; NAN
 * if none is left. */
static double median_without(const struct pair_slope *pair, size_t pair_count, unsigned block)
{
    size_t left = 0, place = 0;
    double low = NAN;

    for (size_t i = 0; i < pair_count; i++)
        left += (pair[i].parts & block) == 0;
    for (size_t i = 0; i < pair_count; i++) {
        if ((pair[i].parts & block) != 0)
            continue;
        if (place == (left - 1) / 2)
            low = pair[i].slope;
        if (place++ == left / 2)
            return (low + pair[i].slope) / 2;
    }
    return NAN;
}

/* Returns the jackknife error for blocks of part_count tenths. Pairs are sorted once; a block's
 * median is then found by one pass. A slope that rests on one block alone may have any error. */
static double jackknife_error(const struct pair_slope *pair, size_t pair_count, int part_count)
{
    const int block_count = PART_COUNT / part_count;
    double slope[PART_COUNT], mean = 0, squares = 0;

    for (int i = 0; i < block_count; i++) {
        const unsigned block = ((1u << part_count) - 1) << (i * part_count);
        slope[i] = median_without(pair, pair_count, block);
        mean += slope[i] / block_count;
    }
    for (int i = 0; i < block_count; i++)
        squares += (slope[i] - mean) * (slope[i] - mean);
    const double error = sqrt(squares * (block_count - 1) / block_count);
    return isnan(error) ? SYN_SLOPE_LIMIT : error;
}

/* Sets the model's slope and its error. */
static int median_pair_slope(const struct syn_point *points, int count, struct syn_model *model)
{
    const int kept = syn_least(count, SYN_THEIL_SEN_LIMIT);
    struct pair_slope *pair = malloc((size_t)kept * (size_t)kept / 2 * sizeof *pair);

    if (!pair)
        return SYN_ENOMEM;
    /* Store the slopes of all usable pairs in `pair` [kept (kept - 1) / 2]. */
    const double span_ns = (double)(points[count - 1].x_ns - points[0].x_ns);
    size_t pair_count = 0;

    for (int i = 0; i < kept; i++)
        for (int j = i + 1; j < kept; j++) {
            const struct syn_point *a = spread_point(points, count, kept, i);
            const struct syn_point *b = spread_point(points, count, kept, j);
            const double apart_ns = (double)(b->x_ns - a->x_ns);
            if (apart_ns > 0 && apart_ns >= NEAR_SHARE * span_ns)
                pair[pair_count++] = (struct pair_slope){
                    .slope = (double)(b->y_ns - a->y_ns) / apart_ns,
                    .parts = 1u << (i * PART_COUNT / kept) | 1u << (j * PART_COUNT / kept)};
        }
    qsort(pair, pair_count, sizeof *pair, by_slope);
    model->slope = pair_count > 0 ? median_without(pair, pair_count, 0) : 0;
    model->slope_error =
        fmax(jackknife_error(pair, pair_count, 1), jackknife_error(pair, pair_count, 2));
    free(pair);
    return SYN_OK;
}

int syn_model_theil_sen(const struct syn_point *points, int count, struct syn_model *model)
{
    double *residual = malloc((size_t)count * sizeof *residual);
    int status = residual ? SYN_OK : SYN_ENOMEM;

    *model = (struct syn_model){.x_ns = points[count / 2].x_ns};
    SYN_STEP(status, median_pair_slope(points, count, model));
    for (int i = 0; i < count && status == SYN_OK; i++)
        residual[i] = (double)(points[i].y_ns - points[0].y_ns) -
                      model->slope * (double)(points[i].x_ns - model->x_ns);
    if (status == SYN_OK)
        model->y_ns = points[0].y_ns + round_ns(median_of(residual, (size_t)count));
    free(residual);
    return status;
}

/* Finds the slopes that no pair of points contradicts. */
static void possible_slopes(const struct syn_point *points, int count, double *low, double *high)
{
    const int kept = syn_least(count, SYN_THEIL_SEN_LIMIT);

    *low = -SYN_SLOPE_LIMIT;
    *high = SYN_SLOPE_LIMIT;
    for (int i = 0; i < kept; i++)
        for (int j = i + 1; j < kept; j++) {
            const struct syn_point *a = spread_point(points, count, kept, i);
            const struct syn_point *b = spread_point(points, count, kept, j);
            const double span = (double)(b->x_ns - a->x_ns);
            if (!(span > 0))
                continue;
            *low = fmax(*low, (double)(b->low_ns - a->high_ns) / span - SYN_WANDER);
            *high = fmin(*high, (double)(b->high_ns - a->low_ns) / span + SYN_WANDER);
        }
}

void syn_model_certify(struct syn_model *model, const struct syn_point *points, int count,
                       double peer_slope_half_width)
{
    double slope_low, slope_high, low = -INFINITY, high = INFINITY;

    possible_slopes(points, count, &slope_low, &slope_high);
    model->slope_half_width =
        fmax(fabs(slope_high - model->slope), fabs(model->slope - slope_low)) +
        peer_slope_half_width;
    const double rate = model->slope_half_width + SYN_WANDER;
    for (int i = 0; i < count; i++) {
        const double dx = (double)(model->x_ns - points[i].x_ns);
        const double shift = model->slope * dx;
        low = fmax(low, (double)(points[i].low_ns - model->y_ns) + shift - rate * fabs(dx));
        high = fmin(high, (double)(points[i].high_ns - model->y_ns) + shift + rate * fabs(dx));
    }
    model->half_width_ns = syn_saturate(ceil(fmax(fabs(low), fabs(high))));
}

/* A point is tight if it is at most TIGHT_FACTOR times as wide as the tightest tenth. */
#define TIGHT_FACTOR 2

static double width_ns(const struct syn_point *point)
{
    return (double)(point->high_ns - point->low_ns);
}

/* Few blocks vary less than they should by chance. A reader that allows for two standard errors
 * means 95 %: so errors are multiplied by the ratio of the quantiles of Student's t with four
 * degrees of freedom (five blocks) and the normal distribution, 2.776 / 1.960. */
#define FEW_BLOCKS 1.4

/* Share of the slope's half width that counts as standard error. If the two directions of a path
 * differ more at one end of the points than at the other, all blocks have the same wrong slope,
 * which the points do not show. Calibrated by starts with a known drift (docs/methods-clock.md). */
#define PATH_SHARE 0.005

static double slope_error(double block_error, double half_width)
{
    const double points_error = FEW_BLOCKS * block_error;
    const double path_error = PATH_SHARE * half_width;
    const double error = sqrt(points_error * points_error + path_error * path_error);

    return fmin(error, half_width);
}

/* Returns the larger distance from `value` to an end of the range. */
static double reach(struct syn_range range, double value)
{
    return fmax(range.high - value, value - range.low);
}

int syn_model_from_points(const struct syn_point *points, int count, struct syn_model *model,
                          double *wander)
{
    struct syn_feasible set;
    struct syn_model line = {0};
    double slope, y_ns;
    /* Set the model's slope and its error from the tight points. */
    double *scratch = malloc((size_t)count * sizeof *scratch);
    struct syn_point *tight = calloc((size_t)count, sizeof *tight);
    int status = SYN_ENOMEM;

    if (scratch && tight) {
        /* Store the tight points, which were not disturbed, in `tight` [count]. */
        const int tenth = count / 10 > 1 ? count / 10 : 1;
        int kept = 0;

        for (int i = 0; i < count; i++)
            scratch[i] = width_ns(&points[i]);
        qsort(scratch, (size_t)count, sizeof *scratch, by_value);
        const double limit_ns = TIGHT_FACTOR * scratch[tenth];
        for (int i = 0; i < count; i++)
            if (width_ns(&points[i]) <= limit_ns)
                tight[kept++] = points[i];
        status = syn_model_theil_sen(tight, kept, &line);
    }
    free(scratch);
    free(tight);

    if (status != SYN_OK)
        return status;
    slope = line.slope;
    syn_feasible_lines(points, count, &set);
    const struct syn_range slopes = syn_feasible_slope(&set);
    slope = fmin(fmax(slope, slopes.low), slopes.high);
    const struct syn_range cut = syn_feasible_cut(&set, slope);
    model->slope = slope;
    model->slope_half_width = reach(slopes, slope);
    model->slope_error = slope_error(line.slope_error, model->slope_half_width);
    double least_ns = INFINITY;
    int64_t best_ns = set.x_ns;

    for (int i = 0; i < count; i++) {
        const struct syn_range range = syn_feasible_offset(&set, points[i].x_ns);
        if (range.high - range.low >= least_ns)
            continue;
        least_ns = range.high - range.low;
        best_ns = points[i].x_ns;
    }
    model->x_ns = best_ns;
    y_ns = floor((cut.low + cut.high) / 2 + slope * (double)(model->x_ns - set.x_ns) + 0.5);
    model->y_ns = syn_add_ns(set.y_ns, syn_saturate(y_ns));
    model->half_width_ns = syn_saturate(ceil(reach(syn_feasible_offset(&set, model->x_ns), y_ns)));
    *wander = set.wander;
    return SYN_OK;
}

int64_t syn_model_offset_ns(const struct syn_model *model, int64_t local_ns)
{
    return syn_add_ns(model->y_ns, round_ns(model->slope * (double)(local_ns - model->x_ns)));
}

int64_t syn_model_bound_ns(const struct syn_model *model, int64_t local_ns)
{
    const double distance_ns = fabs((double)(local_ns - model->x_ns));
    const double rate = model->slope_half_width + SYN_WANDER;

    return syn_add_ns(model->half_width_ns, syn_saturate(ceil(rate * distance_ns)));
}

struct syn_model syn_model_merge(const struct syn_model *parent, const struct syn_model *leaf)
{
    const int64_t parent_local_ns = leaf->x_ns - leaf->y_ns;

    /* y(c) = y_leaf(c) + y_parent(c - y_leaf(c)), so s = s1 + s2 - s1 s2. */
    return (struct syn_model){
        .x_ns = leaf->x_ns,
        .y_ns = syn_add_ns(leaf->y_ns, syn_model_offset_ns(parent, parent_local_ns)),
        .half_width_ns = syn_add_ns(leaf->half_width_ns + 1, /* + 1: rounding of y */
                                    syn_model_bound_ns(parent, parent_local_ns)),
        .slope = parent->slope + leaf->slope - parent->slope * leaf->slope,
        .slope_half_width =
            (parent->slope_half_width + leaf->slope_half_width) * (1 + SYN_SLOPE_LIMIT),
        .slope_error = sqrt(parent->slope_error * parent->slope_error +
                            leaf->slope_error * leaf->slope_error)};
}
