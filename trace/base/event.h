/* trace/base/event.h - one collective call of one rank, as the recorder writes it into memory.
 * One cache line; times are raw ticks of the run's tick source (sync/time/clock.h). */
#ifndef SYN_EVENT_H
#define SYN_EVENT_H

#include <stdint.h>

/* Flags of an event: kept in the file, shown in the CSV's `flags` column. */
#define SYN_EVENT_NO_COMPLETION \
    0x01u                        /* nonblocking: never completed by this rank; end = call_end */
#define SYN_EVENT_FAILED   0x02u /* the call returned an error code */
#define SYN_EVENT_IN_PLACE 0x04u /* MPI_IN_PLACE given */
#define SYN_EVENT_PERTURBED \
    0x08u /* the profiler paused (spilled a buffer, measured the clocks) inside or right before */
#define SYN_EVENT_LATE_START 0x10u /* --align window: the start time had passed */
#define SYN_EVENT_INTERCOMM  0x20u
#define SYN_EVENT_FREED      0x40u /* nonblocking: given up by MPI_Request_free */
/* In memory only, and stored after all the rest of an event: it is complete (trace/write/raw.h). */
#define SYN_EVENT_WRITTEN 0x80u

/* Above them, in the same word: the number of the phase that the program was in (MPI_Pcontrol), 0
 * none. Its name is the factor "phase.N". */
#define SYN_EVENT_PHASE_SHIFT 8
#define SYN_EVENT_FLAGS(word) ((uint16_t)((word)&0xffu))
#define SYN_EVENT_PHASE(word) ((unsigned)(word) >> SYN_EVENT_PHASE_SHIFT)

struct syn_event {
    int64_t start_ticks;
    int64_t end_ticks;
    int64_t call_end_ticks;   /* nonblocking: return of the initiating call; else = end_ticks */
    int64_t wait_start_ticks; /* nonblocking: start of the completing call; else = start_ticks */
    uint64_t bytes;           /* 48 bits; above them attributes (trace/events/attributes.h) */
    uint64_t sequence;        /* of collectives on the communicator, from 0 */
    uint32_t comm;            /* index of a communicator declared to the writer */
    uint32_t stack;           /* index of a call stack declared to the writer */
    int32_t root;             /* rank in the communicator; -1 where the operation has none */
    uint16_t op;              /* syn_op_id */
    uint16_t flags;           /* SYN_EVENT_*, and the phase above */
};

_Static_assert(sizeof(struct syn_event) == 64, "an event is one cache line");

#endif
