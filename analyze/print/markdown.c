/* analyze/print/markdown.c - text within a page of Markdown, as code hosts render it. */
#include "analyze/print/markdown.h"

#include <string.h>

static void escape(struct syn_text *out, const char *words)
{
    static const char special[] = "<&\\`*_[]|#~@";
    while (*words) {
        const size_t plain = strcspn(words, special);
        syn_text_harmless_bytes(out, words, plain);
        words += plain;
        if (*words == '<')
            syn_text_string(out, "&lt;");
        else if (*words == '&')
            syn_text_string(out, "&amp;");
        else if (*words)
            syn_text_format(out, "\\%c", *words);
        words += *words != '\0';
    }
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
