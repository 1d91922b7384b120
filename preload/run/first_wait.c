/* preload/run/first_wait.c - see first_wait.h.
 *
 * RATIONALE: a nonblocking barrier is asked after, and so whoever waits can say so itself. Not
 * under Open MPI 4.1: that would take tags from those by which the program's own communicator
 * numbers its messages (start.c, make_communicator). A thread says it there. Open MPI has threads
 * of its own in each process; under other MPIs the program might have none, and the C library
 * takes locks from the first thread on, for good. */
#include "preload/run/first_wait.h"

#include "preload/facts/long_wait.h"
#include "preload/facts/roll_call.h"
#include "preload/mpi/pmpi.h"
#include "preload/mpi/transport_pmpi.h"

#ifdef OPEN_MPI
void syn_first_wait(MPI_Comm all)
{
    (void)all;
    syn_long_wait_begin(SYN_ROLL_CALL_LONG_S, syn_roll_call_say_waiting);
}
#else
void syn_first_wait(MPI_Comm all)
{
    MPI_Request request = MPI_REQUEST_NULL;
    if (syn_pmpi.Ibarrier(all, &request) == MPI_SUCCESS)
        syn_pmpi_await_telling(&request, SYN_ROLL_CALL_LONG_S, syn_roll_call_say_waiting);
}
#endif

void syn_first_wait_over(void)
{
#ifdef OPEN_MPI
    syn_long_wait_end();
#endif
    syn_roll_call_leave();
}
