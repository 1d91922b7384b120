/* analyze/print/text.c - a string that grows; UTF-8, wrapped lines, and fields of CSV. */
#include "analyze/print/text.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/names.h"

static bool reserve(struct syn_text *text, size_t more)
{
    text->failed |= more > SIZE_MAX / 4 - text->length;
    if (text->failed)
        return false;
    size_t wanted = text->length + more;
    if (wanted <= text->capacity)
        return true;
    size_t capacity = text->capacity ? text->capacity * 2 : 256;
    while (capacity < wanted)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void syn_text_append(struct syn_text *text, const char *bytes, size_t length)
{
    if (length == 0 || !reserve(text, length))
        return;
    memcpy(text->data + text->length, bytes, length);
    text->length += length;
}

void syn_text_add(struct syn_text *text, const struct syn_text *more)
{
    syn_text_append(text, more->data, more->length);
    text->failed |= more->failed;
}

void syn_text_string(struct syn_text *text, const char *string)
{
    syn_text_append(text, string, strlen(string));
}

void syn_text_char(struct syn_text *text, char c)
{
    syn_text_append(text, &c, 1);
}

void syn_text_repeat(struct syn_text *text, char c, size_t count)
{
    if (count == 0 || !reserve(text, count))
        return;
    memset(text->data + text->length, c, count);
    text->length += count;
}

void syn_text_format(struct syn_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    const int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length > 0 && reserve(text, (size_t)length + 1)) {
        vsnprintf(text->data + text->length, (size_t)length + 1, format, arguments);
        text->length += (size_t)length;
    }
    va_end(arguments);
}

const char *syn_text_chars(struct syn_text *text)
{
    if (!reserve(text, 1))
        return "";
    text->data[text->length] = '\0';
    return text->data;
}

void syn_text_clear(struct syn_text *text)
{
    text->length = 0;
}

void syn_text_free(struct syn_text *text)
{
    free(text->data);
    memset(text, 0, sizeof *text);
}

size_t syn_utf8_count(const char *string)
{
    size_t count = 0;
    for (size_t left = strlen(string); left > 0; count++) {
        size_t length = syn_utf8_length(string, left);
        length = length ? length : 1;
        string += length;
        left -= length;
    }
    return count;
}

void syn_text_harmless_bytes(struct syn_text *text, const char *bytes, size_t length)
{
    const size_t before = text->length;
    syn_text_append(text, bytes, length);
    if (text->length > before) /* else there is no memory, or nothing */
        text->length = before + syn_make_bytes_harmless(text->data + before, length);
}

void syn_text_harmless(struct syn_text *text, const char *string)
{
    syn_text_harmless_bytes(text, string, strlen(string));
}

bool syn_same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* ---- words in lines ---- */

/* Returns the bytes that must stay on one line: the next word, and its unit if the word is a
 * number. */
static size_t word_length(const char *words)
{
    static const char *const units[] = {"%", "ns", "us", "ms", "s", "B", "KiB", "MiB", "GiB"};
    const size_t length = strcspn(words, " "), open = strspn(words, "[(");
    if (length == 0 || words[length] == '\0' || words[open] < '0' || words[open] > '9')
        return length;
    const size_t next = strcspn(words + length + 1, " ,;.)]");
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i]) == next && strncmp(units[i], words + length + 1, next) == 0)
            return length + 1 + strcspn(words + length + 1, " ");
    return length;
}

void syn_text_wrapped(struct syn_text *text, size_t width, size_t indent, const char *first,
                      const char *words)
{
    const size_t first_width = syn_utf8_count(first);
    size_t column = syn_largest(first_width, indent);
    syn_text_string(text, first);
    for (size_t used = first_width; used < indent; used++)
        syn_text_char(text, ' ');
    for (bool start = true; *words; start = false) {
        size_t length = word_length(words);
        if (!start && column + 1 + length > width) {
            syn_text_char(text, '\n');
            syn_text_repeat(text, ' ', indent);
            column = indent;
        } else if (!start) {
            syn_text_char(text, ' ');
            column++;
        }
        syn_text_append(text, words, length);
        column += length;
        words += length + (words[length] == ' ');
    }
    syn_text_char(text, '\n');
}

/* ---- fields of CSV ---- */

static void append_value(struct syn_text *text, const char *value)
{
    size_t length = strlen(value);
    bool quote =
        strpbrk(value, ",\"\r\n") || (length && (value[0] == ' ' || value[length - 1] == ' '));
    if (!quote) {
        syn_text_harmless(text, value);
        return;
    }
    syn_text_char(text, '"');
    for (const char *from = value; *from;) {
        const size_t run = strcspn(from, "\"");
        syn_text_harmless_bytes(text, from, run);
        from += run;
        if (*from == '"') {
            syn_text_string(text, "\"\"");
            from++;
        }
    }
    syn_text_char(text, '"');
}

void syn_csv_field(struct syn_text *text, const char *value)
{
    SYN_CLEANUP(syn_text_free) struct syn_text inert = {0};
    if (!value[0] || !strchr("=+-@", value[0])) {
        append_value(text, value);
        return;
    }
    syn_text_char(&inert, '\'');
    syn_text_string(&inert, value);
    append_value(text, syn_text_chars(&inert));
    text->failed |= inert.failed;
}
