/* trace/base/records.h - the records of a rank's file besides its events. Shared by the writer and
 * the reader. */
#ifndef SYN_RECORDS_H
#define SYN_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_NO_STACK UINT32_MAX /* event.stack where none was captured */

/* The META that says by which rule the clock's bound grows: syn_timeline's wander_time_s. */
#define SYN_META_WANDER_TIME "sync.wander_time_s"
/* "yes" in a file that was recovered: how many calls were lost is not known. */
#define SYN_META_LOSS_UNKNOWN "loss_unknown"
/* The tick at which a signal ended the rank, in a file that was recovered. */
#define SYN_META_END_TICKS      "end.ticks"
#define SYN_META_FINALIZE_TICKS "finalize.ticks" /* when the rank entered MPI_Finalize */

/* A communicator, as one of its members sees it. */
struct syn_comm_record {
    uint32_t index;      /* what events refer to, per rank */
    uint64_t id;         /* the same on all members; never 0 */
    uint64_t parent_id;  /* 0: none */
    int32_t size;        /* of the local group */
    int32_t rank;        /* the caller's, in the local group */
    int32_t remote_size; /* intercommunicators, else 0; below 0: so many, of another MPI_COMM_WORLD
                          */
    const char *name;    /* for people: "MPI_COMM_WORLD", "split 2 of MPI_COMM_WORLD"; never NULL */
    const int32_t
        *world_ranks; /* [size], rank in the communicator -> rank in MPI_COMM_WORLD; -1 unknown */
};

/* A loaded object that frames lie in. */
struct syn_module_record {
    uint32_t index;
    const char *path; /* as the dynamic linker had it; never opened on a reader's behalf without its
                         build id */
    const uint8_t *build_id; /* [build_id_bytes]; NULL where the object has none */
    size_t build_id_bytes;
};

/* One frame of a stack: address-independent. */
struct syn_frame {
    uint32_t module; /* index of a module; UINT32_MAX unknown */
    uint64_t offset; /* of the return address from the module's load base; the absolute address
                        where unknown */
};

struct syn_stack_record {
    uint32_t index;
    uint32_t depth;
    const struct syn_frame *frames; /* [depth], innermost first */
};

/* The kernel's counts of a thread, taken between two of its calls. They count from the thread's
 * begin, so the difference of two samples is what happened between them. */
struct syn_sample {
    int64_t time;          /* global nanoseconds; ticks where a recorder or a writer has it */
    uint64_t cpu_ns;       /* processor time */
    uint64_t run_delay_ns; /* it could have run, but had no processor */
    uint64_t instructions; /* and cycles: in user mode */
    uint64_t cycles;
    uint32_t voluntary_switches;
    uint32_t involuntary_switches;
    uint32_t minor_faults;
    uint32_t major_faults;
    int32_t processor; /* that it ran on, by the kernel's number; -1 unknown */
    uint16_t has;      /* SYN_SAMPLE_HAS_*: what of it is known, the rest being 0 */
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
    SYN_ENDING_DISABLED = 4, /* the profiler disabled itself (disk full, ...) */
    SYN_ENDING_KILLED = 5,   /* it was there to the last event, and then no more, without a word */
    SYN_ENDING_SIGNAL = 64   /* plus the number of the signal that it died of, 1 to 64 */
};

static inline bool syn_ending_is_known(uint64_t ending)
{
    return ending <= SYN_ENDING_KILLED ||
           (ending > SYN_ENDING_SIGNAL && ending <= SYN_ENDING_SIGNAL + 64);
}

/* "finalize", "exit", "abort", "disabled", "killed", "signal 11 (SIGSEGV)", "unknown". */
const char *syn_ending_name(enum syn_ending ending);

/* Totals, in the end frame. */
struct syn_end_record {
    enum syn_ending ending;
    uint64_t event_count;   /* recorded and written */
    uint64_t dropped_count; /* recorded but lost (with the reason in meta key "dropped_reason") */
};

#endif
