/* trace/base/guarded.c - see guarded.h. */
#include "trace/base/guarded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/status.h"

/* The range of numbers ends below the limit of select() and lies above numbers that people choose.
 * It is no higher, because the kernel's table of descriptors grows with the highest number, and
 * each fork copies the table. */
#define NUMBER_TOP   1024
#define NUMBER_COUNT 32

static int to_high_number(int opened)
{
    struct rlimit limit;
    if (opened < 0 || getrlimit(RLIMIT_NOFILE, &limit))
        return opened;
    const int top = limit.rlim_cur < NUMBER_TOP ? (int)limit.rlim_cur : NUMBER_TOP;
    const int moved = top > NUMBER_COUNT ? fcntl(opened, F_DUPFD_CLOEXEC, top - NUMBER_COUNT) : -1;
    if (moved < 0)
        return opened;
    close(opened);
    return moved;
}

static bool is_same(const struct syn_guarded *guarded, int descriptor)
{
    struct stat state;
    return descriptor >= 0 && fstat(descriptor, &state) == 0 && state.st_dev == guarded->device &&
           state.st_ino == guarded->inode;
}

/* Remembers device and inode of `opened`, unless a file was guarded before. */
static void learn(struct syn_guarded *guarded, int opened)
{
    struct stat state;
    if (guarded->known || opened < 0 || fstat(opened, &state))
        return;
    guarded->device = state.st_dev;
    guarded->inode = state.st_ino;
    guarded->known = true;
}

int syn_guarded_take(struct syn_guarded *guarded, int opened)
{
    const bool again = guarded->known;
    learn(guarded, opened);
    if (opened >= 0 && !is_same(guarded, opened)) {
        close(opened);
        opened = -1;
    }
    const int error_number = opened < 0 && again ? EBADFD : errno;
    opened = to_high_number(opened);
    errno = error_number;
    __atomic_store_n(&guarded->descriptor, opened, __ATOMIC_RELEASE);
    return opened;
}

void syn_guarded_note(struct syn_guarded *guarded, int descriptor)
{
    guarded->known = false;
    learn(guarded, descriptor);
    guarded->descriptor = descriptor;
}

int syn_guarded_get(const struct syn_guarded *guarded)
{
    const int error_number = errno;
    const int descriptor = __atomic_load_n(&guarded->descriptor, __ATOMIC_ACQUIRE);
    const bool is_ours = is_same(guarded, descriptor);
    errno = is_ours ? error_number : EBADFD;
    return is_ours ? descriptor : -1;
}

int syn_guarded_close(struct syn_guarded *guarded)
{
    const int descriptor = syn_guarded_get(guarded);
    *guarded = SYN_GUARDED_NONE;
    return descriptor < 0 ? 0 : close(descriptor);
}

const char *syn_guarded_text(int error_number)
{
    return error_number == EBADFD ? "the program took its descriptor, and it cannot be opened again"
                                  : strerror(error_number);
}

int syn_open_at(int directory, const char *name, int flags, mode_t mode)
{
    struct rlimit limit;
    struct stat state;
    int opened = openat(directory, name, flags, mode);
    if (opened < 0 && errno == EMFILE && getrlimit(RLIMIT_NOFILE, &limit) == 0 &&
        limit.rlim_cur < limit.rlim_max) {
        /* Raise the soft limit on descriptors for a moment. */
        const struct rlimit raised = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0) {
            opened = openat(directory, name, flags, mode);
            const int error_number = errno;
            setrlimit(RLIMIT_NOFILE, &limit);
            errno = error_number;
        }
    }
    /* A program's umask may deny the owner access, and then nobody could read the trace. */
    if (opened >= 0 && flags & O_CREAT && fstat(opened, &state) == 0 && (~state.st_mode & 0600))
        fchmod(opened, state.st_mode | 0600);
    return opened;
}

/* ---- directories ---- */

#define PLACE_FLAGS (O_RDONLY | O_DIRECTORY | O_CLOEXEC)

int syn_place_open(struct syn_place *place, const char *path, int flags)
{
    place->guarded = SYN_GUARDED_NONE;
    if (snprintf(place->path, sizeof place->path, "%s", path) >= (int)sizeof place->path) {
        errno = ENAMETOOLONG;
        return SYN_EIO;
    }
    const int opened = syn_open_at(AT_FDCWD, place->path, PLACE_FLAGS | flags, 0);
    return syn_guarded_take(&place->guarded, opened) < 0 ? SYN_EIO : SYN_OK;
}

int syn_place_get(struct syn_place *place)
{
    const int held = syn_guarded_get(&place->guarded);
    if (held >= 0)
        return held;
    return syn_guarded_take(&place->guarded, syn_open_at(AT_FDCWD, place->path, PLACE_FLAGS, 0));
}

void syn_place_close(struct syn_place *place)
{
    syn_guarded_close(&place->guarded);
}

const char *syn_place_name(struct syn_place *place, char *buffer, size_t buffer_bytes)
{
    char link[64];
    struct stat state;
    if (stat(place->path, &state) == 0 && state.st_dev == place->guarded.device &&
        state.st_ino == place->guarded.inode)
        return place->path;
    snprintf(link, sizeof link, "/proc/self/fd/%d", syn_place_get(place));
    const ssize_t length = readlink(link, buffer, buffer_bytes - 1);
    if (length <= 0)
        return place->path;
    buffer[length] = '\0';
    return buffer;
}
