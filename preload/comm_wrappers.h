/* preload/comm_wrappers.h - the wrappers of the calls that make, name and free communicators. */
#ifndef SYN_COMM_WRAPPERS_H
#define SYN_COMM_WRAPPERS_H

#include <stddef.h>

#include "backend.h"

#define SYN_COMM_WRAPPERS_MAX 24

/* Put them at wrappers [SYN_COMM_WRAPPERS_MAX]. Returns how many. */
size_t syn_comm_wrappers_add(struct syn_wrapper *wrappers);

#endif
