/* analyze/symbols/label.h - names made readable and harmless. Pure text, no files. */
#ifndef SYN_LABEL_H
#define SYN_LABEL_H

#include <stddef.h>

/* A compiled name as a person would write it: C++ demangled, without parameters;
 * "__solver_MOD_step" -> "solver::step"; others unchanged. Always NUL-terminated within capacity.
 */
void syn_label_function(const char *compiled_name, char *out, size_t capacity);

/* Cut the parameters (and what follows them) off a demangled C++ name, in place; templates,
 * operators, lambdas and
 * "(anonymous namespace)" stay. */
void syn_label_cut_parameters(char *name);

/* Copy, with control characters and everything that is not UTF-8 replaced by '?'; cut at a whole
 * character. */
void syn_label_clean(const char *text, char *out, size_t capacity);

#endif
