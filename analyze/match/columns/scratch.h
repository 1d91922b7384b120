/* analyze/match/columns/scratch.h - temporary files for what does not fit into memory: in TMPDIR,
 * else in /tmp, without a name, gone with the process however that ends. */
#ifndef SYN_SCRATCH_H
#define SYN_SCRATCH_H

#include <stdbool.h>
#include <stddef.h>

/* An empty one; the caller closes *file. 0, or SYN_EIO (errno); then *file is -1. */
int syn_scratch_open(int *file);
/* 0 or SYN_EIO (errno). */
int syn_scratch_write(int file, const void *data, size_t bytes, unsigned long long offset);
/* Reads so many bytes. 0, or SYN_EIO if they are not there. */
int syn_scratch_read(int file, void *data, size_t bytes, unsigned long long offset);
/* Notes the fault of such a file by errno, for syn_scratch_explain. Returns SYN_EIO. */
int syn_scratch_failed(void);
/* Why a temporary file failed, in words that name its directory. False where none has. */
bool syn_scratch_explain(char *text, size_t text_bytes);

#endif
