/* analyze/print/csv.c - fields of CSV as RFC 4180 has them. */
#include "analyze/print/csv.h"

#include <string.h>

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
    struct syn_text inert = {0};
    if (!value[0] || !strchr("=+-@", value[0])) {
        append_value(text, value);
        return;
    }
    syn_text_char(&inert, '\'');
    syn_text_string(&inert, value);
    append_value(text, syn_text_chars(&inert));
    text->failed |= inert.failed;
    syn_text_free(&inert);
}
