/* analyze/hang/examine.h - all that a run says of hangs and disagreements, around one match.
 *
 *     syn_examine_begin --> the match of the caller, with `disagreements` --> syn_examine_end
 *
 * or syn_examine, which matches by itself. */
#ifndef SYN_HANG_EXAMINE_H
#define SYN_HANG_EXAMINE_H

#include <stdbool.h>

#include "analyze/hang/hang.h"
#include "analyze/hang/look.h"
#include "analyze/hang/mismatches.h"
#include "analyze/match/match.h"

struct syn_examination {
    struct syn_look look;
    struct syn_trace_names rank_names;
    struct syn_disagreements disagreements;
    struct syn_names *names; /* of sites and communicators, borrowed */
    /* The result, after syn_examine_end: */
    bool unended;  /* the run did not end, or goes on: `looked` and `hang` are filled */
    bool has_hang; /* and says where its ranks are */
    bool live;
    bool goes_on; /* and was not looked at twice: `looked` and `hang` are empty */
    bool exited;  /* ended, by exit() without MPI_Finalize */
    struct syn_looked looked;
    struct syn_hang hang;
    struct syn_mismatches mismatches;
};

/* `before`: of a live run the same trace opened a moment earlier, else NULL. `goes_on`: the run is
 * live, and one look does not say who hangs. Everything is borrowed. 0, SYN_ENOMEM;
 * syn_examine_free in any case. */
struct syn_examine_source {
    struct syn_trace *trace, *before;
    const struct syn_comms *comms;
    struct syn_names *names;
    struct syn_symbols *symbols; /* NULL: no place is known */
    bool goes_on;
};
int syn_examine_begin(struct syn_examination *examination, const struct syn_examine_source *source);
/* After the match; from then on the result refers to the names alone, and not to the trace. 0,
 * SYN_ENOMEM, SYN_EIO. */
int syn_examine_end(struct syn_examination *examination, const struct syn_hang_options *options);
/* With a match of its own: nothing else is asked of the trace. */
int syn_examine(struct syn_examination *examination, const struct syn_examine_source *source,
                const struct syn_hang_options *options, bool match);
void syn_examine_free(struct syn_examination *examination);
/* An examination with all that it takes. */
struct syn_sight {
    struct syn_names names;
    struct syn_comms comms;
    struct syn_symbols *symbols;
    bool owns_symbols;
    struct syn_examination examination;
};
/* Examine a run: `before` as above; `symbols` of an earlier look, NULL: they are opened. All is
 * borrowed. `match`: compare all instances, too. 0 or negative; syn_sight_end in any case. */
int syn_sight_begin(struct syn_sight *sight, struct syn_trace *trace, struct syn_trace *before,
                    struct syn_symbols *symbols, const struct syn_hang_options *options,
                    bool match);
void syn_sight_end(struct syn_sight *sight);
/* Does it hang, or do ranks disagree? */
bool syn_examine_accuses(const struct syn_examination *examination);

#endif
