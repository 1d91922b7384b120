/* preload/facts/host_facts.h - facts that are equal for all ranks of a machine: read once, by the
 * first of them, and handed on. */
#ifndef SYN_HOST_FACTS_H
#define SYN_HOST_FACTS_H

#include "preload/facts/nodes.h"
#include "sync/base/bytes.h"
#include "sync/ranks/transport.h"

struct syn_host_facts;

/* Reads the facts of this machine; NULL without memory. Some milliseconds, more on a busy one. */
struct syn_host_facts *syn_host_facts_read(void);
/* As part of a message. */
void syn_host_facts_put(const struct syn_host_facts *facts, struct syn_bytes *out);
/* NULL where the message does not hold any, or without memory. */
struct syn_host_facts *syn_host_facts_take(struct syn_take *take);
/* All members of the node call; `own` is what the first has read already, or NULL: then it does.
 * Consumes `own`. NULL where a message or memory failed. */
struct syn_host_facts *syn_host_facts_share(const struct syn_node_ranks *node,
                                            const struct syn_transport *transport,
                                            struct syn_host_facts *own);
/* The factors of this rank's host (factors.h) and its place in the machine (topology.h). */
void syn_host_facts_emit(const struct syn_host_facts *facts,
                         int (*emit)(void *ctx, const char *key, const char *value), void *ctx);
void syn_host_facts_free(struct syn_host_facts *facts);

#endif
