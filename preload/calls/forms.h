/* preload/calls/forms.h - the wrappers of the nonblocking, persistent and large-count collectives
 * in C, and of the calls that complete, start and free requests. Not every MPI has all of them:
 * their names are looked up when the program runs. */
#ifndef SYN_FORMS_H
#define SYN_FORMS_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

#define SYN_FORM_WRAPPERS       (SYN_ROW_COUNT * 6)
#define SYN_COMPLETION_WRAPPERS 11

/* Fill `wrappers`; a wrapper whose function this MPI lacks gets the name NULL. Each returns the
 * number of wrappers: SYN_FORM_WRAPPERS, SYN_COMPLETION_WRAPPERS. */
size_t syn_forms_add(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_completions_add(struct syn_wrapper *wrappers);

#endif
