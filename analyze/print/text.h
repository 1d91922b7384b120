/* analyze/print/text.h - a string that grows; words in lines of a width, and fields of CSV (RFC
 * 4180).
 *
 * A failed allocation is remembered, not reported at once: whoever hands the text on asks `failed`
 * once. */
#ifndef SYN_TEXT_H
#define SYN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct syn_text { /* {0} is an empty one */
    char *data;   /* [capacity], not terminated: see syn_text_chars */
    size_t length;
    size_t capacity;
    bool failed; /* memory ran out: what was appended since is lost */
};

void syn_text_append(struct syn_text *text, const char *bytes, size_t length);
/* Append all of `more`, and hand on whether it failed. */
void syn_text_add(struct syn_text *text, const struct syn_text *more);
void syn_text_string(struct syn_text *text, const char *string);
void syn_text_char(struct syn_text *text, char c);
void syn_text_repeat(struct syn_text *text, char c, size_t count);
void syn_text_format(struct syn_text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Terminated; "" for an empty text and for one that has failed from the start. Valid until the next
 * append. */
const char *syn_text_chars(struct syn_text *text);
void syn_text_clear(struct syn_text *text);
void syn_text_free(struct syn_text *text);

/* The length in bytes of the UTF-8 character at `bytes` (of `length`), or 0 where there is none: a
 * stray or cut sequence, an overlong form, a surrogate, beyond U+10FFFF. */
size_t syn_utf8_length(const char *bytes, size_t length);
/* Characters, not bytes; what is not UTF-8 counts as one character a byte. */
size_t syn_utf8_count(const char *string);
/* Is the character at `bytes` (of `length` as syn_utf8_length has it; 0: none) one that a terminal
 * or a browser obeys instead of showing it: C0, DEL, C1 (U+0080..U+009F), or one that ends lines or
 * turns the direction of text (U+200E, U+200F, U+2028..U+202E, U+2066..U+2069)? */
bool syn_utf8_is_control(const char *bytes, size_t length);
/* Append `string` as it may be shown on a terminal: control characters and what is not UTF-8 become
 * '?'. */
void syn_text_harmless(struct syn_text *text, const char *string);
void syn_text_harmless_bytes(struct syn_text *text, const char *bytes, size_t length);

/* Are both the same, or both NULL? */
bool syn_same_text(const char *a, const char *b);

/* `first`, then words in lines of at most `width` characters, each starting at column `indent`. A
 * number is not parted from its unit. Ends the last line. */
void syn_text_wrapped(struct syn_text *text, size_t width, size_t indent, const char *first,
                      const char *words);

/* A field of CSV. Quoted where it holds a comma, a quote, a line break or a space at an end; quotes
 * doubled. Control characters and what is not UTF-8 are as in syn_text_harmless, so that a row is a
 * line. A value that a spreadsheet would take for a formula (it starts with = + - or @) gets an
 * apostrophe in front. For texts: numbers are written as they are. */
void syn_csv_field(struct syn_text *text, const char *value);

#endif
