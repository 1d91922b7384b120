/* trace/base/guarded.h - descriptors that stay open for long in a process that is not ours.
 *
 * The program may close any descriptor, put a file of its own at any number, and change its
 * directory, root, limits and user. So a guarded descriptor has a number that programs seldom
 * choose. Before each use it is compared with the file that was opened. If it was lost, the file is
 * opened again by its absolute path. It is closed only if it is still ours.
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
    int descriptor; /* -1: none; atomic, for it may be found lost by any thread */
    bool known;     /* the next two hold */
    dev_t device;
    ino_t inode;
};
#define SYN_GUARDED_NONE ((struct syn_guarded){.descriptor = -1})

/* Guards `opened` (-1: nothing) at another number, with O_CLOEXEC. It must stay the same file: if
 * another one was guarded before, `opened` is closed. Returns the descriptor, or -1 with errno;
 * EBADFD if something was guarded before. */
int syn_guarded_take(struct syn_guarded *guarded, int opened);
/* Guards a descriptor of the program: it keeps its number and is never closed. */
void syn_guarded_note(struct syn_guarded *guarded, int descriptor);
/* Returns the descriptor if it is still the same file, else -1 with errno EBADFD. */
int syn_guarded_get(const struct syn_guarded *guarded);
/* Closes it if it is still ours, and forgets it in any case. Returns 0, or -1 with close's errno.
 */
int syn_guarded_close(struct syn_guarded *guarded);
/* Returns strerror's text, with a plainer one for EBADFD. */
const char *syn_guarded_text(int error_number);

/* As openat, but also opens beyond the program's soft limit on descriptors, up to its hard limit.
 * The owner may read and write a file that is made (O_CREAT), whatever the program's umask. */
int syn_open_at(int directory, const char *name, int flags, mode_t mode);

/* A guarded directory, for one thread at a time. */
struct syn_place {
    struct syn_guarded guarded;
    char path[PATH_MAX]; /* absolute, unless whoever opened it knows that it stays where it is */
};
/* Returns 0 or SYN_EIO (errno). O_NOFOLLOW may be among `flags`. */
int syn_place_open(struct syn_place *place, const char *path, int flags);
/* Returns its descriptor for openat, opened again if it was lost; -1 with errno. */
int syn_place_get(struct syn_place *place);
void syn_place_close(struct syn_place *place);
/* Returns the present path of the place, for people, also after a renaming. */
const char *syn_place_name(struct syn_place *place, char *buffer, size_t buffer_bytes);

#endif
