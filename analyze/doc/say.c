/* analyze/doc/say.c - writes sentences: each place takes the next value and writes it by its
 * unit. */
#include "analyze/doc/say.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/html.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "sync/base/names.h"

/* Bytes of the longest place, such as "{number.17g:-28}". */
#define PLACE_BYTES 40

/* A sentence while it is being written. */
struct saying {
    struct syn_text *out;
    const struct syn_value *next, *end; /* values that no place has taken yet */
    uint64_t last_count;                /* the last integer; chooses between singular and plural */
};

/* ---- values ---- */

static double number_of(const struct syn_value *value)
{
    return value->kind == SYN_VALUE_INTEGER ? (double)value->integer
           : value->kind == SYN_VALUE_COUNT ? (double)value->count
                                            : value->number;
}

static bool is_integer(const struct syn_value *value)
{
    return value->kind == SYN_VALUE_INTEGER || value->kind == SYN_VALUE_COUNT;
}

/* Appends a number. `form`: "" for %g, "2" for two decimals, "3g" for three digits. */
static void write_number(struct syn_text *out, const char *form, double value)
{
    const int digits = form[0] ? atoi(form) : 6;
    if (form[0] && form[strlen(form) - 1] != 'g')
        syn_text_format(out, "%.*f", digits, syn_unit_no_minus_zero(value, digits));
    else
        syn_text_format(out, "%.*g", digits, value == 0 ? 0 : value);
}

/* Writes a ratio: "3.42" with two decimals, from 9.95 on "15" without. */
static const char *write_factor(char *buffer, double ratio)
{
    snprintf(buffer, SYN_UNIT_BYTES, "%.*f", ratio < 9.95 ? 2 : 0, ratio);
    return buffer;
}

/* The units of doubles. `takes_integers`: the unit accepts integers, too. */
static const struct unit {
    const char *name;
    const char *(*write)(char *buffer, double value);
    bool takes_integers;
} units[] = {{"time", syn_unit_time, true},        {"bytes", syn_unit_bytes, true},
             {"share", syn_unit_share, false},     {"factor", write_factor, false},
             {"percent", syn_unit_percent, false}, {"p", syn_unit_p, false}};

/* Returns false if the unit is not one of numbers or does not accept this value. */
static bool write_unit(struct syn_text *out, const char *unit, const struct syn_value *value)
{
    char buffer[SYN_UNIT_BYTES];
    if (value->kind != SYN_VALUE_NUMBER && !is_integer(value))
        return false;
    if (strncmp(unit, "number", 6) == 0 && (unit[6] == '\0' || unit[6] == '.')) {
        write_number(out, unit + 6 + (unit[6] == '.'), number_of(value));
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, unit) == 0 &&
            (units[i].takes_integers || value->kind == SYN_VALUE_NUMBER)) {
            syn_text_string(out, units[i].write(buffer, number_of(value)));
            return true;
        }
    return false;
}

/* Returns false if the unit does not accept this value. */
static bool write_value(struct syn_text *out, const char *unit, const struct syn_value *value)
{
    const char *text = value->kind == SYN_VALUE_TEXT ? value->text : NULL;
    if (value->kind == SYN_VALUE_TEXT && strcmp(unit, "text") == 0) {
        syn_text_string(out, text ? text : "-");
    } else if (value->kind == SYN_VALUE_BOOL && strcmp(unit, "yes") == 0) {
        syn_text_string(out, value->truth ? "yes" : "no");
    } else if (text && strcmp(unit, "place") == 0) {
        syn_unit_place(out, text);
    } else if (text && strcmp(unit, "shell") == 0) {
        const size_t capacity = SYN_SHELL_BYTES(strlen(text));
        SYN_FREED char *quoted = malloc(capacity);
        if (quoted)
            syn_text_string(out, syn_shell_word(text, quoted, capacity));
        out->failed |= !quoted;
    } else if (is_integer(value) && strcmp(unit, "count") == 0) {
        /* a negative count: "-12,345" */
        char buffer[SYN_UNIT_BYTES];
        const bool is_negative = value->kind == SYN_VALUE_INTEGER && value->integer < 0;
        syn_text_string(out, is_negative ? "-" : "");
        syn_text_string(out, syn_unit_count(buffer, is_negative ? 0 - value->count : value->count));
    } else if (is_integer(value) && (strcmp(unit, "rank") == 0 || strcmp(unit, "n") == 0)) {
        if (value->kind == SYN_VALUE_INTEGER)
            syn_text_format(out, "%lld", (long long)value->integer);
        else
            syn_text_format(out, "%llu", (unsigned long long)value->count);
    } else {
        return write_unit(out, unit, value);
    }
    return true;
}

/* ---- places ---- */

static struct syn_value take(struct saying *saying)
{
    const struct syn_value none = {.kind = SYN_VALUE_NONE};
    const struct syn_value value = saying->next < saying->end ? *saying->next++ : none;
    if (is_integer(&value))
        saying->last_count = value.count;
    return value;
}

/* Appends "s" or one of "was|were", as the last integer is 1 or not. Returns false for another
 * place. */
static bool write_number_of_word(struct saying *saying, const char *place, struct syn_text *out)
{
    const bool one = saying->last_count == 1;
    const char *bar = strchr(place, '|');
    if (strcmp(place, "s") == 0)
        syn_text_string(out, one ? "" : "s");
    else if (bar && one)
        syn_text_append(out, place, (size_t)(bar - place));
    else if (bar)
        syn_text_string(out, bar + 1);
    else
        return false;
    return true;
}

static bool write_place(struct saying *saying, char *place, struct syn_text *out)
{
    const size_t length = strlen(place);
    if (write_number_of_word(saying, place, out))
        return true;
    if (length > 2 && strcmp(place + length - 2, "..") == 0) {
        place[length - 2] = '\0';
        /* an interval: two values in brackets */
        const struct syn_value low = take(saying), high = take(saying);
        syn_text_char(out, '[');
        bool known = write_unit(out, place, &low);
        syn_text_string(out, ", ");
        known &= write_unit(out, place, &high);
        syn_text_char(out, ']');
        return known;
    }
    const struct syn_value value = take(saying);
    const bool is_tight = length > 0 && place[length - 1] == '~';
    place[length - is_tight] = '\0';
    const bool fits = write_value(out, place, &value);
    if (is_tight) {
        /* remove the first blank */
        char *blank = out->length ? memchr(out->data, ' ', out->length) : NULL;
        if (blank)
            memmove(blank, blank + 1, out->length-- - (size_t)(blank - out->data) - 1);
    }
    return fits;
}

/* Appends words, padded with blanks to |width| columns: aligned to the right if width > 0, to the
 * left if width < 0. */
static void write_padded(struct syn_text *out, const char *words, int width)
{
    const size_t used = syn_utf8_count(words), wanted = (size_t)abs(width);
    const size_t blanks = used < wanted ? wanted - used : 0;
    if (width > 0)
        syn_text_repeat(out, ' ', blanks);
    syn_text_string(out, words);
    if (width < 0)
        syn_text_repeat(out, ' ', blanks);
}

/* Writes a place. `from` points behind its opening brace. Returns its length with the closing
 * brace. */
static size_t say_place(struct saying *saying, const char *from)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    char place[PLACE_BYTES];
    const size_t length = strcspn(from, "}");
    const size_t kept = length < PLACE_BYTES ? length : PLACE_BYTES - 1;
    memcpy(place, from, kept);
    place[kept] = '\0';
    char *width = strchr(place, ':');
    if (width)
        *width++ = '\0';
    const bool fits = write_place(saying, place, &words);
    assert(fits);
    write_padded(saying->out, fits ? syn_text_chars(&words) : "{?}", width ? atoi(width) : 0);
    saying->out->failed |= words.failed;
    return length + (from[length] == '}');
}

void syn_words_of(struct syn_text *out, const struct syn_value *value, size_t count)
{
    struct saying saying = {out, value + 1, value + count, 0};
    for (const char *from = value[0].text; *from;) {
        const size_t plain = strcspn(from, "{");
        syn_text_append(out, from, plain);
        from += plain;
        if (from[0] == '{' && from[1] == '{') {
            syn_text_char(out, '{');
            from += 2;
        } else if (from[0] == '{') {
            from += 1 + say_place(&saying, from + 1);
        }
    }
    const bool all_said = saying.next == saying.end;
    assert(all_said);
    if (!all_said)
        syn_text_string(out, "{?}");
}

void syn_html_words_of(struct syn_text *out, const struct syn_value *value, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_words_of(&words, value, count);
    syn_html_escape(out, syn_text_chars(&words));
    out->failed |= words.failed;
}

void syn_table_say_of(struct syn_table *table, const struct syn_value *value, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_words_of(&words, value, count);
    syn_table_cell(table, words.failed ? NULL : syn_text_chars(&words));
}

void syn_print_of(const struct syn_value *value, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0}, harmless = {0};
    syn_words_of(&words, value, count);
    syn_text_harmless(&harmless, syn_text_chars(&words));
    const bool failed = words.failed || harmless.failed;
    printf("%s\n", failed ? "out of memory" : syn_text_chars(&harmless));
}
