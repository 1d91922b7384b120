/* analyze/diff/page/diff_options.h - declares the options that `diff` and `compare` share. */
#ifndef SYN_DIFF_OPTIONS_H
#define SYN_DIFF_OPTIONS_H

#include "analyze/cli/cli.h"
#include "analyze/diff/page/diff_gate.h"

#define SYN_DIFF_FORMATS "text json csv html markdown junit annotations"
/* The help on these formats, and their list for an error line. */
#define SYN_DIFF_FORMAT_WORDS                                                                  \
    "text (default), json, csv or html. markdown: for pull requests. junit, annotations: for " \
    "build servers; groups fail there as --fail-on says (default slower)"
#define SYN_DIFF_FORMAT_EXPECTED "text, json, csv, html, markdown, junit or annotations"

/* The values of the shared options. */
struct syn_diff_request {
    const char *format;        /* one of SYN_DIFF_FORMATS */
    struct syn_diff_gate gate; /* of --fail-on */
    struct syn_diff_options options;
};

/* The table of the shared options: a section whose offset is that of a struct syn_diff_request. */
#define SYN_DIFF_OPTION_COUNT 12
extern const struct syn_cli_option syn_diff_cli_option[SYN_DIFF_OPTION_COUNT];

struct syn_diff_request syn_diff_request_default(void);
/* Takes --format, for a table of options. */
int syn_diff_take_format(const char *value, struct syn_diff_request *request);
/* Completes and checks the options after the last one was taken: chooses defaults, and refuses
 * options that contradict each other. Returns 0, or the exit status after one line on stderr. */
int syn_diff_options_check(const char *command, struct syn_diff_options *options);

#endif
