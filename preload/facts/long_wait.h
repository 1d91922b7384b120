/* preload/facts/long_wait.h - says that a wait has been long, where whoever waits is inside a call
 * that cannot be asked and cannot be ended. */
#ifndef SYN_LONG_WAIT_H
#define SYN_LONG_WAIT_H

/* The calling thread is about to wait. If it has not ended that after `seconds`, tell() is called
 * once, in a thread of its own, which handles no signals. Without memory for one nothing is told.
 * One wait of a process at a time; another one that begins meanwhile is not watched. */
void syn_long_wait_begin(int seconds, void (*tell)(void));
/* It has ended; harmless where none began. What tell() does is over when this returns. */
void syn_long_wait_end(void);

#endif
