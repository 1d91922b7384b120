/* preload/facts/attendance.h - are all the processes that a launcher started on this machine
 * recorded? This is asked before the recorder's first collective call, which would wait for ever
 * for a process that is not recorded. MPI cannot cancel a collective call, and a message might be
 * received by the program of a process that is not recorded. So MPI is not used.
 *
 * Before MPI's initialization each process registers at a socket of this machine, whose name all of
 * them derive alike. The first is the host of the socket. MPI's initialization ends only when all
 * processes have come to it. After it the host counts the registered processes and answers each. */
#ifndef SYN_ATTENDANCE_H
#define SYN_ATTENDANCE_H

#include <stdbool.h>

/* Registers this process, before MPI's initialization. Waits for nobody. Does nothing if the
 * launcher does not say which processes belong together. */
void syn_attendance_register(void);
/* Ends it: the initialization failed, or the first collective call is over. */
void syn_attendance_leave(void);

/* The host's knowledge of this machine. */
struct syn_attendance {
    bool is_host;
    bool is_unknown; /* the launcher does not say, or the processes are on several machines */
    int expected, present;
    int waited_s;
};

/* After the initialization, `world_size` processes in all. Returns false, on every process that is
 * recorded, where others have not come after a few seconds; true where all have, and where it is
 * is_unknown. Then our first collective call may wait for ever, and processes may register until
 * syn_attendance_leave. */
bool syn_attendance_complete(int world_size, struct syn_attendance *out);

/* Many machines may take some seconds to make a communicator. */
#define SYN_ATTENDANCE_LONG_S 10
/* Says that the recorder's first call has not ended for long: one process of each machine says it,
 * with the number that came there; if the launcher does not say which processes belong together,
 * the first of the run does. */
void syn_attendance_say_waiting(void);

#endif
