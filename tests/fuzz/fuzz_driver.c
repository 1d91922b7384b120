/* tests/fuzz/fuzz_driver.c - runs a fuzz target without libFuzzer: repeatable mutations of the
 * seeds.
 *
 *     fuzz_reader_plain [EXECUTIONS [SEED]]     mutate
 *     fuzz_reader_plain --file FILE...          one execution for each file (a finding to look at)
 *     fuzz_reader_plain --seeds DIRECTORY       write the seeds, for libFuzzer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define SEED_MAX  80
#define INPUT_MAX ((size_t)1 << 16)

struct input {
    uint8_t *data;
    size_t size;
};

static uint64_t mutation_state;

static uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

/* Mutates bytes as libFuzzer does. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t bytes, size_t capacity)
{
    static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 2, 3};
    uint64_t draw = next_random(&mutation_state);
    size_t at = bytes ? (draw >> 8) % bytes : 0, span = 1 + (draw >> 40) % 16;
    span = span < bytes - at ? span : bytes - at;
    if (bytes == 0)
        return 0;
    switch (draw % 6) {
    case 0:
        data[at] ^= (uint8_t)(1u << (draw >> 60) % 8);
        return bytes;
    case 1:
        data[at] = extremes[(draw >> 56) % sizeof extremes];
        return bytes;
    case 2:
        memset(data + at, extremes[(draw >> 56) % sizeof extremes], span);
        return bytes;
    case 3: /* bytes go missing */
        memmove(data + at, data + at + span, bytes - at - span);
        return bytes - span;
    case 4: /* or come twice */
        span = span < capacity - bytes ? span : capacity - bytes;
        memmove(data + at + span, data + at, bytes - at);
        return bytes + span;
    default:
        if (draw >> 58 == 0)
            return at;
        data[at]++;
        return bytes;
    }
}

static size_t load_seeds(struct input *seeds)
{
    size_t count = 0;
    while (count < SEED_MAX && fuzz_seed(count, &seeds[count].data, &seeds[count].size))
        count++;
    return count;
}

/* A seed with some mutations, sometimes crossed with another first. */
static size_t make_input(const struct input *seeds, size_t seed_count, uint64_t *state,
                         uint8_t data[INPUT_MAX])
{
    const struct input *seed = &seeds[next_random(state) % seed_count];
    const struct input *other = &seeds[next_random(state) % seed_count];
    size_t bytes = seed->size < INPUT_MAX ? seed->size : INPUT_MAX;
    memcpy(data, seed->data, bytes);
    if (next_random(state) % 8 == 0)
        bytes = LLVMFuzzerCustomCrossOver(seed->data, seed->size, other->data, other->size, data,
                                          INPUT_MAX, (unsigned)next_random(state));
    for (uint64_t k = 1 + next_random(state) % 6; k > 0; k--)
        bytes = LLVMFuzzerCustomMutator(data, bytes, INPUT_MAX, (unsigned)next_random(state));
    return bytes;
}

static void run(const struct input *seeds, size_t seed_count, uint64_t executions, uint64_t state)
{
    static uint8_t data[INPUT_MAX];
    mutation_state = state;
    for (uint64_t i = 0; i < executions; i++) {
        if (i < seed_count) {
            LLVMFuzzerTestOneInput(seeds[i].data, seeds[i].size);
            continue;
        }
        size_t bytes = make_input(seeds, seed_count, &state, data);
        /* A copy of the exact size, so that a sanitizer sees reads past the end. */
        uint8_t *copy = malloc(bytes);
        memcpy(copy, data, bytes);
        LLVMFuzzerTestOneInput(copy, bytes);
        free(copy);
    }
}

static int run_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    static uint8_t data[1 << 24];
    if (!file) {
        perror(path);
        return 1;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return 0;
}

static int write_seeds(const struct input *seeds, size_t count, const char *directory)
{
    for (size_t i = 0; i < count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%02zu", directory, i);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(seeds[i].data, 1, seeds[i].size, file) != seeds[i].size ||
            fclose(file) != 0) {
            perror(path);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    struct input seeds[SEED_MAX];
    size_t seed_count = load_seeds(seeds);
    int status = 0;
    LLVMFuzzerInitialize(&argc, &argv);
    if (argc > 2 && strcmp(argv[1], "--file") == 0) {
        for (int i = 2; i < argc; i++)
            status |= run_file(argv[i]);
    } else if (argc > 2 && strcmp(argv[1], "--seeds") == 0) {
        status = write_seeds(seeds, seed_count, argv[2]);
    } else {
        uint64_t executions = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000;
        uint64_t state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
        run(seeds, seed_count, executions, state);
        printf("%llu executions\n", (unsigned long long)executions);
    }
    for (size_t i = 0; i < seed_count; i++)
        free(seeds[i].data);
    return status;
}
