/* analyze/doc/doc_nodes.h - the nodes of a document, for its renderers. */
#ifndef SYN_DOC_NODES_H
#define SYN_DOC_NODES_H

#include "analyze/doc/doc.h"

#define SYN_DOC_COLUMNS_MAX 32

struct syn_doc_node {
    enum syn_doc_kind kind;
    enum syn_tone tone;
    const char *key;                       /* borrowed */
    size_t label, words;                   /* where in the pool */
    size_t indent;                         /* of a pair */
    struct syn_value value;                /* what programs read; a text is `words` */
    const struct syn_table_column *column; /* [column_count], of a table; borrowed */
    size_t column_count;
    void (*write)(struct syn_json *json, const void *facts); /* what is embedded */
    const void *facts;                                       /* borrowed */
    char bracket;                                            /* of what is opened */
    bool on_line;
};

/* To be called before nodes are read. */
void syn_doc_end(struct syn_doc *doc);

/* A table with its cells, row by row. */
struct syn_doc_rows {
    const struct syn_doc_node *table, *cell;
    size_t count; /* of rows that are whole */
};
/* Find the rows of the table at node `at`. */
struct syn_doc_rows syn_doc_rows_at(const struct syn_doc *doc, size_t at);
const struct syn_doc_node *syn_doc_cell_at(const struct syn_doc_rows *rows, size_t row,
                                           size_t column);
const char *syn_doc_words(const struct syn_doc *doc, const struct syn_doc_node *node);
const char *syn_doc_label(const struct syn_doc *doc, const struct syn_doc_node *node);
/* Is the node at `at` of this kind? False behind the end. */
bool syn_doc_is_at(const struct syn_doc *doc, size_t at, enum syn_doc_kind kind);
/* Is it an item, or advice? */
bool syn_doc_is_in_list(const struct syn_doc *doc, size_t at);

void syn_doc_write_text(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_html(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_markdown(const struct syn_doc *doc, struct syn_text *out);
void syn_doc_write_csv(const struct syn_doc *doc, struct syn_text *out);

#endif
