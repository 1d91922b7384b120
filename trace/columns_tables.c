/* trace/columns_tables.c - the tables before the columns: communicators, tuples, exceptions. */
#include "trace/columns_tables.h"

#include <stdlib.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/records.h"

/* Every table has at most one entry an event, and each entry takes bytes of the payload. */
bool syn_columns_take_counts(struct syn_take *take, struct syn_columns_tables *tables)
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

static bool reserve_tuples(struct syn_columns_tuples *tuples, size_t count)
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

int syn_columns_tables_reserve(struct syn_columns_tables *tables)
{
    tables->comms = malloc(tables->comm_count * sizeof *tables->comms);
    tables->next_sequence = malloc(tables->comm_count * sizeof *tables->next_sequence);
    bool tuples = reserve_tuples(&tables->tuples, tables->tuple_count);
    return tables->comms && tables->next_sequence && tuples ? SYN_OK : SYN_ENOMEM;
}

void syn_columns_tables_free(struct syn_columns_tables *tables)
{
    free(tables->comms);
    free(tables->next_sequence);
    free(tables->tuples.memory);
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

bool syn_columns_take_tables(struct syn_take *take, struct syn_columns_tables *tables)
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
    for (size_t i = 0; i < tables->tuple_count; i++) {
        uint32_t *stack = &tables->tuples.stack[i];
        if (*stack == SYN_NO_STACK || known->stack(known->ctx, *stack))
            continue;
        *stack = SYN_NO_STACK;
        *lost_stacks = true;
    }
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
        extended += tables->tuples.extended[syn_columns_index_at(index, width, i)];
    return extended == tables->extended_count;
}
