/* trace/directory/output_name.h - the placeholders in the name of a trace's directory: run-%j-%t.
 */
#ifndef SYN_OUTPUT_NAME_H
#define SYN_OUTPUT_NAME_H

#include <stddef.h>

/* For the commands' help. */
#define SYN_OUTPUT_PLACEHOLDERS \
    "%j job, %s step, %a array task, %h host, %p process, %t time; %% is %"

/* `pattern` with what each stands for, in `out` [capacity]. The batch system is asked by its
 * variables (Slurm, PBS, LSF, Grid Engine, Flux); what it does not tell is "none". A slash in what
 * it tells becomes an underscore. Returns 0; SYN_EINVAL with *unknown the letter that stands for
 * nothing ('\0': the pattern ends in %); SYN_ENOMEM where the name is too long. */
int syn_output_name(const char *pattern, char *out, size_t capacity, char *unknown);

/* `name`, which is meant literally, as a pattern. Returns 0, SYN_ENOMEM. */
int syn_output_name_escape(const char *name, char *out, size_t capacity);

#endif
