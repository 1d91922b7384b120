#include "fuzz_capture.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz.h"

static int printed[2];  /* files in memory behind standard output and error */
static int original[2]; /* what was there before */
static struct syn_bytes kept[2];

/* Defined by the sanitizers' runtime; NULL without it. */
__attribute__((weak)) void __sanitizer_set_report_fd(void *descriptor);

static void prepare(void)
{
    if (original[0] > 0)
        return;
    for (int i = 0; i < 2; i++) {
        printed[i] = memfd_create("printed", MFD_CLOEXEC);
        original[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 10);
        fuzz_require(printed[i] >= 0 && original[i] >= 0, "no output in memory");
    }
    if (__sanitizer_set_report_fd) /* also of what is found while a command has the output */
        __sanitizer_set_report_fd((void *)(intptr_t)original[1]);
}

static void redirect(void)
{
    fflush(stdout);
    for (int i = 0; i < 2; i++)
        fuzz_require(ftruncate(printed[i], 0) == 0 && lseek(printed[i], 0, SEEK_SET) == 0 &&
                         dup2(printed[i], i + 1) >= 0,
                     "no output in memory");
}

static void take(int i)
{
    struct stat state;
    dup2(original[i], i + 1);
    kept[i].count = 0;
    fuzz_require(fstat(printed[i], &state) == 0, "no output in memory");
    size_t bytes = (size_t)state.st_size;
    uint8_t *at = syn_bytes_reserve(&kept[i], bytes + 1);
    fuzz_require(at && pread(printed[i], at, bytes, 0) == (ssize_t)bytes, "no output in memory");
    at[bytes] = 0;
    kept[i].count = bytes;
}

const struct fuzz_printed *fuzz_capture(int (*command)(int argc, char **argv), char **argv)
{
    static struct fuzz_printed result;
    int argc = 0;
    while (argv[argc])
        argc++;
    prepare();
    redirect();
    result.status = command(argc, argv);
    fflush(stdout);
    take(0);
    take(1);
    result.out = (char *)kept[0].data;
    result.err = (char *)kept[1].data;
    result.out_bytes = kept[0].count;
    result.err_bytes = kept[1].count;
    return &result;
}
