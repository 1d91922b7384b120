/* analyze/print/units.c - numbers for people: three figures and a unit. */
#include "analyze/print/units.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/text.h"

/* Three significant digits without an exponent: 9.995 must become "10.0", not "9.99" or "10.00". */
static int decimals(double value)
{
    double size = fabs(value);
    return size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
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
    size_t i = 0;
    while (fabs(ns) >= units[i].below)
        i++;
    double value = ns / units[i].unit_ns;
    int digits = i == 0 && value == floor(value) ? 0 : decimals(value);
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

const char *syn_unit_share(char *buffer, double share)
{
    if (!isfinite(share))
        snprintf(buffer, SYN_UNIT_BYTES, "-");
    else if (share > 0 && share < 0.0005)
        snprintf(buffer, SYN_UNIT_BYTES, "<0.1 %%");
    else
        snprintf(buffer, SYN_UNIT_BYTES, "%.1f %%", share * 100);
    return buffer;
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

/* Skip `count` characters of UTF-8. */
static const char *skip(const char *string, size_t count)
{
    size_t left = strlen(string);
    for (; count > 0 && left > 0; count--) {
        size_t length = syn_utf8_length(string, left);
        length = length ? length : 1;
        string += length;
        left -= length;
    }
    return string;
}

void syn_unit_tail(struct syn_text *text, const char *name, size_t width)
{
    size_t count = syn_utf8_count(name);
    if (count > width && width > 2) {
        syn_text_string(text, "..");
        name = skip(name, count - (width - 2));
    }
    syn_text_harmless(text, name);
}

/* The length of "file:line" at the start of a site; 0 where it has another form. */
static size_t location_length(const char *site)
{
    const char *space = strchr(site, ' ');
    size_t length = space ? (size_t)(space - site) : strlen(site);
    size_t digits = 0;
    while (digits < length && isdigit((unsigned char)site[length - 1 - digits]))
        digits++;
    bool has_line = digits > 0 && digits < length && site[length - 1 - digits] == ':';
    return has_line ? length : 0;
}

/* The length of "function+0x1f" before " (module)" at the end of a site; all of it in another form.
 */
static size_t function_length(const char *site)
{
    size_t length = strlen(site);
    const char *module = strrchr(site, '(');
    if (length == 0 || site[length - 1] != ')' || !module || module == site || module[-1] != ' ')
        return length;
    return (size_t)(module - 1 - site);
}

/* The end of the first `length` bytes of a site. */
static void head_tail(struct syn_text *text, const char *site, size_t length, size_t width)
{
    char head[300];
    if (length >= sizeof head) {
        syn_unit_tail(text, site, width);
        return;
    }
    memcpy(head, site, length);
    head[length] = '\0';
    syn_unit_tail(text, head, width);
}

void syn_unit_site(struct syn_text *text, const char *site, size_t width)
{
    size_t location = location_length(site);
    if (syn_utf8_count(site) <= width) {
        syn_unit_tail(text, site, width);
        return;
    }
    if (location == 0) { /* the module is the first to go: the function says more */
        head_tail(text, site, function_length(site), width);
        return;
    }
    head_tail(text, site, location, width);
    /* a function's name of less than four characters says nothing */
    if (location + 1 + 6 <= width) {
        syn_text_char(text, ' ');
        syn_unit_tail(text, site + location + 1, width - location - 1);
    }
}
