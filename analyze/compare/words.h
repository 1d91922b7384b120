/* analyze/compare/words.h - splits a command line that is one string, as in `-a 'mpirun -n 4
 * ./program'`. */
#ifndef SYN_WORDS_H
#define SYN_WORDS_H

#include <stddef.h>

/* Splits the line into words as a shell does: at blanks, with '...', "..." and \ as quotes.
 * Characters that a shell would expand or act upon (| & ; < > ( ) $ ` * ?) are refused unless they
 * are quoted, since no shell reads the line. Returns 0 with *words NULL-terminated, for
 * syn_words_free; SYN_EINVAL with the fault in *why; or SYN_ENOMEM. */
int syn_words_split(const char *line, char ***words, const char **why);
void syn_words_free(char **words); /* NULL is allowed */

#endif
