/* trace/recover/recover.c - see recover.h. A file stays unchanged until its replacement is
 * complete. */
#include "trace/recover/recover.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "trace/events/notes.h"
#include "trace/read/frame_read.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"
#include "trace/write/writer.h"

/* The name under which a new file is written. It differs from that of the files that are read. */
#define TEMPORARY_NAME "recovered"
#define RECOVER_LEVEL  3

static int copy_records(const struct syn_rank_file *file, struct syn_writer *writer)
{
    int status = SYN_OK;
    for (uint32_t i = 0; i < file->comms.count && status == SYN_OK; i++)
        if (syn_rank_comm(file, i))
            status = syn_writer_comm(writer, syn_rank_comm(file, i));
    for (uint32_t i = 0; i < file->modules.count && status == SYN_OK; i++)
        if (syn_rank_module(file, i))
            status = syn_writer_module(writer, syn_rank_module(file, i));
    for (uint32_t i = 0; i < file->stacks.count && status == SYN_OK; i++)
        if (syn_rank_stack(file, i))
            status = syn_writer_stack(writer, syn_rank_stack(file, i));
    if (status == SYN_OK && file->lost_stacks) {
        /* Write empty stacks in place of those that are lost: chunks are copied unchanged, and the
         * stacks that they refer to must exist. */
        for (uint32_t i = 0; status == SYN_OK && syn_rank_index_plausible(file, i); i++)
            if (syn_rank_stack_is_lost(file, i))
                status = syn_writer_stack(writer, &(struct syn_stack_record){.index = i});
    }
    if (status != SYN_OK)
        return status;
    return syn_writer_clock(writer, &file->clock.timeline, file->clock.fitpoints,
                            file->clock.fitpoint_count, syn_rank_quality(file));
}

/* Copies a chunk unchanged, whether its times are ticks or global times. */
static int copy_chunk(int descriptor, const struct syn_chunk *chunk, struct syn_writer *writer)
{
    const struct syn_frame_header *header = &chunk->header;
    uint8_t *payload = malloc(header->compressed_bytes);
    if (!payload)
        return SYN_ENOMEM;
    int status = syn_frame_read_payload(descriptor, chunk->offset, header, payload);
    SYN_STEP(status, syn_writer_copy_chunk(writer, header, payload));
    free(payload);
    return status;
}

/* Compresses the events of a raw block into a chunk. */
static int copy_raw_chunk(struct syn_rank_file *file, const struct syn_chunk *chunk,
                          struct syn_writer *writer)
{
    const size_t count = chunk->raw_entry_count;
    int descriptor = syn_rank_reopen_raw(file);
    if (descriptor < 0)
        return SYN_EIO;
    struct syn_event *entries = malloc(count * sizeof *entries);
    int status = entries ? syn_raw_read(descriptor, chunk, entries) : SYN_ENOMEM;
    close(descriptor);
    for (size_t i = 0; status == SYN_OK && i < count; i++)
        if (!syn_is_note(&entries[i]) && entries[i].stack != SYN_NO_STACK &&
            !syn_rank_stack(file, entries[i].stack))
            entries[i].stack = SYN_NO_STACK;
    SYN_STEP(status, syn_writer_entries(writer, chunk->header.thread, entries, count,
                                        syn_count_notes(entries, count), NULL));
    free(entries);
    return status;
}

/* Copies all chunks that can be decoded. */
static int copy_chunks(struct syn_rank_file *file, struct syn_writer *writer)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    int descriptor = syn_rank_reopen(file);
    status = descriptor < 0 ? SYN_EIO : SYN_OK;
    for (size_t i = 0; i < file->chunk_count && status == SYN_OK; i++) {
        const struct syn_chunk *chunk = &file->chunks[i];
        status = syn_cursor_next(cursor, &columns);
        if (status == SYN_EDAMAGED) {
            status = SYN_OK;
            continue;
        }
        SYN_STEP(status, chunk->raw ? copy_raw_chunk(file, chunk, writer)
                                    : copy_chunk(descriptor, chunk, writer));
        if (status == SYN_EDAMAGED) { /* the file has changed since the cursor read it */
            errno = EIO;
            status = SYN_EIO;
        }
    }
    if (descriptor >= 0)
        close(descriptor);
    syn_cursor_close(cursor);
    return status;
}

/* Copies the file. The meta values come last, because reading the chunks may reveal more losses. */
static int copy_file(struct syn_rank_file *file, struct syn_writer *writer)
{
    int status = copy_records(file, writer);
    SYN_STEP(status, copy_chunks(file, writer));
    if (status == SYN_OK) {
        /* Omit an open line that was changing while it was read: its content is undefined. */
        size_t count = 0;
        struct syn_bytes calls = {0};
        for (size_t i = 0; i < file->open.count; i++) {
            const struct syn_open_entry *entry = &file->open.entries[i];
            if (entry->moving)
                continue;
            syn_put_open(&calls, entry->thread, &entry->line);
            count++;
        }
        status = count > 0 ? syn_writer_open_calls(writer, &calls, count) : SYN_OK;
        syn_bytes_free(&calls);
    }
    if (status == SYN_OK) {
        const char *key, *value, *where;
        for (size_t i = 0; status == SYN_OK && syn_rank_meta_at(file, i, &key, &value); i++)
            status = syn_writer_meta(writer, key, value);
        if (status == SYN_OK && syn_rank_fault(file, &where) != SYN_OK)
            status = syn_writer_meta(writer, "recovered", where);
        if (status == SYN_OK && file->raw_end_ticks != 0) {
            char ticks[32];
            snprintf(ticks, sizeof ticks, "%" PRId64, file->raw_end_ticks);
            status = syn_writer_meta(writer, SYN_META_END_TICKS, ticks);
        }
        if (status == SYN_OK && !file->has_end && syn_rank_loss_is_unknown(file))
            status = syn_writer_meta(writer, SYN_META_LOSS_UNKNOWN, "yes");
    }
    struct syn_end_record end = file->end;
    end.dropped_count += syn_rank_lost_event_count(file);
    return status == SYN_OK ? syn_writer_finish(writer, &end) : status;
}

/* Writes the file anew under a temporary name, renames it, and then removes what it replaces: the
 * unfinished file and its raw blocks. */
static int replace_file(struct syn_rank_file *file, const char *directory)
{
    char final[PATH_MAX], temporary[PATH_MAX];
    if (syn_rank_path(final, PATH_MAX, directory, file->rank) >= PATH_MAX ||
        snprintf(temporary, PATH_MAX, "%s/" TEMPORARY_NAME, directory) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return SYN_EIO;
    }
    struct syn_sink sink;
    struct syn_writer *writer = NULL;
    struct syn_writer_identity identity = {.rank = file->rank, .size = file->size};
    memcpy(identity.run_id, file->run_id, sizeof identity.run_id);
    int status = syn_sink_file(temporary, &sink);
    SYN_STEP(status, syn_writer_open(sink, &identity, RECOVER_LEVEL, &file->clock.ticks, &writer));
    SYN_STEP(status, copy_file(file, writer));
    const int error_number = errno;
    syn_writer_close(writer);
    if (status != SYN_OK) { /* remove the incomplete file */
        syn_sink_discard(temporary);
        errno = error_number;
        return status;
    }
    if (rename(temporary, final) != 0 ||
        (!file->is_part && strcmp(final, file->path) != 0 && unlink(file->path) != 0))
        return SYN_EIO;
    if (!file->raw_path)
        return SYN_OK;
    if (unlink(file->raw_path) != 0)
        return SYN_EIO;
    /* Remove the run's directory in a spill directory, if it is empty now. */
    char *slash = strrchr(file->raw_path, '/');
    if (slash) {
        *slash = '\0';
        const char *name = strrchr(file->raw_path, '/');
        if (strncmp(name ? name + 1 : file->raw_path, "syncopate-", 10) == 0)
            (void)rmdir(file->raw_path);
        *slash = '/';
    }
    return SYN_OK;
}

static bool has_final_name(const struct syn_rank_file *file)
{
    const size_t length = strlen(file->path);
    return length <= 5 || strcmp(file->path + length - 5, ".part") != 0;
}

static bool is_whole(struct syn_rank_file *file)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    if (!has_final_name(file) || syn_cursor_open(file, &cursor) != SYN_OK)
        return false;
    for (size_t i = 0; i < file->chunk_count; i++)
        (void)syn_cursor_next(cursor, &columns);
    syn_cursor_close(cursor);
    return syn_rank_fault(file, NULL) == SYN_OK;
}

/* A rank was killed after it finished its file and before it removed its raw blocks. All events of
 * the blocks are in the file. */
void syn_trace_remove_spent(struct syn_trace *trace)
{
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        char path[PATH_MAX];
        uint8_t head[SYN_RAW_HEADER_BYTES];
        struct syn_raw_header header;
        struct stat state;
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        if (!file || !file->has_end || file->raw_path || syn_rank_fault(file, NULL) != SYN_OK ||
            syn_raw_path(path, sizeof path, syn_trace_directory(trace), rank) >= PATH_MAX)
            continue;
        const int descriptor = syn_open_regular(path, &state);
        if (descriptor < 0)
            continue;
        const bool ours =
            syn_pread_full(descriptor, head, sizeof head, 0) == (ssize_t)sizeof head &&
            syn_raw_decode(head, &header) && header.rank == rank &&
            memcmp(header.run_id, file->run_id, sizeof header.run_id) == 0;
        close(descriptor);
        if (ours)
            (void)unlink(path);
    }
}

/* ---- node files ---- */

/* Facts that are determined before anything is changed. If a part of a node file, or the file
 * itself, is not whole, the file is removed and all its parts become files of their own. */
struct state {
    bool *whole;  /* [ranks] */
    bool *broken; /* [syn_trace_node_count] */
    uint8_t run_id[16];
};

static int examine(const struct syn_trace *trace, struct state *out)
{
    const int32_t size = syn_trace_size(trace);
    const size_t node_count = syn_trace_node_count(trace);
    out->whole = calloc((size_t)size, sizeof *out->whole);
    out->broken = calloc(node_count + 1, sizeof *out->broken);
    if (!out->whole || !out->broken)
        return SYN_ENOMEM;
    for (size_t i = 0; i < node_count; i++)
        out->broken[i] = syn_trace_node_at(trace, i)->fault_count > 0;
    for (int32_t rank = 0; rank < size; rank++) {
        size_t node;
        struct syn_rank_file *file = syn_trace_rank(trace, rank);
        out->whole[rank] = file && is_whole(file);
        if (file)
            memcpy(out->run_id, file->run_id, sizeof out->run_id);
        if (syn_trace_node_of(trace, rank, &node))
            out->broken[node] |= !out->whole[rank];
    }
    return SYN_OK;
}

/* Removes the remains of a kill in MPI_Finalize: incomplete node files, and .part files of ranks
 * that were finished: they are in a whole node file, or have a file with its final name. */
static void remove_left(const struct syn_trace *trace, const struct state *state)
{
    DIR *stream = opendir(syn_trace_directory(trace));
    if (!stream)
        return;
    for (struct dirent *entry; (entry = readdir(stream));) {
        int32_t rank;
        bool is_part, spent = false;
        size_t node;
        const char *name = entry->d_name;
        if (syn_node_name_parse(name, &rank, &is_part))
            spent = is_part;
        else if (syn_rank_name_parse(name, &rank, &is_part) && is_part &&
                 rank < syn_trace_size(trace)) {
            const struct syn_rank_file *file = syn_trace_rank(trace, rank);
            spent = syn_trace_node_of(trace, rank, &node) ? !state->broken[node]
                                                          : file && has_final_name(file);
        }
        if (spent)
            (void)unlinkat(dirfd(stream), name, 0);
    }
    closedir(stream);
}

static int recover_rank(const struct syn_trace *trace, const struct state *state, int32_t rank,
                        struct syn_recovered *out)
{
    size_t node;
    struct syn_rank_file *file = syn_trace_rank(trace, rank);
    if (!file) {
        out->missing_count++;
        return SYN_OK;
    }
    if (syn_rank_lacks_raw(file)) {
        out->left_count++;
        return SYN_OK;
    }
    const bool whole = state->whole[rank];
    const bool moves = syn_trace_node_of(trace, rank, &node) && state->broken[node];
    const uint64_t lost = syn_rank_lost_event_count(file);
    const int status = whole && !moves ? SYN_OK : replace_file(file, syn_trace_directory(trace));
    out->whole_count += whole;
    out->file_count += !whole;
    out->event_count += file->declared_event_count - lost;
    out->lost_event_count += lost;
    return status;
}

int syn_trace_recover(struct syn_trace *trace, struct syn_recovered *out)
{
    struct state state = {0};
    *out = (struct syn_recovered){0};
    int status = examine(trace, &state);
    for (int32_t rank = 0; status == SYN_OK && rank < syn_trace_size(trace); rank++)
        status = recover_rank(trace, &state, rank, out);
    if (status == SYN_OK) {
        for (size_t i = 0; i < syn_trace_node_count(trace); i++)
            if (state.broken[i])
                (void)unlink(syn_trace_node_at(trace, i)->path);
        remove_left(trace, &state);
        syn_trace_remove_spent(trace);
    }
    if (status == SYN_OK && out->left_count == 0) {
        const struct syn_manifest *old = syn_trace_manifest(trace);
        struct syn_manifest manifest = {.size = syn_trace_size(trace),
                                        .written_count = out->file_count + out->whole_count,
                                        .event_count = out->event_count,
                                        .start_unix_ns = old ? old->start_unix_ns : 0,
                                        .begin_ns = old ? old->begin_ns : SYN_BEGIN_UNKNOWN,
                                        .duration_ns = old ? old->duration_ns : 0};
        memcpy(manifest.run_id, state.run_id, sizeof manifest.run_id);
        status = syn_manifest_write(syn_trace_directory(trace), &manifest);
    }
    free(state.whole);
    free(state.broken);
    return status;
}
