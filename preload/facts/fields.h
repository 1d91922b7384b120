/* preload/facts/fields.h - helpers for facts: reads lines "name: value", as the kernel and
 * /etc/os-release write them, and passes keys and values to a callback. */
#ifndef SYN_FACTS_FIELDS_H
#define SYN_FACTS_FIELDS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer values are cut. */
#define SYN_FACTOR_VALUE_BYTES 4096

/* The receiver of facts. */
struct syn_fact_sink {
    int (*emit)(void *ctx, const char *key, const char *value);
    void *ctx;
    bool stopped; /* emit returned nonzero: it is not called again */
};

/* Emits a fact unless its value is empty. */
static inline void syn_put_fact(struct syn_fact_sink *sink, const char *key, const char *value)
{
    if (!sink->stopped && value[0] != '\0')
        sink->stopped = sink->emit(sink->ctx, key, value) != 0;
}

/* Emits a fact with a formatted value. */
__attribute__((format(printf, 3, 4))) static inline void
syn_put_fact_format(struct syn_fact_sink *sink, const char *key, const char *format, ...)
{
    char value[SYN_FACTOR_VALUE_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(value, sizeof value, format, arguments);
    va_end(arguments);
    syn_put_fact(sink, key, value);
}

/* Finds the first line "NAME<blanks>SEPARATOR VALUE" in `text` and copies the value to out
 * [capacity]. Returns false if there is none. */
static inline bool syn_find_field(const char *text, const char *name, char separator, char *out,
                                  size_t capacity)
{
    size_t name_bytes = strlen(name);
    for (const char *line = text; line && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncmp(line, name, name_bytes) == 0) {
            const char *value = line + name_bytes;
            value += strspn(value, " \t");
            if (*value == separator) {
                value += 1 + strspn(value + 1, " \t");
                snprintf(out, capacity, "%.*s", (int)strcspn(value, "\n"), value);
                return true;
            }
        }
        line = end ? end + 1 : NULL;
    }
    return false;
}

#endif
