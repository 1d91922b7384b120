/* analyze/causes/findings/profile.h - one part of one label: what each rank did of it over the run,
 * and the statistics of that. Bins of the run's time are what is repeated: calls that follow one
 * another depend on one another, bins hardly. */
#ifndef SYN_CAUSE_PROFILE_H
#define SYN_CAUSE_PROFILE_H

#include "analyze/causes/causes.h"

/* Columns of ranks for those who use a profile. */
#define SYN_PROFILE_SCRATCH 4

struct syn_profile {
    const struct syn_causes *causes;
    uint32_t label;
    enum syn_part part;
    uint32_t bin_count;
    size_t rank_count;            /* of MPI_COMM_WORLD */
    double *waiting_ns;           /* [rank_count], over all bins, and */
    double *all_ns, *all_count;   /* [rank_count] */
    double *scratch;              /* [SYN_PROFILE_SCRATCH][rank_count] */
    bool has_bins;                /* what follows is this label's: */
    double *ns, *count, *waiting; /* [rank_count][bin_count] */
    /* of the chosen ranks together: */
    bool *chosen;    /* [rank_count] */
    bool leaves_out; /* they are those that were not named */
    double bucket_count[SYN_EXCESS_BUCKETS], bucket_waiting[SYN_EXCESS_BUCKETS];
    double chosen_waiting_ns, chosen_bound_ns, chosen_path_ns, chosen_instances;
    double chosen_off_cpu_ns; /* of the waiting */
    double chosen_times;      /* that it was gone through, mean over the ranks that did */
    double others_mean;       /* ns a time, of those who are not chosen (of all, where all are) */
    double chosen_mean;
    /* and bin by bin, once syn_profile_choose_bins has looked there: */
    double *chosen_waiting, *chosen_count, *excess; /* [bin_count] */
    uint32_t bin_used; /* bins in which all that is needed for an excess is there */
};

struct syn_own_times; /* own_time.h */
struct syn_profile_plan {
    double confidence;
    bool leave_out; /* all but the named ranks */
    const struct syn_own_times *own;
};

/* NULL: nothing is known of it. */
static inline const struct syn_cause_cell *syn_profile_cell(const struct syn_cause_sums *sums,
                                                            uint32_t location, uint32_t label)
{
    const uint32_t number = syn_cause_number_of(sums, location, label);
    return number ? syn_cause_cell_at(sums, number) : NULL;
}
/* One for any number of labels, one after the other. 0 or SYN_ENOMEM; free in any case. */
int syn_profile_begin(const struct syn_causes *causes, struct syn_profile *out);
void syn_profile_make(struct syn_profile *profile, uint32_t label, enum syn_part part);
void syn_profile_free(struct syn_profile *profile);
/* From now on it is about these ranks, or with `leave_out` about the others; none: about all. */
void syn_profile_choose(struct syn_profile *profile, const int32_t *rank, size_t count,
                        bool leave_out);
/* Each rank's bins; and those of the chosen ranks together. Of very many labels few are looked at
 * so closely: bins are read only then. */
void syn_profile_gather_bins(struct syn_profile *profile);
void syn_profile_choose_bins(struct syn_profile *profile);

/* The bucket from which on upwards the excesses carry a share of the chosen ranks' waiting, and how
 * many these are. */
int syn_profile_large(const struct syn_profile *profile, double share, double *times);
/* How many excesses from a bucket on upwards a rank had, with the waiting for them; and in how
 * many bins, which are gathered, it made anybody wait. */
double syn_profile_large_times(const struct syn_profile *profile, int32_t rank, int bucket,
                               double *waiting_ns);
double syn_profile_waiting_bins(const struct syn_profile *profile, int32_t rank);
/* How much longer the chosen ranks take than the others, bin by bin (chosen): median and
 * interval. */
void syn_profile_excess(const struct syn_profile *profile, const struct syn_profile_plan *plan,
                        struct syn_estimate *out);
/* The excess of single instances, from a bucket on. */
void syn_profile_sampled(const struct syn_profile *profile, int bucket,
                         const struct syn_profile_plan *plan, struct syn_estimate *out);
/* Returns a value with an interval of +- a share of it, not below 0. */
struct syn_estimate syn_estimate_about(double value, double share);
/* Returns the time that balance would take off the critical path: the label's time there - the mean
 * over ranks of its time; its interval from the spread of chosen bins. */
double syn_profile_gain(const struct syn_profile *profile);
void syn_profile_gain_interval(const struct syn_profile *profile,
                               const struct syn_profile_plan *plan, double gain,
                               struct syn_estimate *out);
/* Mann-Kendall on the chosen bins' excess (waiting, where all ranks are chosen), with the
 * dependence of what lies beside the trend, and Theil and Sen's slope over the whole run: NAN
 * unless p is below most_p. */
struct syn_trend {
    double p, change, middle;
};
void syn_profile_trend(const struct syn_profile *profile, double most_p, struct syn_trend *out);

#endif
