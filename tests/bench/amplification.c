/* tests/bench/amplification.c - the cost of short stops of single ranks to a program of many ranks.
 *
 *     amplification COLLECTIVE_US FILE...
 *
 * FILE...: the times of each call in several runs of sustained_cost (SYNCOPATE_BENCH_TIMES). The
 * recorder's stop after a call is the shortest time of that call over all runs, less the median: a
 * machine's own stops are not at the same call each time. The program is simulated: N ranks make
 * collective calls of COLLECTIVE_US on one communicator. Each call waits for the last rank, and
 * every rank stops as measured. Ranks may have made other calls before, so that they are at
 * different places of the recorder's work:
 *
 *     alike    all ranks have made equally many calls
 *     shared   each rank is at a random place; stops come after calls whose number is a multiple of
 *              128, as in the recorder
 *     single   each rank is at a random place; stops come after any call, as without that rule
 *
 * Prints for each N and each of these how much longer a call takes, in nanoseconds and in
 * percent. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHARED_CALLS 128
#define RANKS_MAX    100000
/* Calls of the simulated program. */
#define CALLS 4096
/* Before them a rank has made so many: its first stops are longer, once. */
#define FIRST_CALLS 20480

struct profile {
    uint32_t *stop_ns; /* [count]: behind each call */
    size_t count;
};

static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 20;
}

static void take_shortest(struct profile *profile, const char *path)
{
    FILE *file = fopen(path, "r");
    size_t i = 0;
    if (!file)
        exit(2);
    if (!profile->stop_ns) {
        fseek(file, 0, SEEK_END);
        profile->count = (size_t)ftell(file) / sizeof(uint32_t);
        rewind(file);
        profile->stop_ns = malloc((profile->count + 1) * sizeof(uint32_t));
        if (!profile->stop_ns)
            exit(2);
        memset(profile->stop_ns, 0xff, profile->count * sizeof(uint32_t));
    }
    for (uint32_t ns; i < profile->count && fread(&ns, sizeof ns, 1, file) == 1; i++)
        if (ns < profile->stop_ns[i])
            profile->stop_ns[i] = ns;
    profile->count = i;
    fclose(file);
}

static int ascending(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return (a > b) - (a < b);
}

/* Stops are what is beyond the median; below a microsecond they are none. */
static void subtract_median(struct profile *profile)
{
    uint32_t *sorted = malloc((profile->count + 1) * sizeof *sorted);
    if (!sorted || profile->count < 2 * FIRST_CALLS)
        exit(2);
    memcpy(sorted, profile->stop_ns, profile->count * sizeof *sorted);
    qsort(sorted, profile->count, sizeof *sorted, ascending);
    const uint32_t median = sorted[profile->count / 2];
    free(sorted);
    for (size_t i = 0; i < profile->count; i++)
        profile->stop_ns[i] =
            profile->stop_ns[i] > median + 1000 ? profile->stop_ns[i] - median : 0;
    profile->count -= FIRST_CALLS;
    memmove(profile->stop_ns, profile->stop_ns + FIRST_CALLS,
            profile->count * sizeof *profile->stop_ns);
}

/* Stop after call `i` of a rank whose place is shifted by `place` calls, ns. */
static uint32_t stop_of(const struct profile *profile, size_t place, size_t i)
{
    return profile->stop_ns[(place + i) % profile->count];
}

/* The mean over calls of the longest stop of any rank. */
static double lost_ns(const struct profile *profile, const size_t *places, size_t ranks)
{
    double sum = 0;
    for (size_t i = 0; i < CALLS; i++) {
        uint32_t longest = 0;
        for (size_t r = 0; r < ranks; r++) {
            const uint32_t stop = stop_of(profile, places[r], i);
            longest = stop > longest ? stop : longest;
        }
        sum += longest;
    }
    return sum / CALLS;
}

int main(int argc, char **argv)
{
    static size_t alike[RANKS_MAX], shared[RANKS_MAX], single[RANKS_MAX];
    struct profile profile = {0};
    uint64_t state = 1;
    const double collective_ns = argc > 2 ? atof(argv[1]) * 1000 : 0;
    if (collective_ns <= 0)
        return 2;
    for (int i = 2; i < argc; i++)
        take_shortest(&profile, argv[i]);
    subtract_median(&profile);
    const size_t begin = profile.count / SHARED_CALLS / 2 * SHARED_CALLS;
    for (size_t r = 0; r < RANKS_MAX; r++) {
        alike[r] = begin;
        single[r] = next_random(&state) % profile.count;
        shared[r] = begin + next_random(&state) % (profile.count / SHARED_CALLS) * SHARED_CALLS;
    }
    printf("%9s %20s %20s %20s\n", "ranks", "alike", "shared", "single");
    for (size_t ranks = 1; ranks <= RANKS_MAX; ranks *= 10) {
        const size_t *const all[] = {alike, shared, single};
        printf("%9zu", ranks);
        for (int i = 0; i < 3; i++) {
            const double ns = lost_ns(&profile, all[i], ranks);
            printf("  %8.0f ns %6.2f %%", ns, 100 * ns / collective_ns);
        }
        printf("\n");
    }
    return 0;
}
