/* trace/node/chunk_pack.c - see chunk_pack.h. */
#include "trace/node/chunk_pack.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "trace/columns/columns_tables.h"
#include "trace/columns/segments.h"

/* Copies a column unchanged, and ends a block before the bits of its magnitudes. */
static void copy_column(const struct syn_columns_source *source, int name, struct syn_bytes *out,
                        struct syn_columns_layout *layout)
{
    const struct syn_chunk_column *column = &source->columns[name];
    if (!column->is_there)
        return;
    syn_column_copy(out, name, column);
    if (column->bits)
        syn_columns_cut_at(layout, out->count - (size_t)(column->end - column->bits));
}

static int put_index(const struct syn_columns_payload *payload, struct syn_bytes *out)
{
    const size_t count = payload->tables.event_count;
    uint16_t *index = malloc(count * sizeof *index);
    if (!index)
        return SYN_ENOMEM;
    syn_columns_index(payload, 0, count, index);
    const int status = syn_columns_put_predicted(out, index, count, payload->tables.tuple_count);
    free(index);
    return status;
}

int syn_chunk_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                   struct syn_columns_layout *layout)
{
    *layout = (struct syn_columns_layout){0};
    for (int name = SYN_COLUMN_BASE; name <= SYN_COLUMN_PAUSED; name++)
        copy_column(source, name, out, layout);
    copy_column(source, SYN_COLUMN_ORDER, out, layout);
    copy_column(source, SYN_COLUMN_TUPLE_TAG, out, layout);
    syn_columns_cut(layout, out);
    copy_column(source, SYN_COLUMN_STACK, out, layout);
    syn_columns_cut(layout, out);
    copy_column(source, SYN_COLUMN_TAG, out, layout);
    syn_columns_cut(layout, out);
    /* The index numbers the tuples as they are, before stacks and pauses are joined to them. */
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
    struct syn_columns_payload payload;
    const char *why;
    memcpy(columns, source->columns, sizeof columns);
    memset(&columns[SYN_COLUMN_PAUSED], 0, sizeof *columns);
    memset(&columns[SYN_COLUMN_STACK], 0, sizeof *columns);
    int status = syn_columns_find(&(struct syn_columns_source){columns, source->event_count},
                                  &payload, &why);
    if (status == SYN_OK && payload.index_width > 0)
        status = put_index(&payload, out);
    syn_columns_payload_free(&payload);
    syn_columns_cut(layout, out);
    for (int name = SYN_COLUMN_GAP; name <= SYN_COLUMN_WAIT && status == SYN_OK; name++) {
        copy_column(source, name, out, layout);
        syn_columns_cut(layout, out);
    }
    SYN_STEP(status, syn_segments_pack(source, out, layout));
    syn_columns_cut(layout, out);
    return status == SYN_OK && out->failed ? SYN_ENOMEM : status;
}
