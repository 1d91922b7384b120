/* preload/run/lifecycle/start.c - see start.h.
 *
 * After MPI's own initialization, ranks communicate on our own communicator:
 *     startup exchange: rank 0's options, who shares a machine, who may share a clock
 *     clock: choose it; measure the offsets, unless one machine's clock is shared
 *     without other ranks: file, buffers, cost of an empty call, factors
 *     agreement: record on all ranks or on none */
#include "preload/run/lifecycle/start.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "preload/base/large_stack.h"
#include "preload/base/lock.h"
#include "preload/base/own_code.h"
#include "preload/base/phases.h"
#include "preload/base/say.h"
#include "preload/calls/arguments/type_sizes.h"
#include "preload/calls/control/control.h"
#include "preload/calls/empty_call.h"
#include "preload/calls/messages.h"
#include "preload/calls/spawn.h"
#include "preload/clocks/align.h"
#include "preload/clocks/resync.h"
#include "preload/clocks/run_clock.h"
#include "preload/clocks/startup_exchange.h"
#include "preload/comms/communicators.h"
#include "preload/facts/factors.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/endings.h"
#include "preload/recorder/open_messages.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/samples.h"
#include "preload/recorder/stacks/stacks.h"
#include "preload/run/agree.h"
#include "preload/run/directory.h"
#include "preload/run/lifecycle/first_wait.h"
#include "preload/run/output.h"
#include "sync/base/status.h"
#include "sync/methods/model.h"
#include "trace/directory/lists.h"

/* State until the run has begun. */
struct start {
    struct syn_run *run;
    struct syn_startup startup;
    struct syn_phases phases;
    const char *kept_in_memory; /* why events do not outlive the process; NULL: they do */
    char failure[4096 + 256];   /* why this rank cannot record; "": it can */
};

/* Makes our communicator. RATIONALE: on Open MPI 4.1 from a group, since duplicating MPI_COMM_WORLD
 * takes three of the tags by which its parent numbers internal messages. That moved a program's
 * Dist_graph_create to tags with which its ranks received one another's messages. MPICH has no such
 * numbers, but spins in Comm_create_group, which took 0.6 s for 64 ranks on 2 processors. There a
 * nonblocking duplicate is waited for by syn_pmpi_await. */
#ifdef OPEN_MPI
#define COMMUNICATOR_TAG 1 /* free again when the communicator exists */

static int make_communicator(struct syn_run *run)
{
    MPI_Group world;
    if (syn_pmpi.Comm_group(syn_mpi.comm_world, &world))
        return SYN_ETRANSPORT;
    const int failed =
        syn_pmpi.Comm_create_group(syn_mpi.comm_world, world, COMMUNICATOR_TAG, &run->link.comm);
    syn_pmpi.Group_free(&world);
    return failed ? SYN_ETRANSPORT : SYN_OK;
}
#else
struct duplicate {
    MPI_Comm *out;
    int status;
};

static void duplicate_world(void *argument)
{
    struct duplicate *duplicate = argument;
    MPI_Request request;
    duplicate->status = SYN_ETRANSPORT;
    if (!syn_pmpi.Comm_idup(syn_mpi.comm_world, duplicate->out, &request))
        duplicate->status = syn_first_wait_complete(&request);
}

/* (MPICH takes 131 KB of the stack for the steps of a nonblocking duplicate.) */
static int make_communicator(struct syn_run *run)
{
    struct duplicate duplicate = {.out = &run->link.comm};
    syn_on_large_stack(duplicate_world, &duplicate);
    return duplicate.status;
}
#endif

/* Takes `own`, or makes a communicator if it is MPI_COMM_NULL. */
static int open_communicator(struct start *start, MPI_Comm own)
{
    struct syn_run *run = start->run;
    run->link.comm = own;
    const int failed = own == syn_mpi.comm_null && make_communicator(run);
    syn_first_wait_over(); /* all processes have taken part */
    if (failed || syn_pmpi.Comm_set_errhandler(run->link.comm, syn_mpi.errors_return) ||
        syn_transport_pmpi(&run->link, &run->transport))
        return SYN_ETRANSPORT;
    run->rank = run->transport.rank;
    run->size = run->transport.size;
    syn_phase_done(&start->phases, "communicator");
    return SYN_OK;
}

/* ---- the conditions of the run, written to the rank's file; docs/trace-format.md has the keys
 * ---- */

static void write_mpi_factors(void)
{
    char library[MPI_MAX_LIBRARY_VERSION_STRING] = "";
    int length = 0, version = 0, subversion = 0, level = MPI_THREAD_SINGLE;
    syn_pmpi.Get_library_version(library, &length);
    library[strcspn(library, "\n")] = '\0';
    for (char *tab = strchr(library, '\t'); tab; tab = strchr(tab, '\t'))
        *tab = ' ';
    syn_pmpi.Get_version(&version, &subversion);
    syn_pmpi.Query_thread(&level);
    syn_output_meta("mpi.name", "%s", library);
    syn_output_meta("mpi.version", "%d.%d", version, subversion);
    syn_output_meta("mpi.implementation", "%s", SYN_BACKEND_NAME);
    syn_output_meta("mpi.thread_level", "%s",
                    level == MPI_THREAD_SINGLE       ? "single"
                    : level == MPI_THREAD_FUNNELED   ? "funneled"
                    : level == MPI_THREAD_SERIALIZED ? "serialized"
                                                     : "multiple");
}

static void write_factors(const struct start *start)
{
    const struct syn_run *run = start->run;
    const struct syn_options *options = &run->options;
    const char *kept_in_memory = start->kept_in_memory;
    syn_output_meta("syncopate.version", "%s", SYN_VERSION);
    write_mpi_factors();
    syn_output_meta("sync.method", "%s", syn_sync_method_name(options->sync.method));
    syn_output_meta("sync.fitpoints", "%d", options->sync.fitpoint_count);
    syn_output_meta("sync.exchanges", "%d", options->sync.exchange_count);
    syn_output_meta("sync.budget_s", "%g", options->sync.budget_s);
    syn_output_meta(SYN_META_WANDER_TIME, "%d", SYN_WANDER_TIME_S);
    if (options->resync_s > 0)
        syn_output_meta("sync.resync_s", "%g", options->resync_s);
    syn_output_meta("clock.kind", "%s", syn_clock_kind_name(syn_ticks.kind));
    if (options->test_skew[0])
        syn_output_meta("test.skew", "%s", options->test_skew);
    syn_output_meta("align.method", "%s", syn_align_method_name(options->align));
    if (options->align == SYN_ALIGN_WINDOW)
        syn_output_meta("align.window_ns", "%lld", (long long)options->window_ns);
    if (options->ranks[0])
        syn_output_meta("rank.recorded", "%s",
                        syn_rank_list_has(options->ranks, run->rank) ? "yes" : "no");
    syn_output_meta("messages.recorded", "%s",
                    syn_message_events ? "events"
                    : syn_messages_on  ? "yes"
                                       : "no");
    if (options->samples) {
        char lacking[256];
        syn_samples_lacking(lacking, sizeof lacking);
        syn_output_meta("sample.interval_ns", "%d", SYN_SAMPLE_INTERVAL_NS);
        if (lacking[0])
            syn_output_meta("sample.lacking", "%s", lacking);
    }
    syn_output_meta("stack.depth", "%d", options->stack_depth);
    syn_output_meta("buffer.bytes", "%llu", (unsigned long long)options->buffer_bytes);
    syn_output_meta("buffer.storage", "%s%s", kept_in_memory ? "memory: " : "file",
                    kept_in_memory ? kept_in_memory : "");
    if (!kept_in_memory && options->spill[0])
        syn_output_meta("spill.directory", "%s", options->spill);
    syn_output_meta("output.level", "%d", options->level);
    if (start->startup.host_facts)
        syn_host_facts_emit(start->startup.host_facts, syn_output_emit, NULL);
    syn_factors_of_process(syn_output_emit, NULL);
}

/* ---- steps ---- */

/* Makes the proposal; on rank 0. */
static void propose(struct syn_startup_proposal *proposal, void *ctx)
{
    struct start *start = ctx;
    syn_options_read(&proposal->options);
    /* At least one rank must be recorded. */
    bool any = proposal->options.ranks[0] == '\0';
    for (int rank = 0; rank < start->run->size && !any; rank++)
        any = syn_rank_list_has(proposal->options.ranks, rank);
    if (!any) {
        proposal->status = SYN_EINVAL;
        snprintf(start->failure, sizeof start->failure,
                 "SYNCOPATE_RANKS=%.200s names none of the %d rank%s", proposal->options.ranks,
                 start->run->size, start->run->size == 1 ? "" : "s");
        return;
    }
    if (getrandom(proposal->run_id, sizeof proposal->run_id, 0) != sizeof proposal->run_id)
        memcpy(proposal->run_id, &(int64_t){syn_read_clock_ns(CLOCK_REALTIME)}, sizeof(int64_t));
    snprintf(proposal->top_directory, sizeof proposal->top_directory, "%s",
             proposal->options.directory);
    proposal->status = syn_directory_take(&proposal->options, start->run->size, start->failure,
                                          sizeof start->failure);
}

static int start_recorder(struct start *start)
{
    struct syn_run *run = start->run;
    const struct syn_recorder_options options = {
        .buffer_bytes = run->options.buffer_bytes,
        .stack_depth = run->options.stack_depth,
        .small_first = syn_node_is_packed(start->startup.node.member_count),
        .write = syn_output_entries,
        .new_batch = syn_output_new_batch,
        .write_batch = syn_output_batch,
        .write_declarations = syn_output_write_declarations,
        .declare = syn_output_declare,
        .write_due_declarations = syn_output_write_due_declarations,
        .sample = syn_sample_make,
        .take_open = syn_open_messages_take,
        .put_open = syn_open_messages_put,
        .leave = syn_samples_leave,
        .take_over = syn_samples_take_over,
    };
    syn_durable_open(syn_output_place(), run->options.spill, run->options.signals, &run->identity,
                     &start->kept_in_memory);
    if (!options.small_first)
        syn_output_warm_up();
    syn_locks_start(dlsym(RTLD_DEFAULT, "__libc_single_threaded")); /* glibc 2.32 and later */
    pthread_atfork(NULL, NULL, syn_recorder_stop);
    pthread_atfork(NULL, NULL, syn_directory_release);
    syn_stack_added = syn_recorder_declare_new;
    const bool records = syn_rank_list_has(run->options.ranks, run->rank) || !run->options.ranks[0];
    syn_messages_on = records && run->options.messages != SYN_MESSAGES_OFF;
    syn_message_events = records && run->options.messages == SYN_MESSAGES_EVENTS;
    syn_samples_start(records && run->options.samples);
    memcpy(syn_recorded, run->options.recorded, sizeof syn_recorded);
    syn_align_start(&run->options);
    syn_control_start(&run->options, run->rank);
    syn_resync_start(run->options.resync_s, &run->transport, run->measures ? &run->link : NULL);
    return syn_recorder_start(&options);
}

/* RATIONALE: MPI_Finalize deletes the attributes of MPI_COMM_SELF first, whatever language calls
 * it. */
int syn_run_hook_finalize(struct syn_run *run)
{
    if (syn_pmpi.Comm_create_keyval(SYN_ATTRIBUTE_NOT_COPIED, run->at_finalize,
                                    &run->finalize_keyval, NULL) ||
        syn_pmpi.Comm_set_attr(syn_mpi.comm_self, run->finalize_keyval, NULL))
        return SYN_ETRANSPORT;
    return SYN_OK;
}

static int synchronize(struct start *start)
{
    struct syn_run *run = start->run;
    run->link.measuring = run->measures;
    const int status = syn_run_clock_begin(&start->startup, &run->transport);
    run->link.measuring = false;
    if (status != SYN_OK)
        snprintf(start->failure, sizeof start->failure, "the clocks could not be synchronized");
    return status;
}

static int64_t mpi_time_ns(void)
{
    return (int64_t)(syn_pmpi.Wtime() * 1e9);
}

/* Chooses the clock and synchronizes. If the clock is shared, a rank that has failed takes part all
 * the same: no agreement is needed here, and the last one learns of the failure. */
static int start_clock(struct start *start)
{
    struct syn_run *run = start->run;
    int status = syn_run_clock_choose(&start->startup, mpi_time_ns, run->rank);
    int failed = status != SYN_OK ? status : syn_comms_start(run->link.comm);
    if (!failed && !run->of_sessions)
        failed = syn_comms_add_world();
    if (failed)
        snprintf(start->failure, sizeof start->failure, "%s", syn_status_text(failed));
    if (!syn_run_clock_is_shared(&start->startup, run->size))
        status = syn_run_agree(run, failed, start->failure);
    SYN_STEP(status, synchronize(start));
    syn_phase_done(&start->phases, "clock");
    return failed ? failed : status;
}

/* Prepares this rank, without other ranks. The file is opened after the clock was chosen: it has
 * the tick length, which the ranks of a machine share. */
static int make_ready(struct start *start)
{
    struct syn_run *run = start->run;
    int status = run->of_sessions ? SYN_OK : syn_run_hook_finalize(run);
    if (status == SYN_OK) {
        const char *text;
        syn_output_open(run->options.directory, &run->identity, run->options.level, &syn_ticks);
        status = syn_output_failure(&text);
        if (status != SYN_OK)
            snprintf(start->failure, sizeof start->failure, "%s", text);
    }
    syn_phase_done(&start->phases, "file");
    SYN_STEP(status, start_recorder(start));
    if (status != SYN_OK && !start->failure[0])
        snprintf(start->failure, sizeof start->failure, "no memory for the buffers");
    syn_phase_done(&start->phases, "buffers");
    struct syn_empty_call cost;
    if (status == SYN_OK && syn_empty_call_measure(start->startup.node.crowded, &cost)) {
        syn_output_meta("cost.call_ns", "%.1f", cost.call_ns);
        syn_output_meta("cost.stack_ns", "%.1f", cost.stack_ns);
        syn_output_meta("cost.interval_ns", "%.1f", cost.interval_ns);
    }
    syn_phase_done(&start->phases, "empty_call");
    if (status == SYN_OK) {
        write_factors(start);
        syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
        syn_output_flush();
    }
    syn_phase_done(&start->phases, "factors");
    return status;
}

static void note_begin(struct start *start)
{
    struct syn_run *run = start->run;
    const int64_t spent_ns = syn_phases_total_ns(&start->phases);
    run->begin_ticks = syn_now();
    run->begin_unix_ns = syn_read_clock_ns(CLOCK_REALTIME);
    syn_output_meta("cost.init_ns", "%lld", (long long)spent_ns);
    syn_phases_emit(&start->phases, "cost.init", syn_output_emit, NULL);
    if (run->rank == 0)
        syn_say(SYN_SAY_START, "%s: recording %d rank%s to %s (%s clock, %lld ms)", SYN_VERSION,
                run->size, run->size == 1 ? "" : "s", run->options.directory,
                syn_sync_method_name(run->options.sync.method),
                (long long)((spent_ns + 500000) / 1000000));
    if (run->options.signals) {
        syn_endings_watch(syn_durable_ending(), &syn_ticks);
        syn_durable_guard();
    }
    /* Prepares what the program's first calls would otherwise do for the first time. */
    struct syn_thread *self = syn_self;
    syn_own_code_touch();
    if (self && self->stacks)
        syn_stack_prefault(self->stacks);
    if (self)
        syn_types_learn_common(self);
    syn_samples_begin();
}

/* Returns true if the directory of --spill cannot be used. */
static bool lacks_spill(const struct start *start)
{
    const char *spill = start->run->options.spill;
    return start->kept_in_memory && spill[0] && strcmp(spill, "memory") != 0;
}

static int agree_at_end(const struct start *start, int status)
{
    const struct syn_outcome own = {
        .status = status, .rank = start->run->rank, .memory_only = lacks_spill(start)};
    const struct syn_outcome all = syn_run_settle(start->run, own, start->failure);
    if (all.status == SYN_OK) {
        /* Rank 0 reports for all ranks that a kill loses events. */
        int lacking_count = all.memory_only;
        const struct syn_run *run = start->run;
        const bool is_own = lacks_spill(start);
        if (run->rank == 0 && lacking_count > 0)
            syn_say(
                SYN_SAY_SPILL,
                "--spill %s: %d of %d ranks keep events in memory%s%s: a kill loses them, and what "
                "the ranks were inside of",
                run->options.spill, lacking_count, run->size, is_own ? ", " : "",
                is_own ? start->kept_in_memory : "");
    }
    return all.status;
}

/* Starts the run up to the last agreement. Returns a status that is the same on all ranks. */
static int start_together(struct start *start)
{
    struct syn_introduction self = {.node_key = syn_node_key()};
    syn_run_clock_offer(&self.offer);
    int status =
        syn_startup_exchange(&start->run->transport, &self, propose, start, &start->startup);
    if (status != SYN_OK)
        return status; /* MPI has failed */
    /* Adopts rank 0's proposal. */
    struct syn_run *run = start->run;
    run->options = start->startup.proposal.options;
    run->identity = (struct syn_writer_identity){.rank = run->rank, .size = run->size};
    memcpy(run->identity.run_id, start->startup.proposal.run_id,
           sizeof start->startup.proposal.run_id);
    syn_say_quiet(run->options.quiet);
    syn_spawn_start(start->startup.proposal.top_directory);
    /* With the default method, ranks of one machine only verify that they share its clock. */
    run->measures = run->options.sync.method != SYN_SYNC_AUTO || run->options.test_skew[0] ||
                    run->options.clock == SYN_CLOCK_FUNCTION ||
                    !syn_startup_is_local(&start->startup, run->size);
    syn_phase_done(&start->phases, "opening");
    status = start->startup.proposal.status;
    if (status != SYN_OK && start->run->rank == 0)
        syn_run_say_unrecorded(start->run, start->failure);
    if (status != SYN_OK)
        return status;
    status = start_clock(start);
    SYN_STEP(status, make_ready(start));
    status = agree_at_end(start, status);
    syn_phase_done(&start->phases, "agreement");
    return status;
}

/* RATIONALE: the last agreement waits for all ranks, so they leave MPI_Init together. */
bool syn_run_start(struct syn_run *run, MPI_Comm own)
{
    static struct start once; /* static: too large for the program's stack */
    struct start *start = &once;
    start->run = run;
    syn_phases_begin(&start->phases);
    if (open_communicator(start, own))
        return false;
    syn_pmpi_learn(run->link.comm, run->of_sessions ? syn_mpi.comm_null : syn_mpi.comm_self);
    int status = start_together(start);
    if (syn_pmpi_wait_sent(&run->link))
        status = SYN_ETRANSPORT;
    /* The list of this machine's ranks is needed again at the end. */
    start->run->node = start->startup.node;
    start->startup.node = (struct syn_node_ranks){0};
    syn_startup_free(&start->startup);
    if (status != SYN_OK) {
        syn_recorder_stop();
        syn_output_abandon();
        syn_node_free(&run->node);
        syn_pmpi.Comm_free(&run->link.comm);
    } else
        note_begin(start);
    return status == SYN_OK;
}
