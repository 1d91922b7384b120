/* analyze/diff/diff_writer.c - headings, and paragraphs in lines that fit the terminal. */
#include "analyze/diff/diff_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/wrap.h"

void syn_diff_paragraph(const struct syn_diff_writer *to, size_t indent, const char *first,
                        const char *format, ...)
{
    struct syn_text words = {0}, harmless = {0};
    va_list arguments;
    va_start(arguments, format);
    syn_text_vformat(&words, format, arguments);
    va_end(arguments);
    syn_text_harmless(&harmless, syn_text_chars(&words));
    syn_text_wrapped(to->text, to->terminal->width, indent, first, syn_text_chars(&harmless));
    syn_text_free(&harmless);
    syn_text_free(&words);
}

void syn_diff_heading(const struct syn_diff_writer *to, const char *format, ...)
{
    char title[80];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(title, sizeof title, format, arguments);
    va_end(arguments);
    syn_text_format(to->text, "\n%s%s%s\n", syn_style_on(to->terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(to->terminal));
}
