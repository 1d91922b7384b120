/* analyze/hang/look.h - the state of all ranks of a run, from its trace: dead, or live.
 *
 * Open calls come from the lines of the ranks' raw blocks. How far a member of a communicator has
 * come is read from its events backwards, and only of communicators with open calls. */
#ifndef SYN_HANG_LOOK_H
#define SYN_HANG_LOOK_H

#include <stdbool.h>

#include "analyze/hang/model.h"
#include "analyze/match/members/comms.h"
#include "analyze/match/members/disagreements.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/match/members/rank_names.h"
#include "trace/read/reader.h"

/* {0} at first. */
struct syn_look {
    struct syn_trace *trace;
    const struct syn_comms *comms;
    const struct syn_names *names;
    const struct syn_trace_names *rank_names;
    /* This live run, opened a moment earlier: a call counts as open if it was open then, too.
     * So all calls that count were open at one instant, after which the events of `trace` were
     * read. NULL: the run is dead. */
    struct syn_trace *before;
};

/* A model, and who is waited for in it refers to the trace and its tables: free it before them. */
struct syn_looked {
    struct syn_hang_model model;
    uint32_t **members; /* [comms->count], of communicators of the model; owned */
    uint32_t *comm;     /* [model.comm_count]: index into syn_comms of each */
    size_t comm_count;
    bool has_open_calls;                /* a rank that has not ended says where it is */
    struct syn_message_numbers numbers; /* if some call waits for requests */
    bool has_numbers;
};

/* 0, SYN_ENOMEM or SYN_EIO; free in any case. */
int syn_hang_look(const struct syn_look *look, struct syn_looked *out);
void syn_looked_free(struct syn_looked *looked);
/* The calls that have not returned, for the comparison of instances. 0 or SYN_ENOMEM. */
int syn_look_add_open(const struct syn_look *look, struct syn_disagreements *out);
/* Did the run not come to its end: does a rank lack its end in MPI_Finalize? */
bool syn_is_unended(const struct syn_trace *trace);
/* Is it going on? *is_known false: nobody can tell; false is returned. */
bool syn_is_live(const struct syn_trace *trace, bool *is_known);
/* Did a rank do something between two openings? */
bool syn_has_moved(const struct syn_trace *before, const struct syn_trace *after);

#endif
