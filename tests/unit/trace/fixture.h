/* tests/unit/trace/fixture.h - memory sinks, temporary directories and events for the tests of
 * trace/. */
#ifndef TRACE_FIXTURE_H
#define TRACE_FIXTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/event.h"
#include "trace/base/sink.h"
#include "trace/read/reader.h"
#include "trace/write/writer.h"

/* A memory sink and its bytes; fails with ENOSPC once it would hold more than `limit_bytes`. */
struct memory_file {
    uint8_t *data;
    size_t bytes;
    size_t limit_bytes;
    size_t write_count, expect_count;
    bool committed;
    bool closed;
    bool fail_commit;
};

struct syn_sink memory_sink(struct memory_file *file);
void memory_file_free(struct memory_file *file);

/* A fresh directory below TMPDIR; removed with everything in it by temp_remove. Static storage: one
 * test is one process. */
const char *temp_directory(void);
void temp_remove(void);
/* "<temp_directory()>/name", in one of a few rotating buffers. */
const char *temp_path(const char *name);
void save_file(const char *path, const void *data, size_t bytes);
/* Caller frees. */
uint8_t *load_file(const char *path, size_t *bytes);
bool path_exists(const char *path);

/* Repeatable pseudo-random numbers (splitmix64). */
uint64_t random_next(uint64_t *state);

/* A tick source of one tick a nanosecond that starts at 0. */
struct syn_tick_source nanosecond_ticks(void);
/* One of `mhz` million ticks a second. */
struct syn_tick_source ticks_of_mhz(double mhz, int64_t base_ticks);

/* A blocking call. */
struct syn_event blocking_event(int64_t start, int64_t end, uint64_t sequence);
/* `count` blocking calls in order, of 12 call sites on 3 communicators, with lognormal times around
 * 4 us. */
struct syn_event *simulated_events(size_t count, uint64_t seed);

/* Declares communicators 0..comm_count-1 (of 4 ranks) and stacks 0..stack_count-1. */
void declare(struct syn_writer *writer, uint32_t comm_count, uint32_t stack_count);
struct syn_writer_identity identity_of(int32_t rank, int32_t size);
/* A whole rank file in a directory: some of everything, `event_count` events. */
void write_rank(const char *directory, int32_t rank, int32_t size, size_t event_count);
/* A trace of `size` ranks with a manifest. */
void write_trace(const char *directory, int32_t size, size_t events_per_rank);

#endif
