/* analyze/print/command.h - the subcommands, the error lines that they print, and the values of
 * options that they share.
 *
 * Each subcommand is a table with a main function of its own (cli/cli.h). That function returns the
 * exit status: 0 done; 1 done, and the answer is "no"; 2 wrong usage or unreadable input, after one
 * line on stderr that names the file and the fault. */
#ifndef SYN_COMMAND_H
#define SYN_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_EXIT_OK  0
#define SYN_EXIT_NO  1
#define SYN_EXIT_BAD 2

struct syn_cli_command;
#define SYN_COMMAND(name, kind) extern const struct syn_cli_command syn_command_##name;
#include "analyze/commands.def"
#undef SYN_COMMAND

/* Prints one line on stderr, "syncopate COMMAND: ...". Returns SYN_EXIT_BAD. */
int syn_bad_usage(const char *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Prints one line on stderr, "syncopate: ...", with control characters made harmless. Returns
 * SYN_EXIT_BAD. */
int syn_bad_input(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints the i-th of `count` faults of a trace, as syn_bad_input does. With i == SYN_FAULTS_SAID it
 * prints how many faults are left; with a larger i, nothing. */
#define SYN_FAULTS_SAID 20
void syn_bad_fault(size_t i, size_t count, const char *text);
/* Ignores SIGXFSZ, so that a limit on the size of files (ulimit -f) is an error of write() and does
 * not end the process. Call it once, before a program is started. syn_restore_size_signal, between
 * fork and exec, gives a program the handling of SIGXFSZ that this process was started with. */
void syn_ignore_size_signal(void);
void syn_restore_size_signal(void);
/* Sets *paths [*count] to the traces that a command reads: the arguments from argv[optind] on or,
 * if there are none, ./syncopate-trace, the default place of `record`. The caller does not free
 * them. Returns 0, or SYN_EXIT_BAD after an error line if there is neither. */
int syn_traces_given(const char *command, int argc, char **argv, char *const **paths,
                     size_t *count);
/* Parses a number in [low, high]; nothing may follow the number. Returns 0 or SYN_EINVAL. */
int syn_parse_number(const char *text, double low, double high, double *out);
/* These parse a confidence, a number of rows and a whole number likewise. */
int syn_parse_confidence(const char *text, double *out);
int syn_parse_rows(const char *text, size_t *out);
int syn_parse_whole(const char *text, uint64_t *out);
/* Parses a share from 0 to below 1: "2%", "2 %" or "0.02". Returns 0 or SYN_EINVAL. */
int syn_share_parse(const char *text, double *out);
/* Parses a number of bytes of at least `least`, followed by K, M, G, T (powers of 1024) or nothing.
 * Returns 0 or SYN_EINVAL. */
int syn_parse_bytes(const char *text, size_t least, size_t *out);

#endif
