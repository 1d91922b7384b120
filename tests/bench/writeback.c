/* tests/bench/writeback.c - the cost of recording into a mapping of a file: page faults and pauses
 * while the kernel writes its dirty pages out. usage: writeback DIRECTORY|plain SECONDS
 * EVENTS_A_SECOND
 *
 * Stores records of 64 bytes through 32 blocks of 2 MiB, one after the other, each cleared before
 * it is used again, as the recorder does. Run it for more than the 30 s after which dirty pages are
 * written, on the file system in question and with "plain" memory, one after the other: costs that
 * both have are the machine's. */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define BLOCK_BYTES ((size_t)2 << 20)
#define BLOCK_COUNT 32

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int open_unlinked(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/writeback.XXXXXX", directory);
    const int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

static void *take_block(int file, size_t i)
{
    if (file >= 0 && fallocate(file, 0, (off_t)(i * BLOCK_BYTES), (off_t)BLOCK_BYTES))
        return NULL;
    void *block = file >= 0 ? mmap(NULL, BLOCK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, file,
                                   (off_t)(i * BLOCK_BYTES))
                            : aligned_alloc(BLOCK_BYTES, BLOCK_BYTES);
    if (!block || block == MAP_FAILED)
        return NULL;
    if (file < 0)
        madvise(block, BLOCK_BYTES, MADV_HUGEPAGE);
    for (size_t at = 0; at < BLOCK_BYTES; at += 4096)
        *((volatile unsigned char *)block + at) = 0;
    return block;
}

struct tally {
    uint64_t count, over_1us, over_10us, over_1ms;
    int64_t longest_ns;
};

static void add(struct tally *tally, int64_t took_ns)
{
    tally->count++;
    tally->over_1us += took_ns > 1000;
    tally->over_10us += took_ns > 10000;
    tally->over_1ms += took_ns > 1000000;
    tally->longest_ns = took_ns > tally->longest_ns ? took_ns : tally->longest_ns;
}

/* The next record is due when the clock says so; one that is late does not hurry the others. */
static void fill(unsigned char *block, double period_ns, double *due_ns, struct tally *tally)
{
    for (size_t at = 0; at < BLOCK_BYTES; at += 64) {
        int64_t start;
        while ((start = now_ns()) < (int64_t)*due_ns)
            continue;
        memset(block + at, (int)at, 64);
        __asm__ volatile("" ::: "memory");
        add(tally, now_ns() - start);
        *due_ns = *due_ns + 1e6 < (double)start ? (double)start : *due_ns + period_ns;
    }
}

int main(int argc, char **argv)
{
    unsigned char *blocks[BLOCK_COUNT];
    struct tally tally = {0};
    struct rusage before, after;
    int64_t longest_clear_ns = 0;
    if (argc != 4)
        return 2;
    const int file = strcmp(argv[1], "plain") == 0 ? -1 : open_unlinked(argv[1]);
    const int64_t began_ns = now_ns();
    for (size_t i = 0; i < BLOCK_COUNT; i++)
        if (!(blocks[i] = take_block(file, i))) {
            perror(argv[1]);
            return 1;
        }
    const double taken_us = (double)(now_ns() - began_ns) / 1e3 / BLOCK_COUNT;
    const int64_t end_ns = now_ns() + (int64_t)(atof(argv[2]) * 1e9);
    double due_ns = (double)now_ns();
    getrusage(RUSAGE_SELF, &before);
    for (size_t i = 0; now_ns() < end_ns; i = (i + 1) % BLOCK_COUNT) {
        const int64_t start_ns = now_ns();
        memset(blocks[i], 0, BLOCK_BYTES);
        const int64_t took_ns = now_ns() - start_ns;
        longest_clear_ns = took_ns > longest_clear_ns ? took_ns : longest_clear_ns;
        fill(blocks[i], 1e9 / atof(argv[3]), &due_ns, &tally);
    }
    getrusage(RUSAGE_SELF, &after);
    printf("%s: a block taken in %.0f us; %llu records; %ld page faults; over 1 us %llu, 10 us "
           "%llu, 1 ms %llu; "
           "longest %.0f us; longest clearing %.0f us\n",
           argv[1], taken_us, (unsigned long long)tally.count, after.ru_minflt - before.ru_minflt,
           (unsigned long long)tally.over_1us, (unsigned long long)tally.over_10us,
           (unsigned long long)tally.over_1ms, (double)tally.longest_ns / 1e3,
           (double)longest_clear_ns / 1e3);
    return 0;
}
