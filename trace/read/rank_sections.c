/* trace/read/rank_sections.c - takes the sections of a rank's file into its tables. */
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"
#include "trace/read/rank_file.h"
#include "trace/read/repeated_comms.h"

static int refused(const struct syn_rank_file *file)
{
    return file->arena.over_budget ? SYN_EDAMAGED : SYN_ENOMEM;
}

/* Returns an array with room for one more element, which grows by doubling. Returns NULL if the
 * budget or memory is used up. */
static void *append(struct syn_rank_file *file, void *array, size_t count, size_t element_bytes)
{
    if ((count & (count - 1)) != 0)
        return array;
    const size_t capacity = count ? 2 * count : 1;
    if (!syn_arena_charge(&file->arena, (capacity - count) * element_bytes))
        return NULL;
    return realloc(array, capacity * element_bytes);
}

/* The largest number of facts. Each new one is compared with all others, so a hostile file could
 * take much time. Recordings have far fewer. */
#define METAS_MAX 8192

static int take_meta(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_meta_pair pair;
    int status = syn_take_meta(take, &file->arena, &pair.key, &pair.value);
    if (status != SYN_OK)
        return status;
    for (size_t i = 0; i < file->meta_count; i++)
        if (strcmp(file->metas[i].key, pair.key) == 0) {
            file->metas[i].value = pair.value;
            return SYN_OK;
        }
    if (file->meta_count >= METAS_MAX)
        return SYN_EDAMAGED;
    struct syn_meta_pair *metas = append(file, file->metas, file->meta_count, sizeof *metas);
    if (!metas)
        return refused(file);
    file->metas = metas;
    metas[file->meta_count++] = pair;
    return SYN_OK;
}

static int take_op(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_op_entry entry;
    int status = syn_take_op(take, &file->arena, &entry.op, &entry.name);
    if (status != SYN_OK)
        return status;
    struct syn_op_entry *ops = append(file, file->ops, file->op_count, sizeof *ops);
    if (!ops)
        return refused(file);
    file->ops = ops;
    ops[file->op_count++] = entry;
    return SYN_OK;
}

/* Stores a record under its index. The table grows as needed, as far as the budget allows. */
static int put_record(struct syn_rank_file *file, struct syn_record_table *table, uint32_t index,
                      void *record)
{
    if (!syn_rank_index_plausible(file, index))
        return SYN_EDAMAGED;
    if (index >= table->capacity) {
        /* Double the capacity, because writers declare one record after the other. */
        size_t capacity = index < 2 * table->capacity ? 2 * table->capacity : (size_t)index + 1;
        size_t more = capacity - table->capacity;
        if (!syn_arena_charge(&file->arena, more * sizeof *table->records))
            return SYN_EDAMAGED;
        void **records = realloc(table->records, capacity * sizeof *records);
        if (!records)
            return SYN_ENOMEM;
        memset(records + table->capacity, 0, more * sizeof *records);
        table->records = records;
        table->capacity = capacity;
    }
    table->records[index] = record;
    table->count = index >= table->count ? (size_t)index + 1 : table->count;
    return SYN_OK;
}

static int take_comm_as(struct syn_rank_file *file, struct syn_take *take,
                        int (*as)(struct syn_take *, struct syn_arena *, struct syn_rank_lists *,
                                  struct syn_comm_record *))
{
    struct syn_comm_record *comm = syn_arena_take(&file->arena, 1, sizeof *comm);
    int status = comm ? as(take, &file->arena, file->lists, comm) : refused(file);
    return status == SYN_OK ? put_record(file, &file->comms, comm->index, comm) : status;
}

static int take_comm(struct syn_rank_file *file, struct syn_take *take)
{
    if (!syn_repeated_comm_follows(take))
        return take_comm_as(file, take, syn_take_comm);
    /* A known communicator is not replaced: its base may have another name by now. If damage
     * destroyed the record of the base, the copies of both are still in the file. */
    struct syn_repeated_comm sibling;
    int status = syn_take_repeated_comm(take, &sibling);
    if (status != SYN_OK || syn_rank_comm(file, sibling.index))
        return status;
    const struct syn_comm_record *base = syn_rank_comm(file, sibling.base);
    if (!base)
        return SYN_OK;
    struct syn_comm_record *comm = syn_arena_take(&file->arena, 1, sizeof *comm);
    if (!comm)
        return refused(file);
    status = syn_repeated_comm_record(&sibling, base, &file->arena, comm);
    return status == SYN_OK ? put_record(file, &file->comms, comm->index, comm) : status;
}

static int take_members(struct syn_rank_file *file, struct syn_take *take)
{
    return take_comm_as(file, take, syn_take_comm_in_runs);
}

static int take_module(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_module_record *module = syn_arena_take(&file->arena, 1, sizeof *module);
    int status = module ? syn_take_module(take, &file->arena, module) : refused(file);
    return status == SYN_OK ? put_record(file, &file->modules, module->index, module) : status;
}

static int take_stack(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_stack_record *stack = syn_arena_take(&file->arena, 1, sizeof *stack);
    int status = stack ? syn_take_stack(take, &file->arena, stack) : refused(file);
    return status == SYN_OK ? put_record(file, &file->stacks, stack->index, stack) : status;
}

static int take_clock(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_clock_section clock = {0};
    int status = syn_take_clock(take, &file->arena, &clock);
    if (status == SYN_OK)
        file->clock = clock;
    return status;
}

static int take_open(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_open_list *open = &file->open;
    struct syn_open_entry entry = {.moving = false};
    const int status = syn_take_open(take, &entry.thread, &entry.line);
    if (status != SYN_OK)
        return status;
    if (!syn_open_times_are_valid(&entry.line))
        return SYN_EDAMAGED;
    struct syn_open_entry *entries = append(file, open->entries, open->count, sizeof *entries);
    if (!entries)
        return refused(file);
    open->entries = entries;
    entries[open->count++] = entry;
    return SYN_OK;
}

static int take_end(struct syn_rank_file *file, struct syn_take *take)
{
    struct syn_end_record end;
    int status = syn_take_end(take, &end);
    if (status == SYN_OK) {
        file->end = end;
        file->has_end = true;
    }
    return status;
}

/* Takes `count` records of one kind. Unknown kinds are skipped. */
static int take_records(struct syn_rank_file *file, uint64_t kind, uint64_t count, const void *raw,
                        size_t raw_bytes)
{
    static int (*const takers[])(struct syn_rank_file *, struct syn_take *) = {
        [SYN_FRAME_META] = take_meta,     [SYN_FRAME_COMM] = take_comm,
        [SYN_FRAME_MODULE] = take_module, [SYN_FRAME_STACK] = take_stack,
        [SYN_FRAME_CLOCK] = take_clock,   [SYN_FRAME_OPS] = take_op,
        [SYN_FRAME_END] = take_end,       [SYN_FRAME_MEMBERS] = take_members,
        [SYN_FRAME_OPEN] = take_open,
    };
    if (kind >= sizeof takers / sizeof *takers || !takers[kind])
        return SYN_OK;
    struct syn_take take = syn_take_from(raw, raw_bytes);
    for (uint64_t i = 0; i < count; i++) {
        int status = takers[kind](file, &take);
        if (status != SYN_OK)
            return status;
    }
    return syn_take_left(&take) == 0 ? SYN_OK : SYN_EDAMAGED;
}

/* Takes the records of one kind from a SECTIONS frame. */
static int take_kind(struct syn_rank_file *file, struct syn_take *take)
{
    const uint64_t kind = syn_take_varint(take);
    const uint64_t count = syn_take_varint(take);
    const size_t bytes = syn_take_bounded(take, syn_take_left(take));
    const uint8_t *raw = syn_take_bytes(take, bytes);
    if (take->failed || count > bytes || kind == SYN_FRAME_SECTIONS)
        return SYN_EDAMAGED;
    return take_records(file, kind, count, raw, bytes);
}

int syn_rank_take_section(struct syn_rank_file *file, const struct syn_frame_header *header,
                          const uint8_t *raw)
{
    if (header->type == SYN_FRAME_SECTIONS) {
        struct syn_take take = syn_take_from(raw, header->raw_bytes);
        int status = SYN_OK;
        file->sections_bytes += header->raw_bytes;
        for (uint64_t i = 0; status == SYN_OK && i < header->element_count; i++)
            status = take_kind(file, &take);
        return status == SYN_OK && syn_take_left(&take) > 0 ? SYN_EDAMAGED : status;
    }
    return take_records(file, header->type, header->element_count, raw, header->raw_bytes);
}
