/* analyze/print/ci.c - collects checks, and writes them as JUnit's XML and as annotations. */
#include "analyze/print/ci.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/print/html.h"
#include "sync/base/vector.h"

void syn_checks_add(struct syn_checks *to, const char *class, enum syn_outcome outcome,
                    struct syn_text *name, struct syn_text *message)
{
    const struct syn_check check = {class, outcome, strdup(syn_text_chars(name)),
                                    strdup(syn_text_chars(message))};
    to->failed |= name->failed || message->failed || !check.name || !check.message;
    if (SYN_ROOM(to->check, to->capacity, to->count) == SYN_OK) {
        to->check[to->count++] = check;
    } else {
        free(check.name);
        free(check.message);
        to->failed = true;
    }
    syn_text_clear(name);
    syn_text_clear(message);
}

void syn_checks_free(struct syn_checks *checks)
{
    for (size_t i = 0; i < checks->count; i++) {
        free(checks->check[i].name);
        free(checks->check[i].message);
    }
    free(checks->check);
    *checks = (struct syn_checks){0};
}

static void attribute(struct syn_text *out, const char *name, const char *value)
{
    syn_text_format(out, " %s=\"", name);
    syn_html_escape(out, value); /* XML and HTML escape the same five characters */
    syn_text_char(out, '"');
}

static void write_case(struct syn_text *out, const struct syn_check *check)
{
    syn_text_string(out, "    <testcase");
    attribute(out, "classname", check->class);
    attribute(out, "name", check->name);
    if (check->outcome == SYN_OUTCOME_PASSED) {
        syn_text_string(out, ">\n      <system-out>");
        syn_html_escape(out, check->message);
        syn_text_string(out, "</system-out>\n");
    } else {
        const bool failed = check->outcome == SYN_OUTCOME_FAILED;
        syn_text_string(out, failed ? ">\n      <failure" : ">\n      <skipped");
        attribute(out, "message", check->message);
        syn_text_string(out, "/>\n");
    }
    syn_text_string(out, "    </testcase>\n");
}

void syn_ci_junit(struct syn_text *out, const char *suite, const struct syn_checks *checks)
{
    size_t with[] = {[SYN_OUTCOME_PASSED] = 0, [SYN_OUTCOME_FAILED] = 0, [SYN_OUTCOME_SKIPPED] = 0};
    for (size_t i = 0; i < checks->count; i++)
        with[checks->check[i].outcome]++;
    syn_text_string(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite");
    attribute(out, "name", suite);
    syn_text_format(out, " tests=\"%zu\" failures=\"%zu\" errors=\"0\" skipped=\"%zu\">\n",
                    checks->count, with[SYN_OUTCOME_FAILED], with[SYN_OUTCOME_SKIPPED]);
    for (size_t i = 0; i < checks->count; i++)
        write_case(out, &checks->check[i]);
    syn_text_string(out, "  </testsuite>\n</testsuites>\n");
}

/* Appends words of a workflow command. Characters in `coded` are written as "%" and two hexadecimal
 * digits, as such a command requires for "%" and, in its properties, for ":" and ",". */
static void command_text(struct syn_text *out, const char *words, const char *coded)
{
    SYN_CLEANUP(syn_text_free) struct syn_text harmless = {0};
    syn_text_harmless(&harmless, words);
    for (const char *from = syn_text_chars(&harmless); *from; from++) {
        if (strchr(coded, *from))
            syn_text_format(out, "%%%02X", (unsigned char)*from);
        else
            syn_text_char(out, *from);
    }
}

static void annotate(struct syn_text *out, const char *level, const char *title, const char *name,
                     const char *message)
{
    syn_text_format(out, "::%s title=", level);
    command_text(out, title, "%:,");
    syn_text_string(out, "::");
    command_text(out, name, "%");
    if (message) {
        syn_text_string(out, ": ");
        command_text(out, message, "%");
    }
    syn_text_char(out, '\n');
}

void syn_ci_annotations(struct syn_text *out, const char *suite, const struct syn_checks *checks)
{
    size_t said = 0;
    for (size_t i = 0; i < checks->count; i++) {
        const struct syn_check *check = &checks->check[i];
        if (check->outcome == SYN_OUTCOME_PASSED)
            continue;
        annotate(out, check->outcome == SYN_OUTCOME_FAILED ? "error" : "warning", suite,
                 check->name, check->message);
        said++;
    }
    if (said == 0)
        annotate(out, "notice", suite, "nothing to object", NULL);
}
