/* tests/mpi/kill_check.c - is everything in a trace that a killed program (kill.c) says it did?
 * usage: kill_check TRACE TRUTH_DIRECTORY. A line for each rank, "RANK ENDING IN_TRACE TRUTH LOST".
 * Exit status 1 where something is lost, there twice, or was never done; 3 where there is no trace
 * and nothing was done either. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/read/reader.h"

#define THREADS 8
#define WORDS   9
#define PHASES  256
/* The recorder has at least one part in LEAST_PART of the time around short messages that the
 * program measures. */
#define LEAST_PART 4

/* Events in all collectives that kill.c counts; each thread may have one more in the trace, which
 * has not returned yet. */
struct found {
    uint64_t *keys; /* communicator << 40 | sequence number, of all events */
    size_t count, room;
    uint64_t counted;
    uint64_t messaged, messages_ns; /* events behind messages, and the time in these */
    bool has_phase[PHASES];
};

static void add(struct found *found, uint64_t key)
{
    if (found->count == found->room) {
        found->room = found->room ? 2 * found->room : 4096;
        found->keys = realloc(found->keys, found->room * sizeof *found->keys);
        if (!found->keys)
            exit(2);
    }
    found->keys[found->count++] = key;
}

static int compare(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* The phase of an event has a name, as what else an event refers to is known (the cursor sees to
 * that). */
static int check_phases(const struct syn_rank_file *file, const struct found *found, int rank)
{
    char key[32];
    for (unsigned phase = 1; phase < PHASES; phase++) {
        snprintf(key, sizeof key, "phase.%u", phase);
        if (found->has_phase[phase] && !syn_rank_meta(file, key)) {
            printf("rank %d: phase %u has no name\n", rank, phase);
            return 1;
        }
    }
    return 0;
}

/* Every communicator's events are numbered without a gap and without a double. */
static int check_numbers(struct found *found, int rank)
{
    if (found->count > 0)
        qsort(found->keys, found->count, sizeof *found->keys, compare);
    for (size_t i = 0; i < found->count; i++) {
        const uint64_t key = found->keys[i], low = key & (((uint64_t)1 << 40) - 1);
        const int first = i == 0 || found->keys[i - 1] >> 40 != key >> 40;
        if (first ? low != 0 : key != found->keys[i - 1] + 1) {
            printf("rank %d: communicator %" PRIu64 ": %s before %" PRIu64 "\n", rank, key >> 40,
                   !first && key == found->keys[i - 1] ? "a double" : "a gap", low);
            return 1;
        }
    }
    return 0;
}

static int read_rank(struct syn_rank_file *file, struct found *found)
{
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    int status = syn_cursor_open(file, &cursor);
    while (status == 0 && (status = syn_cursor_next(cursor, &columns)) == 0)
        for (size_t i = 0; i < columns.count; i++) {
            const unsigned row = columns.op[i] % SYN_OP_FORM_STRIDE;
            add(found, (uint64_t)columns.comm[i] << 40 | columns.sequence[i]);
            found->has_phase[SYN_EVENT_PHASE(columns.flags[i])] = true;
            found->counted += row == SYN_ROW_BARRIER || row == SYN_ROW_ALLREDUCE;
            const int64_t messages_ns = columns.messages_ns ? columns.messages_ns[i] : 0;
            found->messaged += messages_ns > 0;
            found->messages_ns += (uint64_t)messages_ns;
        }
    syn_cursor_close(cursor);
    return status;
}

/* Counts by kill.c, of all threads. */
struct truth {
    uint64_t calls, messaged, messages_ns, short_ns;
};

static struct truth read_truths(const char *directory, int rank)
{
    char path[4096];
    uint64_t words[1 + 4 * THREADS] = {0};
    struct truth truth = {0};
    snprintf(path, sizeof path, "%s/%d", directory, rank);
    const int file = open(path, O_RDONLY);
    if (file < 0)
        return truth;
    if (read(file, words, sizeof words) > 0)
        for (int i = 1; i <= THREADS; i++) {
            truth.calls += words[i];
            truth.messaged += words[THREADS + i];
            truth.messages_ns += words[2 * THREADS + i];
            truth.short_ns += words[3 * THREADS + i];
        }
    close(file);
    return truth;
}

static uint64_t read_truth(const char *directory, int rank)
{
    return read_truths(directory, rank).calls;
}

/* The last call of each thread may have begun and be no event yet. Some of the time around a
 * message is the recorder's and the program's own; if others had its processor meanwhile, nearly
 * all is: only short messages show how much there must be at least. */
static bool check_messages(const struct found *found, const char *directory, int rank)
{
    const struct truth truth = read_truths(directory, rank);
    const bool wrong =
        found->messaged > truth.messaged || found->messaged + THREADS < truth.messaged ||
        found->messages_ns > truth.messages_ns ||
        (found->messaged > 10000 && found->messages_ns < truth.short_ns / LEAST_PART);
    if (wrong)
        printf("rank %d: %" PRIu64 " events behind messages of %" PRIu64 " ns, not %" PRIu64
               " of %" PRIu64 ", %" PRIu64 " of them in short ones\n",
               rank, found->messaged, found->messages_ns, truth.messaged, truth.messages_ns,
               truth.short_ns);
    return wrong;
}

static int check_rank(struct syn_trace *trace, const char *directory, int rank)
{
    struct found found = {0};
    struct syn_rank_file *file = syn_trace_rank(trace, rank);
    const uint64_t truth = read_truth(directory, rank);
    if (file)
        read_rank(file, &found);
    const uint64_t lost = truth > found.counted ? truth - found.counted : 0;
    const uint64_t more = found.counted > truth ? found.counted - truth : 0;
    printf("%d %s %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", rank,
           file ? syn_ending_name(syn_rank_end(file)->ending) : "none", found.counted, truth, lost);
    int bad =
        check_numbers(&found, rank) ||
        (file && (check_phases(file, &found, rank) || check_messages(&found, directory, rank)));
    free(found.keys);
    return bad || lost > 0 || more >= WORDS;
}

int main(int argc, char **argv)
{
    struct syn_trace *trace;
    char *why = NULL;
    int bad = 0;
    if (argc != 3)
        return 2;
    if (syn_trace_open(argv[1], &trace, &why)) {
        const uint64_t truth = read_truth(argv[2], 0) + read_truth(argv[2], 1);
        printf("no trace: %s; %" PRIu64 " lost\n", why ? why : "?", truth);
        free(why);
        return truth > 0 ? 1 : 3;
    }
    for (int rank = 0; rank < syn_trace_size(trace); rank++)
        bad |= check_rank(trace, argv[2], rank);
    syn_trace_close(trace);
    return bad;
}
