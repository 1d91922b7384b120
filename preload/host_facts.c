/* preload/host_facts.c - see host_facts.h. */
#include "host_facts.h"

#include <stdlib.h>
#include <string.h>

#include "factors.h"
#include "topology.h"

/* Keys and values, each ended by a NUL; about 1.5 kB. */
#define TEXT_BYTES_MAX 16384

struct syn_host_facts {
    struct syn_machine machine;
    uint32_t text_bytes;
    char text[TEXT_BYTES_MAX];
};

static int append(void *ctx, const char *key, const char *value)
{
    struct syn_host_facts *facts = ctx;
    const size_t key_bytes = strlen(key) + 1, value_bytes = strlen(value) + 1;
    if (facts->text_bytes + key_bytes + value_bytes > sizeof facts->text)
        return 1;
    memcpy(facts->text + facts->text_bytes, key, key_bytes);
    memcpy(facts->text + facts->text_bytes + key_bytes, value, value_bytes);
    facts->text_bytes += (uint32_t)(key_bytes + value_bytes);
    return 0;
}

static void read_facts(struct syn_host_facts *facts)
{
    syn_machine_read(&facts->machine);
    syn_factors_of_host(append, facts);
}

/* Only as much as there is of either. Returns 0 or negative; *facts is then of no use. */
static int share(const struct syn_node *node, const struct syn_transport *transport,
                 struct syn_host_facts *facts)
{
    uint32_t bytes[2] = {(uint32_t)syn_machine_bytes(&facts->machine), facts->text_bytes};
    int status = syn_node_broadcast(node, transport, bytes, sizeof bytes);
    if (!status)
        status = syn_node_broadcast(node, transport, &facts->machine, bytes[0]);
    if (!status)
        status = syn_node_broadcast(node, transport, facts->text, bytes[1]);
    facts->text_bytes = bytes[1];
    return status;
}

struct syn_host_facts *syn_host_facts_share(const struct syn_node *node,
                                            const struct syn_transport *transport)
{
    static struct syn_host_facts room; /* the others wait for us, with memory or without */
    struct syn_host_facts *facts = calloc(1, sizeof *facts);
    if (facts && node->member_index == 0)
        read_facts(facts);
    if (!share(node, transport, facts ? facts : &room))
        return facts;
    free(facts);
    return NULL;
}

void syn_host_facts_emit(const struct syn_host_facts *facts,
                         int (*emit)(void *ctx, const char *key, const char *value), void *ctx)
{
    for (size_t at = 0; at < facts->text_bytes;) {
        const char *key = facts->text + at;
        const char *value = key + strlen(key) + 1;
        at += strlen(key) + strlen(value) + 2;
        if (emit(ctx, key, value))
            return;
    }
    syn_topology_collect(&facts->machine, emit, ctx);
}

void syn_host_facts_free(struct syn_host_facts *facts)
{
    free(facts);
}
