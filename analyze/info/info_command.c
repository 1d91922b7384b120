/* analyze/info/info_command.c - `syncopate info`. */
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/doc/doc.h"
#include "analyze/info/info.h"
#include "analyze/info/rules.h"
#include "analyze/print/command.h"
#include "analyze/print/json.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "sync/base/status.h"

#define FORMATS "text json"

struct request {
    bool json, rules;
    const char *output;
};

/* The output of all runs, one page each. */
struct pages {
    struct syn_text text;
    struct syn_json json;
    struct syn_terminal terminal;
    const struct request *request;
    size_t run_count;
};

/* Opens the trace of a run, gathers the facts of the run (info.h) and hands them to `use`. A run
 * that cannot be read, or used, gives a message. */
static int with_info(const struct syn_run_path *path, int (*use)(struct syn_info *info, void *to),
                     void *to)
{
    struct syn_trace *trace;
    struct syn_symbols *symbols = NULL;
    struct syn_info info;
    int status = syn_runs_open(path, &trace);
    if (status != SYN_OK)
        return status;
    status = syn_symbols_open(&symbols);
    if (status == SYN_OK) {
        status = syn_info_make(trace, path->run, symbols, &info);
        SYN_STEP(status, use(&info, to));
        syn_info_free(&info);
        syn_symbols_close(symbols);
    }
    syn_trace_close(trace);
    if (status != SYN_OK)
        syn_bad_input("%s: %s", path->directory, syn_status_text(status));
    return status;
}

/* Adds the page of one run, after the faults of its files. */
static int add_page(struct syn_info *info, void *to)
{
    struct pages *pages = to;
    size_t count;
    const struct syn_trace_fault *faults = syn_trace_faults(info->trace, &count);
    for (size_t i = 0; i < count; i++)
        syn_bad_fault(i, count, faults[i].text);
    const bool json = pages->request->json;
    SYN_CLEANUP(syn_doc_free)
    struct syn_doc doc = syn_doc_start(json ? SYN_DOC_JSON : SYN_DOC_TEXT, &pages->terminal);
    const size_t before = pages->text.length;
    syn_info_page(info, &doc);
    if (json)
        syn_doc_write_json(&doc, &pages->json);
    else
        syn_doc_write(&doc, &pages->text);
    /* The first page has no empty line above it. */
    if (before == 0 && pages->text.length && pages->text.data[0] == '\n')
        memmove(pages->text.data, pages->text.data + 1, --pages->text.length);
    pages->run_count++;
    return SYN_OK;
}

static int print_info(const struct request *request, char *const *paths, size_t path_count)
{
    struct pages pages = {.request = request, .terminal = syn_terminal_detect(!request->output)};
    struct syn_experiment experiment;
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    pages.json = syn_json_start(&pages.text);
    if (request->json) {
        syn_json_open(&pages.json, NULL, '{');
        syn_json_integer(&pages.json, "schema", 1);
        syn_json_open(&pages.json, "runs", '[');
    }
    for (size_t i = 0; i < experiment.count; i++)
        with_info(&experiment.run[i], add_page, &pages);
    if (request->json) {
        syn_json_close(&pages.json);
        syn_json_close(&pages.json);
    }
    const int status =
        pages.run_count ? syn_output_text(request->output, &pages.text) : SYN_ENOTTRACE;
    syn_text_free(&pages.text);
    syn_experiment_free(&experiment);
    return status != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* ---- the rules ---- */

/* A report that is judged, and whether the verdicts were printed. */
struct judging {
    const struct request *request;
    const struct syn_report *report;
    int printed;
};

/* Judges the report, and prints the verdicts. */
static int judge_and_print(struct syn_info *info, void *to)
{
    struct judging *judging = to;
    const struct request *request = judging->request;
    struct syn_rule rule[SYN_RULE_COUNT];
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    const struct syn_terminal terminal = syn_terminal_detect(!request->output);
    SYN_CLEANUP(syn_doc_free)
    struct syn_doc doc = syn_doc_start(request->json ? SYN_DOC_JSON : SYN_DOC_TEXT, &terminal);
    const int status = syn_rules_judge(judging->report, info, rule);
    if (status == SYN_OK) {
        syn_rules_page(rule, judging->report, &doc);
        syn_doc_write(&doc, &text);
        judging->printed = syn_output_text(request->output, &text);
    }
    syn_rules_free(rule);
    return status;
}

static int print_rules(const struct request *request, char *const *paths, size_t path_count)
{
    const struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .confidence = 0.95, .sort = "total", .seed = 1};
    SYN_CLEANUP(syn_experiment_free) struct syn_experiment experiment = {0};
    struct syn_report report;
    char *why = NULL;
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    int status = syn_report_make(&experiment, &options, &report, &why);
    if (status != SYN_OK)
        return syn_bad_status(status, why);
    syn_report_say_faults(&report);
    /* The rules also need factors and causality, of the first run. The report has opened it before,
     * so it is not a symbolic link. */
    const struct syn_run_path path = {report.run[0].run, report.run[0].directory, false};
    struct judging judging = {request, &report, SYN_OK};
    status = with_info(&path, judge_and_print, &judging);
    syn_report_free(&report);
    return status != SYN_OK || judging.printed != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* ---- the command line ---- */

SYN_CLI_CHOOSE(take_format, struct request, json, FORMATS)

SYN_CLI_KEEP(take_output, struct request, output)
SYN_CLI_SET(take_rules, struct request, rules)

static const struct syn_cli_option options[] = {
    {"rules", 0, NULL, NULL,
     "instead: whether this trace meets the twelve rules of sound benchmarking (Hoefler and Belli, "
     "2015)",
     NULL, take_rules},
    {"format", 0, "FORMAT", FORMATS, "text (default) or json", "text or json", take_format},
    {"output", 'o', "FILE", "/", "write there instead of to standard output", "a file",
     take_output},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

static int run_command(int argc, char **argv)
{
    struct request request = {false, false, NULL};
    const int status = syn_cli_parse(&syn_command_info, argc, argv, &request);
    if (status != SYN_CLI_GOES_ON)
        return status;
    char *const *paths;
    size_t path_count;
    if (syn_traces_given("info", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    return (request.rules ? print_rules : print_info)(&request, paths, path_count);
}

const struct syn_cli_command syn_command_info = {
    .name = "info",
    .summary = "how a trace came about: factors, clocks, what was lost",
    .usage = "syncopate info [--rules] [--format text|json] [-o FILE] [TRACE...]",
    .description = "Says how a trace came about. First a summary, then the experimental factors, "
                   "where the ranks ran, how good their clocks are, whether causality holds, what "
                   "was lost and what recording cost.",
    .section = sections,
    .section_count = 1,
    .examples = "  syncopate info\n"
                "  syncopate info --rules experiment\n"
                "  syncopate info --format json -o info.json trace",
    .run = run_command,
};
