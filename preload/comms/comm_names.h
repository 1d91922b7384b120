/* preload/comms/comm_names.h - a name for a communicator, a window or a file that a person
 * understands: its own (MPI's, a file's path), else how it was made and of what. Made when somebody
 * asks, for most are never asked for. */
#ifndef SYN_COMM_NAMES_H
#define SYN_COMM_NAMES_H

#include <stddef.h>

#include "preload/comms/comm.h"

/* Text with one owner. NULL where memory is short. */
struct syn_shared_text *syn_shared_text_new(const char *text);
/* One owner more; NULL is fine, as it is for release. */
struct syn_shared_text *syn_shared_text_share(struct syn_shared_text *text);
void syn_shared_text_release(struct syn_shared_text *text);

/* Bytes of origin->text. */
size_t syn_origin_text_length(const struct syn_origin *origin);
/* Writes the detail of `origin` beyond its word: "2x3", "rows". `parent` may be NULL. */
void syn_comm_detail(struct syn_comm *comm, const struct syn_comm *parent,
                     const struct syn_origin *origin);
/* "dup 3 of MPI_COMM_WORLD", "rows 1 of 2x3 cart 1 of MPI_COMM_WORLD", "intercomm of ranks 0-3 and
 * 4-7". */
void syn_comm_name(const struct syn_comm *comm, char name[SYN_COMM_NAME_BYTES]);
/* Returns the name as a shared text, with one owner more. NULL if memory is short. */
struct syn_shared_text *syn_comm_name_shared(struct syn_comm *comm);

#endif
