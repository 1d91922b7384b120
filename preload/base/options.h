/* preload/base/options.h - the SYNCOPATE_* environment variables.
 *
 * Rank 0's options hold for all ranks (they are broadcast as they are: no pointers in here),
 * because what is recorded must be the same on every member of a communicator. */
#ifndef SYN_OPTIONS_H
#define SYN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/methods/sync.h"
#include "sync/time/clock.h"
#include "trace/base/ops.h"

#define SYN_STACK_DEPTH_MAX 64
#define SYN_PHASES_BYTES    2048

enum syn_align_method { SYN_ALIGN_NONE, SYN_ALIGN_BARRIER, SYN_ALIGN_WINDOW };

/* One file for all ranks of a machine, or one a rank; auto: the first from so many ranks on. */
enum syn_files { SYN_FILES_AUTO, SYN_FILES_NODE, SYN_FILES_RANK };
#define SYN_FILES_AUTO_RANKS 16

enum syn_messages {
    SYN_MESSAGES_OFF,
    SYN_MESSAGES_SUMS,  /* the time in them, between events */
    SYN_MESSAGES_EVENTS /* likewise, but each message is an event */
};

struct syn_options {
    char directory[4096]; /* absolute */
    char spill[4096];     /* where raw blocks go: absolute, "" for the directory, or "memory" */
    struct syn_sync_options sync;
    double resync_s; /* measure the clocks again so often while the program runs; 0: never */
    enum syn_clock_kind clock; /* SYN_CLOCK_FUNCTION: MPI_Wtime */
    int stack_depth;           /* 0: no stacks; at most SYN_STACK_DEPTH_MAX */
    uint64_t buffer_bytes;     /* of events, in one rank */
    int level;                 /* zstd's */
    bool quiet;
    bool signals;                 /* handlers that note which signal ended the program */
    enum syn_messages messages;   /* calls of messages, and other ones that are no collectives */
    bool samples;                 /* what the kernel says of threads, now and then */
    enum syn_files files;         /* of a run that ends in MPI_Finalize */
    bool recorded[SYN_ROW_COUNT]; /* by row of trace/base/ops.def */
    enum syn_align_method align;
    int64_t window_ns; /* the first one of each communicator */
    char ranks[4096];  /* "0-3,8": those that record (trace/directory/lists.h); "" all */
    char phases[SYN_PHASES_BYTES]; /* "2=assembly": names of MPI_Pcontrol's levels; "" none */
    char test_skew[512];           /* "" none */
};

/* "none", "barrier", "window". */
const char *syn_align_method_name(enum syn_align_method method);

/* Read the environment. A value that makes no sense is said in one line and leaves the default. */
void syn_options_read(struct syn_options *options);

/* "64M" to bytes: a number, then K, M, G (powers of 1024) or nothing. Returns 0 or SYN_EINVAL. */
int syn_options_parse_bytes(const char *text, uint64_t *bytes);
/* "Bcast,MPI_Allreduce", "data,Comm_dup", "all", or with a leading '-' or '^' all but those, into
 * recorded [SYN_ROW_COUNT]. Returns 0, or SYN_EINVAL with `recorded` unchanged. */
int syn_options_parse_operations(const char *text, bool *recorded);

#endif
