/* analyze/info/info.h - the facts of a run that `info` prints: factors, clocks, losses and
 * costs. */
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

/* One key of the ranks' metas: the value of the first rank that has the key, and the other
 * values. */
struct syn_factor {
    const char *key;   /* owned by the trace */
    const char *value; /* of the first rank that has the key */
    struct syn_factor_other {
        const char *value;
        char *ranks; /* ranks with this value, "1-3,7"; owned */
    } * other;       /* [other_count] */
    size_t other_count;
    char *ranks; /* ranks with `value`; owned */
};

struct syn_factors {
    struct syn_factor *factor; /* [count], sorted by key */
    size_t count;
};

/* Gathers the metas of all ranks. Returns 0 or SYN_ENOMEM. The caller frees `out` in any case. */
int syn_info_factors(struct syn_trace *trace, struct syn_factors *out);
void syn_info_factors_free(struct syn_factors *factors);

/* ---- clocks ---- */

struct syn_rank_clock {
    bool present;
    int64_t offset_begin_ns, offset_end_ns; /* local minus global at the first and the last knot */
    double drift_ppm;                       /* between these knots; of a single knot, the slope */
    int64_t bound_begin_ns, bound_mid_ns, bound_end_ns; /* at the run's begin, middle and end */
    int64_t bound_worst_ns;                             /* the largest in the run */
    size_t knot_count, fitpoint_count;
    const struct syn_sync_quality *quality; /* NULL: unknown */
};

/* ---- all facts ---- */

/* Largest share of a measured time that measuring may take (Hoefler & Belli 2015, section
 * 4.2.1). */
#define SYN_INFO_OWN_SHARE_MAX 0.05

/* Parts of the time that the profiler adds to MPI_Init or MPI_Finalize on the first rank that has a
 * file, the longest first: the factors "cost.init.NAME_ns" or "cost.finalize.NAME_ns". */
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
    struct syn_rank_clock *clock;      /* [rank_count] */
    struct syn_clock_history *history; /* [history_count], of ranks with measurements */
    size_t history_count;
    int32_t rank_count, present_count;
    int64_t begin_ns, end_ns;           /* first start and last end of all events */
    int32_t measured_once_count;        /* ranks whose clock bound grows until the run's end */
    double resync_s, resync_count;      /* --resync, of the first rank: the wanted interval, and the
                                           number of times; NaN: unknown */
    struct syn_clock_check clock_check; /* of the times before they were corrected */
    struct syn_causality causality;
    uint64_t late_start_count; /* instances that --align window could not start together */
    struct syn_match_totals totals;
    enum syn_messages_recorded messages_recorded;
    struct syn_channel_counts messages; /* 0 unless messages were recorded as events */
    struct syn_names names;             /* names that `examination` refers to */
    struct syn_examination examination;
    const char *compiler; /* of the program; NULL: unknown */
    double init_ns, finalize_ns, sync_begin_ns,
        sync_end_ns; /* time that the profiler added, on the first rank that has a file; NaN:
                        unknown */
    struct syn_cost_parts init_parts, finalize_parts; /* of init_ns and finalize_ns */
    double pause_count; /* pauses of all ranks to get another block for events; NaN: unknown */
    double pauses_ns;   /* sum over all ranks; NaN: unknown */
    double longest_pause_ns;
    double call_ns;     /* time added to each call, with its call stack: mean over the ranks; NaN:
                           unknown */
    double interval_ns; /* part of call_ns that is in the measured time */
    double own_share; /* share of all of these costs in a rank's run with MPI_Init and MPI_Finalize;
                         NaN: unknown */
    uint64_t short_count; /* calls of which interval_ns may be more than SYN_INFO_OWN_SHARE_MAX */
    uint64_t measured_count; /* calls of complete instances, of which short_count is a part */
    double run_ns;           /* trace/read/span.h */
};

/* Gathers the facts of an open trace. symbols may be NULL. Returns 0 or a negative status. The
 * caller frees `out` in any case, before it closes the trace. */
int syn_info_make(struct syn_trace *trace, uint32_t run, struct syn_symbols *symbols,
                  struct syn_info *out);
void syn_info_free(struct syn_info *info);

/* Adds the page of one run to a document. `info` must live as long as the document. */
struct syn_doc;
void syn_info_page(const struct syn_info *info, struct syn_doc *doc);

/* Returns the file of the first rank that has one; NULL: there is none. */
const struct syn_rank_file *syn_info_first_file(const struct syn_info *info);
/* Returns the value of a key in a rank's file; NULL: the file lacks the key, or `file` is NULL. */
const char *syn_info_meta(const struct syn_rank_file *file, const char *key);

/* Sections that have a file of their own (info_ranks.c). `facts` is a struct syn_info. */
/* Writes where the ranks ran: each rank, or if there are many, each node. */
void syn_info_ranks(struct syn_doc *doc, const void *facts);
/* Writes bounds and drift of the ranks' clocks; if there are many, those with the widest bounds. */
void syn_info_clock(struct syn_doc *doc, const void *facts);

#endif
