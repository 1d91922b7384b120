/* analyze/symbols/producers.h - the compilers named in an object, counted. */
#ifndef SYN_PRODUCERS_H
#define SYN_PRODUCERS_H

#include <stdbool.h>
#include <stddef.h>

#define SYN_PRODUCER_COUNT_MAX 16

/* Start with count = 0. */
struct syn_producers {
    size_t count;
    struct {
        const char *text; /* borrowed from the object */
        size_t uses;
    } items[SYN_PRODUCER_COUNT_MAX];
};

/* NULL, "" and assemblers (which come with start-up code, not with the program) are not counted. */
void syn_producers_add(struct syn_producers *producers, const char *text);

/* The three most used ones, most used first, joined by "; ". Returns whether there is any. */
bool syn_producers_join(const struct syn_producers *producers, char *out, size_t capacity);

#endif
