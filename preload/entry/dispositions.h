/* preload/entry/dispositions.h - replaces sigaction and signal, to control which signal actions the
 * program reads and sets. */
#ifndef SYN_DISPOSITIONS_H
#define SYN_DISPOSITIONS_H

#include <signal.h>
#include <stdbool.h>

/* Makes `function` see each action before it is returned to the program. If the action is the
 * recorder's own, `function` replaces it by the former action. An action read by signal() consists
 * of the handler only, so `function` must recognize the recorder's action by its handler
 * (sa_sigaction). NULL: no action has to be hidden. */
void syn_dispositions_hide(void (*function)(int number, struct sigaction *action))
    __attribute__((visibility("hidden")));

/* Makes `function` decide about each action before it is set. `function` returns true if it has
 * stored *now as the action that the backend's handler calls, and the former one in *before (may be
 * NULL); the action is then not set. NULL: all actions are set. */
void syn_dispositions_take(bool (*function)(int number, const struct sigaction *now,
                                            struct sigaction *before))
    __attribute__((visibility("hidden")));

#endif
