/* analyze/report/findings/details.h - details of a group: is its series one of independent values,
 * what is its shape, are the values enough, does the run matter. They are computed from the group's
 * main metric (completion; of a rank's or node's part local_max) when a format asks for them. */
#ifndef SYN_DETAILS_H
#define SYN_DETAILS_H

#include "analyze/report/findings/places.h"
#include "analyze/stats/samples/dependence.h"
#include "analyze/stats/samples/levels.h"
#include "analyze/stats/samples/shape.h"

#define SYN_QQ_POINTS 33

/* A place of a group's ranks, and how often its ranks come last. */
struct syn_place_figures {
    const char *name; /* of a node, or "NODE/SOCKET"; not owned */
    size_t rank_count, last_count;
    double expected_share; /* of the last arrivals by chance: its share of the ranks */
    double p;              /* against chance, binomial, Holm over the places */
};

struct syn_details {
    size_t n; /* 0: no figures */
    /* independence */
    struct syn_portmanteau ljung_box; /* over SYN_ACF_LAGS lags */
    double acf_bound;                 /* independent values' autocorrelations stay within */
    size_t independent_lag;           /* the first lag within that bound; 0: none of them */
    /* shape */
    double log_shapiro_w, log_shapiro_p;
    size_t
        normalizing_block; /* means of so many neighbours pass Shapiro-Wilk at 0.05; 0: none do */
    struct syn_mean_interval mean, geometric;
    double qq_normal[SYN_QQ_POINTS], qq_sample[SYN_QQ_POINTS];
    size_t qq_count;
    double rate_bytes_per_s; /* all bytes over all time; NAN where the bytes are 0 or differ */
    /* precision */
    double half_width;       /* of the median's shown interval, as a share of the median */
    double precision;        /* wanted; 0: none */
    double count_for_median; /* instances in all for that; NAN where none is wanted */
    double count_for_mean;   /* ... of the mean, of normal data */
    /* runs */
    struct syn_levels levels; /* NANs of a single run */
    double run_phi;           /* mean dependence factor within the runs */
    double run_p;             /* does the run matter: Kruskal-Wallis for dependent instances */
    double best_repetitions;  /* instances a run that make the median of a given time
                                  most precise */
    double run_median_low, run_median_high; /* least and largest median of a run */
    double run_over_least; /* the median of the runs' medians over the least of them */
    /* Variances of the runs' medians: the differences between the runs themselves, and the part of
     * an instance, of which a run of n instances has median_within / n. Outliers, which dominate
     * the variances of levels, do not affect them. */
    double median_between, median_within;
    double
        runs_for_precision; /* runs in all, like these, for the mean of their medians to be within
                               the wanted precision (t interval); NAN where none is wanted */
    /* last arrivals by place; owned. 0 where places are not the same in all runs, or it is but one
     */
    struct syn_place_figures *node, *socket;
    size_t node_count, socket_count;
    struct syn_places places[2]; /* nodes and sockets that are named there; owned */
};

/* Computes details from figures, one of the report's. Returns 0 or SYN_ENOMEM; free in any case. */
int syn_details_make(const struct syn_report *report, const struct syn_figures *figures,
                     struct syn_details *out);
void syn_details_free(struct syn_details *details);

/* The interval of a median that people are shown: with the dependence between instances counted,
 * unless another method was asked for. */
void syn_shown_interval(const struct syn_report *report, const struct syn_summary *summary,
                        double *low, double *high);
/* The method of that interval, in words. */
const char *syn_shown_interval_words(enum syn_ci ci);

#endif
