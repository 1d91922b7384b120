/* analyze/print/ci.h - two formats for build servers: JUnit's XML, and annotations of one line
 * each. */
#ifndef SYN_CI_H
#define SYN_CI_H

#include <stddef.h>

#include "analyze/print/text.h"

enum syn_outcome { SYN_OUTCOME_PASSED, SYN_OUTCOME_FAILED, SYN_OUTCOME_SKIPPED };

/* One check and its outcome. */
struct syn_check {
    const char *name, *class;
    enum syn_outcome outcome;
    const char *message; /* what the check found */
};

/* Appends a JUnit test suite that has each check as a test case. */
void syn_ci_junit(struct syn_text *out, const char *suite, const struct syn_check *check,
                  size_t count);
/* Appends annotations in the form of GitHub's workflow commands: a line for each check that failed
 * ("::error title=...::...") or was skipped ("::warning ..."). If all passed, one "::notice
 * ...". */
void syn_ci_annotations(struct syn_text *out, const char *suite, const struct syn_check *check,
                        size_t count);

#endif
