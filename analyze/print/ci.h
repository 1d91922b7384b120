/* analyze/print/ci.h - two formats for build servers: JUnit's XML, and annotations of one line
 * each. */
#ifndef SYN_CI_H
#define SYN_CI_H

#include <stddef.h>

#include "analyze/print/text.h"

enum syn_outcome { SYN_OUTCOME_PASSED, SYN_OUTCOME_FAILED, SYN_OUTCOME_SKIPPED };

/* One check and its outcome. */
struct syn_check {
    const char *class;
    enum syn_outcome outcome;
    char *name, *message; /* message: what the check found; both owned */
};
struct syn_checks {          /* {0}: none */
    struct syn_check *check; /* [count], owned */
    size_t count, capacity;
    bool failed; /* memory ran out */
};
/* Adds a check. Copies and clears both texts. */
void syn_checks_add(struct syn_checks *to, const char *class, enum syn_outcome outcome,
                    struct syn_text *name, struct syn_text *message);
void syn_checks_free(struct syn_checks *checks);

/* Appends a JUnit test suite that has each check as a test case. */
void syn_ci_junit(struct syn_text *out, const char *suite, const struct syn_checks *checks);
/* Appends annotations in the form of GitHub's workflow commands: a line for each check that failed
 * ("::error title=...::...") or was skipped ("::warning ..."). If all passed, one "::notice
 * ...". */
void syn_ci_annotations(struct syn_text *out, const char *suite, const struct syn_checks *checks);

#endif
