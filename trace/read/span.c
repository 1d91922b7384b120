/* trace/read/span.c - see span.h. */
#include "trace/read/span.h"

#include "sync/base/integers.h"
#include "trace/read/reader.h"

static void extend(struct syn_run_span *span, bool *any, int64_t begin_ns, int64_t end_ns)
{
    if (!syn_plausible_ns(begin_ns) || !syn_plausible_ns(end_ns) || end_ns < begin_ns)
        return;
    span->begin_ns = *any ? syn_least(begin_ns, span->begin_ns) : begin_ns;
    span->end_ns = *any ? syn_largest(end_ns, span->end_ns) : end_ns;
    *any = true;
}

struct syn_run_span syn_trace_event_span(const struct syn_trace *trace)
{
    struct syn_run_span span = {.is_of_events = true};
    struct syn_chunk_summary chunk;
    bool any = false;
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        for (size_t i = 0; file && syn_rank_chunk(file, i, &chunk); i++)
            extend(&span, &any, chunk.start_ns, chunk.end_ns);
    }
    return span;
}

struct syn_run_span syn_trace_span(const struct syn_trace *trace)
{
    const struct syn_manifest *manifest = syn_trace_manifest(trace);
    struct syn_run_span span = syn_trace_event_span(trace);
    bool any = span.begin_ns < span.end_ns;
    if (!manifest || manifest->duration_ns <= 0 || !syn_plausible_ns(manifest->duration_ns))
        return span;
    const int64_t begin_ns =
        manifest->begin_ns == SYN_BEGIN_UNKNOWN ? span.begin_ns : manifest->begin_ns;
    if (syn_plausible_ns(begin_ns))
        extend(&span, &any, begin_ns, begin_ns + manifest->duration_ns);
    span.is_of_events = false;
    return span;
}
