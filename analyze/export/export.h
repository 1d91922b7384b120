/* analyze/export/export.h - exports all events of a trace to formats of other programs. */
#ifndef SYN_EXPORT_H
#define SYN_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/match/members/names.h"
#include "analyze/print/output.h"
#include "analyze/print/text.h"
#include "trace/read/span.h"

/* A row: one rank's call in a collective, or one half of a message (its send or its receive). */
struct syn_row {
    uint32_t run;
    int32_t rank;
    uint32_t thread;
    uint16_t op;
    uint16_t flags;
    uint32_t phase; /* name number */
    uint32_t comm;  /* index into the rank's communicators */
    uint32_t site;  /* name number */
    int32_t root;
    bool is_message;
    uint16_t message_bits;        /* of a message: SYN_MESSAGE_* */
    int32_t peer, tag;            /* of a message: rank in the communicator, and tag; -1: unknown */
    struct syn_message_mark mark; /* of a message */
    uint64_t sequence,
        bytes; /* sequence of a message: its number among those that the thread posted */
    int64_t start_ns, end_ns, call_end_ns, wait_start_ns;
    /* Times in the segments before the start, and before the completing call (trace/read/reader.h).
     * -1: not recorded. */
    int64_t messages_ns, off_cpu_ns, wait_messages_ns, wait_off_cpu_ns;
    /* The true global time of the start, and of the end, lies within plus or minus this bound, as
     * in reports (match/members/bounds.h). -1: unknown, as the clock was never compared with that
     * of rank 0. */
    int64_t start_bound_ns, end_bound_ns;
    /* Time in MPI before the last rank of the instance came. -1: the instance is incomplete. */
    int64_t waiting_ns;
};

/* The rank whose rows are written. */
struct syn_export_rank {
    int32_t rank;
    const struct syn_rank_file *file;
    const struct syn_comms *comms;
    struct syn_names *names;
    uint32_t run;
};

struct syn_export_writer;

/* A format. `begin` is called once; `run_begin` and `run_end` before and after the rows of a run;
 * `rank` before the rows of each rank; `end` after all rows. They return 0 or a negative status;
 * all but `begin` and `row` may be NULL. A format that writes a directory has a path instead of an
 * `output`, and takes one run. `close` is always called, and frees the state of the format. */
struct syn_export_format {
    const char *name;
    int (*begin)(struct syn_export_writer *writer);
    int (*run_begin)(struct syn_export_writer *writer, struct syn_trace *trace);
    int (*rank)(struct syn_export_writer *writer, const struct syn_export_rank *rank);
    int (*row)(struct syn_export_writer *writer, const struct syn_row *row);
    int (*run_end)(struct syn_export_writer *writer);
    int (*end)(struct syn_export_writer *writer);
    bool is_directory;
    bool with_instances; /* the writer has the instances, and rows have waiting_ns */
    void (*quote)(struct syn_text *out, const char *name); /* a name as the format writes it */
    void (*close)(struct syn_export_writer *writer);
    /* Removes the incomplete directory of a process that a signal ended. Returns the likely cause
     * as an errno. */
    int (*discard)(const char *path);
};
/* syn_export_otf2 is there if this build has the library. */
extern const struct syn_export_format syn_export_csv, syn_export_perfetto, syn_export_parquet,
    syn_export_otf2;

/* ---- the instances of a run (partners.c) ---- */

struct syn_partners_instance {
    uint64_t sequence;
    int64_t first_start_ns, last_start_ns, last_end_ns;
    int64_t bound_ns; /* clock bound of differences between ranks */
    int32_t last_rank;
};

/* Complete instances of each communicator of a run. */
struct syn_partners {
    struct syn_partners_of {
        struct syn_partners_instance *instance; /* [count], sorted by sequence number */
        size_t count, capacity;
    } * comm; /* [comm_count], as in the run's syn_comms */
    size_t comm_count;
    bool *has_threads; /* [rank count]: several threads of the rank make calls */
};

/* Matches a trace. Returns 0 or a negative status. The caller frees `out` in any case. */
int syn_partners_make(struct syn_trace *trace, const struct syn_comms *comms,
                      struct syn_names *names, struct syn_partners *out);
void syn_partners_free(struct syn_partners *partners);
/* Returns an instance; NULL: it is incomplete, or the communicator is not usable (SYN_NO_COMM). */
const struct syn_partners_instance *syn_partners_find(const struct syn_partners *partners,
                                                      uint32_t comm, uint64_t sequence);

/* ---- the state of an export ---- */

struct syn_export_writer {
    struct syn_output *output;
    const char *path; /* of a format that writes a directory */
    void *state;      /* owned by the format */
    bool with_bounds; /* rows have clock bounds, if the format has a place for them */
    struct syn_run_span run;
    int64_t start_unix_ns; /* time of day at run.begin_ns, since 1970; 0: unknown */
    struct syn_export_rank rank;
    struct syn_partners partners; /* instances of the current run, for a format with_instances */
    const struct syn_export_format *format;
    char **quoted; /* [quoted_count] names as the format writes them; NULL: not made yet */
    size_t quoted_count;
    uint64_t row_count;
};

/* Returns the instance of a row; NULL: it is incomplete. */
const struct syn_partners_instance *syn_export_instance(const struct syn_export_writer *writer,
                                                        const struct syn_row *row);
/* Returns the name number of the label of a communicator of the current rank, which is unique
 * within the run. */
uint32_t syn_export_comm(const struct syn_export_writer *writer, uint32_t comm);
/* Returns the number of members of a communicator of the current rank, in both groups of an
 * intercommunicator. */
int64_t syn_export_comm_size(const struct syn_export_writer *writer, uint32_t comm);
/* Returns a name as the format writes it, quoted once and kept. NULL: no memory. */
const char *syn_export_quoted(struct syn_export_writer *writer, uint32_t name);
/* Returns the name of a row's operation; bytes [SYN_EXPORT_OP_BYTES] holds it if this version does
 * not know the operation: "operation 70". */
#define SYN_EXPORT_OP_BYTES 24
const char *syn_export_op(const struct syn_row *row, char *bytes);
/* Append decimal digits, and return the end. */
char *syn_export_integer(char *to, int64_t value);
char *syn_export_natural(char *to, uint64_t value);

#endif
