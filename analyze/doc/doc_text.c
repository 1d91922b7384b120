/* analyze/doc/doc_text.c - writes a document as text that fits a terminal's width. */
#include <string.h>

#include "analyze/doc/doc_nodes.h"
#include "analyze/print/text.h"

static const char *style_on(const struct syn_doc *doc, enum syn_tone tone)
{
    static const enum syn_style styles[] = {[SYN_TONE_GOOD] = SYN_STYLE_GOOD,
                                            [SYN_TONE_LOOK] = SYN_STYLE_BOLD,
                                            [SYN_TONE_BAD] = SYN_STYLE_BAD,
                                            [SYN_TONE_ALARM] = SYN_STYLE_BAD};
    return tone >= SYN_TONE_GOOD ? syn_style_on(doc->terminal, styles[tone]) : "";
}

static const char *style_off(const struct syn_doc *doc, enum syn_tone tone)
{
    return tone >= SYN_TONE_GOOD ? syn_style_off(doc->terminal) : "";
}

static void write_wrapped(const struct syn_doc *doc, const struct syn_doc_node *node, size_t indent,
                          const char *first, struct syn_text *out)
{
    SYN_CLEANUP(syn_text_free) struct syn_text harmless = {0};
    syn_text_harmless(&harmless, syn_doc_words(doc, node));
    syn_text_string(out, style_on(doc, node->tone));
    syn_text_wrapped(out, doc->terminal->width, indent, first, syn_text_chars(&harmless));
    syn_text_string(out, style_off(doc, node->tone));
    if (node->tone == SYN_TONE_ALARM)
        syn_text_char(out, '\n');
    out->failed |= harmless.failed;
}

static void write_table(const struct syn_doc *doc, size_t at, struct syn_text *out)
{
    const struct syn_doc_rows rows = syn_doc_rows_at(doc, at);
    struct syn_table_column shown[SYN_DOC_COLUMNS_MAX];
    size_t count = 0;
    for (size_t c = 0; c < rows.table->column_count; c++)
        if (rows.table->column[c].title)
            shown[count++] = rows.table->column[c];
    struct syn_table *table = syn_table_new(shown, count);
    for (size_t r = 0; r < rows.count; r++)
        for (size_t c = 0; c < rows.table->column_count; c++)
            if (rows.table->column[c].title)
                syn_table_cell(table, syn_doc_words(doc, syn_doc_cell_at(&rows, r, c)));
    syn_table_write(table, doc->terminal, out);
    syn_table_free(table);
}

void syn_doc_write_text(const struct syn_doc *doc, struct syn_text *out)
{
    static const struct {
        const char *first;
        size_t indent;
    } forms[] = {[SYN_DOC_PARAGRAPH] = {"", 0},
                 [SYN_DOC_HANGING] = {"", 2},
                 [SYN_DOC_NOTE] = {"  ", 2},
                 [SYN_DOC_ITEM] = {"  - ", 4},
                 [SYN_DOC_NEXT] = {"    Next: ", 10}};
    for (size_t i = 0; i < doc->count; i++) {
        const struct syn_doc_node *node = &doc->node[i];
        if (node->kind == SYN_DOC_TITLE) {
            /* The title is bold and cut at its end if it is too long. `beside` stands at the right
             * margin. */
            const char *beside = syn_doc_label(doc, node);
            const size_t room = doc->terminal->width - (beside[0] ? strlen(beside) + 2 : 0);
            SYN_CLEANUP(syn_text_free) struct syn_text shown = {0};
            syn_text_harmless(&shown, syn_doc_words(doc, node));
            size_t count = syn_utf8_count(syn_text_chars(&shown));
            if (count > room) {
                shown.length = room > 2 ? room - 2 : 0;
                while (shown.length && ((unsigned char)shown.data[shown.length] & 0xC0) == 0x80)
                    shown.length--;
                syn_text_string(&shown, "..");
                count = syn_utf8_count(syn_text_chars(&shown));
            }
            syn_text_format(out, "%s%s%s", syn_style_on(doc->terminal, SYN_STYLE_BOLD),
                            syn_text_chars(&shown), syn_style_off(doc->terminal));
            if (beside[0])
                syn_text_repeat(out, ' ', count < room ? room - count + 2 : 2);
            syn_text_format(out, "%s\n", beside);
            out->failed |= shown.failed;
        } else if (node->kind == SYN_DOC_HEADING) {
            syn_text_format(out, "\n%s", syn_style_on(doc->terminal, SYN_STYLE_BOLD));
            syn_text_harmless(out, syn_doc_words(doc, node));
            syn_text_format(out, "%s\n", syn_style_off(doc->terminal));
        } else if (node->kind == SYN_DOC_TABLE)
            write_table(doc, i, out);
        else if (node->kind == SYN_DOC_PAIR) {
            SYN_CLEANUP(syn_text_free) struct syn_text first = {0};
            syn_text_string(&first, node->indent ? "  " : "");
            syn_text_harmless(&first, syn_doc_label(doc, node));
            if (syn_utf8_count(syn_text_chars(&first)) >= node->indent)
                syn_text_char(&first, ' ');
            const size_t indent =
                node->indent ? node->indent : syn_utf8_count(syn_text_chars(&first));
            write_wrapped(doc, node, indent, syn_text_chars(&first), out);
            out->failed |= first.failed;
        } else if (node->kind == SYN_DOC_LINE) {
            syn_text_string(out, style_on(doc, node->tone));
            syn_text_harmless(out, syn_doc_words(doc, node));
            syn_text_string(out, style_off(doc, node->tone));
            syn_text_char(out, '\n');
        } else if (node->kind == SYN_DOC_DRAWN)
            syn_text_string(out, syn_doc_words(doc, node));
        else if (node->kind <= SYN_DOC_NEXT)
            write_wrapped(doc, node, forms[node->kind].indent, forms[node->kind].first, out);
    }
}
