/* preload/entry/presence.h - finds the MPI of this process, and decides which of the recorder's
 * names the process can see.
 *
 * A preloaded library defines its names for the whole process. A weak reference or dlsym would find
 * functions that the MPI lacks, and a call of a plug-in's own function of such a name would reach
 * the recorder. So the library hides each of its names that the process's MPI does not define: the
 * dynamic linker then continues its search as without the recorder. The library shows a name again
 * when an MPI that defines it is loaded.
 *
 * *The MPI* is the first loaded object that defines PMPI_Init and PMPI_Initialized. Both are
 * required because a tool may define PMPI_Init. *The parts of the MPI* are that object, preloaded
 * tools that define MPI's names, and all objects that define MPI's names and either define
 * pmpi_init_ or refer to PMPI functions: Fortran's libraries and other tools. An object that is
 * linked with another MPI library is no part, unless it is preloaded. Objects that precede the
 * recorder in the search order are neither. */
#ifndef SYN_PRESENCE_H
#define SYN_PRESENCE_H

#include <stdbool.h>

#include "preload/entry/elf_object.h"

/* Returns whether SYNCOPATE_DISABLE was set, to something else than 0, when the process started. */
SYN_HIDDEN bool syn_presence_disabled(void);

/* Returns the definition of `name` that a call would reach without the recorder, among the parts of
 * the MPI. For a name of PMPI, prefers the MPI's own function. Returns NULL if there is none. */
SYN_HIDDEN void *syn_presence_symbol(const char *name);

/* Returns the address of a variable: the program's copy if there is one, else as
 * syn_presence_symbol. */
SYN_HIDDEN void *syn_presence_object(const char *name);

/* Returns the soname of the MPI's library, or its file name without the directory; "" if no MPI is
 * loaded. */
SYN_HIDDEN const char *syn_presence_mpi_name(void);

/* Returns the name of the loaded MPI whose PMPI_Initialized returns true, "" for the program; NULL
 * if there is none. MPI allows a call of PMPI_Initialized at any time. */
SYN_HIDDEN const char *syn_presence_mpi_that_ran(void);

/* Returns the name of the object whose definition of MPI_Init, MPI_Init_thread or mpi_init_
 * precedes the recorder's, "" for the program; NULL if there is none. */
SYN_HIDDEN const char *syn_presence_in_front(void);

/* Returns whether this process loaded the library, rather than being a forked child. */
SYN_HIDDEN bool syn_presence_is_first_process(void);

#endif
