/* analyze/doc/doc.h - a page as data, and its renderers.
 *
 * A document is a list of sections. A section holds sentences (paragraphs, items of a list, notes),
 * pairs of a label and words, tables, pictures and facts. It is built once, by one function for all
 * formats; a renderer writes the format.
 *
 *     people (text of the terminal's width, HTML, Markdown): all but facts
 *     programs (JSON): facts, pairs and tables that have a key
 *     tables alone (CSV): columns that have a key
 *
 * A page is a table of sections. Each row names the function and the formats that have the section,
 * in the order in which they stand:
 *
 *     static void tell_ranks(struct syn_doc *doc, const void *facts)
 *     {
 *         static const struct syn_table_column columns[] = {
 *             {.title = "rank", .key = "rank"},
 *             {.title = "node", .key = "node", .left = true},
 *             {.title = "wait", .key = "wait_ns"},
 *             {.key = "file_bytes"},  // no title: for programs only
 *         };
 *         const struct syn_hang *hang = facts;
 *         syn_doc_heading(doc, "Who hangs");
 *         syn_doc_fact(doc, "hanging", hang->count);  // JSON: "hanging": 3
 *         syn_say_item(doc, "{n} rank{s} {hangs|hang} in {text}.", hang->count, hang->op);
 *         syn_say_next(doc, "attach a debugger to rank {rank}", hang->first);
 *         syn_doc_table(doc, "ranks", columns, 4);  // JSON: "ranks": [{"rank": 0, ...
 *         for (size_t i = 0; i < hang->count; i++) {
 *             syn_say_cell(doc, "{rank}", hang->rank[i].rank);  // JSON: the number, no words
 *             syn_say_cell(doc, "{text}", hang->rank[i].node);
 *             syn_say_cell(doc, "{time}", hang->rank[i].wait_ns);
 *             syn_say_cell(doc, "{bytes}", hang->rank[i].bytes);
 *         }
 *     }
 *
 *     static const struct syn_doc_section sections[] = {
 *         {tell_ranks, SYN_DOC_ALL},
 *         {draw_ranks, SYN_DOC_HTML},
 *     };
 *
 *     struct syn_doc doc = syn_doc_start(SYN_DOC_TEXT, &terminal);
 *     syn_doc_build(&doc, sections, 2, &hang);
 *     syn_doc_write(&doc, &text);
 *     syn_doc_free(&doc);
 *
 * Words are copied and escaped by the renderer; keys, titles and columns must outlive the document.
 * A failed allocation is remembered, and syn_doc_write hands it on as text->failed. */
#ifndef SYN_DOC_H
#define SYN_DOC_H

#include "analyze/doc/say.h"
#include "analyze/print/table.h"
#include "analyze/print/terminal.h"
#include "analyze/print/text.h"

enum syn_doc_format {
    SYN_DOC_TEXT = 1 << 0,
    SYN_DOC_HTML = 1 << 1,
    SYN_DOC_MARKDOWN = 1 << 2,
    SYN_DOC_JSON = 1 << 3,
    SYN_DOC_CSV = 1 << 4,
    SYN_DOC_PEOPLE = SYN_DOC_TEXT | SYN_DOC_HTML | SYN_DOC_MARKDOWN,
    SYN_DOC_ALL = (1 << 5) - 1
};

/* The meaning of words: a colour on a terminal, a class of the page. */
enum syn_tone {
    SYN_TONE_PLAIN,
    SYN_TONE_QUIET,
    SYN_TONE_GOOD,
    SYN_TONE_LOOK,
    SYN_TONE_BAD,
    SYN_TONE_ALARM /* bad, and set apart */
};

struct syn_doc_node;

struct syn_doc {
    enum syn_doc_format format;          /* a builder may ask for it where formats differ */
    const struct syn_terminal *terminal; /* of a text; may be NULL in other formats */
    struct syn_doc_node *node;           /* [count], in the order of the page; owned */
    size_t count, capacity;
    size_t section_at;       /* the node behind the last heading */
    struct syn_text pool;    /* all words, each ended by a 0 but those said last */
    struct syn_text drawn;   /* in the document's own format, since what was said last */
    struct syn_text nowhere; /* what a format for programs does not hold */
    bool is_open;            /* may words be added to what was said last? */
    enum syn_tone tone;      /* of what is said next */
    bool failed;
};

struct syn_doc syn_doc_start(enum syn_doc_format format, const struct syn_terminal *terminal);
void syn_doc_free(struct syn_doc *doc);

struct syn_doc_section {
    void (*build)(struct syn_doc *doc, const void *facts);
    unsigned formats;                    /* of enum syn_doc_format */
    bool (*is_there)(const void *facts); /* NULL: always */
};
void syn_doc_build(struct syn_doc *doc, const struct syn_doc_section *section, size_t count,
                   const void *facts);
/* Append the rendered document. */
void syn_doc_write(struct syn_doc *doc, struct syn_text *text);
/* The facts, pairs and tables as members of what is open in `json`. */
struct syn_json;
void syn_doc_write_json(struct syn_doc *doc, struct syn_json *json);

/* ---- for people ---- */

/* The page's title, and what stands beside it: a date; may be "". */
void syn_doc_title(struct syn_doc *doc, const char *title, const char *beside);
/* A section's heading. It is left out where the section's function says nothing behind it. */
void syn_doc_heading(struct syn_doc *doc, const char *title);
#define syn_say_heading(doc, ...) syn_doc_heading_of(doc, SYN_VALUES(__VA_ARGS__))
void syn_doc_heading_of(struct syn_doc *doc, const struct syn_value *value, size_t count);
/* Has nothing been said since the last heading? */
bool syn_doc_is_silent(struct syn_doc *doc);

/* Says a sentence (say.h) in a way of its own: */
enum syn_doc_kind {
    SYN_DOC_PARAGRAPH, /* from the margin on */
    SYN_DOC_HANGING,   /* likewise, further lines moved in by two columns */
    SYN_DOC_NOTE,      /* moved in by two columns */
    SYN_DOC_ITEM,      /* of a list */
    SYN_DOC_NEXT,      /* advice, about the item above where there is one */
    SYN_DOC_LINE,      /* never broken into several */
    SYN_DOC_CELL,      /* of the table begun last, from left to right, row by row */
    /* Made by the functions below. */
    SYN_DOC_TITLE,
    SYN_DOC_HEADING,
    SYN_DOC_PAIR,
    SYN_DOC_TABLE,
    SYN_DOC_FACT,
    SYN_DOC_OPEN,
    SYN_DOC_CLOSE,
    SYN_DOC_EMBEDDED,
    SYN_DOC_DRAWN
};
void syn_doc_say(struct syn_doc *doc, enum syn_doc_kind kind, const struct syn_value *value,
                 size_t count);
#define syn_say(doc, ...)         syn_doc_say(doc, SYN_DOC_PARAGRAPH, SYN_VALUES(__VA_ARGS__))
#define syn_say_hanging(doc, ...) syn_doc_say(doc, SYN_DOC_HANGING, SYN_VALUES(__VA_ARGS__))
#define syn_say_note(doc, ...)    syn_doc_say(doc, SYN_DOC_NOTE, SYN_VALUES(__VA_ARGS__))
#define syn_say_item(doc, ...)    syn_doc_say(doc, SYN_DOC_ITEM, SYN_VALUES(__VA_ARGS__))
#define syn_say_line(doc, ...)    syn_doc_say(doc, SYN_DOC_LINE, SYN_VALUES(__VA_ARGS__))
#define syn_say_next(doc, ...)    syn_doc_say(doc, SYN_DOC_NEXT, SYN_VALUES(__VA_ARGS__))
#define syn_say_more(doc, ...)    syn_words(syn_doc_more(doc), __VA_ARGS__)
#define syn_say_cell(doc, ...)    syn_doc_say(doc, SYN_DOC_CELL, SYN_VALUES(__VA_ARGS__))

/* Begin a sentence in pieces: returns the text to which words are appended until something else is
 * said. A sentence that stays empty is omitted. */
struct syn_text *syn_doc_more(struct syn_doc *doc); /* where the words said last go on */
struct syn_text *syn_doc_begin(struct syn_doc *doc, enum syn_doc_kind kind);
/* Advice about the item above (NULL or "": none); and an item with advice. */
void syn_doc_next(struct syn_doc *doc, const char *words);
#define syn_say_item_next(doc, next, ...) (syn_say_item(doc, __VA_ARGS__), syn_doc_next(doc, next))

/* A line "  label   words", words from column `indent` on and wrapped under themselves; of indent 0
 * "label words", from the margin on. key: the first value in JSON; NULL: not there. */
void syn_doc_pair(struct syn_doc *doc, size_t indent, const char *key, const char *label,
                  const struct syn_value *value, size_t count);
#define syn_say_pair(doc, indent, key, label, ...) \
    syn_doc_pair(doc, indent, key, label, SYN_VALUES(__VA_ARGS__))

/* A table. Cells follow; what is said else ends it. Columns without title are for programs, those
 * without key for people. key NULL: the table is for people. */
void syn_doc_table(struct syn_doc *doc, const char *key, const struct syn_table_column *column,
                   size_t column_count);
/* A cell that there is not: "-" for people, no member for programs. */
void syn_doc_no_cell(struct syn_doc *doc);
/* A cell that is not known: these words for people, null for programs. */
void syn_doc_null_cell(struct syn_doc *doc, const char *words);

/* Returns a text for a picture in the document's own format (SVG in a page of HTML). It stands
 * before the next sentence. */
struct syn_text *syn_doc_draw(struct syn_doc *doc);

/* ---- for programs ---- */

/* A member of the JSON object that is open. */
void syn_doc_fact_of(struct syn_doc *doc, const char *key, struct syn_value value);
#define syn_doc_fact(doc, key, value) syn_doc_fact_of(doc, key, SYN_VALUE(value))
/* Opens an object '{' or an array '['; its members follow, one a line or all on one line. Inside an
 * array keys are NULL. */
void syn_doc_open_at(struct syn_doc *doc, const char *key, char bracket, bool on_line);
#define syn_doc_open(doc, key, bracket)      syn_doc_open_at(doc, key, bracket, false)
#define syn_doc_open_line(doc, key, bracket) syn_doc_open_at(doc, key, bracket, true)
void syn_doc_close(struct syn_doc *doc);
/* Members that another function writes out of `facts`, which must outlive the document. */
void syn_doc_embed(struct syn_doc *doc, void (*write)(struct syn_json *json, const void *facts),
                   const void *facts);

#endif
