/* preload/facts/roll_call.h - are all the processes that a launcher started on this machine
 * recorded? Asked before the first collective call of ours, in which whoever is not recorded would
 * be waited for for ever. MPI cannot take a collective call back, and a message might be received
 * by the program of who is not recorded: so MPI is not asked.
 *
 * Before MPI's initialization each process comes to a socket of this machine that all of them name
 * alike; the first is its host. After the initialization, before which MPI lets no process go on
 * until all have come to it, the host counts those who came, and tells each. */
#ifndef SYN_ROLL_CALL_H
#define SYN_ROLL_CALL_H

#include <stdbool.h>

/* Before MPI's initialization: this process is recorded. Waits for nobody. Nothing where the
 * launcher does not say which processes belong together. */
void syn_roll_call_answer(void);
/* The initialization failed, or our first collective call is over. */
void syn_roll_call_leave(void);

/* The host's knowledge of this machine. */
struct syn_roll_call {
    bool is_host;
    bool is_unknown; /* the launcher does not say, or the processes are on several machines */
    int expected, present;
    int waited_s;
};

/* After the initialization, `world_size` processes in all. Returns false, on every process that is
 * recorded, where others have not come after a few seconds; true where all have, and where it is
 * is_unknown. Then our first collective call may wait for ever, and the roll stays open until
 * syn_roll_call_leave. */
bool syn_roll_call_complete(int world_size, struct syn_roll_call *out);

/* Many machines may take some seconds to make a communicator. */
#define SYN_ROLL_CALL_LONG_S 10
/* Says that the recorder's first call has not ended for long: one process of each machine says it,
 * with the number that came there; if the launcher does not say which processes belong together,
 * the first of the run does. */
void syn_roll_call_say_waiting(void);

#endif
