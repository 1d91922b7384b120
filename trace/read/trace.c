/* trace/read/trace.c - opens a trace: its directory, its ranks, its faults. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/frame.h"
#include "trace/read/node_file.h"
#include "trace/read/rank_file.h"
#include "trace/read/reader.h"

/* Faults of missing ranks are at most this many lines; the rest is summed up in one line. */
#define MISSING_LISTED_MAX 1000

/* The places where a rank's events may lie. If a rank has several, the first in this order is read.
 * RATIONALE: a finished rank file may have been recovered from a node file, and a node file may
 * have been made from an unfinished rank file. */
enum source { SOURCE_RANK_FILE, SOURCE_NODE_FILE, SOURCE_UNFINISHED };

struct entry {
    int32_t rank;
    enum source source;
    size_t node,
        part; /* SOURCE_NODE_FILE: index of the node file in the trace, and of the part in it */
    int32_t first_rank; /* SOURCE_NODE_FILE: the rank in its name */
    struct syn_rank_file *file;
};

struct syn_trace {
    char *directory;
    bool has_manifest;
    struct syn_manifest manifest;
    uint8_t run_id[16];
    int32_t size;
    struct entry
        *entries; /* one for each rank that was found, ascending; `file` is NULL if unreadable */
    size_t entry_count, entry_capacity;
    struct syn_node_file *nodes;
    size_t node_count, node_capacity;
    struct syn_rank_lists lists; /* members of the communicators of all files */
    bool has_runs;               /* there are run-NNNN directories: an experiment */

    struct syn_trace_fault *faults; /* of the trace; text owned */
    size_t fault_count;
    struct syn_trace_fault
        *listed; /* also with the faults of files, as returned by syn_trace_faults; text owned */
    size_t listed_count;
    bool out_of_memory;
};

static char *format_line(const char *format, va_list arguments)
{
    char *text = NULL;
    return vasprintf(&text, format, arguments) < 0 ? NULL : text;
}

static void append_fault(struct syn_trace *trace, struct syn_trace_fault **list, size_t *count,
                         struct syn_trace_fault fault)
{
    if (!fault.text || SYN_ROOM_DOUBLED(*list, *count) != SYN_OK) {
        free((char *)fault.text);
        trace->out_of_memory = true;
        return;
    }
    (*list)[(*count)++] = fault;
}

static void add_fault(struct syn_trace *trace, int status, int32_t rank, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void add_fault(struct syn_trace *trace, int status, int32_t rank, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = format_line(format, arguments);
    va_end(arguments);
    append_fault(trace, &trace->faults, &trace->fault_count,
                 (struct syn_trace_fault){status, rank, text});
}

static int say_why(char **why, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static int say_why(char **why, int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    *why = format_line(format, arguments);
    va_end(arguments);
    return status;
}

static void free_faults(struct syn_trace_fault *faults, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free((char *)faults[i].text);
    free(faults);
}

void syn_trace_close(struct syn_trace *trace)
{
    if (!trace)
        return;
    for (size_t i = 0; i < trace->entry_count; i++)
        syn_rank_close(trace->entries[i].file);
    for (size_t i = 0; i < trace->node_count; i++)
        syn_node_close(&trace->nodes[i]);
    free(trace->nodes);
    free(trace->entries);
    syn_rank_lists_free(&trace->lists);
    free_faults(trace->faults, trace->fault_count);
    free_faults(trace->listed, trace->listed_count);
    free(trace->directory);
    free(trace);
}

/* ---- the directory ---- */

static int add_entry(struct syn_trace *trace, struct entry entry)
{
    const int status = SYN_ROOM(trace->entries, trace->entry_capacity, trace->entry_count);
    if (status == SYN_OK)
        trace->entries[trace->entry_count++] = entry;
    return status;
}

/* Orders entries by rank, then by the source that is preferred. */
SYN_ORDER(compare_entries, struct entry, SYN_UP(rank) ?: SYN_UP(source) ?: SYN_UP(first_rank))

/* Adds a fault for a file that cannot be read: `what` is its name, `status` the reason. */
static void note_unreadable(struct syn_trace *trace, int status, int32_t rank, const char *what)
{
    if (status == SYN_EVERSION)
        add_fault(trace, status, rank,
                  "%s: written by a newer format version; this syncopate reads up to version %d",
                  what, SYN_FORMAT_VERSION);
    else
        add_fault(trace, status, rank, "%s: %s", what,
                  status == SYN_EIO ? strerror(errno) : syn_status_text(status));
}

static bool is_link(struct syn_trace *trace, int32_t rank, const char *path)
{
    struct stat state;
    if (lstat(path, &state) != 0 || !S_ISLNK(state.st_mode))
        return false;
    add_fault(trace, SYN_ENOTTRACE, rank, "%s: is a symbolic link, which is not followed", path);
    return true;
}

static int list_name(struct syn_trace *trace, const char *name)
{
    int32_t rank;
    bool is_part;
    if (syn_rank_name_parse(name, &rank, &is_part))
        return add_entry(
            trace,
            (struct entry){.rank = rank, .source = is_part ? SOURCE_UNFINISHED : SOURCE_RANK_FILE});
    if (syn_node_name_parse(name, &rank, &is_part) && !is_part) {
        /* The node file of the machine whose first rank is `rank`. */
        char path[PATH_MAX];
        syn_node_path(path, sizeof path, trace->directory, rank);
        if (is_link(trace, rank, path))
            return SYN_OK;
        if (SYN_ROOM(trace->nodes, trace->node_capacity, trace->node_count) != SYN_OK)
            return SYN_ENOMEM;
        struct syn_node_file *node = &trace->nodes[trace->node_count++];
        const int status = syn_node_open(path, node);
        if (status == SYN_ENOMEM)
            return status;
        if (status != SYN_OK) {
            note_unreadable(trace, status, rank, path);
            return SYN_OK;
        }
        for (int i = 0; i < node->fault_count; i++)
            add_fault(trace, node->faults[i].status, -1, "%s: %s", path, node->faults[i].text);
        int added = SYN_OK;
        for (size_t i = 0; added == SYN_OK && i < node->index.part_count; i++)
            if (node->index.parts[i].bytes > 0)
                added = add_entry(trace, (struct entry){.rank = node->index.parts[i].rank,
                                                        .source = SOURCE_NODE_FILE,
                                                        .node = trace->node_count - 1,
                                                        .part = i,
                                                        .first_rank = rank});
        return added;
    }
    trace->has_runs |= strncmp(name, "run-", 4) == 0;
    return SYN_OK;
}

static int list_directory(struct syn_trace *trace, char **why)
{
    DIR *stream = opendir(trace->directory);
    if (!stream && errno == ENOTDIR)
        return say_why(why, SYN_ENOTTRACE, "%s: is a file; a trace is a directory",
                       trace->directory);
    if (!stream)
        return say_why(why, SYN_EIO, "%s: %s", trace->directory, strerror(errno));
    int status = SYN_OK;
    for (struct dirent *found; status == SYN_OK && (found = readdir(stream));)
        status = list_name(trace, found->d_name);
    closedir(stream);
    if (trace->entry_count > 0)
        qsort(trace->entries, trace->entry_count, sizeof *trace->entries, compare_entries);
    size_t kept = 0;
    for (size_t i = 0; i < trace->entry_count; i++)
        if (kept == 0 || trace->entries[kept - 1].rank != trace->entries[i].rank)
            trace->entries[kept++] = trace->entries[i];
    trace->entry_count = kept;
    return status;
}

static int read_manifest(struct syn_trace *trace, char **why)
{
    const char *directory = trace->directory;
    int status = syn_manifest_read(directory, &trace->manifest);
    trace->has_manifest = status == SYN_OK;
    if (status == SYN_ENOMEM)
        return status;
    if (status == SYN_EVERSION)
        return say_why(why, status,
                       "%s/" SYN_MANIFEST_NAME ": format version %" PRIu32
                       "; this syncopate reads up to version %d",
                       directory, trace->manifest.format_version, SYN_FORMAT_VERSION);
    if (trace->has_manifest || trace->entry_count == 0)
        return SYN_OK;
    if (status == SYN_EMISSING)
        add_fault(trace, SYN_ETRUNCATED, -1, "%s: no manifest: the run %s", directory,
                  syn_trace_is_claimed(directory, NULL) ? "is still being recorded"
                                                        : "did not finish");
    else
        add_fault(trace, status, -1, "%s/" SYN_MANIFEST_NAME ": %s", directory,
                  status == SYN_EIO ? strerror(errno) : syn_status_text(status));
    return SYN_OK;
}

/* ---- files of ranks ---- */

static void entry_path(const struct syn_trace *trace, const struct entry *entry,
                       char path[PATH_MAX])
{
    if (entry->source == SOURCE_NODE_FILE) {
        snprintf(path, PATH_MAX, "%s", trace->nodes[entry->node].path);
        return;
    }
    int length = syn_rank_path(path, PATH_MAX, trace->directory, entry->rank);
    if (entry->source == SOURCE_UNFINISHED && length + 6 < PATH_MAX)
        strcpy(path + length, ".part");
}

/* The name of an entry in messages: with the rank, if it is a part of a node file. */
#define SHOWN_MAX (PATH_MAX + 32)

static void entry_name(const struct syn_trace *trace, const struct entry *entry,
                       char name[SHOWN_MAX])
{
    char path[PATH_MAX];
    entry_path(trace, entry, path);
    if (entry->source == SOURCE_NODE_FILE)
        snprintf(name, SHOWN_MAX, "%s: rank %" PRId32, path, entry->rank);
    else
        snprintf(name, SHOWN_MAX, "%s", path);
}

/* Opens all files. The shared content of node files is freed then, because only opening needs
 * it. */
static int open_entries(struct syn_trace *trace)
{
    char path[PATH_MAX], name[SHOWN_MAX];
    for (size_t i = 0; i < trace->entry_count; i++) {
        struct entry *entry = &trace->entries[i];
        int status = SYN_OK;
        entry_path(trace, entry, path);
        if (entry->source == SOURCE_NODE_FILE) {
            const struct syn_node_file *node = &trace->nodes[entry->node];
            status = syn_rank_open_part(node, &node->index.parts[entry->part], &trace->lists,
                                        &entry->file);
        } else if (!is_link(trace, entry->rank, path))
            status = syn_rank_open(path, &trace->lists, &entry->file);
        if (status == SYN_ENOMEM)
            return status;
        if (status != SYN_OK) {
            entry_name(trace, entry, name);
            note_unreadable(trace, status, entry->rank, name);
        }
    }
    for (size_t i = 0; i < trace->node_count; i++)
        syn_bytes_free(&trace->nodes[i].shared);
    return SYN_OK;
}

static bool same_run(const struct syn_rank_file *file, const uint8_t run_id[16])
{
    return memcmp(syn_rank_run_id(file), run_id, 16) == 0;
}

static size_t count_run(const struct syn_trace *trace, const uint8_t run_id[16])
{
    size_t count = 0;
    for (size_t i = 0; i < trace->entry_count; i++)
        count += trace->entries[i].file && same_run(trace->entries[i].file, run_id);
    return count;
}

/* Chooses the run of this trace: the manifest's, or else that of most files. A manifest to which no
 * file belongs is left out. Files of different
 * runs cancel one another in pairs; if a run has a majority, its files are left. Without a
 * majority, the run of the lowest rank is chosen. */
static void choose_run(struct syn_trace *trace)
{
    const struct syn_rank_file *candidate = NULL, *first = NULL;
    size_t votes = 0;
    if (trace->has_manifest && syn_trace_readable_count(trace) > 0 &&
        count_run(trace, trace->manifest.run_id) == 0) {
        add_fault(trace, SYN_EMIXED, -1,
                  "%s/" SYN_MANIFEST_NAME ": is of another run than all files beside it; left out",
                  trace->directory);
        trace->has_manifest = false;
    }
    if (trace->has_manifest) {
        memcpy(trace->run_id, trace->manifest.run_id, sizeof trace->run_id);
        return;
    }
    for (size_t i = 0; i < trace->entry_count; i++) {
        const struct syn_rank_file *file = trace->entries[i].file;
        if (!file)
            continue;
        first = first ? first : file;
        if (votes == 0)
            candidate = file;
        votes += candidate && same_run(file, syn_rank_run_id(candidate)) ? 1 : (size_t)-1;
    }
    if (!first)
        return;
    if (count_run(trace, syn_rank_run_id(candidate)) <= count_run(trace, syn_rank_run_id(first)))
        candidate = first;
    memcpy(trace->run_id, syn_rank_run_id(candidate), sizeof trace->run_id);
}

static void note_missing_ranks(struct syn_trace *trace, int32_t first, int32_t last)
{
    char path[PATH_MAX];
    if (trace->node_count > 0) {
        if (first == last)
            add_fault(trace, SYN_EMISSING, first, "%s: rank %" PRId32 " is missing",
                      trace->directory, first);
        else
            add_fault(trace, SYN_EMISSING, first,
                      "%s: ranks %" PRId32 " to %" PRId32 " are missing", trace->directory, first,
                      last);
        return;
    }
    syn_rank_path(path, sizeof path, trace->directory, first);
    if (first == last)
        add_fault(trace, SYN_EMISSING, first, "%s: missing", path);
    else
        add_fault(trace, SYN_EMISSING, first,
                  "%s: missing, and so on to rank %" PRId32 ": %" PRId32 " files", path, last,
                  last - first + 1);
}

/* Adds faults for ranks without a file, one line for consecutive ranks. Unreadable files already
 * have a fault. */
static void note_missing(struct syn_trace *trace)
{
    int64_t noted = 0, present = 0, rank = 0;
    size_t next = 0;
    for (int lines = 0; rank < trace->size && lines < MISSING_LISTED_MAX; rank++) {
        while (next < trace->entry_count && trace->entries[next].rank < rank)
            next++;
        const int64_t end = next < trace->entry_count && trace->entries[next].rank < trace->size
                                ? trace->entries[next].rank
                                : trace->size;
        if (end == rank)
            continue;
        note_missing_ranks(trace, (int32_t)rank, (int32_t)(end - 1));
        noted += end - rank;
        lines++;
        rank = end;
    }
    for (size_t i = 0; i < trace->entry_count; i++)
        present += trace->entries[i].rank < trace->size;
    const int64_t more = trace->size - present - noted;
    if (more > 0)
        add_fault(trace, SYN_EMISSING, -1, "%s: the files of %" PRId64 " more ranks are missing",
                  trace->directory, more);
}

/* Checks the manifest's number of events, unless a fault explains a difference. */
static void check_totals(struct syn_trace *trace)
{
    uint64_t found = 0;
    if (!trace->has_manifest || syn_trace_readable_count(trace) != trace->size ||
        trace->fault_count > 0)
        return;
    for (size_t i = 0; i < trace->entry_count; i++) {
        struct syn_rank_file *file = trace->entries[i].file;
        if (file && syn_rank_fault(file, NULL) != SYN_OK)
            return;
        found += file ? file->event_count : 0;
    }
    if (found != trace->manifest.event_count)
        add_fault(trace, SYN_EDAMAGED, -1, "%s: %" PRIu64 " events, but its manifest says %" PRIu64,
                  trace->directory, found, trace->manifest.event_count);
}

static int open_trace(struct syn_trace *trace, char **why)
{
    int status = list_directory(trace, why);
    SYN_STEP(status, read_manifest(trace, why));
    SYN_STEP(status, open_entries(trace));
    if (status != SYN_OK)
        return status;
    choose_run(trace);
    trace->size = trace->has_manifest ? trace->manifest.size : 0;
    for (size_t i = 0; i < trace->entry_count && trace->size == 0; i++)
        if (trace->entries[i].file && same_run(trace->entries[i].file, trace->run_id))
            trace->size = syn_rank_size(trace->entries[i].file);
    /* Close readable files that do not belong to this trace, and add a fault for each. */
    char name[SHOWN_MAX];
    for (size_t i = 0; i < trace->entry_count; i++) {
        struct entry *entry = &trace->entries[i];
        const struct syn_rank_file *file = entry->file;
        if (!file)
            continue;
        entry_name(trace, entry, name);
        if (!same_run(file, trace->run_id))
            add_fault(trace, SYN_EMIXED, entry->rank, "%s: is of another run; left out", name);
        else if (file->rank != entry->rank)
            add_fault(trace, SYN_EMIXED, entry->rank,
                      "%s: is the file of rank %" PRId32 "; left out", name, file->rank);
        else if (file->size != trace->size)
            add_fault(trace, SYN_EMIXED, entry->rank,
                      "%s: is of a run of %" PRId32 " ranks, not %" PRId32 "; left out", name,
                      file->size, trace->size);
        else
            continue;
        syn_rank_close(entry->file);
        entry->file = NULL;
    }
    if (syn_trace_readable_count(trace) == 0) {
        const char *directory = trace->directory;
        for (size_t i = 0; i < trace->fault_count; i++)
            if (trace->faults[i].rank >= 0)
                return say_why(why, trace->faults[i].status, "%s", trace->faults[i].text);
        if (trace->has_manifest)
            return say_why(why, SYN_EMISSING, "%s: has a manifest, but no rank's file", directory);
        if (trace->has_runs)
            return say_why(why, SYN_ENOTTRACE, "%s: is an experiment, not one trace", directory);
        return say_why(why, SYN_ENOTTRACE, "%s: holds no trace", directory);
    }
    note_missing(trace);
    check_totals(trace);
    return trace->out_of_memory ? SYN_ENOMEM : SYN_OK;
}

int syn_trace_open(const char *directory, struct syn_trace **out, char **why)
{
    *out = NULL;
    *why = NULL;
    struct syn_trace *trace = calloc(1, sizeof *trace);
    if (!trace)
        return SYN_ENOMEM;
    trace->directory = strdup(directory);
    if (!trace->directory) {
        free(trace);
        return SYN_ENOMEM;
    }
    size_t length = strlen(directory);
    while (length > 1 && trace->directory[length - 1] == '/')
        trace->directory[--length] = 0;
    int status = open_trace(trace, why);
    if (status != SYN_OK) {
        syn_trace_close(trace);
        if (!*why)
            say_why(why, status, "%s: %s", directory, syn_status_text(status));
        return status;
    }
    *out = trace;
    return SYN_OK;
}

/* ---- queries ---- */

const char *syn_trace_directory(const struct syn_trace *trace)
{
    return trace->directory;
}

const struct syn_manifest *syn_trace_manifest(const struct syn_trace *trace)
{
    return trace->has_manifest ? &trace->manifest : NULL;
}

int32_t syn_trace_size(const struct syn_trace *trace)
{
    return trace->size;
}

int32_t syn_trace_readable_count(const struct syn_trace *trace)
{
    int32_t count = 0;
    for (size_t i = 0; i < trace->entry_count; i++)
        count += trace->entries[i].file != NULL;
    return count;
}

static const struct entry *find_entry(const struct syn_trace *trace, int32_t rank)
{
    size_t low = 0, high = trace->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (trace->entries[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    bool found = low < trace->entry_count && trace->entries[low].rank == rank;
    return found ? &trace->entries[low] : NULL;
}

struct syn_rank_file *syn_trace_rank(const struct syn_trace *trace, int32_t rank)
{
    const struct entry *entry = find_entry(trace, rank);
    return entry ? entry->file : NULL;
}

size_t syn_trace_node_count(const struct syn_trace *trace)
{
    return trace->node_count;
}

const struct syn_node_file *syn_trace_node_at(const struct syn_trace *trace, size_t i)
{
    return &trace->nodes[i];
}

bool syn_trace_node_of(const struct syn_trace *trace, int32_t rank, size_t *node)
{
    const struct entry *entry = find_entry(trace, rank);
    if (!entry || entry->source != SOURCE_NODE_FILE)
        return false;
    *node = entry->node;
    return true;
}

struct placed_fault {
    struct syn_trace_fault fault;
    size_t position;
};

SYN_ORDER(compare_placed, struct placed_fault, SYN_UP(fault.rank) ?: SYN_UP(position))

/* Sorts faults by rank, and those of a rank in the order in which they were found. Without memory
 * for this the order is unchanged. */
static void sort_faults(struct syn_trace_fault *faults, size_t count)
{
    struct placed_fault *placed = count > 1 ? malloc(count * sizeof *placed) : NULL;
    if (!placed)
        return;
    for (size_t i = 0; i < count; i++)
        placed[i] = (struct placed_fault){faults[i], i};
    qsort(placed, count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++)
        faults[i] = placed[i].fault;
    free(placed);
}

void syn_trace_add_fault(struct syn_trace *trace, int status, const char *text)
{
    add_fault(trace, status, -1, "%s", text);
}

const struct syn_trace_fault *syn_trace_faults(struct syn_trace *trace, size_t *count)
{
    free_faults(trace->listed, trace->listed_count);
    trace->listed = NULL;
    trace->listed_count = 0;
    for (size_t i = 0; i < trace->fault_count; i++) {
        struct syn_trace_fault fault = trace->faults[i];
        fault.text = strdup(fault.text);
        append_fault(trace, &trace->listed, &trace->listed_count, fault);
    }
    for (size_t i = 0; i < trace->entry_count; i++)
        if (trace->entries[i].file) {
            struct syn_rank_file *file = trace->entries[i].file;
            const char *where;
            int status;
            for (size_t f = 0; (status = syn_rank_fault_at(file, f, &where)) != SYN_EEND; f++) {
                char *text = NULL;
                if (file->is_part
                        ? asprintf(&text, "%s: rank %" PRId32 ": %s", syn_rank_file_path(file),
                                   syn_rank_rank(file), where) < 0
                        : asprintf(&text, "%s: %s", syn_rank_file_path(file), where) < 0)
                    text = NULL;
                append_fault(trace, &trace->listed, &trace->listed_count,
                             (struct syn_trace_fault){status, syn_rank_rank(file), text});
            }
        }
    sort_faults(trace->listed, trace->listed_count);
    *count = trace->listed_count;
    return trace->listed;
}

int syn_trace_verify(struct syn_trace *trace)
{
    size_t count;
    for (size_t i = 0; i < trace->entry_count; i++) {
        int status = trace->entries[i].file ? syn_rank_verify(trace->entries[i].file) : SYN_OK;
        if (status != SYN_OK)
            return status;
    }
    syn_trace_faults(trace, &count);
    return count == 0 && !trace->out_of_memory ? SYN_OK : SYN_EDAMAGED;
}
