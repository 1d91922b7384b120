/* trace/base/event.h - one collective call of one rank, as the recorder writes it into memory. An
 * event is one cache line. Times are raw ticks of the run's tick source (sync/time/clock.h). */
#ifndef SYN_EVENT_H
#define SYN_EVENT_H

#include <stdint.h>

/* Flags of an event. They are stored in the file and shown in the CSV's `flags` column. */
#define SYN_EVENT_NO_COMPLETION \
    0x01u                        /* nonblocking: never completed by this rank; end = call_end */
#define SYN_EVENT_FAILED   0x02u /* the call returned an error code */
#define SYN_EVENT_IN_PLACE 0x04u /* MPI_IN_PLACE was given */
#define SYN_EVENT_PERTURBED                                                                  \
    0x08u /* the recorder stopped (wrote a buffer, compared clocks) during the call or right \
             before */
#define SYN_EVENT_LATE_START 0x10u /* --align window: the agreed start time had passed */
#define SYN_EVENT_INTERCOMM  0x20u
#define SYN_EVENT_FREED      0x40u /* nonblocking: the program freed the request (MPI_Request_free) */
/* In memory only: the event is complete. This flag is stored after all other fields
 * (trace/write/raw.h). */
#define SYN_EVENT_WRITTEN 0x80u

/* The upper bits of the same word hold the number of the program's phase (MPI_Pcontrol); 0: no
 * phase. The factor "phase.N" has the phase's name. */
#define SYN_EVENT_PHASE_SHIFT 8
#define SYN_EVENT_FLAGS(word) ((uint16_t)((word)&0xffu))
#define SYN_EVENT_PHASE(word) ((unsigned)(word) >> SYN_EVENT_PHASE_SHIFT)

struct syn_event {
    int64_t start_ticks;
    int64_t end_ticks;
    int64_t call_end_ticks;   /* nonblocking: return of the initiating call; else = end_ticks */
    int64_t wait_start_ticks; /* nonblocking: start of the completing call; else = start_ticks */
    uint64_t bytes;    /* the low 48 bits; the others hold attributes (trace/events/attributes.h) */
    uint64_t sequence; /* number of the collective on its communicator, from 0 */
    uint32_t comm;     /* index of a communicator declared to the writer */
    uint32_t stack;    /* index of a call stack declared to the writer */
    int32_t root;      /* rank in the communicator; -1 if the operation has no root */
    uint16_t op;       /* syn_op_id */
    uint16_t flags;    /* SYN_EVENT_*, and the phase in the upper bits */
};

_Static_assert(sizeof(struct syn_event) == 64, "an event is one cache line");

#endif
