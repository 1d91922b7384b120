/* Processes of a run, by the raw files that they have mapped. This process is the ranks. */
#include <criterion/criterion.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analyze/hang/process.h"
#include "made_trace.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"

/* A made trace that no other process has: criterion runs several at a time. */
static struct syn_trace *open_own(struct made_trace *made)
{
    struct syn_trace *trace = made_open(made, 0);
    for (int r = 0; r < made->rank_count; r++)
        snprintf((char *)syn_trace_rank(trace, r)->run_id, 16, "made %d", getpid());
    return trace;
}

/* A raw file of a rank, mapped. */
static void *map_raw(const struct made_trace *made, int rank, const char *run)
{
    struct syn_raw_header header = {.kind = SYN_RAW_RECORDS,
                                    .rank = rank,
                                    .size = made->rank_count,
                                    .block_bytes = SYN_RAW_UNIT};
    char path[128];
    snprintf((char *)header.run_id, sizeof header.run_id, "%s %d", run, getpid());
    syn_raw_path(path, sizeof path, made->directory, rank);
    const int file = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
    cr_assert(file >= 0 && ftruncate(file, SYN_RAW_UNIT) == 0);
    void *raw = mmap(NULL, SYN_RAW_UNIT, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    cr_assert(raw != MAP_FAILED);
    close(file);
    syn_raw_encode(&header, raw);
    return raw;
}

static void unmap_raw(void *raw)
{
    munmap(raw, SYN_RAW_UNIT);
}

static void remove_raw(const struct made_trace *made, int rank)
{
    char path[128];
    syn_raw_path(path, sizeof path, made->directory, rank);
    unlink(path);
}

static void count(void *ctx, int32_t rank, const char *pid)
{
    cr_expect_eq(atoi(pid), getpid());
    ++((int *)ctx)[rank];
}

Test(hang_process, a_later_run_in_the_directory_is_another_one)
{
    struct made_trace made;
    int found[2] = {0};
    made_begin(&made, 2);
    struct syn_trace *trace = open_own(&made);
    void *later = map_raw(&made, 0, "later");
    syn_hang_each_process(trace, count, found);
    cr_expect_eq(found[0], 0);
    unmap_raw(later);
    remove_raw(&made, 0);
    void *own = map_raw(&made, 0, "made");
    syn_hang_each_process(trace, count, found);
    cr_expect_eq(found[0], 1);
    unmap_raw(own);
    remove_raw(&made, 0);
    made_end(&made, trace);
}

/* As if the rank's file had been opened while its raw file was there. */
static void attach(const struct made_trace *made, struct syn_rank_file *file, int rank)
{
    static char name[256];
    static struct syn_meta_pair pairs[2] = {{"host.name", name}, {"host.name", name}};
    char path[128];
    struct stat state;
    gethostname(name, sizeof name - 1);
    free(file->metas);
    file->metas = malloc(sizeof *file->metas);
    *file->metas = pairs[rank];
    file->meta_count = 1;
    syn_raw_path(path, sizeof path, made->directory, rank);
    cr_assert_eq(stat(path, &state), 0);
    free(file->raw_path);
    file->raw_path = strdup(path);
    file->raw_device = state.st_dev;
    file->raw_inode = state.st_ino;
}

Test(hang_process, a_rank_that_ends_while_it_is_looked_for_has_not_died)
{
    for (int died = 0; died < 2; died++) {
        struct made_trace made;
        struct syn_hang_model model;
        void *raw[2];
        made_begin(&made, 2);
        struct syn_trace *trace = open_own(&made);
        cr_assert_eq(syn_hang_model_begin(&model, 2), 0);
        for (int r = 0; r < 2; r++) {
            raw[r] = map_raw(&made, r, "made");
            attach(&made, syn_trace_rank(trace, r), r);
            model.rank[r].process = SYN_HANG_RUNS;
        }
        unmap_raw(raw[1]);
        if (!died)
            remove_raw(&made, 1);
        /* This process maps rank 0's alone, and is found as that. */
        syn_hang_find_processes(trace, &model);
        cr_expect_neq(model.rank[0].state, 0);
        cr_expect_eq(model.rank[1].process, died ? SYN_HANG_DIED : SYN_HANG_RUNS);
        unmap_raw(raw[0]);
        remove_raw(&made, 0);
        if (died)
            remove_raw(&made, 1);
        syn_hang_model_free(&model);
        made_end(&made, trace);
    }
}
