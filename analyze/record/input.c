/* analyze/record/input.c - see input.h. */
#include "analyze/record/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/match/columns/scratch.h"
#include "sync/base/status.h"

static off_t begin = -1; /* position in standard input to start from; -1: it cannot be read again */

/* Copies all of standard input to the file. */
static bool copy_input(int file)
{
    static char data[1 << 16];
    unsigned long long offset = 0;
    for (;;) {
        const ssize_t got = read(STDIN_FILENO, data, sizeof data);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got == 0;
        if (syn_scratch_write(file, data, (size_t)got, offset) != SYN_OK)
            return false;
        offset += (unsigned long long)got;
    }
}

int record_input_keep(void)
{
    struct stat facts;
    if (fstat(STDIN_FILENO, &facts) != 0)
        return SYN_OK;
    if (S_ISREG(facts.st_mode))
        begin = lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (!(S_ISFIFO(facts.st_mode) || S_ISSOCK(facts.st_mode)))
        return SYN_OK;
    int file = -1;
    bool kept;
    /* Wait for input, or for its end. */
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    int count;
    do
        count = poll(&input, 1, RECORD_INPUT_WAIT_S * 1000);
    while (count < 0 && errno == EINTR);

    if (count != 0) {
        kept = syn_scratch_open(&file) == SYN_OK && copy_input(file);
    } else {
        fprintf(stderr,
                "syncopate: nothing has come from standard input for %d s, which is still open: "
                "the runs get none\n",
                RECORD_INPUT_WAIT_S);
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
        kept = file >= 0;
    }
    kept = kept && dup2(file, STDIN_FILENO) >= 0;
    if (!kept)
        fprintf(stderr, "syncopate: standard input cannot be kept for all runs: %s\n",
                strerror(errno));
    if (file >= 0)
        close(file);
    begin = 0;
    return kept ? SYN_OK : SYN_EIO;
}

void record_input_rewind(void)
{
    if (begin >= 0)
        lseek(STDIN_FILENO, begin, SEEK_SET);
}
