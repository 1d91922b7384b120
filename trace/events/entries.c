/* trace/events/entries.c - see entries.h. */
#include "trace/events/entries.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

size_t syn_entries_room(const struct syn_entries *entries, size_t element_bytes)
{
    return (entries->entry_count / 1024 + 1) * 1024 * element_bytes;
}

int syn_entries_add_figure(struct syn_entries *entries, enum syn_segment_figure figure)
{
    const size_t bytes = syn_entries_room(entries, sizeof(int64_t));
    if (entries->figures[figure])
        return SYN_OK;
    if (entries->room_capacity[figure] < bytes) {
        free(entries->room[figure]);
        entries->room[figure] = malloc(bytes);
        entries->room_capacity[figure] = entries->room[figure] ? bytes : 0;
    }
    if (!entries->room[figure])
        return SYN_ENOMEM;
    memset(entries->room[figure], 0, entries->event_count * sizeof(int64_t));
    entries->figures[figure] = entries->room[figure];
    return SYN_OK;
}
