/* preload/base/plain_locale.h - numbers with a point, whatever locale the program has set.
 *
 * A program that calls setlocale(LC_ALL, "") before MPI_Init would else have its user's comma in
 * the options that we read and the factors that we write. Of this thread only. */
#ifndef SYN_PLAIN_LOCALE_H
#define SYN_PLAIN_LOCALE_H

#include <locale.h>

/* Returns what to hand to syn_plain_locale_end. No allocation: glibc's "C" is always there. */
static inline locale_t syn_plain_locale_begin(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void syn_plain_locale_end(locale_t before)
{
    uselocale(before);
}

#endif
