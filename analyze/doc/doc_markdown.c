/* analyze/doc/doc_markdown.c - writes a document as Markdown (GitHub's and GitLab's dialect). */
#include <string.h>

#include "analyze/doc/doc_nodes.h"

/* Appends words so that code hosts render them as plain text. Names come from the measured program
 * and may contain any character. */
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

/* Appends the escaped words between two marks, without a line end. Appends nothing if `words` is
 * empty. */
static void write_between(struct syn_text *out, const char *before, const char *words,
                          const char *after)
{
    if (!words[0])
        return;
    syn_text_string(out, before);
    escape(out, words);
    syn_text_string(out, after);
}

/* Appends a cell of a table: " words |". */
static void write_cell(struct syn_text *out, const char *words)
{
    syn_text_char(out, ' ');
    escape(out, words);
    syn_text_string(out, " |");
}

static void write_table(const struct syn_doc *doc, size_t at, struct syn_text *out)
{
    const struct syn_doc_rows rows = syn_doc_rows_at(doc, at);
    const struct syn_table_column *column = rows.table->column;
    SYN_CLEANUP(syn_text_free) struct syn_text rule = {0};
    syn_text_char(out, '|');
    syn_text_char(&rule, '|');
    for (size_t c = 0; c < rows.table->column_count; c++) {
        if (!column[c].title)
            continue;
        write_cell(out, column[c].title + strspn(column[c].title, " "));
        syn_text_string(&rule, column[c].left ? "---|" : "--:|");
    }
    syn_text_format(out, "\n%s\n", syn_text_chars(&rule));
    for (size_t r = 0; r < rows.count; r++) {
        syn_text_char(out, '|');
        for (size_t c = 0; c < rows.table->column_count; c++)
            if (column[c].title)
                write_cell(out, syn_doc_words(doc, syn_doc_cell_at(&rows, r, c)));
        syn_text_char(out, '\n');
    }
}

void syn_doc_write_markdown(const struct syn_doc *doc, struct syn_text *out)
{
    for (size_t i = 0; i < doc->count; i++) {
        const struct syn_doc_node *node = &doc->node[i];
        if (node->kind == SYN_DOC_TITLE)
            write_between(out, "### syncopate: ", syn_doc_words(doc, node), "\n\n");
        else if (node->kind == SYN_DOC_HEADING)
            write_between(out, "\n#### ", syn_doc_words(doc, node), "\n\n");
        else if (node->kind == SYN_DOC_ITEM || node->kind == SYN_DOC_NEXT) {
            /* Advice follows its item on the same line; without one, it is an item. */
            const bool is_next = doc->node[i].kind == SYN_DOC_NEXT;
            const bool goes_on = is_next && i > 0 && syn_doc_is_in_list(doc, i - 1);
            syn_text_string(out, goes_on ? " " : "- ");
            write_between(out, is_next ? "*Next: " : "", syn_doc_words(doc, &doc->node[i]),
                          is_next ? "*" : "");
            if (!syn_doc_is_at(doc, i + 1, SYN_DOC_NEXT))
                syn_text_char(out, '\n');
        } else if (node->kind == SYN_DOC_TABLE)
            write_table(doc, i, out);
        else if (node->kind == SYN_DOC_PAIR) {
            write_between(out, node->indent ? "- **" : "- ", syn_doc_label(doc, node),
                          node->indent ? "** " : " ");
            write_between(out, "", syn_doc_words(doc, node), "");
            syn_text_char(out, '\n');
        } else if (node->kind == SYN_DOC_DRAWN)
            syn_text_string(out, syn_doc_words(doc, node));
        else if (node->kind < SYN_DOC_ITEM || node->kind == SYN_DOC_LINE) {
            /* A blank line ends the list or table before the paragraph. */
            const bool is_alarm = node->tone == SYN_TONE_ALARM;
            if (i > 0 && (doc->node[i - 1].kind == SYN_DOC_CELL ||
                          doc->node[i - 1].kind == SYN_DOC_PAIR || syn_doc_is_in_list(doc, i - 1)))
                syn_text_char(out, '\n');
            write_between(out, is_alarm ? "**" : "", syn_doc_words(doc, node),
                          is_alarm ? "**\n\n" : "\n\n");
        }
    }
}
