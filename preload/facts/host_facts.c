/* preload/facts/host_facts.c - see host_facts.h. */
#include "preload/facts/host_facts.h"

#include <stdlib.h>
#include <string.h>

#include "preload/facts/factors.h"
#include "preload/facts/topology.h"
#include "sync/base/status.h"

/* Room for keys and values, each with a final NUL. They take about 1.5 kB. */
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

struct syn_host_facts *syn_host_facts_read(void)
{
    struct syn_host_facts *facts = calloc(1, sizeof *facts);
    if (!facts)
        return NULL;
    syn_machine_read(&facts->machine);
    syn_factors_of_host(append, facts);
    return facts;
}

/* ---- messages: they contain only the used part of the arrays ---- */

void syn_host_facts_put(const struct syn_host_facts *facts, struct syn_bytes *out)
{
    const size_t machine_bytes = syn_machine_bytes(&facts->machine);
    syn_bytes_put_varint(out, machine_bytes);
    syn_bytes_put(out, &facts->machine, machine_bytes);
    syn_bytes_put_varint(out, facts->text_bytes);
    syn_bytes_put(out, facts->text, facts->text_bytes);
}

struct syn_host_facts *syn_host_facts_take(struct syn_take *take)
{
    struct syn_host_facts *facts = calloc(1, sizeof *facts);
    const size_t machine_bytes = syn_take_bounded(take, sizeof facts->machine);
    const uint8_t *machine = syn_take_bytes(take, machine_bytes);
    const size_t text_bytes = syn_take_bounded(take, sizeof facts->text);
    const uint8_t *text = syn_take_bytes(take, text_bytes);
    if (facts && machine && text) {
        memcpy(&facts->machine, machine, machine_bytes);
        memcpy(facts->text, text, text_bytes);
        facts->text_bytes = (uint32_t)text_bytes;
        return facts;
    }
    free(facts);
    return NULL;
}

/* Sends the first member's message to all members of the node. */
static int broadcast(const struct syn_node_ranks *node, const struct syn_transport *transport,
                     struct syn_bytes *message)
{
    uint64_t bytes = message->failed ? 0 : message->count;
    int status = syn_node_broadcast(node, transport, &bytes, sizeof bytes);
    if (status != SYN_OK || bytes == 0)
        return status != SYN_OK ? status : SYN_ENOMEM;
    if (node->member_index > 0 && !syn_bytes_reserve(message, bytes))
        return SYN_ENOMEM;
    message->count = bytes;
    return syn_node_broadcast(node, transport, message->data, bytes);
}

struct syn_host_facts *syn_host_facts_share(const struct syn_node_ranks *node,
                                            const struct syn_transport *transport,
                                            struct syn_host_facts *own)
{
    struct syn_bytes message = {0};
    if (node->member_index == 0) {
        own = own ? own : syn_host_facts_read();
        if (own)
            syn_host_facts_put(own, &message);
        broadcast(node, transport, &message);
    } else if (!broadcast(node, transport, &message)) {
        struct syn_take take = syn_take_from(message.data, message.count);
        own = syn_host_facts_take(&take);
    }
    syn_bytes_free(&message);
    return own;
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
