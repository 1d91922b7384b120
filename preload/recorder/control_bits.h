/* preload/recorder/control_bits.h - whether calls are recorded now, and the program's current
 * phase. Read at each call; calls/control/ sets it. */
#ifndef SYN_CONTROL_BITS_H
#define SYN_CONTROL_BITS_H

#include <stdint.h>

#include "trace/base/event.h"

#define SYN_CONTROL_OFF      1u /* not recorded: the program said so (MPI_Pcontrol), */
#define SYN_CONTROL_LEFT_OUT 2u /* or --ranks omits this rank, */
#define SYN_CONTROL_LOST     4u /* or there is no place for events: calls are lost */
#define SYN_CONTROL_NOT_NOW  (SYN_CONTROL_OFF | SYN_CONTROL_LEFT_OUT | SYN_CONTROL_LOST)
#define SYN_CONTROL_PHASE    0xff00u /* number of the phase, at the bits of an event's flags */

/* Bits above, for the whole process. */
extern uint32_t syn_control;

static inline uint32_t syn_control_now(void)
{
    return __atomic_load_n(&syn_control, __ATOMIC_RELAXED);
}

/* Lose all further calls. */
static inline void syn_control_lose(void)
{
    __atomic_or_fetch(&syn_control, SYN_CONTROL_LOST, __ATOMIC_RELEASE);
}

#endif
