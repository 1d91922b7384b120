/* tests/unit/trace/pack_node.h - a node file out of ranks' files, made by one process: for tests,
 * and for traces of more ranks than can be run. */
#ifndef PACK_NODE_H
#define PACK_NODE_H

#include <stdint.h>

/* The files of ranks `first` to `first + count - 1` in `directory` become one, and go. Returns 0 or
 * a status (sync/base/status.h). */
int pack_node(const char *directory, int32_t first, int32_t count);
/* The file of a rank becomes what it is at the end of a run where it is short. 0 or a status. */
int shorten_rank(const char *directory, int32_t rank);
/* All `size` ranks' files become `count` node files, by some processes. 0 or a status. */
int pack_nodes(const char *directory, int32_t size, int32_t count);

#endif
