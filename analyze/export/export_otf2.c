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
 * in a heap (otf2.h) until a row that starts later comes. */
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
    struct syn_moment_heap moments;
    struct stream *stream; /* [stream_count], of the rank being written */
    size_t stream_count;
    int32_t rank; /* -1: none yet */
    int32_t size;
    uint32_t *node; /* [size], name number of each rank's host; SYN_NO_NAME: the rank has no file */
    /* [location_count]; the first `size` are the first threads of the ranks */
    struct location_facts *location;
    size_t location_count;
    uint64_t call_count;
    int64_t origin_ns;
    char *temporary_path; /* of the archive until it is complete; NULL: it was renamed */
};

/* ---- errors ---- */

/* Keeps OTF2 from printing its own messages. */
static OTF2_ErrorCode keep_quiet(void *ctx, const char *file, const uint64_t line,
                                 const char *function, const OTF2_ErrorCode code,
                                 const char *format, va_list arguments)
{
    (void)ctx, (void)file, (void)line, (void)function, (void)format, (void)arguments;
    return code;
}

static int status_of(OTF2_ErrorCode code)
{
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

static OTF2_ErrorCode open_archive(struct archive *archive)
{
    static const OTF2_FlushCallbacks flushing = {flush, NULL};
    OTF2_Error_RegisterCallback(keep_quiet, NULL);
    archive->otf2 = OTF2_Archive_Open(
        archive->temporary_path, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
        OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (!archive->otf2)
        return OTF2_ERROR_FILE_INTERACTION;
    OTF2_ErrorCode code = OTF2_Archive_SetFlushCallbacks(archive->otf2, &flushing, NULL);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetSerialCollectiveCallbacks(archive->otf2);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_SetCreator(archive->otf2, "syncopate " SYN_VERSION);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_OpenEvtFiles(archive->otf2);
    archive->definitions.writer = OTF2_Archive_GetGlobalDefWriter(archive->otf2);
    archive->attributes = OTF2_AttributeList_New();
    if (code == OTF2_SUCCESS && (!archive->definitions.writer || !archive->attributes))
        code = OTF2_ERROR_MEM_ALLOC_FAILED;
    return code;
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
    OTF2_ErrorCode code = open_archive(archive);
    if (code == OTF2_SUCCESS)
        code = syn_otf2_begin(&archive->definitions, syn_run_span_ns(writer->run) + 1,
                              writer->start_unix_ns);
    return status_of(code);
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
static OTF2_ErrorCode enter(const struct archive *archive, struct stream *stream, int64_t time_ns,
                            struct open_region region)
{
    if (stream->depth == DEPTH_MAX)
        return OTF2_SUCCESS;
    stream->open[stream->depth++] = region;
    return OTF2_EvtWriter_Enter(stream->writer, archive->attributes,
                                ticks_of(archive, stream, time_ns), region.region);
}

/* Leaves regions, the youngest first, until `depth` are open. RATIONALE: OTF2 wants regions to
 * nest, but the calls of several threads overlap. So a region may be left early. */
static OTF2_ErrorCode leave_to(const struct archive *archive, struct stream *stream,
                               int64_t time_ns, unsigned depth)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (stream->depth > depth && code == OTF2_SUCCESS)
        code = OTF2_EvtWriter_Leave(stream->writer, NULL, ticks_of(archive, stream, time_ns),
                                    stream->open[--stream->depth].region);
    return code;
}

static OTF2_ErrorCode leave_call(const struct archive *archive, struct stream *stream,
                                 int64_t time_ns, uint64_t call)
{
    for (unsigned i = stream->depth; i-- > 0;)
        if (!stream->open[i].is_wait && stream->open[i].call == call)
            return leave_to(archive, stream, time_ns, i);
    return OTF2_SUCCESS;
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
static OTF2_ErrorCode begin_wait(struct archive *archive, struct stream *stream,
                                 const struct syn_moment *moment)
{
    struct open_region *open = find_open_wait(stream, moment->wait_start_ns);
    struct open_region region = {.call = moment->call,
                                 .is_wait = true,
                                 .wait_start_ns = moment->wait_start_ns,
                                 .pending_count = 1};
    if (open) {
        open->pending_count++;
        return OTF2_SUCCESS;
    }
    OTF2_ErrorCode code = syn_otf2_wait_region(&archive->definitions, &region.region);
    return code != OTF2_SUCCESS ? code : enter(archive, stream, moment->time_ns, region);
}

static uint32_t root_of(int32_t root)
{
    return root < 0 ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)root;
}

/* ---- messages ---- */

/* Returns whether OTF2 can record the message: it needs a communicator, a peer and a tag. */
static bool has_record(const struct syn_moment *moment)
{
    return syn_is_message(moment->op) && moment->comm != SYN_NO_COMM && moment->root >= 0 &&
           !(moment->message_bits & (SYN_MESSAGE_CANCELLED | SYN_MESSAGE_UNKNOWN));
}

/* Writes the record of a send, or the request of a nonblocking receive. */
static OTF2_ErrorCode post_message(struct archive *archive, struct stream *stream,
                                   const struct syn_moment *moment, bool blocking)
{
    const uint64_t ticks = ticks_of(archive, stream, moment->time_ns);
    if (!has_record(moment))
        return OTF2_SUCCESS;
    if (moment->message_bits & SYN_MESSAGE_RECEIVE)
        return blocking ? OTF2_SUCCESS
                        : OTF2_EvtWriter_MpiIrecvRequest(stream->writer, NULL, ticks, moment->call);
    return blocking ? OTF2_EvtWriter_MpiSend(stream->writer, NULL, ticks, (uint32_t)moment->root,
                                             moment->comm, (uint32_t)moment->tag, moment->bytes)
                    : OTF2_EvtWriter_MpiIsend(stream->writer, NULL, ticks, (uint32_t)moment->root,
                                              moment->comm, (uint32_t)moment->tag, moment->bytes,
                                              moment->call);
}

/* Writes the record of a receive, or the completion of a nonblocking send. */
static OTF2_ErrorCode complete_message(const struct archive *archive, struct stream *stream,
                                       const struct syn_moment *moment, bool blocking)
{
    const uint64_t ticks = ticks_of(archive, stream, moment->time_ns);
    if (!has_record(moment))
        return OTF2_SUCCESS;
    if (!(moment->message_bits & SYN_MESSAGE_RECEIVE))
        return blocking
                   ? OTF2_SUCCESS
                   : OTF2_EvtWriter_MpiIsendComplete(stream->writer, NULL, ticks, moment->call);
    return blocking ? OTF2_EvtWriter_MpiRecv(stream->writer, NULL, ticks, (uint32_t)moment->root,
                                             moment->comm, (uint32_t)moment->tag, moment->bytes)
                    : OTF2_EvtWriter_MpiIrecv(stream->writer, NULL, ticks, (uint32_t)moment->root,
                                              moment->comm, (uint32_t)moment->tag, moment->bytes,
                                              moment->call);
}

/* ---- records that were waiting for their time ---- */

/* Writes the record of a complete operation, and leaves the wait's region after its last
 * operation. */
static OTF2_ErrorCode complete_call(const struct archive *archive, struct stream *stream,
                                    const struct syn_moment *moment)
{
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code = complete_message(archive, stream, moment, false);
    struct open_region *open = find_open_wait(stream, moment->wait_start_ns);
    if (code == OTF2_SUCCESS && syn_otf2_op(moment->op, &op) && moment->comm != SYN_NO_COMM)
        code = OTF2_EvtWriter_NonBlockingCollectiveComplete(
            stream->writer, NULL, ticks_of(archive, stream, moment->time_ns), op, moment->comm,
            root_of(moment->root), moment->bytes, 0, moment->call);
    if (code == OTF2_SUCCESS && open && --open->pending_count == 0)
        code = leave_to(archive, stream, moment->time_ns, (unsigned)(open - stream->open));
    return code;
}

/* Writes the record of a blocking call that is over, and leaves its region. */
static OTF2_ErrorCode end_call(const struct archive *archive, struct stream *stream,
                               const struct syn_moment *moment)
{
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code = complete_message(archive, stream, moment, true);
    if (code == OTF2_SUCCESS && syn_otf2_op(moment->op, &op) && moment->comm != SYN_NO_COMM)
        code = OTF2_EvtWriter_MpiCollectiveEnd(
            stream->writer, NULL, ticks_of(archive, stream, moment->time_ns), op, moment->comm,
            root_of(moment->root), moment->bytes, 0);
    return code != OTF2_SUCCESS ? code : leave_call(archive, stream, moment->time_ns, moment->call);
}

/* Writes all waiting records up to a time, in order. */
static OTF2_ErrorCode write_moments_until(struct archive *archive, int64_t until_ns)
{
    struct syn_moment moment;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (code == OTF2_SUCCESS && syn_moments_pop(&archive->moments, until_ns, &moment)) {
        struct stream *stream = &archive->stream[moment.location];
        switch (moment.kind) {
        case SYN_MOMENT_CALL_END:
            code = end_call(archive, stream, &moment);
            break;
        case SYN_MOMENT_INITIATED:
            code = leave_call(archive, stream, moment.time_ns, moment.call);
            break;
        case SYN_MOMENT_WAIT_BEGIN:
            code = begin_wait(archive, stream, &moment);
            break;
        case SYN_MOMENT_COMPLETE:
            code = complete_call(archive, stream, &moment);
            break;
        }
    }
    return code;
}

/* ---- ranks ---- */

/* Writes the records that still wait, and closes the streams of the rank. */
static OTF2_ErrorCode finish_rank(struct archive *archive)
{
    OTF2_ErrorCode code = write_moments_until(archive, INT64_MAX);
    for (size_t i = 0; i < archive->stream_count && code == OTF2_SUCCESS; i++) {
        struct stream *stream = &archive->stream[i];
        code = OTF2_EvtWriter_GetNumberOfEvents(stream->writer,
                                                &archive->location[stream->location].event_count);
        if (code == OTF2_SUCCESS)
            code = OTF2_Archive_CloseEvtWriter(archive->otf2, stream->writer);
    }
    archive->stream_count = 0;
    return code;
}

static bool add_location(struct archive *archive, int32_t rank, uint32_t thread)
{
    struct location_facts *grown =
        realloc(archive->location, (archive->location_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    archive->location = grown;
    grown[archive->location_count++] = (struct location_facts){.rank = rank, .thread = thread};
    return true;
}

static struct stream *add_stream(struct archive *archive, uint32_t thread)
{
    struct stream *streams =
        realloc(archive->stream, (archive->stream_count + 1) * sizeof *streams);
    if (!streams)
        return NULL;
    archive->stream = streams;
    struct stream *stream = &streams[archive->stream_count];
    *stream = (struct stream){.thread = thread, .location = (OTF2_LocationRef)archive->rank};
    if (archive->stream_count > 0) {
        if (!add_location(archive, archive->rank, thread))
            return NULL;
        stream->location = archive->location_count - 1;
    }
    stream->writer = OTF2_Archive_GetEvtWriter(archive->otf2, stream->location);
    if (!stream->writer)
        return NULL;
    archive->stream_count++;
    return stream;
}

static struct stream *stream_of(struct archive *archive, uint32_t thread)
{
    for (size_t i = 0; i < archive->stream_count; i++)
        if (archive->stream[i].thread == thread)
            return &archive->stream[i];
    return add_stream(archive, thread);
}

static OTF2_ErrorCode begin_run(struct archive *archive, int32_t size)
{
    archive->size = size;
    archive->node = calloc((size_t)archive->size + 1, sizeof *archive->node);
    if (!archive->node)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    for (int32_t r = 0; r < archive->size; r++) {
        archive->node[r] = SYN_NO_NAME;
        if (!add_location(archive, r, 0))
            return OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    return OTF2_SUCCESS;
}

static int begin_rank(struct syn_export_writer *writer, const struct syn_export_rank *rank)
{
    struct archive *archive = writer->state;
    const char *host = syn_rank_meta(rank->file, "host.name");
    OTF2_ErrorCode code =
        archive->rank < 0 ? begin_run(archive, rank->comms->rank_count) : finish_rank(archive);
    archive->rank = rank->rank;
    if (code != OTF2_SUCCESS)
        return status_of(code);
    archive->node[rank->rank] = syn_names_id(rank->names, host ? host : "?");
    return archive->node[rank->rank] == SYN_NO_NAME || !add_stream(archive, 0) ? SYN_ENOMEM : 0;
}

/* ---- rows ---- */

/* Adds the source line of a call site as an attribute, if it is known. */
static OTF2_ErrorCode add_source_line(struct archive *archive, const struct syn_names *names,
                                      uint32_t site)
{
    OTF2_SourceCodeLocationRef line;
    OTF2_ErrorCode code = syn_otf2_source_line(&archive->definitions, names, site, &line);
    if (code != OTF2_SUCCESS || line == OTF2_UNDEFINED_SOURCE_CODE_LOCATION)
        return code;
    return OTF2_AttributeList_AddSourceCodeLocationRef(archive->attributes, SYN_OTF2_SOURCE_LINE,
                                                       line);
}

static OTF2_ErrorCode gather_attributes(struct archive *archive,
                                        const struct syn_export_writer *writer,
                                        const struct syn_row *row)
{
    OTF2_AttributeList *list = archive->attributes;
    OTF2_StringRef site, phase;
    const char *phase_name = syn_names_text(writer->rank.names, row->phase);
    OTF2_ErrorCode code =
        syn_otf2_name(&archive->definitions, writer->rank.names, row->site, &site);
    if (code == OTF2_SUCCESS)
        code = OTF2_AttributeList_AddStringRef(list, SYN_OTF2_SITE, site);
    if (code == OTF2_SUCCESS)
        code = add_source_line(archive, writer->rank.names, row->site);
    if (code == OTF2_SUCCESS)
        code = OTF2_AttributeList_AddUint64(list, SYN_OTF2_SEQUENCE, row->sequence);
    if (code == OTF2_SUCCESS)
        code = OTF2_AttributeList_AddUint64(list, SYN_OTF2_BYTES, row->bytes);
    if (code != OTF2_SUCCESS || !phase_name || !phase_name[0])
        return code;
    code = syn_otf2_name(&archive->definitions, writer->rank.names, row->phase, &phase);
    return code != OTF2_SUCCESS ? code
                                : OTF2_AttributeList_AddStringRef(list, SYN_OTF2_PHASE, phase);
}

/* Writes the records of a call's start. */
static OTF2_ErrorCode enter_call(struct archive *archive, struct syn_export_writer *writer,
                                 struct stream *stream, const struct syn_row *row, bool blocking)
{
    struct open_region region = {.call = archive->call_count};
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code =
        syn_otf2_region(&archive->definitions, row->op,
                        syn_rank_op_name(writer->rank.file, row->op), &region.region);
    if (code == OTF2_SUCCESS)
        code = gather_attributes(archive, writer, row);
    if (code == OTF2_SUCCESS)
        code = enter(archive, stream, row->start_ns, region);
    OTF2_AttributeList_RemoveAllAttributes(archive->attributes);
    if (code != OTF2_SUCCESS || !syn_otf2_op(row->op, &op))
        return code;
    const uint64_t ticks = ticks_of(archive, stream, row->start_ns);
    return blocking ? OTF2_EvtWriter_MpiCollectiveBegin(stream->writer, NULL, ticks)
                    : OTF2_EvtWriter_NonBlockingCollectiveRequest(stream->writer, NULL, ticks,
                                                                  archive->call_count);
}

/* Pushes the moments after a call's start: the end of a blocking call; or the return of a
 * nonblocking call, the start of the call that completes it, and its completion. */
static int push_moments(struct archive *archive, struct syn_moment moment,
                        const struct syn_row *row, bool blocking)
{
    if (blocking) {
        moment.kind = SYN_MOMENT_CALL_END;
        moment.time_ns = row->end_ns;
        return syn_moments_push(&archive->moments, moment);
    }
    moment.kind = SYN_MOMENT_INITIATED;
    moment.time_ns = row->call_end_ns;
    int status = syn_moments_push(&archive->moments, moment);
    if (status != SYN_OK || row->flags & (SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED))
        return status;
    moment.kind = SYN_MOMENT_WAIT_BEGIN;
    moment.time_ns = row->wait_start_ns;
    status = syn_moments_push(&archive->moments, moment);
    if (status != SYN_OK)
        return status;
    moment.kind = SYN_MOMENT_COMPLETE;
    moment.time_ns = row->end_ns;
    return syn_moments_push(&archive->moments, moment);
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
        return status_of(OTF2_ERROR_MEM_ALLOC_FAILED);
    const struct syn_moment moment = {.time_ns = row->start_ns,
                                      .location = (uint32_t)(stream - archive->stream),
                                      .call = archive->call_count,
                                      .wait_start_ns = row->wait_start_ns,
                                      .bytes = row->bytes,
                                      .comm = writer->rank.comms->place[row->rank][row->comm].comm,
                                      .root = row->is_message ? row->peer : row->root,
                                      .tag = row->tag,
                                      .message_bits = row->message_bits,
                                      .op = row->op};
    OTF2_ErrorCode code = write_moments_until(archive, row->start_ns);
    if (code == OTF2_SUCCESS)
        code = enter_call(archive, writer, stream, row, blocking);
    if (code == OTF2_SUCCESS)
        code = post_message(archive, stream, &moment, blocking);
    archive->call_count++;
    return code != OTF2_SUCCESS ? status_of(code) : push_moments(archive, moment, row, blocking);
}

/* ---- end ---- */

/* Writes the definitions of locations and communicators. RATIONALE: readers want the definition of
 * a location before that of a communicator that refers to it. A location's definition has its
 * number of events, which is known at the end only. */
static int run_end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    struct syn_names *names = writer->rank.names;
    OTF2_ErrorCode code = finish_rank(archive);
    /* A rank that has no file has an empty stream, as communicators have it as a member. */
    for (int32_t r = 0; r < archive->size && code == OTF2_SUCCESS; r++) {
        if (archive->node[r] != SYN_NO_NAME)
            continue;
        OTF2_EvtWriter *none = OTF2_Archive_GetEvtWriter(archive->otf2, (OTF2_LocationRef)r);
        archive->node[r] = syn_names_id(names, "?");
        code = none && archive->node[r] != SYN_NO_NAME
                   ? OTF2_Archive_CloseEvtWriter(archive->otf2, none)
                   : OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    for (int32_t r = 0; r < archive->size && code == OTF2_SUCCESS; r++)
        code = syn_otf2_process(&archive->definitions, names, r, archive->node[r]);
    for (size_t i = 0; i < archive->location_count && code == OTF2_SUCCESS; i++)
        code = syn_otf2_location(&archive->definitions, i, archive->location[i].rank,
                                 archive->location[i].thread, archive->location[i].event_count);
    if (code == OTF2_SUCCESS)
        code = syn_otf2_comms(&archive->definitions, writer->rank.comms, names);
    return code == OTF2_SUCCESS ? 0 : status_of(code);
}

/* Closes the archive, and renames it to its final path. */
static int end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    OTF2_ErrorCode code = OTF2_Archive_CloseEvtFiles(archive->otf2);
    /* Readers demand a file of definitions for each location: empty ones. */
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_OpenDefFiles(archive->otf2);
    for (size_t i = 0; i < archive->location_count && code == OTF2_SUCCESS; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive->otf2, i);
        code =
            local ? OTF2_Archive_CloseDefWriter(archive->otf2, local) : OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseDefFiles(archive->otf2);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->definitions.writer);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_Close(archive->otf2);
        archive->otf2 = NULL;
    }
    if (code != OTF2_SUCCESS)
        return status_of(code);
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
    char *part = NULL;
    struct statvfs disk;
    int why = EIO;
    if (asprintf(&part, "%s.part", path) < 0)
        return ENOMEM;
    if (statvfs(part, &disk) == 0 && disk.f_bavail == 0)
        why = ENOSPC;
    nftw(part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(part);
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
    syn_moments_free(&archive->moments);
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
                                                  .takes_messages = true,
                                                  .is_directory = true,
                                                  .close = close_archive,
                                                  .discard = discard};
