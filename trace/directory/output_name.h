/* trace/directory/output_name.h - replaces placeholders in the name of a trace's directory:
 * run-%j-%t. */
#ifndef SYN_OUTPUT_NAME_H
#define SYN_OUTPUT_NAME_H

#include <stddef.h>

/* Text for the help of commands. */
#define SYN_OUTPUT_PLACEHOLDERS \
    "%j job, %s step, %a array task, %h host, %p process, %t time; %% is %"

/* Writes `pattern` with its placeholders replaced to `out` [capacity]. Facts of the job come from
 * variables of the batch system (Slurm, PBS, LSF, Grid Engine, Flux, PJM); one that is not set is
 * "none". A slash in a value becomes an underscore. Returns 0; SYN_EINVAL with *unknown the letter
 * of an unknown placeholder ('\0': the pattern ends in %); SYN_ENOMEM if the name is too long. */
int syn_output_name(const char *pattern, char *out, size_t capacity, char *unknown);

/* Writes a pattern that stands for `name` literally. Returns 0, SYN_ENOMEM (too long). */
int syn_output_name_escape(const char *name, char *out, size_t capacity);

#endif
