/* analyze/symbols/wrappers.h - finds wrappers: functions of a program that only pass MPI calls on
 * (hypre_MPI_Allreduce, mp_sum). Their callers are the call sites.
 *
 * A function is a wrapper if at least SYN_WRAPPER_CALLERS functions call it, and at least twice as
 * many as it has calls to MPI itself. A function that calls wrappers may be a wrapper, too. */
#ifndef SYN_WRAPPERS_H
#define SYN_WRAPPERS_H

#include "analyze/symbols/symbols.h"

#define SYN_WRAPPER_CALLERS 4

/* Finds the wrappers in a trace's stacks; their frames are skipped from now on. Only the first
 * trace decides, so that call sites have the same names in all runs of a report, and on both sides
 * of a diff. Does nothing if call sites are paths, or `skip` was chosen. Returns 0 or
 * SYN_ENOMEM. */
int syn_symbols_find_wrappers(struct syn_symbols *symbols, const struct syn_trace *trace);
/* Returns the wrappers, one on each line, in the order of their names; "" if there are none. The
 * caller frees the text. NULL: no memory. */
char *syn_symbols_wrappers(struct syn_symbols *symbols);
/* Takes the wrappers that were found for another report, before a trace decides. Returns 0 or
 * SYN_ENOMEM. */
int syn_symbols_take_wrappers(struct syn_symbols *symbols, const char *wrappers);

#endif
