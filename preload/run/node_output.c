/* preload/run/node_output.c - see node_output.h.
 *
 * The first rank of a machine exchanges four messages with each other rank:
 *     first -> rank   the node file's identity and size of its shared frame
 *     rank -> first   length of the rank's part; 0: takes no part
 *     first -> rank   offset of the part
 *     rank -> first   length written
 * All ranks read the shared frame from the file itself, which proves that they see the same
 * file. */
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

/* First message, from the first rank. */
struct invitation {
    uint64_t device, inode;
    uint64_t shared_bytes; /* length of the shared frame; 0: there is no node file */
};

struct node_file {
    struct syn_guarded to;
    struct syn_node_index index;
    struct syn_bytes shared, frame;
    uint64_t *announced_bytes; /* [index.part_count] lengths announced by the ranks */
    char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
};

static void free_node(struct node_file *node)
{
    syn_node_index_free(&node->index);
    syn_bytes_free(&node->shared);
    syn_bytes_free(&node->frame);
    free(node->announced_bytes);
    syn_guarded_close(&node->to);
}

/* ---- the first rank ---- */

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
    node->announced_bytes = calloc(count, sizeof *node->announced_bytes);
    for (size_t i = 0; index->parts && i < count; i++)
        index->parts[i].rank = run->node.members[i];
    if (index->parts && node->announced_bytes &&
        syn_own_read(run, SYN_NODE_OUTPUT_BYTES_MAX, own) &&
        syn_part_sections(own->rank, syn_guarded_get(&own->file), &node->shared, &kinds) ==
            SYN_OK &&
        syn_own_make(own, &node->shared) &&
        syn_node_make_shared(&node->index, &node->shared, &node->frame) == SYN_OK &&
        syn_own_create(&node->to, node->part_name) >= 0 &&
        syn_node_write_shared(syn_guarded_get(&node->to), &node->index, &node->frame) == SYN_OK) {
        invitation.device = (uint64_t)node->to.device;
        invitation.inode = (uint64_t)node->to.inode;
        invitation.shared_bytes = node->frame.count;
    } else {
        syn_own_remove(node->part_name);
    }
    syn_signals_release(&signals);
    return invitation;
}

/* Receives a number from the i-th rank; 0 if that fails: the rank then takes no part. */
static uint64_t receive_number(const struct syn_run *run, int i)
{
    uint64_t number;
    const int status =
        run->transport.recv(run->transport.ctx, run->node.members[i], &number, sizeof number);
    return status == SYN_OK ? number : 0;
}

/* Receives the lengths of all parts and sends each rank its offset. Every rank gets an answer, even
 * if others failed. */
static void assign_places(const struct syn_run *run, struct node_file *node,
                          const struct syn_own *own)
{
    const struct syn_transport *transport = &run->transport;
    struct syn_node_part *parts = node->index.parts;
    uint64_t offset = syn_node_parts_begin(&node->index, &node->frame);
    node->announced_bytes[0] = own->part.bytes;
    for (int i = 1; i < run->node.member_count; i++)
        node->announced_bytes[i] = receive_number(run, i);
    for (int i = 0; i < run->node.member_count; i++) {
        parts[i].offset = offset;
        offset += node->announced_bytes[i];
    }
    node->index.parity_offset = offset;
    for (int i = 1; i < run->node.member_count; i++)
        (void)transport->send(transport->ctx, run->node.members[i], &parts[i].offset,
                              sizeof parts[i].offset);
}

/* Writes the first rank's part and waits for the others. Parts that were written get their length
 * in the index. */
static void gather_parts(const struct syn_run *run, struct node_file *node,
                         const struct syn_own *own)
{
    struct syn_node_part *parts = node->index.parts;
    struct syn_signals signals;
    syn_signals_hold(&signals);
    if (syn_own_write(own, &node->to, parts[0].offset))
        parts[0].bytes = own->part.bytes;
    syn_signals_release(&signals);
    for (int i = 1; i < run->node.member_count; i++)
        parts[i].bytes =
            receive_number(run, i) == node->announced_bytes[i] ? node->announced_bytes[i] : 0;
}

/* The node file failed: gives the complete files of ranks that have already left their final names.
 * Returns false if one fails. */
static bool finish_rank_files(struct node_file *node)
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
    /* True if the node file is complete, durable and has its name. */
    const int to = syn_guarded_get(&node->to), directory = syn_place_get(syn_output_place());
    written->any =
        to >= 0 && directory >= 0 &&
        syn_node_write_index(to, &node->index, &node->frame, node->announced_bytes) == SYN_OK &&
        renameat(directory, node->part_name, directory, node->name) == 0;
    if (written->any) {
        /* All bytes of the node file but the other ranks' parts. */
        uint64_t bytes = node->index.file_bytes;
        for (size_t i = 1; i < node->index.part_count; i++)
            bytes -= node->announced_bytes[i];
        written->bytes = bytes;
        char name[SYN_OWN_NAME_BYTES], part_name[SYN_OWN_NAME_BYTES];
        for (size_t i = 0; i < node->index.part_count; i++)
            if (node->index.parts[i].bytes > 0) {
                syn_own_rank_names(node->index.parts[i].rank, name, part_name);
                unlinkat(directory, part_name, 0);
            }
        result = node->index.parts[0].bytes > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
    } else if (!finish_rank_files(node)) {
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
    const int status =
        syn_node_broadcast(&run->node, &run->transport, &invitation, sizeof invitation);
    if (status == SYN_OK && invitation.shared_bytes > 0) {
        assign_places(run, &node, &own);
        gather_parts(run, &node, &own);
        result = conclude(&node, written);
    }
    syn_own_free(&own);
    free_node(&node);
    return result;
}

/* ---- the others ---- */

/* Reads the shared frame from the first rank's file. Returns false if this rank does not see the
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

static enum syn_node_output follow(const struct syn_run *run, bool is_complete,
                                   struct syn_node_written *written)
{
    struct node_file node = {.to = SYN_GUARDED_NONE};
    struct syn_own own = {.file = SYN_GUARDED_NONE};
    struct invitation invitation = {0};
    struct syn_signals signals;
    const struct syn_transport *transport = &run->transport;
    const int first = run->node.members[0];
    uint64_t bytes = 0;
    int status = syn_node_broadcast(&run->node, transport, &invitation, sizeof invitation);
    if (status == SYN_OK && invitation.shared_bytes > 0) {
        syn_signals_hold(&signals);
        const bool takes_part = is_complete && syn_own_read(run, SYN_NODE_OUTPUT_BYTES_MAX, &own) &&
                                read_shared(run, &invitation, &node) &&
                                syn_own_make(&own, &node.shared);
        syn_signals_release(&signals);
        /* Send the part's length, receive its offset, and write it there. */
        uint64_t number = takes_part ? own.part.bytes : 0;
        status = transport->send(transport->ctx, first, &number, sizeof number);
        SYN_STEP(status, transport->recv(transport->ctx, first, &number, sizeof number));
        if (status == SYN_OK) {
            syn_signals_hold(&signals);
            bytes = takes_part && syn_own_write(&own, &node.to, number) ? own.part.bytes : 0;
            syn_signals_release(&signals);
            status = transport->send(transport->ctx, first, &bytes, sizeof bytes);
        }
        written->bytes = own.part.bytes;
    }
    syn_own_free(&own);
    free_node(&node);
    return status == SYN_OK && bytes > 0 ? SYN_NODE_OUTPUT_IN : SYN_NODE_OUTPUT_NONE;
}

enum syn_node_output syn_node_output(const struct syn_run *run, bool is_complete,
                                     struct syn_node_written *written)
{
    *written = (struct syn_node_written){0};
    if (!(run->options.files == SYN_FILES_NODE ||
          (run->options.files == SYN_FILES_AUTO && run->size >= SYN_FILES_AUTO_RANKS)) ||
        run->node.member_count < 2)
        return SYN_NODE_OUTPUT_NONE;
    return run->node.member_index == 0 ? lead(run, is_complete, written)
                                       : follow(run, is_complete, written);
}
