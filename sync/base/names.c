/* sync/base/names.c - see names.h. */
#include "sync/base/names.h"

#include <string.h>

static bool continues(const char *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (((unsigned char)bytes[i] & 0xC0) != 0x80)
            return false;
    return true;
}

size_t syn_utf8_length(const char *bytes, size_t length)
{
    if (length == 0)
        return 0;
    unsigned char first = (unsigned char)bytes[0];
    if (first < 0x80)
        return 1;
    size_t need = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
    if (first < 0xC2 || first > 0xF4 || length < need || !continues(bytes, 1, need))
        return 0;
    unsigned char second = (unsigned char)bytes[1];
    bool overlong = (first == 0xE0 && second < 0xA0) || (first == 0xF0 && second < 0x90);
    bool outside = (first == 0xED && second > 0x9F) || (first == 0xF4 && second > 0x8F);
    return overlong || outside ? 0 : need;
}

bool syn_utf8_is_control(const char *bytes, size_t length)
{
    const unsigned char *at = (const unsigned char *)bytes;
    if (length <= 1)
        return length == 0 || at[0] < 0x20 || at[0] == 0x7F;
    if (length == 2)
        return at[0] == 0xC2 && at[1] < 0xA0;
    bool general = length == 3 && at[0] == 0xE2 && at[1] == 0x80;
    bool isolate = length == 3 && at[0] == 0xE2 && at[1] == 0x81;
    return (general && (at[2] == 0x8E || at[2] == 0x8F || (at[2] >= 0xA8 && at[2] <= 0xAE))) ||
           (isolate && at[2] >= 0xA6 && at[2] <= 0xA9);
}

size_t syn_make_bytes_harmless(char *bytes, size_t length)
{
    size_t to = 0;
    for (size_t at = 0, step; at < length; at += step) {
        const size_t character = syn_utf8_length(bytes + at, length - at);
        step = character ? character : 1;
        if (syn_utf8_is_control(bytes + at, character)) {
            bytes[to++] = '?';
        } else {
            memmove(bytes + to, bytes + at, step);
            to += step;
        }
    }
    return to;
}

char *syn_make_harmless(char *line)
{
    line[syn_make_bytes_harmless(line, strlen(line))] = '\0';
    return line;
}

/* ---- shells ---- */

/* Appends `text` to out [capacity] at *used, as far as it fits with a terminator. */
static void append(char *out, size_t capacity, size_t *used, const char *text)
{
    for (; *text && *used + 1 < capacity; text++)
        out[(*used)++] = *text;
}

char *syn_shell_word(const char *word, char *out, size_t capacity)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+./:,@%^";
    const bool is_plain = word[0] && word[strspn(word, plain)] == '\0';
    const char *quote = is_plain ? "" : "'";
    size_t used = 0;
    append(out, capacity, &used, quote);
    for (; *word; word++)
        append(out, capacity, &used, *word == '\'' ? "'\\''" : (const char[]){*word, '\0'});
    append(out, capacity, &used, quote);
    out[used] = '\0';
    return out;
}
