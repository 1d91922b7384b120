/* analyze/messages/message_pass.c - adds halves and the calls that complete them to the sums of
 * messages. The waiting of a call goes to the half that was due last, the rest of its time to the
 * transfer, each in the half's row of the table. */
#include "analyze/messages/message_pass.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- a part ---- */

static void add(_Atomic uint64_t *sum, uint64_t value)
{
    atomic_fetch_add_explicit(sum, value, memory_order_relaxed);
}

int syn_message_add_kind(struct syn_message_part *part, uint32_t row,
                         const struct syn_attributes *attributes,
                         const struct syn_comm_place *place)
{
    if (syn_message_rows(&part->table, (size_t)row + 1))
        return SYN_ENOMEM;
    part->table.row[row].key = syn_message_key_of(attributes);
    if (place->comm != SYN_NO_COMM && attributes->root >= 0)
        syn_message_pattern_add(&part->table.row[row].pattern, (int32_t)place->member,
                                attributes->root, place->comm_size);
    return SYN_OK;
}

void syn_message_add_half(struct syn_message_part *part, const struct syn_half *half,
                          uint32_t channel, int64_t starting_ns)
{
    struct syn_message_row *row = &part->table.row[half->row];
    row->count++;
    row->ambiguous_count += channel == SYN_CHANNEL_AMBIGUOUS;
    row->cancelled_count += channel == SYN_CHANNEL_CANCELLED;
    row->unmatched_count += channel == SYN_CHANNEL_UNMATCHED;
    if (channel == SYN_CHANNEL_AMBIGUOUS || channel == SYN_CHANNEL_UNMATCHED)
        row->bytes += half->bytes;
    row->transfer_ns += starting_ns;
    add(&part->of->rank[half->rank].transfer_ns, (uint64_t)starting_ns);
}

void syn_message_add_met(struct syn_message_part *part, const struct syn_half half[2],
                         uint32_t channel, const int64_t bound_ns[2])
{
    for (int h = 0; h < 2; h++) {
        struct syn_message_row *row = &part->table.row[half[h].row];
        row->bytes += half[half[h].is_posted ? !h : h].bytes;
        row->bound_ns = syn_largest(row->bound_ns, bound_ns[h]);
    }
    add(&part->of->channel[channel].count, 1);
    add(&part->of->channel[channel].bytes, half[half[1].is_posted ? 0 : 1].bytes);
}

void syn_message_add_unmet(struct syn_message_part *part, const struct syn_half *half)
{
    part->table.row[half->row].unmatched_count++;
    part->table.row[half->row].bytes += half->bytes;
}

int syn_message_add_transfer(struct syn_message_part *part, uint32_t row, int64_t ns)
{
    return syn_column_append(&part->table.row[row].transfer, NULL, ns);
}

int syn_message_add_call(struct syn_message_part *part, const struct syn_completing_call *call)
{
    struct syn_message_row *row = &part->table.row[call->row];
    struct syn_message_times *times = &part->of->rank[call->rank];
    row->waiting_ns += call->waiting_ns;
    row->transfer_ns += call->inside_ns - call->waiting_ns;
    add(&times->transfer_ns, (uint64_t)(call->inside_ns - call->waiting_ns));
    if (call->waiting_ns == 0)
        return SYN_OK;
    struct syn_channel_sums *channel = &part->of->channel[call->channel];
    const uint64_t waiting_ns = (uint64_t)call->waiting_ns;
    add(call->receives ? &times->late_sender_ns : &times->late_receiver_ns, waiting_ns);
    add(call->receives ? &channel->late_sender_ns : &channel->late_receiver_ns, waiting_ns);
    return syn_message_late_add(
        &part->table, &(struct syn_message_late){call->row, call->late, call->waiting_ns});
}

/* ---- a run ---- */

int syn_message_pass_begin(struct syn_message_pass *messages,
                           const struct syn_message_numbers *numbers, struct syn_store *store)
{
    *messages = (struct syn_message_pass){.numbers = numbers,
                                          .store = store,
                                          .recorded = numbers->recorded,
                                          .counts = numbers->counts};
    if (!numbers->any)
        return SYN_OK;
    messages->rank = calloc((size_t)numbers->rank_count + 1, sizeof *messages->rank);
    messages->channel = calloc(numbers->channel_count + 1, sizeof *messages->channel);
    return messages->rank && messages->channel ? SYN_OK : SYN_ENOMEM;
}

int syn_message_pass_absorb(struct syn_message_part *part)
{
    return part->of ? syn_message_table_add(&part->of->table, &part->table, part->of->store)
                    : SYN_OK;
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
    const int status = list_pairs(messages);
    free(messages->channel);
    messages->channel = NULL;
    return status;
}

void syn_message_pass_free(struct syn_message_pass *messages)
{
    syn_message_table_free(&messages->table);
    free(messages->rank);
    free(messages->channel);
    free(messages->pair);
    memset(messages, 0, sizeof *messages);
}
