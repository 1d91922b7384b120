/* analyze/report/findings/details.h - details of a group: whether its values are independent, their
 * shape, whether they are enough, and whether runs differ. Details are computed from the group's
 * main metric (syn_figures_main_metric) when a format needs them. */
#ifndef SYN_DETAILS_H
#define SYN_DETAILS_H

#include "analyze/report/findings/places.h"
#include "analyze/stats/samples/dependence.h"
#include "analyze/stats/samples/levels.h"
#include "analyze/stats/samples/shape.h"

#define SYN_QQ_POINTS 33

/* A node or socket, and how often one of its ranks in the group came last. */
struct syn_place_figures {
    const char *name; /* as in struct syn_report_place; not owned */
    size_t rank_count, last_count;
    double expected_share; /* share of last arrivals by chance: the place's share of the ranks */
    double p;              /* of last_count against chance, binomial, Holm over the places */
};

struct syn_details {
    size_t n; /* number of values; 0: no figures */
    /* independence */
    struct syn_portmanteau ljung_box; /* over SYN_ACF_LAGS lags */
    double acf_bound;                 /* autocorrelations of independent values stay within this */
    size_t independent_lag;           /* first lag within acf_bound; 0: none */
    /* shape */
    double log_shapiro_w, log_shapiro_p;
    size_t normalizing_block; /* least number of neighbours whose means pass Shapiro-Wilk at 0.05;
                                 0: none */
    struct syn_mean_interval mean, geometric;
    double qq_normal[SYN_QQ_POINTS], qq_sample[SYN_QQ_POINTS];
    size_t qq_count;
    double rate_bytes_per_s; /* all bytes / all time; NAN if bytes are 0 or differ */
    /* precision */
    double half_width; /* half width of the median's shown interval, as a share of the median */
    double precision;  /* wanted half width; 0: none */
    double count_for_median; /* instances needed in all for `precision`; NAN if it is 0 */
    double count_for_mean;   /* instances needed for the mean of normal data */
    /* runs */
    struct syn_levels levels; /* NANs for a single run */
    double run_phi;           /* mean dependence factor within runs */
    double run_p;             /* whether runs differ: Kruskal-Wallis for dependent instances */
    double best_repetitions;  /* instances per run for the most precise median in a given time */
    double run_median_low, run_median_high; /* least and largest median of a run */
    double run_over_least;                  /* median of the runs' medians / the least of them */
    /* Variances of the runs' medians. median_between: of the differences between runs.
     * median_within: per instance; the median of a run of n instances varies by median_within / n.
     * Unlike the variances in `levels`, both are little affected by outliers. */
    double median_between, median_within;
    double runs_for_precision; /* runs like these needed in all for the mean of their medians to be
                                  within `precision` (t interval); NAN if it is 0 */
    /* last arrivals by place; owned. The count is 0 if runs differ in their places, or if there is
     * only one place. */
    struct syn_place_figures *node, *socket;
    size_t node_count, socket_count;
    struct syn_places places[2]; /* own the names of `node` and `socket` */
};

/* Computes details of `figures`, one of the report's. Returns 0, SYN_ENOMEM, or SYN_EIO of the
 * store. The caller frees *out in any case. */
int syn_details_make(const struct syn_report *report, const struct syn_figures *figures,
                     struct syn_details *out);
void syn_details_free(struct syn_details *details);

/* Sets the interval of a median that people are shown. It accounts for dependence between
 * instances, unless --ci selects another method. */
void syn_shown_interval(const struct syn_report *report, const struct syn_summary *summary,
                        double *low, double *high);
/* Returns the method of that interval, in words. */
const char *syn_shown_interval_words(enum syn_ci ci);

#endif
