/* preload/calls/forms.h - the wrappers of the nonblocking, persistent and large-count collectives
 * in C, and of the calls that complete, start and free requests. Which of them an MPI has is asked
 * when the program runs. */
#ifndef SYN_FORMS_H
#define SYN_FORMS_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

#define SYN_FORM_WRAPPERS       (SYN_ROW_COUNT * 6)
#define SYN_COMPLETION_WRAPPERS 11

/* Put them at wrappers, those that this MPI lacks with the name NULL. Each returns how many: the
 * numbers above. */
size_t syn_forms_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_completions_add(struct syn_wrapper *wrappers);

#endif
