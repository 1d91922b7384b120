/* tests/unit/analyze/clock_simulate.h - clocks of a known truth that are set, that warm and that
 * swing, and what their measurements and the collectives of a program say of them. */
#ifndef CLOCK_SIMULATE_H
#define CLOCK_SIMULATE_H

#include "analyze/clocks/mend.h"
#include "analyze/stats/samples/bootstrap.h"

/* The fault of the clocks of all hosts but the first, at any instant of the run: a set clock once,
 * and a warming one for a third of it. */
enum clock_fault {
    CLOCK_STEADY,
    CLOCK_STEP_1_MS,
    CLOCK_STEP_20_US,
    CLOCK_WARMS_1_PPM,
    CLOCK_WARMS_5_PPM,
    CLOCK_SWINGS_50_US, /* in 20 s */
    CLOCK_FAULTS
};

/* Runs are of 6 to 30 s with 50 to 20,000 calls. */
struct clock_setting {
    enum clock_fault fault;
    int hosts;       /* 2 to 8 */
    bool ended;      /* measured again at the end */
    bool brief;      /* a run of 1 to 3 s; else of 6 to 30 s */
    bool uneven;     /* hosts come 1 us to 5 ms later than others, each time */
    double way_ns;   /* that the quickest message takes */
    double slow;     /* the share of arrivals and of ways that take a time slice, */
    double slice_ns; /*   of so much on the mean */
};

struct clock_run;
struct clock_run *clock_run_make(struct syn_random *random, const struct clock_setting *setting);
void clock_run_free(struct clock_run *run);

#define CLOCK_TIMES 500

/* CLOCK_TIMES times of a host's clock: how many lie outside, and the mean of the bounds. */
struct clock_judged {
    int outside_measured, outside, outside_open; /* as measured, as commands use them, and */
    double measured_ns, bound_ns, open_ns;       /*   within what is left open */
    double error_ns, used_error_ns; /* how far off a time is on the mean, as measured and as used */
    int further;                    /* times that are further off as used, by more than 100 ns */
    bool mended, widened;
};
/* 1 <= host < hosts. */
struct clock_judged clock_run_judge(const struct clock_run *run, int host);

#endif
