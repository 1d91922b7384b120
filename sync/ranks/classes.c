/* sync/ranks/classes.c - see classes.h. A rank that meets an error still sends all its messages,
 * marked as empty, so that no rank waits for ever. */
#include "sync/ranks/classes.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "sync/ranks/collect_tree.h"

/* Classes of a child, in the order of its message, by their numbers in this rank's table. */
struct child {
    int rank;
    uint32_t *numbers; /* [count], owned */
    size_t count, capacity;
};

struct exchange {
    const struct syn_transport *transport;
    struct syn_classes classes; /* of this subtree; number 0 is this rank's own class */
    struct child *children;     /* [child_count] by rank, owned */
    size_t child_count, child_capacity;
    struct syn_take *answers; /* [classes.count] pointing into the message, owned */
    int status;               /* first error, or 0 */
};

static void fail(struct exchange *exchange, int status)
{
    if (exchange->status == SYN_OK)
        exchange->status = status;
}

/* ---- messages: a head with the length and the first bytes, then the rest if there is more ---- */

struct head {
    uint64_t bytes; /* 0: the sender, or a rank in its subtree, has failed */
    uint8_t data[56];
};

static void send_message(struct exchange *exchange, int peer, const struct syn_bytes *message)
{
    const struct syn_transport *transport = exchange->transport;
    const size_t bytes = exchange->status == SYN_OK && !message->failed ? message->count : 0;
    struct head head = {.bytes = bytes};
    const size_t first = bytes < sizeof head.data ? bytes : sizeof head.data;

    if (message->failed)
        fail(exchange, SYN_ENOMEM);
    if (bytes > 0)
        memcpy(head.data, message->data, first);
    if (transport->send(transport->ctx, peer, &head, sizeof head) != SYN_OK ||
        (bytes > first &&
         transport->send(transport->ctx, peer, message->data + first, bytes - first) != SYN_OK))
        fail(exchange, SYN_ETRANSPORT);
}

static void receive_message(struct exchange *exchange, int peer, struct syn_bytes *message)
{
    const struct syn_transport *transport = exchange->transport;
    struct head head = {0};

    if (transport->recv(transport->ctx, peer, &head, sizeof head) != SYN_OK) {
        fail(exchange, SYN_ETRANSPORT);
        return;
    }
    const size_t first = head.bytes < sizeof head.data ? head.bytes : sizeof head.data;
    if (head.bytes == 0 || !syn_bytes_reserve(message, head.bytes)) {
        fail(exchange, SYN_ENOMEM);
        return;
    }
    memcpy(message->data, head.data, first);
    message->count = head.bytes;
    if (head.bytes > first &&
        transport->recv(transport->ctx, peer, message->data + first, head.bytes - first) != SYN_OK)
        fail(exchange, SYN_ETRANSPORT);
}

/* ---- table of classes ---- */

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct syn_classes *classes = owner;

    return memcmp(classes->of[number].key, key, sizeof classes->of->key) == 0;
}

static uint64_t hash_of_class(const void *owner, uint32_t number)
{
    const struct syn_classes *classes = owner;

    return syn_hash64(classes->of[number].key, sizeof classes->of->key);
}

/* Adds a class, or ranks to a known class; they are above the known ones. Returns its number, or -1
 * without memory. */
static int64_t add_class(struct syn_classes *classes, const struct syn_class *more)
{
    if (syn_index_make_room(&classes->index, classes->count, hash_of_class, classes) ||
        SYN_ROOM(classes->of, classes->capacity, classes->count))
        return -1;
    uint32_t *slot = syn_index_slot(&classes->index, syn_hash64(more->key, sizeof more->key),
                                    has_key, classes, more->key);
    if (*slot == 0) {
        classes->of[classes->count] = *more;
        classes->of[classes->count].ranks = (struct syn_rank_set){0};
        *slot = (uint32_t)++classes->count;
    }
    return syn_rank_set_append(&classes->of[*slot - 1].ranks, &more->ranks) ? -1
                                                                            : (int64_t)*slot - 1;
}

/* ---- up ---- */

static void receive_classes(struct exchange *exchange, int rank)
{
    struct syn_bytes message = {0};
    struct child *child;

    receive_message(exchange, rank, &message);
    if (SYN_ROOM(exchange->children, exchange->child_capacity, exchange->child_count)) {
        fail(exchange, SYN_ENOMEM);
    } else if (exchange->status == SYN_OK) {
        struct syn_take take = syn_take_from(message.data, message.count);
        const uint64_t count = syn_take_bounded(&take, (uint64_t)exchange->transport->size);
        child = &exchange->children[exchange->child_count++];
        *child = (struct child){.rank = rank};
        if (count == 0)
            fail(exchange, SYN_ETRANSPORT);
        for (uint64_t i = 0; i < count && exchange->status == SYN_OK; i++) {
            struct syn_class more = {0};
            int64_t number = -1;

            for (int word = 0; word < SYN_CLASS_WORDS; word++)
                more.key[word] = syn_take_u64(&take);
            more.value = syn_take_u64(&take);
            syn_rank_set_take(&more.ranks, exchange->transport->size, &take);
            if (!take.failed)
                number = add_class(&exchange->classes, &more);
            syn_rank_set_free(&more.ranks);
            if (number < 0 || SYN_ROOM(child->numbers, child->capacity, child->count))
                fail(exchange, SYN_ENOMEM); /* or the message is damaged */
            else
                child->numbers[child->count++] = (uint32_t)number;
        }
    }
    syn_bytes_free(&message);
}

static void gather(struct exchange *exchange, const struct syn_class *self)
{
    const struct syn_transport *transport = exchange->transport;
    const int limit = syn_collect_child_limit(transport);
    struct syn_bytes message = {0};
    size_t subtree_count;

    struct syn_class own = *self;

    own.ranks = (struct syn_rank_set){0};
    if (syn_rank_set_add(&own.ranks, transport->rank) || add_class(&exchange->classes, &own) != 0)
        fail(exchange, SYN_ENOMEM);
    syn_rank_set_free(&own.ranks);
    for (int number = 0; number < limit; number++) {
        const struct syn_collect_child child = syn_collect_child(transport, number);
        if (child.rank >= 0)
            receive_classes(exchange, child.rank);
    }
    if (transport->rank == 0)
        return;
    const struct syn_classes *classes = &exchange->classes;
    syn_bytes_put_varint(&message, classes->count);
    for (size_t i = 0; i < classes->count; i++) {
        for (int word = 0; word < SYN_CLASS_WORDS; word++)
            syn_bytes_put_u64(&message, classes->of[i].key[word]);
        syn_bytes_put_u64(&message, classes->of[i].value);
        syn_rank_set_put(&classes->of[i].ranks, &message);
    }
    send_message(exchange, syn_collect_parent(transport, &subtree_count), &message);
    syn_bytes_free(&message);
}

/* ---- down: the common answer, then those to the receiver's classes in its order, each after its
 * length ---- */

static void put_window(struct syn_bytes *out, const void *data, size_t bytes)
{
    syn_bytes_put_varint(out, bytes);
    syn_bytes_put(out, data, bytes);
}

static struct syn_take take_window(struct syn_take *take)
{
    const size_t bytes = syn_take_bounded(take, syn_take_left(take));
    const uint8_t *data = syn_take_bytes(take, bytes);

    return syn_take_from(data, data ? bytes : 0);
}

/* Sends all children their answers; an empty message to those whose classes were not received. */
static void send_all_answers(struct exchange *exchange, struct syn_take common)
{
    size_t left = exchange->child_count;

    for (int number = syn_collect_child_limit(exchange->transport) - 1; number >= 0; number--) {
        const struct syn_collect_child node = syn_collect_child(exchange->transport, number);
        const struct child unknown = {.rank = node.rank};
        if (node.rank < 0)
            continue;
        const bool is_known = left > 0 && exchange->children[left - 1].rank == node.rank;
        const struct child *child = is_known ? &exchange->children[--left] : &unknown;
        struct syn_bytes message = {0};

        put_window(&message, common.at, syn_take_left(&common));
        for (size_t i = 0; exchange->status == SYN_OK && i < child->count; i++) {
            const struct syn_take *answer = &exchange->answers[child->numbers[i]];
            put_window(&message, answer->at, syn_take_left(answer));
        }
        send_message(exchange, child->rank, &message);
        syn_bytes_free(&message);
    }
}

int syn_classes_exchange(const struct syn_transport *transport, const struct syn_class *self,
                         syn_class_answer *answer, void *ctx, struct syn_bytes *message,
                         struct syn_take *common, struct syn_take *own)
{
    struct exchange exchange = {.transport = transport};
    size_t subtree_count;

    *common = *own = syn_take_from(NULL, 0);
    gather(&exchange, self);
    if (transport->rank == 0) {
        /* Make rank 0's answers, in the form of a message to itself. */
        const size_t count = exchange.classes.count;
        struct syn_class_answers answers = {.of = calloc(count + 1, sizeof *answers.of)};

        if (exchange.status == SYN_OK)
            fail(&exchange, answers.of ? answer(&exchange.classes, &answers, ctx) : SYN_ENOMEM);
        put_window(message, answers.common.data, answers.common.count);
        message->failed |= answers.common.failed;
        for (size_t i = 0; answers.of && i < count; i++) {
            put_window(message, answers.of[i].data, answers.of[i].count);
            message->failed |= answers.of[i].failed;
            syn_bytes_free(&answers.of[i]);
        }
        syn_bytes_free(&answers.common);
        free(answers.of);
    } else
        receive_message(&exchange, syn_collect_parent(transport, &subtree_count), message);
    if (exchange.status == SYN_OK) {
        struct syn_take take = syn_take_from(message->data, message->count);

        *common = take_window(&take);
        exchange.answers = calloc(exchange.classes.count + 1, sizeof *exchange.answers);
        for (size_t i = 0; exchange.answers && i < exchange.classes.count; i++)
            exchange.answers[i] = take_window(&take);
        if (!exchange.answers || take.failed || message->failed)
            fail(&exchange, SYN_ENOMEM);
    }
    send_all_answers(&exchange, *common);
    if (exchange.status == SYN_OK)
        *own = exchange.answers[0];
    for (size_t i = 0; i < exchange.child_count; i++)
        free(exchange.children[i].numbers);
    free(exchange.children);
    free(exchange.answers);
    struct syn_classes *classes = &exchange.classes;
    for (size_t i = 0; i < classes->count; i++)
        syn_rank_set_free(&classes->of[i].ranks);
    free(classes->of);
    syn_index_free(&classes->index);
    return exchange.status;
}
