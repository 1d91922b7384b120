/* preload/run/first_wait.h - our first collective call, where nobody knows whether all processes
 * take part in it (facts/roll_call.h). It cannot be ended; that it takes long can be said. */
#ifndef SYN_FIRST_WAIT_H
#define SYN_FIRST_WAIT_H

#include <mpi.h>

/* Before that call, in each process of `all`. After SYN_ROLL_CALL_LONG_S one process of each
 * machine says what is waited for. */
void syn_first_wait(MPI_Comm all);
/* It is over, or there is none: nobody is counted any more. Harmless where none began. */
void syn_first_wait_over(void);

#endif
