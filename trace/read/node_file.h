/* trace/read/node_file.h - reads a node file, which holds the ranks of a machine:
 * DIR/node-000000.syn, with the number of the first of them.
 *
 * A node file has a part for each rank, with frames as in a rank's file. Declarations that all
 * parts have in common are stored once (node_index.h). The functions here find the parts;
 * rank_open.c reads a part like a rank's file. Everything in the file is checked before it is
 * used. */
#ifndef SYN_NODE_FILE_H
#define SYN_NODE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "sync/base/bytes.h"
#include "trace/base/rank_lists.h"
#include "trace/read/node_index.h"
#include "trace/read/reader.h"

/* Parses a name that syn_node_path makes, without directory. *rank is the first rank in the file.
 * *is_part: the file is being written, or its program was killed while writing it; then all its
 * content is still in the ranks' files. */
bool syn_node_name_parse(const char *name, int32_t *rank, bool *is_part);
/* Writes the path of a node file. Returns what snprintf returns. */
int syn_node_path(char *buffer, size_t buffer_bytes, const char *directory, int32_t rank);

#define SYN_NODE_FAULTS_MAX 4

struct syn_node_file {
    char *path;
    dev_t device;
    ino_t inode;
    struct syn_node_index index;
    struct syn_bytes shared;
    bool has_shared;
    /* Faults of the whole file, as constant texts. Faults of parts are not among them. */
    struct {
        int status;
        const char *text;
    } faults[SYN_NODE_FAULTS_MAX];
    int fault_count;
};

/* Opens a node file and finds its parts. No descriptor stays open. Returns 0, also with faults;
 * SYN_EIO, SYN_ENOTTRACE, SYN_EVERSION, SYN_ETRUNCATED, SYN_EDAMAGED (the parts cannot be found) or
 * SYN_ENOMEM. The caller closes *out in either case. */
int syn_node_open(const char *path, struct syn_node_file *out);
void syn_node_close(struct syn_node_file *node);
/* Returns a descriptor of the same file, or -1 with errno. */
int syn_node_reopen(const struct syn_node_file *node, struct stat *state);
/* Reads the shared content of a file that is being written, of `part_count` parts of a run. Returns
 * 0; SYN_EIO, SYN_EDAMAGED (there is no valid content) or SYN_ENOMEM. */
int syn_node_read_shared(int descriptor, size_t part_count, const uint8_t run_id[16],
                         struct syn_bytes *out);
/* Returns the content to which sections refer, or NULL if it is damaged. */
const struct syn_bytes *syn_node_shared(const struct syn_node_file *node);

/* The node files of an open trace, including unreadable ones, and the node file of a rank, if any
 * (trace.c). */
size_t syn_trace_node_count(const struct syn_trace *trace);
const struct syn_node_file *syn_trace_node_at(const struct syn_trace *trace, size_t i);
bool syn_trace_node_of(const struct syn_trace *trace, int32_t rank, size_t *node);

/* Opens the part of a rank, as syn_rank_open opens a file (rank_open.c). */
int syn_rank_open_part(const struct syn_node_file *node, const struct syn_node_part *part,
                       struct syn_rank_lists *lists, struct syn_rank_file **out);

#endif
