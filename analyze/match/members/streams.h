/* analyze/match/members/streams.h - the event streams of all ranks, and the choice of the stream to
 * read next. */
#ifndef SYN_STREAMS_H
#define SYN_STREAMS_H

#include "analyze/match/members/rank_names.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"

#define SYN_STREAM_OPS 32
/* Largest number of events read from one rank in a turn (a batch), before the ranks are compared
 * again. RATIONALE: with small batches the members of an instance are read shortly after one
 * another, while the instance is in the cache; with large ones the choice costs little. Pieces of a
 * chunk end where batches end. */
#define SYN_STREAM_BATCH 512

struct syn_rank_stream {
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    int32_t rank;
    struct syn_event_columns columns; /* the current chunk, or a piece of it */
    size_t next;                      /* index of the next event in `columns` */
    int64_t start_ns; /* start of the event after `columns`, once all of `columns` was read */
    size_t chunk_next, chunk_end; /* chunks of the file that are still to be read; all of them after
                                     syn_stream_open */
    uint64_t load_count;          /* chunks begun so far */
    bool is_short;                /* the next batch has at most SYN_PIECE_LEAST events */
    struct syn_rank_names *names; /* the rank's; borrowed */
    struct {
        bool known;
        uint16_t op;
        enum syn_op_class class;
    } op_class[SYN_STREAM_OPS]; /* class of operation op at place op mod SYN_STREAM_OPS */
};

/* Opens a stream at the start of its file. No chunk is read yet. names: NULL if they are not
 * needed. Returns 0, SYN_ENOMEM or SYN_EIO. The caller closes the stream in any case. */
int syn_stream_open(struct syn_rank_stream *stream, struct syn_rank_file *file, int32_t rank,
                    struct syn_rank_names *names);
/* Reads the next piece, or the next chunk that has events. Damaged chunks are skipped, and the file
 * lists them as faults. Returns 0, SYN_EEND, SYN_ENOMEM or SYN_EIO. */
int syn_stream_load(struct syn_rank_stream *stream);
void syn_stream_close(struct syn_rank_stream *stream);

/* A stream in the heap. RATIONALE: the time lies here, so that with very many streams the heap does
 * not touch the streams themselves. */
struct syn_stream_place {
    int64_t start_ns; /* start of the stream's next event */
    struct syn_rank_stream *stream;
};

struct syn_rank_streams {
    struct syn_scratch *scratch;    /* shared by the streams' cursors */
    struct syn_rank_stream *stream; /* [count], one for each readable rank; ascending in rank */
    size_t count;
    struct syn_stream_place *heap; /* [heap_count], by time; without streams at their end */
    size_t heap_count;
    bool begin_short; /* the first batch of each stream in a slice is short */
};

/* The memory of the streams. `piece` is the number of events of a chunk that a stream decodes at a
 * time (0: whole chunks). `bytes` is the approximate memory of all streams. Pieces are used if
 * whole chunks would take more than an eighth of memory_bytes (0: no limit), or more than a fixed
 * limit. */
struct syn_streams_plan {
    size_t piece;
    uint64_t bytes;
    bool begin_short; /* does not depend on memory_bytes */
};
struct syn_streams_plan syn_streams_plan(const struct syn_trace *trace, size_t memory_bytes);
/* Opens a stream for each readable rank, at no slice yet. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_open(struct syn_trace *trace, size_t memory_bytes,
                     const struct syn_trace_names *names, struct syn_rank_streams *out);
/* Moves all streams to a slice: chunks first[rank] .. end[rank] - 1. Returns 0, SYN_ENOMEM or
 * SYN_EIO. */
int syn_streams_seek(struct syn_rank_streams *streams, const uint32_t *first, const uint32_t *end);
void syn_streams_close(struct syn_rank_streams *streams);
/* Sets *front to the stream that is furthest behind in time, and decodes its next events if need
 * be. NULL: all streams are at their end. Decoding invalidates decoded pieces of other streams.
 * Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_front(struct syn_rank_streams *streams, struct syn_rank_stream **front);
/* Fetches the stream that is likely to come next into the cache, during the front stream's turn.
 * With very many ranks it is not in the cache. Each step needs the data of the step before, so the
 * caller spreads steps some hundred ns apart. syn_streams_advance does the last step. */
#define SYN_STREAM_STEPS 4
void syn_streams_fetch_next(const struct syn_rank_streams *streams, unsigned step);
/* Moves the front stream to its new place in the heap, after the caller has changed its `next`.
 * Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_advance(struct syn_rank_streams *streams);

/* Returns the class of an operation. The stream caches it. */
static inline enum syn_op_class syn_stream_class(struct syn_rank_stream *stream, uint16_t op)
{
    unsigned place = op % SYN_STREAM_OPS;
    if (__builtin_expect(!stream->op_class[place].known || stream->op_class[place].op != op, 0)) {
        stream->op_class[place].known = true;
        stream->op_class[place].op = op;
        stream->op_class[place].class = syn_op_class(op, syn_rank_op_name(stream->file, op));
    }
    return stream->op_class[place].class;
}

#endif
