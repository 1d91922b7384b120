/* analyze/print/json.c - writes JSON value by value. NAN and infinity are null. */
#include "analyze/print/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/names.h"

struct syn_json syn_json_start(struct syn_text *text)
{
    struct syn_json json = {.text = text};
    return json;
}

static bool on_one_line(const struct syn_json *json)
{
    return json->line_depth && json->depth >= json->line_depth;
}

static void new_line(struct syn_json *json)
{
    syn_text_char(json->text, '\n');
    syn_text_repeat(json->text, ' ', (size_t)json->depth * 2);
}

/* Returns the code point of a UTF-8 character of up to three bytes: no control character has
 * more. */
static unsigned code_point(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (length == 1)
        return at[0];
    if (length == 2)
        return (at[0] & 0x1Fu) << 6 | (at[1] & 0x3Fu);
    return (at[0] & 0x0Fu) << 12 | (at[1] & 0x3Fu) << 6 | (at[2] & 0x3Fu);
}

static void escape(struct syn_text *text, const char *string)
{
    syn_text_char(text, '"');
    for (size_t left = strlen(string); left > 0;) {
        size_t length = syn_utf8_length(string, left);
        unsigned char c = (unsigned char)string[0];
        if (length == 0)
            syn_text_string(text, "\xEF\xBF\xBD");
        else if (c == '"' || c == '\\')
            syn_text_format(text, "\\%c", c);
        else if (syn_utf8_is_control(string, length))
            syn_text_format(text, "\\u%04x", code_point(string, length));
        else
            syn_text_append(text, string, length);
        length = length ? length : 1;
        string += length;
        left -= length;
    }
    syn_text_char(text, '"');
}

/* Writes the comma, the line break and the key before a value. */
static void begin_value(struct syn_json *json, const char *key)
{
    if (json->depth > 0) {
        if (json->has_elements[json->depth])
            syn_text_string(json->text, on_one_line(json) ? ", " : ",");
        if (!on_one_line(json))
            new_line(json);
        json->has_elements[json->depth] = true;
    }
    if (key) {
        escape(json->text, key);
        syn_text_string(json->text, ": ");
    }
}

void syn_json_open(struct syn_json *json, const char *key, char bracket)
{
    begin_value(json, key);
    syn_text_char(json->text, bracket);
    if (json->depth + 1 >= SYN_JSON_DEPTH) { /* a fault of ours: depth does not depend on data */
        json->text->failed = true;
        return;
    }
    json->depth++;
    json->has_elements[json->depth] = false;
    json->closing[json->depth] = bracket == '{' ? '}' : ']';
}

void syn_json_open_line(struct syn_json *json, const char *key, char bracket)
{
    syn_json_open(json, key, bracket);
    if (json->line_depth == 0)
        json->line_depth = json->depth;
}

void syn_json_close(struct syn_json *json)
{
    bool had_elements = json->has_elements[json->depth];
    bool one_line = on_one_line(json);
    char closing = json->closing[json->depth];
    if (json->depth == 0)
        return;
    if (json->line_depth == json->depth)
        json->line_depth = 0;
    json->depth--;
    if (had_elements && !one_line)
        new_line(json);
    syn_text_char(json->text, closing);
    if (json->depth == 0)
        syn_text_char(json->text, '\n');
}

void syn_number_text(double value, char *buffer)
{
    buffer[0] = '\0';
    if (!isfinite(value))
        return;
    value = value == 0 ? 0 : value; /* -0 becomes 0 */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value)
            return;
    }
}

void syn_json_number(struct syn_json *json, const char *key, double value)
{
    char buffer[32];
    syn_number_text(value, buffer);
    begin_value(json, key);
    syn_text_string(json->text, buffer[0] ? buffer : "null");
}

void syn_json_integer(struct syn_json *json, const char *key, int64_t value)
{
    begin_value(json, key);
    syn_text_format(json->text, "%lld", (long long)value);
}

void syn_json_count(struct syn_json *json, const char *key, uint64_t value)
{
    begin_value(json, key);
    syn_text_format(json->text, "%llu", (unsigned long long)value);
}

void syn_json_bool(struct syn_json *json, const char *key, bool value)
{
    begin_value(json, key);
    syn_text_string(json->text, value ? "true" : "false");
}

void syn_json_null(struct syn_json *json, const char *key)
{
    begin_value(json, key);
    syn_text_string(json->text, "null");
}

void syn_json_string(struct syn_json *json, const char *key, const char *value)
{
    if (!value) {
        syn_json_null(json, key);
        return;
    }
    begin_value(json, key);
    escape(json->text, value);
}
