/* preload/comms/keys.h - a communicator, a window or a file as one number: its handle, with which
 * of the three it is. */
#ifndef SYN_KEYS_H
#define SYN_KEYS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#define SYN_KEY_WINDOW ((uintptr_t)1 << 62)
#define SYN_KEY_FILE   ((uintptr_t)1 << 63)

static inline uintptr_t syn_key_of_comm(MPI_Comm handle)
{
    return (uintptr_t)handle & ~(SYN_KEY_WINDOW | SYN_KEY_FILE);
}

static inline bool syn_key_is_comm(uintptr_t key)
{
    return !(key & (SYN_KEY_WINDOW | SYN_KEY_FILE));
}

/* Back again. */
static inline MPI_Comm syn_comm_of_key(uintptr_t key)
{
    return (MPI_Comm)key;
}

static inline uintptr_t syn_key_of_window(MPI_Win handle)
{
    return syn_key_of_comm((MPI_Comm)(uintptr_t)handle) | SYN_KEY_WINDOW;
}

static inline uintptr_t syn_key_of_file(MPI_File handle)
{
    return ((uintptr_t)handle & ~SYN_KEY_WINDOW) | SYN_KEY_FILE;
}

#endif
