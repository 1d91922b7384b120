/* analyze/report/report_writer.c - headings, paragraphs and items, as text or as HTML. */
#include "analyze/report/report_writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/html.h"
#include "analyze/print/markdown.h"
#include "analyze/print/units.h"
#include "analyze/print/wrap.h"

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

void syn_report_list(const struct syn_report_writer *to, const char *title)
{
    if (to->style == SYN_WRITE_TEXT) {
        syn_report_heading(to, title);
        return;
    }
    if (to->style == SYN_WRITE_MARKDOWN) {
        syn_text_format(to->text, "\n#### %s\n\n", title);
        return;
    }
    syn_html_between(to->text, "<h2>", title, "</h2>\n<ul>\n");
}

void syn_report_list_end(const struct syn_report_writer *to)
{
    if (to->style == SYN_WRITE_HTML)
        syn_text_string(to->text, "</ul>\n");
}

static void write_html_item(const struct syn_report_writer *to, const char *words, const char *next)
{
    syn_html_between(to->text, "<li>", words, "");
    syn_html_between(to->text, "<br><span class=next>Next: ", next, "</span>");
    syn_text_string(to->text, "</li>\n");
}

static void write_markdown_item(const struct syn_report_writer *to, const char *words,
                                const char *next)
{
    syn_markdown_between(to->text, "- ", words, "");
    syn_markdown_between(to->text, " *Next: ", next, "*");
    syn_text_char(to->text, '\n');
}

/* next: "" for none. */
static void write_item(const struct syn_report_writer *to, const char *words, const char *next)
{
    struct syn_text harmless = {0};
    if (to->style == SYN_WRITE_HTML) {
        write_html_item(to, words, next);
        return;
    }
    if (to->style == SYN_WRITE_MARKDOWN) {
        write_markdown_item(to, words, next);
        return;
    }
    syn_text_harmless(&harmless, words);
    syn_report_paragraph(to, 4, "  - ", syn_text_chars(&harmless));
    syn_text_clear(&harmless);
    syn_text_harmless(&harmless, next);
    if (next[0])
        syn_report_paragraph(to, 10, "    Next: ", syn_text_chars(&harmless));
    syn_text_free(&harmless);
}

static void write_formatted(const struct syn_report_writer *to, const char *next,
                            const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void write_formatted(const struct syn_report_writer *to, const char *next,
                            const char *format, va_list arguments)
{
    struct syn_text words = {0};
    syn_text_vformat(&words, format, arguments);
    write_item(to, syn_text_chars(&words), next ? next : "");
    to->text->failed |= words.failed;
    syn_text_free(&words);
}

void syn_report_item(const struct syn_report_writer *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_formatted(to, NULL, format, arguments);
    va_end(arguments);
}

void syn_report_item_next(const struct syn_report_writer *to, const char *next, const char *format,
                          ...)
{
    va_list arguments;
    va_start(arguments, format);
    write_formatted(to, next, format, arguments);
    va_end(arguments);
}

/* Would `key` tell this group from another that has the same operation, size and other names? */
static bool tells_apart(const struct syn_report *report, const struct syn_group *group,
                        enum syn_key key)
{
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_group *other = report->groups.group[i];
        bool alike = other->key[key] != group->key[key];
        for (int k = 0; k < SYN_KEY_COUNT && alike; k++)
            alike = k == (int)key || other->key[k] == group->key[k];
        if (alike)
            return true;
    }
    return false;
}

void syn_report_group_rest(const struct syn_report *report, const struct syn_group *group,
                           struct syn_text *out)
{
    const char *comm = syn_report_comm(report, group), *phase = syn_report_phase(report, group);
    const char *node = syn_names_text(&report->names, (uint32_t)group->key[SYN_KEY_NODE]);
    int32_t root;
    if (group->key[SYN_KEY_RANK] != UINT64_MAX)
        syn_text_format(out, " on rank %llu", (unsigned long long)group->key[SYN_KEY_RANK]);
    if (group->key[SYN_KEY_NODE] != UINT64_MAX && node)
        syn_text_format(out, " on %s", node);
    if (group->key[SYN_KEY_RUN] != UINT64_MAX)
        syn_text_format(out, " in run %llu", (unsigned long long)group->key[SYN_KEY_RUN]);
    if (comm && tells_apart(report, group, SYN_KEY_COMM))
        syn_text_format(out, " on %s", comm);
    if (syn_report_root(group, &root) && tells_apart(report, group, SYN_KEY_ROOT))
        syn_text_format(out, " from root %d", root);
    if (phase && tells_apart(report, group, SYN_KEY_PHASE))
        syn_text_format(out, " in phase %s", phase[0] ? phase : "-");
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
    if (site) {
        syn_text_string(out, " at ");
        syn_unit_place(out, site);
    }
    syn_report_group_rest(report, group, out);
}
