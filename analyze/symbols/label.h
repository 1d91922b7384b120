/* analyze/symbols/label.h - names made readable and harmless. Pure text, no files. */
#ifndef SYN_LABEL_H
#define SYN_LABEL_H

#include <stddef.h>

/* A compiled name as a person would write it: C++ demangled, without parameters;
 * "__solver_MOD_step" -> "solver::step"; others unchanged. The caller's; NULL: no memory. */
char *syn_label_function(const char *compiled_name);

/* Cut the parameters (and what follows them) off a demangled C++ name, in place; templates,
 * operators, lambdas and
 * "(anonymous namespace)" stay. */
void syn_label_cut_parameters(char *name);

/* A copy with control characters and everything that is not UTF-8 replaced by '?'. The caller's;
 * NULL: no memory. */
char *syn_label_clean(const char *text);

#endif
