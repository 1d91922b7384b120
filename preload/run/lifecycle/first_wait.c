/* preload/run/lifecycle/first_wait.c - see first_wait.h.
 *
 * RATIONALE: while the nonblocking call is tested, the waiting thread itself can print the message.
 * Open MPI 4.1 is different: a nonblocking call would use up tags with which the program's
 * communicator numbers its messages (start.c, make_communicator), so a second thread prints it.
 * Open MPI has threads of its own anyway; under other MPIs a second thread would make the C
 * library's locks slower for good.
 *
 * RATIONALE: all processes make the same MPI calls here, even if the launcher gave them different
 * information. */
#include "preload/run/lifecycle/first_wait.h"

#include "preload/facts/attendance.h"
#include "preload/facts/long_wait.h"
#include "preload/mpi/transport_pmpi.h"

#ifdef OPEN_MPI
void syn_first_wait_expect(void)
{
    syn_long_wait_begin(SYN_ATTENDANCE_LONG_S, syn_attendance_say_waiting);
}

int syn_first_wait_complete(MPI_Request *request)
{
    return syn_pmpi_await(request, false);
}

void syn_first_wait_over(void)
{
    syn_long_wait_end();
    syn_attendance_leave();
}
#else
static bool is_told; /* used in the process's first call, by one thread at a time (lifecycle.c) */

void syn_first_wait_expect(void)
{
    is_told = true;
}

int syn_first_wait_complete(MPI_Request *request)
{
    return is_told
               ? syn_pmpi_await_telling(request, SYN_ATTENDANCE_LONG_S, syn_attendance_say_waiting)
               : syn_pmpi_await(request, false);
}

void syn_first_wait_over(void)
{
    is_told = false;
    syn_attendance_leave();
}
#endif
