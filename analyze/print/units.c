/* analyze/print/units.c - writes numbers for people with three significant digits and a unit, and
 * shortens call sites. */
#include "analyze/print/units.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/text.h"
#include "sync/base/integers.h"
#include "sync/base/names.h"

double syn_unit_no_minus_zero(double value, int digits)
{
    return value <= 0 && value >= -0.5 * pow(10, -digits) ? 0 : value;
}

const char *syn_unit_time(char *buffer, double ns)
{
    static const struct {
        double below, unit_ns;
        const char *name;
    } units[] = {
        {999.5, 1, "ns"}, {999.5e3, 1e3, "us"}, {999.5e6, 1e6, "ms"}, {INFINITY, 1e9, "s"}};
    if (!isfinite(ns)) {
        snprintf(buffer, SYN_UNIT_BYTES, "-");
        return buffer;
    }
    ns = syn_unit_no_minus_zero(ns, 2);
    size_t i = 0;
    while (fabs(ns) >= units[i].below)
        i++;
    double value = ns / units[i].unit_ns;
    /* 9.995 is written as "10.0", not "9.99": three significant digits, no exponent */
    int digits = fabs(value) < 9.995 ? 2 : fabs(value) < 99.95 ? 1 : 0;
    if (i == 0 && value == floor(value))
        digits = 0;
    snprintf(buffer, SYN_UNIT_BYTES, "%.*f %s", digits, value, units[i].name);
    return buffer;
}

const char *syn_unit_bytes(char *buffer, double bytes)
{
    static const char *const names[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    if (!isfinite(bytes)) {
        snprintf(buffer, SYN_UNIT_BYTES, "-");
        return buffer;
    }
    size_t i = 0;
    while (bytes >= 1023.5 && i + 1 < sizeof names / sizeof *names) {
        bytes /= 1024;
        i++;
    }
    int digits = bytes == floor(bytes) || bytes >= 99.95 ? 0 : 1;
    snprintf(buffer, SYN_UNIT_BYTES, "%.*f %s", digits, bytes, names[i]);
    return buffer;
}

const char *syn_unit_count(char *buffer, uint64_t count)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    char *to = buffer;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return buffer;
}

const char *syn_unit_percent(char *buffer, double ratio)
{
    if (!isfinite(ratio))
        snprintf(buffer, SYN_UNIT_BYTES, "-");
    else if (ratio > 0 && ratio < 0.0005)
        snprintf(buffer, SYN_UNIT_BYTES, "<0.1 %%");
    else if (fabs(ratio) < 0.0005) /* avoids "-0.0 %" */
        snprintf(buffer, SYN_UNIT_BYTES, "0.0 %%");
    else
        snprintf(buffer, SYN_UNIT_BYTES, "%.1f %%", ratio * 100);
    return buffer;
}

#define ROUNDING 1e-9
const char *syn_unit_share(char *buffer, double share)
{
    const bool is_whole_or_less = !(share > 1 + ROUNDING);
    assert(is_whole_or_less);
    return syn_unit_percent(buffer, is_whole_or_less ? share : NAN);
}

const char *syn_unit_p(char *buffer, double p)
{
    if (!isfinite(p))
        buffer[0] = '\0';
    else if (p < 0.001)
        snprintf(buffer, SYN_UNIT_BYTES, "p < 0.001");
    else
        snprintf(buffer, SYN_UNIT_BYTES, "p = %.*f", p < 0.1 ? 3 : 2, p);
    return buffer;
}

void syn_unit_tail(struct syn_text *text, const char *name, size_t width)
{
    size_t count = syn_utf8_count(name);
    if (count > width && width > 2) {
        syn_text_string(text, "..");
        for (size_t left = strlen(name); count > width - 2 && left > 0; count--) {
            size_t length = syn_utf8_length(name, left);
            length = length ? length : 1;
            name += length;
            left -= length;
        }
    }
    syn_text_harmless(text, name);
}

/* The parts of a call site: "file.c:31 function", "function+0x1f (module)", "module+0x1f", or any
 * other word. */
struct site {
    const char *location; /* "file.c:31"; NULL: none */
    size_t location_length, line_at;
    const char *function; /* with namespaces */
    size_t function_length;
    size_t offset_length;  /* of "+0x1f" after the function; 0 for "module+0x1f", which counts as a
                              name */
    const char *last_name; /* the function without namespaces */
};

/* Returns the begin of a function's last name: after the last "::" outside of brackets. */
static const char *last_name(const char *function, size_t length)
{
    const char *from = function;
    int depth = 0;
    for (size_t i = 0; i + 1 < length; i++) {
        depth += strchr("<({", function[i]) != NULL;
        depth -= strchr(">)}", function[i]) != NULL;
        if (depth <= 0 && function[i] == ':' && function[i + 1] == ':')
            from = function + i + 2;
    }
    return from;
}

static struct site take_apart(const char *text)
{
    struct site site = {.function = text};
    const size_t first = strcspn(text, " ");
    size_t at = first;
    while (at > 0 && isdigit((unsigned char)text[at - 1]))
        at--;
    if (at < first && at >= 2 && text[at - 1] == ':') {
        site.location = text;
        site.location_length = first;
        site.line_at = at - 1;
        site.function += first + (text[first] == ' ');
    }
    const size_t length = strlen(site.function);
    const char *module = strrchr(site.function, '('), *plus;
    const bool has_module =
        length && site.function[length - 1] == ')' && module > site.function && module[-1] == ' ';
    site.function_length = has_module ? (size_t)(module - 1 - site.function) : length;
    plus = has_module ? strstr(site.function, "+0x") : NULL;
    if (plus && plus < module)
        site.offset_length = site.function_length - (size_t)(plus - site.function);
    site.last_name = last_name(site.function, site.function_length - site.offset_length);
    return site;
}

/* The forms of a site, from the longest to the shortest. Each form leaves out what those before it
 * do. */
enum form {
    FORM_NO_MODULE,
    FORM_FOLDED,
    FORM_NO_NAMESPACE,
    FORM_NO_OFFSET,
    FORM_NO_FILE,
    FORM_COUNT
};

static void append(struct syn_text *out, const char *from, const char *end)
{
    if (end > from)
        syn_text_append(out, from, (size_t)(end - from));
}

/* Returns the place after the bracket that closes the one at `from`. */
static const char *behind_bracket(const char *from, const char *end)
{
    int depth = 0;
    for (const char *at = from; at < end; at++) {
        depth += strchr("<({", *at) != NULL;
        depth -= strchr(">)}", *at) != NULL;
        if (depth == 0)
            return at + 1;
    }
    return end;
}

/* Returns the end of an operator's name at `from`, or `from` if there is none. The brackets in
 * "operator<", "operator->" and "operator()" belong to the name. */
static const char *behind_operator(const char *from, const char *end)
{
    static const char word[] = "operator";
    const size_t bytes = sizeof word - 1;
    if ((size_t)(end - from) <= bytes || strncmp(from, word, bytes) != 0)
        return from;
    const char *at = from + bytes;
    if (end - at >= 2 && strncmp(at, "()", 2) == 0)
        return at + 2;
    while (at < end && strchr("<>=-+*/%&|^!~", *at))
        at++;
    return at;
}

/* Appends a C++ function without its template arguments and parameters: "Grid<..>::exchange<..>",
 * "main::{lambda(..)#1}". */
static void append_folded(struct syn_text *out, const char *from, const char *end)
{
    static const char nameless[] = "(anonymous namespace)";
    const char *const begin = from;
    while (from < end) {
        const char *behind = behind_operator(from, end);
        if (behind > from) {
            append(out, from, behind);
        } else if (strncmp(from, nameless, sizeof nameless - 1) == 0) {
            behind = from + sizeof nameless - 1;
            append(out, from, behind);
        } else if (*from == '<' || (*from == '(' && from > begin && from[-1] != ' ')) {
            behind = behind_bracket(from, end);
            if (behind - from > 4)
                syn_text_format(out, "%c..%c", *from, *from == '<' ? '>' : ')');
            else
                append(out, from, behind);
        } else {
            behind = from + 1;
            append(out, from, behind);
        }
        from = behind;
    }
}

static void write_form(struct syn_text *out, const struct site *site, enum form form)
{
    const char *end = site->function + site->function_length;
    const bool has_function = end > site->function;
    if (site->location && (form < FORM_NO_FILE || !has_function)) {
        append(out, site->location, site->location + site->location_length);
        if (has_function)
            syn_text_char(out, ' ');
    }
    (form < FORM_FOLDED ? append : append_folded)(
        out, form < FORM_NO_NAMESPACE ? site->function : site->last_name,
        form < FORM_NO_OFFSET ? end : end - site->offset_length);
    if (site->location && form == FORM_NO_FILE && has_function)
        append(out, site->location + site->line_at, site->location + site->location_length);
}

void syn_unit_site(struct syn_text *text, const char *site, size_t width)
{
    if (syn_utf8_count(site) <= width) {
        syn_text_harmless(text, site);
        return;
    }
    const struct site parts = take_apart(site);
    SYN_CLEANUP(syn_text_free) struct syn_text shown = {0};
    for (int form = 0; form < FORM_COUNT; form++) {
        syn_text_clear(&shown);
        write_form(&shown, &parts, (enum form)form);
        if (syn_utf8_count(syn_text_chars(&shown)) <= width)
            break;
    }
    syn_unit_tail(text, syn_text_chars(&shown), width);
}

void syn_unit_place(struct syn_text *text, const char *site)
{
    const struct site parts = take_apart(site);
    const char *end = parts.function + strlen(parts.function);
    if (syn_utf8_count(site) <= SYN_PLACE_WIDTH) {
        syn_text_string(text, site);
        return;
    }
    append(text, site, parts.function);
    append_folded(text, parts.function, end);
}

size_t syn_unit_site_least(const char *site)
{
    const struct site parts = take_apart(site);
    SYN_CLEANUP(syn_text_free) struct syn_text shown = {0};
    write_form(&shown, &parts, FORM_NO_FILE);
    const size_t full = syn_utf8_count(site), least = syn_utf8_count(syn_text_chars(&shown));
    return syn_least(least, full);
}

const char *syn_unit_op(const char *op)
{
    return op && strncmp(op, "MPI_", 4) == 0 ? op + 4 : op ? op : "*";
}

void syn_unit_tight(char *cell)
{
    char *space = strchr(cell, ' ');
    if (space)
        memmove(space, space + 1, strlen(space));
}
