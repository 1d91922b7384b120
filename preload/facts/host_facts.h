/* preload/facts/host_facts.h - facts that are equal for all ranks of a machine. The machine's first
 * rank reads them and sends them to the others. */
#ifndef SYN_HOST_FACTS_H
#define SYN_HOST_FACTS_H

#include "preload/facts/nodes.h"
#include "sync/base/bytes.h"
#include "sync/ranks/transport.h"

struct syn_host_facts;

/* Reads the facts of this machine; the caller frees them by syn_host_facts_free. Returns NULL
 * without memory. Takes some milliseconds, more on a busy machine. */
struct syn_host_facts *syn_host_facts_read(void);
/* Appends the facts to a message. */
void syn_host_facts_put(const struct syn_host_facts *facts, struct syn_bytes *out);
/* Reads facts from a message. Returns NULL if the message is invalid, or without memory. */
struct syn_host_facts *syn_host_facts_take(struct syn_take *take);
/* Sends the facts of the node's first member to all members. All members call this together. `own`:
 * the facts that the first member has read already; NULL: it reads them now; on other members NULL.
 * Takes ownership of `own`. Returns NULL after an error of a message or without memory. */
struct syn_host_facts *syn_host_facts_share(const struct syn_node_ranks *node,
                                            const struct syn_transport *transport,
                                            struct syn_host_facts *own);
/* Emits the factors of the host (factors.h) and this rank's place in the machine (topology.h). */
void syn_host_facts_emit(const struct syn_host_facts *facts,
                         int (*emit)(void *ctx, const char *key, const char *value), void *ctx);
void syn_host_facts_free(struct syn_host_facts *facts);

#endif
