/* preload/run/lifecycle.c - see lifecycle.h.
 *
 * Everything here that involves other ranks happens on a communicator of our own, after MPI's own
 * initialization and before its own finalization. All ranks decide together whether they record: a
 * rank that cannot would leave the others waiting for its clock. */
#include "preload/run/lifecycle.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "preload/base/lock.h"
#include "preload/base/options.h"
#include "preload/base/phases.h"
#include "preload/base/plain_locale.h"
#include "preload/base/say.h"
#include "preload/calls/control.h"
#include "preload/calls/empty_call.h"
#include "preload/calls/messages.h"
#include "preload/calls/requests.h"
#include "preload/calls/spawn.h"
#include "preload/clocks/align.h"
#include "preload/clocks/opening.h"
#include "preload/clocks/resync.h"
#include "preload/clocks/run_clock.h"
#include "preload/comms/communicators.h"
#include "preload/comms/errors.h"
#include "preload/facts/factors.h"
#include "preload/mpi/pmpi.h"
#include "preload/mpi/transport_pmpi.h"
#include "preload/recorder/durable.h"
#include "preload/recorder/endings.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/samples.h"
#include "preload/recorder/stacks.h"
#include "preload/run/closing.h"
#include "preload/run/output.h"
#include "sync/collect.h"
#include "sync/model.h"
#include "sync/status.h"
#include "trace/held.h"
#include "trace/launch.h"
#include "trace/lists.h"
#include "trace/manifest.h"
#include "trace/spawned.h"

enum phase { IDLE, RECORDING, STOPPED };

static struct {
    enum phase phase;
    bool of_sessions; /* MPI_Init was not called (yet) */
    pid_t pid;        /* a forked child is not this run */
    struct syn_pmpi_link link;
    int rank, size;
    struct syn_opening opening; /* during the start */
    bool measures;              /* the clocks are compared by round trips */
    struct syn_phases init, finalize;
    struct syn_options options;
    struct syn_transport transport;
    struct syn_writer_identity identity;
    const char *kept_in_memory; /* why events do not outlive the process; NULL: they do */
    int64_t begin_ns;           /* MPI_Init's return, by CLOCK_MONOTONIC and by the wall clock */
    int64_t begin_unix_ns;
    int finalize_keyval;
    struct syn_held claim; /* of the directory, on rank 0: nobody else records there meanwhile */
} run = {.finalize_keyval = MPI_KEYVAL_INVALID, .claim = {.descriptor = -1}};

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t mpi_time_ns(void)
{
    return (int64_t)(syn_pmpi.Wtime() * 1e9);
}

/* ---- agreeing ---- */

/* How one rank fared; what rank 0 makes of all of them. */
struct outcome {
    int32_t status;
    int32_t rank; /* who speaks for the status */
    uint64_t event_count;
    uint64_t bytes;
    uint64_t lost_count;   /* calls */
    int32_t written_count; /* files */
    int32_t homeless;      /* ranks that had no room for a block on the disk */
};

/* The worst status and the lowest rank that has it; the sums of the rest. */
static void merge(struct outcome *into, const struct outcome *from)
{
    if (from->status < into->status) {
        into->status = from->status;
        into->rank = from->rank;
    }
    into->event_count += from->event_count;
    into->bytes += from->bytes;
    into->lost_count += from->lost_count;
    into->written_count += from->written_count;
    into->homeless += from->homeless;
}

/* All ranks' outcomes as one, the same on every rank. */
static struct outcome exchange(struct outcome own)
{
    const struct outcome broken = {.status = SYN_ETRANSPORT, .rank = run.rank};
    struct outcome *all = calloc((size_t)run.size, sizeof *all);
    struct outcome merged = {0};
    if (!all || syn_collect_gather(&run.transport, &own, sizeof own, all)) {
        free(all);
        return broken;
    }
    for (int i = 0; run.rank == 0 && i < run.size; i++)
        merge(&merged, &all[i]);
    free(all);
    return syn_collect_broadcast(&run.transport, &merged, sizeof merged) ? broken : merged;
}

static void say_unrecorded_because(const char *why)
{
    syn_say(SYN_SAY_FAILURE, "rank %d: %s; the run is not recorded", run.rank, why);
}

/* The worst of all ranks' statuses. The lowest rank that has it says why, in one line for the run.
 */
static int agree(int status, const char *why)
{
    const struct outcome all = exchange((struct outcome){.status = status, .rank = run.rank});
    if (all.status && all.rank == run.rank)
        say_unrecorded_because(why);
    return all.status;
}

/* ---- starting ---- */

/* RATIONALE: by group, not as a duplicate of MPI_COMM_WORLD: a duplicate costs its parent three of
 * the tags that Open MPI 4.1 numbers internal messages with, and so moved a program's
 * Dist_graph_create onto tags with which its ranks take one another's messages. MPICH has no such
 * numbers, but spins in Comm_create_group, which took 0.6 s for 64 ranks on 2 processors; a
 * nonblocking duplicate is waited for as we like. */
#ifdef OPEN_MPI
#define COMMUNICATOR_TAG 1 /* free again once the communicator is made */

static int make_communicator(void)
{
    MPI_Group world;
    if (syn_pmpi.Comm_group(syn_mpi.comm_world, &world))
        return SYN_ETRANSPORT;
    const int failed =
        syn_pmpi.Comm_create_group(syn_mpi.comm_world, world, COMMUNICATOR_TAG, &run.link.comm);
    syn_pmpi.Group_free(&world);
    return failed ? SYN_ETRANSPORT : SYN_OK;
}
#else
static int make_communicator(void)
{
    MPI_Request request;
    if (syn_pmpi.Comm_idup(syn_mpi.comm_world, &run.link.comm, &request))
        return SYN_ETRANSPORT;
    return syn_pmpi_await(&request, false);
}
#endif

/* `own` is ours; null: to be made. */
static int open_communicator(MPI_Comm own)
{
    run.link.comm = own;
    if ((own == syn_mpi.comm_null && make_communicator()) ||
        syn_pmpi.Comm_set_errhandler(run.link.comm, syn_mpi.errors_return) ||
        syn_transport_pmpi(&run.link, &run.transport))
        return SYN_ETRANSPORT;
    run.rank = run.transport.rank;
    run.size = run.transport.size;
    syn_phase_done(&run.init, "communicator");
    return SYN_OK;
}

/* Is there any rank to record? */
static bool records_some_rank(const char *ranks)
{
    bool any = ranks[0] == '\0';
    for (int rank = 0; rank < run.size && !any; rank++)
        any = syn_rank_list_has(ranks, rank);
    return any;
}

static void release_directory(void)
{
    syn_held_close(&run.claim);
}

static int prepare_directory(struct syn_options *options)
{
    int claim = -1;
    int status = syn_spawned() ? syn_spawned_place(options->directory, sizeof options->directory)
                               : SYN_EMISSING;
    if (status == SYN_EMISSING)
        status = syn_trace_claim(options->directory, &claim);
    syn_held_take(&run.claim, claim);
    return status;
}

/* Why this rank cannot go on: "" if it can. */
static char trouble[4096 + 256];

/* One process of several, of which its MPI knows nothing: the program is of another MPI than its
 * launcher, and each process a run of its own. They must not take the directory from one another.
 */
static void set_singleton_apart(struct syn_options *options)
{
    int rank = 0;
    const int launched = syn_launch_size(&rank);
    const size_t used = strlen(options->directory);
    if (run.size > 1 || launched < 2 || syn_spawned())
        return;
    if (rank == 0)
        syn_say(SYN_SAY_LAUNCH,
                "the launcher started %d processes, but the program's MPI knows of one: is it "
                "another MPI's launcher? Each is recorded as a run of its own, rank N's in "
                "%s.rank-N",
                launched, options->directory);
    else
        snprintf(options->directory + used, sizeof options->directory - used, ".rank-%d", rank);
}

/* Rank 0 alone. */
static void greet(struct syn_greeting *greeting, void *ctx)
{
    (void)ctx;
    syn_options_read(&greeting->options);
    if (!records_some_rank(greeting->options.ranks)) {
        greeting->status = SYN_EINVAL;
        snprintf(trouble, sizeof trouble, "SYNCOPATE_RANKS=%.200s names none of the %d rank%s",
                 greeting->options.ranks, run.size, run.size == 1 ? "" : "s");
        return;
    }
    if (getrandom(greeting->run_id, sizeof greeting->run_id, 0) != sizeof greeting->run_id)
        memcpy(greeting->run_id, &(int64_t){read_clock(CLOCK_REALTIME)}, sizeof(int64_t));
    snprintf(greeting->top_directory, sizeof greeting->top_directory, "%s",
             greeting->options.directory);
    set_singleton_apart(&greeting->options);
    greeting->status = prepare_directory(&greeting->options);
    if (!greeting->options.directory[0])
        snprintf(trouble, sizeof trouble, "the working directory was removed");
    else if (greeting->status)
        syn_trace_explain(greeting->status, greeting->options.directory, trouble, sizeof trouble);
}

/* Rank 0's word holds for all. */
static void heed(const struct syn_greeting *greeting)
{
    run.options = greeting->options;
    run.identity = (struct syn_writer_identity){.rank = run.rank, .size = run.size};
    memcpy(run.identity.run_id, greeting->run_id, sizeof greeting->run_id);
    syn_say_quiet(run.options.quiet);
    syn_spawn_start(greeting->top_directory);
    /* Ranks of one machine only verify that they share its clock. */
    run.measures = run.options.sync.method != SYN_SYNC_AUTO || run.options.test_skew[0] ||
                   run.options.clock == SYN_CLOCK_FUNCTION ||
                   !syn_opening_is_local(&run.opening, run.size);
}

/* After the clocks agreed: the file converts ticks with the rate that the ranks of a machine share.
 */
static int open_file(void)
{
    const char *text;
    syn_output_open(run.options.directory, &run.identity, run.options.level, &syn_ticks);
    const int status = syn_output_failure(&text);
    if (status)
        snprintf(trouble, sizeof trouble, "%s", text);
    return status;
}

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

static void write_sample_factors(void)
{
    char lacking[256];
    if (!run.options.samples)
        return;
    syn_samples_lacking(lacking, sizeof lacking);
    syn_output_meta("sample.interval_ns", "%d", SYN_SAMPLE_INTERVAL_NS);
    if (lacking[0])
        syn_output_meta("sample.lacking", "%s", lacking);
}

static void write_factors(void)
{
    const struct syn_options *options = &run.options;
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
                        syn_rank_list_has(options->ranks, run.rank) ? "yes" : "no");
    syn_output_meta("messages.recorded", "%s", syn_messages_on ? "yes" : "no");
    write_sample_factors();
    syn_output_meta("stack.depth", "%d", options->stack_depth);
    syn_output_meta("buffer.bytes", "%llu", (unsigned long long)options->buffer_bytes);
    syn_output_meta("buffer.storage", "%s%s", run.kept_in_memory ? "memory: " : "file",
                    run.kept_in_memory ? run.kept_in_memory : "");
    if (!run.kept_in_memory && options->spill[0])
        syn_output_meta("spill.directory", "%s", options->spill);
    syn_output_meta("output.level", "%d", options->level);
    if (run.opening.host_facts)
        syn_host_facts_emit(run.opening.host_facts, syn_output_emit, NULL);
    syn_factors_of_process(syn_output_emit, NULL);
}

static int start_recorder(void)
{
    const struct syn_recorder_options options = {
        .buffer_bytes = run.options.buffer_bytes,
        .stack_depth = run.options.stack_depth,
        .small_first = run.opening.node.crowded,
        .write = syn_output_entries,
        .declare = syn_output_declare,
        .sample = syn_sample_make,
    };
    syn_durable_open(syn_output_place(), run.options.spill, run.options.signals, &run.identity,
                     &run.kept_in_memory);
    pthread_atfork(NULL, NULL, syn_recorder_stop);
    pthread_atfork(NULL, NULL, release_directory);
    syn_stack_added = syn_recorder_declare_new;
    const bool records = syn_rank_list_has(run.options.ranks, run.rank) || !run.options.ranks[0];
    syn_messages_on = records && run.options.messages;
    syn_samples_start(records && run.options.samples);
    memcpy(syn_recorded, run.options.recorded, sizeof syn_recorded);
    syn_align_start(&run.options);
    syn_control_start(&run.options, run.rank);
    syn_resync_start(run.options.resync_s, &run.transport, run.measures ? &run.link : NULL);
    return syn_recorder_start(&options);
}

static int stop_at_finalize(MPI_Comm comm, int key, void *value, void *extra);

/* MPI_Finalize deletes the attributes of MPI_COMM_SELF before anything else, whatever language
 * calls it. */
static int hook_finalize(void)
{
    if (syn_pmpi.Comm_create_keyval(syn_attribute_not_copied, stop_at_finalize,
                                    &run.finalize_keyval, NULL) ||
        syn_pmpi.Comm_set_attr(syn_mpi.comm_self, run.finalize_keyval, NULL))
        return SYN_ETRANSPORT;
    return SYN_OK;
}

static int synchronize(void)
{
    run.link.measuring = run.measures;
    const int status = syn_run_clock_begin(&run.opening, &run.transport);
    run.link.measuring = false;
    if (status)
        snprintf(trouble, sizeof trouble, "the clocks could not be synchronized");
    return status;
}

/* The clocks. A rank that cannot go on takes part all the same where they are shared, so that the
 * ranks need not agree on that before; the agreement at the end hears of it. */
static int start_clock(void)
{
    int status = syn_run_clock_choose(&run.opening, mpi_time_ns, run.rank, run.size);
    int failed = status ? status : syn_comms_start(run.link.comm);
    if (!failed && !run.of_sessions)
        failed = syn_comms_add_world();
    if (failed)
        snprintf(trouble, sizeof trouble, "%s", syn_status_text(failed));
    if (!syn_run_clock_is_shared(&run.opening, run.size))
        status = agree(failed, trouble);
    if (!status)
        status = synchronize();
    syn_phase_done(&run.init, "clock");
    return failed ? failed : status;
}

/* What the profiler adds to every call from here on. */
static void write_empty_call(void)
{
    struct syn_empty_call cost;
    if (!syn_empty_call_measure(run.opening.node.crowded, &cost))
        return;
    syn_output_meta("cost.call_ns", "%.1f", cost.call_ns);
    syn_output_meta("cost.stack_ns", "%.1f", cost.stack_ns);
    syn_output_meta("cost.interval_ns", "%.1f", cost.interval_ns);
}

/* What each does for itself. */
static int make_ready(void)
{
    int status = run.of_sessions ? SYN_OK : hook_finalize();
    if (!status)
        status = open_file();
    syn_phase_done(&run.init, "file");
    if (!status)
        status = start_recorder();
    if (status && !trouble[0])
        snprintf(trouble, sizeof trouble, "no memory for the buffers");
    syn_phase_done(&run.init, "buffers");
    if (!status)
        write_empty_call();
    syn_phase_done(&run.init, "empty_call");
    if (!status) {
        write_factors();
        syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
        syn_output_flush();
    }
    syn_phase_done(&run.init, "factors");
    return status;
}

static void say_start(int64_t spent_ns)
{
    if (run.rank == 0)
        syn_say(SYN_SAY_START, "%s: recording %d rank%s to %s (%s clock, %lld ms)", SYN_VERSION,
                run.size, run.size == 1 ? "" : "s", run.options.directory,
                syn_sync_method_name(run.options.sync.method),
                (long long)((spent_ns + 500000) / 1000000));
}

static void begin_recording(void)
{
    const int64_t spent_ns = syn_phases_total_ns(&run.init);
    run.pid = getpid();
    run.begin_ns = read_clock(CLOCK_MONOTONIC);
    run.begin_unix_ns = read_clock(CLOCK_REALTIME);
    syn_output_meta("cost.init_ns", "%lld", (long long)spent_ns);
    syn_phases_emit(&run.init, "cost.init", syn_output_emit, NULL);
    say_start(spent_ns);
    if (run.options.signals) {
        syn_endings_watch(syn_durable_ending());
        syn_durable_guard();
    }
    __atomic_store_n(&run.phase, RECORDING, __ATOMIC_RELEASE);
}

static void give_up(void)
{
    syn_recorder_stop();
    syn_output_abandon();
    syn_pmpi.Comm_free(&run.link.comm);
}

static int attempted; /* to record */

bool syn_lifecycle_began(void)
{
    return __atomic_load_n(&attempted, __ATOMIC_ACQUIRE);
}

/* Everything up to the last agreement. Returns what all ranks agree on. */
static int start_together(void)
{
    struct syn_clock_offer offer;
    syn_run_clock_offer(&offer);
    int status = syn_opening_exchange(&run.transport, &offer, greet, NULL, &run.opening);
    if (status)
        return status; /* MPI itself has failed */
    heed(&run.opening.greeting);
    syn_phase_done(&run.init, "opening");
    status = run.opening.greeting.status;
    if (status && run.rank == 0)
        say_unrecorded_because(trouble);
    if (status)
        return status;
    status = start_clock();
    if (!status)
        status = make_ready();
    status = agree(status, trouble);
    syn_phase_done(&run.init, "agreement");
    return status;
}

/* After MPI's own initialization, on every rank; takes `own`, where there is one. Since the last
 * agreement waits for all, ranks leave MPI_Init together. */
static void start_unguarded(MPI_Comm own)
{
    syn_phases_begin(&run.init);
    if (open_communicator(own))
        return;
    syn_pmpi_learn(run.link.comm, run.of_sessions ? syn_mpi.comm_null : syn_mpi.comm_self);
    int status = start_together();
    if (syn_pmpi_settle(&run.link))
        status = SYN_ETRANSPORT;
    syn_opening_free(&run.opening);
    if (status)
        give_up();
    else
        begin_recording();
}

/* All ranks find the same; the first says it. */
static void say_unknown_handles(void)
{
    if (syn_launch_speaks())
        syn_say(SYN_SAY_FAILURE,
                "the handles of this MPI are not those of the part for %s; the run is not recorded",
                SYN_BACKEND_NAME);
}

static void start(MPI_Comm own)
{
    struct syn_errors_everywhere errors;
    if (!run.of_sessions && !syn_pmpi_handles_answer()) {
        say_unknown_handles();
        return;
    }
    const int cancel_state = syn_cancel_hold();
    if (!run.of_sessions) /* else neither of the two is there */
        syn_errors_hold_everywhere(&errors);
    start_unguarded(own);
    if (!run.of_sessions)
        syn_errors_release_everywhere(&errors);
    syn_cancel_restore(cancel_state);
}

/* A run that began in sessions goes on, and ends where others do. */
static void world_came(void)
{
    struct syn_errors_everywhere errors;
    if (!run.of_sessions || __atomic_load_n(&run.phase, __ATOMIC_ACQUIRE) != RECORDING)
        return;
    run.of_sessions = false;
    syn_errors_hold_everywhere(&errors);
    syn_comms_add_world();
    hook_finalize();
    syn_errors_release_everywhere(&errors);
}

/* ---- ending ---- */

static bool claim_end(void)
{
    enum phase recording = RECORDING;
    return run.pid == getpid() &&
           __atomic_compare_exchange_n(&run.phase, &recording, STOPPED, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_RELAXED);
}

static void say_end(uint64_t event_count, uint64_t bytes, int written_count)
{
    char events[32], of[32] = "", size[32] = "", moved[PATH_MAX];
    const char *where = syn_place_name(syn_output_place(), moved, sizeof moved);
    if (written_count < run.size)
        snprintf(of, sizeof of, "%d of ", written_count);
    const locale_t before = syn_plain_locale_begin();
    if (event_count > 0)
        snprintf(size, sizeof size, ", %.1f B an event", (double)bytes / (double)event_count);
    syn_plain_locale_end(before);
    syn_say(SYN_SAY_END, "%s events of %s%d rank%s in %s%s; syncopate report %s",
            syn_with_commas(event_count, events), of, run.size, run.size == 1 ? "" : "s", where,
            size, where);
}

/* Rank 0, when every rank has said how its file fared. */
static void conclude(const struct outcome *all, int64_t ended_ns)
{
    struct syn_manifest manifest = {
        .size = run.size,
        .written_count = all->written_count,
        .event_count = all->event_count,
        .start_unix_ns = run.begin_unix_ns,
        .duration_ns = ended_ns - run.begin_ns,
    };
    memcpy(manifest.run_id, run.identity.run_id, sizeof manifest.run_id);
    if (all->homeless > 0)
        syn_say(SYN_SAY_MEMORY,
                "%d of %d ranks kept blocks of events in memory, for the disk had no room for them",
                all->homeless, run.size);
    if (all->written_count == 0)
        return; /* why was said */
    if (syn_manifest_write_in(syn_output_place(), &manifest))
        syn_say(SYN_SAY_FAILURE, "cannot write %s/%s: %s", run.options.directory, SYN_MANIFEST_NAME,
                syn_held_text(errno));
    else
        say_end(all->event_count, all->bytes, all->written_count);
    syn_spawn_say_unrecorded(run.options.directory);
    release_directory();
}

static void share_outcome(int status, uint64_t bytes, int64_t ended_ns)
{
    const char *why;
    syn_output_failure(&why);
    struct outcome own = {.status = status,
                          .rank = run.rank,
                          .lost_count = syn_recorder_lost_count(),
                          .homeless = syn_durable_was_full()};
    if (!status) {
        own.event_count = syn_output_event_count();
        own.bytes = bytes;
        own.written_count = 1;
    }
    const struct outcome all = exchange(own);
    if (all.rank == run.rank)
        syn_closing_say_loss(run.rank, all.status, why, all.lost_count);
    if (run.rank == 0)
        conclude(&all, ended_ns);
    syn_output_close();
}

/* Nothing of ours is left in MPI. */
static void leave_mpi(void)
{
    struct syn_errors_everywhere errors;
    if (!run.of_sessions)
        syn_errors_hold_everywhere(&errors);
    syn_comms_stop();
    if (run.finalize_keyval != MPI_KEYVAL_INVALID)
        syn_pmpi.Comm_free_keyval(&run.finalize_keyval);
    syn_pmpi_settle(&run.link);
    syn_pmpi.Comm_free(&run.link.comm);
    if (!run.of_sessions)
        syn_errors_release_everywhere(&errors);
}

/* The regular end: inside MPI_Finalize, all ranks. */
static void stop_together(void)
{
    syn_requests_give_up();
    syn_samples_stop();
    syn_phases_begin(&run.finalize);
    syn_recorder_stop();
    run.link.measuring = run.measures;
    if (syn_run_clock_end(&run.transport))
        syn_say(SYN_SAY_CLOCK,
                "rank %d: the clocks could not be measured again; global times are less certain",
                run.rank);
    run.link.measuring = false;
    syn_phase_done(&run.finalize, "clock");
    syn_output_normalize(syn_run_clock_timeline());
    syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
    syn_recorder_drain();
    syn_phase_done(&run.finalize, "events");
    syn_closing_write(&run.options, &run.transport, run.finalize.begin_ns - run.begin_ns,
                      &run.finalize);
    const uint64_t bytes = syn_output_bytes();
    share_outcome(syn_output_finish(SYN_ENDING_FINALIZE), bytes, run.finalize.begin_ns);
    syn_endings_stop();
    leave_mpi();
}

static void stop(void)
{
    if (!claim_end())
        return;
    const int cancel_state = syn_cancel_hold();
    stop_together();
    syn_cancel_restore(cancel_state);
}

/* The end without MPI_Finalize: no other rank can be asked, so the clocks stay as they were
 * measured at the start. */
static void write_alone(enum syn_ending ending)
{
    const char *why;
    syn_durable_note(ending);
    syn_requests_give_up();
    syn_samples_stop();
    syn_recorder_stop();
    if (syn_resync_counts().measured_count > 0 && !syn_run_clock_collect())
        syn_output_clock(syn_run_clock_timeline(), syn_run_clock_sync());
    syn_output_normalize(syn_run_clock_timeline());
    if (syn_recorder_drain())
        return; /* what was written so far is readable */
    syn_closing_write_control();
    syn_output_finish(ending);
    syn_closing_say_loss(run.rank, syn_output_failure(&why), why, syn_recorder_lost_count());
}

static void stop_alone(enum syn_ending ending)
{
    if (!claim_end())
        return;
    const int cancel_state = syn_cancel_hold();
    write_alone(ending);
    syn_cancel_restore(cancel_state);
}

static int stop_at_finalize(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)comm;
    (void)key;
    (void)value;
    (void)extra;
    stop();
    return MPI_SUCCESS;
}

/* After the program's atexit functions (one of which may call MPI_Finalize): only then is it
 * certain that it does not. */
static __attribute__((destructor)) void stop_at_exit(void)
{
    stop_alone(SYN_ENDING_EXIT);
}

/* ---- the wrappers ---- */

void syn_lifecycle_begin(void)
{
    if (__atomic_exchange_n(&attempted, 1, __ATOMIC_ACQ_REL))
        world_came();
    else
        start(syn_mpi.comm_null);
}

bool syn_lifecycle_begin_sessions(MPI_Comm own)
{
    if (__atomic_exchange_n(&attempted, 1, __ATOMIC_ACQ_REL))
        return false;
    run.of_sessions = true;
    start(own);
    return __atomic_load_n(&run.phase, __ATOMIC_ACQUIRE) == RECORDING;
}

void syn_lifecycle_end_sessions(void)
{
    if (run.of_sessions)
        stop();
}

void syn_lifecycle_end(void)
{
    stop();
}

void syn_lifecycle_abort(void)
{
    stop_alone(SYN_ENDING_ABORT);
}

static int wrap_Init(int *argc, char ***argv)
{
    const int result = syn_next.Init(argc, argv);
    if (result == MPI_SUCCESS)
        syn_lifecycle_begin();
    return result;
}

static int wrap_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    const int result = syn_next.Init_thread(argc, argv, required, provided);
    if (result == MPI_SUCCESS)
        syn_lifecycle_begin();
    return result;
}

static int wrap_Finalize(void)
{
    stop();
    return syn_next.Finalize();
}

static int wrap_Abort(MPI_Comm comm, int code)
{
    stop_alone(SYN_ENDING_ABORT);
    return syn_next.Abort(comm, code);
}

size_t syn_lifecycle_add(struct syn_wrapper *wrappers)
{
    const struct {
        __typeof__(&MPI_Init) Init;
        __typeof__(&MPI_Init_thread) Init_thread;
        __typeof__(&MPI_Finalize) Finalize;
        __typeof__(&MPI_Abort) Abort;
    } typed = {wrap_Init, wrap_Init_thread, wrap_Finalize, wrap_Abort};
    wrappers[0] = (struct syn_wrapper){"MPI_Init", (void (*)(void))typed.Init};
    wrappers[1] = (struct syn_wrapper){"MPI_Init_thread", (void (*)(void))typed.Init_thread};
    wrappers[2] = (struct syn_wrapper){"MPI_Finalize", (void (*)(void))typed.Finalize};
    wrappers[3] = (struct syn_wrapper){"MPI_Abort", (void (*)(void))typed.Abort};
    return SYN_LIFECYCLE_WRAPPERS;
}
