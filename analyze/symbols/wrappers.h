/* analyze/symbols/wrappers.h - Functions of a program that only pass MPI calls on
 * (hypre_MPI_Allreduce, mp_sum). Their calls are named by the callers.
 *
 * A function is a wrapper if at least SYN_WRAPPER_CALLERS functions call it, and at least twice as
 * many as it has calls to MPI itself. A wrapper of wrappers is one, too. */
#ifndef SYN_WRAPPERS_H
#define SYN_WRAPPERS_H

#include "analyze/symbols/symbols.h"

#define SYN_WRAPPER_CALLERS 4

/* Find the wrappers in a trace's stacks, and pass by them when sites are named from now on. Only
 * the first trace decides: all others of one report, or of both sides of a diff, then name the same
 * calls alike. Nothing is passed by if sites are paths, or `skip` was chosen. Returns 0 or
 * SYN_ENOMEM. */
int syn_symbols_find_wrappers(struct syn_symbols *symbols, const struct syn_trace *trace);
/* The wrappers found, one a line in the order of their names; "" without one. The caller's; NULL:
 * no memory. */
char *syn_symbols_wrappers(struct syn_symbols *symbols);
/* Take over what was found for another report, before any trace decides. Returns 0 or SYN_ENOMEM.
 */
int syn_symbols_take_wrappers(struct syn_symbols *symbols, const char *wrappers);

#endif
