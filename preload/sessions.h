/* preload/sessions.h - the wrappers of MPI_Session_init and MPI_Session_finalize: a program of
 * sessions alone is not recorded, and is told so. */
#ifndef SYN_SESSIONS_H
#define SYN_SESSIONS_H

#include "backend.h"

#define SYN_SESSION_WRAPPERS 2

/* Put them at wrappers [SYN_SESSION_WRAPPERS], with the name NULL where this MPI has none. Returns
 * how many. */
size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
