#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "sync/base/status.h"
#include "trace/base/ops.h"

static int memory_write(void *ctx, const void *data, size_t bytes)
{
    struct memory_file *file = ctx;
    if (file->limit_bytes && file->bytes + bytes > file->limit_bytes) {
        errno = ENOSPC;
        return SYN_EIO;
    }
    file->data = realloc(file->data, file->bytes + bytes);
    memcpy(file->data + file->bytes, data, bytes);
    file->bytes += bytes;
    file->write_count++;
    return SYN_OK;
}

static int memory_commit(void *ctx)
{
    struct memory_file *file = ctx;
    if (file->fail_commit) {
        errno = EIO;
        return SYN_EIO;
    }
    file->committed = true;
    return SYN_OK;
}

static void memory_close(void *ctx)
{
    ((struct memory_file *)ctx)->closed = true;
}

static void memory_expect(void *ctx)
{
    ((struct memory_file *)ctx)->expect_count++;
}

struct syn_sink memory_sink(struct memory_file *file)
{
    return (struct syn_sink){memory_write, memory_commit, memory_close, file, memory_expect};
}

void memory_file_free(struct memory_file *file)
{
    free(file->data);
    file->data = NULL;
}

static char temp[256];

const char *temp_directory(void)
{
    if (temp[0])
        return temp;
    const char *base = getenv("TMPDIR");
    snprintf(temp, sizeof temp, "%s/syn-trace-XXXXXX", base ? base : "/tmp");
    cr_assert_not_null(mkdtemp(temp));
    return temp;
}

static void remove_tree(const char *path)
{
    DIR *stream = opendir(path);
    if (!stream) {
        unlink(path);
        return;
    }
    for (struct dirent *entry; (entry = readdir(stream));) {
        char inner[4096];
        struct stat state;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (lstat(inner, &state) == 0 && S_ISDIR(state.st_mode))
            remove_tree(inner);
        else
            unlink(inner);
    }
    closedir(stream);
    rmdir(path);
}

void temp_remove(void)
{
    if (temp[0])
        remove_tree(temp);
    temp[0] = 0;
}

const char *temp_path(const char *name)
{
    static char buffers[8][4096];
    static int next;
    char *buffer = buffers[next++ % 8];
    snprintf(buffer, sizeof buffers[0], "%s/%s", temp_directory(), name);
    return buffer;
}

void save_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    cr_assert_not_null(file, "%s", path);
    cr_assert_eq(fwrite(data, 1, bytes, file), bytes);
    cr_assert_eq(fclose(file), 0);
}

uint8_t *load_file(const char *path, size_t *bytes)
{
    FILE *file = fopen(path, "rb");
    cr_assert_not_null(file, "%s", path);
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(*bytes + 1);
    cr_assert_eq(fread(data, 1, *bytes, file), *bytes);
    fclose(file);
    return data;
}

bool path_exists(const char *path)
{
    struct stat state;
    return lstat(path, &state) == 0;
}

uint64_t random_next(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static double random_unit(uint64_t *state)
{
    return ((double)(random_next(state) >> 11) + 0.5) * 0x1p-53;
}

static double random_normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(random_unit(state)));
    return radius * cos(2 * M_PI * random_unit(state));
}

struct syn_tick_source nanosecond_ticks(void)
{
    return (struct syn_tick_source){.kind = SYN_CLOCK_MONOTONIC, .multiplier = (uint64_t)1 << 32};
}

struct syn_tick_source ticks_of_mhz(double mhz, int64_t base_ticks)
{
    return (struct syn_tick_source){.kind = SYN_CLOCK_TSC,
                                    .base_ticks = base_ticks,
                                    .multiplier = (uint64_t)(0x1p32 * 1000 / mhz)};
}

struct syn_event blocking_event(int64_t start, int64_t end, uint64_t sequence)
{
    return (struct syn_event){.start_ticks = start,
                              .end_ticks = end,
                              .call_end_ticks = end,
                              .wait_start_ticks = start,
                              .bytes = 8,
                              .sequence = sequence,
                              .stack = SYN_NO_STACK,
                              .root = -1,
                              .op = SYN_OP_BLOCKING(ALLREDUCE)};
}

struct syn_event *simulated_events(size_t count, uint64_t seed)
{
    struct syn_event *events = calloc(count ? count : 1, sizeof *events);
    uint64_t sequences[3] = {0};
    int64_t now = 1000;
    for (size_t i = 0; i < count; i++) {
        uint32_t site = (uint32_t)(i % 12), comm = site % 3;
        int64_t start = now + (int64_t)(4000 * exp(0.5 * random_normal(&seed)));
        int64_t end = start + (int64_t)(4000 * exp(0.5 * random_normal(&seed)));
        events[i] = blocking_event(start, end, sequences[comm]++);
        events[i].comm = comm;
        events[i].stack = site;
        events[i].bytes = (uint64_t)8 << site;
        events[i].op = site % 4 ? SYN_OP_BLOCKING(ALLREDUCE) : SYN_OP_BLOCKING(BCAST);
        events[i].root = site % 4 ? -1 : (int32_t)site;
        now = end;
    }
    return events;
}

void declare(struct syn_writer *writer, uint32_t comm_count, uint32_t stack_count)
{
    static const int32_t world_ranks[] = {0, 1, 2, 3};
    static const uint8_t build_id[] = {0xde, 0xad, 0x00, 0xbe, 0xef};
    struct syn_frame frames[] = {{0, 0x1234}, {0, 0x5678}, {UINT32_MAX, UINT64_MAX}};
    struct syn_module_record module = {0, "/usr/bin/program", build_id, sizeof build_id};
    for (uint32_t i = 0; i < comm_count; i++) {
        struct syn_comm_record comm = {.index = i,
                                       .id = 100 + i,
                                       .parent_id = i ? 100 : 0,
                                       .size = 4,
                                       .rank = 1,
                                       .name = i ? "split of MPI_COMM_WORLD" : "MPI_COMM_WORLD",
                                       .world_ranks = world_ranks};
        cr_assert_eq(syn_writer_comm(writer, &comm), SYN_OK);
    }
    cr_assert_eq(syn_writer_module(writer, &module), SYN_OK);
    for (uint32_t i = 0; i < stack_count; i++) {
        struct syn_stack_record stack = {i, 3, frames};
        frames[0].offset += 16;
        cr_assert_eq(syn_writer_stack(writer, &stack), SYN_OK);
    }
}

struct syn_writer_identity identity_of(int32_t rank, int32_t size)
{
    struct syn_writer_identity identity = {.rank = rank, .size = size};
    for (int i = 0; i < 16; i++)
        identity.run_id[i] = (uint8_t)(7 * i + 1);
    return identity;
}

void write_rank(const char *directory, int32_t rank, int32_t size, size_t event_count)
{
    char path[4096];
    struct syn_sink sink;
    struct syn_writer *writer;
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer_identity identity = identity_of(rank, size);
    struct syn_knot knots[] = {{1000, 5000 * rank, 30}, {2000000, 5000 * rank + 40, 50}};
    struct syn_timeline timeline = {.knots = knots, .knot_count = 2, .slope_after = 1e-6};
    struct syn_fitpoint point = {0, 0, 1500, -20, 40, 400};
    struct syn_event *events = simulated_events(event_count, 42 + (uint64_t)rank);
    syn_rank_path(path, sizeof path, directory, rank);
    cr_assert_eq(syn_sink_file(path, &sink), SYN_OK);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), SYN_OK);
    syn_writer_meta(writer, "host.name", "node17");
    declare(writer, 3, 12);
    cr_assert_eq(syn_writer_clock(writer, &timeline, &point, 1, NULL), SYN_OK);
    cr_assert_eq(syn_writer_entries(writer, 0, events, event_count, 0, &timeline), SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE}),
                 SYN_OK);
    syn_writer_close(writer);
    free(events);
}

void write_trace(const char *directory, int32_t size, size_t events_per_rank)
{
    struct syn_manifest manifest = {.size = size,
                                    .written_count = size,
                                    .event_count = (uint64_t)size * events_per_rank,
                                    .start_unix_ns = 1700000000000000000,
                                    .duration_ns = 123456789};
    memcpy(manifest.run_id, identity_of(0, size).run_id, sizeof manifest.run_id);
    for (int32_t rank = 0; rank < size; rank++)
        write_rank(directory, rank, size, events_per_rank);
    cr_assert_eq(syn_manifest_write(directory, &manifest), SYN_OK);
}
