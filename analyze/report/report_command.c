/* analyze/report/report_command.c - the command `syncopate report`. */
#include <stdint.h>
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"
#include "analyze/print/output.h"
#include "analyze/report/findings/call_tree.h"
#include "analyze/report/findings/keyed_causes.h"
#include "analyze/report/findings/report.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/runs.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define FORMATS "text json csv html folded markdown junit annotations"
#define KEYS    "op site comm bytes root rank node run phase stack segment time message"
#define CLASSES "data comm window file"

enum format {
    FORMAT_TEXT,
    FORMAT_JSON,
    FORMAT_CSV,
    FORMAT_HTML,
    FORMAT_FOLDED,
    FORMAT_MARKDOWN,
    FORMAT_JUNIT,
    FORMAT_ANNOTATIONS
};

#define TOP_BY_FORMAT SIZE_MAX
#define TOP_SHORT     5
#define TOP_LONG      20
#define LEAST_SHARE   0.01 /* least share of the run, in a short table */

struct request {
    enum format format;
    const char *output;
    bool fails_on_clock;
    struct syn_report_options options;
};

/* ---- options: each function stores a value in the request ---- */

SYN_CLI_CHOOSE(take_format, struct request, format, FORMATS)
SYN_CLI_KEEP(take_output, struct request, output)

static int take_by(void *target, const char *value)
{
    struct syn_report_options *options = &((struct request *)target)->options;
    const size_t length = strcspn(value, ",");
    options->rows_by_rank = strcmp(value + length, ",rank") == 0;
    options->rows = SYN_ROWS_GROUPS;
    if (value[length] && !options->rows_by_rank)
        return syn_keys_parse(value, &options->by);
    if (length == strlen("segment") && strncmp(value, "segment", length) == 0)
        options->rows = SYN_ROWS_SEGMENTS;
    else if (length == strlen("time") && strncmp(value, "time", length) == 0)
        options->rows = SYN_ROWS_TIME;
    else if (strcmp(value, "message") == 0)
        options->rows = SYN_ROWS_MESSAGES;
    return options->rows == SYN_ROWS_GROUPS ? syn_keys_parse(value, &options->by) : 0;
}

static int take_skip(void *target, const char *value)
{
    ((struct request *)target)->options.skip = value;
    return *value ? 0 : SYN_EINVAL;
}

SYN_CLI_PARSE(take_confidence, struct request, options.confidence, syn_parse_confidence)
SYN_CLI_PARSE(take_ci, struct request, options.ci, syn_ci_parse)
SYN_CLI_PARSE(take_seed, struct request, options.seed, syn_parse_whole)

static int take_precision(void *target, const char *value)
{
    double *precision = &((struct request *)target)->options.precision;
    return syn_share_parse(value, precision) || *precision == 0 ? SYN_EINVAL : 0;
}

SYN_CLI_SET(take_tukey, struct request, options.tukey)
SYN_CLI_SET(take_skip_warmup, struct request, options.skip_warmup)
SYN_CLI_SET(take_pairs, struct request, options.pairs)

static int take_class(void *target, const char *value)
{
    /* hide the classes that are not in "data,comm" */
    unsigned *hidden = &((struct request *)target)->options.hidden_classes;
    char copy[64], *rest = NULL;
    unsigned shown = 0;
    if (strlen(value) >= sizeof copy)
        return SYN_EINVAL;
    strcpy(copy, value);
    for (char *name = strtok_r(copy, ",", &rest); name; name = strtok_r(NULL, ",", &rest)) {
        enum syn_op_class class;
        if (syn_class_parse(name, &class))
            return SYN_EINVAL;
        shown |= SYN_HIDE(class);
    }
    *hidden = ~shown;
    return shown ? 0 : SYN_EINVAL;
}

static int take_sort(void *target, const char *value)
{
    ((struct request *)target)->options.sort = value;
    return syn_report_sort_key(value);
}

SYN_CLI_PARSE(take_top, struct request, options.top, syn_parse_rows)
SYN_CLI_SET(take_all, struct request, options.all)
SYN_CLI_SET(take_verbose, struct request, options.verbose)

static int take_fail_on(void *target, const char *value)
{
    ((struct request *)target)->fails_on_clock = strcmp(value, "clock") == 0;
    return ((struct request *)target)->fails_on_clock ? 0 : SYN_EINVAL;
}

static int take_memory(void *target, const char *value)
{
    return syn_parse_bytes(value, (size_t)1 << 20,
                           &((struct request *)target)->options.memory_bytes);
}

static int take_threads(void *target, const char *value)
{
    double number;
    (void)target;
    if (syn_parse_number(value, 1, SYN_THREADS_MAX, &number))
        return SYN_EINVAL;
    syn_thread_count_set((size_t)number);
    return 0;
}

static const struct syn_cli_option options[] = {
    {"format", 0, "FORMAT", FORMATS,
     "text (default), json, csv or html. folded: call stacks for flame graphs, of waiting with "
     "--sort wait. markdown: for pull requests. junit, annotations: for build servers",
     "text, json, csv, html, folded, markdown, junit or annotations", take_format},
    {"output", 'o', "FILE", "/", "write there instead of to standard output", "a file",
     take_output},
    {"by", 0, "KEYS", KEYS,
     "keys of a group, of op,site,comm,bytes,root,rank,node,run,phase,stack (default "
     "op,site,comm,bytes). Or segment: what ranks do between their calls. Or time: slices of the "
     "run, and who was waited for in them. These two may be by rank: segment,rank or time,rank. Or "
     "message: the messages by operation, site and size",
     "a list of op,site,comm,bytes,root,rank,node,run,phase,stack; or message, segment or time, or "
     "one of the last two with rank: time,rank",
     take_by},
    {"skip", 0, "LIST", "",
     "functions, files or libraries that only pass calls on (comm_sum,libpetsc*). A call's site is "
     "then the innermost frame outside them. Default: functions through which many others call "
     "MPI; -: none",
     "a list of patterns", take_skip},
    {"confidence", 0, "C", "", "confidence of the intervals (default 0.95)",
     "a number in 0.5 .. 0.999999", take_confidence},
    {"ci", 0, "METHOD", "order exact bootstrap block",
     "how the interval of a median is found. order (default): order statistics. exact: binomial. "
     "bootstrap. block: bootstrap of blocks, for calls that depend on one another",
     "order, exact, bootstrap or block", take_ci},
    {"seed", 0, "N", "", "seed of the bootstrap (default 1)", "a whole number", take_seed},
    {"precision", 0, "SHARE", "", "say how many calls it takes to know medians to within this (5%)",
     "a share such as 5% or 0.05", take_precision},
    {"skip-warmup", 0, NULL, NULL, "leave out the first calls of a group, until it settles", NULL,
     take_skip_warmup},
    {"pairs", 0, NULL, NULL, "say which ranks differ from which (not in CSV)", NULL, take_pairs},
    {"tukey", 0, NULL, NULL,
     "add each run's median and mean without outliers by Tukey's fences (JSON: runs)", NULL,
     take_tukey},
    {"class", 0, "LIST", CLASSES,
     "only collectives of these classes: data; comm, window or file, which are made and freed "
     "(default: all)",
     "a list of data,comm,window,file", take_class},
    {"sort", 0, "KEY",
     "total wait instances incomplete completion spread operation exit_skew local_max",
     "order of the groups, largest first: total (default), wait, instances, incomplete, a metric "
     "(completion, spread, operation, exit_skew, local_max) or a figure of a metric "
     "(completion.p99)",
     "total, wait, instances, incomplete, a metric or a figure of one (completion.p99)", take_sort},
    {"top", 0, "N", "", "rows of the table, 0 for all (default 8; 20 with --verbose and in pages)",
     "a number of rows", take_top},
    {"verbose", 0, NULL, NULL,
     "text: also all warnings, what differs between ranks, and what the words mean", NULL,
     take_verbose},
    {"all", 0, NULL, NULL,
     "keep the calls that are left out otherwise: those that started late (record --align window), "
     "and those in which the profiler paused",
     NULL, take_all},
    {"fail-on", 0, "WHAT", "clock",
     "exit status 1 where this is wrong. clock: the clocks did not run as they were measured",
     "clock", take_fail_on},
    {"memory", 0, "SIZE", "",
     "memory for the analysis; what needs more goes to a file in TMPDIR (default: half of the "
     "machine's)",
     "a size of at least 1M", take_memory},
    {"threads", 0, "N", "", "number of threads (default: one for each processor)",
     "a number of threads", take_threads},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

/* ---- running ---- */

static int run(const struct request *request, char *const *paths, size_t path_count)
{
    /* Not freed at the end: the process ends, and the kernel takes memory back faster than a
     * million calls of free. A test that goes on has one report at a time. */
    static struct syn_report report;
    struct syn_experiment experiment = {0};
    char *why = NULL;
    syn_report_free(&report);
    int status = syn_experiment_list(paths, path_count, &experiment, &why);
    syn_runs_say_left_out(&experiment);
    SYN_STEP(status, syn_report_make(&experiment, &request->options, &report, &why));
    syn_experiment_free(&experiment);
    if (status != SYN_OK)
        return syn_bad_status(status, why);
    syn_report_say_faults(&report);
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    struct syn_terminal terminal = syn_terminal_detect(!request->output);
    if (request->format == FORMAT_JSON)
        syn_report_json(&report, &text);
    else if (request->format == FORMAT_CSV)
        syn_report_csv(&report, &text);
    else if (request->format == FORMAT_FOLDED)
        syn_report_folded(&report, &text);
    else if (request->format == FORMAT_JUNIT || request->format == FORMAT_ANNOTATIONS)
        syn_report_ci(&report, request->fails_on_clock, request->format == FORMAT_JUNIT, &text);
    else
        syn_report_page(&report,
                        request->format == FORMAT_HTML       ? SYN_DOC_HTML
                        : request->format == FORMAT_MARKDOWN ? SYN_DOC_MARKDOWN
                                                             : SYN_DOC_TEXT,
                        &terminal, &text);
    status = syn_output_text(request->output, &text);
    status = status != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
    if (status == SYN_EXIT_OK && request->fails_on_clock && syn_report_clocks_wrong(&report))
        status = SYN_EXIT_NO;
    return status;
}

/* Returns true if the table's rows are groups, sorted by time. */
static bool is_by_time(const struct request *request)
{
    return request->options.rows == SYN_ROWS_GROUPS && strcmp(request->options.sort, "total") == 0;
}

/* Returns true if the format describes single passes, in *Why* or as segments. */
static bool tells_passes(const struct request *request)
{
    return request->format == FORMAT_TEXT || request->format == FORMAT_HTML ||
           request->format == FORMAT_MARKDOWN ||
           (request->options.rows == SYN_ROWS_SEGMENTS &&
            (request->format == FORMAT_JSON || request->format == FORMAT_CSV));
}

static int run_command(int argc, char **argv)
{
    struct request request = {
        .format = FORMAT_TEXT,
        .options = {.by = SYN_BY_DEFAULT,
                    .confidence = 0.95,
                    .sort = "total",
                    .top = TOP_BY_FORMAT,
                    .seed = 1},
    };
    const int status = syn_cli_parse(&syn_command_report, argc, argv, &request);
    if (status != SYN_CLI_GOES_ON)
        return status;
    if (request.format == FORMAT_FOLDED)
        request.options.by = SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_STACK);
    const bool is_short = request.format == FORMAT_TEXT && !request.options.verbose;
    if (request.options.top == TOP_BY_FORMAT && is_short && is_by_time(&request))
        request.options.least_share = LEAST_SHARE;
    if (request.options.top == TOP_BY_FORMAT)
        request.options.top = is_short ? TOP_SHORT : TOP_LONG;
    request.options.tells_passes = tells_passes(&request);
    if (request.format == FORMAT_TEXT || request.format == FORMAT_JSON)
        request.options.efficiency_keys = syn_keys_beyond_causes(request.options.by);
    char *const *paths;
    size_t path_count;
    if (syn_traces_given("report", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    return run(&request, paths, path_count);
}

const struct syn_cli_command syn_command_report = {
    .name = "report",
    .summary = "where the time went, why, and who was late",
    .usage = "syncopate report [OPTION...] [TRACE...]",
    .description = "Says where the time of an MPI program went in its collectives, why, and who "
                   "was late. TRACE is a trace or an experiment (a directory of run-0001, "
                   "run-0002, ...). Without TRACE it is ./syncopate-trace.",
    .section = sections,
    .section_count = 1,
    .notes = "Exit status: 0; 1 where --fail-on says so; 2 for wrong usage or unreadable "
             "input.\n\nWhat the words and figures mean: docs/reports.md (in share/doc/syncopate).",
    .examples = "  syncopate report\n"
                "  syncopate report --by op,rank trace\n"
                "  syncopate report --by op,stack --top 0 trace\n"
                "  syncopate report --format html -o page.html trace",
    .run = run_command,
};
