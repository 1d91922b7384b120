/* sync/ranks/classes.h - groups ranks that are alike, by a key that each has, at rank 0, which
 * answers each class.
 *
 * On the way up a message says of each class in its subtree which ranks it has
 * (sync/ranks/rank_set.h), on the way down what rank 0 answers the classes of that subtree. So what
 * a rank sends, receives and keeps grows with the classes in its subtree, and not with the ranks;
 * only rank 0 sees all classes. 2 (p - 1) messages, and as many again where they are long, on
 * ceil(log64 p) levels each way. */
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
    uint64_t value; /* of its lowest rank */
    struct syn_rank_set ranks;
};

struct syn_classes {      /* {0}: none */
    struct syn_class *of; /* [count], owned, as are the sets */
    size_t count, capacity;
    struct syn_index index; /* by key */
};

/* Room for what rank 0 answers: `common` to all ranks, of[i] to those of class i. */
struct syn_class_answers {
    struct syn_bytes common;
    struct syn_bytes *of; /* [class count] */
};

/* Fill in the answers, on rank 0 alone. Returns 0, or why nobody gets one (sync/base/status.h). */
typedef int syn_class_answer(const struct syn_classes *classes, struct syn_class_answers *answers,
                             void *ctx);

/* All ranks of the transport call. `answer` is called on rank 0, with its own ctx, once everybody
 * has been heard. What it says arrives in *told, which is empty before and the caller's afterwards:
 * take the window *common, then *own, of this rank's class. Returns 0, SYN_ENOMEM (where rank 0
 * could not answer, or memory or a message failed on the way: then not on every rank alike) or
 * SYN_ETRANSPORT. */
int syn_classes_exchange(const struct syn_transport *transport, const struct syn_class *self,
                         syn_class_answer *answer, void *ctx, struct syn_bytes *told,
                         struct syn_take *common, struct syn_take *own);

#endif
