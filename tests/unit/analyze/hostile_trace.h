/* tests/unit/analyze/hostile_trace.h - a small trace whose names are given, in a directory in
 * memory, and commands run over it in this process. */
#ifndef HOSTILE_TRACE_H
#define HOSTILE_TRACE_H

#include <stddef.h>

#include "tests/fuzz/fuzz_capture.h"
#include "tests/fuzz/fuzz_judge.h"

#define HOSTILE_RANKS 2

/* Make DIRECTORY/NAME: two ranks, a manifest, labels; `hostile` as the name of everything that has
 * one. The path is valid until the next call. */
const char *hostile_make(const char *name, const char *hostile);
/* A path below the tests' directory; one of a few rotating buffers. */
const char *hostile_path(const char *name);
/* Remove it with everything in it. */
void hostile_remove(void);

/* Words separated by blanks; "@" is `trace`. Judges what is printed by `format` and fails the test
 * where it is not as it should be. */
const struct fuzz_printed *hostile_run(const char *words, enum fuzz_format format,
                                       const char *trace);

#endif
