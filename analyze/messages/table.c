/* analyze/messages/table.c - adds to rows. */
#include "analyze/messages/table.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

static const struct syn_message_row no_messages = {.pattern = {.own = -1, .peer = -1}};

int syn_message_rows(struct syn_message_table *table, size_t count)
{
    while (table->row_count < count) {
        if (SYN_ROOM(table->row, table->row_capacity, table->row_count))
            return SYN_ENOMEM;
        table->row[table->row_count++] = no_messages;
    }
    return SYN_OK;
}

/* ---- patterns ---- */

static void add_offset(struct syn_message_pattern *pattern, int32_t offset)
{
    uint8_t i = 0;
    if (pattern->offset_count > SYN_OFFSETS_MAX)
        return;
    while (i < pattern->offset_count && pattern->offset[i] < offset)
        i++;
    if (i < pattern->offset_count && pattern->offset[i] == offset)
        return;
    if (pattern->offset_count < SYN_OFFSETS_MAX) {
        memmove(&pattern->offset[i + 1], &pattern->offset[i],
                (size_t)(pattern->offset_count - i) * sizeof *pattern->offset);
        pattern->offset[i] = offset;
    }
    pattern->offset_count++;
}

static int32_t either(int32_t known, int32_t rank)
{
    return known == -1 || known == rank ? rank : rank == -1 ? known : -2;
}

void syn_message_pattern_add(struct syn_message_pattern *pattern, int32_t own, int32_t peer,
                             int32_t comm_size)
{
    int32_t offset = peer - own;
    if (comm_size > 1 && offset > comm_size / 2)
        offset -= comm_size;
    if (comm_size > 1 && offset < -(comm_size / 2))
        offset += comm_size;
    add_offset(pattern, offset);
    pattern->own = either(pattern->own, own);
    pattern->peer = either(pattern->peer, peer);
}

/* ---- ranks that made others wait ---- */

static uint64_t hash_late(const void *owner, uint32_t number)
{
    const struct syn_message_late *late = &((const struct syn_message_late *)owner)[number];
    return syn_hash_word((uint64_t)late->row << 32 | (uint32_t)late->rank);
}

static bool is_late(const void *owner, uint32_t number, const void *key)
{
    const struct syn_message_late *a = &((const struct syn_message_late *)owner)[number], *b = key;
    return a->row == b->row && a->rank == b->rank;
}

int syn_message_late_add(struct syn_message_table *table, const struct syn_message_late *late)
{
    if (syn_index_make_room(&table->lates, table->late_count, hash_late, table->late) ||
        SYN_ROOM(table->late, table->late_capacity, table->late_count))
        return SYN_ENOMEM;
    uint32_t *slot = syn_index_slot(&table->lates, hash_late(late, 0), is_late, table->late, late);
    if (!*slot) {
        table->late[table->late_count++] =
            (struct syn_message_late){.row = late->row, .rank = late->rank};
        *slot = (uint32_t)table->late_count;
    }
    table->late[*slot - 1].waiting_ns += late->waiting_ns;
    return SYN_OK;
}

/* ---- tables together ---- */

static int add_row(struct syn_message_row *into, struct syn_message_row *from,
                   struct syn_store *store)
{
    if (from->key.op)
        into->key = from->key;
    into->count += from->count;
    into->unmatched_count += from->unmatched_count;
    into->ambiguous_count += from->ambiguous_count;
    into->cancelled_count += from->cancelled_count;
    into->bytes += from->bytes;
    into->waiting_ns += from->waiting_ns;
    into->transfer_ns += from->transfer_ns;
    into->bound_ns = syn_largest(into->bound_ns, from->bound_ns);
    const uint8_t known = (uint8_t)syn_least((int)from->pattern.offset_count, SYN_OFFSETS_MAX);
    for (uint8_t i = 0; i < known; i++)
        add_offset(&into->pattern, from->pattern.offset[i]);
    if (from->pattern.offset_count > SYN_OFFSETS_MAX)
        into->pattern.offset_count = SYN_OFFSETS_MAX + 1;
    into->pattern.own = either(into->pattern.own, from->pattern.own);
    into->pattern.peer = either(into->pattern.peer, from->pattern.peer);
    return syn_column_append_all(&into->transfer, store, from->transfer.value,
                                 from->transfer.count);
}

int syn_message_table_add(struct syn_message_table *into, struct syn_message_table *from,
                          struct syn_store *store)
{
    int status = syn_message_rows(into, from->row_count);
    for (size_t i = 0; status == SYN_OK && i < from->row_count; i++) {
        status = add_row(&into->row[i], &from->row[i], store);
        syn_column_free(&from->row[i].transfer);
        from->row[i] = no_messages;
    }
    for (size_t i = 0; status == SYN_OK && i < from->late_count; i++)
        status = syn_message_late_add(into, &from->late[i]);
    from->late_count = 0;
    syn_index_clear(&from->lates);
    return status;
}

void syn_message_table_free(struct syn_message_table *table)
{
    for (size_t i = 0; i < table->row_count; i++)
        syn_column_free(&table->row[i].transfer);
    free(table->row);
    free(table->late);
    syn_index_free(&table->lates);
    memset(table, 0, sizeof *table);
}
