/* analyze/symbols/label.h - makes names readable, and texts safe to print. Reads no files. */
#ifndef SYN_LABEL_H
#define SYN_LABEL_H

#include <stddef.h>

/* Returns a compiled name as in the source: C++ is demangled, without parameters;
 * "__solver_MOD_step" becomes "solver::step"; other names are unchanged. The caller frees it. NULL:
 * no memory. */
char *syn_label_function(const char *compiled_name);

/* Cuts the parameters, and everything after them, off a demangled C++ name, in place. Templates,
 * operators, lambdas and "(anonymous namespace)" stay. */
void syn_label_cut_parameters(char *name);

/* Returns a copy with '?' for each control character and for each byte that is not UTF-8. The
 * caller frees it. NULL: no memory. */
char *syn_label_clean(const char *text);

#endif
