/* preload/run/run_factors.c - see run_factors.h. docs/trace-format.md lists the keys. */
#include "preload/run/run_factors.h"

#include <string.h>

#include "preload/calls/messages.h"
#include "preload/clocks/align.h"
#include "preload/clocks/run_clock.h"
#include "preload/facts/factors.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/samples.h"
#include "preload/run/output.h"
#include "sync/methods/model.h"
#include "trace/directory/lists.h"

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

static void write_sample_factors(const struct syn_options *options)
{
    char lacking[256];
    if (!options->samples)
        return;
    syn_samples_lacking(lacking, sizeof lacking);
    syn_output_meta("sample.interval_ns", "%d", SYN_SAMPLE_INTERVAL_NS);
    if (lacking[0])
        syn_output_meta("sample.lacking", "%s", lacking);
}

void syn_run_write_factors(const struct syn_run *run, const struct syn_host_facts *host,
                           const char *kept_in_memory)
{
    const struct syn_options *options = &run->options;
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
    write_sample_factors(options);
    syn_output_meta("stack.depth", "%d", options->stack_depth);
    syn_output_meta("buffer.bytes", "%llu", (unsigned long long)options->buffer_bytes);
    syn_output_meta("buffer.storage", "%s%s", kept_in_memory ? "memory: " : "file",
                    kept_in_memory ? kept_in_memory : "");
    if (!kept_in_memory && options->spill[0])
        syn_output_meta("spill.directory", "%s", options->spill);
    syn_output_meta("output.level", "%d", options->level);
    if (host)
        syn_host_facts_emit(host, syn_output_emit, NULL);
    syn_factors_of_process(syn_output_emit, NULL);
}
