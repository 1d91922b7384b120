/* analyze/export/export_otf2.c - writes an OTF2 archive (Open Trace Format 2), which Vampir,
 * Scalasca and otf2-print read. An archive is a directory with one run.
 *
 * A location is a thread of a rank, and has a stream of records in the order of time. A call is a
 * region: a record for entering it, one for leaving it, and OTF2's record of a collective or a
 * message in between. A nonblocking operation has a request, and the call that completes it is a
 * region, too. Facts for which OTF2 has no field (call site, sequence number, phase) are
 * attributes.
 *
 * Rows come in the order of their starts. So the records of a call's end and of its completion wait
 * in a heap until a row that starts later comes. */
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "analyze/export/otf2.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

/* Limit of regions that are open at once in one stream. Calls of one thread do not nest. But a
 * thread may complete operations of another one, and that call is a region in the stream of the
 * operation. */
#define DEPTH_MAX 16

struct open_region {
    uint64_t call;          /* number of the call; of a wait: of the first call that it completes */
    bool is_wait;           /* it is a call that completes nonblocking operations */
    int64_t wait_start_ns;  /* identifies a wait */
    uint32_t pending_count; /* of a wait: operations that it has not completed yet */
    OTF2_RegionRef region;
};

/* The records of one thread of the rank that is being written. */
struct stream {
    uint32_t thread;
    OTF2_EvtWriter *writer;
    OTF2_LocationRef location;
    uint64_t last_ticks; /* of the last record: ticks must not go back, even in a damaged trace */
    struct open_region open[DEPTH_MAX];
    unsigned depth;
};

/* A moment is a record to be written later than the start of the current row. Rows come in the
 * order of their starts, and a thread's records are in the order of time. But the ends and
 * completions of calls lie between the starts of later calls. So moments wait in a heap, the
 * earliest first. */
enum moment_kind {
    MOMENT_CALL_END,   /* a blocking call returns */
    MOMENT_INITIATED,  /* the initiating call of a nonblocking operation returns */
    MOMENT_WAIT_BEGIN, /* the completing call starts */
    MOMENT_COMPLETE    /* the completing call returns */
};

struct moment {
    int64_t time_ns;
    uint64_t order; /* orders moments of one time; ascending */
    enum moment_kind kind;
    uint32_t location; /* index of the thread's stream */
    uint64_t call;     /* number of the call */
    int64_t wait_start_ns;
    uint64_t bytes;
    uint32_t comm; /* index in the run's syn_comms */
    int32_t root;  /* of a message, its peer */
    int32_t tag;   /* of a message, as the bits below */
    uint16_t message_bits;
    uint16_t op;
};

struct moment_heap {
    struct moment *moment; /* [count], a binary heap */
    size_t count, capacity;
    uint64_t pushed_count;
};

/* Definition of a location. Definitions are written at the end, as OTF2 wants them in the order of
 * their numbers and with the number of events. */
struct location_facts {
    int32_t rank;
    uint32_t thread;
    uint64_t event_count;
};

struct archive {
    OTF2_Archive *otf2;
    OTF2_AttributeList *attributes;
    struct syn_otf2_definitions definitions;
    struct moment_heap moments;
    struct stream *stream; /* [stream_count], of the rank being written */
    size_t stream_count, stream_capacity;
    int32_t rank; /* -1: none yet */
    int32_t size;
    uint32_t *node; /* [size], name number of each rank's host; SYN_NO_NAME: the rank has no file */
    /* [location_count]; the first `size` are the first threads of the ranks */
    struct location_facts *location;
    size_t location_count, location_capacity;
    uint64_t call_count;
    int64_t origin_ns;
    char *temporary_path; /* of the archive until it is complete; NULL: it was renamed */
};

/* ---- the heap of moments ---- */

static bool is_before(const struct moment *a, const struct moment *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

static int push_moment(struct moment_heap *moments, struct moment moment)
{
    if (SYN_ROOM(moments->moment, moments->capacity, moments->count) != SYN_OK)
        return SYN_ENOMEM;
    moment.order = moments->pushed_count++;
    size_t at = moments->count++;
    for (; at > 0 && is_before(&moment, &moments->moment[(at - 1) / 2]); at = (at - 1) / 2)
        moments->moment[at] = moments->moment[(at - 1) / 2];
    moments->moment[at] = moment;
    return 0;
}

/* Removes the earliest moment, and copies it to *out. Returns false if it is after `until_ns`, or
 * if there is none. */
static bool pop_moment(struct moment_heap *moments, int64_t until_ns, struct moment *out)
{
    if (moments->count == 0 || moments->moment[0].time_ns > until_ns)
        return false;
    *out = moments->moment[0];
    const struct moment last = moments->moment[--moments->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < moments->count; at = child) {
        if (child + 1 < moments->count &&
            is_before(&moments->moment[child + 1], &moments->moment[child]))
            child++;
        if (!is_before(&moments->moment[child], &last))
            break;
        moments->moment[at] = moments->moment[child];
    }
    moments->moment[at] = last;
    return true;
}

/* ---- errors ---- */

/* Keeps OTF2 from printing its own messages. */
static OTF2_ErrorCode keep_quiet(void *ctx, const char *file, const uint64_t line,
                                 const char *function, const OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    (void)ctx, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

/* Calls OTF2, unless an earlier call has failed. */
#define CALL(archive, call) SYN_OTF2_CALL(&(archive)->definitions, call)

static bool has_failed(const struct archive *archive)
{
    return archive->definitions.code != OTF2_SUCCESS;
}

/* Returns the status of all calls so far. */
static int status_of(const struct archive *archive)
{
    const OTF2_ErrorCode code = archive->definitions.code;
    if (code == OTF2_SUCCESS)
        return 0;
    if (code == OTF2_ERROR_MEM_ALLOC_FAILED || code == OTF2_ERROR_MEM_FAULT)
        return SYN_ENOMEM;
    if (errno == 0)
        errno = EIO;
    return SYN_EIO;
}

/* ---- begin ---- */

/* Tells OTF2 to write a full buffer to its file. */
static OTF2_FlushType flush(void *ctx, OTF2_FileType type, OTF2_LocationRef location, void *caller,
                            bool last)
{
    (void)ctx, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}

static void open_archive(struct archive *archive)
{
    static const OTF2_FlushCallbacks flushing = {flush, NULL};
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
    archive->otf2 = OTF2_Archive_Open(
        archive->temporary_path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive->otf2) {
        CALL(archive, OTF2_ERROR_FILE_INTERACTION);
        return;
    }
    CALL(archive, OTF2_Archive_SetFlushCallbacks(archive->otf2, &flushing, NULL));
    CALL(archive, OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2));
    CALL(archive, OTF2_Archive_SetCreator(archive->otf2, "syncopate " SYN_VERSION));
    CALL(archive, OTF2_Archive_OpenEvtFiles(archive->otf2));
    archive->definitions.writer = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    archive->attributes = OTF2_AttributeList_New();
    if (!archive->definitions.writer || !archive->attributes)
        CALL(archive, OTF2_ERROR_MEM_ALLOC_FAILED);
}

/* Creates the archive. A path that exists is an error.
 *
 * Plan: check the path; make the temporary directory; open the archive in it; write the first
 * definitions (the clock among them). */
static int begin(struct syn_export_writer *writer)
{
    struct archive *archive = calloc(1, sizeof *archive);
    struct stat state;
    if (!archive)
        return SYN_ENOMEM;
    writer->state = archive;
    archive->rank = -1;
    archive->origin_ns = writer->run.begin_ns;
    if (lstat(writer->path, &state) == 0) {
        errno = EEXIST;
        return SYN_EIO;
    }
    if (asprintf(&archive->temporary_path, "%s.part", writer->path) < 0) {
        archive->temporary_path = NULL;
        return SYN_ENOMEM;
    }
    if (mkdir(archive->temporary_path, 0777)) {
        free(archive->temporary_path); /* it belongs to another export */
        archive->temporary_path = NULL;
        return SYN_EIO;
    }
    errno = 0;
    open_archive(archive);
    syn_otf2_begin(&archive->definitions, syn_run_span_ns(writer->run) + 1, writer->start_unix_ns);
    return status_of(archive);
}

/* ---- regions of a stream ---- */

/* Converts a time to ticks, which never go back within a stream. */
static uint64_t ticks_of(const struct archive *archive, struct stream *stream, int64_t time_ns)
{
    uint64_t ticks =
        time_ns > archive->origin_ns ? (uint64_t)time_ns - (uint64_t)archive->origin_ns : 0;
    stream->last_ticks = syn_largest(ticks, stream->last_ticks);
    return stream->last_ticks;
}

/* Enters a region, with the attributes in archive->attributes. Does nothing if too many are open.
 */
static void enter(struct archive *archive, struct stream *stream, int64_t time_ns,
                  struct open_region region)
{
    if (stream->depth == DEPTH_MAX)
        return;
    stream->open[stream->depth++] = region;
    CALL(archive, OTF2_EvtWriter_Enter(stream->writer, archive->attributes,
                                       ticks_of(archive, stream, time_ns), region.region));
}

/* Leaves regions, the youngest first, until `depth` are open. RATIONALE: OTF2 wants regions to
 * nest, but the calls of several threads overlap. So a region may be left early. */
static void leave_to(struct archive *archive, struct stream *stream, int64_t time_ns,
                     unsigned depth)
{
    while (stream->depth > depth) {
        const OTF2_RegionRef region = stream->open[--stream->depth].region;
        CALL(archive, OTF2_EvtWriter_Leave(stream->writer, NULL, ticks_of(archive, stream, time_ns),
                                           region));
    }
}

static void leave_call(struct archive *archive, struct stream *stream, int64_t time_ns,
                       uint64_t call)
{
    for (unsigned i = stream->depth; i-- > 0;)
        if (!stream->open[i].is_wait && stream->open[i].call == call) {
            leave_to(archive, stream, time_ns, i);
            return;
        }
}

static struct open_region *find_open_wait(struct stream *stream, int64_t wait_start_ns)
{
    for (unsigned i = stream->depth; i-- > 0;)
        if (stream->open[i].is_wait && stream->open[i].wait_start_ns == wait_start_ns)
            return &stream->open[i];
    return NULL;
}

/* Enters the region of a call that completes operations, or adds an operation to it if it is open
 * already: one MPI_Waitall completes many. */
static void begin_wait(struct archive *archive, struct stream *stream, const struct moment *moment)
{
    struct open_region *open = find_open_wait(stream, moment->wait_start_ns);
    const struct open_region region = {.call = moment->call,
                                       .is_wait = true,
                                       .wait_start_ns = moment->wait_start_ns,
                                       .pending_count = 1,
                                       .region = syn_otf2_wait_region(&archive->definitions)};
    if (open)
        open->pending_count++;
    else
        enter(archive, stream, moment->time_ns, region);
}

/* ---- messages ---- */

/* Returns whether OTF2 can record the message: it needs a communicator, a peer and a tag. */
static bool has_record(const struct moment *moment)
{
    return syn_is_message(moment->op) && moment->comm != SYN_NO_COMM && moment->root >= 0 &&
           !(moment->message_bits & (SYN_MESSAGE_CANCELLED | SYN_MESSAGE_UNKNOWN));
}

/* Writes what happens to a message where it is posted (`posts`): the record of a send, or the
 * request of a nonblocking receive; or where it is complete: the record of a receive, or the
 * completion of a nonblocking send. A blocking message has one record. */
static void put_message(struct archive *archive, struct stream *stream, const struct moment *moment,
                        bool blocking, bool posts)
{
    const uint64_t ticks = ticks_of(archive, stream, moment->time_ns), bytes = moment->bytes,
                   id = moment->call;
    const uint32_t peer = (uint32_t)moment->root, tag = (uint32_t)moment->tag, comm = moment->comm;
    const bool receives = moment->message_bits & SYN_MESSAGE_RECEIVE, has_all = receives != posts;
    OTF2_EvtWriter *to = stream->writer;
    if (!has_record(moment) || (!has_all && blocking))
        return;
    if (!has_all && receives)
        CALL(archive, OTF2_EvtWriter_MpiIrecvRequest(to, NULL, ticks, id));
    else if (!has_all)
        CALL(archive, OTF2_EvtWriter_MpiIsendComplete(to, NULL, ticks, id));
    else if (receives && blocking)
        CALL(archive, OTF2_EvtWriter_MpiRecv(to, NULL, ticks, peer, comm, tag, bytes));
    else if (receives)
        CALL(archive, OTF2_EvtWriter_MpiIrecv(to, NULL, ticks, peer, comm, tag, bytes, id));
    else if (blocking)
        CALL(archive, OTF2_EvtWriter_MpiSend(to, NULL, ticks, peer, comm, tag, bytes));
    else
        CALL(archive, OTF2_EvtWriter_MpiIsend(to, NULL, ticks, peer, comm, tag, bytes, id));
}

/* ---- records that were waiting for their time ---- */

/* Writes the record of an operation that is complete, and leaves its region: that of a blocking
 * call, or that of the completing call, once it has no other operation to complete. */
static void complete_call(struct archive *archive, struct stream *stream,
                          const struct moment *moment, bool blocking)
{
    OTF2_CollectiveOp op;
    const uint32_t root = moment->root < 0 ? OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)moment->root;
    put_message(archive, stream, moment, blocking, false);
    if (syn_otf2_op(moment->op, &op) && moment->comm != SYN_NO_COMM) {
        const uint64_t ticks = ticks_of(archive, stream, moment->time_ns);
        if (blocking)
            CALL(archive, OTF2_EvtWriter_MpiCollectiveEnd(stream->writer, NULL, ticks, op,
                                                          moment->comm, root, moment->bytes, 0));
        else
            CALL(archive, OTF2_EvtWriter_NonBlockingCollectiveComplete(
                              stream->writer, NULL, ticks, op, moment->comm, root, moment->bytes, 0,
                              moment->call));
    }
    struct open_region *open = blocking ? NULL : find_open_wait(stream, moment->wait_start_ns);
    if (blocking)
        leave_call(archive, stream, moment->time_ns, moment->call);
    else if (open && --open->pending_count == 0)
        leave_to(archive, stream, moment->time_ns, (unsigned)(open - stream->open));
}

/* Writes all waiting records up to a time, in order. */
static void write_moments_until(struct archive *archive, int64_t until_ns)
{
    struct moment moment;
    while (!has_failed(archive) && pop_moment(&archive->moments, until_ns, &moment)) {
        struct stream *stream = &archive->stream[moment.location];
        switch (moment.kind) {
        case MOMENT_CALL_END:
            complete_call(archive, stream, &moment, true);
            break;
        case MOMENT_INITIATED:
            leave_call(archive, stream, moment.time_ns, moment.call);
            break;
        case MOMENT_WAIT_BEGIN:
            begin_wait(archive, stream, &moment);
            break;
        case MOMENT_COMPLETE:
            complete_call(archive, stream, &moment, false);
            break;
        }
    }
}

/* ---- ranks ---- */

/* Writes the records that still wait, and closes the streams of the rank. */
static void finish_rank(struct archive *archive)
{
    write_moments_until(archive, INT64_MAX);
    for (size_t i = 0; i < archive->stream_count; i++) {
        struct stream *stream = &archive->stream[i];
        CALL(archive, OTF2_EvtWriter_GetNumberOfEvents(
                          stream->writer, &archive->location[stream->location].event_count));
        CALL(archive, OTF2_Archive_CloseEvtWriter(archive->otf2, stream->writer));
    }
    archive->stream_count = 0;
}

static void add_location(struct archive *archive, int32_t rank, uint32_t thread)
{
    if (SYN_ROOM(archive->location, archive->location_capacity, archive->location_count) == SYN_OK)
        archive->location[archive->location_count++] =
            (struct location_facts){.rank = rank, .thread = thread};
    else
        CALL(archive, OTF2_ERROR_MEM_ALLOC_FAILED);
}

/* Returns NULL if memory ran out. */
static struct stream *add_stream(struct archive *archive, uint32_t thread)
{
    const size_t own = (size_t)archive->rank;
    const size_t location = archive->stream_count > 0 ? archive->location_count : own;
    if (archive->stream_count > 0)
        add_location(archive, archive->rank, thread);
    OTF2_EvtWriter *writer =
        has_failed(archive) ? NULL : OTF2_Archive_GetEvtWriter(archive->otf2, location);
    if (!writer ||
        SYN_ROOM(archive->stream, archive->stream_capacity, archive->stream_count) != SYN_OK) {
        CALL(archive, OTF2_ERROR_MEM_ALLOC_FAILED);
        return NULL;
    }
    struct stream *stream = &archive->stream[archive->stream_count++];
    *stream = (struct stream){.thread = thread, .writer = writer, .location = location};
    return stream;
}

static struct stream *stream_of(struct archive *archive, uint32_t thread)
{
    for (size_t i = 0; i < archive->stream_count; i++)
        if (archive->stream[i].thread == thread)
            return &archive->stream[i];
    return add_stream(archive, thread);
}

static void begin_run(struct archive *archive, int32_t size)
{
    archive->size = size;
    archive->node = malloc(((size_t)size + 1) * sizeof *archive->node);
    if (!archive->node)
        CALL(archive, OTF2_ERROR_MEM_ALLOC_FAILED);
    for (int32_t r = 0; r < size && archive->node; r++) {
        archive->node[r] = SYN_NO_NAME;
        add_location(archive, r, 0);
    }
}

static int begin_rank(struct syn_export_writer *writer, const struct syn_export_rank *rank)
{
    struct archive *archive = writer->state;
    const char *host = syn_rank_meta(rank->file, "host.name");
    if (archive->rank < 0)
        begin_run(archive, rank->comms->rank_count);
    else
        finish_rank(archive);
    archive->rank = rank->rank;
    if (has_failed(archive))
        return status_of(archive);
    archive->node[rank->rank] = syn_names_id(rank->names, host ? host : "?");
    return archive->node[rank->rank] == SYN_NO_NAME || !add_stream(archive, 0) ? SYN_ENOMEM : 0;
}

/* ---- rows ---- */

/* Fills archive->attributes: the call site, its source line if it is known, sequence number, bytes,
 * and the phase if there is one. */
static void gather_attributes(struct archive *archive, const struct syn_names *names,
                              const struct syn_row *row)
{
    struct syn_otf2_definitions *definitions = &archive->definitions;
    OTF2_AttributeList *list = archive->attributes;
    const char *phase_name = syn_names_text(names, row->phase);
    const OTF2_StringRef site = syn_otf2_name(definitions, names, row->site);
    CALL(archive, OTF2_AttributeList_AddStringRef(list, SYN_OTF2_SITE, site));
    const OTF2_SourceCodeLocationRef line = syn_otf2_source_line(definitions, names, row->site);
    if (line != OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
        CALL(archive,
             OTF2_AttributeList_AddSourceCodeLocationRef(list, SYN_OTF2_SOURCE_LINE, line));
    CALL(archive, OTF2_AttributeList_AddUint64(list, SYN_OTF2_SEQUENCE, row->sequence));
    CALL(archive, OTF2_AttributeList_AddUint64(list, SYN_OTF2_BYTES, row->bytes));
    if (phase_name && phase_name[0]) {
        const OTF2_StringRef phase = syn_otf2_name(definitions, names, row->phase);
        CALL(archive, OTF2_AttributeList_AddStringRef(list, SYN_OTF2_PHASE, phase));
    }
}

/* Writes the records of a call's start. */
static void enter_call(struct archive *archive, struct syn_export_writer *writer,
                       struct stream *stream, const struct syn_row *row, bool blocking)
{
    const char *name = syn_rank_op_name(writer->rank.file, row->op);
    const struct open_region region = {.call = archive->call_count,
                                       .region =
                                           syn_otf2_region(&archive->definitions, row->op, name)};
    OTF2_CollectiveOp op;
    gather_attributes(archive, writer->rank.names, row);
    enter(archive, stream, row->start_ns, region);
    OTF2_AttributeList_RemoveAllAttributes(archive->attributes);
    if (!syn_otf2_op(row->op, &op))
        return;
    const uint64_t ticks = ticks_of(archive, stream, row->start_ns);
    if (blocking)
        CALL(archive, OTF2_EvtWriter_MpiCollectiveBegin(stream->writer, NULL, ticks));
    else
        CALL(archive, OTF2_EvtWriter_NonBlockingCollectiveRequest(stream->writer, NULL, ticks,
                                                                  archive->call_count));
}

static int push(struct archive *archive, struct moment moment, enum moment_kind kind,
                int64_t time_ns)
{
    moment.kind = kind;
    moment.time_ns = time_ns;
    return push_moment(&archive->moments, moment);
}

/* Pushes the moments after a call's start: the end of a blocking call; or the return of a
 * nonblocking call, the start of the call that completes it, and its completion. */
static int push_moments(struct archive *archive, struct moment moment, const struct syn_row *row,
                        bool blocking)
{
    if (blocking)
        return push(archive, moment, MOMENT_CALL_END, row->end_ns);
    int status = push(archive, moment, MOMENT_INITIATED, row->call_end_ns);
    if (row->flags & (SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED))
        return status;
    SYN_STEP(status, push(archive, moment, MOMENT_WAIT_BEGIN, row->wait_start_ns));
    return status == SYN_OK ? push(archive, moment, MOMENT_COMPLETE, row->end_ns) : status;
}

/* Plan: find the thread's stream; write all records until the row's start; write those of the
 * start; push the later ones. */
static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    struct archive *archive = writer->state;
    const bool blocking =
        row->is_message ? row->call_end_ns == row->end_ns && row->wait_start_ns == row->start_ns
                        : row->op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    struct stream *stream = stream_of(archive, row->thread);
    if (!stream)
        return SYN_ENOMEM;
    const struct moment moment = {.time_ns = row->start_ns,
                                  .location = (uint32_t)(stream - archive->stream),
                                  .call = archive->call_count,
                                  .wait_start_ns = row->wait_start_ns,
                                  .bytes = row->bytes,
                                  .comm = writer->rank.comms->place[row->rank][row->comm].comm,
                                  .root = row->is_message ? row->peer : row->root,
                                  .tag = row->tag,
                                  .message_bits = row->message_bits,
                                  .op = row->op};
    write_moments_until(archive, row->start_ns);
    enter_call(archive, writer, stream, row, blocking);
    put_message(archive, stream, &moment, blocking, true);
    archive->call_count++;
    return has_failed(archive) ? status_of(archive) : push_moments(archive, moment, row, blocking);
}

/* ---- end ---- */

/* Writes the definitions of locations and communicators. RATIONALE: readers want the definition of
 * a location before that of a communicator that refers to it. A location's definition has its
 * number of events, which is known at the end only. */
static int run_end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    struct syn_names *names = writer->rank.names;
    finish_rank(archive);
    /* A rank that has no file has an empty stream, as communicators have it as a member. */
    for (int32_t r = 0; r < archive->size && !has_failed(archive); r++) {
        if (archive->node[r] != SYN_NO_NAME)
            continue;
        OTF2_EvtWriter *none = OTF2_Archive_GetEvtWriter(archive->otf2, (OTF2_LocationRef)r);
        archive->node[r] = syn_names_id(names, "?");
        CALL(archive, none && archive->node[r] != SYN_NO_NAME
                          ? OTF2_Archive_CloseEvtWriter(archive->otf2, none)
                          : OTF2_ERROR_MEM_ALLOC_FAILED);
    }
    for (int32_t r = 0; r < archive->size && !has_failed(archive); r++)
        syn_otf2_process(&archive->definitions, names, r, archive->node[r]);
    for (size_t i = 0; i < archive->location_count; i++)
        syn_otf2_location(&archive->definitions, i, archive->location[i].rank,
                          archive->location[i].thread, archive->location[i].event_count);
    syn_otf2_comms(&archive->definitions, writer->rank.comms, names);
    return status_of(archive);
}

/* Closes the archive, and renames it to its final path. */
static int end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    CALL(archive, OTF2_Archive_CloseEvtFiles(archive->otf2));
    /* Readers demand a file of definitions for each location: empty ones. */
    CALL(archive, OTF2_Archive_OpenDefFiles(archive->otf2));
    for (size_t i = 0; i < archive->location_count && !has_failed(archive); i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive->otf2, i);
        CALL(archive, local ? OTF2_Archive_CloseDefWriter(archive->otf2, local)
                            : OTF2_ERROR_MEM_ALLOC_FAILED);
    }
    CALL(archive, OTF2_Archive_CloseDefFiles(archive->otf2));
    CALL(archive, OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->definitions.writer));
    CALL(archive, OTF2_Archive_Close(archive->otf2));
    if (has_failed(archive))
        return status_of(archive);
    if (rename(archive->temporary_path, writer->path))
        return SYN_EIO;
    free(archive->temporary_path);
    archive->temporary_path = NULL;
    return 0;
}

static int remove_one(const char *path, const struct stat *state, int type, struct FTW *place)
{
    (void)state, (void)type, (void)place;
    return remove(path);
}

/* Removes what a failed export has left. Returns an errno: ENOSPC if the disk is full, else EIO. */
static int discard(const char *path)
{
    SYN_FREED char *part = NULL;
    struct statvfs disk;
    int why = EIO;
    if (asprintf(&part, "%s.part", path) < 0)
        return ENOMEM;
    if (statvfs(part, &disk) == 0 && disk.f_bavail == 0)
        why = ENOSPC;
    nftw(part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    return why;
}

/* Frees the writer, and removes the temporary directory unless `end` has renamed it. RATIONALE: a
 * failed archive is not closed, as OTF2 would try to write it again. */
static void close_archive(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    const int kept_errno = errno;
    if (!archive)
        return;
    if (archive->temporary_path)
        nftw(archive->temporary_path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (archive->attributes)
        OTF2_AttributeList_Delete(archive->attributes);
    syn_otf2_free(&archive->definitions);
    free(archive->moments.moment);
    free(archive->stream);
    free(archive->node);
    free(archive->location);
    free(archive->temporary_path);
    free(archive);
    writer->state = NULL;
    errno = kept_errno;
}

const struct syn_export_format syn_export_otf2 = {.name = "otf2",
                                                  .begin = begin,
                                                  .rank = begin_rank,
                                                  .row = write_row,
                                                  .run_end = run_end,
                                                  .end = end,
                                                  .is_directory = true,
                                                  .close = close_archive,
                                                  .discard = discard};
