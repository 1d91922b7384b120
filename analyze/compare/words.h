/* analyze/compare/words.h - a command line in one string, as `-a 'mpirun -n 4 ./program'` gives it.
 */
#ifndef SYN_WORDS_H
#define SYN_WORDS_H

#include <stddef.h>

/* Split as a shell does: blanks part words; '...' and "..." and \ quote. What a shell would expand
 * or act upon (| & ; < > ( ) $ ` * ?) is refused where it is not quoted: nobody would do it here.
 * Returns 0 with *words a NULL-terminated list for syn_words_free; SYN_EINVAL with `why` saying
 * what is wrong; SYN_ENOMEM. */
int syn_words_split(const char *line, char ***words, const char **why);
void syn_words_free(char **words); /* NULL is fine */

#endif
