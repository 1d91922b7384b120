/* analyze/doc/doc_programs.c - writes a document's facts, pairs and tables as JSON, its tables as
 * CSV. */
#include "analyze/doc/doc_nodes.h"
#include "analyze/print/json.h"
#include "analyze/print/text.h"

/* ---- JSON ---- */

static void write_value(struct syn_json *json, const char *key, const struct syn_doc *doc,
                        const struct syn_doc_node *node)
{
    const struct syn_value *value = &node->value;
    switch (value->kind) {
    case SYN_VALUE_INTEGER:
        syn_json_integer(json, key, value->integer);
        break;
    case SYN_VALUE_COUNT:
        syn_json_count(json, key, value->count);
        break;
    case SYN_VALUE_NUMBER:
        syn_json_number(json, key, value->number);
        break;
    case SYN_VALUE_BOOL:
        syn_json_bool(json, key, value->truth);
        break;
    case SYN_VALUE_TEXT:
        syn_json_string(json, key, value->text ? syn_doc_words(doc, node) : NULL);
        break;
    case SYN_VALUE_NONE:
        break;
    }
}

void syn_doc_write_json(struct syn_doc *doc, struct syn_json *json)
{
    syn_doc_end(doc);
    for (size_t i = 0; i < doc->count; i++) {
        const struct syn_doc_node *node = &doc->node[i];
        if (node->kind == SYN_DOC_FACT || node->kind == SYN_DOC_PAIR)
            write_value(json, node->key, doc, node);
        else if (node->kind == SYN_DOC_TABLE) {
            const struct syn_doc_rows rows = syn_doc_rows_at(doc, i);
            if (rows.table->key) {
                syn_json_open(json, rows.table->key, '[');
                for (size_t r = 0; r < rows.count; r++) {
                    syn_json_open_line(json, NULL, '{');
                    for (size_t c = 0; c < rows.table->column_count; c++)
                        if (rows.table->column[c].key)
                            write_value(json, rows.table->column[c].key, doc,
                                        syn_doc_cell_at(&rows, r, c));
                    syn_json_close(json);
                }
                syn_json_close(json);
            }
        } else if (node->kind == SYN_DOC_OPEN)
            (node->on_line ? syn_json_open_line : syn_json_open)(json, node->key, node->bracket);
        else if (node->kind == SYN_DOC_CLOSE)
            syn_json_close(json);
        else if (node->kind == SYN_DOC_EMBEDDED)
            node->write(json, node->facts);
    }
    json->text->failed |= doc->failed || doc->pool.failed;
}

/* ---- CSV ---- */

static void write_row(const struct syn_doc *doc, const struct syn_doc_rows *rows, size_t row,
                      struct syn_text *out)
{
    bool first = true;
    for (size_t c = 0; c < rows->table->column_count; c++)
        if (rows->table->column[c].key) {
            syn_text_string(out, first ? "" : ",");
            first = false;
            const struct syn_doc_node *node = syn_doc_cell_at(rows, row, c);
            char buffer[32];
            switch (node->value.kind) {
            case SYN_VALUE_INTEGER:
                syn_text_format(out, "%lld", (long long)node->value.integer);
                break;
            case SYN_VALUE_COUNT:
                syn_text_format(out, "%llu", (unsigned long long)node->value.count);
                break;
            case SYN_VALUE_NUMBER:
                syn_number_text(node->value.number, buffer);
                syn_text_string(out, buffer);
                break;
            case SYN_VALUE_BOOL:
                syn_text_char(out, node->value.truth ? '1' : '0');
                break;
            case SYN_VALUE_TEXT:
                syn_csv_field(out, syn_doc_words(doc, node));
                break;
            case SYN_VALUE_NONE:
                break;
            }
        }
    syn_text_char(out, '\n');
}

void syn_doc_write_csv(const struct syn_doc *doc, struct syn_text *out)
{
    for (size_t i = 0; i < doc->count; i++) {
        if (doc->node[i].kind != SYN_DOC_TABLE || !doc->node[i].key)
            continue;
        const struct syn_doc_rows rows = syn_doc_rows_at(doc, i);
        bool first = true;
        for (size_t c = 0; c < rows.table->column_count; c++)
            if (rows.table->column[c].key) {
                syn_text_format(out, "%s%s", first ? "" : ",", rows.table->column[c].key);
                first = false;
            }
        syn_text_char(out, '\n');
        for (size_t r = 0; r < rows.count; r++)
            write_row(doc, &rows, r, out);
    }
}
