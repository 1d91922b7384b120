/* trace/directory/manifest.h - the trace directory and the one file in it that says it is whole.
 *
 * - DIR/manifest: text, "key value" lines, ends with its own checksum; written last, by rename
 * - DIR/rank-000000.syn: one a rank (rank-000000.syn.part while it is being written), or
 * - DIR/node-000000.syn: one for the ranks of a machine, by the lowest of them
 * (trace/read/node_file.h)
 */
#ifndef SYN_MANIFEST_H
#define SYN_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYN_MANIFEST_NAME "manifest"

struct syn_place;

struct syn_manifest {
    uint32_t format_version;
    uint8_t run_id[16];
    int32_t size;          /* ranks that the run had */
    int32_t written_count; /* ranks that wrote their file whole */
    uint64_t event_count;  /* summed over ranks */
    int64_t start_unix_ns; /* wall clock at begin_ns, by rank 0's; for people only */
    int64_t begin_ns;      /* global: the first rank's return of MPI_Init; or SYN_BEGIN_UNKNOWN */
    int64_t duration_ns;   /* from there to the last rank's entry of MPI_Finalize; 0 unknown */
};
#define SYN_BEGIN_UNKNOWN INT64_MIN

/* The name of a rank's file inside `directory`; snprintf's contract. */
int syn_rank_path(char *buffer, unsigned long buffer_bytes, const char *directory, int rank);
/* Is `name` (without directory) that of a rank's file? *is_part: of one that is being written. */
bool syn_rank_name_parse(const char *name, int32_t *rank, bool *is_part);

/* Make `directory` ready for a new run: created with its parents if missing; an existing trace
 * (finished or not) or experiment is renamed to DIRECTORY.old, replacing only an older trace there.
 * An empty directory is taken as it is; anything else in the way is left alone. A directory is a
 * trace of ours where it holds nothing but files that we name (manifest, rank-NNNNNN.syn,
 * node-NNNNNN.syn, symbols, experiment; run-NNNN/ and spawned-NNNN/ with the same) and those among
 * them that say so (manifest, rank files) begin as ours do. Returns 0; SYN_EIO (errno; EBUSY:
 * another run has claimed it); SYN_EINVAL with errno ENOTEMPTY if the directory holds something
 * that is not a trace, EEXIST if DIRECTORY.old does, ENOTDIR if `directory` is a file, EINVAL for a
 * path that cannot be moved (".", ".."), ENOTSUP for one within a trace, but for the runs of an
 * experiment.
 * From then on any other run that asks for the directory gets SYN_EIO with errno EBUSY and changes
 * nothing, until the claim is released or the process ends (with all children that it forked and
 * that did not release it). Where the file system cannot lock a directory the claim holds nobody
 * off. *claim: only where it returns 0. */
int syn_trace_claim(const char *directory, int *claim);
/* Claim for one of several launches that record into the same directory, which was made ready for
 * them: nothing in it is moved. The first that finds it empty has it to itself. Each later one gets
 * a directory in it, run-0002 and so on, which `directory` [directory_bytes] then names; but for
 * what is itself a run of an experiment: SYN_EINVAL, errno EALREADY. Else as syn_trace_claim. */
int syn_trace_claim_launch(char *directory, size_t directory_bytes, int *claim);
/* After the last launch: where there are several, the first one's trace becomes run-0001. *count:
 * how many runs there are then; 0: the directory is a trace. Returns 0 or SYN_EIO (errno; EBUSY: a
 * launch is still recording there). */
int syn_trace_part_launches(const char *directory, uint32_t *count);
/* A claim of what is there, as it is. SYN_EINVAL for what is no directory. */
int syn_trace_hold(const char *directory, int *claim);
/* Is there a trace or an experiment, whatever else lies beside it? */
bool syn_trace_is_at(const char *directory);
/* Does it hold files of a run: a manifest, or what ranks have written? */
bool syn_trace_has_files(const char *directory);
/* Would what is made at `path` lie in one? Of what lies above, the nearest directory that is there
 * is looked at; where `path` is a symbolic link, that of its target as well. */
bool syn_trace_is_in(const char *path);
/* Is a run recording there, as far as this host can tell? *is_known: the file system has the locks
 * by which it is told; NULL where that does not matter. */
bool syn_trace_is_claimed(const char *directory, bool *is_known);
/* -1 is no claim. Leaves errno as it is. */
void syn_trace_release(int claim);
/* Text for an errno: of SYN_EIO, or ENOTSUP. */
const char *syn_trace_prepare_text(int error_number);
/* Why syn_trace_claim returned `status`, in words that name the directory; errno as it was left. */
void syn_trace_explain(int status, const char *directory, char *text, size_t text_bytes);

/* Atomic: written beside and renamed. Returns 0 or SYN_EIO. */
int syn_manifest_write(const char *directory, const struct syn_manifest *manifest);
/* Like syn_manifest_write, in a directory that is held (held.h). */
int syn_manifest_write_in(struct syn_place *place, const struct syn_manifest *manifest);
/* Returns 0, SYN_EMISSING, SYN_ENOTTRACE, SYN_EVERSION, SYN_EDAMAGED, SYN_EIO. */
int syn_manifest_read(const char *directory, struct syn_manifest *out);

#endif
