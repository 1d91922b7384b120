/* trace/base/held.h - files and directories that stay open for long in a process that is not ours.
 *
 * The program around us may close any descriptor, put a file of its own at any number, change its
 * directory, its root, its limits and its user. So what is held has a number that programs seldom
 * choose, is looked at before each use (is it still the file that was opened?), is opened again by
 * its absolute path where it was lost, and is closed only where it is still ours.
 *
 * RATIONALE: held, and not opened for each use: behind chroot, setuid, a renamed directory or a
 * full table of descriptors nothing could be opened any more; and while another thread of the
 * program closes a low number to open it anew, nothing of ours comes between. */
#ifndef SYN_HELD_H
#define SYN_HELD_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct syn_held {
    int descriptor; /* -1: none; atomic, for it may be found lost by any thread */
    bool known;     /* the next two hold */
    dev_t device;
    ino_t inode;
};
#define SYN_HELD_NONE ((struct syn_held){.descriptor = -1})

/* Hold `opened` from now on (-1: nothing), at another number, with O_CLOEXEC. What is held must
 * stay the same file: where another was held before, `opened` is closed. Returns the descriptor, or
 * -1 with errno; EBADFD wherever something was held before. */
int syn_held_take(struct syn_held *held, int opened);
/* Another's descriptor, which stays where it is: to be looked at, not to be closed. */
void syn_held_note(struct syn_held *held, int descriptor);
/* The descriptor where it still is what was taken; else -1 with errno EBADFD. */
int syn_held_get(const struct syn_held *held);
/* Close it where it still is ours; forget it in any case. Returns 0, or -1 with close's errno. */
int syn_held_close(struct syn_held *held);
/* strerror, but for EBADFD. */
const char *syn_held_text(int error_number);

/* openat, also where the program's soft limit on descriptors is in the way and its hard one is not.
 * What is made (O_CREAT) its owner may read and write, whatever umask the program has. */
int syn_open_at(int directory, const char *name, int flags, mode_t mode);

/* A directory. One thread at a time. */
struct syn_place {
    struct syn_held held;
    char path[PATH_MAX]; /* absolute, unless whoever opened it knows that it stays where it is */
};
/* Returns 0 or SYN_EIO (errno). O_NOFOLLOW may be among `flags`. */
int syn_place_open(struct syn_place *place, const char *path, int flags);
/* Its descriptor, for openat and its kin; opened again where it was lost. -1 with errno. */
int syn_place_get(struct syn_place *place);
void syn_place_close(struct syn_place *place);
/* Returns the present path of the place, for people, also after a renaming. */
const char *syn_place_name(struct syn_place *place, char *buffer, size_t buffer_bytes);

#endif
