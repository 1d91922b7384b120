/* trace/recover/prepare.c - prepares a directory for a new trace, without a change to any file that
 * is not the recorder's (trace/directory/manifest.h). */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/directory/manifest.h"
#include "trace/directory/spawned.h"
#include "trace/read/node_file.h"
#include "trace/write/raw.h"

/* Kinds of directories. */
enum content { CONTENT_EMPTY, CONTENT_OURS, CONTENT_FOREIGN };

/* Kinds of names in the directory of a trace. Only a trace has names of EXPERIMENT and the kinds
 * after it; only a run has those from MANIFEST on. RUN and SPAWNED are directories with a trace of
 * their own: a run of an experiment, a spawned world. */
enum kind {
    FOREIGN,
    RUN,
    SPAWNED,
    PLAIN,
    NEW_MANIFEST,
    EXPERIMENT,
    MANIFEST,
    RANK,
    NODE,
    NEW_NODE,
    RAW
};

static enum kind kind_of(const char *name)
{
    static const struct {
        const char *name;
        enum kind kind;
    } plain[] = {{SYN_MANIFEST_NAME, MANIFEST},
                 {SYN_MANIFEST_NAME ".part", NEW_MANIFEST},
                 {"experiment", EXPERIMENT},
                 {"experiment.part", PLAIN},
                 {"symbols", PLAIN},
                 {"symbols.part", PLAIN},
                 {"recovered", PLAIN},
                 {"recovered.part", PLAIN}};
    int32_t rank;
    uint32_t number;
    bool is_part;
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(name, plain[i].name) == 0)
            return plain[i].kind;
    if (strncmp(name, "run-", 4) == 0) {
        const size_t digits = strspn(name + 4, "0123456789");
        return digits >= 4 && name[4 + digits] == 0 ? RUN : FOREIGN;
    }
    if (syn_spawned_name_parse(name, &number, &is_part))
        return SPAWNED;
    if (syn_rank_name_parse(name, &rank, &is_part))
        return RANK;
    if (syn_node_name_parse(name, &rank, &is_part))
        return is_part ? NEW_NODE : NODE;
    return syn_raw_name_parse(name, &rank) ? RAW : FOREIGN;
}

static bool is_run_name(const char *name)
{
    const enum kind kind = kind_of(name);
    return kind == RUN || kind == SPAWNED;
}

/* Returns whether a file has a name and a beginning of ours. A file that was cut off early, or is
 * empty, counts as one that begins as ours. */
static bool is_our_file(int directory, const char *name)
{
    static const char manifest_start[] = "syncopate-trace ";
    const enum kind kind = kind_of(name);
    uint8_t start[SYN_FRAME_HEADER_BYTES];
    struct stat state;
    if (kind < PLAIN || fstatat(directory, name, &state, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(state.st_mode))
        return false;
    const int file = openat(directory, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file < 0)
        return false;
    const ssize_t got = read(file, start, sizeof start);
    close(file);
    if (got < 0)
        return false;
    switch (kind) {
    case MANIFEST:
    case NEW_MANIFEST:
        return memcmp(start, manifest_start, syn_least((size_t)got, sizeof manifest_start - 1)) ==
               0;
    case RANK:
    case NODE:
        return syn_frame_is_prefix(start, (size_t)got);
    case RAW:
        return syn_raw_is_prefix(start, (size_t)got);
    default:
        return true;
    }
}

/* Number of entries after which the search for a mark ends. A trace has nearly only files of its
 * own, so a large home directory need not be read completely. */
#define FOREIGN_MAX 4096

/* Returns whether the directory has a file of ours of kind `least` or a later one. */
static bool has_mark(const char *directory, enum kind least)
{
    bool found = false;
    int foreign_count = 0;
    DIR *stream = opendir(directory);
    if (!stream)
        return false;
    for (struct dirent *entry; !found && foreign_count < FOREIGN_MAX && (entry = readdir(stream));
         foreign_count++)
        found = kind_of(entry->d_name) >= least && is_our_file(dirfd(stream), entry->d_name);
    closedir(stream);
    return found;
}

bool syn_trace_is_at(const char *directory)
{
    return has_mark(directory, EXPERIMENT);
}

bool syn_trace_has_files(const char *directory)
{
    return has_mark(directory, MANIFEST);
}

static int open_directory(int parent, const char *name)
{
    return openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

/* Levels of directories below: the runs of an experiment, and the spawned worlds of a run. */
#define DEPTH_MAX 2

/* Returns the kind of a directory that may contain `depth` levels of run directories. Closes
 * `directory`. */
static enum content content_of(int directory, int depth)
{
    enum content content = CONTENT_EMPTY;
    DIR *stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return CONTENT_FOREIGN;
    }
    for (struct dirent *entry; content != CONTENT_FOREIGN && (entry = readdir(stream));) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (depth > 0 && is_run_name(name)) {
            int run = open_directory(dirfd(stream), name);
            bool foreign = run < 0 || content_of(run, depth - 1) == CONTENT_FOREIGN;
            content = foreign ? CONTENT_FOREIGN : CONTENT_OURS;
        } else {
            content = is_our_file(dirfd(stream), name) ? CONTENT_OURS : CONTENT_FOREIGN;
        }
    }
    closedir(stream);
    return content;
}

/* Deletes the entries of a directory that content_of classified as ours, each after another check
 * of its name. An entry that was added since and is not ours stays; the rename that follows then
 * fails. Closes `directory`. */
static int empty_directory(int directory, int depth)
{
    int status = SYN_OK;
    DIR *stream = fdopendir(directory);
    if (!stream) {
        close(directory);
        return SYN_EIO;
    }
    for (struct dirent *entry; status == SYN_OK && (entry = readdir(stream));) {
        const char *name = entry->d_name;
        if (depth > 0 && is_run_name(name)) {
            int run = open_directory(dirfd(stream), name);
            status = run < 0 ? SYN_EIO : empty_directory(run, depth - 1);
            if (status == SYN_OK && unlinkat(dirfd(stream), name, AT_REMOVEDIR) != 0)
                status = SYN_EIO;
        } else if (is_our_file(dirfd(stream), name) && unlinkat(dirfd(stream), name, 0) != 0) {
            status = SYN_EIO;
        }
    }
    int error_number = errno;
    closedir(stream);
    errno = error_number;
    return status;
}

static int refuse(int error_number)
{
    errno = error_number;
    return SYN_EINVAL;
}

int syn_trace_make_directories(const char *path)
{
    char part[PATH_MAX];
    size_t length = strlen(path);
    if (length >= sizeof part)
        return refuse(ENAMETOOLONG);
    for (size_t i = 1; i <= length; i++) {
        if (path[i] != '/' && path[i] != 0)
            continue;
        memcpy(part, path, i);
        part[i] = 0;
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            return SYN_EIO;
    }
    struct stat state;
    if (stat(path, &state) != 0)
        return SYN_EIO;
    return S_ISDIR(state.st_mode) ? SYN_OK : refuse(ENOTDIR);
}

/* ---- paths ---- */

/* Returns where the last component of the path starts, and its *length, without trailing slashes.
 */
static size_t find_name(const char *path, size_t *length)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    *length = end - start;
    return start;
}

static enum kind kind_of_last(const char *path)
{
    char name[NAME_MAX + 1];
    size_t length;
    const char *start = path + find_name(path, &length);
    snprintf(name, sizeof name, "%.*s", (int)length, start);
    return kind_of(name);
}

static bool can_be_moved(const char *path)
{
    size_t count;
    const char *name = path + find_name(path, &count);
    return count > 0 && !(count == 1 && name[0] == '.') &&
           !(count == 2 && name[0] == '.' && name[1] == '.');
}

/* Shortens `path` to the directory that contains it; "/" and "." stay. */
static void cut_name(char path[PATH_MAX])
{
    size_t length;
    const size_t start = find_name(path, &length);
    if (start > 0)
        path[start] = 0;
    else if (path[0] != '/')
        strcpy(path, ".");
}

/* Shortens `path` to the nearest directory above it that exists. */
static void find_above(char path[PATH_MAX])
{
    do
        cut_name(path);
    while (access(path, F_OK) != 0 && strcmp(path, ".") != 0 && strcmp(path, "/") != 0);
}

bool syn_trace_is_in(const char *path)
{
    char above[PATH_MAX];
    if (strlen(path) >= sizeof above - 1)
        return false;
    find_above(strcpy(above, path));
    if (can_be_moved(path) && syn_trace_is_at(above))
        return true;
    if (!realpath(path, above))
        return false;
    find_above(above);
    return syn_trace_is_at(above);
}

/* Returns whether a new trace at `path` would lie in another trace. A run of an experiment may lie
 * in the experiment, though that counts as a trace. */
static bool is_misplaced(const char *path)
{
    char above[PATH_MAX];
    const enum kind kind = kind_of_last(path);
    if (!syn_trace_is_in(path))
        return false;
    cut_name(strcpy(above, path));
    return (kind != RUN && kind != SPAWNED) || !syn_trace_is_at(above) || has_mark(above, MANIFEST);
}

/* Renames the existing directory to its name with .old, and makes a new one in its place. What has
 * the name .old is deleted before, if it is ours. A symbolic link is resolved first, so that the
 * trace stays on the file system that the link leads to. */
static int replace(const char *directory)
{
    char path[PATH_MAX], old[PATH_MAX];
    if (!can_be_moved(directory))
        return refuse(EINVAL);
    if (!realpath(directory, path))
        return SYN_EIO;
    if (snprintf(old, sizeof old, "%s.old", path) >= (int)sizeof old)
        return refuse(ENAMETOOLONG);
    int opened = open_directory(AT_FDCWD, old);
    if (opened < 0 && errno != ENOENT)
        return refuse(EEXIST);
    if (opened >= 0) {
        if (content_of(opened, DEPTH_MAX) == CONTENT_FOREIGN)
            return refuse(EEXIST);
        opened = open_directory(AT_FDCWD, old);
        const int status = opened < 0 ? SYN_EIO : empty_directory(opened, DEPTH_MAX);
        if (status != SYN_OK)
            return status;
    }
    return rename(path, old) == 0 && mkdir(path, 0777) == 0 ? SYN_OK : SYN_EIO;
}

/* ---- claims ---- */

/* A lock is tried a few times, because syn_trace_is_claimed holds it for a moment. */
#define LOCK_TRIES    5
#define LOCK_PAUSE_NS 10000000

/* Opens and locks a directory. If it fails, *directory is -1.
 *
 * RATIONALE: the lock is on the directory itself (flock), not on a file in it. So it exists before
 * any file does, ends with its process, and leaves no file behind. On a file system that cannot
 * lock a directory there is no claim: a second run then renames the first one's directory, whose
 * files are kept. */
static int open_locked(const char *path, int *directory)
{
    const struct timespec pause = {.tv_nsec = LOCK_PAUSE_NS};
    struct stat there, held;
    *directory = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (*directory < 0)
        return errno == ENOTDIR ? refuse(ENOTDIR) : SYN_EIO;
    bool is_locked = false;
    for (int i = 0; i < LOCK_TRIES && !is_locked; i++) {
        is_locked = flock(*directory, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        if (!is_locked)
            nanosleep(&pause, NULL);
    }
    /* The previous owner may have moved the directory while this process waited. */
    if (is_locked && stat(path, &there) == 0 && fstat(*directory, &held) == 0 &&
        there.st_dev == held.st_dev && there.st_ino == held.st_ino)
        return SYN_OK;
    close(*directory);
    *directory = -1;
    errno = EBUSY;
    return SYN_EIO;
}

/* Returns the kind of a locked directory, and keeps that open. */
static enum content content_of_locked(int directory)
{
    int listed = fcntl(directory, F_DUPFD_CLOEXEC, 0);
    return listed < 0 ? CONTENT_FOREIGN : content_of(listed, DEPTH_MAX);
}

int syn_trace_claim(const char *directory, int *claim)
{
    int held, status = SYN_OK;
    if (directory[0] == 0)
        return refuse(EINVAL);
    if (is_misplaced(directory))
        return refuse(ENOTSUP);
    if (access(directory, F_OK) != 0 && errno == ENOENT)
        status = syn_trace_make_directories(directory);
    SYN_STEP(status, open_locked(directory, &held));
    if (status != SYN_OK)
        return status;
    switch (content_of_locked(held)) {
    case CONTENT_EMPTY:
        break;
    case CONTENT_OURS: {
        const int old = held;
        status = replace(directory);
        SYN_STEP(status, open_locked(directory, &held));
        syn_trace_release(old);
        break;
    }
    default:
        syn_trace_release(held);
        return refuse(ENOTEMPTY);
    }
    if (status == SYN_OK)
        *claim = held;
    return status;
}

/* ---- several launches ---- */

#define LAUNCHES_MAX 10000

static int put_run_name(char *name, size_t name_bytes, unsigned number)
{
    return snprintf(name, name_bytes, "run-%04u", number);
}

int syn_trace_claim_launch(char *directory, size_t directory_bytes, int *claim)
{
    int held = -1;
    int status = syn_trace_make_directories(directory);
    SYN_STEP(status, open_locked(directory, &held));
    if (status != SYN_OK && errno != EBUSY)
        return status;
    const enum content content = status == SYN_OK ? content_of_locked(held) : CONTENT_OURS;
    if (content == CONTENT_EMPTY) {
        *claim = held;
        return SYN_OK;
    }
    syn_trace_release(held);
    if (content == CONTENT_FOREIGN)
        return refuse(ENOTEMPTY);
    if (kind_of_last(directory) == RUN && syn_trace_is_in(directory))
        return refuse(EALREADY);
    /* Make a new directory for this later launch. Among launches at the same time, mkdir decides
     * who gets which number. */
    const size_t used = strlen(directory);
    for (unsigned number = 2; number < LAUNCHES_MAX; number++) {
        char name[32];
        put_run_name(name, sizeof name, number);
        if (snprintf(directory + used, directory_bytes - used, "/%s", name) >=
            (int)(directory_bytes - used)) {
            directory[used] = 0;
            return refuse(ENAMETOOLONG);
        }
        if (mkdir(directory, 0777) == 0)
            return open_locked(directory, claim);
        if (errno != EEXIST)
            return SYN_EIO;
    }
    errno = EMFILE;
    return SYN_EIO;
}

int syn_trace_part_launches(const char *directory, uint32_t *count)
{
    char name[32];
    int held;
    DIR *stream = opendir(directory);
    *count = 0;
    for (struct dirent *entry; stream && (entry = readdir(stream));)
        *count += kind_of(entry->d_name) == RUN;
    if (stream)
        closedir(stream);
    if (*count == 0 || !syn_trace_has_files(directory))
        return SYN_OK;
    int status = open_locked(directory, &held);
    if (status != SYN_OK)
        return status;
    put_run_name(name, sizeof name, 1);
    /* Move the files of the run that lie in `directory` itself to its directory `name`. */
    int run = mkdirat(held, name, 0777) == 0 ? open_directory(held, name) : -1;
    stream = run < 0 ? NULL : fdopendir(fcntl(held, F_DUPFD_CLOEXEC, 0));
    status = stream ? SYN_OK : SYN_EIO;
    for (struct dirent *entry; status == SYN_OK && (entry = readdir(stream));) {
        const char *from = entry->d_name;
        if ((is_our_file(held, from) || kind_of(from) == SPAWNED) &&
            renameat(held, from, run, from) != 0)
            status = SYN_EIO;
    }
    const int error_number = errno;
    if (stream)
        closedir(stream);
    if (run >= 0)
        close(run);
    errno = error_number;
    syn_trace_release(held);
    *count += status == SYN_OK;
    return status;
}

void syn_trace_release(int claim)
{
    const int error_number = errno;
    if (claim >= 0)
        close(claim);
    errno = error_number;
}

int syn_trace_hold(const char *directory, int *claim)
{
    return open_locked(directory, claim);
}

/* RATIONALE: on NFS a directory can be locked shared, but not exclusively, and a claim is
 * exclusive. So the exclusive lock is tried as well. EWOULDBLOCK then means that another process
 * that only checks holds the shared lock. */
bool syn_trace_is_claimed(const char *directory, bool *is_known)
{
    const int opened = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool shares = opened >= 0 && flock(opened, LOCK_SH | LOCK_NB) == 0;
    const bool claimed = opened >= 0 && !shares && errno == EWOULDBLOCK;
    if (is_known)
        *is_known =
            claimed || (shares && (flock(opened, LOCK_EX | LOCK_NB) == 0 || errno == EWOULDBLOCK));
    if (opened >= 0)
        close(opened);
    return claimed;
}

const char *syn_trace_prepare_text(int error_number)
{
    switch (error_number) {
    case EBUSY:
        return "another run is recording there";
    case ENOTSUP:
        return "is in a trace, which nothing else is written into";
    default:
        return strerror(error_number);
    }
}

void syn_trace_explain(int status, const char *directory, char *text, size_t text_bytes)
{
    if (status == SYN_EINVAL && errno == ENOTSUP)
        snprintf(text, text_bytes, "%s: %s", directory, syn_trace_prepare_text(errno));
    else if (status == SYN_EINVAL && errno == EALREADY)
        snprintf(text, text_bytes,
                 "%s has a launch of this run, and a run of --runs or compare is one launch",
                 directory);
    else if (status == SYN_EINVAL)
        snprintf(text, text_bytes, "%s%s holds something that is not a trace", directory,
                 errno == EEXIST ? ".old" : "");
    else
        snprintf(text, text_bytes, "cannot record into %s: %s", directory,
                 syn_trace_prepare_text(errno));
}
