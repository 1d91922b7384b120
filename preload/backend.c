/* preload/backend.c - the table of wrappers that a backend exports. */
#include "preload/entry/backend.h"

#include "preload/base/say.h"
#include "preload/calls/collectives.h"
#include "preload/calls/control/control.h"
#include "preload/calls/forms.h"
#include "preload/calls/message_wrappers.h"
#include "preload/calls/other_collectives.h"
#include "preload/clocks/run_clock.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/endings.h"
#include "preload/run/lifecycle/lifecycle.h"
#include "preload/run/lifecycle/sessions.h"

static struct syn_wrapper
    table[SYN_COLLECTIVE_WRAPPERS + SYN_OTHER_WRAPPERS_MAX + SYN_LIFECYCLE_WRAPPERS +
          SYN_SESSION_WRAPPERS + SYN_FORM_WRAPPERS + SYN_CONTROL_WRAPPERS +
          SYN_COMPLETION_WRAPPERS + SYN_MESSAGE_WRAPPERS + SYN_FORTRAN_MESSAGE_WRAPPERS +
          SYN_FORTRAN_COLLECTIVE_WRAPPERS + SYN_FORTRAN_OTHER_COLLECTIVE_WRAPPERS +
          SYN_FORTRAN_OTHER_WRAPPERS + SYN_FORTRAN_LIFECYCLE_WRAPPERS];

__attribute__((visibility("default"))) syn_backend_function syn_backend_wrappers;

/* Adds wrappers for names that have functions for large counts of their own. Returns how many. */
static size_t add_wide(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
    if (!syn_fortran.names_widths)
        return 0;
    used += syn_fortran_wide_collectives_add(host, wrappers);
    used += syn_fortran_wide_others_add(host, wrappers + used);
    used += syn_fortran_wide_messages_wrap(host, wrappers + used);
    return used;
}

/* Idempotent, as backend.h wants it: a place in the table is always the same wrapper's. Libraries
 * that were loaded since (Fortran's, by a script) add what they have. */
const struct syn_wrapper *syn_backend_wrappers(const struct syn_host *host, size_t *count,
                                               const char **missing)
{
    if (syn_pmpi_load(host, missing))
        return NULL;
    syn_say_begin();
    syn_endings_begin(host);
    syn_run_clock_early();
    size_t used = syn_collectives_add(table);
    used += syn_other_collectives_add(host, table + used);
    used += syn_lifecycle_add(host, table + used);
    used += syn_sessions_add(host, table + used);
    used += syn_completions_add(table + used);
    used += syn_forms_add(host, table + used);
    used += syn_control_add(host, table + used);
    used += syn_messages_wrap(host, table + used);
    if (syn_fortran_load(host)) {
        used += syn_fortran_collectives_add(host, table + used);
        used += syn_fortran_other_collectives_add(host, table + used);
        used += syn_fortran_others_add(host, table + used);
        used += syn_fortran_lifecycle_add(host, table + used);
        used += syn_fortran_messages_wrap(host, table + used);
        used += add_wide(host, table + used);
    }
    *count = used;
    return table;
}
