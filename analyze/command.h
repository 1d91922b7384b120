/* analyze/command.h - the subcommands, each a table with its own main (cli/cli.h), and the lines
 * that they say. They return the exit status: 0 done; 1 done and the answer is "no"; 2 wrong usage
 * or unreadable input, after one line on stderr that names the file and what is wrong with it. */
#ifndef SYN_COMMAND_H
#define SYN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#define SYN_EXIT_OK  0
#define SYN_EXIT_NO  1
#define SYN_EXIT_BAD 2

struct syn_cli_command;
#define SYN_COMMAND(name, kind) extern const struct syn_cli_command syn_command_##name;
#include "analyze/commands.def"
#undef SYN_COMMAND

/* One line on stderr, "syncopate COMMAND: ..." ; returns SYN_EXIT_BAD. */
int syn_bad_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* One line on stderr, "syncopate: ..."; control characters in it made harmless; returns
 * SYN_EXIT_BAD. */
int syn_bad_input(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The i-th of `count` faults of a trace, as syn_bad_input; from SYN_FAULTS_SAID on the number of
 * those left, in one line. */
#define SYN_FAULTS_SAID 20
void syn_bad_fault(size_t i, size_t count, const char *text);
/* A limit on the size of files (ulimit -f) is an error with a line, not a signal that ends us. A
 * program that is started finds the signal as we found it: syn_restore_size_signal, between fork
 * and exec. Once a process, before anything is started. */
void syn_ignore_size_signal(void);
void syn_restore_size_signal(void);
/* Sets *paths [*count] to the traces that a command reads: the arguments from argv[optind] on or,
 * if there are none, ./syncopate-trace, the default place of `record`. The caller does not free
 * them. Returns 0, or SYN_EXIT_BAD after an error line if there is neither. */
int syn_traces_given(const char *command, int argc, char **argv, char *const **paths,
                     size_t *count);
/* A number in [low, high], all of the text. Returns 0 or SYN_EINVAL. */
int syn_parse_number(const char *text, double low, double high, double *out);
/* A share below 1: "2%", "2 %" or "0.02". Returns 0 or SYN_EINVAL. */
int syn_share_parse(const char *text, double *out);
/* A number of bytes of at least `least`, with K, M, G, T (powers of 1024) or nothing behind it.
 * Returns 0 or SYN_EINVAL. */
int syn_parse_bytes(const char *text, size_t least, size_t *out);

#endif
