/* tests/fuzz/fuzz_driver.c - runs the fuzz target without libFuzzer: repeatable mutations of the
 * seeds.
 *
 *     fuzz_reader_plain [EXECUTIONS [SEED]]     mutate
 *     fuzz_reader_plain --file FILE...          one execution for each file (a finding to look at)
 *     fuzz_reader_plain --seeds DIRECTORY       write the seeds, for libFuzzer */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_reader.h"

#define SEED_MAX 64

struct input {
    uint8_t *data;
    size_t size;
};

static uint64_t next_random(uint64_t *state)
{
    uint64_t mixed = *state += 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    return mixed ^ mixed >> 31;
}

static void mutate_once(struct input *input, const struct input *other, uint64_t *state)
{
    static const uint8_t extremes[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 2, 3};
    uint64_t draw = next_random(state);
    size_t at = 1 + (draw >> 8) % (input->size - 1 ? input->size - 1 : 1);
    size_t span = 1 + (draw >> 40) % 16;
    if (at >= input->size)
        return;
    if (span > input->size - at)
        span = input->size - at;
    switch (draw % 6) {
    case 0:
        input->data[at] ^= (uint8_t)(1u << (draw >> 60) % 8);
        break;
    case 1:
        input->data[at] = extremes[(draw >> 56) % sizeof extremes];
        break;
    case 2:
        memset(input->data + at, (int)extremes[(draw >> 56) % sizeof extremes], span);
        break;
    case 3: /* bytes go missing */
        memmove(input->data + at, input->data + at + span, input->size - at - span);
        input->size -= span;
        break;
    case 4: /* or come from elsewhere */
        if (span <= other->size)
            memcpy(input->data + at, other->data + (draw >> 20) % (other->size - span + 1), span);
        break;
    default:
        if (draw >> 58 == 0)
            input->size = at;
        else
            input->data[at]++;
        break;
    }
}

static size_t load_seeds(struct input *seeds)
{
    size_t count = 0;
    while (count < SEED_MAX && fuzz_seed(count, &seeds[count].data, &seeds[count].size))
        count++;
    return count;
}

static void run(const struct input *seeds, size_t seed_count, uint64_t executions, uint64_t state)
{
    for (uint64_t i = 0; i < executions; i++) {
        const struct input *seed = &seeds[next_random(&state) % seed_count];
        const struct input *other = &seeds[next_random(&state) % seed_count];
        struct input input = {malloc(seed->size), seed->size};
        memcpy(input.data, seed->data, seed->size);
        for (uint64_t k = i < seed_count ? 0 : 1 + next_random(&state) % 6; k > 0; k--)
            mutate_once(&input, other, &state);
        LLVMFuzzerTestOneInput(input.data, input.size);
        free(input.data);
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
