/* preload/durable.c - see durable.h. */
#include "durable.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../sync/status.h"
#include "../trace/raw.h"
#include "say.h"
#include "signals.h"

#define PAGE_BYTES 4096

static struct {
    struct syn_writer_identity identity;
    int directory; /* held open: a later run may move it out of its way */
    int file;      /* -1: none, or none any more */
    char name[64];
    char spill_path[4096 + 128]; /* the directory named after the run; "" none */
    uint64_t taken_bytes;
    void *records;
    size_t records_used;
} durable = {.directory = -1, .file = -1};

/* ---- where ---- */

/* RATIONALE: file systems on which allocated space is there for every later store to a mapping, and
 * which do not take the file away. On others (copy on write, network, user space) a store may end
 * in SIGBUS, or wait for a server. */
static bool keeps_promises(int file)
{
    static const long kinds[] = {
        0x01021994, /* tmpfs */
        0xEF53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x794c7630, /* overlayfs, of one of these */
    };
    struct statfs state;
    if (fstatfs(file, &state))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (state.f_type == kinds[i])
            return true;
    return false;
}

static int open_directory(const char *directory, const char *spill)
{
    char *path = durable.spill_path;
    if (!*spill)
        return open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int length = snprintf(path, sizeof durable.spill_path, "%s/syncopate-", spill);
    if (length < 0 || (size_t)length + 33 > sizeof durable.spill_path)
        return -1;
    for (size_t i = 0; i < sizeof durable.identity.run_id; i++)
        length += sprintf(path + length, "%02x", durable.identity.run_id[i]);
    if (mkdir(path, 0700) && errno != EEXIST)
        return -1;
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

static void close_all(void)
{
    if (durable.file >= 0)
        close(durable.file);
    if (durable.directory >= 0)
        close(durable.directory);
    durable.file = durable.directory = -1;
}

static const char *open_file(const char *directory, const char *spill)
{
    static char text[256];
    char path[64];
    syn_raw_path(path, sizeof path, "", durable.identity.rank);
    snprintf(durable.name, sizeof durable.name, "%s", path + 1);
    durable.directory = open_directory(directory, spill);
    if (durable.directory >= 0)
        durable.file = openat(durable.directory, durable.name,
                              O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (durable.file < 0) {
        snprintf(text, sizeof text, "%s", strerror(errno));
        return text;
    }
    return keeps_promises(durable.file) ? NULL : "the file system";
}

int syn_durable_open(const char *directory, const char *spill,
                     const struct syn_writer_identity *identity, const char **why)
{
    durable.identity = *identity;
    *why = strcmp(spill, "memory") == 0 ? "as wished" : open_file(directory, spill);
    if (!*why && !(durable.records = syn_durable_take(SYN_RAW_UNIT)))
        *why = "no room";
    if (!*why) {
        const struct syn_raw_header header = {
            .kind = SYN_RAW_RECORDS,
            .rank = identity->rank,
            .size = identity->size,
            .block_bytes = SYN_RAW_UNIT,
        };
        struct syn_raw_header named = header;
        memcpy(named.run_id, identity->run_id, sizeof named.run_id);
        syn_raw_encode(&named, durable.records);
        return SYN_OK;
    }
    if (durable.file >= 0)
        unlinkat(durable.directory, durable.name, 0);
    if (durable.spill_path[0])
        rmdir(durable.spill_path);
    close_all();
    return SYN_ENOTSUP;
}

/* ---- blocks ---- */

static void say_no_room(int error)
{
    syn_say(SYN_SAY_MEMORY,
            "rank %d: no room for blocks of events (%s): they stay in memory, and a kill would "
            "lose them",
            durable.identity.rank, strerror(error));
}

static void *allocate(int file, off_t offset, size_t bytes)
{
    int failed;
    do
        failed = fallocate(file, 0, offset, (off_t)bytes);
    while (failed && errno == EINTR);
    if (failed)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset);
    if (memory == MAP_FAILED)
        return NULL;
    /* Stores, not MAP_POPULATE: that only reads where a mapping is shared. */
    for (size_t i = 0; i < bytes; i += PAGE_BYTES)
        *((volatile unsigned char *)memory + i) = 0;
    return memory;
}

void *syn_durable_take(size_t bytes)
{
    const int file = __atomic_load_n(&durable.file, __ATOMIC_ACQUIRE);
    if (file < 0)
        return NULL;
    const uint64_t offset = __atomic_fetch_add(&durable.taken_bytes, bytes, __ATOMIC_RELAXED);
    struct syn_signals held;
    syn_signals_hold(&held);
    void *memory = allocate(file, (off_t)offset, bytes);
    const int error = errno;
    syn_signals_release(&held);
    if (!memory)
        say_no_room(error);
    return memory;
}

void syn_durable_label(void *block, size_t bytes, uint32_t thread, uint64_t first_event)
{
    struct syn_raw_header header = {
        .kind = SYN_RAW_EVENTS,
        .thread = thread,
        .rank = durable.identity.rank,
        .size = durable.identity.size,
        .block_bytes = bytes,
        .first_event = first_event,
    };
    memcpy(header.run_id, durable.identity.run_id, sizeof header.run_id);
    syn_raw_encode(&header, block);
}

/* ---- records, and how it ended ---- */

bool syn_durable_active(void)
{
    return durable.records != NULL;
}

bool syn_durable_record(uint8_t frame_type, const void *record, size_t bytes)
{
    return durable.records && syn_raw_append(durable.records, SYN_RAW_UNIT, &durable.records_used,
                                             frame_type, record, bytes);
}

void syn_durable_clear_records(void)
{
    if (durable.records_used > 0)
        memset((unsigned char *)durable.records + SYN_RAW_HEADER_BYTES, 0,
               SYN_RAW_UNIT - SYN_RAW_HEADER_BYTES);
    durable.records_used = 0;
}

uint32_t *syn_durable_ending(void)
{
    return durable.records ? syn_raw_ending(durable.records) : NULL;
}

void syn_durable_note(enum syn_ending ending)
{
    if (durable.records)
        __atomic_store_n(syn_raw_ending(durable.records), (uint32_t)ending, __ATOMIC_RELAXED);
}

void syn_durable_remove(void)
{
    if (durable.file < 0)
        return;
    unlinkat(durable.directory, durable.name, 0);
    if (durable.spill_path[0])
        rmdir(durable.spill_path);
    close_all();
}
