/* preload_warm_up_test.c - a thread that rehearsed touches no new pages in its first blocks. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "preload/recorder/warm_up.h"
#include "sync/base/status.h"
#include "trace/events/notes.h"

/* Under a sanitizer memory that was given back is not taken again at once (gcc 14: 90 pages). */
#ifdef __SANITIZE_ADDRESS__
#define HARDLY_ANY 100
#else
#define HARDLY_ANY 20
#endif

/* As many as a block has. */
#define ENTRIES ((size_t)6142)

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* A thread's entries: each event from another place, or all nonblocking and with a note, or all
 * alike with a sample among them. */
enum kind { MANY_PLACES, WITH_NOTES, WITH_SAMPLE };

static struct syn_event entry_of(enum kind kind, size_t i)
{
    const int64_t at = (int64_t)(1000 * i + i * i % 97);
    const struct syn_sample sample = {.time = at, .cpu_ns = 1000 * i};
    struct syn_event event = {.start_ticks = at,
                              .end_ticks = at + 400,
                              .call_end_ticks = at + 400,
                              .wait_start_ticks = at,
                              .sequence = i};
    if (kind == WITH_NOTES && i % 2 == 0)
        return syn_note_of_messages((int64_t)(30 + i % 11), 0);
    if (kind == WITH_SAMPLE && i == ENTRIES / 2)
        return syn_note_of_sample(&sample);
    if (kind == WITH_NOTES) {
        event.call_end_ticks = event.wait_start_ticks = at + 100;
        event.sequence = i / 2;
    }
    if (kind == MANY_PLACES) {
        event.stack = (uint32_t)i;
        event.comm = (uint32_t)(i / 2);
        event.sequence = i % 2;
    }
    return event;
}

static long faults_of_encoding(struct syn_batch *batch, const struct syn_event *entries)
{
    const size_t note_count = syn_count_notes(entries, ENTRIES);
    const long before = faults();
    cr_assert_eq(syn_batch_begin(batch, 0, entries, ENTRIES, note_count, NULL), SYN_OK);
    while (syn_batch_steps_left(batch) > 0)
        cr_assert_eq(syn_batch_step(batch), SYN_OK);
    return faults() - before;
}

static long faults_in_first_block(enum kind kind, bool rehearsed)
{
    const struct syn_tick_source ticks = {.multiplier = UINT64_C(1) << 32};
    struct syn_batch *batch = syn_batch_new(1, &ticks);
    struct syn_event *entries = malloc(ENTRIES * sizeof *entries);
    cr_assert(batch && entries);
    if (rehearsed)
        syn_warm_up(batch, entries, ENTRIES);
    for (size_t i = 0; i < ENTRIES; i++)
        entries[i] = entry_of(kind, i);
    const long count = faults_of_encoding(batch, entries);
    free(entries);
    syn_batch_free(batch);
    return count;
}

/* Each in a process of its own: what another one gave back would be touched already. */
static void expect_hardly_any(enum kind kind)
{
    const long count = faults_in_first_block(kind, true);
    cr_expect_lt(count, HARDLY_ANY, "%ld pages", count);
}

Test(rehearsal, without_it_a_block_touches_many_pages)
{
    cr_expect_gt(faults_in_first_block(MANY_PLACES, false), 100);
}

Test(rehearsal, calls_from_many_places)
{
    expect_hardly_any(MANY_PLACES);
}

Test(rehearsal, calls_with_notes)
{
    expect_hardly_any(WITH_NOTES);
}

Test(rehearsal, calls_around_a_sample)
{
    expect_hardly_any(WITH_SAMPLE);
}
