/* preload/base/signals.h - writing without being killed for it, or cancelled in it.
 *
 * A write of ours may raise SIGXFSZ (a limit on the size of files) or SIGPIPE, either of which
 * would end the program. Held, the write fails with an error code instead, and the signal that it
 * left behind is taken away. And a thread of the program's that is cancelled does not die in it,
 * where it may hold a lock of ours or of libc's. */
#ifndef SYN_SIGNALS_H
#define SYN_SIGNALS_H

#include <signal.h>

struct syn_signals {
    sigset_t before;  /* the thread's mask */
    sigset_t pending; /* what was pending already, and stays so */
    int cancel_state;
};

/* Blocks both signals and cancellation in this thread, until the release. *signals is the caller's.
 * errno is kept. */
void syn_signals_hold(struct syn_signals *signals);
/* Drop those raised meanwhile, restore the mask. errno is kept. */
void syn_signals_release(const struct syn_signals *signals);

#endif
