/* trace/read/rank_open.c - opens a rank's file: finds its frames, and its raw blocks, which lie
 * beside it or in the rank's spill directory. Notes how the recording ended if the file does not
 * say so. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"

/* Makes the structure of a file with the bytes `begin` to `end` of `path`. */
static struct syn_rank_file *new_file(const char *path, const struct stat *state, uint64_t begin,
                                      uint64_t end)
{
    struct syn_rank_file *file = calloc(1, sizeof *file);
    if (!file)
        return NULL;
    pthread_mutex_init(&file->lock, NULL);
    file->path = strdup(path);
    file->device = state->st_dev;
    file->inode = state->st_ino;
    file->from = begin;
    file->until = end;
    file->file_bytes = end - begin;
    syn_arena_init(&file->arena, SYN_OPEN_BYTES_BASE + SYN_OPEN_BYTES_FACTOR * file->file_bytes);
    /* Without a CLOCK frame a tick counts as a nanosecond. */
    file->clock.ticks.multiplier = (uint64_t)1 << 32;
    syn_timeline_init(&file->clock.timeline);
    if (file->path)
        return file;
    syn_rank_close(file);
    return NULL;
}

static const char *elsewhere; /* NULL: the directory that each file names */
static bool nowhere;

void syn_rank_look_in(const char *directory)
{
    elsewhere = directory && *directory ? directory : NULL;
}

void syn_rank_look_nowhere(void)
{
    nowhere = true;
}

bool syn_is_of_this_host(const struct syn_rank_file *file)
{
    char name[256] = "";
    const char *host = file ? syn_rank_meta(file, "host.name") : NULL;
    return host && gethostname(name, sizeof name - 1) == 0 && strcmp(host, name) == 0;
}

/* Returns the directory to which the recorder spilled, if the rank ran on this machine; else
 * NULL. */
static const char *own_directory(const struct syn_rank_file *file)
{
    const char *spill = syn_rank_meta(file, "spill.directory");
    return spill && *spill == '/' && syn_is_of_this_host(file) ? spill : NULL;
}

static bool is_unfinished(const struct syn_rank_file *file)
{
    static const char part[] = ".syn.part";
    const size_t length = strlen(file->path), end = sizeof part - 1;
    return !file->has_end && !file->is_part && length >= end &&
           strcmp(file->path + length - end, part) == 0;
}

const char *syn_rank_lacks_raw(const struct syn_rank_file *file)
{
    return is_unfinished(file) && !file->raw_path && !nowhere
               ? syn_rank_meta(file, "spill.directory")
               : NULL;
}

static bool is_there(const char *path, mode_t kind)
{
    struct stat state;
    return lstat(path, &state) == 0 && (state.st_mode & S_IFMT) == kind;
}

/* Attaches raw blocks from `spill`, under the name that follows from the file's run id and rank.
 * `spill` is the directory that the user gave, or that the file names. Nothing else in a trace is
 * followed as a path: the name below `spill` is fixed, no part of that name may be a symbolic link,
 * and the blocks must have the file's run id and rank. */
static int attach_from(struct syn_rank_file *file, const char *spill)
{
    char run[48] = "syncopate-", directory[PATH_MAX], path[PATH_MAX];
    for (size_t i = 0; i < sizeof file->run_id; i++)
        snprintf(run + 10 + 2 * i, 3, "%02x", file->run_id[i]);
    if (snprintf(directory, sizeof directory, "%s/%s", spill, run) >= PATH_MAX ||
        syn_raw_path(path, sizeof path, directory, file->rank) >= PATH_MAX ||
        !is_there(directory, S_IFDIR) || !is_there(path, S_IFREG))
        return SYN_OK;
    return syn_raw_attach(file, path);
}

/* Attaches raw blocks to an unfinished rank file: those beside it, or else those in the spill
 * directory. */
static int attach_raw(struct syn_rank_file *file)
{
    char path[PATH_MAX];
    if (!is_unfinished(file) ||
        snprintf(path, sizeof path, "%.*s.raw", (int)(strlen(file->path) - strlen(".syn.part")),
                 file->path) >= PATH_MAX)
        return SYN_OK;
    const int status = syn_raw_attach(file, path);
    const char *spill = elsewhere ? elsewhere : own_directory(file);
    return status == SYN_OK && !file->raw_path && spill && !nowhere ? attach_from(file, spill)
                                                                    : status;
}

/* Opens `file`, a new structure or NULL (no memory). Frees the structure on error. */
static int open_new(struct syn_rank_file *file, int descriptor, struct syn_rank_lists *lists,
                    const struct syn_bytes *shared, struct syn_rank_file **out)
{
    if (file)
        file->lists = lists ? lists : &file->own_lists;
    int status = file ? syn_rank_scan(file, descriptor, shared) : SYN_ENOMEM;
    if (status == SYN_OK && !file->is_part)
        status = attach_raw(file);
    if (status == SYN_OK) {
        syn_open_close_returned(file);
        /* The rule by which the clock's bound grows is known only now, after all META records. */
        const char *text = syn_rank_meta(file, SYN_META_WANDER_TIME);
        const double time_s = text ? strtod(text, NULL) : 0;
        file->clock.timeline.wander_time_s = time_s > 0 && time_s < 1e9 ? time_s : 0;
        if (file->has_end && file->end.event_count > file->declared_event_count)
            file->declared_event_count = file->end.event_count;
        if (file->raw_path && !file->has_end) {
            /* Note how a file without END ended, if anything says so. */
            const uint32_t said = file->raw_ending;
            file->end.ending =
                said != 0 && syn_ending_is_known(said) ? (enum syn_ending)said : SYN_ENDING_KILLED;
            file->end.dropped_count = file->raw_lost_count;
            syn_rank_add_fault(
                file, SYN_ETRUNCATED,
                "not finished (%s): what was recorded is here, on the clocks as measured in "
                "MPI_Init",
                said != 0 ? syn_ending_name(file->end.ending) : "killed, or still running");
        } else if (!file->has_end) {
            /* Name the spill directory and the host: the user may still find the events there. */
            const char *spill = syn_rank_meta(file, "spill.directory");
            const char *host = syn_rank_meta(file, "host.name");
            if (spill)
                syn_rank_add_fault(
                    file, SYN_ETRUNCATED,
                    "no end frame: the recording did not finish; its last events were in %s "
                    "on %s (syncopate recover --spill DIR)",
                    spill, host ? host : "an unnamed host");
            else
                syn_rank_add_fault(
                    file, SYN_ETRUNCATED,
                    "no end frame: the recording did not finish, or the file was cut");
        } else if (file->declared_event_count != file->event_count)
            syn_rank_add_fault(
                file, SYN_EDAMAGED, "%" PRIu64 " of %" PRIu64 " events are not in it",
                file->declared_event_count - file->event_count, file->declared_event_count);
        *out = file;
        return SYN_OK;
    }
    int error_number = errno;
    syn_rank_close(file);
    errno = error_number;
    return status;
}

int syn_rank_open_held(int descriptor, const char *path, struct syn_rank_file **out)
{
    struct stat state;
    *out = NULL;
    if (fstat(descriptor, &state) != 0)
        return SYN_EIO;
    return open_new(new_file(path, &state, 0, (uint64_t)state.st_size), descriptor, NULL, NULL,
                    out);
}

int syn_rank_open(const char *path, struct syn_rank_lists *lists, struct syn_rank_file **out)
{
    struct stat state;
    *out = NULL;
    int descriptor = syn_open_regular(path, &state);
    if (descriptor < 0)
        return errno == EINVAL ? SYN_ENOTTRACE : SYN_EIO;
    const int status =
        open_new(new_file(path, &state, 0, (uint64_t)state.st_size), descriptor, lists, NULL, out);
    int error_number = errno;
    close(descriptor);
    errno = error_number;
    return status;
}

int syn_rank_open_part(const struct syn_node_file *node, const struct syn_node_part *part,
                       struct syn_rank_lists *lists, struct syn_rank_file **out)
{
    struct stat state;
    *out = NULL;
    int descriptor = syn_node_reopen(node, &state);
    if (descriptor < 0)
        return SYN_EIO;
    const uint64_t there = (uint64_t)state.st_size;
    const uint64_t end = syn_least(part->offset + part->bytes, there);
    struct syn_rank_file *file = new_file(node->path, &state, syn_least(part->offset, there), end);
    if (file)
        file->is_part = true;
    const int status = open_new(file, descriptor, lists, syn_node_shared(node), out);
    int error_number = errno;
    close(descriptor);
    errno = error_number;
    return status;
}
