/* analyze/info/info.h - how a trace came about: factors, clocks, what was lost, what it cost. */
#ifndef SYN_INFO_H
#define SYN_INFO_H

#include "analyze/clocks/clock_history.h"
#include "analyze/clocks/clocks.h"
#include "analyze/doc/doc.h"
#include "analyze/hang/examine.h"
#include "analyze/match/match.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"
#include "analyze/symbols/symbols.h"

/* ---- factors ---- */

/* One key of the ranks' metas: what the first rank says, and which ranks say something else. */
struct syn_factor {
    const char *key;   /* owned by the trace */
    const char *value; /* of the first rank that has the key */
    struct syn_factor_other {
        const char *value;
        char *ranks; /* "1-3,7"; owned */
    } * other;       /* [other_count] */
    size_t other_count;
    char *ranks; /* of `value`; owned */
};

struct syn_factors {
    struct syn_factor *factor; /* [count], by key */
    size_t count;
};

/* Gather the metas of all ranks. Returns 0 or SYN_ENOMEM. */
int syn_info_factors(struct syn_trace *trace, struct syn_factors *out);
void syn_info_factors_free(struct syn_factors *factors);

/* ---- clocks ---- */

struct syn_rank_clock {
    bool present;
    int64_t offset_begin_ns, offset_end_ns; /* local minus global at the first and the last knot */
    double drift_ppm;                       /* between them; of a single knot, the slope */
    int64_t bound_begin_ns, bound_mid_ns, bound_end_ns; /* at the run's begin, middle and end, */
    int64_t bound_worst_ns;                             /*   and at its worst */
    size_t knot_count, fitpoint_count;
    const struct syn_sync_quality *quality; /* NULL where none */
};

/* ---- all of it ---- */

/* A measured time should have less of the measuring in it (Hoefler & Belli 2015, section 4.2.1). */
#define SYN_INFO_OWN_SHARE_MAX 0.05

/* Parts of the time added to MPI_Init or MPI_Finalize on the first rank: the factors
 * "cost.init.NAME_ns", the longest first. */
#define SYN_COST_PARTS_MAX 16
struct syn_cost_parts {
    struct syn_cost_part {
        char name[40];
        double ns;
    } part[SYN_COST_PARTS_MAX]; /* [count] */
    size_t count;
};

struct syn_info {
    struct syn_trace *trace;
    uint32_t run;
    struct syn_factors factors;
    struct syn_rank_clock *clock;     /* [rank_count] */
    struct syn_clock_history *course; /* [history_count]: of the ranks that measured */
    size_t history_count;
    int32_t rank_count, present_count;
    int64_t begin_ns, end_ns;           /* first start and last end of any event */
    int32_t measured_once_count;        /* ranks whose clock's bound grows until the end */
    double resync_s, resync_count;      /* --resync: as asked for, as done on rank 0; NAN: not */
    struct syn_clock_check clock_check; /* before the times were what they are now */
    struct syn_causality causality;
    uint64_t late_start_count; /* instances that --align window could not start together */
    struct syn_match_totals totals;
    enum syn_messages_recorded messages_recorded;
    struct syn_channel_counts messages; /* of a run that has them as events */
    struct syn_names names;             /* of what is examined: */
    struct syn_examination examination;
    const char *compiler; /* of the program; NULL unknown */
    double init_ns, finalize_ns, sync_begin_ns,
        sync_end_ns; /* added by the profiler, rank 0; NAN unknown */
    struct syn_cost_parts init_parts, finalize_parts; /* of init_ns and finalize_ns */
    double pause_count; /* of all ranks, to get another block of events; NaN: not known */
    double pauses_ns;   /* of all ranks */
    double longest_pause_ns;
    double call_ns;       /* added to each call, its stack included: mean over ranks; NaN unknown */
    double interval_ns;   /* of call_ns, what is within the measured time */
    double own_share;     /* of a rank's run, MPI_Init and MPI_Finalize, all of the above; NaN */
    uint64_t short_count; /* calls of which over SYN_INFO_OWN_SHARE_MAX may be interval_ns, */
    uint64_t measured_count; /*  among so many, of complete instances */
    double run_ns;           /* trace/read/span.h */
};

/* Read an open trace. symbols may be NULL. Returns 0 or negative; free it in any case, before the
 * trace. */
int syn_info_make(struct syn_trace *trace, uint32_t run, struct syn_symbols *symbols,
                  struct syn_info *out);
void syn_info_free(struct syn_info *info);

/* Add the page of one run to a document; info must outlive it. */
struct syn_doc;
void syn_info_page(const struct syn_info *info, struct syn_doc *doc);

/* The file of the first rank that has one; NULL if none has. */
const struct syn_rank_file *syn_info_first_file(const struct syn_info *info);
/* Look a key up in a rank's file; NULL where it says nothing, or is not there. */
const char *syn_info_meta(const struct syn_rank_file *file, const char *key);

/* Sections that have a file of their own. `facts` is a struct syn_info. */
/* Tell where the ranks ran: all of few; of many, nodes. */
void syn_info_ranks(struct syn_doc *doc, const void *facts);
/* Bounds and drift of the clocks: all of few ranks; of many, the worst. */
void syn_info_clock(struct syn_doc *doc, const void *facts);

#endif
