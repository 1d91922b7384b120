/* analyze/diff/page/diff_command.c - `syncopate diff`, and syn_diff_run, which `compare` also uses
 * after it has recorded. */
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "analyze/diff/page/diff_options.h"
#include "analyze/print/command.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "sync/base/status.h"

/* ---- running ---- */

/* Says whether the format is for build servers. Their checks are judged by `slower` if --fail-on is
 * not given. */
static bool is_for_servers(const char *format)
{
    return strcmp(format, "junit") == 0 || strcmp(format, "annotations") == 0;
}

/* Judges and writes a diff. The gate's sentences also go to stderr, since the log of a build server
 * does not show the diff. Returns the exit status. */
static int finish(const struct syn_diff *diff, const char *format, const char *output,
                  const struct syn_diff_gate *asked)
{
    static const struct syn_diff_gate standard = {.set = 1u << SYN_VERDICT_SLOWER};
    const struct syn_diff_gate *gate = asked->set ? asked : &standard;
    SYN_CLEANUP(syn_checks_free) struct syn_checks checks = {0};
    bool passes = true;
    int status = 0;
    if (asked->set || is_for_servers(format))
        status = syn_gate_judge(diff, gate, &checks, &passes);
    for (size_t i = 0; asked->set && status == SYN_OK && i < checks.count; i++)
        syn_bad_input("--fail-on: %s", checks.check[i].message);
    if (status == SYN_OK) {
        SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
        struct syn_terminal terminal = syn_terminal_detect(!output);
        if (strcmp(format, "json") == 0)
            syn_diff_json(diff, &text);
        else if (strcmp(format, "csv") == 0)
            syn_diff_csv(diff, &text);
        else if (is_for_servers(format))
            syn_diff_ci(diff, gate, &checks, strcmp(format, "junit") == 0, &text);
        else
            syn_diff_page(diff,
                          strcmp(format, "html") == 0       ? SYN_DOC_HTML
                          : strcmp(format, "markdown") == 0 ? SYN_DOC_MARKDOWN
                                                            : SYN_DOC_TEXT,
                          &terminal, &text);
        status = syn_output_text(output, &text);
    } else
        syn_bad_status(status, NULL);
    return status != SYN_OK ? SYN_EXIT_BAD : passes || !asked->set ? SYN_EXIT_OK : SYN_EXIT_NO;
}

int syn_diff_run(const struct syn_experiment side[2], const struct syn_diff_options *options,
                 const char *format, const char *output, const struct syn_diff_gate *gate)
{
    struct syn_diff diff;
    char *why = NULL;
    int status = syn_diff_make(side, options, &diff, &why);
    if (status != SYN_OK)
        return syn_bad_status(status, why);
    syn_report_say_faults(&diff.side[0]);
    syn_report_say_faults(&diff.side[1]);
    status = finish(&diff, format, output, gate);
    syn_diff_free(&diff);
    return status;
}

/* ---- the command line ---- */

struct request {
    const char *output;
    struct syn_diff_request diff;
};

SYN_CLI_KEEP(take_output, struct request, output)

SYN_CLI_PARSE(take_format, struct request, diff, syn_diff_take_format)

static const struct syn_cli_option options[] = {
    {"format", 0, "FORMAT", SYN_DIFF_FORMATS, SYN_DIFF_FORMAT_WORDS, SYN_DIFF_FORMAT_EXPECTED,
     take_format},
    {"output", 'o', "FILE", "/", "write there instead of to standard output", "a file",
     take_output},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0},
    {NULL, syn_diff_cli_option, SYN_DIFF_OPTION_COUNT, offsetof(struct request, diff)}};

struct paths {
    char **path;
    size_t count;
    char *own[1], own_path[PATH_MAX]; /* of a comparison: `path` points to `own` */
};

/* Parses the arguments before and after "--" separately, since getopt would move paths across it.
 * Both parts may have options. Without "--", two paths are A and B. */
static int parse_sides(int argc, char **argv, struct request *request, struct paths side[2])
{
    int dashes = 1;
    while (dashes < argc && strcmp(argv[dashes], "--") != 0)
        dashes++;
    int status = syn_cli_parse(&syn_command_diff, dashes, argv, request);
    const bool goes_on = status == SYN_CLI_GOES_ON;
    side[0] = (struct paths){.path = argv + optind,
                             .count = (size_t)(dashes - (goes_on ? optind : dashes))};
    if (goes_on && dashes < argc) {
        status = syn_cli_parse(&syn_command_diff, argc - dashes, argv + dashes, request);
        side[1] = (struct paths){.path = argv + dashes + optind,
                                 .count = (size_t)(argc - dashes - optind)};
    } else if (goes_on && side[0].count == 2) {
        side[0].count = 1;
        side[1] = (struct paths){.path = side[0].path + 1, .count = 1};
    } else if (goes_on && side[0].count == 1 && syn_is_comparison(side[0].path[0])) {
        /* A directory of `compare` has both sides. */
        const char *directory = side[0].path[0];
        for (int i = 0; i < 2; i++) {
            snprintf(side[i].own_path, sizeof side[i].own_path, "%s/%c", directory, 'a' + i);
            side[i].own[0] = side[i].own_path;
            side[i].path = side[i].own;
            side[i].count = 1;
        }
        request->diff.options.in_pairs = true;
    }
    if (status != SYN_CLI_GOES_ON)
        return status;
    status = syn_diff_options_check("diff", &request->diff.options);
    if (status != SYN_OK)
        return status;
    if (side[0].count == 0 || side[1].count == 0)
        return syn_bad_usage("diff", "%s (see syncopate diff --help)",
                             side[0].count > 2 && dashes == argc
                                 ? "which are A and which are B? put -- between them"
                                 : "two sides are needed: A... -- B...");
    return SYN_CLI_GOES_ON;
}

static int run_command(int argc, char **argv)
{
    struct request request = {.diff = syn_diff_request_default()};
    struct paths paths[2] = {{.count = 0}, {.count = 0}};
    struct syn_experiment side[2] = {{0}, {0}};
    int status = parse_sides(argc, argv, &request, paths);
    if (status != SYN_CLI_GOES_ON)
        return status;
    status = SYN_OK;
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = syn_runs_list(paths[i].path, paths[i].count, &side[i]);
    SYN_STEP(status, syn_diff_run(side, &request.diff.options, request.diff.format, request.output,
                                  &request.diff.gate));
    syn_experiment_free(&side[0]);
    syn_experiment_free(&side[1]);
    return status;
}

const struct syn_cli_command syn_command_diff = {
    .name = "diff",
    .summary = "what differs between two programs, by their runs",
    .usage = "syncopate diff [OPTION...] A... -- B...\n"
             "syncopate diff [OPTION...] DIR",
    .description =
        "Says what differs between A and B. Each is a trace, an experiment (a directory of "
        "run-0001, "
        "run-0002, ...) or several of them. The run is the unit of repetition: a difference is "
        "claimed only where the medians of whole runs show it. DIR is what syncopate compare left.",
    .section = sections,
    .section_count = sizeof sections / sizeof *sections,
    .notes = "Exit status: 0; 1 where --fail-on says so; 2 for wrong usage or unreadable "
             "input.\n\nWhat the words and figures mean: docs/reports.md (in share/doc/syncopate).",
    .examples = "  syncopate diff before -- after\n"
                "  syncopate diff --fail-on slower,nothing before -- after\n"
                "  syncopate diff --by op,bytes --format html -o page.html before -- after",
    .run = run_command,
};
