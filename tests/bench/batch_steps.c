/* tests/bench/batch_steps.c - how long each step takes by which a block of events becomes a frame.
 *
 *     batch_steps [ROUNDS [SITES [stops|messages|nonblocking|comms|sendrecv|waitall]]]
 *
 * `stops`: every 203rd event comes behind a stop of the recorder, as in a real block, and says so.
 * `comms`: every event is the making or the freeing of a communicator.
 * `sendrecv`, `waitall`: pairs of a send and a receive, of one MPI_Sendrecv, or of MPI_Irecv and
 * MPI_Isend that one MPI_Waitall completes.
 *
 * The same block over and over: of each step the shortest time over all rounds stands, which is
 * what it takes on a processor of its own, however busy the machine is. Prints the steps, their
 * sum, the longest, and nanoseconds an event. */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sync/base/status.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"
#include "trace/write/batch.h"

#define ENTRIES   8190
#define STOP_EACH 203
#define STEPS_MAX 1024

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

/* Calls of a few microseconds in ticks that are even, as those of most counters are. */
static struct syn_event event_at(int64_t *at, uint64_t *state, size_t i, size_t sites)
{
    const int64_t start = *at + 2 * (int64_t)(500 + next_random(state) % 4000);
    const int64_t end = start + 2 * (int64_t)(1000 + next_random(state) % 8000);
    *at = end;
    return (struct syn_event){.start_ticks = start,
                              .end_ticks = end,
                              .call_end_ticks = end,
                              .wait_start_ticks = start,
                              .bytes = 8,
                              .sequence = i,
                              .stack = (uint32_t)(next_random(state) % sites),
                              .root = -1,
                              .op = 1,
                              .flags = SYN_EVENT_WRITTEN};
}

static struct syn_event making(const struct syn_event *event, size_t i)
{
    struct syn_event other = *event;
    other.bytes = 0;
    other.sequence = i / 2;
    other.op = 22;
    return other;
}

static struct syn_event freeing(const struct syn_event *event, size_t i)
{
    struct syn_event other = making(event, i);
    other.sequence = 0;
    other.comm = (uint32_t)(100000 + i / 2);
    other.op = 23;
    return other;
}

/* The times of `event` are those of the call, or of the Waitall. */
static struct syn_event message(const struct syn_event *event, size_t i, bool later)
{
    struct syn_event other = *event;
    const bool receives = (i % 2 == 0) == later;
    const uint64_t attributes = receives ? SYN_MESSAGE_RECEIVE : 0;
    other.bytes |= attributes << SYN_ATTRIBUTES_SHIFT;
    other.sequence = syn_message_sequence((uint32_t)i, 7);
    other.root = 0;
    other.stack = (uint32_t)(later ? i % 2 : 0);
    other.op = !later ? SYN_CALL_Sendrecv : receives ? SYN_CALL_Irecv : SYN_CALL_Isend;
    if (later) {
        other.start_ticks = event->start_ticks - (receives ? 800 : 400);
        other.call_end_ticks = other.start_ticks + 2 * (int64_t)(50 + event->end_ticks % 40);
    }
    return other;
}

static size_t make_entries(struct syn_event *entries, size_t sites, const char *kind)
{
    uint64_t state = 1;
    int64_t at = 1000000;
    size_t note_count = 0;
    struct syn_event pair = {0};
    for (size_t i = 0; i < ENTRIES; i++) {
        if (strcmp(kind, "messages") == 0 && i % 2 == 0) {
            entries[i] = syn_note_of_messages(2 * (int64_t)(next_random(&state) % 1000), 0);
            note_count++;
            continue;
        }
        entries[i] = event_at(&at, &state, i, sites);
        if (strcmp(kind, "stops") == 0 && i % STOP_EACH == STOP_EACH - 1)
            entries[i].flags |= SYN_EVENT_PERTURBED;
        if (strcmp(kind, "comms") == 0)
            entries[i] = i % 2 == 0 ? making(&entries[i], i) : freeing(&entries[i], i);
        if (strcmp(kind, "sendrecv") == 0 || strcmp(kind, "waitall") == 0) {
            const struct syn_event call = i % 2 == 0 ? entries[i] : pair;
            pair = call;
            entries[i] = message(&call, i, *kind == 'w');
        }
        if (strcmp(kind, "nonblocking") == 0) {
            entries[i].start_ticks -= 2 * (int64_t)(next_random(&state) % 20000);
            entries[i].call_end_ticks = entries[i].start_ticks + 100;
            entries[i].wait_start_ticks = entries[i].end_ticks - 200;
        }
    }
    return note_count;
}

/* Returns how many steps there were. */
static size_t time_steps(struct syn_batch *batch, const struct syn_event *entries,
                         size_t note_count, double *shortest_us)
{
    size_t steps = 0;
    double began = now_us();
    if (syn_batch_begin(batch, 0, entries, ENTRIES, note_count, NULL) != SYN_OK)
        exit(2);
    do {
        const double ended = now_us();
        if (ended - began < shortest_us[steps])
            shortest_us[steps] = ended - began;
        steps++;
        began = now_us();
    } while (syn_batch_steps_left(batch) > 0 && steps < STEPS_MAX &&
             syn_batch_step(batch) == SYN_OK);
    return steps;
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 200;
    const size_t sites = argc > 2 ? (size_t)atol(argv[2]) : 12;
    const struct syn_tick_source ticks = {.multiplier = (uint64_t)1 << 31};
    static struct syn_event entries[ENTRIES];
    static double shortest_us[STEPS_MAX];
    struct syn_batch *batch = syn_batch_new(1, &ticks);
    const size_t note_count = make_entries(entries, sites, argc > 3 ? argv[3] : "");
    size_t steps = 0;
    double sum = 0, longest = 0;
    for (size_t i = 0; i < STEPS_MAX; i++)
        shortest_us[i] = 1e9;
    for (int round = 0; batch && round < rounds; round++)
        steps = time_steps(batch, entries, note_count, shortest_us);
    for (size_t i = 0; i < steps; i++) {
        sum += shortest_us[i];
        longest = shortest_us[i] > longest ? shortest_us[i] : longest;
        printf("%.1f%s", shortest_us[i], i + 1 < steps ? " " : "\n");
    }
    printf("%zu steps, %.1f us in all, the longest %.1f us, %.1f ns an event, %zu bytes\n", steps,
           sum, longest, sum * 1000 / (double)(ENTRIES - note_count),
           syn_batch_frame(batch)->bytes->count);
    syn_batch_free(batch);
    return 0;
}
