/* analyze/causes/sums/tables.c - numbers points, kinds of events and labels. */
#include "analyze/causes/sums/tables.h"

#include <string.h>

#include "analyze/match/groups/groups.h"
#include "analyze/messages/table.h"
#include "analyze/messages/waiting.h"
#include "sync/base/status.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

int syn_cause_tables_begin(struct syn_cause_tables *tables, unsigned keys)
{
    static const struct syn_cause_point outside = {
        .site = SYN_NO_NAME, .phase = SYN_NO_NAME, .comm = SYN_NO_NAME, .op = UINT32_MAX};
    tables->keys = keys;
    pthread_mutex_init(&tables->lock, NULL);
    syn_numbering_begin(&tables->points, sizeof(struct syn_cause_point));
    syn_numbering_begin(&tables->kinds, sizeof(struct syn_event_kind));
    syn_numbering_begin(&tables->labels, sizeof(struct syn_label));
    syn_numbering_begin(&tables->rows, sizeof(struct syn_message_key));
    return syn_numbering_of(&tables->points, &outside) == SYN_POINT_OUTSIDE ? 0 : SYN_ENOMEM;
}

void syn_cause_tables_free(struct syn_cause_tables *tables)
{
    pthread_mutex_destroy(&tables->lock);
    syn_numbering_free(&tables->points);
    syn_numbering_free(&tables->kinds);
    syn_numbering_free(&tables->labels);
    syn_numbering_free(&tables->rows);
}

uint32_t syn_label_of(struct syn_cause_tables *tables, uint32_t from, uint32_t to)
{
    const bool has_one_end = tables->keys && to != SYN_POINT_INSIDE;
    const struct syn_label label = {has_one_end ? SYN_POINT_OUTSIDE : from, to};
    pthread_mutex_lock(&tables->lock);
    const uint32_t number = syn_numbering_of(&tables->labels, &label);
    pthread_mutex_unlock(&tables->lock);
    return number;
}

/* ---- kinds ---- */

/* Returns whether one call both posts and completes a message. */
static bool is_blocking_message(const struct syn_attributes *attributes)
{
    switch (attributes->op) {
    case SYN_CALL_Send:
    case SYN_CALL_Bsend:
    case SYN_CALL_Ssend:
    case SYN_CALL_Rsend:
    case SYN_CALL_Recv:
    case SYN_CALL_Sendrecv:
    case SYN_CALL_Sendrecv_replace:
    case SYN_CALL_Mrecv:
        return !(attributes->elements & (SYN_MESSAGE_PERSISTENT | SYN_MESSAGE_PARTITIONED));
    default:
        return false;
    }
}

/* Returns a kind without its points. A root is a rank of the communicator. It is left out if some
 * ranks of the communicator were not recorded, because members are numbered differently then. */
static struct syn_event_kind kind_of(const struct syn_cause_plan *plan,
                                     const struct syn_attributes *attributes,
                                     const struct syn_comm_place *place)
{
    struct syn_event_kind kind;
    memset(&kind, 0, sizeof kind);
    kind.op = attributes->op;
    kind.is_completed = !(attributes->flags & SYN_EVENT_NO_COMPLETION);
    kind.comm = SYN_NO_COMM;
    kind.root = -1;
    if (syn_is_message(attributes->op)) {
        kind.message = SYN_KIND_MESSAGE;
        if (attributes->elements & SYN_MESSAGE_RECEIVE)
            kind.message |= SYN_KIND_RECEIVE;
        else if (syn_send_lasts(attributes->elements, attributes->bytes))
            kind.message |= SYN_KIND_LASTS;
        if (attributes->elements & SYN_MESSAGE_POSTED)
            kind.message |= SYN_KIND_POSTED;
        return kind;
    }
    kind.comm = place->comm;
    kind.is_blocking = attributes->op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    if (place->comm != SYN_NO_COMM) {
        const struct syn_communicator *comm = &plan->comms->comm[place->comm];
        kind.root = comm->intercomm || comm->size != comm->full_size ? -1 : attributes->root;
    }
    return kind;
}

uint32_t syn_event_kind_of(struct syn_cause_tables *tables, const struct syn_cause_plan *plan,
                           const struct syn_attributes *attributes,
                           const struct syn_comm_place *place)
{
    struct syn_event_kind kind = kind_of(plan, attributes, place);
    const unsigned keys = tables->keys;
    struct syn_cause_point point = {.site = SYN_NO_NAME, .phase = SYN_NO_NAME, .comm = SYN_NO_NAME};
    if (!keys || keys & SYN_BY(SYN_KEY_SITE))
        point.site = attributes->site;
    if (!keys || keys & SYN_BY(SYN_KEY_PHASE))
        point.phase = attributes->phase;
    if (!keys || keys & SYN_BY(SYN_KEY_OP))
        point.op = attributes->op;
    if (keys & SYN_BY(SYN_KEY_COMM) && place->comm != SYN_NO_COMM)
        point.comm = plan->comms->comm[place->comm].family;
    if (keys & SYN_BY(SYN_KEY_BYTES))
        point.bytes =
            syn_op_flags(attributes->op) & SYN_OPF_VARIABLE ? SYN_BYTES_DIFFER : attributes->bytes;
    if (keys & SYN_BY(SYN_KEY_ROOT))
        point.root = attributes->root;
    const struct syn_message_key key = syn_message_key_of(attributes);
    uint32_t number = SYN_NO_NUMBER;
    pthread_mutex_lock(&tables->lock);
    if (kind.message)
        kind.row = syn_numbering_of(&tables->rows, &key);
    kind.point = kind.completion_point = syn_numbering_of(&tables->points, &point);
    point.is_completion = true;
    if (!kind.is_blocking && !(kind.message && is_blocking_message(attributes)))
        kind.completion_point = syn_numbering_of(&tables->points, &point);
    if (kind.point != SYN_NO_NUMBER && kind.completion_point != SYN_NO_NUMBER &&
        kind.row != SYN_NO_NUMBER)
        number = syn_numbering_of(&tables->kinds, &kind);
    pthread_mutex_unlock(&tables->lock);
    return number;
}
