/* trace/base/records.h - the records of a rank's file besides its events. The writer and the reader
 * share them. */
#ifndef SYN_RECORDS_H
#define SYN_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_NO_STACK UINT32_MAX /* event.stack if no call stack was captured */

/* META key: the rule by which the clock's bound grows (syn_timeline's wander_time_s). */
#define SYN_META_WANDER_TIME "sync.wander_time_s"
/* META key: "yes" in a recovered file if the number of lost calls is not known. */
#define SYN_META_LOSS_UNKNOWN "loss_unknown"
/* META key in a recovered file: the tick at which a signal ended the rank. */
#define SYN_META_END_TICKS      "end.ticks"
#define SYN_META_FINALIZE_TICKS "finalize.ticks" /* META key: tick of entering MPI_Finalize */

/* A communicator, from the view of one of its members. */
struct syn_comm_record {
    uint32_t index;      /* the number by which events refer to it, per rank */
    uint64_t id;         /* the same on all members; never 0 */
    uint64_t parent_id;  /* 0: none */
    int32_t size;        /* of the local group */
    int32_t rank;        /* the caller's rank in the local group */
    int32_t remote_size; /* intercommunicators: size of the remote group, negative if that belongs
                            to another MPI_COMM_WORLD; else 0 */
    const char *name;    /* for messages to people: "MPI_COMM_WORLD", "split 2 of MPI_COMM_WORLD";
                            never NULL */
    const int32_t
        *world_ranks; /* [size], rank in the communicator -> rank in MPI_COMM_WORLD; -1 unknown */
};

/* A loaded object that contains frames of call stacks. */
struct syn_module_record {
    uint32_t index;
    const char *path; /* as the dynamic linker reported it. A reader never opens it without a check
                         of its build id */
    const uint8_t *build_id; /* [build_id_bytes]; NULL if the object has none */
    size_t build_id_bytes;
};

/* One frame of a call stack, independent of the addresses at which objects are loaded. */
struct syn_frame {
    uint32_t module; /* index of a module; UINT32_MAX: unknown */
    uint64_t offset; /* of the return address, from the module's load base; the absolute address if
                        the module is unknown */
};

struct syn_stack_record {
    uint32_t index;
    uint32_t depth;
    const struct syn_frame *frames; /* [depth], innermost first */
};

/* The kernel's counters of a thread, read between two of its calls. They count from the thread's
 * start, so the difference of two samples is the activity between them. */
struct syn_sample {
    int64_t time;          /* global nanoseconds; ticks in the recorder and the writer */
    uint64_t cpu_ns;       /* processor time */
    uint64_t run_delay_ns; /* time in which the thread was ready but had no processor */
    uint64_t instructions; /* in user mode, like cycles */
    uint64_t cycles;
    uint32_t voluntary_switches;
    uint32_t involuntary_switches;
    uint32_t minor_faults;
    uint32_t major_faults;
    int32_t
        processor; /* the kernel's number of the processor that the thread ran on; -1: unknown */
    uint16_t has;  /* SYN_SAMPLE_HAS_*: the fields that are known; others are 0 */
};

#define SYN_SAMPLE_HAS_RUN_DELAY 0x1u
#define SYN_SAMPLE_HAS_COUNTERS  0x2u /* instructions and cycles */
#define SYN_SAMPLE_HAS_USAGE     0x4u /* switches and faults */

/* How a rank's recording ended. */
enum syn_ending {
    SYN_ENDING_UNKNOWN = 0, /* no end frame: killed, or the file was cut */
    SYN_ENDING_FINALIZE = 1,
    SYN_ENDING_EXIT = 2,     /* exit() without MPI_Finalize */
    SYN_ENDING_ABORT = 3,    /* MPI_Abort */
    SYN_ENDING_DISABLED = 4, /* the recorder disabled itself (disk full, ...) */
    SYN_ENDING_KILLED = 5, /* the recording stops without a note of the reason, as after SIGKILL */
    SYN_ENDING_SIGNAL = 64 /* plus the number of the signal that killed the rank, 1 to 64 */
};

static inline bool syn_ending_is_known(uint64_t ending)
{
    return ending <= SYN_ENDING_KILLED ||
           (ending > SYN_ENDING_SIGNAL && ending <= SYN_ENDING_SIGNAL + 64);
}

/* Returns "finalize", "exit", "abort", "disabled", "killed", "signal 11 (SIGSEGV)" or "unknown";
 * "another signal" for a signal without a portable name. */
const char *syn_ending_name(enum syn_ending ending);

/* Totals in the end frame. */
struct syn_end_record {
    enum syn_ending ending;
    uint64_t event_count;   /* recorded and written */
    uint64_t dropped_count; /* recorded but lost (meta key "dropped_reason" has the reason) */
};

#endif
