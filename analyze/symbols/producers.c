/* analyze/symbols/producers.c - counts the compilers that an object names. */
#include "analyze/symbols/producers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JOINED_COUNT_MAX 3

void syn_producers_add(struct syn_producers *producers, const char *text)
{
    if (!text || text[0] == '\0' || strncmp(text, "GNU AS", 6) == 0)
        return;
    for (size_t i = 0; i < producers->count; i++)
        if (strcmp(producers->items[i].text, text) == 0) {
            producers->items[i].uses++;
            return;
        }
    if (producers->count == SYN_PRODUCER_COUNT_MAX)
        return;
    producers->items[producers->count].text = text;
    producers->items[producers->count].uses = 1;
    producers->count++;
}

/* Returns the index of the most frequent name that is not in `taken`, the first of several;
 * `count`: all are taken. */
static size_t next_most_used(const struct syn_producers *producers, uint32_t taken)
{
    size_t best = producers->count;
    for (size_t i = 0; i < producers->count; i++)
        if ((taken >> i & 1) == 0 &&
            (best == producers->count || producers->items[i].uses > producers->items[best].uses))
            best = i;
    return best;
}

bool syn_producers_join(const struct syn_producers *producers, char *out, size_t capacity)
{
    uint32_t taken = 0;
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < JOINED_COUNT_MAX && used < capacity; i++) {
        size_t best = next_most_used(producers, taken);
        if (best == producers->count)
            break;
        taken |= UINT32_C(1) << best;
        used += (size_t)snprintf(out + used, capacity - used, "%s%s", i > 0 ? "; " : "",
                                 producers->items[best].text);
    }
    return producers->count > 0;
}
