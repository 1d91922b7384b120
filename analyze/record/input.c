/* analyze/record/input.c - see input.h. */
#include "analyze/record/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/status.h"

static off_t begin = -1; /* of standard input, where it can be read again */

/* A file without a name; -1 (errno). */
static int open_temporary(void)
{
    const char *folder = getenv("TMPDIR");
    return open(folder && folder[0] ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

/* Has anything come, or the end? */
static bool has_come(void)
{
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int count;
    do
        count = poll(&input, 1, RECORD_INPUT_WAIT_S * 1000);
    while (count < 0 && errno == EINTR);
    return count != 0;
}

static bool write_all(int file, const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = write(file, data, bytes);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        data += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* All of standard input into the file. */
static bool copy_input(int file)
{
    static char data[1 << 16];
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, data, sizeof data);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        if (!write_all(file, data, (size_t)got))
            return false;
    }
}

static int keep_stream(void)
{
    if (!has_come()) {
        const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
        fprintf(stderr,
                "syncopate: nothing has come from standard input for %d s, which is still open: "
                "the runs get none\n",
                RECORD_INPUT_WAIT_S);
        dup2(nothing, STDIN_FILENO);
        close(nothing);
        return SYN_OK;
    }
    const int file = open_temporary();
    const bool kept = file >= 0 && copy_input(file) && dup2(file, STDIN_FILENO) >= 0;
    if (!kept)
        fprintf(stderr, "syncopate: standard input cannot be kept for all runs: %s\n",
                strerror(errno));
    if (file >= 0)
        close(file);
    begin = 0;
    return kept ? SYN_OK : SYN_EIO;
}

int record_input_keep(void)
{
    struct stat facts;
    if (fstat(STDIN_FILENO, &facts) != 0)
        return SYN_OK;
    if (S_ISREG(facts.st_mode))
        begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    return S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode) ? keep_stream() : SYN_OK;
}

void record_input_rewind(void)
{
    if (begin >= 0)
        lseek(STDIN_FILENO, begin, SEEK_SET);
}
