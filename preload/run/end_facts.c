/* preload/run/end_facts.c - see end_facts.h. */
#include "preload/run/end_facts.h"

#include <stdio.h>

#include "preload/base/say.h"
#include "preload/calls/control/control.h"
#include "preload/calls/messages.h"
#include "preload/clocks/align.h"
#include "preload/clocks/resync.h"
#include "preload/clocks/run_clock.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/samples.h"
#include "preload/recorder/stacks/stacks.h"
#include "preload/run/output.h"
#include "sync/time/clock.h"

static void write_alignment(const struct syn_options *options)
{
    struct syn_align_counts counts;
    if (!syn_align_active)
        return;
    syn_align_counts(&counts);
    syn_output_meta("rank.aligned_count", "%llu", (unsigned long long)counts.aligned_count);
    if (options->align == SYN_ALIGN_WINDOW) {
        syn_output_meta("rank.late_start_count", "%llu", (unsigned long long)counts.late_count);
        if (counts.given_up_count > 0)
            syn_output_meta("align.given_up_count", "%llu",
                            (unsigned long long)counts.given_up_count);
        syn_output_meta("rank.last_window_ns", "%lld", (long long)counts.window_ns);
    }
}

void syn_end_facts_write_control(void)
{
    struct syn_control_counts counts;
    syn_control_counts(&counts);
    if (counts.switch_count > 0)
        syn_output_meta("rank.switched_count", "%llu", (unsigned long long)counts.switch_count);
    if (counts.passed_count > 0)
        syn_output_meta("rank.passed_count", "%llu", (unsigned long long)counts.passed_count);
}

/* Writes how often the clocks were measured during the run, if --resync asked for it. */
static void write_resync(const struct syn_options *options, const struct syn_transport *transport,
                         int64_t run_ticks)
{
    const struct syn_resync_counts counts = syn_resync_counts();
    if (options->resync_s <= 0)
        return;
    syn_output_meta("sync.resync_count", "%llu", (unsigned long long)counts.measured_count);
    syn_output_meta("sync.resync_agreed_count", "%llu", (unsigned long long)counts.agreed_count);
    if (transport->rank == 0 && transport->size > 1 && counts.measured_count == 0 &&
        (double)syn_ticks_span_ns(&syn_ticks, run_ticks) > options->resync_s * 1e9)
        syn_say(
            SYN_SAY_CLOCK,
            "--resync: no barrier, allreduce, allgather or alltoall on MPI_COMM_WORLD came %g s "
            "into the run; the clocks were measured at its begin and end only",
            options->resync_s);
}

const char *syn_with_commas(uint64_t value, char buffer[32])
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)value);
    char *out = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *out++ = ',';
        *out++ = digits[i];
    }
    *out = '\0';
    return buffer;
}

void syn_end_facts_say_loss(const struct syn_loss *loss)
{
    char count[32];
    const char *are = loss->call_count == 1 ? " is" : "s are";
    syn_with_commas(loss->call_count, count);
    if (loss->status && loss->call_count > 0)
        syn_say(SYN_SAY_FAILURE, "rank %d: %s; the trace is incomplete, %s call%s lost", loss->rank,
                loss->why, count, are);
    else if (loss->status)
        syn_say(SYN_SAY_FAILURE, "rank %d: %s; the trace is incomplete", loss->rank, loss->why);
    else if (loss->call_count > 0)
        syn_say(SYN_SAY_FAILURE, "%s call%s lost: no memory was left, or no file", count, are);
    else if (loss->memory_only_count > 0)
        syn_say(SYN_SAY_FAILURE, "the disk was full: %d of %d ranks kept events in memory",
                loss->memory_only_count, loss->size);
}

void syn_end_facts_write(const struct syn_options *options, const struct syn_transport *transport,
                         int64_t run_ticks, const struct syn_phases *finalize)
{
    write_alignment(options);
    syn_end_facts_write_control();
    write_resync(options, transport, run_ticks);
    const struct syn_message_counts messages = syn_message_counts();
    if (syn_messages_on) {
        syn_output_meta("messages.call_count", "%llu", (unsigned long long)messages.call_count);
        syn_output_meta("messages.one_sided_count", "%llu",
                        (unsigned long long)messages.one_sided_count);
        syn_output_meta("messages.sum_ns", "%lld",
                        (long long)syn_ticks_span_ns(&syn_ticks, messages.sum_ticks));
    }
    if (syn_sample_count() > 0)
        syn_output_meta("sample.count", "%llu", (unsigned long long)syn_sample_count());
    struct syn_stack_counts stacks;
    const struct syn_sync *sync = syn_run_clock_sync();
    syn_stack_counts(&stacks);
    syn_output_meta("stack.learned_count", "%llu", (unsigned long long)stacks.learned_count);
    syn_output_meta("stack.walked_count", "%llu", (unsigned long long)stacks.walked_count);
    if (sync) {
        syn_output_meta("sync.begin_ns", "%lld", (long long)syn_sync_quality(sync)->begin_ns);
        syn_output_meta("sync.end_ns", "%lld", (long long)syn_sync_quality(sync)->end_ns);
    }
    const struct syn_recorder_pauses pauses = syn_recorder_pauses();
    syn_output_meta("cost.pause_count", "%llu", (unsigned long long)pauses.count);
    syn_output_meta("cost.pauses_ns", "%lld",
                    (long long)syn_ticks_span_ns(&syn_ticks, pauses.sum_ticks));
    syn_output_meta("cost.longest_pause_ns", "%lld",
                    (long long)syn_ticks_span_ns(&syn_ticks, pauses.longest_ticks));
    syn_phases_emit(finalize, "cost.finalize", syn_output_emit, NULL);
    syn_output_meta("cost.finalize_ns", "%lld", (long long)syn_phases_total_ns(finalize));
}
