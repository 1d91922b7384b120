/* sync/base/cleanup.h - locals that are released when their block ends, whichever way it ends.
 *
 *     SYN_FREED double *value = malloc(count * sizeof *value);
 *     SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
 *     if (!value)
 *         return SYN_ENOMEM;
 *     return fill(value, count, &name);
 *
 * They apply to each variable of a declaration, which needs an initial value. The last variable is
 * released first. */
#ifndef SYN_CLEANUP_H
#define SYN_CLEANUP_H

#include <stdlib.h>
#include <string.h>

/* Calls release(&variable) at the end of the variable's block. */
#define SYN_CLEANUP(release) __attribute__((cleanup(release)))

/* Frees a pointer from malloc, or NULL. */
#define SYN_FREED SYN_CLEANUP(syn_free_at)
static inline void syn_free_at(void *pointer_place)
{
    void *pointer;
    memcpy(&pointer, pointer_place, sizeof pointer);
    free(pointer);
}

#endif
