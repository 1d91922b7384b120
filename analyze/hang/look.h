/* analyze/hang/look.h - makes the state of all ranks of a run from its trace, be the run dead or
 * live.
 *
 * Open calls come from the open lines in the ranks' raw blocks. How far a member of a communicator
 * has come is read from its events, backwards, and only for communicators with open calls. */
#ifndef SYN_HANG_LOOK_H
#define SYN_HANG_LOOK_H

#include <stdbool.h>

#include "analyze/hang/model.h"
#include "analyze/match/members/comms.h"
#include "analyze/match/members/disagreements.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/match/members/rank_names.h"
#include "trace/read/reader.h"

/* The run that is examined, with the tables that name its parts. All pointers are borrowed. */
struct syn_look {
    struct syn_trace *trace;
    /* This live run, opened a moment earlier. A call counts as open only if it was open then, too.
     * So all open calls were open at one instant, and the events of `trace` were read after that
     * instant. NULL: the run is dead, or `goes_on`. */
    struct syn_trace *before;
    bool goes_on; /* the run is live and `before` is missing: nothing can be said of hangs */
    const struct syn_comms *comms;
    struct syn_names *names;           /* of call sites and communicators */
    struct syn_symbols *symbols;       /* NULL: call sites are not known */
    struct syn_trace_names rank_names; /* set by syn_examine_begin */
};

/* The model, with the tables that it refers to. The model also refers to the trace, its
 * communicators and names: free it before them. */
struct syn_looked {
    struct syn_hang_model model;
    uint32_t **members; /* [comms->count]: members of each communicator of the model; owned */
    uint32_t *comm;     /* [comm_count]: index into syn_comms of each communicator; owned */
    size_t comm_count;
    bool has_open_calls;                /* the open line of a rank that has not ended is recorded */
    struct syn_message_numbers numbers; /* made if a call waits for requests */
    bool has_numbers;
};

/* Fills the model. Returns 0, SYN_ENOMEM or SYN_EIO; free in any case. */
int syn_hang_look(const struct syn_look *look, struct syn_looked *out);
void syn_looked_free(struct syn_looked *looked);
/* Adds the open collective calls to the comparison of instances. Returns 0 or SYN_ENOMEM. */
int syn_look_add_open(const struct syn_look *look, struct syn_disagreements *out);
/* Says whether a rank lacks its end in MPI_Finalize. A rank whose recording was disabled, or whose
 * file is missing, does not count. */
bool syn_is_unended(const struct syn_trace *trace);
/* Says whether the run goes on. If that cannot be found out, *is_known is false and false is
 * returned. */
bool syn_is_live(const struct syn_trace *trace, bool *is_known);
/* Says whether a rank recorded an event, or entered or left a call, between two openings. */
bool syn_has_moved(const struct syn_trace *before, const struct syn_trace *after);

#endif
