/* preload/run/node_output.c - see node_output.h.
 *
 * Four messages a rank, between the first rank of the machine and each other: which file it is and
 * what is shared (which all read from the file itself: so it is known that they see the same one);
 * how long the part is; where it goes; that it is there. */
#include "preload/run/node_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "preload/base/signals.h"
#include "preload/run/output.h"
#include "sync/base/status.h"
#include "trace/held.h"
#include "trace/manifest.h"
#include "trace/node_file.h"
#include "trace/node_part.h"
#include "trace/rank_file.h"

#define NAME_BYTES 64

/* The first rank's word. */
struct invitation {
    uint64_t device, inode;
    uint64_t shared_bytes; /* of the frame; 0: there is no such file */
};

/* This rank's own file and what becomes of it. */
struct own {
    struct syn_held file;
    struct syn_rank_file *rank;
    struct syn_part part;
};

struct node_file {
    struct syn_held to;
    struct syn_node_index index;
    struct syn_bytes shared, frame;
    uint64_t *promised; /* [index.part_count] */
    char name[NAME_BYTES], part_name[NAME_BYTES];
};

/* ---- files ---- */

static int open_held(struct syn_held *held, const char *name, int flags)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory < 0)
        return -1;
    return syn_held_take(
        held, syn_open_at(directory, name, flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0666));
}

static void set_names(struct node_file *node, int first_rank)
{
    char path[NAME_BYTES];
    syn_node_path(path, sizeof path, "", first_rank);
    snprintf(node->name, sizeof node->name, "%s", path + 1);
    snprintf(node->part_name, sizeof node->part_name, "%.50s.part", node->name);
}

/* The name of a rank's file, and the one that it has now. */
static void rank_names(int rank, char name[NAME_BYTES], char part_name[NAME_BYTES])
{
    char path[NAME_BYTES];
    syn_rank_path(path, sizeof path, "", rank);
    snprintf(name, NAME_BYTES, "%s", path + 1);
    snprintf(part_name, NAME_BYTES, "%.50s.part", name);
}

static bool read_own(const struct syn_run *run, struct own *own)
{
    char name[NAME_BYTES], part_name[NAME_BYTES];
    struct stat state;
    rank_names(run->rank, name, part_name);
    const int file = open_held(&own->file, part_name, O_RDONLY);
    return file >= 0 && fstat(file, &state) == 0 &&
           (uint64_t)state.st_size <= SYN_NODE_OUTPUT_BYTES_MAX &&
           syn_rank_open_held(file, name, &own->rank) == SYN_OK;
}

static void free_own(struct own *own)
{
    syn_part_free(&own->part);
    syn_rank_close(own->rank);
    syn_held_close(&own->file);
}

static void free_node(struct node_file *node)
{
    syn_node_index_free(&node->index);
    syn_bytes_free(&node->shared);
    syn_bytes_free(&node->frame);
    free(node->promised);
    syn_held_close(&node->to);
}

/* What the part will be; false: this rank does not take part. */
static bool make_part(struct own *own, const struct syn_bytes *shared)
{
    const int file = syn_held_get(&own->file);
    return file >= 0 && syn_part_make(own->rank, file, shared, &own->part) == SYN_OK;
}

static bool write_part(const struct own *own, const struct syn_held *to, uint64_t offset)
{
    const int from = syn_held_get(&own->file), file = syn_held_get(to);
    return from >= 0 && file >= 0 && syn_part_write(&own->part, from, file, offset) == SYN_OK;
}

/* ---- the first rank ---- */

static bool make_index(const struct syn_run *run, struct node_file *node)
{
    struct syn_node_index *index = &node->index;
    const size_t count = (size_t)run->node.member_count;
    *index = (struct syn_node_index){.rank = run->rank, .size = run->size, .part_count = count};
    memcpy(index->run_id, run->identity.run_id, sizeof index->run_id);
    index->parts = calloc(count, sizeof *index->parts);
    node->promised = calloc(count, sizeof *node->promised);
    for (size_t i = 0; index->parts && i < count; i++)
        index->parts[i].rank = run->node.members[i];
    return index->parts && node->promised;
}

/* A new file always: what has the name may be a link, or a pipe at which opening waits. */
static bool create(struct node_file *node)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory < 0 || (unlinkat(directory, node->part_name, 0) != 0 && errno != ENOENT))
        return false;
    const int to = open_held(&node->to, node->part_name, O_RDWR | O_CREAT | O_EXCL);
    return to >= 0 && syn_node_write_shared(to, &node->index, &node->frame) == SYN_OK;
}

static bool begin_node(const struct syn_run *run, struct node_file *node, struct own *own)
{
    uint64_t kinds;
    return make_index(run, node) && read_own(run, own) &&
           syn_part_sections(own->rank, syn_held_get(&own->file), &node->shared, &kinds) ==
               SYN_OK &&
           make_part(own, &node->shared) &&
           syn_node_make_shared(&node->index, &node->shared, &node->frame) == SYN_OK &&
           create(node);
}

/* The beginning of a file that will not be. */
static void remove_begun(const struct node_file *node)
{
    const int directory = syn_place_get(syn_output_place());
    if (directory >= 0)
        unlinkat(directory, node->part_name, 0);
}

static struct invitation invite(const struct syn_run *run, struct node_file *node, struct own *own)
{
    struct invitation invitation = {0};
    struct syn_signals held;
    syn_signals_hold(&held);
    set_names(node, run->rank);
    if (begin_node(run, node, own)) {
        invitation.device = (uint64_t)node->to.device;
        invitation.inode = (uint64_t)node->to.inode;
        invitation.shared_bytes = node->frame.count;
    } else {
        remove_begun(node);
    }
    syn_signals_release(&held);
    return invitation;
}

/* The i-th rank's word; 0 where it could not be had: then it takes no part. */
static uint64_t hear(const struct syn_run *run, int i)
{
    uint64_t word;
    const int status =
        run->transport.recv(run->transport.ctx, run->node.members[i], &word, sizeof word);
    return status == SYN_OK ? word : 0;
}

/* How long the others' parts are; their places follow. Every one is answered, whatever became of
 * others. */
static void lay_out(const struct syn_run *run, struct node_file *node, const struct own *own)
{
    const struct syn_transport *transport = &run->transport;
    struct syn_node_part *parts = node->index.parts;
    uint64_t offset = syn_node_parts_begin(&node->index, &node->frame);
    node->promised[0] = own->part.bytes;
    for (int i = 1; i < run->node.member_count; i++)
        node->promised[i] = hear(run, i);
    for (int i = 0; i < run->node.member_count; i++) {
        parts[i].offset = offset;
        offset += node->promised[i];
    }
    node->index.shared_copy = offset;
    for (int i = 1; i < run->node.member_count; i++)
        (void)transport->send(transport->ctx, run->node.members[i], &parts[i].offset,
                              sizeof parts[i].offset);
}

/* Those that are there now have their length in the index. */
static void take_in(const struct syn_run *run, struct node_file *node, const struct own *own)
{
    struct syn_node_part *parts = node->index.parts;
    struct syn_signals held;
    syn_signals_hold(&held);
    if (write_part(own, &node->to, parts[0].offset))
        parts[0].bytes = own->part.bytes;
    syn_signals_release(&held);
    for (int i = 1; i < run->node.member_count; i++)
        parts[i].bytes = hear(run, i) == node->promised[i] ? node->promised[i] : 0;
}

/* The file is whole, durable and has its name. */
static bool finish_node(struct node_file *node)
{
    const int to = syn_held_get(&node->to), directory = syn_place_get(syn_output_place());
    return to >= 0 && directory >= 0 &&
           syn_node_write_index(to, &node->index, &node->frame, node->promised) == SYN_OK &&
           renameat(directory, node->part_name, directory, node->name) == 0;
}

/* The ranks' own files of what is in it. */
static void remove_taken(const struct node_file *node)
{
    char name[NAME_BYTES], part_name[NAME_BYTES];
    const int directory = syn_place_get(syn_output_place());
    for (size_t i = 0; directory >= 0 && i < node->index.part_count; i++)
        if (node->index.parts[i].bytes > 0) {
            rank_names(node->index.parts[i].rank, name, part_name);
            unlinkat(directory, part_name, 0);
        }
}

/* It could not be finished: the ranks that took part have gone on, and their files, which are
 * complete, get their names here. */
static bool give_names(struct node_file *node)
{
    char name[NAME_BYTES], part_name[NAME_BYTES];
    const int directory = syn_place_get(syn_output_place());
    bool all = directory >= 0;
    remove_begun(node);
    for (size_t i = 1; directory >= 0 && i < node->index.part_count; i++) {
        if (node->index.parts[i].bytes == 0)
            continue;
        struct syn_held file = SYN_HELD_NONE;
        rank_names(node->index.parts[i].rank, name, part_name);
        const int opened = open_held(&file, part_name, O_RDWR);
        all &= opened >= 0 && fsync(opened) == 0 &&
               renameat(directory, part_name, directory, name) == 0;
        syn_held_close(&file);
    }
    return all;
}

static enum syn_node_output conclude(struct node_file *node, bool *any)
{
    struct syn_signals held;
    syn_signals_hold(&held);
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    *any = finish_node(node);
    if (*any) {
        remove_taken(node);
        result = node->index.parts[0].bytes > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
    } else if (!give_names(node)) {
        result = SYN_NODE_OUTPUT_FAILED;
    }
    syn_signals_release(&held);
    return result;
}

static enum syn_node_output lead(const struct syn_run *run, bool is_complete, bool *any)
{
    struct node_file node = {.to = SYN_HELD_NONE};
    struct own own = {.file = SYN_HELD_NONE};
    struct invitation invitation = {0};
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    if (is_complete)
        invitation = invite(run, &node, &own);
    const int told =
        syn_node_broadcast(&run->node, &run->transport, &invitation, sizeof invitation);
    if (told == SYN_OK && invitation.shared_bytes > 0) {
        lay_out(run, &node, &own);
        take_in(run, &node, &own);
        result = conclude(&node, any);
    }
    free_own(&own);
    free_node(&node);
    return result;
}

/* ---- the others ---- */

/* What is shared, from the first rank's file if this rank sees the same one. */
static bool read_shared(const struct syn_run *run, const struct invitation *invitation,
                        struct node_file *node)
{
    set_names(node, run->node.members[0]);
    const int to = open_held(&node->to, node->part_name, O_RDWR);
    if (to < 0 || (uint64_t)node->to.device != invitation->device ||
        (uint64_t)node->to.inode != invitation->inode)
        return false;
    return syn_node_read_shared(to, (size_t)run->node.member_count, run->identity.run_id,
                                &node->shared) == SYN_OK;
}

/* Both ways through `*word`: how long the part is, where it goes. */
static int ask_for_place(const struct syn_run *run, uint64_t *word)
{
    const struct syn_transport *transport = &run->transport;
    const int first = run->node.members[0];
    const int status = transport->send(transport->ctx, first, word, sizeof *word);
    return status != SYN_OK ? status : transport->recv(transport->ctx, first, word, sizeof *word);
}

static enum syn_node_output write_in_place(const struct syn_run *run, struct node_file *node,
                                           struct own *own, bool takes_part)
{
    const struct syn_transport *transport = &run->transport;
    struct syn_signals held;
    uint64_t word = takes_part ? own->part.bytes : 0;
    if (ask_for_place(run, &word) != SYN_OK)
        return SYN_NODE_OUTPUT_NONE;
    syn_signals_hold(&held);
    const uint64_t written = takes_part && write_part(own, &node->to, word) ? own->part.bytes : 0;
    syn_signals_release(&held);
    const int told =
        transport->send(transport->ctx, run->node.members[0], &written, sizeof written);
    return told == SYN_OK && written > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
}

static enum syn_node_output follow(const struct syn_run *run, bool is_complete)
{
    struct node_file node = {.to = SYN_HELD_NONE};
    struct own own = {.file = SYN_HELD_NONE};
    struct invitation invitation = {0};
    struct syn_signals held;
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    const int told =
        syn_node_broadcast(&run->node, &run->transport, &invitation, sizeof invitation);
    if (told == SYN_OK && invitation.shared_bytes > 0) {
        syn_signals_hold(&held);
        const bool takes_part = is_complete && read_own(run, &own) &&
                                read_shared(run, &invitation, &node) &&
                                make_part(&own, &node.shared);
        syn_signals_release(&held);
        result = write_in_place(run, &node, &own, takes_part);
    }
    free_own(&own);
    free_node(&node);
    return result;
}

/* The same on all ranks. Some few files are nobody's trouble, and may be looked at one by one. */
static bool is_wished(const struct syn_run *run)
{
    return run->options.files == SYN_FILES_NODE ||
           (run->options.files == SYN_FILES_AUTO && run->size >= SYN_FILES_AUTO_RANKS);
}

enum syn_node_output syn_node_output(const struct syn_run *run, bool is_complete, bool *any)
{
    *any = false;
    if (!is_wished(run) || run->node.member_count < 2)
        return SYN_NODE_OUTPUT_NONE;
    return run->node.member_index == 0 ? lead(run, is_complete, any) : follow(run, is_complete);
}
