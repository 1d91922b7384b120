/* analyze/export/export_otf2.c - an OTF2 archive (Open Trace Format 2), as Vampir, Scalasca and
 * otf2-print read it.
 *
 * A location is a thread of a rank. A call is a region entered and left, with OTF2's record of a
 * collective inside; a nonblocking one has a request, and the call that completed it is a region as
 * well. What OTF2 does not know of a call (its site, its number, its phase) are attributes. It
 * wants one archive for one run, in a directory. */
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

/* Regions open at once in one thread: calls do not nest, completions of other threads may. */
#define DEPTH 16

struct open_region {
    uint64_t call; /* of a completing call: of the first that it completes */
    bool is_wait;
    int64_t wait_start_ns;
    uint32_t waiting; /* calls that the completing one still has to complete */
    OTF2_RegionRef region;
};

struct line {
    uint32_t thread;
    OTF2_EvtWriter *writer;
    OTF2_LocationRef location;
    uint64_t last_ticks; /* OTF2 wants them in order, even of a damaged trace */
    struct open_region open[DEPTH];
    unsigned depth;
};

/* Definitions of a location, written at the end: OTF2 wants definitions in the order of their
 * numbers. */
struct known_location {
    int32_t rank;
    uint32_t thread;
    uint64_t event_count;
};

struct archive {
    OTF2_Archive *otf2;
    OTF2_AttributeList *attributes;
    struct syn_otf2_definitions definitions;
    struct syn_moment_heap moments;
    struct line *line; /* [line_count], of the rank being written */
    size_t line_count;
    int32_t rank; /* -1: none yet */
    int32_t size;
    uint32_t *node; /* [size], name number; SYN_NO_NAME: no file of that rank */
    struct known_location
        *location; /* [location_count]; the first `size`: the ranks' first threads */
    size_t location_count;
    uint64_t call_count;
    int64_t origin_ns;
    char *part; /* where it is until it is whole */
};

/* ---- errors ---- */

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
        archive->part, "traces", OTF2_FILEMODE_WRITE, OTF2_CHUNK_SIZE_EVENTS_DEFAULT,
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
    if (asprintf(&archive->part, "%s.part", writer->path) < 0) {
        archive->part = NULL;
        return SYN_ENOMEM;
    }
    if (mkdir(archive->part, 0777)) {
        free(archive->part); /* not ours to remove */
        archive->part = NULL;
        return SYN_EIO;
    }
    errno = 0;
    OTF2_ErrorCode code = open_archive(archive);
    if (code == OTF2_SUCCESS)
        code = syn_otf2_begin(&archive->definitions, syn_run_span_ns(writer->run) + 1,
                              writer->start_unix_ns);
    return status_of(code);
}

/* ---- one line of time ---- */

static uint64_t ticks_of(const struct archive *archive, struct line *line, int64_t time_ns)
{
    uint64_t ticks =
        time_ns > archive->origin_ns ? (uint64_t)time_ns - (uint64_t)archive->origin_ns : 0;
    line->last_ticks = syn_largest(ticks, line->last_ticks);
    return line->last_ticks;
}

/* Enters a region unless too many are open; its attributes are those gathered. */
static OTF2_ErrorCode enter(const struct archive *archive, struct line *line, int64_t time_ns,
                            struct open_region region)
{
    if (line->depth == DEPTH)
        return OTF2_SUCCESS;
    line->open[line->depth++] = region;
    return OTF2_EvtWriter_Enter(line->writer, archive->attributes, ticks_of(archive, line, time_ns),
                                region.region);
}

/* Leaves what is on top down to `depth`: regions nest in OTF2, whatever threads complete for each
 * other. */
static OTF2_ErrorCode leave_to(const struct archive *archive, struct line *line, int64_t time_ns,
                               unsigned depth)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (line->depth > depth && code == OTF2_SUCCESS)
        code = OTF2_EvtWriter_Leave(line->writer, NULL, ticks_of(archive, line, time_ns),
                                    line->open[--line->depth].region);
    return code;
}

static OTF2_ErrorCode leave_call(const struct archive *archive, struct line *line, int64_t time_ns,
                                 uint64_t call)
{
    for (unsigned i = line->depth; i-- > 0;)
        if (!line->open[i].is_wait && line->open[i].call == call)
            return leave_to(archive, line, time_ns, i);
    return OTF2_SUCCESS;
}

static struct open_region *find_wait(struct line *line, int64_t wait_start_ns)
{
    for (unsigned i = line->depth; i-- > 0;)
        if (line->open[i].is_wait && line->open[i].wait_start_ns == wait_start_ns)
            return &line->open[i];
    return NULL;
}

/* One MPI_Waitall completes many. */
static OTF2_ErrorCode wait_begins(struct archive *archive, struct line *line,
                                  const struct syn_moment *moment)
{
    struct open_region *open = find_wait(line, moment->wait_start_ns);
    struct open_region region = {.call = moment->call,
                                 .is_wait = true,
                                 .wait_start_ns = moment->wait_start_ns,
                                 .waiting = 1};
    if (open) {
        open->waiting++;
        return OTF2_SUCCESS;
    }
    OTF2_ErrorCode code = syn_otf2_wait_region(&archive->definitions, &region.region);
    return code != OTF2_SUCCESS ? code : enter(archive, line, moment->time_ns, region);
}

static uint32_t root_of(int32_t root)
{
    return root < 0 ? (uint32_t)OTF2_COLLECTIVE_ROOT_NONE : (uint32_t)root;
}

/* ---- messages ---- */

/* Has OTF2 a record of such a message? It wants a communicator, a peer and a tag. */
static bool is_told(const struct syn_moment *moment)
{
    return syn_is_message(moment->op) && moment->comm != SYN_NO_COMM && moment->root >= 0 &&
           !(moment->message_bits & (SYN_MESSAGE_CANCELLED | SYN_MESSAGE_UNKNOWN));
}

/* As a message is posted: the record of a send; or the request of a receive. */
static OTF2_ErrorCode post_message(struct archive *archive, struct line *line,
                                   const struct syn_moment *moment, bool blocking)
{
    const uint64_t ticks = ticks_of(archive, line, moment->time_ns);
    if (!is_told(moment))
        return OTF2_SUCCESS;
    if (moment->message_bits & SYN_MESSAGE_RECEIVE)
        return blocking ? OTF2_SUCCESS
                        : OTF2_EvtWriter_MpiIrecvRequest(line->writer, NULL, ticks, moment->call);
    return blocking ? OTF2_EvtWriter_MpiSend(line->writer, NULL, ticks, (uint32_t)moment->root,
                                             moment->comm, (uint32_t)moment->tag, moment->bytes)
                    : OTF2_EvtWriter_MpiIsend(line->writer, NULL, ticks, (uint32_t)moment->root,
                                              moment->comm, (uint32_t)moment->tag, moment->bytes,
                                              moment->call);
}

/* As it is complete. */
static OTF2_ErrorCode complete_message(const struct archive *archive, struct line *line,
                                       const struct syn_moment *moment, bool blocking)
{
    const uint64_t ticks = ticks_of(archive, line, moment->time_ns);
    if (!is_told(moment))
        return OTF2_SUCCESS;
    if (!(moment->message_bits & SYN_MESSAGE_RECEIVE))
        return blocking ? OTF2_SUCCESS
                        : OTF2_EvtWriter_MpiIsendComplete(line->writer, NULL, ticks, moment->call);
    return blocking ? OTF2_EvtWriter_MpiRecv(line->writer, NULL, ticks, (uint32_t)moment->root,
                                             moment->comm, (uint32_t)moment->tag, moment->bytes)
                    : OTF2_EvtWriter_MpiIrecv(line->writer, NULL, ticks, (uint32_t)moment->root,
                                              moment->comm, (uint32_t)moment->tag, moment->bytes,
                                              moment->call);
}

static OTF2_ErrorCode completes(const struct archive *archive, struct line *line,
                                const struct syn_moment *moment)
{
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code = complete_message(archive, line, moment, false);
    struct open_region *open = find_wait(line, moment->wait_start_ns);
    if (code == OTF2_SUCCESS && syn_otf2_op(moment->op, &op) && moment->comm != SYN_NO_COMM)
        code = OTF2_EvtWriter_NonBlockingCollectiveComplete(
            line->writer, NULL, ticks_of(archive, line, moment->time_ns), op, moment->comm,
            root_of(moment->root), moment->bytes, 0, moment->call);
    if (code == OTF2_SUCCESS && open && --open->waiting == 0)
        code = leave_to(archive, line, moment->time_ns, (unsigned)(open - line->open));
    return code;
}

static OTF2_ErrorCode call_ends(const struct archive *archive, struct line *line,
                                const struct syn_moment *moment)
{
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code = complete_message(archive, line, moment, true);
    if (code == OTF2_SUCCESS && syn_otf2_op(moment->op, &op) && moment->comm != SYN_NO_COMM)
        code = OTF2_EvtWriter_MpiCollectiveEnd(
            line->writer, NULL, ticks_of(archive, line, moment->time_ns), op, moment->comm,
            root_of(moment->root), moment->bytes, 0);
    return code != OTF2_SUCCESS ? code : leave_call(archive, line, moment->time_ns, moment->call);
}

static OTF2_ErrorCode pass_until(struct archive *archive, int64_t until_ns)
{
    struct syn_moment moment;
    OTF2_ErrorCode code = OTF2_SUCCESS;
    while (code == OTF2_SUCCESS && syn_moments_pop(&archive->moments, until_ns, &moment)) {
        struct line *line = &archive->line[moment.location];
        switch (moment.kind) {
        case SYN_MOMENT_CALL_END:
            code = call_ends(archive, line, &moment);
            break;
        case SYN_MOMENT_INITIATED:
            code = leave_call(archive, line, moment.time_ns, moment.call);
            break;
        case SYN_MOMENT_WAIT_BEGIN:
            code = wait_begins(archive, line, &moment);
            break;
        case SYN_MOMENT_COMPLETE:
            code = completes(archive, line, &moment);
            break;
        }
    }
    return code;
}

/* ---- ranks ---- */

static OTF2_ErrorCode finish_rank(struct archive *archive)
{
    OTF2_ErrorCode code = pass_until(archive, INT64_MAX);
    for (size_t i = 0; i < archive->line_count && code == OTF2_SUCCESS; i++) {
        struct line *line = &archive->line[i];
        code = OTF2_EvtWriter_GetNumberOfEvents(line->writer,
                                                &archive->location[line->location].event_count);
        if (code == OTF2_SUCCESS)
            code = OTF2_Archive_CloseEvtWriter(archive->otf2, line->writer);
    }
    archive->line_count = 0;
    return code;
}

static bool add_location(struct archive *archive, int32_t rank, uint32_t thread)
{
    struct known_location *grown =
        realloc(archive->location, (archive->location_count + 1) * sizeof *grown);
    if (!grown)
        return false;
    archive->location = grown;
    grown[archive->location_count++] = (struct known_location){.rank = rank, .thread = thread};
    return true;
}

static struct line *add_line(struct archive *archive, uint32_t thread)
{
    struct line *lines = realloc(archive->line, (archive->line_count + 1) * sizeof *lines);
    if (!lines)
        return NULL;
    archive->line = lines;
    struct line *line = &lines[archive->line_count];
    *line = (struct line){.thread = thread, .location = (OTF2_LocationRef)archive->rank};
    if (archive->line_count > 0) {
        if (!add_location(archive, archive->rank, thread))
            return NULL;
        line->location = archive->location_count - 1;
    }
    line->writer = OTF2_Archive_GetEvtWriter(archive->otf2, line->location);
    if (!line->writer)
        return NULL;
    archive->line_count++;
    return line;
}

static struct line *line_of(struct archive *archive, uint32_t thread)
{
    for (size_t i = 0; i < archive->line_count; i++)
        if (archive->line[i].thread == thread)
            return &archive->line[i];
    return add_line(archive, thread);
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
    return archive->node[rank->rank] == SYN_NO_NAME || !add_line(archive, 0) ? SYN_ENOMEM : 0;
}

/* ---- rows ---- */

/* Adds the site's line of a source file, if it has one, as OTF2 has such places. */
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

static OTF2_ErrorCode enter_call(struct archive *archive, struct syn_export_writer *writer,
                                 struct line *line, const struct syn_row *row, bool blocking)
{
    struct open_region region = {.call = archive->call_count};
    OTF2_CollectiveOp op;
    OTF2_ErrorCode code =
        syn_otf2_region(&archive->definitions, row->op,
                        syn_rank_op_name(writer->rank.file, row->op), &region.region);
    if (code == OTF2_SUCCESS)
        code = gather_attributes(archive, writer, row);
    if (code == OTF2_SUCCESS)
        code = enter(archive, line, row->start_ns, region);
    OTF2_AttributeList_RemoveAllAttributes(archive->attributes);
    if (code != OTF2_SUCCESS || !syn_otf2_op(row->op, &op))
        return code;
    const uint64_t ticks = ticks_of(archive, line, row->start_ns);
    return blocking ? OTF2_EvtWriter_MpiCollectiveBegin(line->writer, NULL, ticks)
                    : OTF2_EvtWriter_NonBlockingCollectiveRequest(line->writer, NULL, ticks,
                                                                  archive->call_count);
}

static int push_rest(struct archive *archive, struct syn_moment moment, const struct syn_row *row,
                     bool blocking)
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

static int write_row(struct syn_export_writer *writer, const struct syn_row *row)
{
    struct archive *archive = writer->state;
    const bool blocking =
        row->is_message ? row->call_end_ns == row->end_ns && row->wait_start_ns == row->start_ns
                        : row->op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    struct line *line = line_of(archive, row->thread);
    if (!line)
        return status_of(OTF2_ERROR_MEM_ALLOC_FAILED);
    const struct syn_moment moment = {.time_ns = row->start_ns,
                                      .location = (uint32_t)(line - archive->line),
                                      .call = archive->call_count,
                                      .wait_start_ns = row->wait_start_ns,
                                      .bytes = row->bytes,
                                      .comm = writer->rank.comms->place[row->rank][row->comm].comm,
                                      .root = row->is_message ? row->peer : row->root,
                                      .tag = row->tag,
                                      .message_bits = row->message_bits,
                                      .op = row->op};
    OTF2_ErrorCode code = pass_until(archive, row->start_ns);
    if (code == OTF2_SUCCESS)
        code = enter_call(archive, writer, line, row, blocking);
    if (code == OTF2_SUCCESS)
        code = post_message(archive, line, &moment, blocking);
    archive->call_count++;
    return code != OTF2_SUCCESS ? status_of(code) : push_rest(archive, moment, row, blocking);
}

/* ---- end ---- */

/* A rank of which there is no file is a process without events: communicators have it as a member.
 */
static OTF2_ErrorCode add_missing(struct archive *archive, struct syn_names *names)
{
    for (int32_t r = 0; r < archive->size; r++) {
        if (archive->node[r] != SYN_NO_NAME)
            continue;
        OTF2_EvtWriter *none = OTF2_Archive_GetEvtWriter(archive->otf2, (OTF2_LocationRef)r);
        archive->node[r] = syn_names_id(names, "?");
        if (!none || archive->node[r] == SYN_NO_NAME)
            return OTF2_ERROR_MEM_ALLOC_FAILED;
        OTF2_ErrorCode code = OTF2_Archive_CloseEvtWriter(archive->otf2, none);
        if (code != OTF2_SUCCESS)
            return code;
    }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode define_places(struct archive *archive, const struct syn_names *names)
{
    OTF2_ErrorCode code = OTF2_SUCCESS;
    for (int32_t r = 0; r < archive->size && code == OTF2_SUCCESS; r++)
        code = syn_otf2_process(&archive->definitions, names, r, archive->node[r]);
    for (size_t i = 0; i < archive->location_count && code == OTF2_SUCCESS; i++)
        code = syn_otf2_location(&archive->definitions, i, archive->location[i].rank,
                                 archive->location[i].thread, archive->location[i].event_count);
    return code;
}

/* Readers want a file of definitions for each location, empty though it is. */
static OTF2_ErrorCode write_local_definitions(struct archive *archive)
{
    OTF2_ErrorCode code = OTF2_Archive_OpenDefFiles(archive->otf2);
    for (size_t i = 0; i < archive->location_count && code == OTF2_SUCCESS; i++) {
        OTF2_DefWriter *local = OTF2_Archive_GetDefWriter(archive->otf2, i);
        code =
            local ? OTF2_Archive_CloseDefWriter(archive->otf2, local) : OTF2_ERROR_MEM_ALLOC_FAILED;
    }
    return code == OTF2_SUCCESS ? OTF2_Archive_CloseDefFiles(archive->otf2) : code;
}

/* Readers take definitions as they come: communicators refer to locations, which come before them,
 * with the number of their events, which is known only now. */
static int run_end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    OTF2_ErrorCode code = finish_rank(archive);
    if (code == OTF2_SUCCESS)
        code = add_missing(archive, writer->rank.names);
    if (code == OTF2_SUCCESS)
        code = define_places(archive, writer->rank.names);
    if (code == OTF2_SUCCESS)
        code = syn_otf2_comms(&archive->definitions, writer->rank.comms, writer->rank.names);
    return code == OTF2_SUCCESS ? 0 : status_of(code);
}

static int end(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    OTF2_ErrorCode code = OTF2_Archive_CloseEvtFiles(archive->otf2);
    if (code == OTF2_SUCCESS)
        code = write_local_definitions(archive);
    if (code == OTF2_SUCCESS)
        code = OTF2_Archive_CloseGlobalDefWriter(archive->otf2, archive->definitions.writer);
    if (code == OTF2_SUCCESS) {
        code = OTF2_Archive_Close(archive->otf2);
        archive->otf2 = NULL;
    }
    if (code != OTF2_SUCCESS)
        return status_of(code);
    if (rename(archive->part, writer->path))
        return SYN_EIO;
    free(archive->part);
    archive->part = NULL;
    return 0;
}

static int remove_one(const char *path, const struct stat *state, int type, struct FTW *place)
{
    (void)state, (void)type, (void)place;
    return remove(path);
}

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

/* Nothing is left behind unless `end` has put it in its place. An archive that failed is not
 * closed, which would try the same again: the process ends anyway. */
static void close_archive(struct syn_export_writer *writer)
{
    struct archive *archive = writer->state;
    const int kept_errno = errno;
    if (!archive)
        return;
    if (archive->part)
        nftw(archive->part, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    if (archive->attributes)
        OTF2_AttributeList_Delete(archive->attributes);
    syn_otf2_free(&archive->definitions);
    syn_moments_free(&archive->moments);
    free(archive->line);
    free(archive->node);
    free(archive->location);
    free(archive->part);
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
