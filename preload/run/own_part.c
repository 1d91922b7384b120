/* preload/run/own_part.c - see own_part.h. */
#include "preload/run/own_part.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/base/signals.h"
#include "preload/run/output.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"
#include "trace/read/node_file.h"

/* ---- files ---- */

static void set_names(const char *path, char name[SYN_OWN_NAME_BYTES],
                      char part_name[SYN_OWN_NAME_BYTES])
{
    snprintf(name, SYN_OWN_NAME_BYTES, "%s", path + 1);
    snprintf(part_name, SYN_OWN_NAME_BYTES, "%.50s.part", name);
}

void syn_own_rank_names(int rank, char name[SYN_OWN_NAME_BYTES], char part_name[SYN_OWN_NAME_BYTES])
{
    char path[SYN_OWN_NAME_BYTES];
    syn_rank_path(path, sizeof path, "", rank);
    set_names(path, name, part_name);
}

void syn_own_node_names(int first_rank, char name[SYN_OWN_NAME_BYTES],
                        char part_name[SYN_OWN_NAME_BYTES])
{
    char path[SYN_OWN_NAME_BYTES];
    syn_node_path(path, sizeof path, "", first_rank);
    set_names(path, name, part_name);
}

int syn_own_open(struct syn_guarded *guarded, const char *name, int flags)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory < 0)
        return -1;
    return syn_guarded_take(
        guarded, syn_open_at(directory, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
}

int syn_own_create(struct syn_guarded *guarded, const char *name)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory < 0 || (unlinkat(directory, name, 0) != 0 && errno != ENOENT))
        return -1;
    return syn_own_open(guarded, name, O_RDWR | O_CREAT | O_EXCL);
}

void syn_own_remove(const char *name)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory >= 0)
        unlinkat(directory, name, 0);
}

/* ---- the part ---- */

bool syn_own_read(const struct syn_run *run, uint64_t bytes_max, struct syn_own *own)
{
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
    struct stat state;
    syn_own_rank_names(run->rank, name, part_name);
    const int file = syn_own_open(&own->file, part_name, O_RDONLY);
    return file >= 0 && fstat(file, &state) == 0 && (uint64_t)state.st_size <= bytes_max &&
           syn_rank_open_held(file, name, &own->rank) == SYN_OK;
}

bool syn_own_make(struct syn_own *own, const struct syn_bytes *shared)
{
    const int file = syn_guarded_get(&own->file);
    return file >= 0 && syn_part_make(own->rank, file, shared, &own->part) == SYN_OK;
}

bool syn_own_write(const struct syn_own *own, const struct syn_guarded *to, uint64_t offset)
{
    const int from = syn_guarded_get(&own->file), file = syn_guarded_get(to);
    return from >= 0 && file >= 0 && syn_part_write(&own->part, from, file, offset) == SYN_OK;
}

void syn_own_free(struct syn_own *own)
{
    syn_part_free(&own->part);
    syn_rank_close(own->rank);
    syn_guarded_close(&own->file);
}

/* ---- a file of its own ---- */

bool syn_own_shorten(const struct syn_run *run, uint64_t *bytes)
{
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
    char node_name[SYN_OWN_NAME_BYTES], begun_name[SYN_OWN_NAME_BYTES];
    struct syn_own own = {.file = SYN_GUARDED_NONE};
    struct syn_guarded to = SYN_GUARDED_NONE;
    struct syn_signals signals;
    bool done = false;
    syn_own_rank_names(run->rank, name, part_name);
    syn_own_node_names(run->rank, node_name, begun_name);
    syn_signals_hold(&signals);
    if (syn_own_read(run, SYN_PART_SHORT_BYTES, &own) && syn_own_make(&own, NULL)) {
        if (syn_own_create(&to, begun_name) >= 0 && syn_own_write(&own, &to, 0)) {
            /* Make the file durable and give it the rank's name. */
            const int file = syn_guarded_get(&to), directory = syn_place_get(syn_output_place());
            int failed = file < 0 || directory < 0;
            while (!failed && fsync(file) != 0)
                failed = errno != EINTR;
            done = !failed && renameat(directory, begun_name, directory, name) == 0;
        }
        syn_guarded_close(&to);
        syn_own_remove(done ? part_name : begun_name);
    }
    if (done)
        *bytes = own.part.bytes;
    syn_own_free(&own);
    syn_signals_release(&signals);
    return done;
}
