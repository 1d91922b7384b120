/* sync/ranks/classes.h - groups ranks into classes by a key. Rank 0 sees all classes and sends each
 * an answer.
 *
 * Messages go up a tree to rank 0 and down again. Up, a message has the classes of a subtree and
 * the ranks in each (rank_set.h); down, the answers to these classes. So messages and memory of a
 * rank grow with the number of classes in its subtree, not with the number of ranks. 2 (p - 1)
 * messages (twice as many if they are long) on ceil(log64 p) levels each way. */
#ifndef SYN_CLASSES_H
#define SYN_CLASSES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"
#include "sync/base/index.h"
#include "sync/ranks/rank_set.h"
#include "sync/ranks/transport.h"

#define SYN_CLASS_WORDS 4

struct syn_class {
    uint64_t key[SYN_CLASS_WORDS];
    uint64_t value; /* value of its lowest rank */
    struct syn_rank_set ranks;
};

struct syn_classes {      /* {0}: none */
    struct syn_class *of; /* [count], owned, with their sets */
    size_t count, capacity;
    struct syn_index index; /* by key */
};

/* Rank 0's answers: `common` to all ranks, of[i] to those of class i. */
struct syn_class_answers {
    struct syn_bytes common;
    struct syn_bytes *of; /* [class count] */
};

/* Fills the answers; called on rank 0. Returns 0, or a status (sync/base/status.h): then no rank
 * gets an answer. */
typedef int syn_class_answer(const struct syn_classes *classes, struct syn_class_answers *answers,
                             void *ctx);

/* Called by all ranks of the transport. Rank 0 calls answer(classes, answers, ctx) when it has all
 * classes. *message, empty before, holds the received answers and is owned by the caller; *common
 * and *own (this rank's class) point into it. Returns 0, SYN_ETRANSPORT, or SYN_ENOMEM: rank 0
 * could not answer, or memory or a message failed on the way. Statuses may differ between ranks. */
int syn_classes_exchange(const struct syn_transport *transport, const struct syn_class *self,
                         syn_class_answer *answer, void *ctx, struct syn_bytes *message,
                         struct syn_take *common, struct syn_take *own);

#endif
