/* trace/directory/manifest.h - the trace directory, and its manifest, whose presence says that the
 * trace is whole.
 *
 * - DIR/manifest: text of "key value" lines, ends with its own checksum; written last, by rename
 * - DIR/rank-000000.syn: one for each rank (rank-000000.syn.part while it is being written), or
 * - DIR/node-000000.syn: one for all ranks of a machine, numbered by the lowest of these ranks
 *   (trace/read/node_file.h) */
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
    int32_t size;          /* ranks of the run */
    int32_t written_count; /* ranks whose file is whole */
    uint64_t event_count;  /* summed over ranks */
    int64_t start_unix_ns; /* rank 0's wall clock at begin_ns; for display only */
    int64_t begin_ns;      /* global time of the first return from MPI_Init; or SYN_BEGIN_UNKNOWN */
    int64_t duration_ns;   /* from begin_ns to the last entry into MPI_Finalize; 0: unknown */
};
#define SYN_BEGIN_UNKNOWN INT64_MIN

/* Writes the path of a rank's file in `directory`. Arguments and result as snprintf's. */
int syn_rank_path(char *buffer, unsigned long buffer_bytes, const char *directory, int rank);
/* Returns whether `name` (without directory) is the name of a rank's file. *is_part: the file is
 * being written. */
bool syn_rank_name_parse(const char *name, int32_t *rank, bool *is_part);

/* Prepares `directory` for a new run. It is created with its parents if it does not exist. An
 * existing trace (finished or not) or experiment is renamed to DIRECTORY.old, and replaces an older
 * trace of that name. An empty directory is used as it is. Nothing else is changed.
 *
 * A directory is a trace if it holds only files with names of a trace (manifest, rank-NNNNNN.syn,
 * node-NNNNNN.syn, raw blocks, symbols, experiment, recovered; run-NNNN/ and spawned-NNNN/ with the
 * same), and its manifest, rank files, node files and raw blocks begin like the recorder's.
 *
 * Returns 0 (and *claim); SYN_EIO (errno; EBUSY: another run has claimed it); SYN_EINVAL with errno
 * ENOTEMPTY if the directory holds something that is not a trace, EEXIST if DIRECTORY.old does,
 * ENOTDIR if `directory` is a file, EINVAL for a path that cannot be moved (".", ".."),
 * ENAMETOOLONG, ENOTSUP for a path within a trace, except for the runs of an experiment.
 *
 * Until the claim is released, any other claim of the directory fails with SYN_EIO and errno EBUSY,
 * and changes nothing. The claim ends with the process and all its forked children that did not
 * release it. If the file system cannot lock a directory, the claim does not exclude other runs.
 * *claim is set only if the function returns 0. */
int syn_trace_claim(const char *directory, int *claim);
/* Claims a place for one of several launches that record into the same directory. Nothing in the
 * directory is moved. The first launch that finds it empty uses the directory itself. Each later
 * one gets a new directory in it, run-0002 and so on, whose path replaces `directory`
 * [directory_bytes]. If `directory` itself is a run of an experiment and is not empty: SYN_EINVAL,
 * errno EALREADY. Returns otherwise as syn_trace_claim. */
int syn_trace_claim_launch(char *directory, size_t directory_bytes, int *claim);
/* Completes the directory after the last launch: if there are several, moves the first one's trace
 * to run-0001. *count: number of runs; 0: the directory is a trace. Returns 0 or SYN_EIO (errno;
 * EBUSY: a launch is still recording there). */
int syn_trace_part_launches(const char *directory, uint32_t *count);
/* Makes a directory and those above it, as far as they do not exist. Returns 0, SYN_EIO or
 * SYN_EINVAL, with errno. */
int syn_trace_make_directories(const char *path);
/* Claims an existing directory without changing it. Returns 0; SYN_EIO (errno; EBUSY: claimed);
 * SYN_EINVAL if it is no directory. */
int syn_trace_hold(const char *directory, int *claim);
/* Returns whether the directory holds a trace or an experiment, among other files perhaps. */
bool syn_trace_is_at(const char *directory);
/* Returns whether the directory holds files of a run: a manifest, or files that ranks have written.
 */
bool syn_trace_has_files(const char *directory);
/* Returns whether a file made at `path` would lie in a trace or an experiment: whether the nearest
 * existing directory above `path` is one. If `path` is a symbolic link, its target is checked as
 * well. */
bool syn_trace_is_in(const char *path);
/* Returns whether a run is recording there, as far as this host can tell. *is_known (may be NULL):
 * the file system has the locks that tell it. */
bool syn_trace_is_claimed(const char *directory, bool *is_known);
/* Releases a claim; -1: none. Keeps errno. */
void syn_trace_release(int claim);
/* Returns the text for the errno of SYN_EIO, or for ENOTSUP. */
const char *syn_trace_prepare_text(int error_number);
/* Writes, as a text that names the directory, why syn_trace_claim returned `status`. errno must be
 * as syn_trace_claim left it. */
void syn_trace_explain(int status, const char *directory, char *text, size_t text_bytes);

/* Writes the manifest atomically, by rename. Returns 0 or SYN_EIO. */
int syn_manifest_write(const char *directory, const struct syn_manifest *manifest);
/* Like syn_manifest_write, in an open directory (trace/base/guarded.h). */
int syn_manifest_write_in(struct syn_place *place, const struct syn_manifest *manifest);
/* Reads the manifest. Returns 0, SYN_EMISSING, SYN_ENOTTRACE, SYN_EVERSION, SYN_EDAMAGED, SYN_EIO,
 * SYN_ENOMEM. */
int syn_manifest_read(const char *directory, struct syn_manifest *out);

#endif
