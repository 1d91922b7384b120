/* analyze/export/export.h - every event of a trace, one after the other, in other programs'
 * formats. */
#ifndef SYN_EXPORT_H
#define SYN_EXPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/export/partners.h"
#include "analyze/match/members/comms.h"
#include "analyze/match/members/message_numbers.h"
#include "analyze/match/members/names.h"
#include "analyze/print/output.h"
#include "trace/read/span.h"

/* One rank's part in one collective, or in one message: its send or its receive. */
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
    uint16_t message_bits;        /* of a message: SYN_MESSAGE_*; */
    int32_t peer, tag;            /*   likewise: rank in the communicator, -1 unknown */
    struct syn_message_mark mark; /* likewise, for a format that pairs messages */
    uint64_t sequence, bytes;     /* of a message: its number among those that the thread posted */
    int64_t start_ns, end_ns, call_end_ns, wait_start_ns;
    /* Times in the segments before the start and before the completing call (trace/read/reader.h);
     * -1 where the recording does not say. */
    int64_t messages_ns, off_cpu_ns, wait_messages_ns, wait_off_cpu_ns;
    /* The true global time of the start, and of the end, lies within +- this: as reports have it
     * (match/bounds.h). -1 where the clock was never compared with rank 0's. */
    int64_t start_bound_ns, end_bound_ns;
    /* In MPI, before the instance's last rank came; -1 where the instance lacks members. */
    int64_t waiting_ns;
};

/* The rank whose rows are being written. */
struct syn_export_rank {
    int32_t rank;
    const struct syn_rank_file *file;
    const struct syn_comms *comms;
    struct syn_names *names;
    uint32_t run;
};

struct syn_export_writer;

/* A format. `begin` is called once, `run_begin` and `run_end` around the rows of a run, `rank`
 * before each rank's rows, `end` after everything. 0 or negative. One of a directory has no
 * `output` but a path, and takes one run. What a format keeps it frees in `close`, which is always
 * called. */
struct syn_export_format {
    const char *name;
    int (*begin)(struct syn_export_writer *writer);
    int (*run_begin)(struct syn_export_writer *writer, struct syn_trace *trace); /* NULL: nothing */
    int (*rank)(struct syn_export_writer *writer, const struct syn_export_rank *rank);
    int (*row)(struct syn_export_writer *writer, const struct syn_row *row);
    int (*run_end)(struct syn_export_writer *writer); /* behind a run's last row; NULL: nothing */
    int (*end)(struct syn_export_writer *writer);
    bool is_directory;
    bool takes_messages; /* rows of messages, too */
    bool pairs_messages; /* which say which meet */
    bool with_instances; /* the writer has them, and rows their waiting */
    void (*close)(struct syn_export_writer *writer);
    /* Removes what a signal left of a directory; returns an errno that says why not. */
    int (*discard)(const char *path);
};
/* otf2: where this build has the library. */
extern const struct syn_export_format syn_export_csv, syn_export_perfetto, syn_export_parquet,
    syn_export_otf2;

/* State of a format while it writes. */
struct syn_export_writer {
    struct syn_output *output;
    const char *path; /* of a directory */
    void *state;      /* the format's own */
    bool with_bounds; /* rows have them, where the format has a place for them */
    struct syn_run_span run;
    int64_t start_unix_ns; /* wall clock at run.begin_ns; 0 unknown */
    struct syn_export_rank rank;
    struct syn_partners partners; /* of the run in hand, for a format with_instances */
    char **site; /* [site_count], text of a name as this format writes it; NULL: not made yet */
    size_t site_count;
    char **comm; /* [comm_count], likewise, of the rank's communicators */
    size_t comm_count;
    uint64_t row_count;
};

/* The instance that a row is a part of; NULL where it lacks members. */
const struct syn_partners_instance *syn_export_instance(const struct syn_export_writer *writer,
                                                        const struct syn_row *row);
/* The label of a communicator of the current rank, unique within the run. */
const char *syn_export_comm_label(const struct syn_export_writer *writer, uint32_t comm);
/* Its members: both groups of an intercommunicator. */
int64_t syn_export_comm_size(const struct syn_export_writer *writer, uint32_t comm);
/* The place of a name's cached text, for the format to fill; NULL where memory ran out. */
char **syn_export_site_cache(struct syn_export_writer *writer, uint32_t site);
char **syn_export_comm_cache(struct syn_export_writer *writer, uint32_t comm);
/* Append decimal digits; returns the end. */
char *syn_export_integer(char *to, int64_t value);
char *syn_export_natural(char *to, uint64_t value);

#endif
