/* analyze/doc/doc.c - builds a document: one node for each thing that is said. */
#include "analyze/doc/doc.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/doc/doc_nodes.h"
#include "analyze/print/json.h"

struct syn_doc syn_doc_start(enum syn_doc_format format, const struct syn_terminal *terminal)
{
    return (struct syn_doc){.format = format, .terminal = terminal};
}

void syn_doc_free(struct syn_doc *doc)
{
    free(doc->node);
    syn_text_free(&doc->pool);
    memset(doc, 0, sizeof *doc);
}

void syn_doc_build(struct syn_doc *doc, const struct syn_doc_section *section, size_t count,
                   const void *facts)
{
    for (size_t i = 0; i < count; i++)
        if (section[i].formats & doc->format)
            section[i].build(doc, facts);
}

void syn_doc_write(const struct syn_doc *doc, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    switch (doc->format) {
    case SYN_DOC_HTML:
        syn_doc_write_html(doc, text);
        break;
    case SYN_DOC_MARKDOWN:
        syn_doc_write_markdown(doc, text);
        break;
    case SYN_DOC_JSON:
        syn_doc_write_json(doc, &json);
        break;
    case SYN_DOC_CSV:
        syn_doc_write_csv(doc, text);
        break;
    default:
        syn_doc_write_text(doc, text);
    }
    text->failed |= doc->failed || doc->pool.failed;
}

/* ---- nodes ---- */

/* Returns NULL where memory ran out. */
static struct syn_doc_node *add(struct syn_doc *doc, enum syn_doc_kind kind)
{
    if (doc->count == doc->capacity) {
        const size_t capacity = doc->capacity ? 2 * doc->capacity : 64;
        struct syn_doc_node *node = realloc(doc->node, capacity * sizeof *node);
        doc->failed |= !node;
        if (!node)
            return NULL;
        doc->node = node;
        doc->capacity = capacity;
    }
    struct syn_doc_node *added = &doc->node[doc->count++];
    *added = (struct syn_doc_node){.kind = kind, .tone = doc->tone};
    return added;
}

static size_t keep(struct syn_doc *doc, const char *words)
{
    const size_t at = doc->pool.length;
    syn_text_append(&doc->pool, words, strlen(words) + 1);
    return at;
}

static size_t keep_said(struct syn_doc *doc, const struct syn_value *value, size_t count)
{
    const size_t at = doc->pool.length;
    syn_words_of(&doc->pool, value, count);
    syn_text_append(&doc->pool, "", 1);
    return at;
}

static bool is_for_programs(const struct syn_doc *doc)
{
    return doc->format == SYN_DOC_JSON || doc->format == SYN_DOC_CSV;
}

/* Words that are one place alone are that value for programs; all else is text. */
static void keep_value(struct syn_doc *doc, struct syn_doc_node *node,
                       const struct syn_value *value, size_t count)
{
    const char *form = value[0].text;
    const bool is_single = count == 2 && form[0] == '{' && form[strcspn(form, "}") + 1] == '\0';
    node->value = is_single ? value[1] : syn_value_text("");
    if (is_for_programs(doc) && is_single && value[1].kind == SYN_VALUE_TEXT)
        node->words = keep(doc, value[1].text ? value[1].text : "");
    else
        node->words = keep_said(doc, value, count);
}

/* ---- for people ---- */

void syn_doc_heading(struct syn_doc *doc, const char *title)
{
    struct syn_doc_node *node = is_for_programs(doc) ? NULL : add(doc, SYN_DOC_HEADING);
    if (node)
        node->words = keep(doc, title);
    doc->section_at = doc->count;
}

bool syn_doc_is_silent(const struct syn_doc *doc)
{
    return doc->count == doc->section_at;
}

static void say_more(struct syn_doc *doc, const struct syn_value *value, size_t count)
{
    if (doc->pool.length)
        doc->pool.length--; /* its end */
    keep_said(doc, value, count);
}

/* Words that are empty are not said, but for a line, which may be blank, and a cell. */
void syn_doc_say(struct syn_doc *doc, enum syn_doc_kind kind, const struct syn_value *value,
                 size_t count)
{
    if (is_for_programs(doc) && kind != SYN_DOC_CELL)
        return;
    if (kind == SYN_DOC_MORE) {
        say_more(doc, value, count);
        return;
    }
    struct syn_doc_node *node = add(doc, kind);
    if (!node)
        return;
    keep_value(doc, node, value, count);
    if (kind != SYN_DOC_LINE && kind != SYN_DOC_CELL && !syn_doc_words(doc, node)[0])
        doc->count--;
}

void syn_doc_pair(struct syn_doc *doc, size_t indent, const char *key, const char *label,
                  const struct syn_value *value, size_t count)
{
    struct syn_doc_node *node = is_for_programs(doc) && !key ? NULL : add(doc, SYN_DOC_PAIR);
    if (!node)
        return;
    node->key = key;
    node->indent = indent;
    node->label = keep(doc, label);
    keep_value(doc, node, value, count);
}

void syn_doc_table(struct syn_doc *doc, const char *key, const struct syn_table_column *column,
                   size_t column_count)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_TABLE);
    doc->failed |= column_count > SYN_DOC_COLUMNS_MAX;
    if (!node)
        return;
    node->key = key;
    node->column = column;
    node->column_count = column_count;
}

static void add_cell(struct syn_doc *doc, const char *words, enum syn_value_kind kind)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_CELL);
    if (!node)
        return;
    node->words = keep(doc, words);
    node->value.kind = kind;
}

void syn_doc_no_cell(struct syn_doc *doc)
{
    add_cell(doc, "-", SYN_VALUE_NONE);
}

void syn_doc_null_cell(struct syn_doc *doc, const char *words)
{
    add_cell(doc, words, SYN_VALUE_TEXT);
}

/* ---- for programs ---- */

void syn_doc_fact_of(struct syn_doc *doc, const char *key, struct syn_value value)
{
    struct syn_doc_node *node = doc->format == SYN_DOC_JSON ? add(doc, SYN_DOC_FACT) : NULL;
    if (!node)
        return;
    node->key = key;
    node->value = value;
    if (value.kind == SYN_VALUE_TEXT)
        node->words = keep(doc, value.text ? value.text : "");
}

static void open_at(struct syn_doc *doc, const char *key, char bracket, bool on_line)
{
    struct syn_doc_node *node = doc->format == SYN_DOC_JSON ? add(doc, SYN_DOC_OPEN) : NULL;
    if (!node)
        return;
    node->key = key;
    node->bracket = bracket;
    node->on_line = on_line;
}

void syn_doc_open(struct syn_doc *doc, const char *key, char bracket)
{
    open_at(doc, key, bracket, false);
}

void syn_doc_open_line(struct syn_doc *doc, const char *key, char bracket)
{
    open_at(doc, key, bracket, true);
}

void syn_doc_close(struct syn_doc *doc)
{
    if (doc->format == SYN_DOC_JSON)
        add(doc, SYN_DOC_CLOSE);
}

void syn_doc_embed(struct syn_doc *doc, void (*write)(struct syn_json *json, const void *facts),
                   const void *facts)
{
    struct syn_doc_node *node = doc->format == SYN_DOC_JSON ? add(doc, SYN_DOC_EMBEDDED) : NULL;
    if (!node)
        return;
    node->write = write;
    node->facts = facts;
}

/* ---- for renderers ---- */

const char *syn_doc_words(const struct syn_doc *doc, const struct syn_doc_node *node)
{
    return doc->pool.failed ? "" : doc->pool.data + node->words;
}

const char *syn_doc_label(const struct syn_doc *doc, const struct syn_doc_node *node)
{
    return doc->pool.failed ? "" : doc->pool.data + node->label;
}

bool syn_doc_is_at(const struct syn_doc *doc, size_t at, enum syn_doc_kind kind)
{
    return at < doc->count && doc->node[at].kind == kind;
}

bool syn_doc_is_empty_at(const struct syn_doc *doc, size_t at)
{
    return at + 1 == doc->count || syn_doc_is_at(doc, at + 1, SYN_DOC_HEADING);
}

struct syn_doc_rows syn_doc_rows_at(const struct syn_doc *doc, size_t at)
{
    struct syn_doc_rows rows = {.table = &doc->node[at], .cell = &doc->node[at + 1]};
    size_t count = 0;
    while (syn_doc_is_at(doc, at + 1 + count, SYN_DOC_CELL))
        count++;
    rows.count = rows.table->column_count ? count / rows.table->column_count : 0;
    return rows;
}

const struct syn_doc_node *syn_doc_cell_at(const struct syn_doc_rows *rows, size_t row,
                                           size_t column)
{
    return &rows->cell[row * rows->table->column_count + column];
}
