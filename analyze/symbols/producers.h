/* analyze/symbols/producers.h - counts the compilers that an object names. */
#ifndef SYN_PRODUCERS_H
#define SYN_PRODUCERS_H

#include <stdbool.h>
#include <stddef.h>

#define SYN_PRODUCER_COUNT_MAX 16

/* Compilers and how often each was named. {0} is empty. */
struct syn_producers {
    size_t count;
    struct {
        const char *text; /* borrowed from the object */
        size_t uses;
    } items[SYN_PRODUCER_COUNT_MAX];
};

/* Counts a name. NULL, "" and assemblers do not count: those come with the start-up code, not with
 * the program. */
void syn_producers_add(struct syn_producers *producers, const char *text);

/* Writes the three most frequent names, the most frequent first, joined by "; ". Returns whether
 * there are any. */
bool syn_producers_join(const struct syn_producers *producers, char *out, size_t capacity);

#endif
