/* tests/fuzz/fuzz_capture.h - call a command in this process and keep what it prints. */
#ifndef FUZZ_CAPTURE_H
#define FUZZ_CAPTURE_H

#include <stddef.h>

struct fuzz_printed {
    int status;      /* the command's exit status */
    char *out, *err; /* terminated */
    size_t out_bytes, err_bytes;
};

/* argv is NULL-terminated. The result is valid until the next call. */
const struct fuzz_printed *fuzz_capture(int (*command)(int argc, char **argv), char **argv);

#endif
