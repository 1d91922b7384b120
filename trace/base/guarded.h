/* trace/base/guarded.h - guards file descriptors of the recorder against the program that it runs
 * in.
 *
 * The program may close any descriptor, put a file of its own at any number, and change its
 * directory, root, limits and user. So a guarded descriptor has a number that programs seldom
 * choose. Before each use the descriptor is compared with the file that was opened. If the
 * descriptor was lost, the file is opened again by its absolute path. It is closed only if it is
 * still that file.
 *
 * RATIONALE: the file stays open instead of being opened for each use. After chroot, setuid, a
 * renamed directory or with a full table of descriptors nothing could be opened any more. And the
 * recorder never takes a low number that another thread has just closed to open it anew. */
#ifndef SYN_GUARDED_H
#define SYN_GUARDED_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct syn_guarded {
    int descriptor; /* -1: none. Atomic, because any thread may find that it was lost */
    bool known;     /* device and inode are valid */
    dev_t device;
    ino_t inode;
};
#define SYN_GUARDED_NONE ((struct syn_guarded){.descriptor = -1})

/* Guards `opened` (-1: nothing): moves it to a high number, with O_CLOEXEC. If a file was guarded
 * before, `opened` must be the same file; another file is closed. Returns the descriptor, or -1
 * with errno; EBADFD if a file was guarded before. */
int syn_guarded_take(struct syn_guarded *guarded, int opened);
/* Remembers a descriptor of the program. The descriptor keeps its number and is never closed
 * here. */
void syn_guarded_note(struct syn_guarded *guarded, int descriptor);
/* Returns the descriptor if it still refers to the same file, else -1 with errno EBADFD. */
int syn_guarded_get(const struct syn_guarded *guarded);
/* Closes the descriptor if it still refers to the guarded file, and forgets it in any case. Returns
 * 0, or -1 with close's errno. */
int syn_guarded_close(struct syn_guarded *guarded);
/* Returns strerror's text, or a plainer text for EBADFD. */
const char *syn_guarded_text(int error_number);

/* Opens a file as openat does, and also beyond the program's soft limit on descriptors, up to its
 * hard limit. With O_CREAT the new file is readable and writable by its owner, whatever the
 * program's umask. */
int syn_open_at(int directory, const char *name, int flags, mode_t mode);

/* A guarded directory. One thread uses it at a time. */
struct syn_place {
    struct syn_guarded guarded;
    char
        path[PATH_MAX]; /* absolute, unless the opener knows that the directory stays where it is */
};
/* Returns 0 or SYN_EIO (errno). O_NOFOLLOW may be among `flags`. */
int syn_place_open(struct syn_place *place, const char *path, int flags);
/* Returns the directory's descriptor for openat, opened again if it was lost; -1 with errno. */
int syn_place_get(struct syn_place *place);
void syn_place_close(struct syn_place *place);
/* Returns the present path of the directory for messages to people, also after a renaming. */
const char *syn_place_name(struct syn_place *place, char *buffer, size_t buffer_bytes);

#endif
