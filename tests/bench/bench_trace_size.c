/* tests/bench/bench_trace_size.c - bytes and nanoseconds an event in a trace file.
 *
 *     bench_trace_size [EVENTS [LEVEL...]]
 *
 * Simulated events: 12 call sites in a loop, gaps and durations lognormal around 4 us, in ticks of
 * clocks as there are: most processors' counters move on by more than 1 at a time. Beside the size
 * stands the entropy of exactly these times, the least that any coder could reach.
 * docs/trace-format.md, "Measured", holds the figures. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zstd.h>

#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

#define REPEAT_COUNT 15

static uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static double next_normal(uint64_t *state)
{
    double u = ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
    double v = ((double)(next_random(state) >> 11) + 0.5) * 0x1p-53;
    return sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

/* A clock: what its counter moves on by, and how many such steps a nanosecond has. */
struct counter {
    const char *name;
    int64_t step_ticks;
    double steps_per_ns;
};

static const struct counter nanoseconds = {"1 ns", 1, 1};
static const struct counter counters[] = {
    {"2 ticks, 1.3 a ns", 2, 1.3},
    {"26 ticks, 0.1 a ns", 26, 0.1},
    {"1000 ticks, 0.001 a ns", 1000, 0.001},
};

struct shape {
    const struct counter *counter;
    double sigma;
    bool nonblocking;
};

static int64_t next_time(uint64_t *state, const struct shape *shape)
{
    const double ns = 4000 * exp(shape->sigma * next_normal(state));
    return (int64_t)(ns * shape->counter->steps_per_ns) * shape->counter->step_ticks;
}

/* Differential entropy of a lognormal in bits: what a time in such steps cannot be shorter than. */
static double entropy_bits(const struct shape *shape)
{
    return log2(4000 * shape->counter->steps_per_ns * shape->sigma * sqrt(2 * M_PI * M_E));
}

static struct syn_event *simulate(size_t count, const struct shape *shape)
{
    /* A cache line each, as in the recorder's blocks. */
    struct syn_event *events = aligned_alloc(sizeof *events, count * sizeof *events);
    uint64_t state = 1, sequences[3] = {0};
    int64_t now = 0;
    for (size_t i = 0; events && i < count; i++) {
        uint32_t site = (uint32_t)(i % 12);
        struct syn_event *event = &events[i];
        *event = (struct syn_event){0};
        event->start_ticks = event->wait_start_ticks = now + next_time(&state, shape);
        event->end_ticks = event->start_ticks + next_time(&state, shape);
        event->call_end_ticks = event->end_ticks;
        event->bytes = (uint64_t)8 << site;
        event->comm = site % 3;
        event->sequence = sequences[event->comm]++;
        event->stack = site;
        event->root = -1;
        event->op = SYN_OP_BLOCKING(ALLREDUCE);
        now = event->end_ticks;
        if (!shape->nonblocking)
            continue;
        event->op = syn_op_id(SYN_ROW_ALLREDUCE, SYN_FORM_NONBLOCKING);
        event->wait_start_ticks = event->call_end_ticks + next_time(&state, shape);
        event->end_ticks = event->wait_start_ticks + next_time(&state, shape);
    }
    return events;
}

/* Processor time: what else runs on the machine is not to count. */
static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Keeps the bytes, so that reading can be timed; memory, so that no disk is. */
struct buffer {
    char *data;
    size_t bytes;
    size_t capacity;
};

static int buffer_write(void *ctx, const void *data, size_t bytes)
{
    struct buffer *buffer = ctx;
    if (bytes > buffer->capacity - buffer->bytes)
        return SYN_EIO;
    memcpy(buffer->data + buffer->bytes, data, bytes);
    buffer->bytes += bytes;
    return SYN_OK;
}

static int buffer_commit(void *ctx)
{
    (void)ctx;
    return SYN_OK;
}

static void buffer_close(void *ctx)
{
    (void)ctx;
}

static const struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC,
                                             .multiplier = (uint64_t)1 << 32};

static struct syn_writer *open_writer(struct buffer *buffer, int level)
{
    struct syn_writer *writer = NULL;
    struct syn_writer_identity identity = {.size = 1};
    struct syn_sink sink = {buffer_write, buffer_commit, buffer_close, buffer, NULL};
    buffer->bytes = 0;
    syn_writer_open(sink, &identity, level, &ticks, &writer);
    for (uint32_t i = 0; writer && i < 12; i++) {
        static const int32_t world_rank = 0;
        struct syn_comm_record comm = {
            .index = i, .id = i + 1, .size = 1, .name = "", .world_ranks = &world_rank};
        struct syn_stack_record stack = {.index = i};
        syn_writer_comm(writer, &comm);
        syn_writer_stack(writer, &stack);
    }
    return writer;
}

struct cost {
    double bytes;
    double write_ns;
    double read_ns;
};

static double read_all(const char *path)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    double begin = now_ns();
    if (syn_rank_open(path, NULL, &file) != SYN_OK || syn_cursor_open(file, &cursor) != SYN_OK)
        return NAN;
    while (syn_cursor_next(cursor, &columns) == SYN_OK)
        ;
    double took = now_ns() - begin;
    if (syn_rank_fault(file, NULL) != SYN_OK)
        took = NAN;
    syn_cursor_close(cursor);
    syn_rank_close(file);
    return took;
}

/* The least disturbed repetition: what else runs shares caches and memory with us. */
static double fastest(const double *values, size_t count)
{
    double least = values[0];
    for (size_t i = 1; i < count; i++)
        least = values[i] < least ? values[i] : least;
    return least;
}

static struct cost measure(const struct syn_event *events, size_t count, int level,
                           const struct syn_timeline *timeline)
{
    char path[] = "/tmp/bench-trace-XXXXXX";
    double write_ns[REPEAT_COUNT], read_ns[REPEAT_COUNT];
    struct buffer buffer = {.capacity = 64 * count + (1 << 20)};
    buffer.data = malloc(buffer.capacity);
    memset(buffer.data, 1, buffer.capacity);
    int file = mkstemp(path);
    for (int i = 0; i < REPEAT_COUNT; i++) {
        struct syn_writer *writer = open_writer(&buffer, level);
        double begin = now_ns();
        syn_writer_entries(writer, 0, events, count, 0, timeline);
        write_ns[i] = now_ns() - begin;
        syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE});
        syn_writer_close(writer);
        if (i == 0 && write(file, buffer.data, buffer.bytes) != (ssize_t)buffer.bytes)
            perror(path);
        read_ns[i] = read_all(path);
    }
    close(file);
    unlink(path);
    free(buffer.data);
    return (struct cost){(double)buffer.bytes / (double)count,
                         fastest(write_ns, REPEAT_COUNT) / (double)count,
                         fastest(read_ns, REPEAT_COUNT) / (double)count};
}

/* Costs of plain zstd over the structs, for comparison. */
static struct cost measure_raw(const struct syn_event *events, size_t count, int level)
{
    size_t bytes = count * sizeof *events, bound = ZSTD_compressBound(bytes);
    char *out = malloc(bound);
    double begin = now_ns();
    size_t got = ZSTD_compress(out, bound, events, bytes, level);
    double took = now_ns() - begin;
    free(out);
    return (struct cost){(double)got / (double)count, took / (double)count, NAN};
}

static void print_cost(const char *what, int level, double entropy_bytes, struct cost cost)
{
    printf("%-28s %5d %10.2f %10.3f %10.2f %10.2f\n", what, level, entropy_bytes, cost.bytes,
           cost.write_ns, cost.read_ns);
}

static void print_shape(const char *what, int level, size_t count, const struct shape *shape,
                        const struct syn_timeline *timeline)
{
    const double entropy = (shape->nonblocking ? 4 : 2) * entropy_bits(shape) / 8;
    struct syn_event *events = simulate(count, shape);
    if (what)
        print_cost(what, level, entropy, measure(events, count, level, timeline));
    else
        print_cost("64-byte structs", level, entropy, measure_raw(events, count, level));
    free(events);
}

static void print_level(int level, size_t count)
{
    struct syn_knot knots[] = {{0, 1000, 10}, {(int64_t)1 << 40, 1500, 10}};
    const struct syn_timeline timeline = {.knots = knots, .knot_count = 2};
    const struct shape blocking = {&nanoseconds, 0.5, false};
    print_shape(NULL, level, count, &blocking, NULL);
    print_shape("blocking, ticks", level, count, &blocking, NULL);
    print_shape("blocking, global time", level, count, &blocking, &timeline);
    print_shape("blocking, sigma 1", level, count, &(struct shape){&nanoseconds, 1, false}, NULL);
    print_shape("nonblocking, ticks", level, count, &(struct shape){&nanoseconds, 0.5, true}, NULL);
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++)
        print_shape(counters[i].name, level, count, &(struct shape){&counters[i], 0.5, false},
                    NULL);
}

int main(int argc, char **argv)
{
    static const int default_levels[] = {1, 3, 6};
    size_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 2000000;
    int level_count = argc > 2 ? argc - 2 : 3;
    printf("%zu events, chunks of %d\n%-28s %5s %10s %10s %10s %10s\n", count, SYN_CHUNK_EVENTS, "",
           "level", "entropy B", "B/event", "write ns", "read ns");
    for (int i = 0; i < level_count; i++)
        print_level(argc > 2 ? atoi(argv[2 + i]) : default_levels[i], count);
    return 0;
}
