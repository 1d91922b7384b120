/* analyze/match/members/streams.h - the ranks' event streams, side by side: which one to read on
 * next. */
#ifndef SYN_STREAMS_H
#define SYN_STREAMS_H

#include "analyze/match/members/rank_names.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"

#define SYN_STREAM_OPS 32
/* Events read from one rank before the ranks are compared again: few, so that members of an
 * instance are read soon after one another, while it is in the cache; many enough to hide the
 * choosing. Where a chunk is read in pieces, they end where such a batch does. */
#define SYN_STREAM_BATCH 512

struct syn_rank_stream {
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    int32_t rank;
    struct syn_event_columns columns; /* the current chunk, or piece of one */
    size_t next;                      /* element of it that comes next */
    int64_t start_ns;                 /* of the event behind them, where all of them were read */
    size_t chunk_next, chunk_end;     /* chunks of the file to read: until its end when opened */
    uint64_t load_count;              /* chunks begun so far */
    bool is_short;                    /* its next batch has SYN_PIECE_LEAST events only */
    struct syn_rank_names *names;     /* borrowed: the rank's, of whoever reads it */
    struct {
        bool known;
        uint16_t op;
        enum syn_op_class class;
    } op_class[SYN_STREAM_OPS]; /* of operation op at op mod so many */
};

/* A stream at the start of its file, no chunk read yet; names: NULL where nobody asks for any.
 * Returns 0, SYN_ENOMEM or SYN_EIO; close it in any case. */
int syn_stream_open(struct syn_rank_stream *stream, struct syn_rank_file *file, int32_t rank,
                    struct syn_rank_names *names);
/* The next chunk that has events; damaged ones are skipped, the file remembers them as faults.
 * 0, SYN_EEND, SYN_ENOMEM or SYN_EIO. */
int syn_stream_load(struct syn_rank_stream *stream);
void syn_stream_close(struct syn_rank_stream *stream);

/* With its time, so that of very many streams only those are touched that are read on. */
struct syn_stream_place {
    int64_t start_ns; /* of the stream's next event */
    struct syn_rank_stream *stream;
};

struct syn_rank_streams {
    struct syn_scratch *scratch;    /* of the streams' cursors */
    struct syn_rank_stream *stream; /* [count], one for each readable rank */
    size_t count;
    struct syn_stream_place *heap; /* [heap_count], by time; exhausted streams are not in it */
    size_t heap_count;
    bool begin_short; /* all begin a slice with a short batch */
};

/* How much of a chunk each stream has in memory: pieces of so many events (0: whole chunks), and
 * about how many bytes all have together. Of very many ranks the chunks would take more than
 * memory_bytes (0: no limit), or than what is reasonable. */
struct syn_streams_plan {
    size_t piece;
    uint64_t bytes;
    bool begin_short; /* whatever memory_bytes is */
};
struct syn_streams_plan syn_streams_plan(const struct syn_trace *trace, size_t memory_bytes);
/* A stream for each readable rank, nothing to read yet. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_open(struct syn_trace *trace, size_t memory_bytes,
                     const struct syn_trace_names *names, struct syn_rank_streams *out);
/* Read these chunks: [rank] first .. end - 1. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_seek(struct syn_rank_streams *streams, const uint32_t *first, const uint32_t *end);
void syn_streams_close(struct syn_rank_streams *streams);
/* The stream that is furthest behind in time, with events to read; NULL when all are at their end.
 * A piece of another stream's chunk is gone then. Returns 0, SYN_ENOMEM or SYN_EIO. */
int syn_streams_front(struct syn_rank_streams *streams, struct syn_rank_stream **front);
/* With very many ranks the cache has nothing of the one that comes next: it is fetched during the
 * front stream's turn, step by step, as each step is found through the one before: some hundred ns
 * apart. The last step is part of syn_streams_advance. */
#define SYN_STREAM_STEPS 4
void syn_streams_fetch_next(const struct syn_rank_streams *streams, unsigned step);
/* Put the front stream where it belongs after its `next` went on, to the end of a piece. Returns 0,
 * SYN_ENOMEM or SYN_EIO. */
int syn_streams_advance(struct syn_rank_streams *streams);

/* Returns the class of object that an operation works on. */
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
