/* preload/base/say.c - see say.h. */
#include "preload/base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "preload/base/plain_locale.h"
#include "preload/base/signals.h"
#include "sync/base/names.h"
#include "trace/base/guarded.h"

static struct {
    unsigned said; /* atomic: bits of the causes reported so far */
    int quiet;
    struct syn_guarded first_stderr; /* stderr at the program's first MPI call */
} messages;

void syn_say_quiet(int value)
{
    messages.quiet = value;
}

void syn_say_begin(void)
{
    if (!messages.first_stderr.known)
        syn_guarded_note(&messages.first_stderr, STDERR_FILENO);
}

/* Returns nonzero if the message is to be written, and marks its cause as reported. */
static int may_say(enum syn_cause cause)
{
    if (messages.quiet && (cause == SYN_SAY_START || cause == SYN_SAY_END))
        return 0;
    return !(__atomic_fetch_or(&messages.said, (unsigned)cause, __ATOMIC_RELAXED) &
             (unsigned)cause);
}

void syn_say(enum syn_cause cause, const char *format, ...)
{
    /* A program that closed stderr may have a file of its own with that descriptor. */
    if (syn_guarded_get(&messages.first_stderr) < 0 || !may_say(cause))
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
    strcat(syn_make_harmless(line), "\n");
    struct syn_signals signals;
    syn_signals_hold(&signals);
    ssize_t written = write(STDERR_FILENO, line, strlen(line));
    (void)written; /* a failure of stderr cannot be reported */
    syn_signals_release(&signals);
}
