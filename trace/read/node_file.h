/* trace/read/node_file.h - read one file for all ranks of a machine: DIR/node-000000.syn, named
 * after the first of them.
 *
 * It holds a part for each rank, with frames as in a rank's file; what all of them declare alike is
 * there once (node_index.h). Here it is found where the parts lie; a part is then read as a rank's
 * file is (rank_open.c). Nothing in the file is believed. */
#ifndef SYN_NODE_FILE_H
#define SYN_NODE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sync/base/bytes.h"
#include "trace/base/rank_lists.h"
#include "trace/read/node_index.h"
#include "trace/read/reader.h"

/* A name of one as syn_node_path makes it, without directory; *rank: the first that is in it.
 * *is_part: it is being written, or was when its program was killed; all that it is to hold is in
 * the ranks' files still. */
bool syn_node_name_parse(const char *name, int32_t *rank, bool *is_part);
/* snprintf's contract. */
int syn_node_path(char *buffer, size_t buffer_bytes, const char *directory, int32_t rank);

#define SYN_NODE_FAULTS_MAX 4

struct syn_node_file {
    char *path;
    dev_t device;
    ino_t inode;
    struct syn_node_index index;
    struct syn_bytes shared;
    bool has_shared;
    /* Faults of the file as a whole, constant texts. Parts are not looked at. */
    struct {
        int status;
        const char *text;
    } faults[SYN_NODE_FAULTS_MAX];
    int fault_count;
};

/* Find the parts. No descriptor stays open. Returns 0, also with faults, or SYN_EIO, SYN_ENOTTRACE,
 * SYN_EVERSION, SYN_ETRUNCATED, SYN_EDAMAGED (its parts cannot be found), SYN_ENOMEM. Free it in
 * either case. */
int syn_node_open(const char *path, struct syn_node_file *out);
void syn_node_close(struct syn_node_file *node);
/* A descriptor of the same file, or -1 with errno. */
int syn_node_reopen(const struct syn_node_file *node, struct stat *state);
/* Reads the shared content of a file that is being written, of `part_count` parts of a run. 0;
 * SYN_EIO, SYN_EDAMAGED (it is not there), SYN_ENOMEM. */
int syn_node_read_shared(int descriptor, size_t part_count, const uint8_t run_id[16],
                         struct syn_bytes *out);
/* Returns the content that sections refer to, or NULL if it is damaged. */
const struct syn_bytes *syn_node_shared(const struct syn_node_file *node);

/* The node files of an open trace, also those that cannot be read, and the one that has a rank, if
 * any (trace.c). */
size_t syn_trace_node_count(const struct syn_trace *trace);
const struct syn_node_file *syn_trace_node_at(const struct syn_trace *trace, size_t i);
bool syn_trace_node_of(const struct syn_trace *trace, int32_t rank, size_t *node);

/* The part of a rank, as syn_rank_open opens a file (rank_open.c). */
int syn_rank_open_part(const struct syn_node_file *node, const struct syn_node_part *part,
                       struct syn_rank_lists *lists, struct syn_rank_file **out);

#endif
