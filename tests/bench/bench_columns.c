/* tests/bench/bench_columns.c - rows a second from decoded values to figures.
 *
 *     bench_columns [ROWS=20000000 [GROUPS=1000 [THREADS=2]]]
 *
 * As the report does it: each thread gathers its share of the rows (a group's number, a duration
 * lognormal around 4 us) into columns of its own, slice by slice; the slices' columns are packed
 * into the groups' whole ones; each group is counted, and median, quartiles and the median's
 * interval follow. Prints the processor seconds a thread and the millions of rows a second of each
 * step and of all. */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/match/columns/column.h"
#include "analyze/report/figures/series.h"
#include "analyze/report/figures/tally.h"
#include "analyze/threads.h"

#define SLICE_ROWS ((size_t)1 << 18)
#define DRAWS      ((size_t)1 << 20) /* different durations, used again and again in another order */

struct bench {
    size_t row_count, group_count, thread_count, slice_count;
    const uint16_t *group;    /* [row_count] */
    const int64_t *value;     /* [row_count] */
    struct syn_column *part;  /* [slices in hand][group_count] */
    struct syn_column *whole; /* [group_count] */
    struct syn_store store;
    size_t first_slice, end_slice; /* in hand */
    atomic_size_t next;
    double sum_of_medians;
    pthread_mutex_t lock;
};

/* Processor time of this process: other work of the machine does not count. */
static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void must(int status)
{
    if (status) {
        fprintf(stderr, "bench_columns: failed (%d)\n", status);
        exit(2);
    }
}

static void *gather(void *argument)
{
    struct bench *bench = argument;
    for (size_t slice; (slice = atomic_fetch_add(&bench->next, 1)) < bench->end_slice;) {
        struct syn_column *column = bench->part + (slice - bench->first_slice) * bench->group_count;
        size_t end = (slice + 1) * SLICE_ROWS < bench->row_count ? (slice + 1) * SLICE_ROWS
                                                                 : bench->row_count;
        for (size_t i = slice * SLICE_ROWS; i < end; i++)
            must(syn_column_append(&column[bench->group[i]], NULL, bench->value[i]));
    }
    return NULL;
}

static void *absorb(void *argument)
{
    struct bench *bench = argument;
    for (size_t g; (g = atomic_fetch_add(&bench->next, 1)) < bench->group_count;)
        for (size_t slice = 0; slice < bench->end_slice - bench->first_slice; slice++) {
            struct syn_column *part = &bench->part[slice * bench->group_count + g];
            must(syn_column_append_all(&bench->whole[g], &bench->store, part->value, part->count));
            part->count = 0;
        }
    return NULL;
}

static void *summarize(void *argument)
{
    struct bench *bench = argument;
    struct syn_tally tally = {0};
    for (size_t g; (g = atomic_fetch_add(&bench->next, 1)) < bench->group_count;) {
        struct syn_summary summary;
        const struct syn_column *column = &bench->whole[g];
        struct syn_series series = {
            .column = column, .store = &bench->store, .count = column->count};
        struct syn_ordered sample;
        must(syn_series_count(&series, NULL, 0, &tally, &sample));
        must(syn_summarize_ordered(&sample, 0.95, &summary));
        pthread_mutex_lock(&bench->lock);
        bench->sum_of_medians += summary.median;
        pthread_mutex_unlock(&bench->lock);
    }
    syn_tally_free(&tally);
    return NULL;
}

static double timed(struct bench *bench, void *(*work)(void *), size_t first)
{
    double start = now_s();
    atomic_store(&bench->next, first);
    syn_threads_run(bench->thread_count, work, bench);
    return (now_s() - start) / (double)bench->thread_count;
}

static void print(const char *what, double s, size_t rows)
{
    printf("%-28s %7.3f s  %7.1f million rows/s\n", what, s, (double)rows / s * 1e-6);
}

static void make_rows(struct bench *bench)
{
    uint16_t *group = malloc(bench->row_count * sizeof *group);
    int64_t *value = malloc(bench->row_count * sizeof *value);
    int64_t *draw = malloc(DRAWS * sizeof *draw);
    uint64_t random = 1;
    must(!group || !value || !draw);
    for (size_t i = 0; i < DRAWS; i++) {
        double u = (drand48() + 1e-12), v = drand48();
        draw[i] = (int64_t)(4000 * exp(0.5 * sqrt(-2 * log(u)) * cos(2 * M_PI * v)));
    }
    for (size_t i = 0; i < bench->row_count; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        group[i] = (uint16_t)((random >> 33) % bench->group_count);
        value[i] = draw[(random >> 40) % DRAWS];
    }
    free(draw);
    bench->group = group;
    bench->value = value;
}

int main(int argc, char **argv)
{
    struct bench bench = {.row_count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20000000,
                          .group_count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000,
                          .thread_count = argc > 3 ? strtoull(argv[3], NULL, 10) : 2,
                          .lock = PTHREAD_MUTEX_INITIALIZER};
    double gather_s = 0, absorb_s = 0;
    must(bench.row_count == 0 || bench.group_count == 0 || bench.group_count > 65536);
    make_rows(&bench);
    bench.slice_count = (bench.row_count + SLICE_ROWS - 1) / SLICE_ROWS;
    bench.part = calloc(bench.thread_count * bench.group_count, sizeof *bench.part);
    bench.whole = calloc(bench.group_count, sizeof *bench.whole);
    must(!bench.part || !bench.whole);
    syn_store_init(&bench.store, SIZE_MAX / 2);
    while (bench.end_slice < bench.slice_count) {
        bench.first_slice = bench.end_slice;
        bench.end_slice += bench.thread_count;
        if (bench.end_slice > bench.slice_count)
            bench.end_slice = bench.slice_count;
        gather_s += timed(&bench, gather, bench.first_slice);
        absorb_s += timed(&bench, absorb, 0);
    }
    double summarize_s = timed(&bench, summarize, 0);
    print("group", gather_s, bench.row_count);
    print("pack", absorb_s, bench.row_count);
    print("median, quartiles, interval", summarize_s, bench.row_count);
    print("all", gather_s + absorb_s + summarize_s, bench.row_count);
    printf("(mean of the medians: %.1f ns)\n", bench.sum_of_medians / (double)bench.group_count);
    return 0;
}
