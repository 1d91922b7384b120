/* preload/entry/presence.h - finds this process's MPI, and decides which of our names the process
 * may see.
 *
 * A preloaded library lends its names to the whole process: a weak reference or dlsym would find
 * functions that no MPI here has, and a plug-in's own function of such a name would be ours. So the
 * library hides each of its names that the process's MPI does not define: the dynamic linker then
 * searches on as if we were not there. It sees a name again once an MPI that defines it is loaded.
 *
 * *The MPI* is the first loaded object that defines PMPI_Init and PMPI_Initialized; a tool may
 * define the first. *Its parts* are that object and all that define pmpi_init_ or refer to PMPI
 * functions: Fortran's libraries, and other tools; but none that is linked with another MPI
 * library. Objects that come before us where names are looked up are neither. */
#ifndef SYN_PRESENCE_H
#define SYN_PRESENCE_H

#include <stdbool.h>

#include "preload/entry/elf_object.h"

/* SYNCOPATE_DISABLE when the process started. */
SYN_HIDDEN bool syn_presence_disabled(void);

/* The first definition of `name` by a part of the MPI, in the dynamic linker's order; NULL if there
 * is none. With an MPI in the global scope a call would reach this one without us. */
SYN_HIDDEN void *syn_presence_symbol(const char *name);

/* The first definition of a variable, likewise; the program's own copy comes first. */
SYN_HIDDEN void *syn_presence_object(const char *name);

/* The own name of the MPI's library, or its file without the directory; "" if none is loaded. */
SYN_HIDDEN const char *syn_presence_mpi_name(void);

/* The name of the MPI that says it was initialized, "" for the program; NULL if none of those that
 * are loaded does. MPI allows this question at any time. */
SYN_HIDDEN const char *syn_presence_mpi_that_ran(void);

/* The object of which a function that begins MPI comes before ours: its name, "" for the program;
 * NULL if there is none. */
SYN_HIDDEN const char *syn_presence_in_front(void);

/* Is this the process in which the library was loaded, not a child that was forked? */
SYN_HIDDEN bool syn_presence_is_first_process(void);

#endif
