/* analyze/record/on_hang.h - `record --on-hang`: watches a run, reports which ranks are waited for,
 * and ends the run.
 *
 * Once a second the watcher reads the open lines of the ranks on its own machine, which say the
 * call that each rank is inside (trace/read/open_calls.h). No code runs in the program for it, and
 * no message is sent. Only once a call has lasted for `after_s` does the watcher open the trace and
 * examine it (analyze/hang).
 *
 *     around a launcher   record itself watches, between its waits for the launcher (run.h)
 *     inside a launcher   one process on each machine watches, and ends with the ranks
 *
 * RATIONALE: an alarm needs a wait that has lasted for `after_s`, even if 20 earlier waits were far
 * shorter. A program may pause once in its middle, and an alarm with `kill` ends it. */
#ifndef SYN_ON_HANG_H
#define SYN_ON_HANG_H

#include <stdbool.h>

#define RECORD_HANG_ACTIONS "report stacks kill"
#define RECORD_HANG_REPORT  1u
#define RECORD_HANG_STACKS  2u
#define RECORD_HANG_KILL    4u
#define RECORD_HANG_AFTER_S 60
/* The exit status of record if the watcher has ended the run, as with timeout(1). */
#define RECORD_HANG_STATUS 124

struct record_on_hang {
    unsigned actions; /* RECORD_HANG_* combined; 0: the run is not watched */
    double after_s;   /* a shorter wait is no hang */
};

struct record_watcher;
/* Makes a watcher. `directory`: the absolute path at which the trace will be, or that of an
 * experiment's last run. Both arguments are borrowed. NULL: no memory. */
struct record_watcher *record_watcher_new(const char *directory, const struct record_on_hang *wish);
void record_watcher_free(struct record_watcher *watcher); /* NULL is allowed */
/* Looks at the run; call it once a second. `speaker`: the process to whose stderr the watcher
 * writes; 0: its own. Returns the signal to send to the launcher; 0: none. Ranks that outlive that
 * signal by 3 s are sent SIGTERM by the watcher itself, after 10 s SIGKILL. */
int record_watcher_tick(struct record_watcher *watcher, int speaker);
/* Call it when the launcher has ended. If the watcher ended the launcher, the function waits until
 * the run's ranks on this machine are gone, completes the trace, and returns true. */
bool record_watcher_finish(struct record_watcher *watcher);

/* If ranks were waited for when the run in `directory` died, prints one line on them on stderr, and
 * a second line on a circle or on ranks that disagreed. */
void record_say_waited_for(const char *directory);

/* Starts a watcher, inside a launcher, before this process becomes the program. The watcher is no
 * child of this process and has none of its descriptors. */
void record_watch_beside(const char *directory, const struct record_on_hang *wish);

#endif
