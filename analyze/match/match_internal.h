/* analyze/match/match_internal.h - functions shared by the files of a match: the cut into slices
 * (slices.c), the match of one slice (slice_reader.c, slice_result.c), and of all slices
 * (match.c). */
#ifndef SYN_MATCH_INTERNAL_H
#define SYN_MATCH_INTERNAL_H

#include "analyze/match/match.h"
#include "analyze/match/members/pending.h"
#include "analyze/match/members/rank_names.h"

/* Largest number of attributes that a reader keeps from slice to slice. */
#define SYN_ATTRIBUTES_MANY 65536

/* Result of a slice. */
struct syn_slice_result {
    bool ready;
    void *partial; /* the sink's */
    struct syn_match_totals totals;
    struct syn_leftovers left;
};

/* Reads one slice after another. Each thread has its own. */
struct syn_slice_reader;
/* Borrows `names`, which all threads share. Returns 0; or SYN_ENOMEM or SYN_EIO, with *out =
 * NULL. */
int syn_slice_reader_begin(const struct syn_match *match, const struct syn_trace_names *names,
                           struct syn_slice_reader **out);
void syn_slice_reader_end(struct syn_slice_reader *reader);
/* Matches the chunks first[rank] .. end[rank] - 1 of all ranks. Hands instances to the partial
 * result of `out`, adds its totals, and moves pending instances to its leftovers. Returns 0,
 * SYN_ENOMEM, SYN_EIO or the status of the sink. */
int syn_slice_read(struct syn_slice_reader *reader, const uint32_t *first, const uint32_t *end,
                   struct syn_slice_result *out);

/* Makes an empty result. Returns 0 or SYN_ENOMEM. The caller drops the result in any case. */
int syn_slice_result_begin(const struct syn_match *match, struct syn_slice_result *out);
void syn_slice_result_drop(const struct syn_match *match, struct syn_slice_result *result);

/* Makes totals of 0 for each rank. Returns 0 or SYN_ENOMEM. The caller calls syn_match_totals_free
 * in any case. */
int syn_match_totals_begin(struct syn_match_totals *totals, int32_t rank_count);
void syn_match_totals_add(struct syn_match_totals *into, const struct syn_match_totals *from);

/* Call the sink's functions of these names. If the sink lacks partial_begin, ctx is the only
 * partial result; other functions that the sink lacks are not called. */
void *syn_partial_begin(const struct syn_match *match);
int syn_partial_end(const struct syn_match *match, void *partial, int64_t watermark_ns);
void syn_partial_drop(const struct syn_match *match, void *partial);

/* The chunks of each rank in each slice. */
struct syn_slices {
    size_t count;
    size_t rank_count;
    uint32_t *first;   /* [count + 1][rank_count]: first chunk of the slice in the rank's file */
    int64_t *begin_ns; /* [count + 1]: events of this slice and of later ones start at this time or
                          later */
    uint64_t *events;  /* [count] */
    uint64_t event_count;
};
/* Wishes for slices. */
struct syn_slice_wish {
    uint64_t events; /* events of a slice, as in struct syn_match; 0: chosen for the trace */
    uint64_t enough; /* number of slices that is enough (syn_slices_enough), if there are very many
                        call sites */
    uint64_t memory_bytes; /* memory for `enough` slices; 0: no limit */
};
/* Counts of a trace, from which syn_slice_events computes the wanted number of events of a
 * slice. */
struct syn_slicing {
    uint64_t event_count, chunk_count, rank_count, site_count;
};
uint64_t syn_slice_events(const struct syn_slicing *of, const struct syn_slice_wish *wish);
/* Largest number of slices, with one more for the rest, that may depend on the number of threads.
 * In so few slices no pending instance is given up for the watermark. */
#define SYN_SLICES_FEW 8
/* Returns the number of slices that is enough for this number of threads. */
uint64_t syn_slices_enough(size_t thread_count);
/* Cuts a trace into slices. Returns 0 or SYN_ENOMEM. The caller frees `out` in any case. */
int syn_slices_cut(const struct syn_trace *trace, const struct syn_slice_wish *wish,
                   struct syn_slices *out);
void syn_slices_free(struct syn_slices *slices);

#endif
