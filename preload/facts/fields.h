/* preload/facts/fields.h - lines "name: value", as the kernel and /etc/os-release write them. */
#ifndef SYN_FACTS_FIELDS_H
#define SYN_FACTS_FIELDS_H

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The value of "name<blanks>separator value" in text, cut at the end of the line, into out. */
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
