/* analyze/hang/page/hang_command.c - `syncopate hang`: who hangs, live or dead. */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "analyze/cli/cli.h"
#include "analyze/command.h"
#include "analyze/hang/page/hang_page.h"
#include "analyze/hang/page/watch.h"
#include "analyze/print/output.h"
#include "analyze/runs.h"
#include "sync/base/status.h"

#define FORMATS "text json"

struct request {
    bool json, watch;
    struct syn_hang_options options;
};

/* ---- one look ---- */

static int write_page(const struct request *request, const struct syn_trace *trace,
                      const struct syn_examination *examination)
{
    const struct syn_terminal terminal = syn_terminal_detect(true);
    struct syn_doc doc = syn_doc_start(request->json ? SYN_DOC_JSON : SYN_DOC_TEXT, &terminal);
    struct syn_text text = {0};
    syn_doc_open(&doc, NULL, '{');
    syn_doc_fact(&doc, "schema", 1);
    syn_doc_fact(&doc, "trace", syn_trace_directory(trace));
    syn_hang_tell(&doc, examination);
    if (examination->exited)
        syn_say(&doc, "The run has ended by exit() without MPI_Finalize.");
    else if (!examination->unended && examination->mismatches.count == 0)
        syn_say(&doc, "The run has ended, and its ranks made the same collective calls.");
    syn_doc_close(&doc);
    syn_doc_write(&doc, &text);
    syn_doc_free(&doc);
    if (text.length && text.data[0] == '\n')
        memmove(text.data, text.data + 1, --text.length);
    const int status = syn_output_text(NULL, &text);
    syn_text_free(&text);
    return status;
}

/* Faults that every run without an end has are left to the page. */
static bool is_to_say(const struct syn_trace_fault *fault)
{
    return fault->status != SYN_ETRUNCATED && fault->rank >= 0 && fault->status != SYN_EMISSING;
}

static void say_faults(struct syn_trace *trace)
{
    size_t count, to_say = 0, said = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    for (size_t i = 0; i < count; i++)
        to_say += is_to_say(&faults[i]);
    for (size_t i = 0; i < count; i++)
        if (is_to_say(&faults[i]))
            syn_bad_fault(said++, to_say, faults[i].text);
}

static int tell(const struct request *request, struct syn_trace *trace,
                const struct syn_examination *examination)
{
    say_faults(trace);
    if (examination->unended && !examination->has_hang) {
        syn_bad_input(
            "%s: no open calls are recorded (none was made, or --spill memory): who hangs "
            "is not known",
            syn_trace_directory(trace));
        if (examination->mismatches.count == 0)
            return SYN_EXIT_BAD;
    }
    if (write_page(request, trace, examination) != SYN_OK)
        return SYN_EXIT_BAD;
    return syn_examine_accuses(examination) ? SYN_EXIT_NO : SYN_EXIT_OK;
}

/* `before`: NULL of a dead run. */
static int examine(const struct request *request, struct syn_trace *trace, struct syn_trace *before)
{
    struct syn_sight sight;
    int exit_status = SYN_EXIT_BAD;
    const int status = syn_sight_begin(&sight, trace, before, NULL, &request->options, true);
    if (status == SYN_OK)
        exit_status = tell(request, trace, &sight.examination);
    else
        syn_bad_input("%s: %s", syn_trace_directory(trace), syn_status_text(status));
    syn_sight_end(&sight);
    return exit_status;
}

/* Nobody can tell by a lock: a run of which nothing moves counts as dead. */
static bool counts_as_dead(const struct syn_trace *before, const struct syn_trace *trace)
{
    if (syn_has_moved(before, trace))
        return false;
    syn_bad_input("%s: whether the run goes on is not known: the file system has no locks, and no "
                  "rank moved for a second",
                  syn_trace_directory(trace));
    return true;
}

/* A live run is opened twice: calls that are open both times were open between them. */
static int look(const struct request *request, const struct syn_run_path *path)
{
    struct syn_trace *trace = NULL, *before = NULL;
    bool is_known;
    int status = syn_runs_open(path, &trace);
    if (status == SYN_OK && (syn_is_live(trace, &is_known) || !is_known)) {
        before = trace;
        if (!is_known)
            sleep(1);
        status = syn_runs_open(path, &trace);
        if (status == SYN_OK && !is_known && counts_as_dead(before, trace)) {
            syn_trace_close(before);
            before = NULL;
        }
    }
    const int exit_status = status == SYN_OK ? examine(request, trace, before) : SYN_EXIT_BAD;
    if (status == SYN_OK)
        syn_trace_close(trace);
    syn_trace_close(before);
    return exit_status;
}

/* ---- the command line ---- */

SYN_CLI_CHOOSE(take_format, struct request, json, FORMATS)
SYN_CLI_SET(take_watch, struct request, watch)

static int take_after(void *target, const char *value)
{
    double seconds;
    const size_t length = strlen(value);
    char number[32] = "";
    if (length == 0 || length >= sizeof number)
        return SYN_EINVAL;
    memcpy(number, value, length - (value[length - 1] == 's'));
    if (syn_parse_number(number, 0, 1e6, &seconds) != SYN_OK)
        return SYN_EINVAL;
    syn_hang_count_from(&((struct request *)target)->options, (int64_t)(seconds * 1e9));
    return SYN_OK;
}

static const struct syn_cli_option options[] = {
    {"format", 0, "FORMAT", FORMATS, "text (default) or json", "text or json", take_format},
    {"after", 0, "SECONDS", "",
     "a wait is too long from here on where fewer than 20 earlier ones are known (default 60)",
     "a number of seconds", take_after},
    {"watch", 0, NULL, NULL, "look once a second, until the run ends or Ctrl-C", NULL, take_watch},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

/* An experiment stands for its last run: the others have ended. */
static int run(int argc, char **argv)
{
    struct request request = {.options = SYN_HANG_OPTIONS};
    struct syn_experiment experiment;
    char *const *paths;
    size_t path_count;
    const int parsed = syn_cli_parse(&syn_command_hang, argc, argv, &request);
    if (parsed != SYN_CLI_GOES_ON)
        return parsed;
    if (syn_traces_given("hang", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    if (path_count != 1)
        return syn_bad_usage("hang", "one trace at a time");
    if (syn_runs_list(paths, path_count, &experiment))
        return SYN_EXIT_BAD;
    const struct syn_run_path *last = &experiment.run[experiment.count - 1];
    const int status =
        request.watch ? syn_hang_watch(last, &request.options, request.json) : look(&request, last);
    syn_experiment_free(&experiment);
    return status;
}

const struct syn_cli_command syn_command_hang = {
    .name = "hang",
    .summary = "who hangs, who is waited for, and which ranks disagree",
    .usage = "syncopate hang [--format text|json] [--after SECONDS] [--watch] [TRACE]",
    .description =
        "Says of a run that is going on, or that was killed, which ranks wait in which calls, for "
        "which ranks, since when, and where those are. Says of any run which ranks did not make "
        "the call that the others made. Looking at a run costs it nothing.",
    .section = sections,
    .section_count = 1,
    .notes = "Exit status: 0 nothing hangs or disagrees; 1 something does; 2 no trace.",
    .examples = "  syncopate hang\n"
                "  syncopate hang --watch job-4711\n"
                "  syncopate hang --format json job-4711",
    .run = run,
};
