/* trace/node/node_part.c - see node_part.h. */
#include "trace/node/node_part.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/coding/compress.h"
#include "trace/base/coding/parity.h"
#include "trace/base/sections.h"
#include "trace/node/chunk_pack.h"
#include "trace/read/frame_read.h"
#include "trace/read/rank_file.h"

/* Compression levels. They apply to some tens of kilobytes for each rank, once a run, so size
 * matters more than time. */
#define SECTIONS_LEVEL 12
#define SHARED_LEVEL   19
#define PACKED_LEVEL   9
#define COPY_BYTES     ((size_t)256 << 10)

/* ---- sections ---- */

static bool is_short(const struct syn_rank_file *file)
{
    return file->file_bytes <= SYN_PART_SHORT_BYTES;
}

/* The content of a rank's file that goes into its sections. */
struct source {
    const struct syn_rank_file *file;
    bool is_short;              /* then one frame holds all but the events */
    uint8_t used[1 << 16 >> 3]; /* a bit for each operation of its events */
};

static uint64_t put_ops(const struct source *source, struct syn_bytes *out)
{
    const struct syn_rank_file *file = source->file;
    uint64_t count = 0;
    for (size_t i = 0; i < file->op_count; i++) {
        const uint16_t op = file->ops[i].op;
        if (source->is_short && !(source->used[op >> 3] >> (op & 7) & 1))
            continue;
        syn_bytes_put_varint(out, op);
        syn_bytes_put_string(out, file->ops[i].name);
        count++;
    }
    return count;
}

static uint64_t put_metas(const struct source *source, struct syn_bytes *out)
{
    const struct syn_rank_file *file = source->file;
    for (size_t i = 0; i < file->meta_count; i++)
        syn_put_meta(out, file->metas[i].key, file->metas[i].value);
    return file->meta_count;
}

/* Puts all records of one kind, of those that the file has by number. */
#define PUT_RECORDS(name, of, put)                                           \
    static uint64_t name(const struct source *source, struct syn_bytes *out) \
    {                                                                        \
        uint64_t count = 0;                                                  \
        for (uint32_t i = 0; i < source->file->of##s.count; i++)             \
            if (syn_rank_##of(source->file, i)) {                            \
                put(out, syn_rank_##of(source->file, i));                    \
                count++;                                                     \
            }                                                                \
        return count;                                                        \
    }
PUT_RECORDS(put_comms, comm, syn_put_comm_in_runs)
PUT_RECORDS(put_modules, module, syn_put_module)
PUT_RECORDS(put_stacks, stack, syn_put_stack)

static uint64_t put_clock(const struct source *source, struct syn_bytes *out)
{
    syn_put_clock(out, &source->file->clock);
    return 1;
}

/* Puts the end record, the last of the kinds. A long part omits it here and has an END frame
 * instead (add_end). */
static uint64_t put_end(const struct source *source, struct syn_bytes *out)
{
    struct syn_end_record end = source->file->end;
    end.event_count = source->file->event_count;
    syn_put_end(out, &end);
    return 1;
}

static int put_sections(const struct source *source, struct syn_bytes *out, uint64_t *kind_count)
{
    static const struct {
        uint8_t kind;
        uint64_t (*put)(const struct source *, struct syn_bytes *);
    } kinds[] = {
        {SYN_FRAME_OPS, put_ops},        {SYN_FRAME_META, put_metas},
        {SYN_FRAME_MODULE, put_modules}, {SYN_FRAME_STACK, put_stacks},
        {SYN_FRAME_MEMBERS, put_comms},  {SYN_FRAME_CLOCK, put_clock},
        {SYN_FRAME_END, put_end},
    };
    struct syn_bytes records = {0};
    *kind_count = sizeof kinds / sizeof *kinds - (source->is_short ? 0 : 1);
    for (size_t i = 0; i < *kind_count; i++) {
        records.count = 0;
        const uint64_t count = kinds[i].put(source, &records);
        syn_bytes_put_varint(out, kinds[i].kind);
        syn_bytes_put_varint(out, count);
        syn_bytes_put_varint(out, records.count);
        syn_bytes_put(out, records.data, records.count);
        out->failed |= records.failed;
    }
    syn_bytes_free(&records);
    if (out->failed)
        return SYN_ENOMEM;
    return out->count <= SYN_SECTION_RAW_MAX ? SYN_OK : SYN_EINVAL;
}

int syn_part_sections(const struct syn_rank_file *file, int descriptor, struct syn_bytes *out,
                      uint64_t *kind_count)
{
    struct syn_chunk_loader loader = {0};
    struct syn_columns_source chunk;
    const char *why;
    struct source *source = calloc(1, sizeof *source);
    if (!source)
        return SYN_ENOMEM;
    *source = (struct source){.file = file, .is_short = is_short(file)};
    int status = SYN_OK;
    for (size_t i = 0; source->is_short && status == SYN_OK && i < file->chunk_count; i++) {
        /* Mark the operations of a chunk as used; all operations if its column cannot be read. */
        status = syn_chunk_load(&loader, descriptor, &file->chunks[i], NULL, &chunk, &why);
        if (status != SYN_OK)
            break;
        const struct syn_chunk_column *column = &chunk.columns[SYN_COLUMN_OP];
        int64_t *op = malloc((column->count + 1) * sizeof *op);
        const bool good = op && syn_column_numbers(column, op);
        if (!good)
            memset(source->used, 0xff, sizeof source->used);
        for (size_t k = 0; good && k < column->count; k++)
            source->used[(uint16_t)op[k] >> 3] |= (uint8_t)(1u << (op[k] & 7));
        status = op ? SYN_OK : SYN_ENOMEM;
        free(op);
    }
    syn_chunk_loader_free(&loader);
    SYN_STEP(status, put_sections(source, out, kind_count));
    free(source);
    return status;
}

/* ---- a part ---- */

static int add_piece(struct syn_part *part, bool is_copy, uint64_t from, uint64_t bytes)
{
    struct syn_part_piece *last = part->piece_count ? &part->pieces[part->piece_count - 1] : NULL;
    part->bytes += bytes;
    if (last && last->is_copy == is_copy && last->from + last->bytes == from) {
        last->bytes += bytes;
        return SYN_OK;
    }
    if (SYN_ROOM(part->pieces, part->piece_capacity, part->piece_count) != SYN_OK)
        return SYN_ENOMEM;
    part->pieces[part->piece_count++] = (struct syn_part_piece){is_copy, from, bytes};
    return SYN_OK;
}

/* Adds the bytes of `made` from offset `from` on as a piece. */
static int add_made(struct syn_part *part, size_t from)
{
    return part->made.failed ? SYN_ENOMEM : add_piece(part, false, from, part->made.count - from);
}

static struct syn_frame_header header_of(const struct syn_rank_file *file, struct syn_part *part,
                                         uint8_t type)
{
    return syn_frame_begin(type, part->frame_count++, file->rank, file->size, file->run_id);
}

static int add_frame(struct syn_part *part, struct syn_frame_header header,
                     const struct syn_bytes *payload)
{
    const size_t from = part->made.count;
    if (payload->failed)
        return SYN_ENOMEM;
    syn_node_frame_put(header, payload->data, payload->count, &part->made);
    return add_made(part, from);
}

/* Copies a frame of the rank's file whose header lies at `offset`. It gets another number; the
 * payload stays as it is. */
static int add_copy(struct syn_part *part, uint64_t offset, const struct syn_frame_header *original)
{
    const size_t from = part->made.count;
    struct syn_frame_header header = *original;
    header.number = part->frame_count++;
    uint8_t *data = syn_bytes_reserve(&part->made, SYN_FRAME_HEADER_BYTES);
    if (!data)
        return SYN_ENOMEM;
    syn_frame_encode(&header, data);
    part->made.count += SYN_FRAME_HEADER_BYTES;
    int status = add_made(part, from);
    SYN_STEP(status,
             add_piece(part, true, offset + SYN_FRAME_HEADER_BYTES, header.compressed_bytes));
    return status;
}

static int add_all_packed(const struct syn_rank_file *file, int descriptor, struct syn_part *part)
{
    struct syn_chunk_loader loader = {0};
    int status = SYN_OK;
    for (size_t i = 0; status == SYN_OK && i < file->chunk_count; i++) {
        /* decode a chunk of a short file and compress it again, smaller */
        struct syn_frame_header header = file->chunks[i].header;
        struct syn_columns_source source;
        struct syn_columns_layout layout;
        struct syn_bytes packed = {0}, payload = {0};
        const char *why;
        status = syn_chunk_load(&loader, descriptor, &file->chunks[i], NULL, &source, &why);
        SYN_STEP(status, syn_chunk_pack(&source, &packed, &layout));
        SYN_STEP(status, syn_compress_parts(PACKED_LEVEL, packed.data, layout.cuts,
                                            layout.cut_count, &payload));
        header.number = part->frame_count++;
        header.raw_bytes = packed.count;
        SYN_STEP(status, packed.count <= SYN_SECTION_RAW_MAX ? add_frame(part, header, &payload)
                                                             : SYN_EINVAL);
        syn_bytes_free(&packed);
        syn_bytes_free(&payload);
    }
    syn_chunk_loader_free(&loader);
    return status;
}

static int add_end(struct syn_rank_file *file, struct syn_part *part)
{
    struct syn_bytes raw = {0}, payload = {0};
    struct syn_frame_header header = header_of(file, part, SYN_FRAME_END);
    struct syn_compressor *compressor = syn_compressor_new(SECTIONS_LEVEL);
    syn_put_end(&raw, &file->end);
    int status = compressor && !raw.failed ? syn_compress(compressor, SYN_CONTENT_RECORDS, raw.data,
                                                          &raw.count, 1, &payload)
                                           : SYN_ENOMEM;
    header.element_count = 1;
    header.raw_bytes = raw.count;
    header.first_event = file->event_count;
    SYN_STEP(status, add_frame(part, header, &payload));
    syn_compressor_free(compressor);
    syn_bytes_free(&raw);
    syn_bytes_free(&payload);
    return status;
}

/* The payload of SECTIONS: compressed against `shared`, or by itself without one. */
struct difference {
    struct syn_bytes payload;
    uint64_t raw_bytes, kind_count;
};

static int add_sections(struct syn_rank_file *file, struct syn_part *part,
                        const struct difference *sections)
{
    struct syn_frame_header header = header_of(file, part, SYN_FRAME_SECTIONS);
    header.element_count = sections->kind_count;
    header.raw_bytes = sections->raw_bytes;
    return add_frame(part, header, &sections->payload);
}

int syn_part_make(struct syn_rank_file *file, int descriptor, const struct syn_bytes *shared,
                  struct syn_part *out)
{
    struct difference sections = {0};
    if (!file->has_end || file->raw_path || syn_rank_fault(file, NULL) != SYN_OK ||
        (!shared && !is_short(file)))
        return SYN_EINVAL;
    struct syn_bytes raw = {0};
    int status = syn_part_sections(file, descriptor, &raw, &sections.kind_count);
    sections.raw_bytes = raw.count;
    if (status == SYN_OK && shared)
        status = syn_compress_difference(SECTIONS_LEVEL, shared->data, shared->count, raw.data,
                                         raw.count, &sections.payload);
    else if (status == SYN_OK)
        status = syn_compress_parts(SECTIONS_LEVEL, raw.data, &raw.count, 1, &sections.payload);
    syn_bytes_free(&raw);
    if (is_short(file)) {
        SYN_STEP(status, add_sections(file, out, &sections));
        SYN_STEP(status, add_all_packed(file, descriptor, out));
    } else {
        const struct syn_bytes nothing = {0};
        SYN_STEP(status, add_frame(out, header_of(file, out, SYN_FRAME_FILE), &nothing));
        SYN_STEP(status, add_sections(file, out, &sections));
        for (size_t i = 0; status == SYN_OK && i < file->chunk_count; i++)
            status = add_copy(out, file->chunks[i].offset, &file->chunks[i].header);
        if (file->chunk_count > 0)
            SYN_STEP(status, add_sections(file, out, &sections));
        SYN_STEP(status, add_end(file, out));
    }
    syn_bytes_free(&sections.payload);
    return status;
}

void syn_part_free(struct syn_part *part)
{
    syn_bytes_free(&part->made);
    free(part->pieces);
    *part = (struct syn_part){0};
}

/* ---- writing ---- */

static int write_at(int to, const void *data, size_t bytes, uint64_t offset)
{
    const char *at = data;
    while (bytes > 0) {
        const ssize_t done = pwrite(to, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO;
        if (done <= 0)
            return SYN_EIO;
        at += done;
        offset += (uint64_t)done;
        bytes -= (size_t)done;
    }
    return SYN_OK;
}

int syn_part_write(const struct syn_part *part, int from, int to, uint64_t offset)
{
    void *buffer = malloc(COPY_BYTES);
    int status = buffer ? SYN_OK : SYN_EIO;
    for (size_t i = 0; status == SYN_OK && i < part->piece_count; i++) {
        const struct syn_part_piece *piece = &part->pieces[i];
        if (!piece->is_copy)
            status = write_at(to, part->made.data + piece->from, piece->bytes, offset);
        for (uint64_t done = 0; piece->is_copy && status == SYN_OK && done < piece->bytes;) {
            const size_t count = (size_t)syn_least(piece->bytes - done, (uint64_t)COPY_BYTES);
            const ssize_t got = syn_pread_full(from, buffer, count, piece->from + done);
            if (got >= 0 && (size_t)got < count)
                errno = EIO;
            status = got == (ssize_t)count ? write_at(to, buffer, count, offset + done) : SYN_EIO;
            done += count;
        }
        offset += piece->bytes;
    }
    const int error_number = buffer ? errno : ENOMEM;
    free(buffer);
    errno = error_number;
    return status;
}

/* ---- what is no part ---- */

int syn_node_make_shared(const struct syn_node_index *index, const struct syn_bytes *raw,
                         struct syn_bytes *frame)
{
    struct syn_bytes payload = {0};
    struct syn_frame_header header = syn_node_header(index, SYN_FRAME_SHARED, 0);
    if (raw->count > SYN_SECTION_RAW_MAX)
        return SYN_EINVAL;
    struct syn_compressor *compressor = syn_compressor_new(SHARED_LEVEL);
    int status = compressor ? syn_compress(compressor, SYN_CONTENT_RECORDS, raw->data, &raw->count,
                                           1, &payload)
                            : SYN_ENOMEM;
    header.raw_bytes = raw->count;
    header.element_count = 1;
    if (status == SYN_OK)
        syn_node_frame_put(header, payload.data, payload.count, frame);
    syn_compressor_free(compressor);
    syn_bytes_free(&payload);
    return status == SYN_OK && frame->failed ? SYN_ENOMEM : status;
}

uint64_t syn_node_parts_begin(const struct syn_node_index *index, const struct syn_bytes *shared)
{
    return syn_node_index_bytes(index->part_count) + shared->count;
}

int syn_node_write_shared(int to, const struct syn_node_index *index, const struct syn_bytes *frame)
{
    return write_at(to, frame->data, frame->count, syn_node_index_bytes(index->part_count));
}

int syn_node_write_index(int to, struct syn_node_index *index, const struct syn_bytes *frame,
                         const uint64_t *promised)
{
    struct syn_bytes first = {0}, tail = {0};
    struct syn_bytes raw = {0}, payload = {0};
    struct syn_frame_header header = syn_node_header(index, SYN_FRAME_PARITY, 0);
    syn_parity_put(frame->data, frame->count, &raw);
    syn_put_wrapped(&payload, raw.data, raw.count);
    header.raw_bytes = raw.count;
    header.element_count = 1;
    tail.failed |= raw.failed || payload.failed;
    if (!tail.failed)
        syn_node_frame_put(header, payload.data, payload.count, &tail);
    syn_bytes_free(&payload);
    syn_bytes_free(&raw);
    index->file_bytes = index->parity_offset + tail.count + syn_node_index_bytes(index->part_count);
    syn_node_index_put(index, 1, &tail);
    syn_node_index_put(index, 0, &first);
    int status = first.failed || tail.failed ? SYN_ENOMEM : SYN_OK;
    for (size_t i = 0; i < index->part_count; i++) {
        /* Turn an unused range into a skippable frame, so that zstd's tools can read the whole
         * file. A range that is longer than a frame can be stays: no reader of ours needs it. */
        uint8_t wrapper[SYN_WRAPPER_BYTES];
        const uint64_t bytes = promised[i] - SYN_WRAPPER_BYTES;
        if (index->parts[i].bytes > 0 || promised[i] == 0 || bytes > UINT32_MAX)
            continue;
        syn_store32(wrapper, SYN_WRAPPER_MAGIC);
        syn_store32(wrapper + 4, (uint32_t)bytes);
        SYN_STEP(status, write_at(to, wrapper, sizeof wrapper, index->parts[i].offset));
    }
    SYN_STEP(status, write_at(to, tail.data, tail.count, index->parity_offset));
    SYN_STEP(status, write_at(to, first.data, first.count, 0));
    int error_number = errno;
    syn_bytes_free(&first);
    syn_bytes_free(&tail);
    errno = error_number;
    while (status == SYN_OK && fsync(to) != 0)
        if (errno != EINTR)
            status = SYN_EIO;
    return status;
}
