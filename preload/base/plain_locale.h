/* preload/base/plain_locale.h - reads and writes numbers with a decimal point in any locale of the
 * program.
 *
 * A program may call setlocale(LC_ALL, "") before MPI_Init. Then the C library expects the user's
 * decimal comma in the options, and writes it into the factors. Both functions change this thread's
 * locale only. */
#ifndef SYN_PLAIN_LOCALE_H
#define SYN_PLAIN_LOCALE_H

#include <locale.h>

/* Sets the locale "C". Returns the argument of syn_plain_locale_end. Allocates nothing in glibc,
 * where "C" always exists. */
static inline locale_t syn_plain_locale_begin(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void syn_plain_locale_end(locale_t before)
{
    uselocale(before);
}

#endif
