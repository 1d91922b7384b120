/* trace/columns_tables.c - a payload in its parts: communicators, tuples, exceptions, and what lies
 * behind them. */
#include "trace/columns_tables.h"

#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/records.h"

/* Every table has at most one entry an event, and each entry takes bytes of the payload. */
static bool take_counts(struct syn_take *take, struct syn_columns_tables *tables)
{
    tables->comm_count = syn_take_bounded(take, tables->event_count);
    tables->tuple_count = syn_take_bounded(take, tables->event_count);
    tables->exception_count = syn_take_bounded(take, tables->event_count);
    tables->extended_count = syn_take_bounded(take, tables->event_count);
    tables->base = syn_take_zigzag(take);
    for (int i = 0; i < 4; i++)
        tables->units[i] = syn_take_varint(take);
    return !take->failed && tables->comm_count > 0 && tables->tuple_count > 0;
}

bool syn_columns_tuples_reserve(struct syn_columns_tuples *tuples, size_t count)
{
    tuples->memory = malloc(count * (8 + 4 * 4 + 2 * 2 + 1));
    if (!tuples->memory)
        return false;
    tuples->bytes = tuples->memory;
    tuples->comm_use = (uint32_t *)(tuples->bytes + count);
    tuples->comm = tuples->comm_use + count;
    tuples->stack = tuples->comm + count;
    tuples->root = tuples->stack + count;
    tuples->op = (uint16_t *)(tuples->root + count);
    tuples->flags = tuples->op + count;
    tuples->extended = (uint8_t *)(tuples->flags + count);
    return true;
}

static int reserve_tables(struct syn_columns_tables *tables)
{
    tables->comms = malloc(tables->comm_count * sizeof *tables->comms);
    tables->next_sequence = malloc(tables->comm_count * sizeof *tables->next_sequence);
    bool tuples = syn_columns_tuples_reserve(&tables->tuples, tables->tuple_count);
    return tables->comms && tables->next_sequence && tuples ? SYN_OK : SYN_ENOMEM;
}

void syn_columns_payload_free(struct syn_columns_payload *payload)
{
    free(payload->tables.comms);
    free(payload->tables.next_sequence);
    free(payload->tables.tuples.memory);
    free(payload->own_index);
}

static void take_tuple(struct syn_take *take, const struct syn_columns_tables *tables, size_t i)
{
    const struct syn_columns_tuples *tuples = &tables->tuples;
    tuples->op[i] = (uint16_t)syn_take_bounded(take, UINT16_MAX);
    uint32_t flags = (uint32_t)syn_take_bounded(take, 2 * UINT16_MAX + 1);
    tuples->flags[i] = (uint16_t)(flags >> 1);
    tuples->extended[i] = flags & 1;
    tuples->comm_use[i] = (uint32_t)syn_take_bounded(take, tables->comm_count - 1);
    tuples->comm[i] = tables->comms[tuples->comm_use[i]];
    tuples->stack[i] = (uint32_t)syn_take_bounded(take, UINT32_MAX) - 1;
    tuples->root[i] = (uint32_t)syn_take_int32(take);
    tuples->bytes[i] = syn_take_varint(take);
}

static bool take_tables(struct syn_take *take, struct syn_columns_tables *tables)
{
    for (size_t i = 0; i < tables->comm_count; i++) {
        tables->comms[i] = (uint32_t)syn_take_bounded(take, UINT32_MAX);
        tables->next_sequence[i] = syn_take_varint(take);
    }
    for (size_t i = 0; i < tables->tuple_count; i++)
        take_tuple(take, tables, i);
    return !take->failed;
}

bool syn_columns_check_known(struct syn_columns_tables *tables,
                             const struct syn_columns_known *known, bool *lost_stacks)
{
    *lost_stacks = false;
    for (size_t i = 0; i < tables->comm_count; i++)
        if (!known->comm(known->ctx, tables->comms[i]))
            return false;
    *lost_stacks = known->lose_stacks(known->ctx, tables->tuples.stack, tables->tuple_count);
    return true;
}

/* Each compared as it is: the ints that the largest of two is would not become vectors. */
static bool all_below(const uint8_t *index, size_t width, size_t count, size_t limit)
{
    if (limit == 0)
        return false;
    const uint8_t most = (uint8_t)syn_least(limit - 1, UINT8_MAX);
    const uint16_t most_wide = (uint16_t)syn_least(limit - 1, UINT16_MAX);
    uint8_t beyond = 0;
    uint16_t beyond_wide = 0;
    for (size_t i = 0; width == 1 && i < count; i++)
        beyond |= index[i] > most;
    for (size_t i = 0; width == 2 && i < count; i++)
        beyond_wide |= syn_load16(index + 2 * i) > most_wide;
    return (beyond | beyond_wide) == 0;
}

void syn_columns_index(const struct syn_columns_payload *payload, size_t first, size_t count,
                       uint16_t *restrict out)
{
    const size_t width = payload->index_width;
    const uint8_t *restrict from = payload->index + width * first;
    for (size_t i = 0; width == 0 && i < count; i++)
        out[i] = 0;
    for (size_t i = 0; width == 1 && i < count; i++)
        out[i] = from[i];
    for (size_t i = 0; width == 2 && i < count; i++)
        out[i] = syn_load16(from + 2 * i);
}

/* Which tuple event i has; the index column has 0, 1 or 2 bytes an event. */
static size_t index_at(const uint8_t *index, size_t width, size_t i)
{
    return width == 0 ? 0 : width == 1 ? index[i] : syn_load16(index + 2 * i);
}

bool syn_columns_check_index(const struct syn_columns_tables *tables, const uint8_t *index,
                             size_t width)
{
    bool any_extended = false;
    size_t extended = 0;
    if (!all_below(index, width, tables->event_count, tables->tuple_count))
        return false;
    for (size_t i = 0; i < tables->tuple_count; i++)
        any_extended |= tables->tuples.extended[i];
    for (size_t i = 0; any_extended && i < tables->event_count; i++)
        extended += tables->tuples.extended[index_at(index, width, i)];
    return extended == tables->extended_count;
}

/* Where the exceptions end is known only after reading them. */
static struct syn_take take_exceptions(struct syn_take *take, size_t count)
{
    struct syn_take exceptions = *take;
    for (size_t i = 0; i < 2 * count && !take->failed; i++)
        syn_take_varint(take);
    exceptions.end = take->at;
    return exceptions;
}

int syn_columns_find(const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_columns_payload *out, const char **why)
{
    struct syn_take take = syn_take_from(raw, raw_bytes);
    struct syn_columns_tables *tables = &out->tables;
    *out = (struct syn_columns_payload){.tables = {.event_count = event_count}};
    *why = "counts";
    if (event_count == 0 || !take_counts(&take, tables))
        return SYN_EDAMAGED;
    if (reserve_tables(tables) != SYN_OK)
        return SYN_ENOMEM;
    *why = "tables";
    if (!take_tables(&take, tables))
        return SYN_EDAMAGED;
    out->exceptions = take_exceptions(&take, tables->exception_count);
    *why = "tuple index";
    out->index_width = syn_columns_index_width(tables->tuple_count);
    out->index = syn_take_bytes(&take, out->index_width * event_count);
    out->times = take;
    return out->index && syn_columns_check_index(tables, out->index, out->index_width)
               ? SYN_OK
               : SYN_EDAMAGED;
}
