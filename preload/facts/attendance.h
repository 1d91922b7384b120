/* preload/facts/attendance.h - finds out whether all processes that the launcher started on this
 * machine are recorded. The recorder asks before its first collective call, which would wait for
 * ever for a process that is not recorded. It does not ask by MPI: a collective call cannot be
 * cancelled, and the program of a process that is not recorded might receive a message.
 *
 * Before MPI's initialization, each process connects to a socket whose name all of them compute
 * from the launcher's environment. The first process is the host of the socket. MPI's
 * initialization ends only after all processes have called it. Then the host counts the connected
 * processes and answers each. */
#ifndef SYN_ATTENDANCE_H
#define SYN_ATTENDANCE_H

#include <stdbool.h>

/* Registers this process, before MPI's initialization. Does not wait for other processes. Does
 * nothing if the launcher does not say which processes belong together. */
void syn_attendance_register(void);
/* Closes the socket: the initialization failed, or the first collective call has returned. */
void syn_attendance_leave(void);

/* The processes of this machine. */
struct syn_attendance {
    bool is_host;    /* this process is the host of the socket, and knows `present` */
    bool is_unknown; /* the launcher does not say, or the processes are on several machines */
    int expected;    /* processes that the launcher started here; 0: unknown */
    int present;     /* registered processes */
    int waited_s;    /* longest wait for the others */
};

/* Counts the registered processes, after the initialization of `world_size` processes. Returns true
 * if all are registered. Returns false, on every registered process, if some are not after a few
 * seconds. Returns true with out->is_unknown if this cannot be known: then the first collective
 * call may wait for ever, and processes may register until syn_attendance_leave. */
bool syn_attendance_complete(int world_size, struct syn_attendance *out);

/* Wait of the recorder's first call that counts as long. Many machines may take some seconds. */
#define SYN_ATTENDANCE_LONG_S 10
/* Reports on stderr that the recorder's first call takes long. One process of each machine reports,
 * with the number of registered processes; if the launcher does not say which processes belong
 * together, the first process of the run does. */
void syn_attendance_say_waiting(void);

#endif
