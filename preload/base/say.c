/* preload/base/say.c - see say.h. */
#include "preload/base/say.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/plain_locale.h"
#include "preload/base/signals.h"
#include "trace/base/guarded.h"

static struct {
    unsigned said; /* atomic: causes, each once */
    int quiet;
    struct syn_guarded stderr_then; /* what stderr was at the program's first MPI call */
} words;

void syn_say_quiet(int value)
{
    words.quiet = value;
}

void syn_say_begin(void)
{
    if (!words.stderr_then.known)
        syn_guarded_note(&words.stderr_then, STDERR_FILENO);
}

static int may_say(enum syn_cause cause)
{
    if (words.quiet && (cause == SYN_SAY_START || cause == SYN_SAY_END))
        return 0;
    return !(__atomic_fetch_or(&words.said, (unsigned)cause, __ATOMIC_RELAXED) & (unsigned)cause);
}

void syn_say(enum syn_cause cause, const char *format, ...)
{
    /* A program that closed it may have a file of its own there. */
    if (syn_guarded_get(&words.stderr_then) < 0 || !may_say(cause))
        return;
    char line[4096 + 512] = "syncopate";
    strcat(line, cause == SYN_SAY_START ? " " : ": "); /* "syncopate 0.1.0: recording ..." */
    const size_t prefix = strlen(line);
    const locale_t before = syn_plain_locale_begin();
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line + prefix, sizeof line - prefix - 1, format, arguments);
    va_end(arguments);
    syn_plain_locale_end(before);
    if (length < 0)
        return;
    strcat(line, "\n");
    struct syn_signals signals;
    syn_signals_hold(&signals);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* no stderr: nobody to tell */
    syn_signals_release(&signals);
}
