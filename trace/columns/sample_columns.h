/* trace/columns/sample_columns.h - the samples of a chunk as columns of its payload
 * (docs/trace-format.md, "Samples").
 *
 * The recorder stores differences, which are fast to make. At the end of a run short files are
 * packed. The packer uses that samples follow calls, and that a thread either runs or waits for a
 * processor: so time, processor time and run delay predict one another. */
#ifndef SYN_SAMPLE_COLUMNS_H
#define SYN_SAMPLE_COLUMNS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "trace/base/records.h"
#include "trace/columns/columns.h"

/* The calls of a chunk, to which packed columns refer. */
struct syn_chunk_calls {
    size_t count;
    int64_t *gap; /* [count], owned */
    int64_t *end; /* [count + 1], owned: end[i] is the end of call i - 1; end[0] is the base */
};

/* Finds the calls of a chunk. Returns 0, SYN_EDAMAGED or SYN_ENOMEM. The caller frees *out in any
 * case. */
int syn_chunk_calls_find(const struct syn_columns_source *source, struct syn_chunk_calls *out);
void syn_chunk_calls_free(struct syn_chunk_calls *calls);

/* Appends `samples` [count > 0] as differences. */
void syn_samples_put(const struct syn_sample *samples, size_t count, struct syn_bytes *out);
/* Appends samples in few bytes. Returns 0 or SYN_ENOMEM. */
int syn_samples_pack(const struct syn_sample *samples, size_t count,
                     const struct syn_chunk_calls *calls, struct syn_bytes *out,
                     struct syn_columns_layout *layout);
/* Returns true if the samples of a chunk refer to its calls. */
bool syn_samples_need_calls(const struct syn_columns_source *source);
/* Decodes the samples of a chunk to *samples [*count], which the caller frees; NULL if there are
 * none. `calls` may be NULL if syn_samples_need_calls is false. Returns 0, SYN_EDAMAGED or
 * SYN_ENOMEM. */
int syn_samples_take(const struct syn_columns_source *source, const struct syn_chunk_calls *calls,
                     struct syn_sample **samples, size_t *count);

#endif
