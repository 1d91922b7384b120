/* analyze/print/html.c - text within a page. Names are a program's: whatever is in them must
 * stay text. */
#include "analyze/print/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/units.h"

void syn_html_begin(struct syn_text *out, const char *title, const char *page_style)
{
    syn_text_string(out,
                    "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n"
                    "<meta name=viewport content='width=device-width,initial-scale=1'><title>");
    syn_html_escape(out, title);
    syn_text_format(out, "</title>\n<style>%s%s%s</style>\n", syn_css_page, syn_css_plot,
                    page_style);
}

void syn_html_end(struct syn_text *out)
{
    syn_text_string(out, "<script>\n");
    syn_text_string(out, syn_html_script);
    syn_text_string(out, "</script>\n</html>\n");
}

/* Between a number and its percent sign. */
static const char no_break_space[] = "\xc2\xa0";

void syn_html_escape(struct syn_text *out, const char *words)
{
    struct syn_text harmless = {0};
    syn_text_harmless(&harmless, words);
    for (const char *from = syn_text_chars(&harmless); *from; from++) {
        const char *entity = from[0] == ' ' && from[1] == '%' ? no_break_space
                             : *from == '<'                   ? "&lt;"
                             : *from == '>'                   ? "&gt;"
                             : *from == '&'                   ? "&amp;"
                             : *from == '"'                   ? "&quot;"
                             : *from == '\''                  ? "&#39;"
                                                              : NULL;
        if (entity)
            syn_text_string(out, entity);
        else
            syn_text_char(out, *from);
    }
    syn_text_free(&harmless);
}

void syn_html_place(struct syn_text *out, const char *site)
{
    struct syn_text place = {0};
    syn_unit_place(&place, site);
    syn_html_escape(out, syn_text_chars(&place));
    syn_text_free(&place);
}

void syn_html_format(struct syn_text *out, const char *format, ...)
{
    struct syn_text words = {0};
    va_list arguments;
    va_start(arguments, format);
    syn_text_vformat(&words, format, arguments);
    va_end(arguments);
    syn_html_escape(out, syn_text_chars(&words));
    out->failed |= words.failed;
    syn_text_free(&words);
}

void syn_html_between(struct syn_text *out, const char *before, const char *words,
                      const char *after)
{
    if (!words[0])
        return;
    syn_text_string(out, before);
    syn_html_escape(out, words);
    syn_text_string(out, after);
}

void syn_html_cell(struct syn_text *out, const char *words, bool left)
{
    syn_text_string(out, left ? "<td class=l>" : "<td>");
    syn_html_escape(out, words);
}
