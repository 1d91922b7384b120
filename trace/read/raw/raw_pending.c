/* trace/read/raw/raw_pending.c - the nonblocking collectives that a killed program had started and
 * not completed (raw.h). Everything in the file is checked before it is used. Each collective
 * becomes an event that never completed, of the thread that started it. The events of a thread are
 * a chunk, sorted by start. */
#include <stdlib.h>

#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "trace/events/notes.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"

/* Largest number of collectives in a chunk; each may have a note. */
#define CHUNK_PENDING ((size_t)SYN_CHUNK_EVENTS / 2)

struct slot {
    struct syn_event event;
    int64_t messages_ticks;
    uint32_t thread;
};

/* Returns false if the slot is free, or no recorder can have made it. */
static bool slot_decode(const uint8_t *from, struct slot *slot)
{
    struct syn_event *event = &slot->event;
    syn_raw_event_decode(from, event);
    if (!(event->flags & SYN_EVENT_WRITTEN) || syn_is_note(event) || event->end_ticks < 0 ||
        event->end_ticks >= SYN_RAW_NO_THREAD)
        return false;
    slot->thread = (uint32_t)event->end_ticks;
    slot->messages_ticks = event->wait_start_ticks;
    event->end_ticks = event->call_end_ticks;
    event->wait_start_ticks = event->call_end_ticks;
    event->flags = (uint16_t)((event->flags & ~SYN_EVENT_WRITTEN) | SYN_EVENT_NO_COMPLETION);
    return true;
}

SYN_ORDER(compare_slots, struct slot, SYN_UP(thread) ?: SYN_UP(event.start_ticks) ?: SYN_UP(event.sequence))

/* Adds a chunk of slots. Its entries are held in memory in the form of the recorder. */
static int add_held(struct syn_rank_file *file, uint64_t offset, const struct slot *slots,
                    size_t count)
{
    struct syn_event *entries = syn_arena_take(&file->arena, 2 * count, sizeof *entries);
    uint32_t used = 0;
    if (!entries)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++) {
        if (slots[i].messages_ticks != 0)
            entries[used++] = syn_note_of_messages(slots[i].messages_ticks, 0);
        entries[used++] = slots[i].event;
    }
    struct syn_chunk chunk = {.raw_entry_count = used,
                              .held = entries,
                              .offset = offset,
                              .header = {.thread = slots[0].thread}};
    return syn_raw_add_chunk(file, &chunk, entries);
}

int syn_raw_take_pending(struct syn_rank_file *file, uint64_t offset, const uint8_t *slots,
                         size_t count)
{
    size_t used = 0;
    int status = SYN_OK;
    struct slot *decoded = malloc((count + 1) * sizeof *decoded);
    if (!decoded)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        used += slot_decode(slots + i * sizeof(struct syn_event), &decoded[used]);
    if (used > 0)
        qsort(decoded, used, sizeof *decoded, compare_slots);
    for (size_t i = 0, alike; i < used && status == SYN_OK; i += alike) {
        for (alike = 1; i + alike < used && alike < CHUNK_PENDING;) {
            if (decoded[i + alike].thread != decoded[i].thread)
                break;
            alike++;
        }
        status = add_held(file, offset, decoded + i, alike);
    }
    free(decoded);
    return status;
}

/* ---- chunks of raw events and of pending operations ---- */

int syn_raw_add_chunk(struct syn_rank_file *file, struct syn_chunk *chunk,
                      const struct syn_event *entries)
{
    chunk->raw = true;
    chunk->header.time_base = SYN_TIME_LOCAL_TICKS;
    chunk->header.first_event = file->declared_event_count;
    struct syn_frame_header *header = &chunk->header;
    for (size_t i = 0; i < chunk->raw_entry_count; i++) {
        const struct syn_event *entry = &entries[i];
        if (syn_is_note(entry))
            continue;
        if (header->element_count == 0 || entry->start_ticks < header->span_start)
            header->span_start = entry->start_ticks;
        if (header->element_count == 0 || entry->end_ticks > header->span_end)
            header->span_end = entry->end_ticks;
        chunk->raw_last_start = entry->wait_start_ticks == entry->call_end_ticks
                                    ? entry->start_ticks
                                    : entry->wait_start_ticks;
        header->element_count++;
    }
    if (chunk->header.element_count == 0)
        return SYN_OK;
    const int status = syn_rank_add_chunk(file, chunk);
    file->declared_event_count += status == SYN_OK ? chunk->header.element_count : 0;
    return status;
}
