/* analyze/match/columns/scratch.h - temporary files for data that exceeds memory. They are in
 * TMPDIR, else in /tmp. They have no name, so they vanish with the process. */
#ifndef SYN_SCRATCH_H
#define SYN_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* Opens an empty temporary file, which the caller closes. Returns 0, or SYN_EIO (errno) with *file
 * = -1. */
int syn_scratch_open(int *file);
/* Returns 0 or SYN_EIO (errno). */
int syn_scratch_write(int file, const void *data, size_t bytes, unsigned long long offset);
/* Reads `bytes` bytes. Returns 0, or SYN_EIO (errno), also if the file has fewer. */
int syn_scratch_read(int file, void *data, size_t bytes, unsigned long long offset);
/* Stores errno for syn_scratch_explain. Returns SYN_EIO. */
int syn_scratch_failed(void);
/* Writes why a temporary file failed, with its directory. Returns false if none failed. */
bool syn_scratch_explain(char *text, size_t text_bytes);

#endif
