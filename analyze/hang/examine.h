/* analyze/hang/examine.h - examines a run for hangs and disagreements, around one match.
 *
 *     syn_examine_begin --> the caller's match fills `disagreements` --> syn_examine_end
 *
 * syn_examine does all of it, with a match of its own. */
#ifndef SYN_HANG_EXAMINE_H
#define SYN_HANG_EXAMINE_H

#include <stdbool.h>

#include "analyze/hang/hang.h"
#include "analyze/hang/look.h"
#include "analyze/hang/mismatches.h"
#include "analyze/match/match.h"

struct syn_examination {
    struct syn_look look;
    struct syn_disagreements disagreements;
    /* The result, valid after syn_examine_end. It refers to the names, but not to the trace. */
    bool unended;  /* the run did not end, or is live. `looked` and `hang` are filled, unless it
                      `goes_on` */
    bool has_hang; /* the run is unended and open calls are recorded: `hang` says where its ranks
                      are */
    bool exited;   /* the run ended by exit() without MPI_Finalize */
    struct syn_looked looked;
    struct syn_hang hang;
    struct syn_mismatches mismatches;
};

/* Begins an examination of `look`. Returns 0 or SYN_ENOMEM; call syn_examine_free in any case. */
int syn_examine_begin(struct syn_examination *examination, const struct syn_look *look);
/* Makes the result, after the match. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_examine_end(struct syn_examination *examination, const struct syn_hang_options *options);
/* Does both steps. `match`: matches the trace in between, for disagreements and nothing else. */
int syn_examine(struct syn_examination *examination, const struct syn_look *look,
                const struct syn_hang_options *options, bool match);
void syn_examine_free(struct syn_examination *examination);
/* An examination with the names, communicators and symbols that it needs. */
struct syn_sight {
    struct syn_names names;
    struct syn_comms comms;
    struct syn_symbols *symbols;
    bool owns_symbols;
    struct syn_examination examination;
};
/* Examines a run. `before`: as in struct syn_look. `symbols`: those of an earlier examination;
 * NULL: the function opens its own. All pointers are borrowed. `match`: also compares the calls of
 * all instances. Returns 0 or a negative status; call syn_sight_end in any case. */
int syn_sight_begin(struct syn_sight *sight, struct syn_trace *trace, struct syn_trace *before,
                    struct syn_symbols *symbols, const struct syn_hang_options *options,
                    bool match);
void syn_sight_end(struct syn_sight *sight);
/* Says whether the run hangs or its ranks disagree. */
bool syn_examine_accuses(const struct syn_examination *examination);

#endif
