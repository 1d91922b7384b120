/* analyze/compare/compare_command.c - the command line of `syncopate compare`. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "analyze/compare/compare_record.h"
#include "analyze/compare/words.h"
#include "analyze/diff/page/diff_options.h"
#include "analyze/print/command.h"
#include "analyze/record/environment.h"
#include "analyze/runs.h"
#include "sync/base/status.h"

#define RUNS_DEFAULT \
    10 /* p can be as small as 2 / C(20, 10) = 1e-5: enough for thousands of groups */
#define RUNS_MAX 9999

struct request {
    const char *command[2], *directory, *report;
    bool seeded;
    struct syn_compare_plan plan;
    struct syn_diff_request diff;
};

/* ---- the command line ---- */

SYN_CLI_KEEP(take_a, struct request, command[0])
SYN_CLI_KEEP(take_b, struct request, command[1])

static int take_runs(void *target, const char *value)
{
    uint64_t number;
    if (syn_parse_whole(value, &number) || number < 1 || number > RUNS_MAX)
        return SYN_EINVAL;
    ((struct request *)target)->plan.run_count = (int)number;
    return 0;
}

static int take_until(void *target, const char *value)
{
    return record_until_take_share(&((struct request *)target)->plan.until, value);
}

static int take_for(void *target, const char *value)
{
    return record_until_take_budget(&((struct request *)target)->plan.until, value);
}

static int take_directory(void *target, const char *value)
{
    ((struct request *)target)->directory = value;
    return *value ? 0 : SYN_EINVAL;
}

static int take_seed(void *target, const char *value)
{
    struct request *request = target;
    request->seeded = true;
    return syn_parse_whole(value, &request->plan.seed);
}

SYN_CLI_PARSE(take_format, struct request, diff, syn_diff_take_format)
SYN_CLI_KEEP(take_report, struct request, report)
SYN_CLI_SET(take_quiet, struct request, plan.quiet)

static const struct syn_cli_option options[] = {
    {NULL, 'a', "COMMAND", "",
     "command A, the base: words are quoted as in a shell; nothing is expanded", "a command",
     take_a},
    {NULL, 'b', "COMMAND", "", "command B", "a command", take_b},
    {"runs", 0, "N", "", "runs of each command (default 10)", "a whole number from 1 to 9999",
     take_runs},
    {"until", 0, "SHARE", "",
     "add pairs of runs until B/A is known to within this (2%), of the run time and of the time in "
     "collectives. At most --runs pairs (default then 100)",
     RECORD_UNTIL_EXPECTED, take_until},
    {"for", 0, "TIME", "", "as many pairs of runs as this time allows (90s, 30m, 2h)",
     RECORD_FOR_EXPECTED, take_for},
    {"output", 'o', "DIR", "/",
     "directory of the traces DIR/a/run-0001 ..., DIR/b/run-0001 ... (default syncopate-compare). "
     "Older ones move to DIR/a.old and DIR/b.old",
     "the name of a directory", take_directory},
    {"seed", 0, "N", "", "seed of the random order (default: drawn, and printed)", "a whole number",
     take_seed},
    {"format", 0, "FORMAT", SYN_DIFF_FORMATS, "format of the diff: " SYN_DIFF_FORMAT_WORDS,
     SYN_DIFF_FORMAT_EXPECTED, take_format},
    {"report", 0, "FILE", "/", "write the diff there instead of to standard output", "a file",
     take_report},
    {"quiet", 'q', NULL, NULL, "show no progress", NULL, take_quiet},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0},
    {NULL, syn_diff_cli_option, SYN_DIFF_OPTION_COUNT, offsetof(struct request, diff)}};

static int parse(int argc, char **argv, struct request *request)
{
    const int status = syn_cli_parse(&syn_command_compare, argc, argv, request);
    if (status != SYN_CLI_GOES_ON)
        return status;
    if (optind < argc)
        return syn_bad_usage(
            "compare", "%s: quote each command: -a 'mpirun -n 4 ./program' -b '...'", argv[optind]);
    if (!request->command[0] || !request->command[1] != request->diff.options.same_program)
        return syn_bad_usage("compare", "%s (see syncopate compare --help)",
                             request->diff.options.same_program
                                 ? "--aa takes one command, with -a"
                                 : "two commands are needed, with -a and -b");
    /* --until and --for add runs; --runs is then the largest number. */
    struct syn_compare_plan *plan = &request->plan;
    plan->until.confidence = request->diff.options.confidence;
    if (plan->run_count == 0)
        plan->run_count = plan->until.share > 0      ? RECORD_UNTIL_RUNS
                          : plan->until.budget_s > 0 ? RUNS_MAX
                                                     : RUNS_DEFAULT;
    request->diff.options.in_pairs = true;
    const int checked = syn_diff_options_check("compare", &request->diff.options);
    return checked ? checked : SYN_CLI_GOES_ON;
}

static int diff(const struct request *request)
{
    struct syn_experiment side[2] = {{0}, {0}};
    int status = 0;
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        SYN_FREED char *path = NULL;
        if (asprintf(&path, "%s/%c", request->plan.directory, 'a' + i) < 0)
            return syn_bad_status(SYN_ENOMEM, NULL);
        status = syn_runs_list(&path, 1, &side[i]);
    }
    SYN_STEP(status, syn_diff_run(side, &request->diff.options, request->diff.format,
                                  request->report, &request->diff.gate));
    syn_experiment_free(&side[0]);
    syn_experiment_free(&side[1]);
    return status;
}

static int run(struct request *request)
{
    SYN_FREED char *directory = record_path_absolute(request->directory);
    int status = directory ? 0 : syn_bad_input("%s: %s", request->directory, strerror(errno));
    if (request->diff.options.same_program)
        request->command[1] = request->command[0];
    for (int side = 0; side < 2 && status == SYN_OK; side++) {
        const char *why = NULL;
        status = syn_words_split(request->command[side], &request->plan.command[side], &why);
        if (status != SYN_OK)
            status = syn_bad_usage("compare", "-%c %s: %s", 'a' + side, request->command[side],
                                   why ? why : syn_status_text(status));
    }
    if (!request->seeded && getrandom(&request->plan.seed, sizeof request->plan.seed, 0) > 0)
        request->plan.seed %= 1000000; /* short enough to be typed again */
    request->plan.directory = directory;
    SYN_STEP(status, syn_compare_record(&request->plan));
    SYN_STEP(status, diff(request));
    syn_words_free(request->plan.command[0]);
    syn_words_free(request->plan.command[1]);
    return status;
}

static int run_command(int argc, char **argv)
{
    struct request request = {.directory = "syncopate-compare", .diff = syn_diff_request_default()};
    const int status = parse(argc, argv, &request);
    return status == SYN_CLI_GOES_ON ? run(&request) : status;
}

const struct syn_cli_command syn_command_compare = {
    .name = "compare",
    .summary = "record two programs in turn and diff them",
    .usage = "syncopate compare [OPTION...] -a 'COMMAND' -b 'COMMAND'\n"
             "syncopate compare [OPTION...] --aa -a 'COMMAND'",
    .description =
        "Records two commands (mpirun -n 4 ./program ...) in turn, pair by pair in random order, "
        "and says what differs between them. With --aa one command is compared with itself. "
        "Whatever is claimed then is false; how often that happens is reported.",
    .section = sections,
    .section_count = sizeof sections / sizeof *sections,
    .notes = "How it is recorded is set by the variables SYNCOPATE_SYNC, ... (see syncopate record "
             "--help). What the programs print goes to DIR/output-a.txt and "
             "DIR/output-b.txt.\n\nExit status: that of syncopate diff; 2 where a run failed.",
    .examples = "  syncopate compare --runs 10 -a 'mpirun -n 4 ./old' -b 'mpirun -n 4 ./new'\n"
                "  syncopate compare --until 2% -a 'mpirun -n 4 ./p' -b 'mpirun -n 4 -x A=1 ./p'\n"
                "  syncopate compare --aa --runs 10 -a 'mpirun -n 4 ./program'",
    .run = run_command,
};
