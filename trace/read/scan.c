/* trace/read/scan.c - finds the frames of a rank's file, also in a damaged file.
 *
 * Each header says where the next header lies. If there is no valid header at that place, the scan
 * searches for the next one, from the end of the last valid header on. It starts there because
 * bytes may be missing, too. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"
#include "trace/read/rank_file.h"

/* Number of bytes that are read at once: a whole small file, or mostly a header and a section of a
 * large one. */
#define WINDOW_BYTES ((size_t)64 << 10)

/* A part of the file in memory. */
struct window {
    uint8_t *data; /* [WINDOW_BYTES], owned */
    uint64_t offset;
    size_t bytes;
};

struct scan {
    struct syn_rank_file *file;
    int descriptor;
    const struct syn_bytes *shared; /* content to which sections refer; NULL: none */
    bool has_sections;              /* a SECTIONS frame has been taken; */
    uint64_t sections_hash;         /* the hash of its payload */
    struct window window;
    uint64_t offset;        /* where the next header should be */
    uint64_t behind_header; /* end of the last valid header */
    bool numbered;          /* a valid frame has been found, */
    uint32_t last_number;   /* with this number */
    bool lost_sync;  /* a header was invalid after the last valid one, which explains a gap in the
                        numbers */
    bool behind_gap; /* frames before the present one are missing */
    bool saw_broken; /* there was a header with our magic number and a wrong checksum */
    bool saw_newer;
    struct syn_decompressor *decompressor;
    struct syn_bytes payload;
    struct syn_bytes raw;
};

static bool acceptable(struct scan *scan, const uint8_t *data, struct syn_frame_header *header)
{
    enum syn_frame_verdict verdict = syn_frame_decode(data, header);
    scan->saw_broken |= verdict == SYN_FRAME_BROKEN;
    scan->saw_newer |= verdict == SYN_FRAME_NEWER;
    return verdict == SYN_FRAME_VALID && syn_frame_plausible(header) &&
           (!scan->file->identified ||
            (scan->file->rank == header->rank && scan->file->size == header->size &&
             memcmp(scan->file->run_id, header->run_id, sizeof scan->file->run_id) == 0));
}

/* Returns how many of `bytes` at `offset` belong to this rank. */
static size_t bytes_there(const struct scan *scan, uint64_t offset, size_t bytes)
{
    const uint64_t end = scan->file->until;
    return offset < end ? (size_t)syn_least(end - offset, bytes) : 0;
}

/* Finds the bytes at `offset`: `wanted` (<= WINDOW_BYTES), or fewer at the end; *got is their
 * number. Moves the window there if it does not hold them yet. Returns 0 or SYN_EIO. */
static int look(struct scan *scan, uint64_t offset, size_t wanted, const uint8_t **data,
                size_t *got)
{
    struct window *window = &scan->window;
    bool inside = offset >= window->offset && offset - window->offset <= window->bytes &&
                  wanted <= window->bytes - (size_t)(offset - window->offset);
    if (!inside) {
        ssize_t filled = syn_pread_full(scan->descriptor, window->data,
                                        bytes_there(scan, offset, WINDOW_BYTES), offset);
        if (filled < 0)
            return SYN_EIO;
        window->offset = offset;
        window->bytes = (size_t)filled;
    }
    size_t at = (size_t)(offset - window->offset), left = window->bytes - at;
    *data = window->data + at;
    *got = syn_least(left, wanted);
    return SYN_OK;
}

/* Reads the next header. Payloads of events are skipped, so no window would hold the header behind
 * a long one. Then only the header is read. */
static int look_at_header(struct scan *scan, uint8_t data[SYN_FRAME_HEADER_BYTES], size_t *got)
{
    const uint8_t *found;
    ssize_t read;
    uint64_t behind = scan->window.offset + scan->window.bytes;
    if (scan->offset < behind + WINDOW_BYTES / 4) {
        int status = look(scan, scan->offset, SYN_FRAME_HEADER_BYTES, &found, got);
        if (status == SYN_OK)
            memcpy(data, found, *got);
        return status;
    }
    read = syn_pread_full(scan->descriptor, data,
                          bytes_there(scan, scan->offset, SYN_FRAME_HEADER_BYTES), scan->offset);
    *got = read < 0 ? 0 : (size_t)read;
    return read < 0 ? SYN_EIO : SYN_OK;
}

/* Finds the next acceptable header at or after `from`. Without one, *found is the end of the rank's
 * bytes. */
static int search(struct scan *scan, uint64_t from, uint64_t *found)
{
    struct syn_frame_header header;
    const uint8_t *data;
    size_t got;
    *found = scan->file->until;
    while (from < *found) {
        /* Search the present bytes of the window first, since headers may lie close together. */
        size_t wanted = SYN_FRAME_HEADER_BYTES;
        uint64_t behind = scan->window.offset + scan->window.bytes;
        if (from >= scan->window.offset && from < behind && behind - from > wanted)
            wanted = (size_t)(behind - from);
        else {
            /* Skip a hole, because a file may pretend to have any length. */
            const off_t data_at = lseek(scan->descriptor, (off_t)from, SEEK_DATA);
            if (data_at >= 0)
                from = syn_least(syn_largest((uint64_t)data_at, from), scan->file->until);
            else if (errno == ENXIO)
                from = scan->file->until;
        }
        int status = look(scan, from, wanted, &data, &got);
        if (status != SYN_OK)
            return status;
        if (got < SYN_FRAME_HEADER_BYTES)
            return SYN_OK;
        size_t step = syn_frame_search(data, got);
        if (step == got) /* a header may lie across the window's end */
            from += got - (SYN_FRAME_HEADER_BYTES - 1);
        else if (acceptable(scan, data + step, &header)) {
            *found = from + step;
            return SYN_OK;
        } else
            from += step + 1;
    }
    return SYN_OK;
}

static int identify(struct scan *scan, const struct syn_frame_header *header)
{
    struct syn_rank_file *file = scan->file;
    if (file->identified)
        return SYN_OK;
    file->identified = true;
    memcpy(file->run_id, header->run_id, sizeof file->run_id);
    file->rank = header->rank;
    file->size = header->size;
    if (header->type != SYN_FRAME_FILE &&
        !(header->type == SYN_FRAME_SECTIONS && header->number == 0))
        syn_rank_add_fault(file, SYN_EDAMAGED, "file header at byte %" PRIu64 ": missing",
                           file->from);
    return SYN_OK;
}

/* Loads and verifies a section's payload [header->compressed_bytes], in the window if it fits. */
static int load_payload(struct scan *scan, const struct syn_frame_header *header, uint64_t offset,
                        const uint8_t **payload)
{
    const size_t bytes = header->compressed_bytes;
    const uint64_t from = offset + SYN_FRAME_HEADER_BYTES;
    size_t got = 0;
    if (bytes <= WINDOW_BYTES) {
        const int status = look(scan, from, bytes, payload, &got);
        if (status != SYN_OK)
            return status;
    } else {
        scan->payload.count = 0;
        uint8_t *room = syn_bytes_reserve(&scan->payload, bytes);
        const ssize_t filled = room ? syn_pread_full(scan->descriptor, room, bytes, from) : 0;
        if (!room || filled < 0)
            return room ? SYN_EIO : SYN_ENOMEM;
        *payload = room;
        got = (size_t)filled;
    }
    return got == bytes && syn_hash64(*payload, got) == header->payload_hash ? SYN_OK
                                                                             : SYN_EDAMAGED;
}

/* Decompresses a section into scan->raw. */
static int unpack_section(struct scan *scan, const struct syn_frame_header *header,
                          const uint8_t *payload)
{
    const struct syn_bytes *shared = scan->shared;
    if (!syn_arena_charge(&scan->file->arena, header->raw_bytes))
        return SYN_EDAMAGED;
    scan->raw.count = 0;
    uint8_t *raw = syn_bytes_reserve(&scan->raw, header->raw_bytes);
    if (!raw)
        return SYN_ENOMEM;
    /* SECTIONS in a rank file do not refer to shared content and are not wrapped. */
    if (header->type != SYN_FRAME_SECTIONS || !scan->file->is_part)
        return syn_decompress(scan->decompressor, payload, header->compressed_bytes, raw,
                              header->raw_bytes);
    return shared
               ? syn_decompress_difference(scan->decompressor, shared->data, shared->count, payload,
                                           header->compressed_bytes, raw, header->raw_bytes)
               : SYN_EDAMAGED;
}

static int take_section(struct scan *scan, const struct syn_frame_header *header, uint64_t offset)
{
    const uint8_t *payload;
    int status = load_payload(scan, header, offset, &payload);
    /* A node file has each SECTIONS frame twice. The second one is only verified. */
    if (status != SYN_OK || (header->type == SYN_FRAME_SECTIONS && scan->has_sections &&
                             scan->sections_hash == header->payload_hash))
        return status;
    status = unpack_section(scan, header, payload);
    SYN_STEP(status, syn_rank_take_section(scan->file, header, scan->raw.data));
    if (status == SYN_OK && header->type == SYN_FRAME_SECTIONS) {
        scan->has_sections = true;
        scan->sections_hash = header->payload_hash;
    }
    return status;
}

/* Takes a chunk. Each header has the number of events before the chunk. So the number of events in
 * lost chunks is known, and no chunk is counted twice. */
static int take_chunk(struct scan *scan, const struct syn_frame_header *header, uint64_t offset)
{
    struct syn_rank_file *file = scan->file;
    uint64_t until = header->first_event + header->element_count;
    if (header->first_event < file->declared_event_count || until < header->first_event) {
        syn_rank_add_fault(file, SYN_EDAMAGED, "events at byte %" PRIu64 ": counted twice", offset);
        return SYN_OK;
    }
    if (header->first_event > file->declared_event_count && !scan->behind_gap)
        syn_rank_add_fault(file, SYN_EDAMAGED,
                           "events at byte %" PRIu64 ": events before them are missing", offset);
    file->declared_event_count = until;
    return syn_rank_add_chunk(file, &(struct syn_chunk){.offset = offset, .header = *header});
}

static int take_frame(struct scan *scan, const struct syn_frame_header *header, uint64_t offset)
{
    struct syn_rank_file *file = scan->file;
    if (header->type == SYN_FRAME_FILE)
        return SYN_OK;
    if (header->type == SYN_FRAME_EVENTS)
        return take_chunk(scan, header, offset);
    const int status = take_section(scan, header, offset);
    if (status != SYN_EDAMAGED)
        return status;
    syn_rank_add_fault(file, SYN_EDAMAGED, "%s at byte %" PRIu64 ": checksum or content",
                       syn_frame_type_name(header->type), offset);
    return SYN_OK;
}

/* Checks the number of a frame, so that frames that are missing or occur twice are noticed. Returns
 * false for a frame that is out of order. */
static bool in_sequence(struct scan *scan, const struct syn_frame_header *header, uint64_t offset)
{
    struct syn_rank_file *file = scan->file;
    if (scan->numbered && header->number <= scan->last_number) {
        syn_rank_add_fault(file, SYN_EDAMAGED,
                           "frame %" PRIu32 " at byte %" PRIu64 ": out of order", header->number,
                           offset);
        return false;
    }
    uint32_t expected = scan->numbered ? scan->last_number + 1 : 0;
    if (header->number != expected && !scan->lost_sync)
        syn_rank_add_fault(file, SYN_EDAMAGED,
                           "frame %" PRIu32 " at byte %" PRIu64 ": %" PRIu32
                           " frames before it are missing",
                           header->number, offset, header->number - expected);
    scan->behind_gap = header->number != expected;
    scan->numbered = true;
    scan->last_number = header->number;
    return true;
}

/* Takes a frame with a valid header. Its payload may be damaged or cut off. */
static int step_valid(struct scan *scan, const struct syn_frame_header *header)
{
    struct syn_rank_file *file = scan->file;
    uint64_t offset = scan->offset;
    int status = identify(scan, header);
    if (status != SYN_OK)
        return status;
    scan->behind_header = offset + SYN_FRAME_HEADER_BYTES;
    bool take = in_sequence(scan, header, offset);
    scan->lost_sync = false;
    if (header->compressed_bytes > file->until - scan->behind_header) {
        syn_rank_add_fault(file, SYN_ETRUNCATED,
                           "%s at byte %" PRIu64 ": cut off after %" PRIu64 " of %" PRIu64 " bytes",
                           syn_frame_type_name(header->type), offset,
                           file->until - scan->behind_header, header->compressed_bytes);
        scan->lost_sync = true;
        return search(scan, scan->behind_header, &scan->offset);
    }
    scan->offset = scan->behind_header + header->compressed_bytes;
    return take ? take_frame(scan, header, offset) : SYN_OK;
}

/* Continues with the next valid header, after an invalid one. */
static int step_lost(struct scan *scan, const uint8_t *data, size_t bytes)
{
    struct syn_rank_file *file = scan->file;
    uint64_t offset = scan->offset, found;
    int status = search(scan, scan->behind_header, &found);
    if (status != SYN_OK)
        return status;
    bool cut =
        found == file->until && bytes < SYN_FRAME_HEADER_BYTES && syn_frame_is_prefix(data, bytes);
    if (cut)
        syn_rank_add_fault(file, SYN_ETRUNCATED, "frame header at byte %" PRIu64 ": cut off",
                           offset);
    else
        syn_rank_add_fault(file, SYN_EDAMAGED,
                           "frame header at byte %" PRIu64
                           ": damaged; the next good one is at byte %" PRIu64,
                           offset, found);
    scan->lost_sync = true;
    scan->offset = found;
    return SYN_OK;
}

int syn_rank_scan(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared)
{
    struct scan scan = {.file = file,
                        .descriptor = descriptor,
                        .shared = shared,
                        .offset = file->from,
                        .window.offset = file->from};
    scan.decompressor = syn_decompressor_new();
    scan.window.data = malloc(WINDOW_BYTES);
    int status = scan.decompressor && scan.window.data ? SYN_OK : SYN_ENOMEM;
    while (status == SYN_OK && scan.offset < file->until) {
        uint8_t data[SYN_FRAME_HEADER_BYTES];
        struct syn_frame_header header;
        size_t got;
        status = look_at_header(&scan, data, &got);
        if (status != SYN_OK || got == 0)
            break;
        if (got == sizeof data && acceptable(&scan, data, &header))
            status = step_valid(&scan, &header);
        else if (scan.saw_newer && !file->identified)
            status = SYN_EVERSION;
        else
            status = step_lost(&scan, data, got);
    }
    if (status == SYN_OK && !file->identified) {
        /* Find out why there is nothing to read. */
        uint8_t data[SYN_FRAME_HEADER_BYTES];
        const ssize_t got = syn_pread_full(descriptor, data,
                                           bytes_there(&scan, file->from, sizeof data), file->from);
        if (got < 0)
            status = SYN_EIO;
        else if (scan.saw_newer)
            status = SYN_EVERSION;
        else if (got < SYN_FRAME_HEADER_BYTES && syn_frame_is_prefix(data, (size_t)got))
            status = SYN_ETRUNCATED;
        else
            status = scan.saw_broken ? SYN_EDAMAGED : SYN_ENOTTRACE;
    }
    syn_decompressor_free(scan.decompressor);
    free(scan.window.data);
    syn_bytes_free(&scan.payload);
    syn_bytes_free(&scan.raw);
    return status;
}
