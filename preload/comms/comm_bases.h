/* preload/comms/comm_bases.h - remembers communicators that were declared whole, so that others
 * like them are declared as their siblings (trace/read/repeated_comms.h). Under the lock of
 * communicators.c. */
#ifndef SYN_COMM_BASES_H
#define SYN_COMM_BASES_H

#include <stdbool.h>

#include "preload/comms/comm.h"
#include "trace/read/repeated_comms.h"

/* Does `comm`, which was not declared yet, differ from one of them by its number alone? */
bool syn_comm_is_repeated(const struct syn_comm *comm, struct syn_repeated_comm *out);
/* The file has a whole record of it now, the first or another one. */
void syn_comm_was_declared(const struct syn_comm *comm);

#endif
