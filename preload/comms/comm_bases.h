/* preload/comms/comm_bases.h - remembers communicators with a whole record in the file. A
 * communicator that differs from one of them only by its number gets a short record, as its sibling
 * (trace/read/repeated_comms.h). The callers hold the lock of communicators.c. */
#ifndef SYN_COMM_BASES_H
#define SYN_COMM_BASES_H

#include <stdbool.h>

#include "preload/comms/comm.h"
#include "trace/read/repeated_comms.h"

/* Returns true if `comm`, which has no record yet, differs from a remembered communicator only by
 * its number. Then *out is its short record. */
bool syn_comm_is_repeated(const struct syn_comm *comm, struct syn_repeated_comm *out);
/* Remembers `comm`: the file has a whole record of it, its first one or a renewed one. */
void syn_comm_was_declared(const struct syn_comm *comm);

#endif
