/* preload/run/lifecycle/first_wait.c - see first_wait.h.
 *
 * RATIONALE: a nonblocking call is asked after, and so whoever waits can say so itself. Not under
 * Open MPI 4.1: that would take tags from those by which the program's own communicator numbers its
 * messages (start.c, make_communicator). A thread says it there. Open MPI has threads of its own in
 * each process; under other MPIs the program might have none, and the C library takes locks from
 * the first thread on, for good.
 *
 * Which calls are made depends on nothing that a process knows by itself: where the launcher tells
 * some more than others they still make the same. */
#include "preload/run/lifecycle/first_wait.h"

#include "preload/facts/attendance.h"
#include "preload/facts/long_wait.h"
#include "preload/mpi/pmpi.h"
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
static bool is_told; /* of the process's first call: one thread at a time (lifecycle.c) */

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
