/* analyze/record/options.h - `syncopate record`: run a program, or a launcher, with the recorder
 * preloaded. Its command line; what runs it is record.c. */
#ifndef SYN_RECORD_OPTIONS_H
#define SYN_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/cli/cli.h"
#include "analyze/record/on_hang.h"
#include "analyze/record/until.h"

#define SYN_RECORD_SETTING_COUNT 18

/* A recorder's setting that was given: goes into its environment variable as it is written. */
struct record_setting {
    const char *variable; /* "SYNCOPATE_SYNC" */
    const char *value;    /* NULL: not given */
};

struct record_options {
    const char *directory; /* as given, or the default */
    int run_count;         /* 1, or --runs */
    bool runs_given;       /* --runs, --until, --for: DIR is an experiment, be it of one run */
    struct record_until until;
    struct record_on_hang on_hang;
    bool quiet;
    bool report; /* print the report at the end */
    bool around; /* "--" stood before the command */
    struct record_setting settings[SYN_RECORD_SETTING_COUNT];
    char **command; /* [.., NULL], within argv */
};

/* The next step after parsing. */
enum record_parse { RECORD_PARSE_RUN, RECORD_PARSE_HELP, RECORD_PARSE_WRONG };

/* argv[0] is "record". On RECORD_PARSE_WRONG `why` holds one line without a newline; the caller
 * frees it in any case. */
enum record_parse record_options_parse(int argc, char **argv, struct record_options *out,
                                       struct syn_text *why);

/* argv[0] is "record". Inside a launcher it becomes the program and does not return; around one
 * (after "--") it waits. Returns the exit status for main: the launcher's (128 + signal where a
 * signal ended it), 126 or 127 where the command cannot be run, 2 on wrong usage. */
int syn_record_run(int argc, char **argv);

#endif
