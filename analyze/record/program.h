/* analyze/record/program.h - the kind of file that a command is: can a library be preloaded into
 * it? */
#ifndef SYN_RECORD_PROGRAM_H
#define SYN_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum record_program {
    RECORD_PROGRAM_UNKNOWN,    /* not found, or no kind that is known here: execve will say */
    RECORD_PROGRAM_DYNAMIC,    /* the dynamic linker starts it */
    RECORD_PROGRAM_STATIC,     /* no dynamic linker: nothing can be preloaded */
    RECORD_PROGRAM_STATIC_MPI, /* it has an MPI library of its own: nothing of it can be wrapped */
    RECORD_PROGRAM_MUSL,       /* of another C library's linker, which ends it where it is to
                                  preload what needs glibc */
    RECORD_PROGRAM_PRIVILEGED, /* set-user-ID, set-group-ID, capabilities: the dynamic linker
                                  ignores LD_PRELOAD */
    RECORD_PROGRAM_FOREIGN     /* for another kind of processor, or 32 bits */
};

/* Look at the file that execvp would start for `command`. A script's interpreter is looked at in
 * its place ("#!", also through env). */
enum record_program record_program_inspect(const char *command);

/* The launchers whose ways with the environment matter here. */
enum record_launcher { RECORD_LAUNCHER_OTHER, RECORD_LAUNCHER_OPENMPI, RECORD_LAUNCHER_HYDRA };
enum record_launcher record_launcher_identify(const char *command);

/* Is it linked with the shared runtime of AddressSanitizer, which wants to be the first library? */
bool record_program_is_sanitized(const char *command);

#endif
