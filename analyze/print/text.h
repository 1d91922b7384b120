/* analyze/print/text.h - a string that grows; lines wrapped to a width; fields of CSV (RFC 4180).
 *
 * A failed allocation sets `failed` and is not reported at once: the code that writes the text to
 * its destination checks `failed`. */
#ifndef SYN_TEXT_H
#define SYN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "sync/base/cleanup.h"

struct syn_text { /* {0} is an empty string */
    char *data;   /* [capacity], not terminated (syn_text_chars) */
    size_t length;
    size_t capacity;
    bool failed; /* memory ran out; later appends were lost */
};

void syn_text_append(struct syn_text *text, const char *bytes, size_t length);
/* Appends all of `more`. Sets `failed` if more->failed. */
void syn_text_add(struct syn_text *text, const struct syn_text *more);
void syn_text_string(struct syn_text *text, const char *string);
void syn_text_char(struct syn_text *text, char c);
void syn_text_repeat(struct syn_text *text, char c, size_t count);
void syn_text_format(struct syn_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the string with a 0 at its end, or "" if memory ran out. Valid until the next append. */
const char *syn_text_chars(struct syn_text *text);
void syn_text_clear(struct syn_text *text);
void syn_text_free(struct syn_text *text);

/* Returns the number of characters. A byte that is not valid UTF-8 counts as one character. */
size_t syn_utf8_count(const char *string);
/* Both append text that is safe to show on a terminal: control characters and invalid UTF-8 become
 * '?'. */
void syn_text_harmless(struct syn_text *text, const char *string);
void syn_text_harmless_bytes(struct syn_text *text, const char *bytes, size_t length);

/* Returns true if both strings are equal, or both NULL. */
bool syn_same_text(const char *a, const char *b);

/* Appends `first`, then `words` in lines of at most `width` columns, each starting at column
 * `indent`. A number and its unit stay on one line. Ends the last line. */
void syn_text_wrapped(struct syn_text *text, size_t width, size_t indent, const char *first,
                      const char *words);

/* Appends a text as a field of CSV. The field is quoted if it holds a comma, a quote, a line break,
 * or a space at its begin or end; quotes in it are doubled. Control characters and invalid UTF-8
 * become '?', so that a row is one line. A text that a spreadsheet would read as a formula (it
 * starts with = + - or @) gets an apostrophe in front. */
void syn_csv_field(struct syn_text *text, const char *value);

#endif
