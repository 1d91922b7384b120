/* analyze/record/environment.h - how the recorder gets into the program: LD_PRELOAD, SYNCOPATE_*,
 * and launchers that pass on only what they are told to. */
#ifndef SYN_RECORD_ENVIRONMENT_H
#define SYN_RECORD_ENVIRONMENT_H

#include <stddef.h>

#include "analyze/record/options.h"

/* libsyncopate.so that belongs to this command: found relative to the command's own file
 * (installed, or in a build tree), or named by SYNCOPATE_LIBRARY. Returns 0; SYN_EMISSING where
 * there is none; SYN_ENOTSUP where its path has a blank or a colon, at which the dynamic linker
 * would split it (`path` is that path). */
int record_library_find(char *path, size_t capacity);

/* A list for LD_PRELOAD with ours in it: in front, so that we see the calls of other tools'
 * wrappers too, but after the runtimes of sanitizers, which must be first. `list` may be NULL.
 * Allocated; NULL where memory is lacking. */
char *record_preload_merge(const char *list, const char *library);

/* Set LD_PRELOAD and the variables of all given settings in this process's environment. `directory`
 * is absolute; Returns 0 or SYN_ENOMEM. */
int record_environment_set(const struct record_options *options, const char *library,
                           const char *directory);

/* The command as it must be started so that every rank gets the variables: forwarded by launchers
 * that need to be told (Open MPI: mca_base_env_list or -x; Hydra: -genv), and any LD_PRELOAD= that
 * the user set in the command line has ours added. May set OMPI_MCA_mca_base_env_list in this
 * process's environment. Returns a NULL-terminated list for record_command_free; NULL where memory
 * is lacking. */
char **record_command_adapt(char **command, const char *library);
void record_command_free(char **command); /* NULL is fine */

/* Absolute form of a path that need not exist. Allocated; NULL where it cannot be had. */
char *record_path_absolute(const char *path);

#endif
