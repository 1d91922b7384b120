/* analyze/record/program.h - finds out whether a library can be preloaded into the file that a
 * command starts. */
#ifndef SYN_RECORD_PROGRAM_H
#define SYN_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

enum record_program {
    RECORD_PROGRAM_UNKNOWN,    /* not found, or no known kind: execve reports the error */
    RECORD_PROGRAM_DYNAMIC,    /* the dynamic linker starts it */
    RECORD_PROGRAM_STATIC,     /* no dynamic linker: no library can be preloaded */
    RECORD_PROGRAM_STATIC_MPI, /* likewise, and it contains an MPI library: no call can be wrapped
                                */
    RECORD_PROGRAM_MUSL, /* it uses musl's dynamic linker, which ends the program if the preloaded
                            library needs glibc */
    RECORD_PROGRAM_PRIVILEGED, /* set-user-ID, set-group-ID or with capabilities: the dynamic linker
                                  ignores LD_PRELOAD */
    RECORD_PROGRAM_FOREIGN     /* for another kind of processor, or 32 bits */
};

/* Inspects the file that execvp would start for `command`. For a script, inspects its interpreter
 * ("#!", also through env). */
enum record_program record_program_inspect(const char *command);

/* The launchers that forward variables in ways of their own. */
enum record_launcher { RECORD_LAUNCHER_OTHER, RECORD_LAUNCHER_OPENMPI, RECORD_LAUNCHER_HYDRA };
enum record_launcher record_launcher_identify(const char *command);

/* Returns the name of a file without its directory. */
const char *record_base_name(const char *path);
bool record_is_any_of(const char *word, const char *const *words, size_t count);

/* Says whether the file is linked with the shared runtime of AddressSanitizer, which must be the
 * first library. */
bool record_program_is_sanitized(const char *command);

#endif
