/* analyze/doc/doc_nodes.h - the nodes of a document, for its renderers. */
#ifndef SYN_DOC_NODES_H
#define SYN_DOC_NODES_H

#include "analyze/doc/doc.h"

#define SYN_DOC_COLUMNS_MAX 32

struct syn_doc_node {
    enum syn_doc_kind kind;
    enum syn_tone tone;
    const char *key;                       /* borrowed */
    size_t label, words;                   /* offsets in the document's pool */
    size_t indent;                         /* of a pair: column of its words */
    struct syn_value value;                /* for programs; the characters of a text are `words` */
    const struct syn_table_column *column; /* [column_count] of a table; borrowed */
    size_t column_count;
    void (*write)(struct syn_json *json, const void *facts); /* of syn_doc_embed */
    const void *facts;                                       /* borrowed */
    char bracket;                                            /* '{' or '[' of SYN_DOC_OPEN */
    bool on_line;
};

/* Ends the last sentence and adds the pictures drawn after it as a node. Call it before nodes are
 * read. */
void syn_doc_end(struct syn_doc *doc);

/* A table with its cells, row by row. Borrowed from the document. */
struct syn_doc_rows {
    const struct syn_doc_node *table, *cell;
    size_t count; /* of complete rows */
};
/* Returns the rows of the table at node `at`. */
struct syn_doc_rows syn_doc_rows_at(const struct syn_doc *doc, size_t at);
const struct syn_doc_node *syn_doc_cell_at(const struct syn_doc_rows *rows, size_t row,
                                           size_t column);
const char *syn_doc_words(const struct syn_doc *doc, const struct syn_doc_node *node);
const char *syn_doc_label(const struct syn_doc *doc, const struct syn_doc_node *node);
/* Returns true if node `at` exists and is of this kind. */
bool syn_doc_is_at(const struct syn_doc *doc, size_t at, enum syn_doc_kind kind);
/* Returns true if node `at` exists and is an item or advice. */
bool syn_doc_is_in_list(const struct syn_doc *doc, size_t at);

void syn_doc_write_text(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_html(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_markdown(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_csv(const struct syn_doc *doc, struct syn_text *out);

#endif
