/* analyze/causes/findings/profile.h - one category of one label: what each rank spent on it over
 * the run, and its statistics. The bins of the run's time are the repeated observations: successive
 * calls depend on one another, but bins hardly do. */
#ifndef SYN_CAUSE_PROFILE_H
#define SYN_CAUSE_PROFILE_H

#include "analyze/causes/causes.h"

/* Number of scratch columns for users of a profile. */
#define SYN_PROFILE_SCRATCH 4

struct syn_profile {
    const struct syn_causes *causes;
    uint32_t label;
    enum syn_category category;
    uint32_t bin_count;
    size_t rank_count;            /* size of MPI_COMM_WORLD */
    double *waiting_ns;           /* [rank_count], sum over all bins; so are the next two */
    double *all_ns, *all_count;   /* [rank_count] time, passes */
    double *scratch;              /* [SYN_PROFILE_SCRATCH][rank_count] */
    bool has_bins;                /* the next three hold this label's values */
    double *ns, *count, *waiting; /* [rank_count][bin_count] */
    /* Sums of the chosen ranks: */
    bool *chosen;    /* [rank_count] */
    bool leaves_out; /* the chosen ranks are all but the named ones */
    double bucket_count[SYN_EXCESS_BUCKETS], bucket_waiting[SYN_EXCESS_BUCKETS];
    double chosen_waiting_ns, chosen_bound_ns, chosen_path_ns, chosen_instances;
    double chosen_off_cpu_ns; /* part of the waiting that is due to time off the processor */
    double chosen_times;      /* mean passes of the ranks that have any */
    double others_mean; /* ns per pass of the ranks that are not chosen (of all ranks if all are
                           chosen) */
    double chosen_mean;
    /* Sums of the chosen ranks in each bin, set by syn_profile_choose_bins: */
    double *chosen_waiting, *chosen_count, *excess; /* [bin_count] */
    uint32_t bin_used;                              /* bins with all values that an excess needs */
};

struct syn_own_times; /* defined in own_time.h */
struct syn_profile_plan {
    double confidence;
    bool leave_out; /* uses all but the named ranks */
    const struct syn_own_times *own;
};

/* Returns the cell of a label on a location, or NULL if there is none. */
static inline const struct syn_cause_cell *syn_profile_cell(const struct syn_cause_sums *sums,
                                                            uint32_t location, uint32_t label)
{
    const uint32_t number = syn_cause_number_of(sums, location, label);
    return number ? syn_cause_cell_at(sums, number) : NULL;
}
/* Begins a profile, which then takes any number of labels, one after the other. Returns 0 or
 * SYN_ENOMEM. The caller frees *out in either case. */
int syn_profile_begin(const struct syn_causes *causes, struct syn_profile *out);
/* Sets the profile to one category of a label, without its bins. No ranks are chosen yet. */
void syn_profile_make(struct syn_profile *profile, uint32_t label, enum syn_category category);
void syn_profile_free(struct syn_profile *profile);
/* Chooses the named ranks, or with `leave_out` all others. count 0 chooses all ranks. */
void syn_profile_choose(struct syn_profile *profile, const int32_t *rank, size_t count,
                        bool leave_out);
/* Read the bins of each rank, and then those of the chosen ranks together. Only few of very many
 * labels need their bins. */
void syn_profile_gather_bins(struct syn_profile *profile);
void syn_profile_choose_bins(struct syn_profile *profile);

/* Returns the highest bucket for which the excesses from it upwards carry at least `share` of the
 * chosen ranks' waiting. Sets *times to the number of these excesses. */
int syn_profile_large(const struct syn_profile *profile, double share, double *times);
/* Returns the number of excesses that a rank had from a bucket upwards, and sets *waiting_ns to the
 * waiting that they caused. */
double syn_profile_large_times(const struct syn_profile *profile, int32_t rank, int bucket,
                               double *waiting_ns);
/* Returns the number of bins in which a rank made others wait. The bins must be gathered. */
double syn_profile_waiting_bins(const struct syn_profile *profile, int32_t rank);
/* Computes how much longer the chosen ranks take than the others, bin by bin: median and interval.
 * The bins must be chosen. */
void syn_profile_excess(const struct syn_profile *profile, const struct syn_profile_plan *plan,
                        struct syn_estimate *out);
/* Computes the excess of single instances, from a bucket upwards. */
void syn_profile_sampled(const struct syn_profile *profile, int bucket,
                         const struct syn_profile_plan *plan, struct syn_estimate *out);
/* Returns a value with an interval of +- a share of it, not below 0. */
struct syn_estimate syn_estimate_about(double value, double share);
/* Returns the time that balance of the chosen ranks would take off the critical path, in ns: the
 * label's time on the path less the mean over ranks of its time, times the chosen ranks' share of
 * the waiting. syn_profile_gain_interval computes an interval from the spread of chosen bins. */
double syn_profile_gain(const struct syn_profile *profile);
void syn_profile_gain_interval(const struct syn_profile *profile,
                               const struct syn_profile_plan *plan, double gain,
                               struct syn_estimate *out);
/* Computes Mann and Kendall's test on the excess of the chosen bins (on the waiting if all ranks
 * are chosen), allowing for dependence of the residuals, and Theil and Sen's slope over the whole
 * run. change and middle are NAN unless p is below most_p. */
struct syn_trend {
    double p, change, middle;
};
void syn_profile_trend(const struct syn_profile *profile, double most_p, struct syn_trend *out);

#endif
