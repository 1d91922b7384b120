/* analyze/match/match_internal.h - the inside of a match: how a trace is cut into time slices
 * (slices.c), what one thread makes of one (slice_reader.c, slice_result.c), and all slices
 * (match.c). */
#ifndef SYN_MATCH_INTERNAL_H
#define SYN_MATCH_INTERNAL_H

#include "analyze/match/match.h"
#include "analyze/match/members/pending.h"
#include "analyze/match/members/rank_names.h"

/* Numbers of attributes are kept from slice to slice until they are so many. */
#define SYN_ATTRIBUTES_MANY 65536

/* Result of a slice. */
struct syn_slice_result {
    bool ready;
    void *partial; /* the sink's */
    struct syn_match_totals totals;
    struct syn_leftovers left;
};

/* A thread's reader of slices, one after the other. */
struct syn_slice_reader;
/* `names` are those of all threads, borrowed. 0, SYN_ENOMEM or SYN_EIO; then *out is NULL. */
int syn_slice_reader_begin(const struct syn_match *match, const struct syn_trace_names *names,
                           struct syn_slice_reader **out);
void syn_slice_reader_end(struct syn_slice_reader *reader);
/* All that the chunks [rank] first .. end - 1 have: instances are told to the partial result, its
 * totals counted, and what lacks members left. 0, SYN_ENOMEM, SYN_EIO or what the sink returned. */
int syn_slice_read(struct syn_slice_reader *reader, const uint32_t *first, const uint32_t *end,
                   struct syn_slice_result *out);

/* An empty one. 0 or SYN_ENOMEM; drop it in any case. */
int syn_slice_result_begin(const struct syn_match *match, struct syn_slice_result *out);
void syn_slice_result_drop(const struct syn_match *match, struct syn_slice_result *result);

/* {0} for each rank. 0 or SYN_ENOMEM; syn_match_totals_free in any case. */
int syn_match_totals_begin(struct syn_match_totals *totals, int32_t rank_count);
void syn_match_totals_add(struct syn_match_totals *into, const struct syn_match_totals *from);

/* The sink's functions of these names; of a sink that has none, ctx is the only partial result and
 * needs no beginning and no end. */
void *syn_partial_begin(const struct syn_match *match);
int syn_partial_end(const struct syn_match *match, void *partial, int64_t watermark_ns);
void syn_partial_drop(const struct syn_match *match, void *partial);

/* The chunks of each rank that make up each slice. */
struct syn_slices {
    size_t count;
    size_t rank_count;
    uint32_t *first;   /* [count + 1][rank_count]: chunk of the rank's file */
    int64_t *begin_ns; /* [count + 1]: nothing in this slice or a later one starts before */
    uint64_t *events;  /* [count] */
    uint64_t event_count;
};
/* The slices wished for. */
struct syn_slice_wish {
    uint64_t events;       /* of each, as in struct syn_match; 0: what suits the trace */
    uint64_t enough;       /* slices of very many sites: syn_slices_enough */
    uint64_t memory_bytes; /* for so many of them; 0: for any */
};
/* How many events a slice is to have, at least, of a trace like that. */
struct syn_slicing {
    uint64_t event_count, chunk_count, rank_count, site_count;
};
uint64_t syn_slice_events(const struct syn_slicing *of, const struct syn_slice_wish *wish);
/* Largest number of slices (and one left over) that may depend on the number of threads: no pending
 * instance is given up over them. */
#define SYN_SLICES_FEW 8
/* For so many threads. */
uint64_t syn_slices_enough(size_t thread_count);
/* Returns 0 or SYN_ENOMEM; free in any case. */
int syn_slices_cut(const struct syn_trace *trace, const struct syn_slice_wish *wish,
                   struct syn_slices *out);
void syn_slices_free(struct syn_slices *slices);

#endif
