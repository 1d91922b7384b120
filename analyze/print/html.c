/* analyze/print/html.c - text within a page. Names are a program's: whatever is in them must
 * stay text. */
#include "analyze/print/html.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/units.h"

/* Colours by what they mean, in daylight and in the dark; text on `paper` has a contrast of at
 * least 4.5 to 1. */
static const char style[] =
    ":root{color-scheme:light dark;--ink:#1b1f24;--quiet:#57606a;--edge:#9aa4af;--rule:#d8dee4;"
    "--paper:#fff;--blue:#3b6fb5;--box:#a9c4e6;--orange:#c76a12;--grey:#c3cbd4;--violet:#7d4fb3;"
    "--green:#3a8f6b;--mark:#fff4ce;--good:#1a7f37;--look:#9a6700;--bad:#cf222e}"
    "@media(prefers-color-scheme:dark){:root{--ink:#dde3ea;--quiet:#9aa4af;--edge:#57606a;"
    "--rule:#303841;--paper:#0f1318;--blue:#6fa1e0;--box:#2c4a73;--orange:#e8943c;--grey:#39424d;"
    "--violet:#b08be0;--green:#5cbf97;--mark:#3a2f10;--good:#3fb950;--look:#d29922;--bad:#ff6b62}}"
    "body{font:15px/1.5 system-ui,sans-serif;margin:1.5em auto;max-width:82em;padding:0 1em;"
    "color:var(--ink);background:var(--paper);overflow-wrap:anywhere}"
    "h1{font-size:1.4em;margin-bottom:0}h2{font-size:1.1em;margin:1.8em 0 .5em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums}"
    "th,td{padding:.25em .5em;text-align:right;border-bottom:1px solid var(--rule);"
    "white-space:nowrap}th{font-weight:600;vertical-align:bottom}"
    "p.quiet{margin:.3em 0}th.l,td.l{text-align:left}.quiet{color:var(--quiet)}li{margin:.2em 0}"
    ".good{color:var(--good)}.look{color:var(--look)}.bad{color:var(--bad)}"
    ".wide{overflow-x:auto}.wide:focus-visible,summary:focus-visible{outline:2px solid var(--blue)}"
    ".words{white-space:normal;max-width:56em}.next{color:var(--quiet)}summary{cursor:pointer}"
    ".go{all:unset;cursor:pointer;text-decoration:underline dotted;text-underline-offset:2px}"
    ".go[hidden]{display:none}td .go:not([data-rank]),figure>.tools{font-size:.85em;"
    "color:var(--quiet)}figure{position:relative}figure>.tools{position:absolute;top:0;right:0;"
    "padding:0 1em 0 "
    ".2em;background:var(--paper)}@media(hover:hover){figure:not(:hover,:focus-within)"
    ">.tools{opacity:0}}figure>.tools .go{margin-left:.8em}svg .marks "
    "*{vector-effect:non-scaling-stroke}"
    "svg .marks text{font-size:calc(11px/var(--zoom))}"
    "figure.large,figure.large>svg{display:block;width:100%;max-height:90vh}"
    ".go:focus-visible,th:focus-visible,li:focus-visible{outline:2px solid var(--blue)}"
    "input[type=search]{font:inherit;width:20em;max-width:100%}th[tabindex]{cursor:pointer}"
    "th[aria-sort=descending]::after{content:' \\25BE'}th[aria-sort=ascending]::after{content:' "
    "\\25B4'}"
    "tr.chosen td,li.chosen{background:var(--mark)}svg text.chosen{font-weight:700;fill:var(--ink)}"
    "rect.chosen{fill:none;stroke:var(--ink);stroke-width:1.5}"
    ".reading{position:fixed;pointer-events:none;background:var(--ink);color:var(--paper);"
    "padding:.1em .5em;border-radius:3px;font-size:.85em;white-space:nowrap}"
    "@media print{.tools,.reading,td .go:not([data-rank]){display:none}.go{text-decoration:none}}"
    "@media(max-width:600px){figure>.tools{display:none}body{font-size:14px;padding:0 "
    ".6em}ul{padding-left:1.2em}"
    "th,td{padding:.2em .3em}}"
    "@page{size:A4 landscape;margin:12mm}"
    "@media print{body{font-size:10px;margin:0;max-width:none;padding:0}.wide{overflow:visible}"
    "th,td{white-space:normal;padding:.15em .3em}thead{display:table-header-group}"
    "tr,figure{break-inside:avoid}h2{break-after:avoid}}";

void syn_html_begin(struct syn_text *out, const char *title, const char *page_style)
{
    syn_text_string(out,
                    "<!DOCTYPE html>\n<html lang=en><meta charset=utf-8>\n"
                    "<meta name=viewport content='width=device-width,initial-scale=1'><title>");
    syn_html_escape(out, title);
    syn_text_format(out, "</title>\n<style>%s%s</style>\n", style, page_style);
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
