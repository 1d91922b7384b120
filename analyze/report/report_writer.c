#include "report_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "../print/units.h"
#include "../print/wrap.h"

void syn_report_heading(const struct syn_report_writer *to, const char *title)
{
    syn_text_format(to->text, "\n%s%s%s\n", syn_style_on(to->terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(to->terminal));
}

void syn_report_paragraph(const struct syn_report_writer *to, size_t indent, const char *first,
                          const char *words)
{
    syn_text_wrapped(to->text, to->terminal->width, indent, first, words);
}

void syn_report_item(const struct syn_report_writer *to, const char *format, ...)
{
    char *words = NULL;
    struct syn_text harmless = {0};
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&words, format, arguments) < 0)
        words = NULL;
    va_end(arguments);
    syn_text_harmless(&harmless, words ? words : "");
    syn_report_paragraph(to, 4, "  - ", syn_text_chars(&harmless));
    syn_text_free(&harmless);
    free(words);
}

void syn_report_group_name(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out)
{
    const char *op = syn_report_op(group), *site = syn_report_site(report, group);
    char bytes[SYN_UNIT_BYTES];
    uint64_t size;
    syn_text_string(out, op ? op : "collectives");
    if (syn_report_bytes(group, &size) && size > 0)
        syn_text_format(out, " %s", syn_unit_bytes(bytes, (double)size));
    if (group->key[SYN_KEY_RANK] != UINT64_MAX)
        syn_text_format(out, " on rank %llu", (unsigned long long)group->key[SYN_KEY_RANK]);
    if (site)
        syn_text_format(out, " at %s", site);
}
