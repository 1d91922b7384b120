/* analyze/check/check_command.c - `syncopate check`: verifies that a trace is whole and that its
 * ranks agree. */
#include <stdio.h>

#include "analyze/cli/cli.h"
#include "analyze/doc/doc.h"
#include "analyze/hang/page/hang_page.h"
#include "analyze/print/command.h"
#include "analyze/runs.h"
#include "analyze/symbols/symbols.h"
#include "sync/base/status.h"
#include "trace/read/reader.h"

/* Prints the numbers of sends and receives whose other half is not known, if there are any. Returns
 * 0 or a negative status. */
static int print_messages(const struct syn_trace *trace, const struct syn_comms *comms)
{
    SYN_CLEANUP(syn_message_numbers_free) struct syn_message_numbers numbers = {0};
    const int status = syn_message_numbers_make(trace, comms, &numbers);
    const struct syn_channel_counts *counts = &numbers.counts;
    if (status == SYN_OK &&
        counts->unmatched_count + counts->ambiguous_count + counts->missing_count > 0)
        syn_print("messages: {count} matched; {count} sends and receives unmatched, {count} "
                  "ambiguous, {count} missing",
                  counts->matched_count, counts->unmatched_count, counts->ambiguous_count,
                  counts->missing_count);
    return status;
}

/* Prints a line for each communicator whose ranks did not make the same call. */
static void print_mismatches(const struct syn_examination *examination)
{
    const struct syn_terminal terminal = syn_terminal_detect(true);
    SYN_CLEANUP(syn_doc_free) struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    syn_hang_write_mismatches(&doc, examination);
    syn_doc_write(&doc, &text);
    if (text.length > 0)
        fwrite(text.data, 1, text.length, stdout);
}

static int check_trace(const struct syn_run_path *path)
{
    struct syn_trace *trace;
    if (syn_runs_open(path, &trace) != SYN_OK)
        return SYN_EXIT_BAD;
    /* Verify the labels of call sites, too: a report shows them. */
    struct syn_symbols *symbols;
    int status = syn_symbols_open(&symbols);
    SYN_STEP(status, syn_symbols_take(symbols, trace));
    SYN_STEP(status, syn_trace_verify(trace));
    syn_symbols_close(symbols);
    if (status != SYN_OK) {
        size_t count;
        const struct syn_trace_fault *faults = syn_trace_faults(trace, &count);
        for (size_t i = 0; i < count; i++)
            syn_print("{text}", faults[i].text);
    } else {
        uint64_t event_count = 0, byte_count = 0;
        for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
            const struct syn_rank_file *file = syn_trace_rank(trace, rank);
            event_count += file ? syn_rank_event_count(file) : 0;
            byte_count += file ? syn_rank_file_bytes(file) : 0;
        }
        syn_print("{text}: whole: {n} rank{s}, {count} event{s}, {bytes}", path->directory,
                  syn_trace_size(trace), event_count, byte_count);
    }
    /* Count calls that the recorder had no space for. Even a whole trace lacks them. */
    int unknown = 0;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        const uint64_t lost = file ? syn_rank_end(file)->dropped_count : 0;
        unknown += file && syn_rank_loss_is_unknown(file);
        if (lost > 0)
            syn_print("rank {rank}: {count} call{ was|s were} lost: the recorder had no place for "
                      "{it|them}",
                      rank, lost);
    }
    if (unknown > 0)
        syn_print("{n} of {n} ranks: how many of their calls were lost is not known", unknown,
                  syn_trace_size(trace));
    struct syn_sight sight;
    const struct syn_hang_options options = SYN_HANG_OPTIONS;
    int seen = syn_sight_begin(&sight, trace, NULL, NULL, &options, true);
    if (seen == SYN_OK)
        seen = print_messages(trace, &sight.comms);
    if (seen != SYN_OK)
        syn_bad_input("%s: %s", path->directory, syn_status_text(seen));
    else
        print_mismatches(&sight.examination);
    const bool agree = seen == SYN_OK && sight.examination.mismatches.count == 0;
    syn_sight_end(&sight);
    syn_trace_close(trace);
    return status == SYN_OK && agree ? SYN_EXIT_OK : SYN_EXIT_NO;
}

static int run(int argc, char **argv)
{
    const int status = syn_cli_parse(&syn_command_check, argc, argv, NULL);
    if (status != SYN_CLI_GOES_ON)
        return status;
    char *const *paths;
    size_t path_count;
    if (syn_traces_given("check", argc, argv, &paths, &path_count))
        return SYN_EXIT_BAD;
    return syn_runs_each(paths, path_count, check_trace);
}

const struct syn_cli_command syn_command_check = {
    .name = "check",
    .summary = "is a trace whole, do its ranks agree? (0 yes, 1 no, 2 no trace)",
    .usage = "syncopate check [TRACE...]",
    .description =
        "Reads everything in a trace (or an experiment) and verifies every checksum. Says "
        "which ranks did not make the call that the others made.",
    .notes =
        "Exit status: 0 whole; 1 damaged, or ranks disagree, with a line for each fault; 2 not "
        "a trace.",
    .examples = "  syncopate check && echo whole\n"
                "  syncopate check before/run-0001",
    .run = run,
};
