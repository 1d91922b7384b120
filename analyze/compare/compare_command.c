/* analyze/compare/compare_command.c - `syncopate compare`. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../sync/status.h"
#include "../command.h"
#include "../diff/diff_options.h"
#include "../record/environment.h"
#include "compare.h"
#include "compare_record.h"
#include "words.h"

#define RUNS_DEFAULT \
    10 /* ten a side can show 2 / C(20, 10) = 1e-5: enough for thousands of groups */
#define RUNS_MAX 9999

static const char help[] =
    "usage: syncopate compare [OPTION...] -a 'COMMAND' -b 'COMMAND'\n"
    "       syncopate compare [OPTION...] --aa -a 'COMMAND'\n\n"
    "Record two commands (mpirun -n 4 ./program ...) in turn, pair by pair in random\n"
    "order, and say what differs between them. With --aa the one command is compared\n"
    "with itself: what is claimed then is false, and how often is reported.\n\n"
    "  -a COMMAND         A, the base: words as a shell has them, without expansion\n"
    "  -b COMMAND         B\n"
    "  --runs N           runs a side (default 10)\n"
    "  -o, --output DIR   the traces go to DIR/a/run-0001 ..., DIR/b/run-0001 ...\n"
    "                     (syncopate-compare); older ones move to DIR/a.old, b.old\n"
    "  --seed N           of the order (default: drawn, and printed)\n"
    "  --format FORMAT    of the diff: text (default), json, csv or html\n"
    "  --report FILE      write the diff there instead of to standard output\n"
    "  -q, --quiet        no progress\n" SYN_DIFF_OPTIONS_HELP "  --help             this text\n\n"
    "The recorder takes its settings from the variables SYNCOPATE_SYNC, ... (see\n"
    "syncopate record --help). What the programs print goes to DIR/output-a.txt and\n"
    "DIR/output-b.txt. Exit status: that of syncopate diff; 2 where a run failed.\n";

struct request {
    const char *command[2], *directory, *format, *report;
    bool seeded;
    unsigned fail_on;
    struct syn_compare_plan plan;
    struct syn_diff_options options;
};

static int take_number(const char *name, const char *value, double high, double *out)
{
    double number;
    if (syn_parse_number(value, name[0] == 'r' ? 1 : 0, high, &number) ||
        number != (double)(uint64_t)number)
        return syn_bad_usage("compare", "--%s %s: expected a whole number up to %.0f", name, value,
                             high);
    *out = number;
    return 0;
}

static int take(int code, const char *value, struct request *request)
{
    double number = 0;
    int status = 0;
    switch (code) {
    case 'a':
    case 'b':
        request->command[code - 'a'] = value;
        return 0;
    case 'o':
        request->directory = value;
        return *value ? 0 : syn_bad_usage("compare", "-o: the name of the directory is empty");
    case 'q':
        request->plan.quiet = true;
        return 0;
    case 'x':
        request->options.same_program = true;
        return 0;
    case 'n':
        status = take_number("runs", value, RUNS_MAX, &number);
        request->plan.run_count = (int)number;
        return status;
    case 's':
        status = take_number("seed", value, 9007199254740992.0, &number);
        request->plan.seed = (uint64_t)number;
        request->seeded = true;
        return status;
    case 'f':
        request->format = value;
        return syn_diff_format_known(value)
                   ? 0
                   : syn_bad_usage("compare", "--format %s: not text, json, csv or html", value);
    case 'r':
        request->report = value;
        return 0;
    default:
        return syn_diff_option("compare", code, value, &request->options, &request->fail_on);
    }
}

/* Returns 0 to go on, else -1 - the exit status. */
static int parse(int argc, char **argv, struct request *request)
{
    static const struct option options[] = {{"runs", required_argument, NULL, 'n'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"seed", required_argument, NULL, 's'},
                                            {"format", required_argument, NULL, 'f'},
                                            {"report", required_argument, NULL, 'r'},
                                            {"quiet", no_argument, NULL, 'q'},
                                            {"aa", no_argument, NULL, 'x'},
                                            {"help", no_argument, NULL, 'h'},
                                            SYN_DIFF_LONG_OPTIONS,
                                            {NULL, 0, NULL, 0}};
    opterr = 0;
    optind = 1;
    for (int code; (code = getopt_long(argc, argv, ":a:b:o:qh", options, NULL)) != -1;) {
        if (code == 'h')
            return printf("%s", help) < 0 ? -1 - SYN_EXIT_BAD : -1;
        if (code == '?' || code == ':')
            return -1 - syn_bad_option("compare", argc, argv, code);
        int status = take(code, optarg, request);
        if (status)
            return -1 - status;
    }
    if (optind < argc)
        return -1 - syn_bad_usage("compare",
                                  "%s: quote each command: -a 'mpirun -n 4 ./program' -b '...'",
                                  argv[optind]);
    if (!request->command[0] || !request->command[1] != request->options.same_program)
        return -1 - syn_bad_usage("compare", "%s (see syncopate compare --help)",
                                  request->options.same_program
                                      ? "--aa takes one command, with -a"
                                      : "two commands are needed, with -a and -b");
    int status = syn_diff_options_check("compare", &request->options);
    return status ? -1 - status : 0;
}

static int split(const struct request *request, int side, char ***words)
{
    const char *why = NULL;
    int status = syn_words_split(request->command[side], words, &why);
    return status ? syn_bad_usage("compare", "-%c %s: %s", 'a' + side, request->command[side],
                                  why ? why : syn_status_text(status))
                  : 0;
}

static int diff(const struct request *request)
{
    struct syn_experiment side[2] = {{0}, {0}};
    char *why = NULL;
    int status = 0;
    for (int i = 0; i < 2 && status == 0; i++) {
        char *path = NULL;
        status = asprintf(&path, "%s/%c", request->plan.directory, 'a' + i) < 0 ? SYN_ENOMEM : 0;
        if (status == 0) {
            status = syn_experiment_list(&path, 1, &side[i], &why);
            free(path);
        }
    }
    if (status)
        status = syn_bad_input("%s", why ? why : syn_status_text(status));
    else
        status = syn_diff_run(side, &request->options, request->format, request->report,
                              request->fail_on);
    free(why);
    syn_experiment_free(&side[0]);
    syn_experiment_free(&side[1]);
    return status;
}

static int run(struct request *request)
{
    char *directory = record_path_absolute(request->directory);
    int status = directory ? 0 : syn_bad_input("%s: %s", request->directory, strerror(errno));
    if (request->options.same_program)
        request->command[1] = request->command[0];
    for (int side = 0; side < 2 && status == 0; side++)
        status = split(request, side, &request->plan.command[side]);
    if (!request->seeded && getrandom(&request->plan.seed, sizeof request->plan.seed, 0) > 0)
        request->plan.seed %= 1000000; /* short enough to be typed again */
    request->plan.directory = directory;
    if (status == 0)
        status = syn_compare_record(&request->plan);
    if (status == 0)
        status = diff(request);
    syn_words_free(request->plan.command[0]);
    syn_words_free(request->plan.command[1]);
    free(directory);
    return status;
}

int syn_command_compare(int argc, char **argv)
{
    struct request request = {.directory = "syncopate-compare",
                              .format = "text",
                              .plan = {.run_count = RUNS_DEFAULT},
                              .options = syn_diff_options_default()};
    int status = parse(argc, argv, &request);
    return status ? -1 - status : run(&request);
}
