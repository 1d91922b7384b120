/* analyze/report/formats/report_html_series.c - draws groups with enough of the time: the
 * distribution and its box, each rank's box, the calls as they ran, how calls depend on earlier
 * ones, and whether they are normal. Source: Hunold and Carpen-Amarie, reproducible MPI
 * benchmarking, Fig. 2, 5, 6. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "analyze/report/figures/series.h"
#include "analyze/report/sections/report_html.h"
#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define WIDTH        390.0
#define HEIGHT       210.0
#define POINTS_MAX   500
#define GROUPS_SHOWN 8
/* Most boxes of ranks in a picture; points of a density curve. */
#define RANKS_MOST     24
#define DENSITY_POINTS 96

/* A group's series, and the axis of times in all its pictures. */
struct series_page {
    const struct syn_report *report;
    const struct syn_figures *figures;
    const struct syn_summary *summary;
    struct syn_details details;
    struct syn_plot_axis times;
    double *x, *start, *sorted; /* [n]; start: since the group's first call in the same run */
    size_t n;
};

static struct syn_plot plot_of(const char *title, struct syn_plot_axis x, struct syn_plot_axis y)
{
    return (struct syn_plot){.title = title, .width = WIDTH, .height = HEIGHT, .x = x, .y = y};
}

/* Points that are drawn as one path. */
struct cloud {
    double x[POINTS_MAX + 2], y[POINTS_MAX + 2];
    size_t n;
};

static void add_point(struct cloud *cloud, double x, double y)
{
    if (cloud->n < POINTS_MAX + 2) {
        cloud->x[cloud->n] = x;
        cloud->y[cloud->n++] = y;
    }
}

static void write_cloud(struct syn_text *out, struct syn_plot *plot, const struct cloud *cloud,
                        const char *legend)
{
    const struct syn_plot_points points = {cloud->x, cloud->y, cloud->n};
    syn_plot_begin(out, plot);
    syn_plot_dots(out, plot, "dot", &points);
    syn_plot_end(out, legend);
}

/* ---- the distribution ---- */

/* Returns the width of a Gaussian kernel for the logarithms: Silverman's rule, Density Estimation,
 * 1986, 3.31. */
static double bandwidth_of(const struct series_page *page)
{
    const double iqr = log(fmax(page->summary->q3, 1) / fmax(page->summary->q1, 1)) / 1.34;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < page->n; i++) {
        const double value = log(fmax(page->sorted[i], 1));
        sum += value;
        squares += value * value;
    }
    const double mean = sum / (double)page->n;
    const double sd = sqrt(fmax(squares / (double)page->n - mean * mean, 0));
    const double width = 0.9 * (iqr > 0 ? fmin(sd, iqr) : sd) * pow((double)page->n, -0.2);
    return width > 0 ? width : 0.01;
}

/* Computes the density of the logarithms, then draws it above a box. */
static void write_density(const struct series_page *page, struct syn_text *out)
{
    double density[DENSITY_POINTS];
    /* density over the axis, from at most 2,000 quantiles */
    const double low = log(page->times.low),
                 step = log(page->times.high / page->times.low) / (DENSITY_POINTS - 1);
    const size_t every = (page->n + 1999) / 2000;
    const double width = bandwidth_of(page);
    double most = 0;
    for (int k = 0; k < DENSITY_POINTS; k++) {
        density[k] = 0;
        for (size_t i = every / 2; i < page->n; i += every) {
            const double z = (log(fmax(page->sorted[i], 1)) - (low + step * k)) / width;
            density[k] += exp(-z * z / 2);
        }
        most = fmax(most, density[k]);
    }
    const double ratio = page->times.high / page->times.low;
    const struct syn_plot_box box =
        (struct syn_plot_box){page->summary->p5, page->summary->q1, page->summary->median,
                              page->summary->q3, page->summary->p99};
    struct syn_plot plot = plot_of(
        "Distribution", page->times,
        (struct syn_plot_axis){.title = "density, of its maximum", .low = -0.3, .high = 1.05});
    plot.y.from_zero = true;
    syn_plot_begin(out, &plot);
    syn_text_format(out, "<path class=area d='M%.1f %.1f", syn_plot_x(&plot, page->times.low),
                    syn_plot_y(&plot, 0));
    for (int k = 0; k < DENSITY_POINTS && most > 0; k++)
        syn_text_format(
            out, "L%.1f %.1f",
            syn_plot_x(&plot, page->times.low * pow(ratio, (double)k / (DENSITY_POINTS - 1))),
            syn_plot_y(&plot, density[k] / most));
    syn_text_format(out, "L%.1f %.1fz'/>", syn_plot_x(&plot, page->times.high),
                    syn_plot_y(&plot, 0));
    syn_plot_box_at(out, &plot, &box, -0.15, 14);
    syn_plot_end(out, "Several hills: several kinds of calls. Box: the middle half; line: "
                      "5 % to 99 %; bar: the median.");
}

/* ---- ranks ---- */

struct rank_boxes {
    struct syn_plot_box box[RANKS_MOST];
    int32_t rank[RANKS_MOST];
    size_t count;
    double low, high;
};

static int find_boxes(const struct syn_figures *figures, struct rank_boxes *boxes)
{
    const size_t shown = syn_least(figures->rank_count, RANKS_MOST);
    boxes->low = INFINITY;
    boxes->count = 0;
    for (size_t i = 0; i < shown; i++) {
        const size_t r = i * figures->rank_count / shown;
        struct syn_plot_box *box = &boxes->box[boxes->count];
        if (figures->rank[r].n == 0)
            continue;
        const struct syn_group_rank *rank = figures->rank[r].rank;
        const struct syn_series series = {.column = &rank->local_ns,
                                          .store = figures->group->store,
                                          .count = rank->local_ns.count};
        SYN_FREED double *x = malloc((series.count + 1) * sizeof *x);
        int status = x ? syn_series_values(&series, x) : -1;
        if (status == SYN_OK) {
            syn_sort(x, series.count);
            *box = (struct syn_plot_box){syn_quantile_sorted(x, series.count, 0.05),
                                         syn_quantile_sorted(x, series.count, 0.25),
                                         syn_quantile_sorted(x, series.count, 0.5),
                                         syn_quantile_sorted(x, series.count, 0.75),
                                         syn_quantile_sorted(x, series.count, 0.99)};
        }
        if (status != SYN_OK)
            return -1;
        boxes->rank[boxes->count++] = figures->rank[r].rank->rank;
        boxes->low = fmin(boxes->low, box->low);
        boxes->high = fmax(boxes->high, box->high);
    }
    return 0;
}

static int write_ranks(const struct series_page *page, struct syn_text *out)
{
    struct rank_boxes boxes = {.high = 0};
    if (find_boxes(page->figures, &boxes))
        return -1;
    if (boxes.count < 2)
        return 0;
    struct syn_plot plot =
        plot_of("Each rank's time inside", page->times,
                (struct syn_plot_axis){.title = "rank", .high = (double)boxes.count, .bare = true});
    plot.x.title = "from its start to its end";
    plot.x.low = fmax(boxes.low, 1);
    plot.x.high = boxes.high;
    plot.height = fmax(HEIGHT, 58 + 11 * (double)boxes.count);
    syn_plot_begin(out, &plot);
    for (size_t i = 0; i < boxes.count; i++) {
        char words[16];
        const double y = (double)(boxes.count - i) - 0.5;
        snprintf(words, sizeof words, "%d", boxes.rank[i]);
        syn_plot_label(out, &plot, y, words);
        syn_plot_box_at(out, &plot, &boxes.box[i], y, 7);
    }
    syn_plot_end(out, page->figures->rank_count > boxes.count
                          ? "Waiting included: who comes late is the shortest. Not all ranks are "
                            "shown, every so many of them."
                          : "Waiting included: who comes late is the shortest.");
    return 0;
}

/* ---- the series ---- */

/* Draws the extremes of each stretch of neighbours, so that no outlier is lost. */
static void write_sequence(const struct series_page *page, const char *title, const char *note,
                           struct cloud *cloud, struct syn_text *out)
{
    const double *x = page->x;
    const size_t stretch = (page->n + POINTS_MAX / 2 - 1) / (POINTS_MAX / 2);
    double end = 0;
    cloud->n = 0;
    for (size_t i = 0; i < page->n; i++)
        end = fmax(end, page->start[i]);
    for (size_t first = 0; first < page->n; first += stretch) {
        const size_t stop = first + stretch < page->n ? first + stretch : page->n;
        size_t low = first, high = first;
        for (size_t i = first + 1; i < stop; i++) {
            low = x[i] < x[low] ? i : low;
            high = x[i] > x[high] ? i : high;
        }
        add_point(cloud, page->start[low], x[low]);
        if (high != low)
            add_point(cloud, page->start[high], x[high]);
    }
    struct syn_plot plot =
        plot_of(title,
                (struct syn_plot_axis){.title = "time since the group's first call",
                                       .high = end,
                                       .unit = syn_plot_time_unit(end)},
                page->times);
    write_cloud(out, &plot, cloud, note);
}

static void write_lag(const struct series_page *page, const char *title, const char *note,
                      struct cloud *cloud, struct syn_text *out)
{
    const size_t step = (page->n + POINTS_MAX - 1) / POINTS_MAX;
    struct syn_plot plot = plot_of(title, page->times, page->times);
    plot.x.title = "a call";
    plot.y.title = "the next";
    cloud->n = 0;
    for (size_t i = 0; i + 1 < page->n; i += step)
        add_point(cloud, page->x[i], page->x[i + 1]);
    write_cloud(out, &plot, cloud, note);
}

/* Draws both pictures of the series, and of the series reordered at random. Only dependence can
 * differ between them (Kalibera and Vitek). */
static int write_series(const struct series_page *page, struct cloud *cloud, struct syn_text *out)
{
    struct series_page reordered = *page;
    struct syn_random random;
    SYN_FREED double *x = malloc((page->n + 1) * sizeof *x);
    if (!x)
        return -1;
    memcpy(x, page->x, page->n * sizeof *x);
    syn_random_seed(&random, 1);
    for (size_t i = page->n; i > 1; i--) {
        const size_t other = (size_t)syn_random_below(&random, i);
        const double last = x[i - 1];
        x[i - 1] = x[other];
        x[other] = last;
    }
    reordered.x = x;
    write_sequence(page, "As they ran",
                   page->figures->run_count > 1 ? "Runs lie over one another." : NULL, cloud, out);
    write_sequence(&reordered, "The same, reordered at random",
                   "What the first has and this one has not is order in time.", cloud, out);
    write_lag(page, "Each call against the next",
              "A cloud without direction: calls do not depend on the one before.", cloud, out);
    write_lag(&reordered, "The same, reordered at random", NULL, cloud, out);
    return 0;
}

static void write_qq(const struct series_page *page, struct cloud *cloud, struct syn_text *out)
{
    const struct syn_details *details = &page->details;
    const size_t n = details->qq_count;
    if (n < 2)
        return;
    struct syn_plot plot = plot_of("Against the normal distribution",
                                   (struct syn_plot_axis){.title = "normal quantile",
                                                          .low = details->qq_normal[0],
                                                          .high = details->qq_normal[n - 1]},
                                   page->times);
    cloud->n = 0;
    for (size_t i = 0; i < n; i++)
        add_point(cloud, details->qq_normal[i], details->qq_sample[i]);
    write_cloud(out, &plot, cloud, "On a straight line the times would be lognormal.");
}

/* ---- runs ---- */

/* Draws the medians of repeated runs: how far the result of one run may be from another's (Hunold
 * and Carpen-Amarie, MPI benchmarking revisited, Fig. 29). */
static void write_runs(const struct series_page *page, struct cloud *cloud, struct syn_text *out)
{
    /* one median per run, at most POINTS_MAX of them */
    const size_t step = (page->figures->run_count + POINTS_MAX - 1) / POINTS_MAX;
    double least = INFINITY, most = 0;
    cloud->n = 0;
    for (size_t r = 0; r < page->figures->run_count; r++) {
        const struct syn_run_figures *run = &page->figures->run[r];
        if (run->instances == 0 || !(run->median > 0))
            continue;
        least = fmin(least, run->median);
        most = fmax(most, run->median);
        if (r % step == 0)
            add_point(cloud, (double)r + 1, run->median);
    }
    const double over_least = cloud->n > 1 ? most / least : NAN;
    char share[SYN_UNIT_BYTES], legend[160];
    if (!(over_least > 0))
        return;
    struct syn_plot plot =
        plot_of("Each run's median",
                (struct syn_plot_axis){.title = "run",
                                       .low = 0.5,
                                       .high = (double)page->figures->run_count + 0.5,
                                       .whole = true},
                page->times);
    plot.y.low = INFINITY;
    plot.y.high = 0;
    for (size_t i = 0; i < cloud->n; i++) {
        plot.y.low = fmin(plot.y.low, cloud->y[i] / 1.02);
        plot.y.high = fmax(plot.y.high, cloud->y[i] * 1.02);
    }
    snprintf(legend, sizeof legend,
             "Repeated, a run&#39;s median lies up to %s above the least of them.",
             syn_unit_percent(share, over_least - 1));
    write_cloud(out, &plot, cloud, legend);
}

/* ---- a group ---- */

/* Draws all pictures of a group. The first group is open, so that a printed page has it. */
static int write_pictures(const struct series_page *page, bool open, struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    SYN_FREED struct cloud *cloud = malloc(sizeof *cloud);
    if (!cloud)
        return -1;
    syn_report_group_name(page->report, page->figures->group, &name);
    syn_text_format(out, "<details%s><summary><b>", open ? " open" : "");
    syn_html_escape(out, syn_text_chars(&name));
    syn_text_string(out, "</b></summary>\n");
    const struct syn_summary *summary = page->summary;
    const struct syn_details *details = &page->details;
    char p[SYN_UNIT_BYTES];
    syn_words(out, "<p class=quiet>{time} .. {time}", summary->min, summary->max);
    if (isfinite(details->ljung_box.p))
        syn_text_format(
            out, "; calls %s (Ljung-Box %s)",
            details->ljung_box.p < 0.05 ? "depend on earlier ones" : "do not show dependence",
            details->ljung_box.p < 0.001 ? "p &lt; 0.001" : syn_unit_p(p, details->ljung_box.p));
    if (isfinite(summary->shapiro_p))
        syn_text_format(out, "; %s (Shapiro-Wilk W %.3f, of logarithms %.3f)",
                        summary->shapiro_p >= 0.05       ? "may be normal"
                        : details->log_shapiro_p >= 0.05 ? "may be lognormal"
                                                         : "not normal",
                        summary->shapiro_w, details->log_shapiro_w);
    for (size_t r = 0; r < page->figures->run_count; r++)
        if (page->figures->run_count == 1 && page->figures->run[r].warmup.settled_at > 0)
            syn_text_format(out, "; settles after %zu calls",
                            page->figures->run[r].warmup.settled_at);
    syn_text_string(out, "</p>\n");
    write_density(page, out);
    int status = write_ranks(page, out);
    write_runs(page, cloud, out);
    SYN_STEP(status, write_series(page, cloud, out));
    const double *acf = page->summary->acf;
    struct syn_plot plot = plot_of(
        "Autocorrelation",
        (struct syn_plot_axis){
            .title = "calls between, lag", .low = 0, .high = SYN_ACF_LAGS + 1, .whole = true},
        (struct syn_plot_axis){.title = "correlation", .low = -1, .high = 1});
    syn_plot_begin(out, &plot);
    for (int lag = 0; lag < SYN_ACF_LAGS; lag++)
        if (isfinite(acf[lag]))
            syn_text_format(out, "<path class=bar d='M%.1f %.1fV%.1f'/>",
                            syn_plot_x(&plot, lag + 1), syn_plot_y(&plot, 0),
                            syn_plot_y(&plot, acf[lag]));
    syn_plot_at_y(out, &plot, "line", 0);
    for (int side = -1; side <= 1 && isfinite(page->details.acf_bound); side += 2)
        syn_plot_at_y(out, &plot, "bound", side * page->details.acf_bound);
    syn_plot_end(out, "Within the dashed lines: no more than chance.");
    write_qq(page, cloud, out);
    syn_text_string(out, "</details>\n");
    return status;
}

static int read_series(struct series_page *page, enum syn_metric metric)
{
    const size_t n = page->n;
    page->x = malloc((n + 1) * sizeof *page->x);
    page->start = malloc((n + 1) * sizeof *page->start);
    page->sorted = malloc((n + 1) * sizeof *page->sorted);
    if (!page->x || !page->start || !page->sorted ||
        syn_details_make(page->report, page->figures, &page->details) ||
        syn_figures_values(page->figures, metric, page->x) ||
        syn_figures_starts(page->figures, page->start))
        return -1;
    for (size_t i = 0; i < n; i++)
        page->sorted[i] = page->x[i];
    syn_sort(page->sorted, n);
    /* make starts relative to the group's first call in each run */
    size_t at = 0;
    for (size_t r = 0; r < page->figures->run_count; r++) {
        const size_t end = at + page->figures->run[r].instances;
        const double first = at < page->n ? page->start[at] : 0;
        for (; at < end && at < page->n; at++)
            page->start[at] -= first;
    }
    return 0;
}

static int write_group(const struct syn_report *report, const struct syn_figures *figures,
                       struct syn_plot_unit unit, bool open, struct syn_text *out)
{
    const enum syn_metric metric = syn_figures_main_metric(figures->group);
    const struct syn_summary *summary = &figures->metric[metric].summary;
    struct series_page page = {
        .report = report,
        .figures = figures,
        .summary = summary,
        .n = syn_figures_count(figures),
        .times = {.title = metric == SYN_METRIC_COMPLETION ? "completion" : "time of a call",
                  .unit = unit,
                  .low = fmax(summary->min, 1),
                  .high = fmax(summary->max, 1),
                  .logarithmic = true}};
    const double beside = fmax(pow(page.times.high / page.times.low, 0.08), 1.02);
    page.times.low /= beside;
    page.times.high *= beside;
    int status = read_series(&page, metric);
    SYN_STEP(status, write_pictures(&page, open, out));
    syn_details_free(&page.details);
    free(page.x);
    free(page.start);
    free(page.sorted);
    return status;
}

/* ---- choice of groups ---- */

void syn_report_html_series(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    const struct syn_figures *chosen[GROUPS_SHOWN];
    /* choose the groups that have pictures, in the report's order */
    const double inside_ns = syn_report_time_in_groups(report);
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count && count < GROUPS_SHOWN; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        if (syn_figures_count(figures) >= 6 && syn_figures_main(figures)->summary.n > 0 &&
            figures->inside_ns >= SYN_SHARE_THAT_MATTERS * inside_ns)
            chosen[count++] = figures;
    }
    double median_ns = INFINITY;
    for (size_t i = 0; i < count; i++)
        median_ns = fmin(median_ns, syn_figures_main(chosen[i])->summary.median);
    if (count > 0)
        syn_text_string(out, "<h2>Groups of weight</h2>\n");
    for (size_t i = 0; i < count; i++)
        if (write_group(report, chosen[i], syn_plot_time_unit(median_ns), i == 0, out))
            out->failed = true;
}
