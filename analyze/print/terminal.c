/* analyze/print/terminal.c - finds the abilities of a terminal, and draws the progress line. */
#include "analyze/print/terminal.h"
#include "sync/base/integers.h"

#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#define WIDTH_DEFAULT 80
#define WIDTH_MIN     60
#define WIDTH_MAX     400

static size_t width_of(bool to_stdout)
{
    const char *columns = getenv("COLUMNS");
    long width = columns ? strtol(columns, NULL, 10) : 0;
    struct winsize size;
    if (width <= 0 && to_stdout && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        width = size.ws_col;
    if (width <= 0)
        width = WIDTH_DEFAULT;
    return (size_t)(syn_least(syn_largest(width, WIDTH_MIN), WIDTH_MAX));
}

struct syn_terminal syn_terminal_detect(bool to_stdout)
{
    const char *kind = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    const bool dumb = !kind || strcmp(kind, "dumb") == 0, plain = no_colour && no_colour[0];
    return (struct syn_terminal){
        .width = width_of(to_stdout),
        .colour = to_stdout && isatty(STDOUT_FILENO) && !plain && !dumb,
        .utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
    };
}

const char *syn_style_on(const struct syn_terminal *terminal, enum syn_style style)
{
    static const char *const codes[] = {"\033[1m", "\033[2m", "\033[33m", "\033[32m", "\033[31m"};
    return terminal->colour ? codes[style] : "";
}

const char *syn_style_off(const struct syn_terminal *terminal)
{
    return terminal->colour ? "\033[0m" : "";
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void syn_progress_start(struct syn_progress *progress, const char *what)
{
    memset(progress, 0, sizeof *progress);
    progress->enabled = isatty(STDERR_FILENO);
    progress->what = what;
    progress->start_s = progress->last_s = now_s();
}

void syn_progress_update(struct syn_progress *progress, double done, double total)
{
    if (!progress->enabled)
        return;
    double now = now_s();
    if (now - progress->start_s < 0.5 || now - progress->last_s < 0.1)
        return;
    progress->last_s = now;
    progress->shown = true;
    double share = total > 0 && done < total ? done / total : 1;
    fprintf(stderr, "\r%s %3.0f %%", progress->what, share * 100);
    fflush(stderr);
}

void syn_progress_end(struct syn_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    progress->shown = false;
}
