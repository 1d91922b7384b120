/* analyze/print/html.c - writes text into an HTML page. Names come from the measured program and
 * may contain any character, so all text is escaped. */
#include "analyze/print/html.h"

#include <string.h>

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

void syn_html_escape(struct syn_text *out, const char *words)
{
    static const struct {
        const char *of, *entity;
    } entities[] = {
        {"<", "&lt;"},  {">", "&gt;"},       {"&", "&amp;"}, {"\"", "&quot;"},
        {"'", "&#39;"}, {" %", "\xc2\xa0%"}, /* no-break space: keeps a number and its percent sign
                                                together */
    };
    while (*words) {
        size_t taken = 0;
        for (size_t i = 0; i < sizeof entities / sizeof *entities && !taken; i++)
            if (strncmp(words, entities[i].of, strlen(entities[i].of)) == 0) {
                syn_text_string(out, entities[i].entity);
                taken = strlen(entities[i].of);
            }
        if (!taken) {
            taken = 1 + strcspn(words + 1, "<>&\"' ");
            syn_text_harmless_bytes(out, words, taken);
        }
        words += taken;
    }
}

void syn_html_place(struct syn_text *out, const char *site)
{
    SYN_CLEANUP(syn_text_free) struct syn_text place = {0};
    syn_unit_place(&place, site);
    syn_html_escape(out, syn_text_chars(&place));
    out->failed |= place.failed;
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
