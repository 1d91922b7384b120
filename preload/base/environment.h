/* preload/base/environment.h - the environment with which the process was started. A program may
 * have changed its own before it calls MPI_Init, and MPI_Init adds variables. */
#ifndef SYN_ENVIRONMENT_H
#define SYN_ENVIRONMENT_H

/* Returns the entries "NAME=VALUE" of the start, each ended by a zero byte; an empty entry ends the
 * list. */
const char *syn_environment_at_start(void);
/* Returns the value of a variable. If the program has removed it, returns the value at the start.
 * NULL if there is none. */
const char *syn_environment(const char *name);

#endif
