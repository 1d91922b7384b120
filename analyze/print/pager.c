/* analyze/print/pager.c - long answers by way of $PAGER, on a terminal. */
#include "analyze/print/pager.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* More lines than the terminal has; 0 lines where that is not known. */
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

static const char *pager(void)
{
    const char *command = getenv("PAGER");
    return command && command[0] && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Shows a long text in the pager. A user who leaves it early closes the pipe: that is no
 * failure. */
bool syn_pager_show(const struct syn_text *text)
{
    const char *command = pager();
    if (!command || !isatty(STDOUT_FILENO) || !is_long(text))
        return false;
    setenv("LESS", "FRX", 0); /* colours, and no clearing of the screen; as git does */
    fflush(stdout);
    void (*const before)(int) = signal(SIGPIPE, SIG_IGN);
    FILE *pipe = popen(command, "w");
    if (pipe)
        fwrite(text->data, 1, text->length, pipe);
    const int status = pipe ? pclose(pipe) : -1;
    signal(SIGPIPE, before);
    /* the shell's word for a command that it did not find, or may not run */
    return pipe &&
           !(WIFEXITED(status) && (WEXITSTATUS(status) == 127 || WEXITSTATUS(status) == 126));
}
