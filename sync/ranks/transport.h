/* sync/ranks/transport.h - messages between two ranks. RATIONALE: sync/ does not use MPI itself:
 * the same code runs over PMPI, over threads with a known skew, and over a simulated cluster. */
#ifndef SYN_TRANSPORT_H
#define SYN_TRANSPORT_H

#include <stddef.h>

struct syn_transport {
    int rank; /* of the caller, 0..size-1; rank 0 is the reference clock */
    int size;
    /* Blocking; messages of a pair arrive in order. Return 0 or SYN_ETRANSPORT. */
    int (*send)(void *ctx, int peer_rank, const void *data, size_t bytes);
    int (*recv)(void *ctx, int peer_rank, void *data, size_t bytes);
    void *ctx;
};

#endif
