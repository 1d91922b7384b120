/* preload/run/lifecycle/end.c - see end.h. */
#include "preload/run/lifecycle/end.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "preload/base/phases.h"
#include "preload/base/plain_locale.h"
#include "preload/base/say.h"
#include "preload/calls/messages.h"
#include "preload/calls/requests.h"
#include "preload/calls/spawn.h"
#include "preload/clocks/resync.h"
#include "preload/clocks/run_clock.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/endings.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/samples.h"
#include "preload/run/agree.h"
#include "preload/run/directory.h"
#include "preload/run/end_facts.h"
#include "preload/run/node_output.h"
#include "preload/run/output.h"
#include "preload/run/own_part.h"
#include "sync/base/integers.h"
#include "sync/base/names.h"
#include "sync/base/status.h"
#include "trace/base/guarded.h"
#include "trace/directory/manifest.h"

static void say_end(const struct syn_run *run, uint64_t event_count, uint64_t bytes,
                    int written_count)
{
    char events[32], of[32] = "", size[32] = "", moved[PATH_MAX], word[PATH_MAX];
    const char *where = syn_place_name(syn_output_place(), moved, sizeof moved);
    if (written_count < run->size)
        snprintf(of, sizeof of, "%d of ", written_count);
    const locale_t before = syn_plain_locale_begin();
    if (event_count > 0)
        snprintf(size, sizeof size, ", %.1f B an event", (double)bytes / (double)event_count);
    syn_plain_locale_end(before);
    syn_say(SYN_SAY_END, "%s events of %s%d rank%s in %s%s; syncopate report %s",
            syn_with_commas(event_count, events), of, run->size, run->size == 1 ? "" : "s", where,
            size, syn_shell_word(where, word, sizeof word));
}

/* Converts ticks by the final clock model. */
static int64_t global_ns(int64_t ticks)
{
    return syn_timeline_global(syn_run_clock_timeline(), syn_tick_source_local(&syn_ticks, ticks))
        .ns;
}

/* Writes the manifest, on rank 0, once it has all ranks' outcomes. Returns 0 or SYN_EIO (errno). */
static int write_manifest(const struct syn_run *run, const struct syn_outcome *all)
{
    struct syn_manifest manifest = {
        .size = run->size,
        .written_count = all->written_count,
        .event_count = all->event_count,
        .start_unix_ns = run->begin_unix_ns - (global_ns(run->begin_ticks) - all->begin_ns),
        .begin_ns = all->begin_ns,
        .duration_ns = all->end_ns - all->begin_ns,
    };
    memcpy(manifest.run_id, run->identity.run_id, sizeof manifest.run_id);
    return syn_manifest_write_in(syn_output_place(), &manifest);
}

/* Ends the run on rank 0. A failure here is reported unless there is an earlier one. */
static void conclude(const struct syn_run *run, const struct syn_outcome *all,
                     struct syn_loss *loss)
{
    static char why[PATH_MAX + 256];
    if (all->written_count > 0) {
        const int status = write_manifest(run, all);
        if (status != SYN_OK && !loss->status) {
            snprintf(why, sizeof why, "cannot write %s/%s: %s", run->options.directory,
                     SYN_MANIFEST_NAME, syn_guarded_text(errno));
            loss->status = status;
            loss->why = why;
        } else if (status == SYN_OK) {
            say_end(run, all->event_count, all->bytes, all->written_count);
        }
        syn_spawn_say_unrecorded(run->options.directory);
    }
    syn_directory_release();
}

/* Result of finishing this rank's file. */
struct finished {
    int status;
    uint64_t bytes;
};

/* Puts the file into the node file if possible, else finishes it by itself. */
static struct finished finish_file(const struct syn_run *run)
{
    struct syn_node_written written;
    const bool is_complete = syn_output_end(SYN_ENDING_FINALIZE) == SYN_OK;
    const enum syn_node_output result = syn_node_output(run, is_complete, &written);
    struct finished finished = {.bytes = written.bytes};
    switch (result) {
    case SYN_NODE_OUTPUT_IN:
        finished.status = syn_output_leave(SYN_OK);
        break;
    case SYN_NODE_OUTPUT_FAILED:
        syn_output_commit();
        finished.status = syn_output_leave(SYN_EIO);
        break;
    default: {
        finished.bytes = syn_output_bytes();
        const bool is_short = is_complete && syn_own_shorten(run, &finished.bytes);
        finished.status = is_short ? syn_output_leave(SYN_OK) : syn_output_commit();
    }
    }
    return finished;
}

/* Exchanges outcomes. The lowest rank with the worst status reports losses; rank 0 if there is no
 * failure. */
static void share_outcome(const struct syn_run *run, struct finished finished, int64_t end_ticks)
{
    const int status = finished.status;
    struct syn_loss loss = {.rank = run->rank, .size = run->size};
    struct syn_outcome own = {.status = status,
                              .rank = run->rank,
                              .lost_count = syn_recorder_lost_count(),
                              .memory_only = syn_durable_was_full(),
                              .begin_ns = global_ns(run->begin_ticks),
                              .end_ns = global_ns(end_ticks)};
    if (status == SYN_OK) {
        own.event_count = syn_output_event_count();
        own.bytes = finished.bytes;
        own.written_count = 1;
    }
    const struct syn_outcome all = syn_run_exchange(run, own);
    if (!syn_output_failure(&loss.why))
        loss.why = syn_status_text(all.status);
    loss.status = all.status;
    loss.call_count = all.lost_count;
    loss.memory_only_count = all.memory_only;
    if (run->rank == 0)
        conclude(run, &all, &loss);
    if (all.rank == run->rank)
        syn_end_facts_say_loss(&loss);
    syn_output_close();
}

void syn_run_end_together(struct syn_run *run)
{
    struct syn_phases phases;
    const int64_t end_ticks = syn_now();
    syn_open_finalize_again();
    syn_requests_give_up();
    syn_samples_stop();
    syn_phases_begin(&phases);
    syn_recorder_stop();
    run->link.measuring = run->measures;
    if (syn_run_clock_end(&run->transport))
        syn_say(SYN_SAY_CLOCK,
                "rank %d: the clocks could not be measured again; global times are less certain",
                run->rank);
    run->link.measuring = false;
    syn_phase_done(&phases, "clock");
    syn_output_normalize(syn_run_clock_timeline());
    syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
    syn_recorder_drain();
    syn_phase_done(&phases, "events");
    syn_output_meta(SYN_META_FINALIZE_TICKS, "%lld", (long long)end_ticks);
    syn_end_facts_write(&run->options, &run->transport, end_ticks - run->begin_ticks, &phases);
    share_outcome(run, finish_file(run), end_ticks);
    syn_endings_stop();
    /* Frees all that we have in MPI. */
    syn_comms_stop();
    if (run->finalize_keyval != MPI_KEYVAL_INVALID)
        syn_pmpi.Comm_free_keyval(&run->finalize_keyval);
    syn_pmpi_wait_sent(&run->link);
    syn_pmpi.Comm_free(&run->link.comm);
    syn_node_free(&run->node);
}

void syn_run_end_alone(const struct syn_run *run, enum syn_ending ending)
{
    struct syn_loss loss = {.rank = run->rank, .size = run->size};
    syn_durable_note(ending);
    syn_requests_give_up();
    syn_samples_stop();
    syn_recorder_stop();
    if (syn_resync_counts().measured_count > 0 && !syn_run_clock_collect())
        syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
    syn_output_normalize(syn_run_clock_timeline());
    if (syn_recorder_drain())
        return; /* what is written so far is readable */
    syn_end_facts_write_control();
    syn_output_open_calls();
    syn_output_finish(ending);
    loss.status = syn_output_failure(&loss.why);
    loss.call_count = syn_recorder_lost_count();
    if ((loss.status || loss.call_count > 0) && syn_output_reports_losses())
        syn_end_facts_say_loss(&loss);
}
