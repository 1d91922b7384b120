/* preload/comms/comm_names.h - readable names of communicators, windows and files. A name is the
 * one that the program set, or else says how the thing was made and from what. Names are made on
 * demand, because most are never needed. */
#ifndef SYN_COMM_NAMES_H
#define SYN_COMM_NAMES_H

#include <stddef.h>

#include "preload/comms/comm.h"

/* Returns a copy of `text` with reference count 1, or NULL without memory. */
struct syn_shared_text *syn_shared_text_new(const char *text);
/* Add and drop a reference; the last drop frees the text. Both accept NULL. _share returns its
 * argument. */
struct syn_shared_text *syn_shared_text_share(struct syn_shared_text *text);
void syn_shared_text_release(struct syn_shared_text *text);

/* Returns the length of origin->text without trailing blanks. */
size_t syn_origin_text_length(const struct syn_origin *origin);
/* Sets comm->detail from `origin`: "2x3", "rows"; or "". `parent` may be NULL. */
void syn_comm_detail(struct syn_comm *comm, const struct syn_comm *parent,
                     const struct syn_origin *origin);
/* Writes the name: "dup 3 of MPI_COMM_WORLD", "rows 1 of 2x3 cart 1 of MPI_COMM_WORLD", "intercomm
 * of ranks 0-3 and 4-7". */
void syn_comm_name(const struct syn_comm *comm, char name[SYN_COMM_NAME_BYTES]);
/* Returns a new reference to the name, and keeps it in comm->name. NULL without memory. */
struct syn_shared_text *syn_comm_name_shared(struct syn_comm *comm);

#endif
