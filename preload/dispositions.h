/* preload/dispositions.h - what a program is told about the actions of its signals. */
#ifndef SYN_DISPOSITIONS_H
#define SYN_DISPOSITIONS_H

#include <signal.h>

/* From now on `function` sees each action that the program is about to be told, and puts the former
 * one in place of our own. Compares sa_sigaction alone where the program asked by signal(). NULL:
 * none has to be hidden. */
void syn_dispositions_hide(void (*function)(int number, struct sigaction *action))
    __attribute__((visibility("hidden")));

#endif
