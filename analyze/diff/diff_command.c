/* analyze/diff/diff_command.c - `syncopate diff`, and the half of `compare` that comes after the
 * recording. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../command.h"
#include "../print/output.h"
#include "diff_options.h"

static const char help[] =
    "usage: syncopate diff [OPTION...] A... -- B...\n\n"
    "What differs between A and B, each a trace, an experiment (a directory of\n"
    "run-0001, run-0002, ...) or several of them. The run is the unit of repetition:\n"
    "a difference is claimed only where the runs' medians show one.\n\n"
    "  --format FORMAT    text (default), json, csv or html\n"
    "  -o FILE            write there instead of to standard output\n" SYN_DIFF_OPTIONS_HELP
    "  --aa               A and B are the same program: report false claims\n"
    "  --help             this text\n\n"
    "Exit status: 0; 1 where --fail-on says so; 2 wrong usage or unreadable input.\n"
    "What the words and figures mean: docs/reports.md (in share/doc/syncopate).\n";

struct request {
    const char *format, *output;
    unsigned fail_on;
    struct syn_diff_options options;
};

/* ---- what diff and compare share ---- */

struct syn_diff_options syn_diff_options_default(void)
{
    return (struct syn_diff_options){.metric = SYN_DIFF_METRIC_DEFAULT,
                                     .by = SYN_BY_DEFAULT,
                                     .alternative = SYN_TWO_SIDED,
                                     .adjust = SYN_ADJUST_HOLM,
                                     .confidence = 0.95,
                                     .threshold = 0.02,
                                     .top = 20};
}

static int parse_alternative(const char *value, enum syn_side *out)
{
    for (int side = SYN_TWO_SIDED; side <= SYN_GREATER; side++) {
        if (strcmp(value, syn_diff_alternative_name((enum syn_side)side)) == 0) {
            *out = (enum syn_side)side;
            return 0;
        }
    }
    return SYN_EINVAL;
}

static int parse_adjust(const char *value, enum syn_adjust *out)
{
    *out = strcmp(value, "bh") == 0 ? SYN_ADJUST_BH : SYN_ADJUST_HOLM;
    return strcmp(value, "bh") == 0 || strcmp(value, "holm") == 0 ? 0 : SYN_EINVAL;
}

static int parse_by(const char *value, unsigned *out)
{
    int status = syn_keys_parse(value, out);
    return status || *out & SYN_BY(SYN_KEY_RUN) ? SYN_EINVAL : 0;
}

static int parse_order(const char *value, enum syn_diff_order *out)
{
    static const char *const names[] = {"verdict", "bytes", "change"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(value, names[i]) == 0) {
            *out = (enum syn_diff_order)i;
            return 0;
        }
    }
    return SYN_EINVAL;
}

static int parse_top(const char *value, size_t *out)
{
    double number;
    int status = syn_parse_number(value, 0, 1e9, &number);
    if (status == 0)
        *out = (size_t)number;
    return status;
}

int syn_diff_option(const char *command, int code, const char *value,
                    struct syn_diff_options *options, unsigned *fail_on)
{
    static const struct {
        int code;
        const char *name, *expected;
    } rules[] = {{SYN_DIFF_METRIC, "metric",
                  "completion, spread, operation, exit_skew, local_max or wait_share"},
                 {SYN_DIFF_ALTERNATIVE, "alternative", "two-sided, less or greater"},
                 {SYN_DIFF_ADJUST, "adjust", "holm or bh"},
                 {SYN_DIFF_THRESHOLD, "threshold", "a share such as 2% or 0.02, below 1"},
                 {SYN_DIFF_CONFIDENCE, "confidence", "a number in 0.5 .. 0.999999"},
                 {SYN_DIFF_FAIL_ON, "fail-on", "verdicts, such as slower or slower,unclear"},
                 {SYN_DIFF_TOP, "top", "a number of rows"},
                 {SYN_DIFF_BY, "by", "a list of op,site,comm,bytes,root,rank,node"},
                 {SYN_DIFF_SORT, "sort", "verdict, bytes or change"},
                 {SYN_DIFF_QUANTILES, "quantiles",
                  "up to 16 numbers between 0 and 1, such as 0.1,0.5,0.99"}};
    if (code == SYN_DIFF_SKIP_WARMUP) {
        options->skip_warmup = true;
        return 0;
    }
    int status =
        code == SYN_DIFF_METRIC        ? syn_diff_metric_parse(value, &options->metric)
        : code == SYN_DIFF_ALTERNATIVE ? parse_alternative(value, &options->alternative)
        : code == SYN_DIFF_ADJUST      ? parse_adjust(value, &options->adjust)
        : code == SYN_DIFF_THRESHOLD   ? syn_share_parse(value, &options->threshold)
        : code == SYN_DIFF_CONFIDENCE ? syn_parse_number(value, 0.5, 0.999999, &options->confidence)
        : code == SYN_DIFF_FAIL_ON    ? syn_diff_verdicts_parse(value, fail_on)
        : code == SYN_DIFF_BY         ? parse_by(value, &options->by)
        : code == SYN_DIFF_SORT       ? parse_order(value, &options->order)
        : code == SYN_DIFF_QUANTILES ? syn_diff_taus_parse(value, options->tau, &options->tau_count)
                                     : parse_top(value, &options->top);
    for (size_t i = 0; i < sizeof rules / sizeof *rules && status; i++)
        if (rules[i].code == code)
            return syn_bad_usage(command, "--%s %s: expected %s", rules[i].name, value,
                                 rules[i].expected);
    return 0;
}

int syn_diff_options_check(const char *command, struct syn_diff_options *options)
{
    if (options->metric == SYN_DIFF_METRIC_DEFAULT)
        options->metric = syn_diff_metric_default(options->by);
    if (!syn_diff_metric_exists(options->metric, options->by))
        return syn_bad_usage(command,
                             "--metric %s: a rank's or a node's part of a call has none; take "
                             "%slocal_max or wait_share",
                             syn_diff_metric_name(options->metric),
                             options->by & SYN_BY(SYN_KEY_RANK) ? "operation, " : "");
    if (options->tau_count && options->metric == SYN_DIFF_WAIT_SHARE)
        return syn_bad_usage(command, "--quantiles: a run has one share of waiting, and no "
                                      "quantiles of it");
    return 0;
}

bool syn_diff_format_known(const char *format)
{
    static const char *const names[] = {"text", "json", "csv", "html"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(format, names[i]) == 0)
            return true;
    return false;
}

/* ---- running ---- */

static int write_diff(const struct syn_diff *diff, const char *format, const char *output)
{
    struct syn_text text = {0};
    struct syn_terminal terminal = syn_terminal_detect(output == NULL);
    if (strcmp(format, "json") == 0)
        syn_diff_json(diff, &text);
    else if (strcmp(format, "csv") == 0)
        syn_diff_csv(diff, &text);
    else if (strcmp(format, "html") == 0)
        syn_diff_html(diff, &text);
    else
        syn_diff_text(diff, &terminal, &text);
    int status = syn_output_text(output, &text);
    syn_text_free(&text);
    return status;
}

static void say_faults(const struct syn_report *report)
{
    for (size_t i = 0; i < report->unreadable_count; i++)
        syn_bad_input("%s", report->unreadable[i]);
    for (size_t i = 0; i < report->run_count; i++)
        for (size_t j = 0; j < report->run[i].fault_count; j++)
            syn_bad_input("%s", report->run[i].fault[j].text);
}

int syn_diff_run(const struct syn_experiment side[2], const struct syn_diff_options *options,
                 const char *format, const char *output, unsigned fail_on)
{
    struct syn_diff diff;
    char *why = NULL;
    int status = syn_diff_make(side, options, &diff, &why);
    if (status) {
        syn_bad_input("%s", why ? why : syn_status_text(status));
        free(why);
        return SYN_EXIT_BAD;
    }
    say_faults(&diff.side[0]);
    say_faults(&diff.side[1]);
    bool failed = false;
    for (int verdict = 0; verdict <= SYN_VERDICT_INDISTINGUISHABLE; verdict++)
        failed |= (fail_on & 1u << verdict) && diff.verdict_count[verdict] > 0;
    status = write_diff(&diff, format, output);
    syn_diff_free(&diff);
    return status ? SYN_EXIT_BAD : failed ? SYN_EXIT_NO : SYN_EXIT_OK;
}

/* ---- the command line ---- */

static int take(int code, const char *value, struct request *request)
{
    switch (code) {
    case 'f':
        request->format = value;
        return syn_diff_format_known(value)
                   ? 0
                   : syn_bad_usage("diff", "--format %s: not text, json, csv or html", value);
    case 'o':
        request->output = value;
        return 0;
    case 'x':
        request->options.same_program = true;
        return 0;
    default:
        return syn_diff_option("diff", code, value, &request->options, &request->fail_on);
    }
}

/* Options among argv[1 ..]; what is left is argv[optind ..]. Returns 0 to go on, else -1 - the exit
 * status. */
static int parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"format", required_argument, NULL, 'f'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"aa", no_argument, NULL, 'x'},
                                            {"help", no_argument, NULL, 'h'},
                                            SYN_DIFF_LONG_OPTIONS,
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 0; /* glibc: start anew, for the second half */
    for (int code; (code = getopt_long(argc, argv, ":o:h", options, NULL)) != -1;) {
        if (code == 'h')
            return printf("%s", help) < 0 ? -1 - SYN_EXIT_BAD : -1;
        if (code == '?' || code == ':')
            return -1 - syn_bad_option("diff", argc, argv, code);
        int status = take(code, optarg, request);
        if (status)
            return -1 - status;
    }
    return 0;
}

struct paths {
    char **path;
    size_t count;
};

/* Options may stand in either half; getopt would carry paths across the dashes, so each half is
 * parsed by itself. Without dashes two paths are A and B. */
static int parse_sides(int argc, char **argv, struct request *request, struct paths side[2])
{
    int dashes = 1;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0)
        dashes++;
    int status = parse(dashes, argv, request);
    side[0] = (struct paths){argv + optind, (size_t)(dashes - (status ? dashes : optind))};
    if (status == 0 && dashes < argc) {
        status = parse(argc - dashes, argv + dashes, request);
        side[1] = (struct paths){argv + dashes + optind, (size_t)(argc - dashes - optind)};
    } else if (status == 0 && side[0].count == 2) {
        side[0].count = 1;
        side[1] = (struct paths){side[0].path + 1, 1};
    }
    if (status)
        return status;
    status = syn_diff_options_check("diff", &request->options);
    if (status)
        return -1 - status;
    if (side[0].count == 0 || side[1].count == 0)
        return -1 - syn_bad_usage("diff", "%s (see syncopate diff --help)",
                                  side[0].count > 2 && dashes == argc
                                      ? "which are A and which are B? put -- between them"
                                      : "two sides are needed: A... -- B...");
    return 0;
}

static int run(const struct request *request, const struct paths paths[2])
{
    struct syn_experiment side[2] = {{0}, {0}};
    char *why = NULL;
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++)
        status = syn_experiment_list(paths[i].path, paths[i].count, &side[i], &why);
    if (status) {
        syn_bad_input("%s", why ? why : syn_status_text(status));
        free(why);
        status = SYN_EXIT_BAD;
    } else {
        status = syn_diff_run(side, &request->options, request->format, request->output,
                              request->fail_on);
    }
    syn_experiment_free(&side[0]);
    syn_experiment_free(&side[1]);
    return status;
}

int syn_command_diff(int argc, char **argv)
{
    struct request request = {.format = "text", .options = syn_diff_options_default()};
    struct paths side[2] = {{0}, {0}};
    int status = parse_sides(argc, argv, &request, side);
    return status ? -1 - status : run(&request, side);
}
