/* preload/host_facts.h - what is the same for all ranks of a machine: read once, by the first of
 * them, and handed on. */
#ifndef SYN_HOST_FACTS_H
#define SYN_HOST_FACTS_H

#include "../sync/transport.h"
#include "nodes.h"

struct syn_host_facts;

/* All members of the node call. NULL where a message or memory failed. */
struct syn_host_facts *syn_host_facts_share(const struct syn_node *node,
                                            const struct syn_transport *transport);
/* The factors of this rank's host (factors.h) and its place in the machine (topology.h). */
void syn_host_facts_emit(const struct syn_host_facts *facts,
                         int (*emit)(void *ctx, const char *key, const char *value), void *ctx);
void syn_host_facts_free(struct syn_host_facts *facts);

#endif
