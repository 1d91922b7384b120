#include "fuzz_judge.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/html.h"

/* ---- characters ---- */

/* Decodes one character; 0 bytes where it is none in its shortest form. Written apart from the
 * escaping that it judges. */
static size_t take_character(const unsigned char *at, size_t left, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t bytes = at[0] < 0x80       ? 1
                   : at[0] >> 5 == 6  ? 2
                   : at[0] >> 4 == 14 ? 3
                   : at[0] >> 3 == 30 ? 4
                                      : 0;
    if (bytes == 0 || bytes > left)
        return 0;
    *out = bytes == 1 ? at[0] : at[0] & (0x7Fu >> bytes);
    for (size_t i = 1; i < bytes; i++) {
        if (at[i] >> 6 != 2)
            return 0;
        *out = *out << 6 | (at[i] & 0x3F);
    }
    bool surrogate = *out >= 0xD800 && *out <= 0xDFFF;
    return *out < least[bytes] || *out > 0x10FFFF || surrogate ? 0 : bytes;
}

static bool is_harmful(uint32_t character)
{
    return (character < 0x20 && character != '\n') || (character >= 0x7F && character < 0xA0) ||
           character == 0x200E || character == 0x200F ||
           (character >= 0x2028 && character <= 0x202E) ||
           (character >= 0x2066 && character <= 0x2069);
}

static const char *judge_characters(const char *text, size_t bytes)
{
    const unsigned char *at = (const unsigned char *)text;
    for (size_t i = 0, step; i < bytes; i += step) {
        uint32_t character;
        step = take_character(at + i, bytes - i, &character);
        if (step == 0)
            return "no UTF-8";
        if (is_harmful(character))
            return "a control character";
    }
    return bytes > 0 && text[bytes - 1] != '\n' ? "a line without an end" : NULL;
}

/* ---- JSON ---- */

struct json {
    const char *at, *end;
};

static void skip_blanks(struct json *json)
{
    while (json->at < json->end && strchr(" \n\r\t", *json->at))
        json->at++;
}

static bool take_one(struct json *json, char c)
{
    skip_blanks(json);
    if (json->at == json->end || *json->at != c)
        return false;
    json->at++;
    return true;
}

static bool take_escape(struct json *json)
{
    if (json->at == json->end)
        return false;
    char c = *json->at++;
    if (c != 'u')
        return c != 0 && strchr("\"\\/bfnrt", c);
    for (int i = 0; i < 4; i++, json->at++)
        if (json->at == json->end || !strchr("0123456789abcdefABCDEF", *json->at) || !*json->at)
            return false;
    return true;
}

static bool take_json_string(struct json *json)
{
    if (!take_one(json, '"'))
        return false;
    while (json->at < json->end) {
        unsigned char c = (unsigned char)*json->at++;
        if (c == '"')
            return true;
        if (c < 0x20 || (c == '\\' && !take_escape(json)))
            return false;
    }
    return false;
}

static size_t take_digits(struct json *json)
{
    size_t count = 0;
    for (; json->at < json->end && *json->at >= '0' && *json->at <= '9'; json->at++)
        count++;
    return count;
}

static bool take_number(struct json *json)
{
    json->at += *json->at == '-';
    bool zero = json->at < json->end && *json->at == '0';
    size_t digits = take_digits(json);
    if (digits == 0 || (zero && digits > 1))
        return false;
    if (json->at < json->end && *json->at == '.') {
        json->at++;
        if (take_digits(json) == 0)
            return false;
    }
    if (json->at < json->end && (*json->at | 32) == 'e') {
        json->at++;
        json->at += json->at < json->end && (*json->at == '+' || *json->at == '-');
        return take_digits(json) > 0;
    }
    return true;
}

static bool take_word(struct json *json)
{
    static const char *const words[] = {"true", "false", "null"};
    for (size_t i = 0; i < 3; i++) {
        size_t bytes = strlen(words[i]);
        if ((size_t)(json->end - json->at) >= bytes && memcmp(json->at, words[i], bytes) == 0) {
            json->at += bytes;
            return true;
        }
    }
    return false;
}

static bool take_value(struct json *json, int depth);

static bool take_elements(struct json *json, bool object, int depth)
{
    char closing = object ? '}' : ']';
    if (take_one(json, closing))
        return true;
    do {
        if (object && (!take_json_string(json) || !take_one(json, ':')))
            return false;
        if (!take_value(json, depth))
            return false;
    } while (take_one(json, ','));
    return take_one(json, closing);
}

static bool take_value(struct json *json, int depth)
{
    skip_blanks(json);
    if (json->at == json->end || depth > 64)
        return false;
    switch (*json->at) {
    case '{':
    case '[':
        return json->at++, take_elements(json, json->at[-1] == '{', depth + 1);
    case '"':
        return take_json_string(json);
    case 't':
    case 'f':
    case 'n':
        return take_word(json);
    default:
        return take_number(json);
    }
}

static const char *judge_json(const char *text, size_t bytes)
{
    struct json json = {text, text + bytes};
    if (!take_value(&json, 0))
        return "no JSON";
    skip_blanks(&json);
    return json.at == json.end ? NULL : "more than one JSON value";
}

/* ---- CSV ---- */

static bool is_number(const char *text, size_t bytes)
{
    char copy[64], *end;
    if (bytes == 0 || bytes >= sizeof copy)
        return false;
    memcpy(copy, text, bytes);
    copy[bytes] = 0;
    (void)strtod(copy, &end);
    return *end == 0;
}

static bool is_formula(const char *text, size_t bytes)
{
    return bytes > 0 && strchr("=+-@\t\r", text[0]) && !is_number(text, bytes);
}

/* The end of the field at `at`: a comma, a line's end, or NULL where its quotes are not right. */
static const char *field_end(const char *at, const char *end)
{
    if (at == end || *at != '"') {
        while (at < end && *at != ',' && *at != '\n' && *at != '"')
            at++;
        return at < end && *at != '"' ? at : NULL;
    }
    for (at++; at < end; at++) {
        if (*at != '"')
            continue;
        if (at + 1 < end && at[1] != '"')
            return at[1] == ',' || at[1] == '\n' ? at + 1 : NULL;
        at++;
    }
    return NULL;
}

static const char *judge_csv(const char *text, size_t bytes)
{
    const char *at = text, *end = text + bytes;
    size_t expected = 0, fields = 0;
    while (at < end) {
        const char *behind = field_end(at, end);
        if (!behind)
            return "quotes of a field";
        size_t quote = *at == '"';
        if (is_formula(at + quote, (size_t)(behind - at) - 2 * quote))
            return "a field that is a formula";
        fields++;
        if (*behind == '\n') {
            expected = expected ? expected : fields;
            if (fields != expected)
                return "more or fewer fields than in the first line";
            fields = 0;
        }
        at = behind + 1;
    }
    return NULL;
}

/* ---- HTML ---- */

static bool starts_with_any(const char *at, const char *end, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t bytes = strlen(words[i]);
        if ((size_t)(end - at) >= bytes && memcmp(at, words[i], bytes) == 0)
            return true;
    }
    return false;
}

/* Returns the begin of the page's own script, at the end of the page; NULL if it is not there as it
 * was built. There is no other script, and no text of the traced program may get into it. */
static const char *script_of(const char *text, size_t bytes)
{
    static const char before[] = "<script>\n", after[] = "</script>\n</html>\n";
    const size_t length = strlen(syn_html_script), whole = length + strlen(before) + strlen(after);
    if (bytes < whole)
        return NULL;
    const char *at = text + bytes - whole, *script = at + strlen(before);
    return memcmp(at, before, strlen(before)) == 0 &&
                   memcmp(script, syn_html_script, length) == 0 &&
                   memcmp(script + length, after, strlen(after)) == 0
               ? at
               : NULL;
}

static const char *judge_html(const char *text, size_t bytes)
{
    static const char *const tags[] = {
        "!DOCTYPE html>",
        "html lang=en>",
        "/html>",
        "meta charset=utf-8>",
        "title>",
        "/title>",
        "style>",
        "/style>",
        "h1>",
        "/h1>",
        "h2>",
        "/h2>",
        "p class=",
        "/p>",
        "ul>",
        "/ul>",
        "dl>",
        "/dl>",
        "dt>",
        "dd>",
        "li>",
        "/li>",
        "table>",
        "/table>",
        "tr>",
        "tr class=",
        "/tr>",
        "th>",
        "th class=",
        "td>",
        "td class=",
        "/td>",
        "br>",
        "svg width=",
        "/svg>",
        "path class=",
        "rect class=",
        "circle class=",
        "div class=",
        "/div>",
        "b>",
        "/b>",
        "meta name=viewport content=",
        "span class=",
        "/span>",
        "p>",
        "i style='width:",
        "/i>",
        "wbr>",
        "small>",
        "/small>",
        "thead>",
        "/thead>",
        "tbody>",
        "/tbody>",
        "tfoot>",
        "/tfoot>",
        "td colspan=",
        "table class=",
        "summary>",
        "/summary>",
        "details>",
        "details open>",
        "/details>",
        "figure>",
        "/figure>",
        "figcaption>",
        "/figcaption>",
        "svg class=",
        "text x=",
        "text class=",
        "/text>",
        "a href='#",
        "strong>",
        "/strong>",
        "h3>",
        "/h3>",
    };
    static const char *const entities[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    const char *end = script_of(text, bytes);
    if (!end)
        return "a page without its script";
    for (const char *at = text; at < end; at++) {
        if (*at == '<' && !starts_with_any(at + 1, end, tags, sizeof tags / sizeof *tags)) {
            static char wrong[80];
            snprintf(wrong, sizeof wrong, "a tag that is not ours: %.*s",
                     (int)(end - at < 40 ? end - at : 40), at);
            return wrong;
        }
        if (*at == '&' && !starts_with_any(at, end, entities, sizeof entities / sizeof *entities))
            return "an entity that is not ours";
    }
    return NULL;
}

const char *fuzz_judge(enum fuzz_format format, const char *text, size_t bytes)
{
    const char *wrong = judge_characters(text, bytes);
    if (wrong || bytes == 0)
        return wrong;
    switch (format) {
    case FUZZ_JSON:
        return judge_json(text, bytes);
    case FUZZ_CSV:
        return judge_csv(text, bytes);
    case FUZZ_HTML:
        return judge_html(text, bytes);
    default:
        return NULL;
    }
}
