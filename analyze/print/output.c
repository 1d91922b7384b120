/* analyze/print/output.c - writes a file under a temporary name in the same directory and renames
 * the file when it is complete. */
#include "analyze/print/output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/print/command.h"
#include "analyze/print/text.h"
#include "sync/base/status.h"
#include "trace/directory/manifest.h"

/* Returns true if the text has at least as many lines as the terminal on stdout. False if the
 * terminal's height is unknown. */
static bool is_long(const struct syn_text *text)
{
    struct winsize size;
    size_t lines = 0;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
        return false;
    for (size_t i = 0; i < text->length; i++)
        lines += text->data[i] == '\n';
    return lines >= size.ws_row;
}

/* Shows the text through $PAGER and waits until the user leaves the pager. Returns false if nothing
 * was shown: stdout is no terminal, the text fits the screen, PAGER is unset or "cat", or the pager
 * cannot be started. A user who leaves the pager early closes the pipe; that is no failure. */
static bool show_in_pager(const struct syn_text *text)
{
    const char *command = getenv("PAGER");
    if (!command || !command[0] || strcmp(command, "cat") == 0 || !isatty(STDOUT_FILENO) ||
        !is_long(text))
        return false;
    setenv("LESS", "FRX", 0); /* as git: colours, and do not clear the screen */
    fflush(stdout);
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    FILE *pipe = popen(command, "w");
    if (pipe)
        fwrite(text->data, 1, text->length, pipe);
    const int status = pipe ? pclose(pipe) : -1;
    signal(SIGPIPE, before);
    /* a shell exits with 127 or 126 if it cannot find or run the command */
    return pipe &&
           !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}

#define BUFFER_BYTES ((size_t)1 << 18)

struct syn_output {
    int descriptor;
    int status;
    char *path;      /* final name; NULL: stdout, a device or a pipe */
    char *temporary; /* name until commit */
    size_t used;
    char buffer[BUFFER_BYTES];
};

int syn_output_check(const char *path)
{
    if (!path || !syn_trace_is_in(path))
        return 0;
    syn_bad_input("%s: %s", path, syn_trace_prepare_text(ENOTSUP));
    return SYN_EINVAL;
}

/* Opens a temporary file if `path` is a regular file or does not exist, else `path` itself. */
static int open_path(struct syn_output *output, const char *path)
{
    struct stat facts;
    if (!path) {
        output->descriptor = STDOUT_FILENO;
        return 0;
    }
    if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode)) {
        errno = EISDIR;
        return SYN_EIO;
    }
    if (stat(path, &facts) != 0 || S_ISREG(facts.st_mode)) {
        output->path = strdup(path);
        if (!output->path || asprintf(&output->temporary, "%s.XXXXXX", path) < 0) {
            output->temporary = NULL;
            return SYN_ENOMEM;
        }
        output->descriptor = mkostemp(output->temporary, O_CLOEXEC);
        if (output->descriptor >= 0) {
            mode_t mask = umask(0);
            umask(mask);
            fchmod(output->descriptor, 0666 & ~mask);
            return 0;
        }
        free(output->temporary);
        output->temporary = NULL;
        return SYN_EIO;
    }
    output->descriptor = open(path, O_WRONLY | O_CLOEXEC);
    return output->descriptor < 0 ? SYN_EIO : 0;
}

int syn_output_open(const char *path, struct syn_output **out)
{
    *out = NULL;
    struct syn_output *output = calloc(1, sizeof *output);
    if (!output)
        return SYN_ENOMEM;
    output->descriptor = -1;
    int status = open_path(output, path);
    if (status != SYN_OK) {
        int error = errno;
        syn_output_close(output);
        errno = error;
        return status;
    }
    *out = output;
    return 0;
}

static int write_all(struct syn_output *output, const char *data, size_t bytes)
{
    while (bytes > 0) {
        ssize_t done = write(output->descriptor, data, bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0) {
            output->status = SYN_EIO;
            return SYN_EIO;
        }
        data += done;
        bytes -= (size_t)done;
    }
    return 0;
}

static int flush(struct syn_output *output)
{
    int status = write_all(output, output->buffer, output->used);
    output->used = 0;
    return status;
}

int syn_output_write(struct syn_output *output, const void *data, size_t bytes)
{
    if (output->status)
        return output->status;
    if (bytes > BUFFER_BYTES - output->used && flush(output))
        return output->status;
    if (bytes >= BUFFER_BYTES)
        return write_all(output, data, bytes);
    memcpy(output->buffer + output->used, data, bytes);
    output->used += bytes;
    return 0;
}

int syn_output_commit(struct syn_output *output)
{
    if (output->status || flush(output))
        return output->status;
    if (!output->temporary)
        return 0;
    if (rename(output->temporary, output->path) != 0)
        return output->status = SYN_EIO;
    free(output->temporary);
    output->temporary = NULL;
    return 0;
}

void syn_output_close(struct syn_output *output)
{
    if (!output)
        return;
    if (output->descriptor >= 0 && output->descriptor != STDOUT_FILENO)
        close(output->descriptor);
    if (output->temporary)
        unlink(output->temporary);
    free(output->temporary);
    free(output->path);
    free(output);
}

int syn_output_text(const char *path, struct syn_text *text)
{
    struct syn_output *output = NULL;
    int status = syn_output_check(path);
    if (status != SYN_OK)
        return status;
    if (!path && !text->failed && show_in_pager(text))
        return 0;
    status = text->failed ? SYN_ENOMEM : syn_output_open(path, &output);
    SYN_STEP(status, syn_output_write(output, text->data, text->length));
    SYN_STEP(status, syn_output_commit(output));
    if (status != SYN_OK)
        syn_bad_input("%s: %s", path ? path : "standard output",
                      status == SYN_EIO ? strerror(errno) : syn_status_text(status));
    syn_output_close(output);
    return status;
}
