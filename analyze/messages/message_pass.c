/* analyze/messages/message_pass.c - adds halves and their calls to the sums of messages.
 *
 * A half is a send or a receive. It meets its other half in pairing.c. A call that completes halves
 * is settled once all of them have met: its waiting goes to the half that was due last, the rest of
 * its time to the transfer, each in the half's row of the table. A part settles the calls of its
 * slice. Calls that also need other slices are paired and settled in `between`, when the parts are
 * absorbed. At the end of the run the rest is settled as it is. */
#include "analyze/messages/message_pass.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/compare.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

/* ---- clock bounds ---- */

static void free_bounds(const struct syn_message_pass *messages,
                        struct syn_message_pass_bounds *bounds)
{
    for (int32_t r = 0; bounds && r < messages->numbers->rank_count; r++)
        syn_bounds_free(&bounds->of[r]);
    free(bounds);
}

static struct syn_message_pass_bounds *new_bounds(const struct syn_message_pass *messages)
{
    const size_t count = (size_t)messages->numbers->rank_count;
    struct syn_message_pass_bounds *bounds =
        calloc(1, sizeof *bounds + count * sizeof bounds->of[0]);
    int status = bounds ? SYN_OK : SYN_ENOMEM;
    for (size_t r = 0; r < count && status == SYN_OK; r++) {
        const struct syn_rank_file *file = syn_trace_rank(messages->trace, (int32_t)r);
        status = file ? syn_bounds_init(&bounds->of[r], file) : SYN_OK;
    }
    if (status == SYN_OK)
        return bounds;
    free_bounds(messages, bounds);
    return NULL;
}

/* Returns a list entry that no other thread uses, or NULL if out of memory. */
static struct syn_message_pass_bounds *borrow_bounds(struct syn_message_pass *messages)
{
    pthread_mutex_lock(&messages->lock);
    struct syn_message_pass_bounds *bounds = messages->bounds;
    if (bounds)
        messages->bounds = bounds->next;
    pthread_mutex_unlock(&messages->lock);
    return bounds ? bounds : new_bounds(messages);
}

static void return_bounds(struct syn_message_pass *messages, struct syn_message_pass_bounds *bounds)
{
    pthread_mutex_lock(&messages->lock);
    bounds->next = messages->bounds;
    messages->bounds = bounds;
    pthread_mutex_unlock(&messages->lock);
}

/* Returns the clock bound of the difference between the start of the half's completing call and the
 * start of its other half, in ns. */
static int64_t bound_of(struct syn_message_pass_bounds *bounds, int32_t rank,
                        const struct syn_half *half)
{
    return syn_message_bound_ns(&bounds->of[rank], half->times.wait_ns,
                                &bounds->of[half->other_rank], half->other_start_ns);
}

/* ---- a call that completes halves ---- */

/* The half that a call waited for. */
struct verdict {
    uint32_t half; /* half that was due last; SYN_NO_HALF: none has met its other half */
    struct syn_due_half due;
    int64_t bound_ns;
};

static int64_t due_of(const struct syn_half *half, bool is_alone)
{
    return half->receives
               ? syn_receive_due_ns(half->times.end_ns, half->other_start_ns)
               : syn_send_due_ns(half->times.end_ns, is_alone, half->lasts, half->other_start_ns);
}

/* Returns the half whose row gets the time of a call in which no half has met its other half: the
 * half that started last. */
static uint32_t posted_last(const struct syn_pairing *pairing,
                            const struct syn_completing_call *call)
{
    uint32_t last = call->first;
    for (uint32_t h = last; h != SYN_NO_HALF; h = pairing->half[h].next_of_call) {
        const struct syn_half *half = &pairing->half[h], *than = &pairing->half[last];
        if (half->times.start_ns > than->times.start_ns ||
            (half->times.start_ns == than->times.start_ns && half->receives > than->receives))
            last = h;
    }
    return last;
}

/* Adds the h-th half of the pairing to its row and channel, except the waiting of its call. Notes
 * in *verdict if the half is due later than those before. */
static int add_half(struct syn_message_pass *messages, const struct syn_pairing *pairing,
                    struct syn_message_table *table, uint32_t h,
                    struct syn_message_pass_bounds *bounds, struct verdict *verdict)
{
    const struct syn_half *half = &pairing->half[h];
    const struct syn_completing_call *call = &pairing->call[half->call];
    struct syn_message_row *row = &table->row[half->row];
    row->count++;
    row->met_count += half->is_met;
    row->ambiguous_count += half->channel == SYN_CHANNEL_AMBIGUOUS;
    row->cancelled_count += half->channel == SYN_CHANNEL_CANCELLED;
    row->unmatched_count +=
        half->channel == SYN_CHANNEL_UNMATCHED || (syn_half_meets(half) && !half->is_met);
    if (half->channel != SYN_CHANNEL_CANCELLED)
        row->bytes += half->bytes;
    if (!half->is_met)
        return SYN_OK;
    struct syn_channel_sums *channel = &messages->channel[half->channel];
    const int64_t bound_ns = bound_of(bounds, pairing->location[call->location].rank, half);
    if (half->receives) {
        atomic_fetch_add_explicit(&channel->count, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&channel->bytes, half->bytes, memory_order_relaxed);
    }
    row->bound_ns = syn_largest(row->bound_ns, bound_ns);
    if (!half->is_completed)
        return SYN_OK;
    const struct syn_due_half due = {due_of(half, call->count == 1),
                                     (uint64_t)half->channel << 32 | half->k, half->receives};
    if (verdict->half == SYN_NO_HALF || syn_half_comes_later(&due, &verdict->due))
        *verdict = (struct verdict){h, due, bound_ns};
    const int64_t waiting_ns = syn_due_waiting_ns(half->times.wait_ns, due.due_ns, bound_ns);
    struct syn_store *store = table == &messages->table ? messages->store : NULL;
    return syn_column_append(&row->transfer, store,
                             half->times.end_ns - half->times.wait_ns - waiting_ns);
}

/* Adds a call's halves, its waiting and the rest of its time. A nonblocking half also adds the time
 * of the call that started it. */
static int settle_call(struct syn_message_pass *messages, struct syn_pairing *pairing,
                       uint32_t number, struct syn_message_table *table,
                       struct syn_message_pass_bounds *bounds)
{
    const struct syn_completing_call *call = &pairing->call[number];
    struct verdict verdict = {.half = SYN_NO_HALF};
    struct syn_message_times *times = &messages->rank[pairing->location[call->location].rank];
    int64_t inside_ns = 0, started_ns = 0;
    int status = SYN_OK;
    for (uint32_t h = call->first; h != SYN_NO_HALF && status == SYN_OK;
         h = pairing->half[h].next_of_call) {
        const struct syn_half *half = &pairing->half[h];
        const bool is_blocking =
            half->times.start_ns == half->times.wait_ns && half->call_end_ns == half->times.end_ns;
        const int64_t start_ns = is_blocking ? 0 : half->call_end_ns - half->times.start_ns;
        if (half->is_completed)
            inside_ns = half->times.end_ns - half->times.wait_ns;
        table->row[half->row].transfer_ns += start_ns;
        started_ns += start_ns;
        status = add_half(messages, pairing, table, h, bounds, &verdict);
    }
    const uint32_t owner = verdict.half != SYN_NO_HALF ? verdict.half : posted_last(pairing, call);
    const struct syn_half *half = &pairing->half[owner];
    const int64_t waiting_ns =
        verdict.half != SYN_NO_HALF
            ? syn_due_waiting_ns(half->times.wait_ns, verdict.due.due_ns, verdict.bound_ns)
            : 0;
    struct syn_message_row *row = &table->row[half->row];
    row->waiting_ns += waiting_ns;
    row->transfer_ns += inside_ns - waiting_ns;
    atomic_fetch_add_explicit(&times->transfer_ns, (uint64_t)(started_ns + inside_ns - waiting_ns),
                              memory_order_relaxed);
    if (waiting_ns > 0 && status == SYN_OK) {
        atomic_fetch_add_explicit(half->receives ? &times->late_sender_ns
                                                 : &times->late_receiver_ns,
                                  (uint64_t)waiting_ns, memory_order_relaxed);
        struct syn_channel_sums *channel = &messages->channel[half->channel];
        atomic_fetch_add_explicit(half->receives ? &channel->late_sender_ns
                                                 : &channel->late_receiver_ns,
                                  (uint64_t)waiting_ns, memory_order_relaxed);
        status = syn_message_late_add(
            table, &(struct syn_message_late){half->row, half->other_rank, waiting_ns});
    }
    return status;
}

/* ---- a slice ---- */

/* Least number of calls that have newly met before a part settles calls again. */
#define MET_LEAST 128

void syn_message_pass_part_begin(struct syn_message_pass_part *part,
                                 struct syn_message_pass *messages)
{
    part->of = messages;
}

uint32_t syn_message_pass_part_kind(struct syn_message_pass_part *part,
                                    const struct syn_attributes *attributes,
                                    const struct syn_comm_place *place)
{
    const uint64_t bytes = attributes->bytes & SYN_PAYLOAD_BYTES_MASK;
    const struct syn_message_key key = {.op = attributes->op,
                                        .site = attributes->site,
                                        .size = (uint8_t)(bytes ? 64 - __builtin_clzll(bytes) : 0),
                                        .receives =
                                            (attributes->elements & SYN_MESSAGE_RECEIVE) != 0};
    const uint32_t row = syn_message_row(&part->table, &key);
    if (row != SYN_NO_MESSAGE_ROW && place->comm != SYN_NO_COMM && attributes->root >= 0)
        syn_message_pattern_add(&part->table.row[row].pattern, (int32_t)place->member,
                                attributes->root, place->comm_size);
    return row;
}

/* Prefetches what later calls of the list of met ones need, as a loop comes to the i-th. Halves of
 * a call mostly lie side by side, the newest last. */
static void fetch_met(const struct syn_pairing *pairing, size_t i)
{
    enum { CALL_AHEAD = 8, HALVES_AHEAD = 4, HALVES_MOST = 4 };
    if (i + CALL_AHEAD >= pairing->met_count)
        return;
    SYN_FETCH(&pairing->call[pairing->met[i + CALL_AHEAD]]);
    const struct syn_completing_call *call = &pairing->call[pairing->met[i + HALVES_AHEAD]];
    const uint32_t count = syn_least(call->count, HALVES_MOST);
    if (count > 0 && call->first != SYN_NO_HALF && call->first + 1 >= count)
        syn_fetch(&pairing->half[call->first + 1 - count], count * sizeof *pairing->half);
}

/* Settles the calls that are over, except a location's first call: that may have halves in the
 * slice before. */
int syn_message_pass_part_settle(struct syn_message_pass_part *part)
{
    struct syn_pairing *pairing = &part->pairing;
    size_t kept = 0;
    if (pairing->met_count == 0)
        return SYN_OK;
    struct syn_message_pass_bounds *bounds = borrow_bounds(part->of);
    int status = bounds ? SYN_OK : SYN_ENOMEM;
    for (size_t i = 0; i < pairing->met_count && status == SYN_OK; i++) {
        const uint32_t number = pairing->met[i];
        struct syn_completing_call *call = &pairing->call[number];
        fetch_met(pairing, i);
        call->is_listed = call->unmet_count == 0;
        if (syn_call_is_over(pairing, call) &&
            call->wait_ns > pairing->location[call->location].earliest_ns) {
            status = settle_call(part->of, pairing, number, &part->table, bounds);
            syn_pairing_remove(pairing, number);
        } else if (call->is_listed) {
            pairing->met[kept++] = number;
        }
    }
    pairing->met_count = part->kept_count = kept;
    if (bounds)
        return_bounds(part->of, bounds);
    return status;
}

int syn_message_pass_part_add(struct syn_message_pass_part *part,
                              const struct syn_match_batch *batch)
{
    uint32_t location = SYN_NO_HALF, number;
    int status = SYN_OK;
    for (size_t i = batch->first; batch->mark && i < batch->end && status == SYN_OK; i++) {
        if (batch->mark[i - batch->first].channel == SYN_NO_CHANNEL ||
            batch->message_note[i - batch->first] == SYN_NO_NOTE)
            continue;
        if (location == SYN_NO_HALF) {
            location = syn_pairing_location(&part->pairing, batch->rank, batch->columns->thread);
            if (location == SYN_NO_HALF)
                return SYN_ENOMEM;
        }
        syn_pairing_fetch(&part->pairing, &batch->mark[i - batch->first], batch->end - i);
        const struct syn_event_columns *columns = batch->columns;
        const bool own = columns->flags != NULL;
        const size_t at = own ? i : columns->tuple[i];
        const uint16_t bits = own ? columns->attributes[i] : columns->of_tuple.attributes[at];
        const struct syn_message_mark mark = batch->mark[i - batch->first];
        struct syn_half half = {
            .times = {columns->start_ns[i], columns->wait_start_ns[i], columns->end_ns[i]},
            .call_end_ns = columns->call_end_ns[i],
            .bytes = own ? columns->bytes[i] : columns->of_tuple.bytes[at],
            .channel = mark.channel,
            .k = mark.k,
            .row = batch->message_note[i - batch->first],
            .receives = (bits & SYN_MESSAGE_RECEIVE) != 0,
            .is_posted = (bits & SYN_MESSAGE_POSTED) != 0,
            .is_completed = !(syn_event_flags_at(columns, i) & SYN_EVENT_NO_COMPLETION)};
        half.lasts = syn_send_lasts(bits, half.bytes);
        if (!half.is_completed)
            half.times.wait_ns = half.times.end_ns = half.call_end_ns;
        status = syn_pairing_add(&part->pairing, location, &half, &number);
    }
    if (status == SYN_OK && part->pairing.met_count > 2 * part->kept_count + MET_LEAST)
        status = syn_message_pass_part_settle(part);
    return status;
}

void syn_message_pass_part_free(struct syn_message_pass_part *part)
{
    syn_pairing_free(&part->pairing);
    syn_message_table_free(&part->table);
}

/* ---- between slices ---- */

static int settle_between(struct syn_message_pass *messages, uint32_t call,
                          struct syn_message_pass_bounds *bounds)
{
    const int status = settle_call(messages, &messages->between, call, &messages->table, bounds);
    syn_pairing_remove(&messages->between, call);
    return status;
}

int syn_message_pass_absorb(struct syn_message_pass *messages, struct syn_message_pass_part *part)
{
    struct syn_pairing *from = &part->pairing, *between = &messages->between;
    int status = syn_message_table_add(&messages->table, &part->table, messages->store);
    for (uint32_t c = 0; c < from->call_count && status == SYN_OK; c++) {
        if (!from->call[c].is_used)
            continue;
        const struct syn_posting_thread *of = &from->location[from->call[c].location];
        const uint32_t location = syn_pairing_location(between, of->rank, of->thread);
        if (location == SYN_NO_HALF)
            return SYN_ENOMEM;
        for (uint32_t h = from->call[c].first; h != SYN_NO_HALF && status == SYN_OK;
             h = from->half[h].next_of_call) {
            uint32_t number;
            struct syn_half half = from->half[h];
            half.row = syn_message_row(&messages->table, &part->table.row[half.row].key);
            status = half.row == SYN_NO_MESSAGE_ROW
                         ? SYN_ENOMEM
                         : syn_pairing_add(between, location, &half, &number);
        }
    }
    for (size_t i = 0; i < from->location_count && status == SYN_OK; i++) {
        const struct syn_posting_thread *of = &from->location[i];
        const uint32_t location = syn_pairing_location(between, of->rank, of->thread);
        if (location == SYN_NO_HALF)
            return SYN_ENOMEM;
        between->location[location].posted_ns =
            syn_largest(between->location[location].posted_ns, of->posted_ns);
    }
    struct syn_message_pass_bounds *bounds =
        status == SYN_OK && between->used_calls > 0 ? borrow_bounds(messages) : NULL;
    for (uint32_t c = 0; bounds && c < between->call_count && status == SYN_OK; c++)
        if (syn_call_is_over(between, &between->call[c]))
            status = settle_between(messages, c, bounds);
    if (bounds)
        return_bounds(messages, bounds);
    return status;
}

/* ---- a run ---- */

int syn_message_pass_begin(struct syn_message_pass *messages, const struct syn_trace *trace,
                           const struct syn_message_numbers *numbers, struct syn_store *store)
{
    *messages = (struct syn_message_pass){.trace = trace,
                                          .numbers = numbers,
                                          .store = store,
                                          .recorded = numbers->recorded,
                                          .counts = numbers->counts};
    pthread_mutex_init(&messages->lock, NULL);
    if (!numbers->any)
        return SYN_OK;
    messages->rank = calloc((size_t)numbers->rank_count + 1, sizeof *messages->rank);
    messages->channel = calloc(numbers->channel_count + 1, sizeof *messages->channel);
    return messages->rank && messages->channel ? SYN_OK : SYN_ENOMEM;
}

SYN_ORDER(by_ranks, struct syn_message_pair, SYN_UP(source) ?: SYN_UP(destination))

static int list_pairs(struct syn_message_pass *messages)
{
    const struct syn_message_numbers *numbers = messages->numbers;
    struct syn_message_pair *pair = calloc(numbers->channel_count + 1, sizeof *pair);
    size_t count = 0;
    if (!pair)
        return SYN_ENOMEM;
    for (size_t c = 0; c < numbers->channel_count; c++) {
        const struct syn_channel_sums *sums = &messages->channel[c];
        pair[c] = (struct syn_message_pair){numbers->channel[c].source,
                                            numbers->channel[c].destination,
                                            sums->count,
                                            sums->bytes,
                                            (int64_t)sums->late_sender_ns,
                                            (int64_t)sums->late_receiver_ns};
    }
    qsort(pair, numbers->channel_count, sizeof *pair, by_ranks);
    for (size_t c = 0; c < numbers->channel_count; c++) {
        if (count > 0 && by_ranks(&pair[count - 1], &pair[c]) == 0) {
            pair[count - 1].count += pair[c].count;
            pair[count - 1].bytes += pair[c].bytes;
            pair[count - 1].late_sender_ns += pair[c].late_sender_ns;
            pair[count - 1].late_receiver_ns += pair[c].late_receiver_ns;
        } else {
            pair[count++] = pair[c];
        }
    }
    messages->pair = pair;
    messages->pair_count = count;
    return SYN_OK;
}

int syn_message_pass_end(struct syn_message_pass *messages)
{
    struct syn_pairing *between = &messages->between;
    struct syn_message_pass_bounds *bounds =
        between->used_calls > 0 ? borrow_bounds(messages) : NULL;
    int status = between->used_calls > 0 && !bounds ? SYN_ENOMEM : SYN_OK;
    for (uint32_t c = 0; c < between->call_count && status == SYN_OK; c++)
        if (between->call[c].is_used)
            status = settle_between(messages, c, bounds);
    if (bounds)
        return_bounds(messages, bounds);
    syn_pairing_free(between);
    while ((bounds = messages->bounds)) {
        messages->bounds = bounds->next;
        free_bounds(messages, bounds);
    }
    struct syn_message_sums *sums = &messages->sums;
    for (size_t i = 0; i < messages->table.row_count; i++) {
        const struct syn_message_row *row = &messages->table.row[i];
        sums->count += row->key.receives ? row->count - row->cancelled_count : 0;
        sums->bytes += row->key.receives ? row->bytes : 0;
        sums->unmatched += row->unmatched_count;
        sums->ambiguous += row->ambiguous_count;
        sums->cancelled += row->cancelled_count;
        *(row->key.receives ? &sums->late_sender_ns : &sums->late_receiver_ns) += row->waiting_ns;
        sums->transfer_ns += row->transfer_ns;
    }
    SYN_STEP(status, list_pairs(messages));
    free(messages->channel);
    messages->channel = NULL;
    messages->trace = NULL;
    return status;
}

void syn_message_pass_free(struct syn_message_pass *messages)
{
    for (struct syn_message_pass_bounds *bounds; (bounds = messages->bounds);) {
        messages->bounds = bounds->next;
        free_bounds(messages, bounds);
    }
    syn_pairing_free(&messages->between);
    syn_message_table_free(&messages->table);
    free(messages->rank);
    free(messages->channel);
    free(messages->pair);
    memset(messages, 0, sizeof *messages);
}
