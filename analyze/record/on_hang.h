/* analyze/record/on_hang.h - `record --on-hang`: watch a run, say who is waited for, and end it.
 *
 * Once a second the watcher reads the lines of the ranks of its own machine that say which call
 * they are inside (trace/read/open_calls.h): nothing runs in the program, and no message is sent.
 * Only once a call has lasted for `after_s` does it open the trace and ask analyze/hang.
 *
 *     around a launcher   record itself, between waiting for the launcher (run.h)
 *     inside one          a process of its own, one a machine, gone when the ranks are
 *
 * RATIONALE: an alarm needs a wait that has lasted for `after_s`, also where 20 earlier ones were
 * far shorter. A program may pause once, in its middle, and with `kill` an alarm ends it. */
#ifndef SYN_ON_HANG_H
#define SYN_ON_HANG_H

#include <stdbool.h>

#define RECORD_HANG_ACTIONS "report stacks kill"
#define RECORD_HANG_REPORT  1u
#define RECORD_HANG_STACKS  2u
#define RECORD_HANG_KILL    4u
#define RECORD_HANG_AFTER_S 60
/* The exit status of record if the watcher has ended the run, as of timeout(1). */
#define RECORD_HANG_STATUS 124

struct record_on_hang {
    unsigned actions; /* of RECORD_HANG_*; 0: nobody watches */
    double after_s;   /* no shorter wait is a hang */
};

struct record_watcher;
/* `directory`: absolute, where the trace will be, or an experiment's last run. Borrowed, as `wish`.
 * NULL: no memory. */
struct record_watcher *record_watcher_new(const char *directory, const struct record_on_hang *wish);
void record_watcher_free(struct record_watcher *watcher); /* NULL is fine */
/* Once a second. `speaker`: a process on whose stderr it speaks, 0: its own. Returns the signal
 * that the launcher is to get, 0: none. Ranks that outlive it by 3 s get SIGTERM here, after 10 s
 * SIGKILL. */
int record_watcher_tick(struct record_watcher *watcher, int speaker);
/* The launcher has ended. If the watcher ended it: wait until the run's ranks on this machine are
 * gone, make the trace whole, and return true. */
bool record_watcher_finish(struct record_watcher *watcher);

/* One line on stderr on who was waited for when the run in `directory` died, if anybody was; a
 * second one on a circle, or on ranks that disagreed. */
void record_say_waited_for(const char *directory);

/* Inside a launcher, before this process becomes the program: leave a watcher behind that is no
 * child of it and has none of its descriptors. */
void record_watch_beside(const char *directory, const struct record_on_hang *wish);

#endif
