/* analyze/print/markdown.h - text within a page of Markdown, as code hosts render it. */
#ifndef SYN_MARKDOWN_H
#define SYN_MARKDOWN_H

#include "analyze/print/text.h"

/* Words between marks of ours; nothing where there are no words. Names are a program's: whatever is
 * in them stays text. No line ends. */
void syn_markdown_between(struct syn_text *out, const char *before, const char *words,
                          const char *after);
/* " words |" of a table's row. */
void syn_markdown_cell(struct syn_text *out, const char *words);

#endif
