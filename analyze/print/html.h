/* analyze/print/html.h - shared parts of pages of HTML. */
#ifndef SYN_HTML_H
#define SYN_HTML_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* Style sheets and scripts, made of print/css/ and the scripts in print/ when built. Every page has
 * the first three; the others are a page's own. Colours are named by what they mean, in daylight
 * and in the dark; text on `paper` has a contrast of at least 4.5 to 1. */
extern const char syn_html_script[], syn_css_page[], syn_css_plot[], syn_css_report[],
    syn_css_diff[];
/* From the doctype to the end of the style sheet. `page_style`: rules of this page, after the
 * common ones; may be "". The title is escaped. */
void syn_html_begin(struct syn_text *out, const char *title, const char *page_style);
/* The end of a page: its script, which adds to what is there and is needed for nothing. */
void syn_html_end(struct syn_text *out);
/* Text between tags: harmless as on a terminal, and no tag of its own. */
void syn_html_escape(struct syn_text *out, const char *words);
/* A call site between tags, escaped, as in a sentence (units.h). */
void syn_html_place(struct syn_text *out, const char *site);
/* Escaped words between tags of ours; nothing where there are no words. */
void syn_html_between(struct syn_text *out, const char *before, const char *words,
                      const char *after);
/* A cell of a table, escaped. */
void syn_html_cell(struct syn_text *out, const char *words, bool left);

#endif
