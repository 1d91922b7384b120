/* trace/read/rank_file.c - queries of an open rank file. rank_open.c opens it. */
#include "trace/read/rank_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/calls.h"

ssize_t syn_pread_full(int file, void *data, size_t bytes, uint64_t offset)
{
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(file, (char *)data + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return -1;
        if (got == 0)
            break;
        done += (size_t)got;
    }
    return (ssize_t)done;
}

/* Opens with O_NONBLOCK, because opening a pipe in the file's place would wait. */
int syn_open_regular(const char *path, struct stat *state)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return -1;
    if (fstat(descriptor, state) == 0 && S_ISREG(state->st_mode))
        return descriptor;
    close(descriptor);
    errno = EINVAL;
    return -1;
}

int syn_reopen_regular(const char *path, dev_t device, ino_t inode, struct stat *state)
{
    int descriptor = syn_open_regular(path, state);
    if (descriptor < 0)
        return -1;
    if (state->st_dev == device && state->st_ino == inode)
        return descriptor;
    close(descriptor);
    errno = ESTALE;
    return -1;
}

int syn_rank_reopen(const struct syn_rank_file *file)
{
    struct stat state;
    return syn_reopen_regular(file->path, file->device, file->inode, &state);
}

int syn_rank_reopen_raw(const struct syn_rank_file *file)
{
    struct stat state;
    return syn_reopen_regular(file->raw_path, file->raw_device, file->raw_inode, &state);
}

int syn_rank_add_chunk(struct syn_rank_file *file, const struct syn_chunk *chunk)
{
    if (SYN_ROOM_DOUBLED(file->chunks, file->chunk_count) != SYN_OK)
        return SYN_ENOMEM;
    file->chunks[file->chunk_count++] = *chunk;
    file->event_count += chunk->header.element_count;
    return SYN_OK;
}

/* Keeps a fault, and takes over its text. The caller holds the lock. If there are too many faults,
 * the first in order are kept. */
static void keep_fault(struct syn_rank_file *file, struct syn_rank_fault_entry fault)
{
    struct syn_rank_fault_entry *faults = file->faults;
    if (file->fault_count < SYN_FAULTS_MAX)
        faults = realloc(faults, (file->fault_count + 1) * sizeof *faults);
    bool last =
        file->fault_count == SYN_FAULTS_MAX && faults[SYN_FAULTS_MAX - 1].order <= fault.order;
    if (!faults || last) {
        free(fault.text);
        return;
    }
    file->faults = faults;
    if (file->fault_count == SYN_FAULTS_MAX)
        free(faults[--file->fault_count].text);
    size_t at = file->fault_count++;
    for (; at > 0 && faults[at - 1].order > fault.order; at--)
        faults[at] = faults[at - 1];
    faults[at] = fault;
}

void syn_rank_add_fault(struct syn_rank_file *file, int status, const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    pthread_mutex_lock(&file->lock);
    keep_fault(file, (struct syn_rank_fault_entry){status, 0, text});
    pthread_mutex_unlock(&file->lock);
}

void syn_rank_add_chunk_fault(struct syn_rank_file *file, size_t chunk, const char *why)
{
    char *text = NULL;
    if (asprintf(&text, "chunk %zu at byte %" PRIu64 ": %s", chunk, file->chunks[chunk].offset,
                 why) < 0)
        text = NULL;
    pthread_mutex_lock(&file->lock);
    keep_fault(file, (struct syn_rank_fault_entry){SYN_EDAMAGED, chunk + 1, text});
    pthread_mutex_unlock(&file->lock);
}

/* Returns a bound on the number of records. Writers number records from 0 without gaps, and each
 * declaration takes at least one byte. */
static uint64_t records_max(const struct syn_rank_file *file)
{
    return SYN_RECORDS_FREE + file->file_bytes + file->raw_record_bytes + file->sections_bytes;
}

/* RATIONALE: with a larger index, all tables with an entry for each record would need memory for
 * records that do not exist. */
bool syn_rank_index_plausible(const struct syn_rank_file *file, uint32_t index)
{
    return index < records_max(file);
}

void syn_rank_lose_stack(struct syn_rank_file *file, uint32_t index)
{
    pthread_mutex_lock(&file->lock);
    if (!file->lost_stacks)
        file->lost_stacks = calloc(records_max(file) / 8 + 1, 1);
    if (file->lost_stacks)
        file->lost_stacks[index / 8] |= (uint8_t)(1u << index % 8);
    pthread_mutex_unlock(&file->lock);
}

bool syn_rank_stack_is_lost(const struct syn_rank_file *file, uint32_t index)
{
    return file->lost_stacks && syn_rank_index_plausible(file, index) &&
           (file->lost_stacks[index / 8] >> index % 8 & 1);
}

static void drop_correction(struct syn_rank_file *file)
{
    struct syn_shared_timeline *shared = file->correction;
    file->correction = NULL;
    if (!shared || --shared->user_count > 0)
        return;
    syn_timeline_free(&shared->timeline);
    free(shared);
}

void syn_rank_close(struct syn_rank_file *file)
{
    if (!file)
        return;
    for (size_t i = 0; i < file->fault_count; i++)
        free(file->faults[i].text);
    free(file->faults);
    free(file->chunks);
    free(file->open.entries);
    drop_correction(file);
    free(file->metas);
    free(file->ops);
    free(file->comms.records);
    free(file->modules.records);
    free(file->stacks.records);
    free(file->lost_stacks);
    syn_rank_lists_free(&file->own_lists);
    syn_arena_free(&file->arena);
    pthread_mutex_destroy(&file->lock);
    free(file->path);
    free(file->raw_path);
    free(file);
}

int syn_rank_fault_at(struct syn_rank_file *file, size_t i, const char **where)
{
    int status = SYN_EEND;
    pthread_mutex_lock(&file->lock);
    if (i < file->fault_count) {
        status = file->faults[i].status;
        if (where)
            *where = file->faults[i].text ? file->faults[i].text : syn_status_text(status);
    }
    pthread_mutex_unlock(&file->lock);
    return status;
}

int syn_rank_fault(struct syn_rank_file *file, const char **where)
{
    int status = syn_rank_fault_at(file, 0, where);
    if (status != SYN_EEND)
        return status;
    if (where)
        *where = NULL;
    return SYN_OK;
}

uint64_t syn_rank_lost_event_count(struct syn_rank_file *file)
{
    pthread_mutex_lock(&file->lock);
    uint64_t undecodable = file->undecodable_count;
    pthread_mutex_unlock(&file->lock);
    return file->declared_event_count - file->event_count + undecodable;
}

const char *syn_rank_file_path(const struct syn_rank_file *file)
{
    return file->path;
}

const uint8_t *syn_rank_run_id(const struct syn_rank_file *file)
{
    return file->run_id;
}

int32_t syn_rank_rank(const struct syn_rank_file *file)
{
    return file->rank;
}

int32_t syn_rank_size(const struct syn_rank_file *file)
{
    return file->size;
}

const char *syn_rank_meta(const struct syn_rank_file *file, const char *key)
{
    for (size_t i = 0; i < file->meta_count; i++)
        if (strcmp(file->metas[i].key, key) == 0)
            return file->metas[i].value;
    return NULL;
}

bool syn_rank_meta_at(const struct syn_rank_file *file, size_t i, const char **key,
                      const char **value)
{
    if (i >= file->meta_count)
        return false;
    *key = file->metas[i].key;
    *value = file->metas[i].value;
    return true;
}

static const void *record_at(const struct syn_record_table *table, uint32_t index)
{
    return index < table->count ? table->records[index] : NULL;
}

size_t syn_rank_comm_count(const struct syn_rank_file *file)
{
    return file->comms.count;
}

const struct syn_comm_record *syn_rank_comm(const struct syn_rank_file *file, uint32_t index)
{
    return record_at(&file->comms, index);
}

size_t syn_rank_module_count(const struct syn_rank_file *file)
{
    return file->modules.count;
}

const struct syn_module_record *syn_rank_module(const struct syn_rank_file *file, uint32_t index)
{
    return record_at(&file->modules, index);
}

size_t syn_rank_stack_count(const struct syn_rank_file *file)
{
    return file->stacks.count;
}

const struct syn_stack_record *syn_rank_stack(const struct syn_rank_file *file, uint32_t index)
{
    return record_at(&file->stacks, index);
}

const char *syn_rank_op_name(const struct syn_rank_file *file, uint16_t op_id)
{
    const char *name = syn_call_name(op_id);
    for (size_t i = 0; !name && i < file->op_count; i++)
        if (file->ops[i].op == op_id)
            name = file->ops[i].name;
    return name;
}

const struct syn_end_record *syn_rank_end(const struct syn_rank_file *file)
{
    return &file->end;
}

bool syn_rank_loss_is_unknown(const struct syn_rank_file *file)
{
    if (file->has_end)
        return syn_rank_meta(file, SYN_META_LOSS_UNKNOWN) != NULL;
    return !file->raw_path || file->raw_in_memory != 0;
}

const struct syn_timeline *syn_rank_timeline(const struct syn_rank_file *file)
{
    return &file->clock.timeline;
}

const struct syn_fitpoint *syn_rank_fitpoints(const struct syn_rank_file *file, size_t *count)
{
    *count = file->clock.fitpoint_count;
    return file->clock.fitpoints;
}

const struct syn_sync_quality *syn_rank_quality(const struct syn_rank_file *file)
{
    return file->clock.has_quality ? &file->clock.quality : NULL;
}

const struct syn_tick_source *syn_rank_ticks(const struct syn_rank_file *file)
{
    return &file->clock.ticks;
}

int syn_rank_correct(struct syn_rank_file *const *files, size_t count,
                     const struct syn_timeline *correction)
{
    struct syn_shared_timeline *shared = calloc(1, sizeof *shared);
    if (!shared || syn_timeline_copy(&shared->timeline, correction) != SYN_OK) {
        free(shared);
        return SYN_ENOMEM;
    }
    shared->user_count = count;
    for (size_t i = 0; i < count; i++) {
        drop_correction(files[i]);
        files[i]->correction = shared;
    }
    if (count == 0) {
        syn_timeline_free(&shared->timeline);
        free(shared);
    }
    return SYN_OK;
}

const struct syn_timeline *syn_rank_correction(const struct syn_rank_file *file)
{
    return file->correction ? &file->correction->timeline : NULL;
}

int64_t syn_rank_bound_ns(const struct syn_rank_file *file, int64_t global_ns)
{
    const struct syn_timeline *timeline =
        file->correction ? &file->correction->timeline : &file->clock.timeline;
    return syn_timeline_bound_ns(timeline,
                                 syn_timeline_local(timeline, (syn_global_time){global_ns}));
}

uint64_t syn_rank_file_bytes(const struct syn_rank_file *file)
{
    return file->file_bytes + file->raw_bytes;
}

uint64_t syn_rank_event_count(const struct syn_rank_file *file)
{
    return file->event_count;
}

bool syn_rank_has_messages(const struct syn_rank_file *file)
{
    const char *value = syn_rank_meta(file, "messages.recorded");
    return value && (strcmp(value, "yes") == 0 || strcmp(value, "events") == 0);
}

bool syn_rank_has_samples(const struct syn_rank_file *file)
{
    return syn_rank_meta(file, "sample.interval_ns") != NULL;
}

size_t syn_rank_chunk_count(const struct syn_rank_file *file)
{
    return file->chunk_count;
}
