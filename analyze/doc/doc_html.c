/* analyze/doc/doc_html.c - writes a document as the body of an HTML page. */
#include <string.h>

#include "analyze/doc/doc_nodes.h"
#include "analyze/print/html.h"

static void write_pair(const struct syn_doc *doc, size_t at, struct syn_text *out)
{
    const struct syn_doc_node *node = &doc->node[at];
    if (node->indent == 0) {
        syn_html_between(out, "<p class=quiet>", syn_doc_label(doc, node), " ");
        syn_html_between(out, "", syn_doc_words(doc, node), "</p>\n");
        return;
    }
    if (at == 0 || !syn_doc_is_at(doc, at - 1, SYN_DOC_PAIR))
        syn_text_string(out, "<dl>\n");
    syn_html_between(out, "<dt>", syn_doc_label(doc, node), "");
    syn_html_between(out, "<dd>", syn_doc_words(doc, node), "\n");
    if (!syn_doc_is_at(doc, at + 1, SYN_DOC_PAIR))
        syn_text_string(out, "</dl>\n");
}

static void write_table(const struct syn_doc *doc, size_t at, struct syn_text *out)
{
    const struct syn_doc_rows rows = syn_doc_rows_at(doc, at);
    const struct syn_table_column *column = rows.table->column;
    syn_text_string(out, "<div class=wide tabindex=0><table><thead><tr>");
    for (size_t c = 0; c < rows.table->column_count; c++) {
        if (!column[c].title)
            continue;
        syn_text_string(out, column[c].left ? "<th class=l>" : "<th>");
        syn_html_escape(out, column[c].title + strspn(column[c].title, " "));
    }
    syn_text_string(out, "</thead>\n");
    for (size_t r = 0; r < rows.count; r++) {
        syn_text_string(out, "<tr>");
        for (size_t c = 0; c < rows.table->column_count; c++)
            if (column[c].title)
                syn_html_cell(out, syn_doc_words(doc, syn_doc_cell_at(&rows, r, c)),
                              column[c].left);
        syn_text_char(out, '\n');
    }
    syn_text_string(out, "</table></div>\n");
}

void syn_doc_write_html(const struct syn_doc *doc, struct syn_text *out)
{
    for (size_t i = 0; i < doc->count; i++) {
        const struct syn_doc_node *node = &doc->node[i];
        if (node->kind == SYN_DOC_TITLE) {
            syn_html_between(out, "<h1>", syn_doc_words(doc, node), "</h1>\n");
            syn_html_between(out, "<p class=quiet>", syn_doc_label(doc, node), "</p>\n");
        } else if (node->kind == SYN_DOC_HEADING)
            syn_html_between(out, "<h2>", syn_doc_words(doc, node), "</h2>\n");
        else if (node->kind == SYN_DOC_ITEM || node->kind == SYN_DOC_NEXT) {
            /* Advice is part of the item before it; without one, it is an item. */
            const bool is_next = doc->node[i].kind == SYN_DOC_NEXT;
            const bool begins = i == 0 || !syn_doc_is_in_list(doc, i - 1);
            syn_text_string(out, begins ? "<ul>\n<li>" : is_next ? "<br>" : "<li>");
            syn_html_between(out, is_next ? "<span class=next>Next: " : "",
                             syn_doc_words(doc, &doc->node[i]), is_next ? "</span>" : "");
            if (!syn_doc_is_at(doc, i + 1, SYN_DOC_NEXT))
                syn_text_string(out, "</li>\n");
            if (!syn_doc_is_in_list(doc, i + 1))
                syn_text_string(out, "</ul>\n");
        } else if (node->kind == SYN_DOC_TABLE)
            write_table(doc, i, out);
        else if (node->kind == SYN_DOC_PAIR)
            write_pair(doc, i, out);
        else if (node->kind == SYN_DOC_DRAWN)
            syn_text_string(out, syn_doc_words(doc, node));
        else if (node->kind < SYN_DOC_ITEM || node->kind == SYN_DOC_LINE) {
            static const char *const classes[] = {
                [SYN_TONE_PLAIN] = "<p>",           [SYN_TONE_QUIET] = "<p class=quiet>",
                [SYN_TONE_GOOD] = "<p class=good>", [SYN_TONE_LOOK] = "<p class=look>",
                [SYN_TONE_BAD] = "<p class=bad>",   [SYN_TONE_ALARM] = "<p class=bad><strong>"};
            syn_html_between(out, classes[node->tone], syn_doc_words(doc, node),
                             node->tone == SYN_TONE_ALARM ? "</strong></p>\n" : "</p>\n");
        }
    }
}
