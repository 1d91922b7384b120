/* analyze/print/html.h - what pages of HTML share. */
#ifndef SYN_HTML_H
#define SYN_HTML_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* From the doctype to the end of the style sheet. `page_style`: rules of this page, after the
 * common ones; may be "". The title is escaped. */
void syn_html_begin(struct syn_text *out, const char *title, const char *page_style);
/* The end of a page: its script, which adds to what is there and is needed for nothing. */
void syn_html_end(struct syn_text *out);
extern const char syn_html_script[]; /* made when built: page.js, and the library for tables */
/* Text between tags: harmless as on a terminal, and no tag of its own. */
void syn_html_escape(struct syn_text *out, const char *words);
/* A call site between tags, escaped, as in a sentence (units.h). */
void syn_html_place(struct syn_text *out, const char *site);
/* The same of a formatted text. */
void syn_html_format(struct syn_text *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Escaped words between tags of ours; nothing where there are no words. */
void syn_html_between(struct syn_text *out, const char *before, const char *words,
                      const char *after);
/* A cell of a table, escaped. */
void syn_html_cell(struct syn_text *out, const char *words, bool left);

#endif
