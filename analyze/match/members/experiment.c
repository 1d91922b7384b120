/* analyze/match/members/experiment.c - finds the traces that a command reads. Links inside an
 * experiment are not followed, as they may lead anywhere. */
#include "analyze/match/members/experiment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "trace/read/reader.h"

/* Returns the number of a name such as "run-0001"; 0: the name has another form. */
static uint32_t run_number(const char *name)
{
    if (strncmp(name, "run-", 4) != 0 || strlen(name) < 8 || strlen(name) > 12)
        return 0;
    char *end;
    unsigned long number = strtoul(name + 4, &end, 10);
    return *end || name[4] == '+' || name[4] == '-' || name[4] == ' ' ? 0 : (uint32_t)number;
}

static int add_run(struct syn_experiment *experiment, uint32_t run, char *directory, bool is_link)
{
    struct syn_run_path *runs =
        realloc(experiment->run, (experiment->count + 1) * sizeof *experiment->run);
    if (!runs || !directory) {
        experiment->run = runs ? runs : experiment->run;
        free(directory);
        return SYN_ENOMEM;
    }
    experiment->run = runs;
    runs[experiment->count++] = (struct syn_run_path){run, directory, is_link};
    return 0;
}

SYN_ORDER(by_run, struct syn_run_path, SYN_UP(run))

static bool is_link(int directory, const char *name)
{
    struct stat facts;
    return fstatat(directory, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(facts.st_mode);
}

/* Lists the runs in a directory, with numbers above `after`. A directory without runs is no
 * error. */
static int list_inside(struct syn_experiment *experiment, const char *path, uint32_t after)
{
    DIR *directory = opendir(path);
    int status = directory ? 0 : SYN_EIO;
    size_t first = experiment->count;
    for (struct dirent *entry; status == SYN_OK && (entry = readdir(directory));) {
        uint32_t number = run_number(entry->d_name);
        char *inner = NULL;
        if (number == 0)
            continue;
        if (asprintf(&inner, "%s/%s", path, entry->d_name) < 0)
            inner = NULL;
        status =
            add_run(experiment, after + number, inner, is_link(dirfd(directory), entry->d_name));
    }
    if (directory)
        closedir(directory);
    if (experiment->count > first)
        qsort(experiment->run + first, experiment->count - first, sizeof *experiment->run, by_run);
    return status;
}

/* The directory of a comparison has a file of that name. */
bool syn_is_comparison(const char *path)
{
    SYN_FREED char *file = NULL;
    struct stat facts;
    if (asprintf(&file, "%s/comparison", path) < 0)
        return false;
    return stat(file, &facts) == 0 && S_ISREG(facts.st_mode);
}

static int list_path(struct syn_experiment *experiment, const char *path, char **why)
{
    struct stat facts;
    size_t before = experiment->count;
    uint32_t after = before ? experiment->run[before - 1].run : 0;
    if (stat(path, &facts) != 0) {
        int error = errno;
        if (asprintf(why, "%s: %s", path, strerror(error)) < 0)
            *why = NULL;
        return error == ENOENT ? SYN_EMISSING : SYN_EIO;
    }
    if (S_ISDIR(facts.st_mode)) {
        int status = list_inside(experiment, path, after);
        if (status == SYN_EIO && asprintf(why, "%s: %s", path, strerror(errno)) < 0)
            *why = NULL;
        if (status != SYN_OK)
            return status;
        if (experiment->count == before && syn_is_comparison(path)) {
            if (asprintf(why, "%s: is a comparison; its experiments are %s/a and %s/b", path, path,
                         path) < 0)
                *why = NULL;
            return SYN_ENOTTRACE;
        }
    }
    if (experiment->count > before && syn_trace_has_files(path) && !experiment->left_out &&
        asprintf(&experiment->left_out,
                 "%s: holds runs and a trace of its own; the runs are read, its own trace is not",
                 path) < 0)
        experiment->left_out = NULL;
    /* syn_trace_open decides about any other path */
    return experiment->count > before ? 0 : add_run(experiment, after + 1, strdup(path), false);
}

struct place {
    dev_t device;
    ino_t file; /* 0: not known */
};

static struct place place_of(const struct syn_run_path *run)
{
    struct stat facts;
    return !run->is_link && stat(run->directory, &facts) == 0
               ? (struct place){facts.st_dev, facts.st_ino}
               : (struct place){0, 0};
}

/* Removes each run whose directory is listed before. The first of them is named. */
static int drop_repeated(struct syn_experiment *experiment)
{
    SYN_FREED struct place *place = malloc((experiment->count + 1) * sizeof *place);
    size_t kept = 0;
    for (size_t i = 0; place && i < experiment->count; i++) {
        struct syn_run_path *run = &experiment->run[i];
        const struct place own = place[kept] = place_of(run);
        size_t first = 0;
        while (first < kept && (own.file == 0 || own.file != place[first].file ||
                                own.device != place[first].device))
            first++;
        if (first == kept) {
            experiment->run[kept++] = *run;
            continue;
        }
        const char *before = experiment->run[first].directory;
        const bool is_same = strcmp(before, run->directory) == 0;
        if (!experiment->repeated &&
            asprintf(&experiment->repeated, "%s: is %s%s, and counts once", run->directory,
                     is_same ? "given twice" : "the same trace as ", is_same ? "" : before) < 0)
            experiment->repeated = NULL;
        free(run->directory);
    }
    if (place)
        experiment->count = kept;
    return place ? 0 : SYN_ENOMEM;
}

int syn_experiment_list(char *const *paths, size_t path_count, struct syn_experiment *out,
                        char **why)
{
    memset(out, 0, sizeof *out);
    *why = NULL;
    for (size_t i = 0; i < path_count; i++) {
        int status = list_path(out, paths[i], why);
        if (status != SYN_OK) {
            syn_experiment_free(out);
            return status;
        }
    }
    const int status = drop_repeated(out);
    if (status != SYN_OK)
        syn_experiment_free(out);
    return status;
}

int syn_run_open(const struct syn_run_path *path, struct syn_trace **out, char **why)
{
    const char *directory = path->directory;
    *why = NULL;
    *out = NULL;
    int status = path->is_link ? SYN_ENOTTRACE : syn_trace_open(directory, out, why);
    if (status != SYN_OK && !*why &&
        asprintf(why, "%s: %s", directory,
                 path->is_link ? "is a symbolic link, which is not followed"
                               : syn_status_text(status)) < 0)
        *why = NULL;
    if (status != SYN_OK)
        return status;
    int64_t present = syn_trace_readable_count(*out);
    if (syn_trace_size(*out) <= SYN_RANKS_FREE + SYN_RANKS_EACH * present)
        return SYN_OK;
    if (asprintf(why, "%s: claims to have %d ranks, of which %" PRId64 " left a file: not believed",
                 directory, syn_trace_size(*out), present) < 0)
        *why = NULL;
    syn_trace_close(*out);
    *out = NULL;
    return SYN_ENOTSUP;
}

void syn_experiment_free(struct syn_experiment *experiment)
{
    for (size_t i = 0; i < experiment->count; i++)
        free(experiment->run[i].directory);
    free(experiment->run);
    free(experiment->left_out);
    free(experiment->repeated);
    memset(experiment, 0, sizeof *experiment);
}
