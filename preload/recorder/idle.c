/* preload/recorder/idle.c - see idle.h. */
#include "preload/recorder/idle.h"

#include <sys/mman.h>

#include "preload/base/lock.h"
#include "sync/base/integers.h"

#define KEPT_BYTES_MAX ((uint64_t)8 << 20)
/* Number of states in one mapping. */
#define STATES_PER_PIECE ((size_t)16)

static struct {
    struct syn_lock lock;
    struct syn_idle *warm, *cold; /* newest first */
    uint64_t kept_bytes;          /* by all warm states; atomic */
    unsigned char *piece;         /* rest of the newest mapping */
    size_t piece_left;
} idle = {.lock = SYN_LOCK_INITIALIZER};

uint64_t syn_idle_room(void)
{
    const uint64_t kept = __atomic_load_n(&idle.kept_bytes, __ATOMIC_RELAXED);
    return KEPT_BYTES_MAX - syn_least(kept, KEPT_BYTES_MAX);
}

void syn_idle_put(struct syn_idle *one, uint64_t bytes)
{
    struct syn_idle **list = bytes > 0 ? &idle.warm : &idle.cold;
    if (!syn_lock_take(&idle.lock))
        return;
    one->bytes = bytes;
    one->next = *list;
    *list = one;
    __atomic_store_n(&idle.kept_bytes, idle.kept_bytes + bytes, __ATOMIC_RELAXED);
    syn_lock_give(&idle.lock);
}

struct syn_idle *syn_idle_take(void)
{
    if (!syn_lock_take(&idle.lock))
        return NULL;
    struct syn_idle **list = idle.warm ? &idle.warm : &idle.cold;
    struct syn_idle *taken = *list;
    if (taken) {
        *list = taken->next;
        __atomic_store_n(&idle.kept_bytes, idle.kept_bytes - taken->bytes, __ATOMIC_RELAXED);
    }
    syn_lock_give(&idle.lock);
    return taken;
}

void *syn_idle_new(size_t bytes)
{
    void *made = NULL;
    if (!syn_lock_take(&idle.lock))
        return NULL;
    if (idle.piece_left < bytes) {
        void *memory = mmap(NULL, STATES_PER_PIECE * bytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
        if (memory != MAP_FAILED) {
            idle.piece = memory;
            idle.piece_left = STATES_PER_PIECE * bytes;
        }
    }
    if (idle.piece_left >= bytes) {
        made = idle.piece;
        idle.piece += bytes;
        idle.piece_left -= bytes;
    }
    syn_lock_give(&idle.lock);
    return made;
}
