/* tests/fuzz/fuzz_reader.c - the reader of rank files as a function of arbitrary bytes: of an input
 * only the file of rank 0 counts. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/read/reader.h"

const bool fuzz_one_file = true;

/* Tables may have holes of millions. */
#define RECORDS_SEEN 1000

/* So that no load is optimized away. */
static volatile uint64_t consumed;

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void consume_text(const char *text)
{
    consumed += text ? strlen(text) : 0;
}

static void consume_events(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        fuzz_require(syn_rank_comm(file, columns->comm[i]) != NULL,
                     "event of an undeclared communicator");
        fuzz_require(columns->stack[i] == SYN_NO_STACK || syn_rank_stack(file, columns->stack[i]),
                     "event of an undeclared stack");
        consumed += (uint64_t)(columns->start_ns[i] ^ columns->end_ns[i] ^ columns->call_end_ns[i] ^
                               columns->wait_start_ns[i]);
        consumed += columns->bytes[i] ^ columns->sequence[i] ^ (uint64_t)columns->root[i] ^
                    columns->flags[i];
        if (i < 4) {
            consume_text(syn_rank_op_name(file, columns->op[i]));
            consumed += (uint64_t)syn_rank_bound_ns(file, columns->start_ns[i]);
        }
    }
}

static void consume_tables(struct syn_rank_file *file)
{
    for (uint32_t i = 0; i < least(syn_rank_comm_count(file), RECORDS_SEEN); i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, i);
        consume_text(comm ? comm->name : NULL);
        for (int32_t member = 0; comm && member < comm->size; member++)
            fuzz_require(comm->world_ranks[member] >= -1, "world rank");
    }
    for (uint32_t i = 0; i < least(syn_rank_module_count(file), RECORDS_SEEN); i++) {
        const struct syn_module_record *module = syn_rank_module(file, i);
        consume_text(module ? module->path : NULL);
        for (size_t byte = 0; module && byte < module->build_id_bytes; byte++)
            consumed += module->build_id[byte];
    }
    for (uint32_t i = 0; i < least(syn_rank_stack_count(file), RECORDS_SEEN); i++) {
        const struct syn_stack_record *stack = syn_rank_stack(file, i);
        for (uint32_t frame = 0; stack && frame < stack->depth; frame++)
            consumed += stack->frames[frame].offset;
    }
}

static void consume_records(struct syn_rank_file *file)
{
    const char *key, *value;
    size_t count;
    for (size_t i = 0; syn_rank_meta_at(file, i, &key, &value); i++) {
        consume_text(value);
        fuzz_require(syn_rank_meta(file, key) != NULL, "key without value");
    }
    consume_tables(file);
    const struct syn_fitpoint *points = syn_rank_fitpoints(file, &count);
    for (size_t i = 0; i < count; i++)
        consumed += (uint64_t)points[i].local_ns;
}

static uint64_t consume_chunks(struct syn_rank_file *file, size_t piece)
{
    struct syn_scratch *scratch = syn_scratch_new();
    struct syn_cursor *cursor = NULL;
    struct syn_event_columns columns;
    uint64_t delivered = 0;
    int status;
    fuzz_require(scratch && syn_cursor_open_with(file, scratch, piece, &cursor) == SYN_OK,
                 "no cursor");
    while ((status = syn_cursor_next(cursor, &columns)) != SYN_EEND) {
        fuzz_require(status == SYN_OK || status == SYN_EDAMAGED, "status of a cursor");
        if (status != SYN_OK)
            continue;
        consume_events(file, &columns);
        delivered += columns.count;
    }
    syn_cursor_close(cursor);
    syn_scratch_free(scratch);
    return delivered;
}

static void read_file(const char *path)
{
    struct syn_rank_file *file;
    struct syn_chunk_summary chunk;
    const char *where;
    if (syn_rank_open(path, NULL, &file) != SYN_OK)
        return;
    consume_records(file);
    for (size_t i = 0; syn_rank_chunk(file, i, &chunk); i++)
        consumed += (uint64_t)chunk.start_ns;
    uint64_t delivered = consume_chunks(file, 0);
    fuzz_require(delivered == consume_chunks(file, 512), "pieces are other events than chunks");
    fuzz_require(delivered <= syn_rank_event_count(file), "more events than announced");
    fuzz_require(delivered == syn_rank_event_count(file) || syn_rank_fault(file, NULL) != SYN_OK,
                 "events missing, and no fault");
    for (size_t i = 0; syn_rank_fault_at(file, i, &where) != SYN_EEND; i++)
        consume_text(where);
    consumed += syn_rank_lost_event_count(file);
    syn_rank_close(file);
}

/* Memory that reader.h promises for opening a file, plus a chunk in each of its stages. */
static size_t memory_max(size_t file_bytes)
{
    const size_t chunk_bytes = (size_t)SYN_CHUNK_EVENTS_MAX * 320;
    return SYN_OPEN_BYTES_BASE + SYN_OPEN_BYTES_FACTOR * file_bytes + 2 * SYN_SECTION_RAW_MAX +
           chunk_bytes;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct fuzz_trace trace;
    static int descriptor = -1;
    static char path[64];
    if (descriptor < 0) {
        descriptor = memfd_create("fuzz", MFD_CLOEXEC);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    }
    fuzz_build(data, bytes, &trace);
    const struct syn_bytes *content = &trace.run[0].rank[0][0].content;
    fuzz_require(ftruncate(descriptor, 0) == 0 && pwrite(descriptor, content->data, content->count,
                                                         0) == (ssize_t)content->count,
                 "no file in memory");
    fuzz_memory_begin();
    read_file(path);
    fuzz_require(fuzz_memory_peak() <= memory_max(content->count),
                 "more memory than the file's size allows");
    return 0;
}
