/* analyze/hang/process.c - processes are found by the raw file that they have mapped: its name is
 * in /proc/PID/maps. */
#include "analyze/hang/process.h"

#include <dirent.h>
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

/* The rank whose raw file in `directory` the process has mapped; -1: none. */
static int32_t rank_of(const char *pid, const char *directory)
{
    const size_t length = strlen(directory);
    char path[64], *line = NULL;
    size_t capacity = 0;
    int32_t rank = -1;
    snprintf(path, sizeof path, "/proc/%.20s/maps", pid);
    FILE *file = fopen(path, "re");
    while (file && rank < 0 && getline(&line, &capacity, file) > 0) {
        char *name = strchr(line, '/');
        if (!name || strncmp(name, directory, length) != 0 || name[length] != '/')
            continue;
        name[strcspn(name, "\n")] = '\0';
        if (!syn_raw_name_parse(name + length + 1, &rank))
            rank = -1;
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

static void look_for_all(const char *directory, DIR *processes, struct syn_hang_model *model)
{
    const struct dirent *entry;
    while ((entry = readdir(processes))) {
        if (strspn(entry->d_name, "0123456789") != strlen(entry->d_name))
            continue;
        const int32_t rank = rank_of(entry->d_name, directory);
        if (rank < 0 || rank >= model->rank_count || model->rank[rank].process != SYN_HANG_RUNS)
            continue;
        model->rank[rank].state = state_of(entry->d_name);
        if (model->rank[rank].state == 'T' || model->rank[rank].state == 't')
            model->rank[rank].process = SYN_HANG_STOPPED;
    }
}

void syn_hang_find_processes(const struct syn_trace *trace, struct syn_hang_model *model)
{
    char *directory = realpath(syn_trace_directory(trace), NULL);
    DIR *processes = directory ? opendir("/proc") : NULL;
    bool any = false;
    if (processes) {
        look_for_all(directory, processes, model);
        closedir(processes);
    }
    free(directory);
    for (int32_t r = 0; r < model->rank_count; r++)
        any |= model->rank[r].state != 0;
    for (int32_t r = 0; any && r < model->rank_count; r++)
        if (model->rank[r].process == SYN_HANG_RUNS && model->rank[r].state == 0 &&
            is_of_this_host(syn_trace_rank(trace, r)))
            model->rank[r].process = SYN_HANG_DIED;
}
