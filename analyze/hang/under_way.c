/* analyze/hang/under_way.c - see under_way.h. */
#include "analyze/hang/under_way.h"

#include <stdlib.h>

#include "sync/base/cleanup.h"
#include "sync/base/status.h"
#include "trace/base/event.h"
#include "trace/events/message.h"

/* RATIONALE: a limit, since each new call is compared with all before. */
#define MESSAGES_MOST 1024

/* State while one call is replaced by calls for its messages. */
struct spread {
    const struct syn_trace *trace;
    const struct syn_comms *comms;
    const struct syn_hang_call *call;
    struct syn_hang_model *model;
    size_t first;   /* the first of these calls in the model */
    bool is_unsure; /* the call may wait for a rank that is not known */
    bool any_unmet;
};

static bool is_same(const struct syn_hang_call *a, const struct syn_hang_call *b)
{
    return a->comm == b->comm && a->is_under_way == b->is_under_way && a->to.rank == b->to.rank &&
           a->to.tag == b->to.tag && a->from.rank == b->from.rank && a->from.tag == b->from.tag;
}

/* Adds the call for the e-th event, unless an equal one is there. */
static int add_message(struct spread *spread, const struct syn_event_columns *columns, size_t e,
                       const struct syn_message_mark *mark)
{
    struct syn_hang_model *model = spread->model;
    const int32_t rank = spread->call->rank;
    const struct syn_comm_record *record =
        syn_rank_comm(syn_trace_rank(spread->trace, rank), columns->comm[e]);
    const int32_t peer = columns->root[e];
    const bool is_named = record && record->remote_size == 0 && peer >= 0 && peer < record->size &&
                          record->world_ranks[peer] >= 0 &&
                          record->world_ranks[peer] < syn_trace_size(spread->trace);
    struct syn_hang_call call = *spread->call;
    spread->is_unsure |= !is_named || mark->channel == SYN_CHANNEL_AMBIGUOUS ||
                         (mark->channel == SYN_CHANNEL_UNMATCHED && mark->k == SYN_NO_NUMBER) ||
                         model->call_count - spread->first == MESSAGES_MOST;
    if (spread->is_unsure)
        return SYN_OK;
    call.inside = SYN_HANG_MESSAGE;
    call.comm = spread->comms->place[rank][columns->comm[e]].comm;
    call.is_under_way = mark->channel != SYN_CHANNEL_UNMATCHED;
    spread->any_unmet |= !call.is_under_way;
    *(columns->attributes[e] & SYN_MESSAGE_RECEIVE ? &call.from : &call.to) =
        (struct syn_hang_peer){record->world_ranks[peer], syn_message_tag(columns->sequence[e])};
    for (size_t i = spread->first; i < model->call_count; i++)
        if (is_same(&model->call[i], &call))
            return SYN_OK;
    return syn_hang_model_call(model, &call);
}

int syn_hang_add_messages(const struct syn_trace *trace, const struct syn_comms *comms,
                          const struct syn_message_numbers *numbers,
                          const struct syn_hang_call *call, struct syn_hang_model *model)
{
    struct spread spread = {
        .trace = trace, .comms = comms, .call = call, .model = model, .first = model->call_count};
    struct syn_rank_file *file = syn_trace_rank(trace, call->rank);
    struct syn_message_reader *reader;
    struct syn_event_columns columns;
    struct syn_cursor *cursor;
    if (!numbers->any || numbers->counts.missing_count > 0)
        return syn_hang_model_call(model, call);
    int status = syn_cursor_open(file, &cursor);
    if (status != SYN_OK)
        return status;
    reader = syn_message_reader_new(numbers, call->rank);
    status = reader ? SYN_OK : SYN_ENOMEM;
    for (size_t i = 0; status == SYN_OK && i < syn_rank_chunk_count(file); i++) {
        syn_cursor_seek(cursor, i);
        syn_message_reader_seek(reader, i);
        status = syn_cursor_next(cursor, &columns);
        spread.is_unsure |= status != SYN_OK; /* a damaged chunk may have held any message */
        if (status == SYN_OK) {
            SYN_FREED struct syn_message_mark *mark = malloc((columns.count + 1) * sizeof *mark);
            status = mark ? SYN_OK : SYN_ENOMEM;
            if (mark)
                syn_message_reader_next(reader, &columns, 0, columns.count, mark);
            for (size_t e = 0; status == SYN_OK && e < columns.count; e++)
                if (mark[e].channel != SYN_NO_CHANNEL && mark[e].channel != SYN_CHANNEL_CANCELLED &&
                    (columns.flags[e] & (SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED)) ==
                        SYN_EVENT_NO_COMPLETION)
                    status = add_message(&spread, &columns, e, &mark[e]);
        }
        status = status == SYN_ENOMEM ? status : SYN_OK;
    }
    syn_message_reader_free(reader);
    syn_cursor_close(cursor);
    if (status != SYN_OK || (spread.any_unmet && !spread.is_unsure))
        return status;
    model->call_count = spread.first;
    return syn_hang_model_call(model, call);
}
