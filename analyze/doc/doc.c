/* analyze/doc/doc.c - builds a document: each sentence, table, cell, picture and fact is one
 * node. */
#include "analyze/doc/doc.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/doc/doc_nodes.h"
#include "analyze/print/json.h"
#include "sync/base/vector.h"

struct syn_doc syn_doc_start(enum syn_doc_format format, const struct syn_terminal *terminal)
{
    return (struct syn_doc){.format = format, .terminal = terminal};
}

void syn_doc_free(struct syn_doc *doc)
{
    free(doc->node);
    syn_text_free(&doc->pool);
    syn_text_free(&doc->drawn);
    syn_text_free(&doc->nowhere);
    memset(doc, 0, sizeof *doc);
}

void syn_doc_build(struct syn_doc *doc, const struct syn_doc_section *section, size_t count,
                   const void *facts)
{
    for (size_t i = 0; i < count; i++)
        if ((section[i].formats & doc->format) &&
            (!section[i].is_there || section[i].is_there(facts))) {
            section[i].build(doc, facts);
            /* remove the heading of a section that added nothing */
            syn_doc_end(doc);
            if (doc->count > 0 && doc->node[doc->count - 1].kind == SYN_DOC_HEADING)
                doc->count--;
        }
}

void syn_doc_write(struct syn_doc *doc, struct syn_text *text)
{
    struct syn_json json = syn_json_start(text);
    syn_doc_end(doc);
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
    text->failed |= doc->failed || doc->pool.failed || doc->drawn.failed;
}

/* ---- nodes ---- */

/* Adds a node. Returns NULL if memory ran out. */
static struct syn_doc_node *push(struct syn_doc *doc, enum syn_doc_kind kind)
{
    if (SYN_ROOM(doc->node, doc->capacity, doc->count) != SYN_OK) {
        doc->failed = true;
        return NULL;
    }
    struct syn_doc_node *pushed = &doc->node[doc->count++];
    *pushed = (struct syn_doc_node){.kind = kind, .tone = doc->tone};
    return pushed;
}

/* Ends the last sentence. Removes it if it is empty, unless it is a line or a cell. */
static void end_words(struct syn_doc *doc)
{
    struct syn_doc_node *last = doc->is_open ? &doc->node[doc->count - 1] : NULL;
    if (last && last->words == doc->pool.length && last->kind < SYN_DOC_LINE)
        doc->count--;
    if (last)
        syn_text_append(&doc->pool, "", 1);
    doc->is_open = false;
}

static size_t keep(struct syn_doc *doc, const char *words)
{
    const size_t at = doc->pool.length;
    syn_text_append(&doc->pool, words, strlen(words) + 1);
    return at;
}

void syn_doc_end(struct syn_doc *doc)
{
    end_words(doc);
    struct syn_doc_node *node = doc->drawn.length ? push(doc, SYN_DOC_DRAWN) : NULL;
    if (node)
        node->words = keep(doc, syn_text_chars(&doc->drawn));
    syn_text_clear(&doc->drawn);
}

/* Ends the last sentence and adds a node. Returns NULL if this format does not hold such nodes
 * (`is_held` false), or if memory ran out. */
static struct syn_doc_node *add(struct syn_doc *doc, enum syn_doc_kind kind, bool is_held)
{
    syn_doc_end(doc);
    return is_held ? push(doc, kind) : NULL;
}

static bool is_for_programs(const struct syn_doc *doc)
{
    return doc->format == SYN_DOC_JSON || doc->format == SYN_DOC_CSV;
}

/* Sets a node's value for programs and appends its words. The value is that of the place if the
 * sentence consists of one place, else "". syn_doc_more may append to the words. */
static void say_at(struct syn_doc *doc, struct syn_doc_node *node, const struct syn_value *value,
                   size_t count)
{
    const char *form = value[0].text;
    const bool is_single = count == 2 && form[0] == '{' && form[strcspn(form, "}") + 1] == '\0';
    node->value = is_single ? value[1] : syn_value_text("");
    node->words = doc->pool.length;
    doc->is_open = true;
    if (is_for_programs(doc) && is_single && value[1].kind == SYN_VALUE_TEXT)
        syn_text_string(&doc->pool, value[1].text ? value[1].text : "");
    else
        syn_words_of(&doc->pool, value, count);
}

/* ---- for people ---- */

void syn_doc_title(struct syn_doc *doc, const char *title, const char *beside)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_TITLE, !is_for_programs(doc));
    if (!node)
        return;
    node->label = keep(doc, beside);
    node->words = keep(doc, title);
}

void syn_doc_heading(struct syn_doc *doc, const char *title)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_HEADING, !is_for_programs(doc));
    if (node)
        node->words = keep(doc, title);
    doc->section_at = doc->count;
}

void syn_doc_heading_of(struct syn_doc *doc, const struct syn_value *value, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text title = {0};
    syn_words_of(&title, value, count);
    syn_doc_heading(doc, syn_text_chars(&title));
    doc->failed |= title.failed;
}

bool syn_doc_is_silent(struct syn_doc *doc)
{
    syn_doc_end(doc);
    return doc->count == doc->section_at;
}

void syn_doc_say(struct syn_doc *doc, enum syn_doc_kind kind, const struct syn_value *value,
                 size_t count)
{
    struct syn_doc_node *node = add(doc, kind, !is_for_programs(doc) || kind == SYN_DOC_CELL);
    if (node)
        say_at(doc, node, value, count);
}

struct syn_text *syn_doc_begin(struct syn_doc *doc, enum syn_doc_kind kind)
{
    syn_doc_say(doc, kind, &(const struct syn_value){.kind = SYN_VALUE_TEXT, .text = ""}, 1);
    return syn_doc_more(doc);
}

struct syn_text *syn_doc_more(struct syn_doc *doc)
{
    syn_text_clear(&doc->nowhere);
    return doc->is_open ? &doc->pool : &doc->nowhere;
}

void syn_doc_next(struct syn_doc *doc, const char *words)
{
    syn_say_next(doc, "{text}", words ? words : "");
}

void syn_doc_pair(struct syn_doc *doc, size_t indent, const char *key, const char *label,
                  const struct syn_value *value, size_t count)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_PAIR, !is_for_programs(doc) || key);
    if (!node)
        return;
    node->key = key;
    node->indent = indent;
    node->label = keep(doc, label);
    say_at(doc, node, value, count);
}

void syn_doc_table(struct syn_doc *doc, const char *key, const struct syn_table_column *column,
                   size_t column_count)
{
    doc->failed |= column_count > SYN_DOC_COLUMNS_MAX;
    struct syn_doc_node *node = add(doc, SYN_DOC_TABLE, column_count <= SYN_DOC_COLUMNS_MAX);
    if (!node)
        return;
    node->key = key;
    node->column = column;
    node->column_count = column_count;
}

static void add_cell(struct syn_doc *doc, const char *words, enum syn_value_kind kind)
{
    struct syn_doc_node *node = add(doc, SYN_DOC_CELL, true);
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

struct syn_text *syn_doc_draw(struct syn_doc *doc)
{
    end_words(doc);
    return &doc->drawn;
}

/* ---- for programs ---- */

/* Adds a node that only JSON has. In other formats the last sentence stays open. */
static struct syn_doc_node *add_for_json(struct syn_doc *doc, enum syn_doc_kind kind)
{
    return doc->format == SYN_DOC_JSON ? add(doc, kind, true) : NULL;
}

void syn_doc_fact_of(struct syn_doc *doc, const char *key, struct syn_value value)
{
    struct syn_doc_node *node = add_for_json(doc, SYN_DOC_FACT);
    if (!node)
        return;
    node->key = key;
    node->value = value;
    if (value.kind == SYN_VALUE_TEXT)
        node->words = keep(doc, value.text ? value.text : "");
}

void syn_doc_open_at(struct syn_doc *doc, const char *key, char bracket, bool on_line)
{
    struct syn_doc_node *node = add_for_json(doc, SYN_DOC_OPEN);
    if (!node)
        return;
    node->key = key;
    node->bracket = bracket;
    node->on_line = on_line;
}

void syn_doc_close(struct syn_doc *doc)
{
    add_for_json(doc, SYN_DOC_CLOSE);
}

void syn_doc_embed(struct syn_doc *doc, void (*write)(struct syn_json *json, const void *facts),
                   const void *facts)
{
    struct syn_doc_node *node = add_for_json(doc, SYN_DOC_EMBEDDED);
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

bool syn_doc_is_in_list(const struct syn_doc *doc, size_t at)
{
    return syn_doc_is_at(doc, at, SYN_DOC_ITEM) || syn_doc_is_at(doc, at, SYN_DOC_NEXT);
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
