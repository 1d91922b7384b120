/* analyze/hang/process.c - processes are found by the raw file that they have mapped: its name is
 * in /proc/PID/maps. */
#include "analyze/hang/process.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "trace/write/raw.h"

/* The state letter in /proc/PID/stat, behind the name in brackets; 0: the process is gone. */
static char state_of(const char *pid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/%.20s/stat", pid);
    FILE *file = fopen(path, "re");
    const size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
    if (file)
        fclose(file);
    text[length] = '\0';
    const char *bracket = strrchr(text, ')');
    return bracket && bracket[1] == ' ' ? bracket[2] : 0;
}

/* Raw files of a run lie in the trace, or in a directory of the run's name elsewhere. */
struct raw_places {
    char *trace;
    char spill[48]; /* "/syncopate-RUNID" */
};

/* The rank whose raw file `path` names; -1: it is none of the run's. Changes `path`. */
static int32_t rank_at(char *path, const struct raw_places *places)
{
    const size_t spill = strlen(places->spill);
    int32_t rank;
    char *slash = strrchr(path, '/');
    if (!slash || !syn_raw_name_parse(slash + 1, &rank))
        return -1;
    *slash = '\0';
    const size_t length = (size_t)(slash - path);
    const bool in_spill = length > spill && strcmp(slash - spill, places->spill) == 0;
    return in_spill || strcmp(path, places->trace) == 0 ? rank : -1;
}

/* The rank whose raw file the process has mapped; -1: none. */
static int32_t rank_of(const char *pid, const struct raw_places *places)
{
    char path[64], *line = NULL;
    size_t capacity = 0;
    int32_t rank = -1;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && rank < 0 && getline(&line, &capacity, file) > 0) {
        char *name = strchr(line, '/');
        if (!name)
            continue;
        name[strcspn(name, "\n")] = '\0';
        rank = rank_at(name, places);
    }
    if (file)
        fclose(file);
    free(line);
    return rank;
}

static bool is_of_this_host(const struct syn_rank_file *file)
{
    char name[256] = "";
    const char *host = file ? syn_rank_meta(file, "host.name") : NULL;
    return host && gethostname(name, sizeof name - 1) == 0 && strcmp(host, name) == 0;
}

static const uint8_t *run_id_of(const struct syn_trace *trace)
{
    for (int32_t r = 0; r < syn_trace_size(trace); r++)
        if (syn_trace_rank(trace, r))
            return syn_rank_run_id(syn_trace_rank(trace, r));
    return NULL;
}

void syn_hang_each_process(const struct syn_trace *trace,
                           void (*found)(void *ctx, int32_t rank, const char *pid), void *ctx)
{
    struct raw_places places = {.trace = realpath(syn_trace_directory(trace), NULL),
                                .spill = "/syncopate-"};
    const uint8_t *run_id = run_id_of(trace);
    DIR *processes = places.trace && run_id ? opendir("/proc") : NULL;
    const struct dirent *entry;
    for (size_t i = 0; processes && i < 16; i++)
        snprintf(places.spill + 11 + 2 * i, 3, "%02x", run_id[i]);
    while (processes && (entry = readdir(processes))) {
        const bool is_pid = strspn(entry->d_name, "0123456789") == strlen(entry->d_name);
        const int32_t rank = is_pid ? rank_of(entry->d_name, &places) : -1;
        if (rank >= 0 && rank < syn_trace_size(trace))
            found(ctx, rank, entry->d_name);
    }
    if (processes)
        closedir(processes);
    free(places.trace);
}

static void note_state(void *ctx, int32_t rank, const char *pid)
{
    struct syn_hang_model *model = ctx;
    if (rank >= model->rank_count || model->rank[rank].process != SYN_HANG_RUNS)
        return;
    model->rank[rank].state = state_of(pid);
    if (model->rank[rank].state == 'T' || model->rank[rank].state == 't')
        model->rank[rank].process = SYN_HANG_STOPPED;
}

void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model)
{
    bool any = false;
    syn_hang_each_process(trace, note_state, model);
    for (int32_t r = 0; r < model->rank_count; r++)
        any |= model->rank[r].state != 0;
    for (int32_t r = 0; any && r < model->rank_count; r++)
        if (model->rank[r].process == SYN_HANG_RUNS && model->rank[r].state == 0 &&
            is_of_this_host(syn_trace_rank(trace, r)))
            model->rank[r].process = SYN_HANG_DIED;
}
