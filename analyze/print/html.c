#include "html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:96em;padding:0 "
    "1em;color:#1b1f24;"
    "background:#fff}h1{font-size:1.4em;margin-bottom:0}h2{font-size:1.1em;margin:1.8em 0 .5em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25em .55em;text-align:right;border-bottom:1px solid #d8dee4;white-space:nowrap}"
    "p.quiet{margin:.3em "
    "0}th{font-weight:600}th.l,td.l{text-align:left}.quiet{color:#57606a}li{margin:.2em 0}"
    ".wide{overflow-x:auto}.words{white-space:normal;max-width:56em}"
    "@media(prefers-color-scheme:dark){body{background:#0f1318;color:#dde3ea}"
    "th,td{border-color:#303841}.quiet{color:#9aa4af}}";

void syn_html_begin(struct syn_text *out, const char *title, const char *page_style)
{
    syn_text_string(out, "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8><title>");
    syn_html_escape(out, title);
    syn_text_format(out, "</title>\n<style>%s%s</style>\n", style, page_style);
}

void syn_html_escape(struct syn_text *out, const char *words)
{
    struct syn_text harmless = {0};
    syn_text_harmless(&harmless, words);
    for (const char *from = syn_text_chars(&harmless); *from; from++) {
        const char *entity = *from == '<'    ? "&lt;"
                             : *from == '>'  ? "&gt;"
                             : *from == '&'  ? "&amp;"
                             : *from == '"'  ? "&quot;"
                             : *from == '\'' ? "&#39;"
                                             : NULL;
        if (entity)
            syn_text_string(out, entity);
        else
            syn_text_char(out, *from);
    }
    syn_text_free(&harmless);
}

void syn_html_format(struct syn_text *out, const char *format, ...)
{
    char *words = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0)
        words = NULL;
    va_end(arguments);
    if (words)
        syn_html_escape(out, words);
    else
        out->failed = true;
    free(words);
}

void syn_html_cell(struct syn_text *out, const char *words, bool left)
{
    syn_text_string(out, left ? "<td class=l>" : "<td>");
    syn_html_escape(out, words);
    syn_text_string(out, "</td>");
}
