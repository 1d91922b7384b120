/* analyze/doc/doc.h - a page as data, and its renderers.
 *
 * A document is a list of sections. A section holds sentences (paragraphs, items of a list, notes),
 * pairs of a label and words, tables, pictures and facts. One function builds the document for all
 * formats. A renderer writes it in one format:
 *
 *     for people (text of the terminal's width, HTML, Markdown): everything except facts
 *     for programs (JSON): facts, and pairs and tables that have a key
 *     tables only (CSV): tables that have a key, of them the columns that have a key
 *
 * A page is a table of sections in the order of the page. Each row names the function that builds
 * the section, and the formats that have the section:
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
 * Words are copied, and escaped by the renderer. Keys, titles and columns must outlive the
 * document. If an allocation fails, the document remembers this, and syn_doc_write sets
 * text->failed. */
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

/* The meaning of a sentence. It chooses a colour on a terminal and a class in HTML. */
enum syn_tone {
    SYN_TONE_PLAIN,
    SYN_TONE_QUIET,
    SYN_TONE_GOOD,
    SYN_TONE_LOOK,
    SYN_TONE_BAD,
    SYN_TONE_ALARM /* bad; a blank line follows, HTML and Markdown print it bold */
};

struct syn_doc_node;

struct syn_doc {
    enum syn_doc_format format;          /* a section's function may read it */
    const struct syn_terminal *terminal; /* for SYN_DOC_TEXT; else may be NULL */
    struct syn_doc_node *node;           /* [count], in the order of the page; owned */
    size_t count, capacity;
    size_t section_at;       /* index of the node after the last heading */
    struct syn_text pool;    /* all words; each is ended by a 0, except the last while `is_open` */
    struct syn_text drawn;   /* pictures drawn after the last sentence, in the document's format */
    struct syn_text nowhere; /* receives words that this format leaves out */
    bool is_open;            /* syn_doc_more may append to the last sentence */
    enum syn_tone tone;      /* of the next nodes */
    bool failed;
};

struct syn_doc syn_doc_start(enum syn_doc_format format, const struct syn_terminal *terminal);
void syn_doc_free(struct syn_doc *doc);

struct syn_doc_section {
    void (*build)(struct syn_doc *doc, const void *facts);
    unsigned formats;                    /* bits of enum syn_doc_format */
    bool (*is_there)(const void *facts); /* whether the page has the section; NULL: always */
};
void syn_doc_build(struct syn_doc *doc, const struct syn_doc_section *section, size_t count,
                   const void *facts);
/* Appends the rendered document to `text`. */
void syn_doc_write(struct syn_doc *doc, struct syn_text *text);
/* Writes facts, pairs and tables as members of the object that is open in `json`. */
struct syn_json;
void syn_doc_write_json(struct syn_doc *doc, struct syn_json *json);

/* ---- for people ---- */

/* Adds the page's title. `beside` stands at the right margin, for example a date; may be "". */
void syn_doc_title(struct syn_doc *doc, const char *title, const char *beside);
/* Adds a section's heading. The heading is left out if the section adds nothing after it. */
void syn_doc_heading(struct syn_doc *doc, const char *title);
#define syn_say_heading(doc, ...) syn_doc_heading_of(doc, SYN_VALUES(__VA_ARGS__))
void syn_doc_heading_of(struct syn_doc *doc, const struct syn_value *value, size_t count);
/* Returns true if nothing was added after the last heading. */
bool syn_doc_is_silent(struct syn_doc *doc);

/* The kind of a node. syn_doc_say adds a sentence (say.h) of one of the first seven kinds. */
enum syn_doc_kind {
    SYN_DOC_PARAGRAPH, /* starts at the margin */
    SYN_DOC_HANGING,   /* starts at the margin; further lines are indented by two columns */
    SYN_DOC_NOTE,      /* indented by two columns */
    SYN_DOC_ITEM,      /* an item of a list */
    SYN_DOC_NEXT,      /* advice; part of the item above if there is one */
    SYN_DOC_LINE,      /* one line, never wrapped */
    SYN_DOC_CELL,      /* a cell of the last table, from left to right, row by row */
    /* Nodes of these kinds are added by the functions below. */
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

/* Both return a text to append words to, until the next node is added. syn_doc_begin begins a
 * sentence; a sentence that stays empty is left out, except a line or a cell. syn_doc_more
 * continues the last sentence. */
struct syn_text *syn_doc_more(struct syn_doc *doc);
struct syn_text *syn_doc_begin(struct syn_doc *doc, enum syn_doc_kind kind);
/* syn_doc_next adds advice about the item above; NULL or "": none. syn_say_item_next adds an item
 * and its advice. */
void syn_doc_next(struct syn_doc *doc, const char *words);
#define syn_say_item_next(doc, next, ...) (syn_say_item(doc, __VA_ARGS__), syn_doc_next(doc, next))

/* Adds a pair: a line "  label   words". The words start at column `indent` and are wrapped there.
 * With indent 0 the line is "label words" and starts at the margin. In JSON, `key` has the first
 * value as its value; key NULL: not in JSON. */
void syn_doc_pair(struct syn_doc *doc, size_t indent, const char *key, const char *label,
                  const struct syn_value *value, size_t count);
#define syn_say_pair(doc, indent, key, label, ...) \
    syn_doc_pair(doc, indent, key, label, SYN_VALUES(__VA_ARGS__))

/* Begins a table. Its cells follow; any other node ends it. A column without a title is for
 * programs only, a column without a key for people only. key NULL: the whole table is for people
 * only. */
void syn_doc_table(struct syn_doc *doc, const char *key, const struct syn_table_column *column,
                   size_t column_count);
/* Adds a cell without a value: "-" for people, no member in JSON, an empty field in CSV. */
void syn_doc_no_cell(struct syn_doc *doc);
/* Adds a cell of an unknown value: `words` for people and in CSV, null in JSON. */
void syn_doc_null_cell(struct syn_doc *doc, const char *words);

/* Returns a text to which a picture is appended in the document's format (SVG for HTML). The
 * picture stands before the next sentence. */
struct syn_text *syn_doc_draw(struct syn_doc *doc);

/* ---- for programs ---- */

/* Adds a member to the JSON object that is open. */
void syn_doc_fact_of(struct syn_doc *doc, const char *key, struct syn_value value);
#define syn_doc_fact(doc, key, value) syn_doc_fact_of(doc, key, SYN_VALUE(value))
/* Opens an object '{' or an array '['. Its members follow, each on its own line, or all on one line
 * if `on_line`. In an array, keys are NULL. */
void syn_doc_open_at(struct syn_doc *doc, const char *key, char bracket, bool on_line);
#define syn_doc_open(doc, key, bracket)      syn_doc_open_at(doc, key, bracket, false)
#define syn_doc_open_line(doc, key, bracket) syn_doc_open_at(doc, key, bracket, true)
void syn_doc_close(struct syn_doc *doc);
/* Adds the members that write(json, facts) writes when the document is rendered. `facts` must
 * outlive the document. */
void syn_doc_embed(struct syn_doc *doc, void (*write)(struct syn_json *json, const void *facts),
                   const void *facts);

#endif
