/* analyze/record/options.h - the command line of `syncopate record`, which runs a program, or a
 * launcher, with the recorder preloaded (record.c). */
#ifndef SYN_RECORD_OPTIONS_H
#define SYN_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/cli/cli.h"
#include "analyze/record/on_hang.h"
#include "analyze/record/until.h"

#define SYN_RECORD_SETTING_COUNT 18

/* A given setting of the recorder: its environment variable gets the value unchanged. */
struct record_setting {
    const char *variable; /* such as "SYNCOPATE_SYNC" */
    const char *value;    /* NULL: not given */
};

struct record_options {
    const char *directory; /* as given, or the default */
    int run_count;         /* 1, or --runs; with --until or --for, the most */
    bool runs_given;       /* --runs, --until or --for is given: DIR is an experiment */
    struct record_until until;
    struct record_on_hang on_hang;
    bool quiet;
    bool report; /* print the report at the end */
    bool around; /* "--" stood before the command */
    struct record_setting settings[SYN_RECORD_SETTING_COUNT];
    char **command; /* [.., NULL], within argv */
};

/* Parses the command line; argv[0] is "record". On SYN_CLI_WRONG `why` is one line without a
 * newline. The caller frees `why` in any case. */
enum syn_cli_step record_options_parse(int argc, char **argv, struct record_options *out,
                                       struct syn_text *why);

/* Runs `record`; argv[0] is "record". Inside a launcher the process becomes the program, and the
 * function does not return; around a launcher (after "--") it waits for it. Returns the exit status
 * for main: that of the launcher (128 + N if signal N ended it), 126 or 127 if the command cannot
 * be run, 2 on wrong usage. */
int syn_record_run(int argc, char **argv);

#endif
