/* preload/run/first_wait.h - our first collective call, where nobody knows whether all processes
 * take part in it (facts/roll_call.h). It cannot be ended; that it takes long can be said: after
 * SYN_ROLL_CALL_LONG_S, by one process of each machine. */
#ifndef SYN_FIRST_WAIT_H
#define SYN_FIRST_WAIT_H

#include <mpi.h>

/* It is not known: the next wait is to be told. */
void syn_first_wait_expect(void);
/* Wait for a nonblocking call that is the first. 0 or SYN_ETRANSPORT. */
int syn_first_wait_complete(MPI_Request *request);
/* Before a blocking call that is the first, in each process of `all`, whatever is known: they must
 * all do the same. */
void syn_first_wait_meet(MPI_Comm all);
/* It is over, or there is none: nobody is counted any more. Harmless where none began. */
void syn_first_wait_over(void);

#endif
