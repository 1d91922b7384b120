/* analyze/record/record.h - `syncopate record`: run a program, or a launcher, with the recorder
 * preloaded. */
#ifndef SYN_RECORD_H
#define SYN_RECORD_H

#include "analyze/cli/cli.h"

/* The command line (options.c), and what runs it: argv[0] is "record". Inside a launcher it becomes
 * the program and does not return; around one (after "--") it waits. Returns the exit status for
 * main: the launcher's (128 + signal where a signal ended it), 126 or 127 where the command cannot
 * be run, 2 on wrong usage. */
extern const struct syn_cli_command syn_command_record;
int syn_record_run(int argc, char **argv);

#endif
