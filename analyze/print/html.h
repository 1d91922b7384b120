/* analyze/print/html.h - functions that all HTML pages share. */
#ifndef SYN_HTML_H
#define SYN_HTML_H

#include <stdbool.h>

#include "analyze/print/text.h"

/* Style sheets and scripts. The build makes them of print/css/ and the scripts in print/. Every
 * page has the script, syn_css_page and syn_css_plot; a report adds syn_css_report, a diff
 * syn_css_diff. Colours are named by their meaning, for light and dark pages. Text on `paper` has a
 * contrast of at least 4.5 to 1. */
extern const char syn_html_script[], syn_css_page[], syn_css_plot[], syn_css_report[],
    syn_css_diff[];
/* Writes a page's head, up to the end of the style sheet. `page_style`: rules of this page, after
 * the common ones; may be "". The title is escaped. */
void syn_html_begin(struct syn_text *out, const char *title, const char *page_style);
/* Writes the end of a page: its script. The page is complete without the script. */
void syn_html_end(struct syn_text *out);
/* Appends text, escaped for HTML. Control characters and invalid UTF-8 become '?'. A blank before
 * "%" becomes a no-break space. */
void syn_html_escape(struct syn_text *out, const char *words);
/* Appends a call site, escaped and shortened as in a sentence (syn_unit_place). */
void syn_html_place(struct syn_text *out, const char *site);
/* Appends escaped words between two tags. Appends nothing if `words` is empty. */
void syn_html_between(struct syn_text *out, const char *before, const char *words,
                      const char *after);
/* Appends a cell of a table, escaped. `left`: aligned to the left. */
void syn_html_cell(struct syn_text *out, const char *words, bool left);

#endif
