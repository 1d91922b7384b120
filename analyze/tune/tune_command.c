/* analyze/tune/tune_command.c - the command `syncopate tune`. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analyze/cli/cli.h"
#include "analyze/print/command.h"
#include "analyze/print/output.h"
#include "analyze/record/environment.h"
#include "analyze/record/run.h"
#include "analyze/record/until.h"
#include "analyze/runs.h"
#include "analyze/tune/tune.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

#define BUDGET_S 60

struct request {
    struct record_until until;
    bool json, even;
    const char *prove, *output;
};

static int take_for(void *target, const char *value)
{
    return record_until_take_budget(&((struct request *)target)->until, value);
}

SYN_CLI_CHOOSE(take_arrivals, struct request, even, "recorded even")
SYN_CLI_CHOOSE(take_format, struct request, json, "text json")
SYN_CLI_KEEP(take_prove, struct request, prove)
SYN_CLI_KEEP(take_output, struct request, output)

static const struct syn_cli_option options[] = {
    {"for", 0, "TIME", "", "about how long it may measure (90s, 30m, 2h; default 60s)",
     RECORD_FOR_EXPECTED, take_for},
    {"arrivals", 0, "HOW", "recorded even",
     "recorded: ranks enter as in instances of the trace. even: all at once (default recorded)",
     "recorded or even", take_arrivals},
    {"prove", 0, "COMMAND", "",
     "then run this command 6 times with and without the advice (syncopate compare), and set "
     "the promise beside the result",
     "a command", take_prove},
    {"output", 'o', "FILE", "/",
     "write lines for a shell that set the advice; FILE.rules: Open MPI's rules for single sizes",
     "a file", take_output},
    {"format", 0, "FORMAT", "text json", "text or json (default text)", "text or json",
     take_format},
};
static const struct syn_cli_section sections[] = {
    {NULL, options, sizeof options / sizeof *options, 0}};

/* ---- the proof ---- */

/* Runs `syncopate compare` of the command with and without the advice, into the directory
 * TUNE_PROOF. */
static int compare(const struct tune_session *session, const char *command)
{
    SYN_CLEANUP(syn_text_free) struct syn_text with = {0};
    struct record_run run = {0};
    char runs[16];
    snprintf(runs, sizeof runs, "%d", TUNE_RUNS);
    syn_text_string(&with, "env");
    tune_shell_settings(session, &with);
    syn_text_format(&with, " %s", command);
    const char *const argument[] = {"/proc/self/exe",
                                    "compare",
                                    "-q",
                                    "-o",
                                    TUNE_PROOF,
                                    "--runs",
                                    runs,
                                    "-a",
                                    command,
                                    "-b",
                                    syn_text_chars(&with),
                                    "--report",
                                    TUNE_PROOF "/diff.txt",
                                    NULL};
    const int status = record_run((char *const *)(intptr_t)argument, NULL, &run);
    if (status != SYN_OK)
        return syn_bad_status(status, NULL);
    return run.exit_status ? SYN_EXIT_BAD : 0;
}

/* Sets the items' results. Returns 0, or an exit status after a line on stderr. */
static int prove(struct tune_session *session, const char *command)
{
    static char directory[2][sizeof TUNE_PROOF + 2] = {TUNE_PROOF "/a", TUNE_PROOF "/b"};
    struct tune_trace side[2] = {{0}, {0}};
    int status = compare(session, command);
    for (int i = 0; i < 2 && status == SYN_OK; i++)
        status = tune_trace_read(directory[i], &side[i]);
    if (status == SYN_OK) {
        session->proof_runs = side[0].run_count;
        session->run_ratio = side[1].run_ns / side[0].run_ns;
    }
    for (size_t i = 0; i < session->count; i++) {
        const struct tune_group *group = session->item[i].group, *found[2];
        for (int k = 0; k < 2; k++)
            found[k] = tune_trace_find(&side[k], group->op, group->comm_size, group->bytes);
        if (found[0] && found[1]) {
            session->item[i].result = found[1]->median_ns / found[0]->median_ns;
            session->item[i].result_now_ns = found[0]->median_ns;
        }
    }
    tune_trace_free(&side[0]);
    tune_trace_free(&side[1]);
    return status;
}

/* ---- the answer ---- */

/* Writes lines for a shell, with each group's candidate in a comment above. */
static int write_settings(const char *path, const struct tune_session *session)
{
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    for (struct tune_item *item = NULL; (item = tune_next_advised(session, item));)
        syn_text_format(&text, "# %s of %llu bytes on %u ranks: %s\n", syn_op_name(item->group->op),
                        (unsigned long long)item->group->bytes, item->group->comm_size,
                        item->candidate[item->best].label);
    if (text.length > 0) {
        syn_text_string(&text, "export");
        tune_shell_settings(session, &text);
        syn_text_char(&text, '\n');
    }
    const int status = syn_output_text(path, &text);
    return status == SYN_OK ? 0 : SYN_EXIT_BAD;
}

static int answer(const struct request *request, struct tune_session *session)
{
    const struct syn_terminal terminal = syn_terminal_detect(true);
    SYN_CLEANUP(syn_doc_free)
    struct syn_doc doc = syn_doc_start(request->json ? SYN_DOC_JSON : SYN_DOC_TEXT, &terminal);
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    int status = request->output ? write_settings(request->output, session) : 0;
    if (status == SYN_OK && request->prove && tune_next_advised(session, NULL))
        status = prove(session, request->prove);
    if (status == SYN_OK) {
        tune_page(&doc, session, request->output);
        syn_doc_write(&doc, &text);
        status = syn_output_text(NULL, &text) == SYN_OK ? 0 : SYN_EXIT_BAD;
    }
    return status;
}

/* ---- the command ---- */

static int tune(const struct request *request, char *path, char *const *launcher)
{
    struct tune_trace trace = {0};
    SYN_FREED char *output = request->output ? record_path_absolute(request->output) : NULL;
    SYN_FREED char *rules = NULL;
    if (output && asprintf(&rules, "%s.rules", output) < 0)
        rules = NULL;
    struct tune_session session = {.trace = &trace,
                                   .launcher = launcher,
                                   .budget_s = request->until.budget_s,
                                   .even = request->even,
                                   .rules_path = rules,
                                   .run_ratio = NAN};
    int status = tune_trace_read(path, &trace);
    SYN_STEP(status, tune_session_run(&session));
    SYN_STEP(status, answer(request, &session));
    tune_session_free(&session);
    tune_trace_free(&trace);
    return status;
}

/* Returns 0 if the output can be written, before anything is measured. */
static int check_output(const char *path)
{
    struct syn_output *output = NULL;
    struct stat facts;
    int status = syn_output_check(path);
    if (stat(path, &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode))
        return status; /* a pipe is opened once */
    if (status == SYN_OK && (status = syn_output_open(path, &output)) != SYN_OK)
        syn_bad_input("%s: %s", path, strerror(errno));
    syn_output_close(output);
    return status;
}

static int run_tune(int argc, char **argv)
{
    struct request request = {.until.budget_s = BUDGET_S};
    const int parsed = syn_cli_parse(&syn_command_tune, argc, argv, &request);
    if (parsed != SYN_CLI_GOES_ON)
        return parsed;
    char **rest = argv + optind;
    if (argc - optind < 3 || strcmp(rest[1], "--") != 0)
        return syn_bad_usage("tune", "a trace and a launcher are needed: syncopate tune TRACE -- "
                                     "mpirun -n 4");
    if (request.output && check_output(request.output) != SYN_OK)
        return SYN_EXIT_BAD;
    return tune(&request, rest[0], rest + 2);
}

const struct syn_cli_command syn_command_tune = {
    .name = "tune",
    .summary = "which of the MPI's algorithms would be faster, and by how much",
    .usage = "syncopate tune [OPTION...] TRACE -- LAUNCHER...",
    .description =
        "Takes the operations of a trace that take 1 % of the run once all ranks have come. Asks "
        "the MPI for its algorithms, and measures them in a program of its own, launched by "
        "LAUNCHER (mpirun -n 4, without a program), on the trace's communicators and with its "
        "ranks' arrivals. Says what to set, and what the next run gains by it.\n\nWhat the "
        "environment sets already is \"now\".",
    .section = sections,
    .section_count = 1,
    .notes = "The promised interval is that of another run with the setting to another run without "
             "(95 %). See docs/tune.md (in share/doc/syncopate).",
    .examples = "  syncopate tune syncopate-trace -- mpirun -n 4\n"
                "  syncopate tune -o settings syncopate-trace -- mpirun -n 4\n"
                "  syncopate tune --prove 'mpirun -n 4 ./program' syncopate-trace -- mpirun -n 4",
    .stops_at_argument = true,
    .run = run_tune,
};
