/* tests/unit/trace/pack_node.c - see pack_node.h. */
#include "pack_node.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "trace/node/node_part.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"

struct packed {
    const char *directory;
    struct syn_node_index index;
    struct syn_bytes shared, frame;
    uint64_t *promised;
    int to;
};

/* The file of a rank; *descriptor: to read from. */
static int open_rank(const struct packed *packed, int32_t rank, struct syn_rank_file **file,
                     int *descriptor)
{
    char path[PATH_MAX];
    syn_rank_path(path, sizeof path, packed->directory, rank);
    *descriptor = open(path, O_RDONLY | O_CLOEXEC);
    return *descriptor < 0 ? SYN_EIO : syn_rank_open_held(*descriptor, path, file);
}

/* Begins the node file: the others' parts refer to declarations of the first rank. */
static int begin(struct packed *packed, int32_t first, int32_t count)
{
    struct syn_node_index *index = &packed->index;
    struct syn_rank_file *file = NULL;
    char path[PATH_MAX];
    uint64_t kinds;
    int descriptor;
    int status = open_rank(packed, first, &file, &descriptor);
    if (status == SYN_OK)
        status = syn_part_sections(file, descriptor, &packed->shared, &kinds);
    if (status == SYN_OK) {
        *index =
            (struct syn_node_index){.rank = first, .size = file->size, .part_count = (size_t)count};
        memcpy(index->run_id, file->run_id, sizeof index->run_id);
        index->parts = calloc((size_t)count, sizeof *index->parts);
        packed->promised = calloc((size_t)count, sizeof *packed->promised);
        status = index->parts && packed->promised
                     ? syn_node_make_shared(index, &packed->shared, &packed->frame)
                     : SYN_ENOMEM;
    }
    syn_rank_close(file);
    close(descriptor);
    syn_node_path(path, sizeof path, packed->directory, first);
    if (status == SYN_OK && (packed->to = open(path, O_RDWR | O_CREAT | O_TRUNC, 0666)) < 0)
        status = SYN_EIO;
    return status == SYN_OK ? syn_node_write_shared(packed->to, index, &packed->frame) : status;
}

static int add(struct packed *packed, size_t i, uint64_t *offset)
{
    struct syn_node_part *entry = &packed->index.parts[i];
    struct syn_rank_file *file = NULL;
    struct syn_part part = {0};
    int descriptor;
    entry->rank = packed->index.rank + (int32_t)i;
    entry->offset = *offset;
    int status = open_rank(packed, entry->rank, &file, &descriptor);
    if (status == SYN_OK)
        status = syn_part_make(file, descriptor, &packed->shared, &part);
    if (status == SYN_OK)
        status = syn_part_write(&part, descriptor, packed->to, *offset);
    entry->bytes = packed->promised[i] = part.bytes;
    *offset += part.bytes;
    syn_part_free(&part);
    syn_rank_close(file);
    close(descriptor);
    return status;
}

static void remove_ranks(const struct packed *packed)
{
    char path[PATH_MAX];
    for (size_t i = 0; i < packed->index.part_count; i++) {
        syn_rank_path(path, sizeof path, packed->directory, packed->index.parts[i].rank);
        unlink(path);
    }
}

int pack_node(const char *directory, int32_t first, int32_t count)
{
    struct packed packed = {.directory = directory, .to = -1};
    int status = begin(&packed, first, count);
    uint64_t offset = syn_node_parts_begin(&packed.index, &packed.frame);
    for (size_t i = 0; status == SYN_OK && i < (size_t)count; i++)
        status = add(&packed, i, &offset);
    packed.index.parity_offset = offset;
    if (status == SYN_OK)
        status = syn_node_write_index(packed.to, &packed.index, &packed.frame, packed.promised);
    if (status == SYN_OK)
        remove_ranks(&packed);
    if (packed.to >= 0)
        close(packed.to);
    syn_node_index_free(&packed.index);
    syn_bytes_free(&packed.shared);
    syn_bytes_free(&packed.frame);
    free(packed.promised);
    return status;
}

int shorten_rank(const char *directory, int32_t rank)
{
    const struct packed packed = {.directory = directory};
    struct syn_rank_file *file = NULL;
    struct syn_part part = {0};
    char path[PATH_MAX], made[PATH_MAX];
    int descriptor;
    int status = open_rank(&packed, rank, &file, &descriptor);
    syn_rank_path(path, sizeof path, directory, rank);
    syn_node_path(made, sizeof made, directory, rank);
    if (status == SYN_OK)
        status = syn_part_make(file, descriptor, NULL, &part);
    const int to = open(made, O_RDWR | O_CREAT | O_TRUNC, 0666);
    if (status == SYN_OK)
        status = to < 0 ? SYN_EIO : syn_part_write(&part, descriptor, to, 0);
    if (status == SYN_OK && rename(made, path) != 0)
        status = SYN_EIO;
    if (to >= 0)
        close(to);
    syn_part_free(&part);
    syn_rank_close(file);
    close(descriptor);
    return status;
}

/* Every `step`-th node from `from` on, in a process of its own; its status is that of failure. */
static pid_t pack_some(const char *directory, int32_t size, int32_t count, int32_t from,
                       int32_t step)
{
    const pid_t process = fork();
    if (process != 0)
        return process;
    int status = SYN_OK;
    for (int32_t i = from; status == SYN_OK && i < count; i += step) {
        const int32_t first = (int32_t)((int64_t)size * i / count);
        const int32_t end = (int32_t)((int64_t)size * (i + 1) / count);
        if (end > first)
            status = pack_node(directory, first, end - first);
    }
    _exit(status != SYN_OK);
}

#define PROCESSES 4

int pack_nodes(const char *directory, int32_t size, int32_t count)
{
    int status = SYN_OK;
    for (int32_t i = 0; i < PROCESSES; i++)
        if (pack_some(directory, size, count, i, PROCESSES) < 0)
            status = SYN_EIO;
    for (int how; wait(&how) > 0;)
        if (how != 0)
            status = SYN_EIO;
    return status;
}
