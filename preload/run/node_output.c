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
#include <unistd.h>

#include "preload/base/signals.h"
#include "preload/run/output.h"
#include "preload/run/own_part.h"
#include "sync/base/status.h"
#include "trace/base/guarded.h"
#include "trace/directory/manifest.h"
#include "trace/node/node_part.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"

/* The first rank's word. */
struct invitation {
    uint64_t device, inode;
    uint64_t shared_bytes; /* of the frame; 0: there is no such file */
};

struct node_file {
    struct syn_guarded to;
    struct syn_node_index index;
    struct syn_bytes shared, frame;
    uint64_t *promised; /* [index.part_count] */
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
};

static void free_node(struct node_file *node)
{
    syn_node_index_free(&node->index);
    syn_bytes_free(&node->shared);
    syn_bytes_free(&node->frame);
    free(node->promised);
    syn_guarded_close(&node->to);
}

/* ---- the first rank ---- */

static bool create(struct node_file *node)
{
    const int to = syn_own_create(&node->to, node->part_name);
    return to >= 0 && syn_node_write_shared(to, &node->index, &node->frame) == SYN_OK;
}

static struct invitation invite(const struct syn_run *run, struct node_file *node,
                                struct syn_own *own)
{
    struct invitation invitation = {0};
    struct syn_signals signals;
    syn_signals_hold(&signals);
    syn_own_node_names(run->rank, node->name, node->part_name);
    uint64_t kinds;
    struct syn_node_index *index = &node->index;
    const size_t count = (size_t)run->node.member_count;
    *index = (struct syn_node_index){.rank = run->rank, .size = run->size, .part_count = count};
    memcpy(index->run_id, run->identity.run_id, sizeof index->run_id);
    index->parts = calloc(count, sizeof *index->parts);
    node->promised = calloc(count, sizeof *node->promised);
    for (size_t i = 0; index->parts && i < count; i++)
        index->parts[i].rank = run->node.members[i];
    if (index->parts && node->promised && syn_own_read(run, SYN_NODE_OUTPUT_BYTES_MAX, own) &&
        syn_part_sections(own->rank, syn_guarded_get(&own->file), &node->shared, &kinds) ==
            SYN_OK &&
        syn_own_make(own, &node->shared) &&
        syn_node_make_shared(&node->index, &node->shared, &node->frame) == SYN_OK && create(node)) {
        invitation.device = (uint64_t)node->to.device;
        invitation.inode = (uint64_t)node->to.inode;
        invitation.shared_bytes = node->frame.count;
    } else {
        syn_own_remove(node->part_name);
    }
    syn_signals_release(&signals);
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
static void lay_out(const struct syn_run *run, struct node_file *node, const struct syn_own *own)
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
    node->index.parity_offset = offset;
    for (int i = 1; i < run->node.member_count; i++)
        (void)transport->send(transport->ctx, run->node.members[i], &parts[i].offset,
                              sizeof parts[i].offset);
}

/* Writes the first rank's part and waits for the others'. Parts that were written get their length
 * in the index. */
static void take_in(const struct syn_run *run, struct node_file *node, const struct syn_own *own)
{
    struct syn_node_part *parts = node->index.parts;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (syn_own_write(own, &node->to, parts[0].offset))
        parts[0].bytes = own->part.bytes;
    syn_signals_release(&signals);
    for (int i = 1; i < run->node.member_count; i++)
        parts[i].bytes = hear(run, i) == node->promised[i] ? node->promised[i] : 0;
}

/* The ranks' own files of what is in it. */
static void remove_taken(const struct node_file *node)
{
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
    const int directory = syn_place_get(syn_output_place());
    for (size_t i = 0; directory >= 0 && i < node->index.part_count; i++)
        if (node->index.parts[i].bytes > 0) {
            syn_own_rank_names(node->index.parts[i].rank, name, part_name);
            unlinkat(directory, part_name, 0);
        }
}

/* It could not be finished: the ranks that took part have gone on, and their files, which are
 * complete, get their names here. */
static bool give_names(struct node_file *node)
{
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
    const int directory = syn_place_get(syn_output_place());
    bool all = directory >= 0;
    syn_own_remove(node->part_name);
    for (size_t i = 1; directory >= 0 && i < node->index.part_count; i++) {
        if (node->index.parts[i].bytes == 0)
            continue;
        struct syn_guarded file = SYN_GUARDED_NONE;
        syn_own_rank_names(node->index.parts[i].rank, name, part_name);
        const int opened = syn_own_open(&file, part_name, O_RDWR);
        all &= opened >= 0 && fsync(opened) == 0 &&
               renameat(directory, part_name, directory, name) == 0;
        syn_guarded_close(&file);
    }
    return all;
}

static enum syn_node_output conclude(struct node_file *node, struct syn_node_written *written)
{
    struct syn_signals signals;
    syn_signals_hold(&signals);
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    /* The file is whole, durable and has its name. */
    const int to = syn_guarded_get(&node->to), directory = syn_place_get(syn_output_place());
    written->any = to >= 0 && directory >= 0 &&
                   syn_node_write_index(to, &node->index, &node->frame, node->promised) == SYN_OK &&
                   renameat(directory, node->part_name, directory, node->name) == 0;
    if (written->any) {
        /* This rank added to the node file all but the others' parts. */
        uint64_t bytes = node->index.file_bytes;
        for (size_t i = 1; i < node->index.part_count; i++)
            bytes -= node->promised[i];
        written->bytes = bytes;
        remove_taken(node);
        result = node->index.parts[0].bytes > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
    } else if (!give_names(node)) {
        result = SYN_NODE_OUTPUT_FAILED;
    }
    syn_signals_release(&signals);
    return result;
}

static enum syn_node_output lead(const struct syn_run *run, bool is_complete,
                                 struct syn_node_written *written)
{
    struct node_file node = {.to = SYN_GUARDED_NONE};
    struct syn_own own = {.file = SYN_GUARDED_NONE};
    struct invitation invitation = {0};
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    if (is_complete)
        invitation = invite(run, &node, &own);
    const int told =
        syn_node_broadcast(&run->node, &run->transport, &invitation, sizeof invitation);
    if (told == SYN_OK && invitation.shared_bytes > 0) {
        lay_out(run, &node, &own);
        take_in(run, &node, &own);
        result = conclude(&node, written);
    }
    syn_own_free(&own);
    free_node(&node);
    return result;
}

/* ---- the others ---- */

/* Reads the shared sections from the first rank's file. Returns false if this rank does not see the
 * same file. */
static bool read_shared(const struct syn_run *run, const struct invitation *invitation,
                        struct node_file *node)
{
    syn_own_node_names(run->node.members[0], node->name, node->part_name);
    const int to = syn_own_open(&node->to, node->part_name, O_RDWR);
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
                                           struct syn_own *own, bool takes_part)
{
    const struct syn_transport *transport = &run->transport;
    struct syn_signals signals;
    uint64_t word = takes_part ? own->part.bytes : 0;
    if (ask_for_place(run, &word) != SYN_OK)
        return SYN_NODE_OUTPUT_NONE;
    syn_signals_hold(&signals);
    const uint64_t written =
        takes_part && syn_own_write(own, &node->to, word) ? own->part.bytes : 0;
    syn_signals_release(&signals);
    const int told =
        transport->send(transport->ctx, run->node.members[0], &written, sizeof written);
    return told == SYN_OK && written > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
}

static enum syn_node_output follow(const struct syn_run *run, bool is_complete,
                                   struct syn_node_written *written)
{
    struct node_file node = {.to = SYN_GUARDED_NONE};
    struct syn_own own = {.file = SYN_GUARDED_NONE};
    struct invitation invitation = {0};
    struct syn_signals signals;
    enum syn_node_output result = SYN_NODE_OUTPUT_NONE;
    const int told =
        syn_node_broadcast(&run->node, &run->transport, &invitation, sizeof invitation);
    if (told == SYN_OK && invitation.shared_bytes > 0) {
        syn_signals_hold(&signals);
        const bool takes_part = is_complete && syn_own_read(run, SYN_NODE_OUTPUT_BYTES_MAX, &own) &&
                                read_shared(run, &invitation, &node) &&
                                syn_own_make(&own, &node.shared);
        syn_signals_release(&signals);
        result = write_in_place(run, &node, &own, takes_part);
        written->bytes = own.part.bytes;
    }
    syn_own_free(&own);
    free_node(&node);
    return result;
}

/* Returns the same on all ranks. A few files of ranks are no trouble, and can be looked at one by
 * one. */
static bool is_wished(const struct syn_run *run)
{
    return run->options.files == SYN_FILES_NODE ||
           (run->options.files == SYN_FILES_AUTO && run->size >= SYN_FILES_AUTO_RANKS);
}

enum syn_node_output syn_node_output(const struct syn_run *run, bool is_complete,
                                     struct syn_node_written *written)
{
    *written = (struct syn_node_written){0};
    if (!is_wished(run) || run->node.member_count < 2)
        return SYN_NODE_OUTPUT_NONE;
    return run->node.member_index == 0 ? lead(run, is_complete, written)
                                       : follow(run, is_complete, written);
}
