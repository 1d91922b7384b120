/* analyze/info/info_command.c - `syncopate info`. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/command.h"
#include "analyze/doc/doc.h"
#include "analyze/info/info.h"
#include "analyze/info/rules.h"
#include "analyze/print/json.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "sync/base/status.h"

#define FORMATS "text json"

struct request {
    bool json, rules;
    const char *output;
};

/* State shared by the output of all runs. */
struct writing {
    struct syn_text text;
    struct syn_json json;
    struct syn_terminal terminal;
    const struct request *request;
    size_t run_count;
};

/* Opens a run, finds what there is to say of it, and adds its page. */
static int inform(struct writing *writing, const struct syn_run_path *path)
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
        if (status == SYN_OK) {
            size_t count;
            const struct syn_trace_fault *faults = syn_trace_faults(info.trace, &count);
            for (size_t i = 0; i < count; i++)
                syn_bad_fault(i, count, faults[i].text);
            const bool json = writing->request->json;
            struct syn_doc doc =
                syn_doc_start(json ? SYN_DOC_JSON : SYN_DOC_TEXT, &writing->terminal);
            const size_t before = writing->text.length;
            syn_info_page(&info, &doc);
            if (json)
                syn_doc_write_json(&doc, &writing->json);
            else
                syn_doc_write(&doc, &writing->text);
            if (before == 0 && writing->text.length && writing->text.data[0] == '\n')
                memmove(writing->text.data, writing->text.data + 1, --writing->text.length);
            syn_doc_free(&doc);
        }
        syn_info_free(&info);
        syn_symbols_close(symbols);
    }
    writing->run_count += status == SYN_OK;
    syn_trace_close(trace);
    if (status != SYN_OK)
        syn_bad_input("%s: %s", path->directory, syn_status_text(status));
    return status;
}

static int run(const struct request *request, char *const *paths, size_t path_count)
{
    struct writing writing = {.request = request,
                              .terminal = syn_terminal_detect(!request->output)};
    struct syn_experiment experiment;
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    writing.json = syn_json_start(&writing.text);
    if (request->json) {
        syn_json_open(&writing.json, NULL, '{');
        syn_json_integer(&writing.json, "schema", 1);
        syn_json_open(&writing.json, "runs", '[');
    }
    for (size_t i = 0; i < experiment.count; i++)
        inform(&writing, &experiment.run[i]);
    if (request->json) {
        syn_json_close(&writing.json);
        syn_json_close(&writing.json);
    }
    const int status =
        writing.run_count ? syn_output_text(request->output, &writing.text) : SYN_ENOTTRACE;
    syn_text_free(&writing.text);
    syn_experiment_free(&experiment);
    return status != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* ---- the rules ---- */

/* Factors and causality are those of the first run that can be read. */
static int judge_first(const struct request *request, const struct syn_report *report)
{
    struct syn_trace *trace;
    struct syn_symbols *symbols = NULL;
    struct syn_info info;
    /* The report has read it: it is no link. */
    const struct syn_run_path path = {report->run[0].run, report->run[0].directory, false};
    int status = syn_runs_open(&path, &trace);
    if (status != SYN_OK)
        return status;
    status = syn_symbols_open(&symbols);
    if (status == SYN_OK) {
        status = syn_info_make(trace, report->run[0].run, symbols, &info);
        if (status == SYN_OK) {
            struct syn_rule rule[SYN_RULE_COUNT];
            struct syn_text text = {0};
            struct syn_terminal terminal = syn_terminal_detect(!request->output);
            status = syn_rules_judge(report, &info, rule);
            if (status == SYN_OK && request->json) {
                struct syn_json json = syn_json_start(&text);
                syn_rules_json(rule, &json);
                syn_text_char(&text, '\n');
            } else if (status == SYN_OK) {
                syn_rules_text(rule, report, &terminal, &text);
            }
            syn_rules_free(rule);
            if (status != SYN_OK)
                syn_bad_input("%s", syn_status_text(status));
            else
                status = syn_output_text(request->output, &text);
            syn_text_free(&text);
        }
        syn_info_free(&info);
        syn_symbols_close(symbols);
    }
    syn_trace_close(trace);
    return status;
}

static int run_rules(const struct request *request, char *const *paths, size_t path_count)
{
    const struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .confidence = 0.95, .sort = "total", .seed = 1};
    struct syn_experiment experiment = {0};
    struct syn_report report;
    char *why = NULL;
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    int status = syn_report_make(&experiment, &options, &report, &why);
    syn_experiment_free(&experiment);
    if (status != SYN_OK)
        return syn_bad_status(status, why);
    syn_report_say_faults(&report);
    status = judge_first(request, &report);
    syn_report_free(&report);
    return status != SYN_OK ? SYN_EXIT_BAD : SYN_EXIT_OK;
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
    return (request.rules ? run_rules : run)(&request, paths, path_count);
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
