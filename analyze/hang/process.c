/* analyze/hang/process.c - finds processes by the raw file that they map: its path is in
 * /proc/PID/maps, and the run's identity is in the file.
 *
 * RATIONALE: a later run in the same directory has files of the same names. */
#include "analyze/hang/process.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"

struct syn_process syn_process_now(const char *pid)
{
    struct syn_process process = {0};
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *behind = strrchr(text, ')'); /* fields 3 and 22 of proc(5) */
    if (!behind || sscanf(behind + 1,
                          " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d "
                          "%*d %llu",
                          &process.state, &process.started) != 2)
        return (struct syn_process){0};
    return process;
}

const uint8_t *syn_hang_run_id(const struct syn_trace *trace)
{
    for (int32_t r = 0; r < syn_trace_size(trace); r++)
        if (syn_trace_rank(trace, r))
            return syn_rank_run_id(syn_trace_rank(trace, r));
    return NULL;
}

/* Returns the rank whose raw file of the run is at `path`, as seen by the process; -1: none. */
static int32_t rank_at(const char *pid, const char *path, const uint8_t *run_id)
{
    char seen[PATH_MAX + 32];
    uint8_t head[SYN_RAW_HEADER_BYTES];
    struct syn_raw_header header;
    struct stat state;
    int32_t rank;
    if (!syn_raw_name_parse(strrchr(path, '/') + 1, &rank))
        return -1;
    snprintf(seen, sizeof seen, "/proc/%.20s/root%s", pid, path);
    const int file = syn_open_regular(seen, &state);
    const bool is_raw = file >= 0 &&
                        syn_pread_full(file, head, sizeof head, 0) == (ssize_t)sizeof head &&
                        syn_raw_decode(head, &header);
    if (file >= 0)
        close(file);
    return is_raw && memcmp(header.run_id, run_id, sizeof header.run_id) == 0 ? rank : -1;
}

/* Returns the rank whose raw file the process has mapped; -1: none. */
static int32_t rank_of(const char *pid, const uint8_t *run_id)
{
    SYN_FREED char *line = NULL;
    char path[64];
    size_t capacity = 0;
    int32_t rank = -1;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && rank < 0 && getline(&line, &capacity, file) > 0) {
        char *name = strchr(line, '/');
        if (!name)
            continue;
        name[strcspn(name, "\n")] = '\0';
        rank = rank_at(pid, name, run_id);
    }
    if (file)
        fclose(file);
    return rank;
}

void syn_hang_each_process(const struct syn_trace *trace,
                           void (*found)(void *ctx, int32_t rank, const char *pid), void *ctx)
{
    const uint8_t *run_id = syn_hang_run_id(trace);
    DIR *processes = run_id ? opendir("/proc") : NULL;
    const struct dirent *entry;
    while (processes && (entry = readdir(processes))) {
        const bool is_pid = strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
        const int32_t rank = is_pid ? rank_of(entry->d_name, run_id) : -1;
        if (rank >= 0 && rank < syn_trace_size(trace))
            found(ctx, rank, entry->d_name);
    }
    if (processes)
        closedir(processes);
}

static void note_state(void *ctx, int32_t rank, const char *pid)
{
    struct syn_hang_model *model = ctx;
    if (rank >= model->rank_count || model->rank[rank].process != SYN_HANG_RUNS)
        return;
    model->rank[rank].state = syn_process_now(pid).state;
    if (syn_process_is_stopped(model->rank[rank].state))
        model->rank[rank].process = SYN_HANG_STOPPED;
}

/* Says whether the rank's raw file still exists. A rank that ends unmaps its raw file, then removes
 * it. */
static bool has_raw_file(const struct syn_rank_file *file)
{
    const int raw = syn_rank_reopen_raw(file);
    if (raw >= 0)
        close(raw);
    return raw >= 0;
}

/* Says whether the rank is of this machine and no process of it was found. */
static bool is_missing(const struct syn_trace *trace, const struct syn_hang_model *model,
                       int32_t rank)
{
    return model->rank[rank].process == SYN_HANG_RUNS && model->rank[rank].state == 0 &&
           syn_is_of_this_host(syn_trace_rank(trace, rank));
}

/* Searches again if a rank is missing: the rank may have ended during the first search. */
void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model)
{
    bool any = false, missing = false;
    syn_hang_each_process(trace, note_state, model);
    for (int32_t r = 0; r < model->rank_count; r++) {
        any |= model->rank[r].state != 0;
        missing |= is_missing(trace, model, r);
    }
    if (any && missing)
        syn_hang_each_process(trace, note_state, model);
    for (int32_t r = 0; any && r < model->rank_count; r++)
        if (is_missing(trace, model, r) && has_raw_file(syn_trace_rank(trace, r)))
            model->rank[r].process = SYN_HANG_DIED;
}
