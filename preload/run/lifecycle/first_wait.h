/* preload/run/lifecycle/first_wait.h - our first collective call, where nobody knows whether all
 * processes take part in it (facts/attendance.h). It cannot be ended; that it takes long can be
 * said: after SYN_ATTENDANCE_LONG_S, by one process of each machine. Not in a program of sessions
 * under MPICH, where it is a blocking call: before MPI_Init MPICH 4.0 crashes in PMPI_Test. */
#ifndef SYN_FIRST_WAIT_H
#define SYN_FIRST_WAIT_H

#include <mpi.h>

/* It is not known: the next wait is to be told. */
void syn_first_wait_expect(void);
/* Wait for a nonblocking call that is the first. 0 or SYN_ETRANSPORT. */
int syn_first_wait_complete(MPI_Request *request);
/* It is over, or there is none: nobody is counted any more. Harmless where none began. */
void syn_first_wait_over(void);

#endif
