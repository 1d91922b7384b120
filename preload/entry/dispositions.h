/* preload/entry/dispositions.h - control over sigaction and signal: actions that the program reads,
 * and actions that it sets. */
#ifndef SYN_DISPOSITIONS_H
#define SYN_DISPOSITIONS_H

#include <signal.h>
#include <stdbool.h>

/* From now on `function` sees each action that the program is about to be told, and puts the former
 * one in place of our own. Compares sa_sigaction alone where the program asked by signal(). NULL:
 * none has to be hidden. */
void syn_dispositions_hide(void (*function)(int number, struct sigaction *action))
    __attribute__((visibility("hidden")));

/* From now on `function` is asked before an action is set. Where it returns true it has taken *now
 * for the one that its own handler leads to, and said the former one in *before (which may be
 * NULL). NULL: nobody is asked. */
void syn_dispositions_take(bool (*function)(int number, const struct sigaction *now,
                                            struct sigaction *before))
    __attribute__((visibility("hidden")));

#endif
