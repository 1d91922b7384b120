/* preload/recorder/warm_up.c - see warm_up.h. */
#include "preload/recorder/warm_up.h"

#include <stdbool.h>

#include "sync/base/status.h"
#include "trace/events/notes.h"

/* More than the clocks of samples may differ. */
#define LONG_PAUSE_TICKS ((int64_t)1 << 24)

/* Pseudorandom numbers (generator of Knuth's MMIX). */
struct numbers {
    uint64_t state;
    unsigned bits; /* of each number */
};

static int64_t next_of(struct numbers *numbers)
{
    numbers->state = numbers->state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(numbers->state >> (64 - numbers->bits));
}

/* Makes a blocking event after *at, which becomes its end. All have the same call site. */
static struct syn_event make_plain(size_t i, struct numbers *numbers, int64_t *at)
{
    const int64_t start = *at + next_of(numbers), end = start + next_of(numbers);
    *at = end;
    return (struct syn_event){.start_ticks = start,
                              .end_ticks = end,
                              .call_end_ticks = end,
                              .wait_start_ticks = start,
                              .sequence = i};
}

/* Makes a nonblocking event with a call site of its own. Each communicator has two, whose sequence
 * numbers are not consecutive. */
static struct syn_event make_distinct(size_t i, struct numbers *numbers, int64_t *at)
{
    struct syn_event event = make_plain(i, numbers, at);
    event.wait_start_ticks = *at + next_of(numbers);
    event.end_ticks = *at = event.wait_start_ticks + next_of(numbers);
    event.bytes = (uint64_t)next_of(numbers);
    event.comm = (uint32_t)(i / 2);
    event.stack = (uint32_t)i;
    event.sequence = 2 * i;
    return event;
}

static void encode(struct syn_batch *batch, const struct syn_event *entries, size_t count)
{
    const size_t note_count = syn_count_notes(entries, count);
    int status = syn_batch_begin(batch, 0, entries, count, note_count, NULL);
    while (status == SYN_OK && syn_batch_steps_left(batch) > 0)
        status = syn_batch_step(batch);
}

void syn_warm_up(struct syn_batch *batch, struct syn_event *entries, size_t count)
{
    struct numbers numbers = {.state = 1, .bits = 16};
    int64_t at = 0;
    for (size_t i = 0; i < count; i++)
        entries[i] = i % 4 == 1 ? syn_note_of_messages(next_of(&numbers), next_of(&numbers))
                                : make_distinct(i, &numbers, &at);
    encode(batch, entries, count);
    /* All events are alike, between samples that show no processor time. A sample in the middle
     * makes the encoder copy the events; a pause makes it look at all of them. */
    numbers = (struct numbers){.state = 1, .bits = 6};
    struct syn_sample sample = {0};
    for (size_t i = 0; i < count; i++) {
        const bool is_sample = i == 0 || i == count / 2 || i + 1 == count;
        entries[i] =
            is_sample ? syn_note_of_sample(&sample) : make_plain(i, &numbers, &sample.time);
        sample.time += i == 1 ? LONG_PAUSE_TICKS : 0;
    }
    encode(batch, entries, count);
}
