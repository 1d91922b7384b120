/* preload/base/signals.h - protects the recorder's writes from signals and from cancellation.
 *
 * A write may raise SIGXFSZ (limit of a file's size) or SIGPIPE, and either would end the program.
 * While these signals are blocked, the write fails with an error code instead. The release discards
 * a signal that was raised meanwhile. Cancellation is disabled too, because a cancelled thread
 * could leave a lock of the recorder or of libc locked. */
#ifndef SYN_SIGNALS_H
#define SYN_SIGNALS_H

#include <signal.h>

struct syn_signals {
    sigset_t before;  /* the thread's mask */
    sigset_t pending; /* signals that were pending before, and stay pending */
    int cancel_state;
};

/* Blocks both signals and disables cancellation in this thread, until syn_signals_release. Keeps
 * errno. */
void syn_signals_hold(struct syn_signals *signals);
/* Discards signals raised meanwhile, restores the mask and cancellation. Keeps errno. */
void syn_signals_release(const struct syn_signals *signals);

#endif
