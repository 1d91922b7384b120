/* sync/base/chains.c - see chains.h. The table has as many lists as elements, so lists stay
 * short. */
#include "sync/base/chains.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

int syn_chains_begin(struct syn_chains *chains, size_t head_count)
{
    *chains = (struct syn_chains){.head_count = head_count};
    chains->head = calloc(head_count, sizeof(struct syn_chained *));
    return chains->head ? SYN_OK : SYN_ENOMEM;
}

void syn_chains_free(struct syn_chains *chains)
{
    free(chains->head);
    *chains = (struct syn_chains){0};
}

void syn_chains_clear(struct syn_chains *chains)
{
    memset(chains->head, 0, chains->head_count * sizeof(struct syn_chained *));
    chains->count = 0;
}

static void put_first(struct syn_chains *chains, struct syn_chained *element)
{
    struct syn_chained **head = &chains->head[element->hash & (chains->head_count - 1)];
    element->next = *head;
    *head = element;
}

static int grow(struct syn_chains *chains)
{
    struct syn_chains grown;
    if (syn_chains_begin(&grown, 2 * chains->head_count) != SYN_OK)
        return SYN_ENOMEM;
    for (size_t i = 0; i < chains->head_count; i++) {
        for (struct syn_chained *element = chains->head[i], *next; element; element = next) {
            next = element->next;
            put_first(&grown, element);
        }
    }
    grown.count = chains->count;
    free(chains->head);
    *chains = grown;
    return SYN_OK;
}

int syn_chains_add(struct syn_chains *chains, struct syn_chained *element, uint64_t hash)
{
    if (chains->count >= chains->head_count && grow(chains) != SYN_OK)
        return SYN_ENOMEM;
    element->hash = hash;
    put_first(chains, element);
    chains->count++;
    return SYN_OK;
}

void syn_chains_remove(struct syn_chains *chains, struct syn_chained *element)
{
    struct syn_chained **link = &chains->head[element->hash & (chains->head_count - 1)];
    while (*link != element)
        link = &(*link)->next;
    *link = element->next;
    chains->count--;
}

struct syn_chained *syn_chains_next(const struct syn_chains *chains,
                                    const struct syn_chained *element)
{
    size_t at = element ? (element->hash & (chains->head_count - 1)) + 1 : 0;
    if (element && element->next)
        return element->next;
    while (at < chains->head_count && !chains->head[at])
        at++;
    return at < chains->head_count ? chains->head[at] : NULL;
}
