/* analyze/tune/prove.c - compares the program with and without the advice. */

#include "analyze/command.h"
#include "analyze/record/run.h"
#include "analyze/runs.h"
#include "analyze/tune/tune.h"
#include "sync/base/status.h"

#define RUNS "6" /* on each side */

static int compare(const struct tune_session *session, const char *command)
{
    struct syn_text with = {0};
    struct record_run run = {0};
    syn_text_string(&with, "env");
    tune_shell_settings(session, &with);
    syn_text_format(&with, " %s", command);
    const char *const argument[] = {"/proc/self/exe",
                                    "compare",
                                    "-q",
                                    "-o",
                                    TUNE_PROOF,
                                    "--runs",
                                    RUNS,
                                    "-a",
                                    command,
                                    "-b",
                                    syn_text_chars(&with),
                                    "--report",
                                    TUNE_PROOF "/diff.txt",
                                    NULL};
    const int status = record_run((char *const *)(intptr_t)argument, NULL, &run);
    syn_text_free(&with);
    if (status != SYN_OK)
        return syn_bad_status(status, NULL);
    return run.exit_status ? SYN_EXIT_BAD : 0;
}

int tune_prove(struct tune_session *session, const char *command)
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
