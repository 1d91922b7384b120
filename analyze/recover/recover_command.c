/* analyze/recover/recover_command.c - the command `syncopate recover`. */
#include <errno.h>
#include <getopt.h>
#include <string.h>

#include "analyze/cli/cli.h"
#include "analyze/doc/say.h"
#include "analyze/print/command.h"
#include "analyze/runs.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"
#include "trace/recover/recover.h"

static const char *lacks_raw(const struct syn_trace *trace, int32_t rank)
{
    const struct syn_rank_file *file = rank >= 0 ? syn_trace_rank(trace, rank) : NULL;
    return file ? syn_rank_lacks_raw(file) : NULL;
}

static int recover_open(struct syn_trace *trace, const char *directory)
{
    struct syn_recovered recovered;
    if (syn_trace_verify(trace) == 0) {
        syn_trace_remove_spent(trace);
        syn_print("{text}: is whole: nothing to recover", directory);
        return SYN_EXIT_OK;
    }
    size_t count, said = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
    for (size_t i = 0; i < count; i++)
        if (!lacks_raw(trace, faults[i].rank) && said++ < SYN_FAULTS_SAID)
            syn_print("{text}", faults[i].text);
    if (said > SYN_FAULTS_SAID)
        syn_print("{n} more faults", said - SYN_FAULTS_SAID);
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const char *spill = lacks_raw(trace, r);
        if (!spill)
            continue;
        const char *host = syn_rank_meta(syn_trace_rank(trace, r), "host.name");
        syn_bad_input("%s: left as it is: its last events are in %s on %s, and were not found "
                      "(recover it there, or with --spill DIR; --spill none: without them)",
                      syn_rank_file_path(syn_trace_rank(trace, r)), spill,
                      host ? host : "an unnamed host");
    }
    const int status = syn_trace_recover(trace, &recovered);
    if (status != SYN_OK)
        return syn_bad_input("%s: %s", directory,
                             status == SYN_EIO ? strerror(errno) : syn_status_text(status));
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    syn_words(&line, "{text}: recovered: {n} rank{s} rewritten, {n} whole already", directory,
              recovered.file_count, recovered.whole_count);
    if (recovered.missing_count)
        syn_words(&line, ", {n} missing", recovered.missing_count);
    if (recovered.left_count)
        syn_words(&line, ", {n} left as {it is|they are}", recovered.left_count);
    syn_words(&line, "; {count} event{s} kept", recovered.event_count);
    if (recovered.lost_event_count)
        syn_words(&line, ", at least {count} lost", recovered.lost_event_count);
    syn_print("{text}", syn_text_chars(&line));
    return recovered.left_count > 0 ? SYN_EXIT_BAD : SYN_EXIT_OK;
}

/* Claims the directory. Returns false, after an error line, if a run is recording there. If the
 * directory cannot be claimed for another reason, returns true. */
static bool claim_for(const char *directory, int *claim)
{
    if (syn_trace_hold(directory, claim) != SYN_EIO || errno != EBUSY)
        return true;
    syn_bad_input("%s: is still being recorded: recover it when the run has ended", directory);
    return false;
}

static bool is_being_recorded(const char *directory)
{
    int claim = -1;
    const bool free = claim_for(directory, &claim);
    syn_trace_release(claim);
    return !free;
}

static int recover_run(const struct syn_run_path *path)
{
    struct syn_trace *trace;
    int claim = -1;
    /* A run's files must not be rewritten while it is recording. The trace is opened without our
     * claim, since the reader would take that for the claim of a run. */
    if (is_being_recorded(path->directory))
        return SYN_EXIT_BAD;
    if (syn_runs_open(path, &trace) != SYN_OK)
        return SYN_EXIT_BAD;
    const int status =
        claim_for(path->directory, &claim) ? recover_open(trace, path->directory) : SYN_EXIT_BAD;
    syn_trace_close(trace);
    syn_trace_release(claim);
    return status;
}

static int take_spill(void *target, const char *value)
{
    (void)target;
    if (strcmp(value, "none") == 0)
        syn_rank_look_nowhere();
    else
        syn_rank_look_in(value);
    return 0;
}

static const struct syn_cli_option options[] = {
    {"spill", 0, "DIR", "/",
     "look for raw blocks there too (default: SYNCOPATE_SPILL, or where the rank put them, if "
     "this is its machine); none: do without them",
     "a directory, or none", take_spill},
};
static const struct syn_cli_section sections[] = {{NULL, options, 1, 0}};

static int run(int argc, char **argv)
{
    const int status = syn_cli_parse(&syn_command_recover, argc, argv, NULL);
    if (status != SYN_CLI_GOES_ON)
        return status;
    if (optind == argc)
        return syn_bad_usage("recover", "no trace given (see syncopate recover --help)");
    return syn_runs_each(argv + optind, (size_t)(argc - optind), recover_run);
}

const struct syn_cli_command syn_command_recover = {
    .name = "recover",
    .summary = "a whole trace out of what a killed program left behind",
    .usage = "syncopate recover [--spill DIR] TRACE...",
    .description = "Makes a whole trace, in place, out of what a killed program or a damaged disk "
                   "left. Every file that is unfinished or damaged is written anew. It gets all of "
                   "it that is readable, and the events of raw blocks: those in the trace, and "
                   "those that SYNCOPATE_SPILL=DIR put on this host (DIR/syncopate-*). Says what "
                   "was wrong and what is lost. A trace that is whole stays as it is, and so does "
                   "a rank whose raw blocks are on another host.",
    .section = sections,
    .section_count = 1,
    .notes = "Exit status: 0 done; 2 where there is nothing to recover, the trace is still being "
             "recorded, or a rank is left as it is.",
    .examples = "  syncopate recover syncopate-trace\n"
                "  syncopate recover --spill /dev/shm syncopate-trace",
    .run = run,
};
