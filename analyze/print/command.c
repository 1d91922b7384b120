/* analyze/print/command.c - shared code of the subcommands: error lines, and values of options. */
#include "analyze/print/command.h"

#include <ctype.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/print/text.h"
#include "sync/base/status.h"

static struct sigaction size_action; /* of SIGXFSZ, when this process was started */

void syn_ignore_size_signal(void)
{
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigaction(SIGXFSZ, &ignored, &size_action);
}

void syn_restore_size_signal(void)
{
    sigaction(SIGXFSZ, &size_action, NULL);
}

static void say(const char *command, const char *format, va_list arguments)
{
    SYN_FREED char *words = NULL;
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    if (vasprintf(&words, format, arguments) < 0)
        words = NULL;
    syn_text_format(&line, "syncopate%s%s: ", command ? " " : "", command ? command : "");
    syn_text_harmless(&line, words ? words : "out of memory");
    fprintf(stderr, "%s\n", syn_text_chars(&line));
}

int syn_bad_usage(const char *command, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(command, format, arguments);
    va_end(arguments);
    return SYN_EXIT_BAD;
}

int syn_bad_input(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(NULL, format, arguments);
    va_end(arguments);
    return SYN_EXIT_BAD;
}

void syn_bad_fault(size_t i, size_t count, const char *text)
{
    if (i < SYN_FAULTS_SAID)
        syn_bad_input("%s", text);
    else if (i == SYN_FAULTS_SAID)
        syn_bad_input("%zu more faults: syncopate check has all", count - i);
}

int syn_traces_given(const char *command, int argc, char **argv, char *const **paths, size_t *count)
{
    static char standard[] = "syncopate-trace";
    static char *const alone[] = {standard, NULL};
    *paths = argv + optind;
    *count = (size_t)(argc - optind);
    if (*count > 0)
        return 0;
    if (access(standard, F_OK) != 0)
        return syn_bad_usage(command,
                             "no trace given, and there is no ./%s (see syncopate %s --help)",
                             standard, command);
    *paths = alone;
    *count = 1;
    return 0;
}

int syn_parse_number(const char *text, double low, double high, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= low && value <= high))
        return SYN_EINVAL;
    *out = value;
    return 0;
}

int syn_parse_confidence(const char *text, double *out)
{
    return syn_parse_number(text, 0.5, 0.999999, out);
}

int syn_parse_rows(const char *text, size_t *out)
{
    double number;
    const int status = syn_parse_number(text, 0, 1e9, &number);
    if (status == SYN_OK)
        *out = (size_t)number;
    return status;
}

int syn_parse_whole(const char *text, uint64_t *out)
{
    double number;
    const int status = syn_parse_number(text, 0, 0x1p53, &number);
    if (status == SYN_OK)
        *out = (uint64_t)number;
    return status != SYN_OK || number != (double)*out ? SYN_EINVAL : 0;
}

int syn_share_parse(const char *text, double *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text)
        return SYN_EINVAL;
    end += strspn(end, " ");
    if (*end == '%') {
        value /= 100;
        end++;
    }
    if (*end || !(value >= 0 && value < 1))
        return SYN_EINVAL;
    *out = value;
    return 0;
}

int syn_parse_bytes(const char *text, size_t least, size_t *out)
{
    static const char letters[] = "KMGT";
    char *end;
    double value = strtod(text, &end);
    const char *letter = *end ? strchr(letters, toupper((unsigned char)*end)) : NULL;
    if (end == text || (*end && (!letter || end[1])))
        return SYN_EINVAL;
    for (ptrdiff_t i = letter ? letter - letters + 1 : 0; i > 0; i--)
        value *= 1024;
    if (!(value >= (double)least && value < 0x1p62))
        return SYN_EINVAL;
    *out = (size_t)value;
    return 0;
}
