/* analyze/print/wrap.h - words in lines of a width. */
#ifndef SYN_WRAP_H
#define SYN_WRAP_H

#include <stddef.h>

#include "analyze/print/text.h"

/* `first`, then words in lines of at most `width` characters, each starting at column `indent`. A
 * number is not parted from its unit. Ends the last line. */
void syn_text_wrapped(struct syn_text *text, size_t width, size_t indent, const char *first,
                      const char *words);

#endif
