/* analyze/print/markdown.c - text within a page of Markdown, as code hosts render it. */
#include "analyze/print/markdown.h"

#include <string.h>

static void escape(struct syn_text *out, const char *words)
{
    struct syn_text harmless = {0};
    syn_text_harmless(&harmless, words);
    for (const char *from = syn_text_chars(&harmless); *from; from++) {
        if (*from == '<')
            syn_text_string(out, "&lt;");
        else if (*from == '&')
            syn_text_string(out, "&amp;");
        else if (strchr("\\`*_[]|#~@", *from)) {
            syn_text_char(out, '\\');
            syn_text_char(out, *from);
        } else {
            syn_text_char(out, *from);
        }
    }
    syn_text_free(&harmless);
}

void syn_markdown_between(struct syn_text *out, const char *before, const char *words,
                          const char *after)
{
    if (!words[0])
        return;
    syn_text_string(out, before);
    escape(out, words);
    syn_text_string(out, after);
}

void syn_markdown_cell(struct syn_text *out, const char *words)
{
    syn_text_char(out, ' ');
    escape(out, words);
    syn_text_string(out, " |");
}
