/* preload/run/lifecycle/first_wait.h - a message if our first collective call takes long.
 *
 * If it is unknown whether all processes are recorded (facts/attendance.h), that call may wait for
 * ever. It cannot be cancelled, but after SYN_ATTENDANCE_LONG_S one process of each machine says
 * so. Exception: a program of MPI Sessions under MPICH, where the call is blocking, because MPICH
 * 4.0 crashes in PMPI_Test before MPI_Init. */
#ifndef SYN_FIRST_WAIT_H
#define SYN_FIRST_WAIT_H

#include <mpi.h>

/* The next wait may be long: report it. */
void syn_first_wait_expect(void);
/* Wait for the first collective call, a nonblocking one. Returns 0 or SYN_ETRANSPORT. */
int syn_first_wait_complete(MPI_Request *request);
/* The call is over, or there was none: end the attendance. May be called at any time. */
void syn_first_wait_over(void);

#endif
