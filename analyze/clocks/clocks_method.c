/* analyze/clocks/clocks_method.c - tells the result of the default synchronization in words. */
#include <math.h>
#include <string.h>

#include "analyze/clocks/clocks.h"
#include "analyze/print/text.h"
#include "sync/base/integers.h"

/* Returns how many steps a rank is from rank 0 in the chain of reference ranks. Returns 0 if the
 * chain does not end at rank 0. */
static int32_t steps_of(struct syn_trace *trace, int32_t rank)
{
    const int32_t size = syn_trace_size(trace);
    int32_t steps = 0;
    while (rank > 0 && rank < size && steps <= size) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        const struct syn_sync_quality *quality = file ? syn_rank_quality(file) : NULL;
        rank = quality ? quality->reference_rank : -1;
        steps++;
    }
    return rank == 0 ? steps : 0;
}

void syn_clocks_method_words(struct syn_trace *trace, struct syn_text *out)
{
    double clocks = 0;
    int32_t farthest = 0;
    for (int32_t r = 0; r < syn_trace_size(trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, r);
        const char *method = file ? syn_rank_meta(file, "sync.method") : NULL;
        const struct syn_sync_quality *quality = file ? syn_rank_quality(file) : NULL;
        if (!quality)
            continue;
        if (!method || strcmp(method, "auto") != 0)
            return;
        clocks += 1.0 / (quality->group_size > 0 ? quality->group_size : 1);
        const int32_t steps = steps_of(trace, r);
        farthest = syn_largest(steps, farthest);
    }
    const long count = lround(clocks);
    if (count == 1)
        syn_text_string(out, "one clock for all ranks");
    else if (count > 1)
        syn_text_format(out, "%ld clocks, %d step%s at most from that of rank 0", count,
                        (int)farthest, farthest == 1 ? "" : "s");
}
