/* analyze/print/ci.h - formats for build servers: JUnit's XML, and annotations of a line each. */
#ifndef SYN_CI_H
#define SYN_CI_H

#include <stddef.h>

#include "analyze/print/text.h"

enum syn_outcome { SYN_OUTCOME_PASSED, SYN_OUTCOME_FAILED, SYN_OUTCOME_SKIPPED };

/* One thing that was looked at. */
struct syn_check {
    const char *name, *class;
    enum syn_outcome outcome;
    const char *message; /* what was found */
};

/* A test suite with these as its test cases. */
void syn_ci_junit(struct syn_text *out, const char *suite, const struct syn_check *check,
                  size_t count);
/* A line for each that failed ("::error title=...::...") or was skipped ("::warning ..."), as
 * GitHub's workflow commands have it; one "::notice ..." where all passed. */
void syn_ci_annotations(struct syn_text *out, const char *suite, const struct syn_check *check,
                        size_t count);

#endif
