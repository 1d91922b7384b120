/* analyze/record/environment.h - makes the environment and the command line that bring the recorder
 * into every rank: LD_PRELOAD, SYNCOPATE_*, and options for launchers that pass on only the
 * variables that they are told to. */
#ifndef SYN_RECORD_ENVIRONMENT_H
#define SYN_RECORD_ENVIRONMENT_H

#include <stddef.h>

#include "analyze/record/options.h"

/* Finds the libsyncopate.so of this command: the file named by SYNCOPATE_LIBRARY, or else a path
 * relative to the command's own file (installed, or in a build tree). Returns 0; SYN_EMISSING if
 * there is none; SYN_ENOTSUP, with `path` set, if the path has a blank or a colon, at which the
 * dynamic linker would split it. */
int record_library_find(char *path, size_t capacity);
/* Finds it likewise, and sets `entry` to what LD_PRELOAD needs: if possible a path that only the
 * dynamic linker of glibc finds. */
int record_preload_entry(char *entry, size_t capacity);

/* Returns `list`, a value of LD_PRELOAD or NULL, with `library` added. The library comes first, so
 * that it also sees the calls of other tools' wrappers, but after the runtimes of sanitizers, which
 * must be first. The caller frees the result; NULL: no memory. */
char *record_preload_merge(const char *list, const char *library);

/* Sets LD_PRELOAD and the variables of all given settings in this process's environment.
 * `directory` is absolute. Returns 0 or SYN_ENOMEM. */
int record_environment_set(const struct record_options *options, const char *library,
                           const char *directory);

/* Returns the command to start instead of `command`, so that every rank gets the variables. A
 * launcher that forwards only named variables is told their names (Open MPI: mca_base_env_list or
 * -x; Hydra: -genv), and `library` is added to each LD_PRELOAD= in the command line. May set
 * OMPI_MCA_mca_base_env_list in this process's environment. The list is NULL-terminated; free it
 * with record_command_free. NULL: no memory. */
char **record_command_adapt(char **command, const char *library);
void record_command_free(char **command); /* NULL is allowed */

/* Returns the absolute form of a path that need not exist. The caller frees it; NULL: no memory, or
 * no working directory. */
char *record_path_absolute(const char *path);

#endif
