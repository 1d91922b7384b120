/* preload/base/options.h - the recorder's options, read from the environment variables SYNCOPATE_*.
 *
 * Rank 0's options hold for all ranks, because all members of a communicator must record the same
 * calls. The struct is broadcast byte by byte, so it contains no pointers. */
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

/* NODE: one file for all ranks of a machine. RANK: one file for each rank. AUTO: NODE from
 * SYN_FILES_AUTO_RANKS ranks on, else RANK. */
enum syn_files { SYN_FILES_AUTO, SYN_FILES_NODE, SYN_FILES_RANK };
#define SYN_FILES_AUTO_RANKS 16

enum syn_messages {
    SYN_MESSAGES_OFF,
    SYN_MESSAGES_SUMS,  /* record the time in messages between events */
    SYN_MESSAGES_EVENTS /* record each message as an event */
};

struct syn_options {
    char directory[4096]; /* absolute */
    char spill[4096]; /* directory of raw blocks: absolute; "": `directory`; "memory": no files */
    struct syn_sync_options sync;
    double resync_s; /* interval between clock measurements while the program runs; 0: none */
    enum syn_clock_kind clock; /* SYN_CLOCK_FUNCTION: MPI_Wtime */
    int stack_depth;           /* frames of a call stack, at most SYN_STACK_DEPTH_MAX; 0: none */
    uint64_t buffer_bytes;     /* memory for the events of a rank */
    int level;                 /* of zstd's compression */
    bool quiet;                /* no message at start and end */
    bool signals;              /* install handlers that note which signal ended the program */
    enum syn_messages messages;
    bool samples;                 /* read the kernel's counts of threads from time to time */
    enum syn_files files;         /* of a run that ends in MPI_Finalize */
    bool recorded[SYN_ROW_COUNT]; /* by row of trace/base/ops.def */
    enum syn_align_method align;
    int64_t window_ns; /* length of a communicator's first window */
    char ranks[4096];  /* ranks that record, "0-3,8" (trace/directory/lists.h); "": all */
    char phases[SYN_PHASES_BYTES]; /* names of MPI_Pcontrol's levels, "2=assembly"; "": none */
    char test_skew[512];           /* artificial errors of the clocks, for tests; "": none */
};

/* Returns "none", "barrier" or "window". */
const char *syn_align_method_name(enum syn_align_method method);

/* Reads the environment (environment.h). An invalid value is reported in one line, and the default
 * is used. */
void syn_options_read(struct syn_options *options);

/* Parses a number of bytes such as "64M": digits, then K, M, G (powers of 1024) or nothing. Returns
 * 0 or SYN_EINVAL. */
int syn_options_parse_bytes(const char *text, uint64_t *bytes);
/* Parses a list of operations and classes into recorded [SYN_ROW_COUNT]: "Bcast,MPI_Allreduce",
 * "data,Comm_dup", "all". A leading '-' or '^' selects all others. Returns 0; SYN_EINVAL or
 * SYN_ENOMEM with `recorded` unchanged. */
int syn_options_parse_operations(const char *text, bool *recorded);

#endif
