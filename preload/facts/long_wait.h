/* preload/facts/long_wait.h - reports a long wait while the waiting thread is inside a call that
 * cannot be tested or ended. A second thread watches the time. */
#ifndef SYN_LONG_WAIT_H
#define SYN_LONG_WAIT_H

/* Begins to watch a wait of the calling thread. If the wait has not ended after `seconds`, a second
 * thread calls tell() once. That thread blocks all signals. If it cannot be started, the wait is
 * not watched. A process watches one wait at a time; another one that begins meanwhile is not
 * watched. */
void syn_long_wait_begin(int seconds, void (*tell)(void));
/* Ends the watch. tell() does not run after this returns. Does nothing if no wait is watched. */
void syn_long_wait_end(void);

#endif
