/* preload/recorder/durable.c - see durable.h. */
#include "preload/recorder/durable.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "preload/base/mappings.h"
#include "preload/base/say.h"
#include "preload/base/signals.h"
#include "preload/recorder/endings.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"
#include "trace/base/guarded.h"
#include "trace/write/raw.h"

static struct {
    void *records;
    size_t records_used;
    uint64_t taken_bytes;
    struct syn_guarded file; /* no descriptor: not wanted, or removed */
    bool was_full;
    bool guarded; /* a SIGBUS handler repairs the mapping */
    bool active;  /* blocks can be reserved; any thread reads it */
    struct syn_writer_identity identity;
    struct syn_place *place; /* directory of the raw file; a later run may rename it */
    struct syn_place spill;  /* used if that is not the trace's directory */
    pthread_mutex_t reopening;
    char name[64];
    char spill_path[4096 + 128]; /* directory named after the run; "": none */
} durable = {.file = {.descriptor = -1},
             .spill = {.guarded = {.descriptor = -1}},
             .reopening = PTHREAD_MUTEX_INITIALIZER};

/* ---- where ---- */

/* Returns true on file systems that keep allocated space for later stores to a mapping. RATIONALE:
 * on others (copy on write, network, user space) a store may raise SIGBUS or wait for a server. */
static bool keeps_promises(int file)
{
    static const long kinds[] = {
        0x01021994, /* tmpfs */
        0xEF53,     /* ext2, ext3, ext4 */
        0x58465342, /* xfs */
        0x794c7630, /* overlayfs, which is on one of these */
    };
    struct statfs state;
    if (fstatfs(file, &state))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (state.f_type == kinds[i])
            return true;
    return false;
}

/* Selects the directory of the raw file: `home`, or if `spill` is not "", a directory in `spill`
 * that is named after the run. */
static int choose_place(struct syn_place *home, const char *spill)
{
    char *path = durable.spill_path;
    durable.place = home;
    if (!*spill)
        return SYN_OK;
    int length = snprintf(path, sizeof durable.spill_path, "%s/syncopate-", spill);
    if (length < 0 || (size_t)length + 33 > sizeof durable.spill_path)
        return SYN_EIO;
    for (size_t i = 0; i < sizeof durable.identity.run_id; i++)
        length += sprintf(path + length, "%02x", durable.identity.run_id[i]);
    if (mkdir(path, 0700) && errno != EEXIST)
        return SYN_EIO;
    durable.place = &durable.spill;
    return syn_place_open(&durable.spill, path, O_NOFOLLOW);
}

static void remove_all(void)
{
    const int directory = syn_place_get(durable.place);
    if (directory >= 0)
        unlinkat(directory, durable.name, 0);
    if (durable.spill_path[0])
        rmdir(durable.spill_path);
    __atomic_store_n(&durable.active, false, __ATOMIC_RELEASE);
    syn_guarded_close(&durable.file);
    syn_place_close(&durable.spill);
}

/* Opens the raw file. Returns a descriptor, or -1 and errno. */
static int open_in_place(int more_flags)
{
    const int directory = syn_place_get(durable.place);
    if (directory < 0)
        return -1;
    return syn_guarded_take(
        &durable.file,
        syn_open_at(directory, durable.name, O_RDWR | O_CLOEXEC | O_NOFOLLOW | more_flags, 0666));
}

static const char *open_file(struct syn_place *home, const char *spill)
{
    static char text[256];
    char path[64];
    syn_raw_path(path, sizeof path, "", durable.identity.rank);
    snprintf(durable.name, sizeof durable.name, "%s", path + 1);
    if (choose_place(home, spill) || open_in_place(O_CREAT | O_TRUNC) < 0) {
        snprintf(text, sizeof text, "%s", strerror(errno));
        return text;
    }
    durable.active = true;
    return keeps_promises(durable.file.descriptor) ? NULL : "the file system";
}

/* Reserves and prepares a block. NULL if either fails. */
static void *take_block(size_t bytes)
{
    uint64_t offset;
    void *memory = syn_durable_reserve(bytes, &offset);
    return memory && syn_durable_prepare(memory, offset, bytes) ? memory : NULL;
}

/* Writes a block's header; adds the run and the rank. */
static void label(void *block, struct syn_raw_header header)
{
    memcpy(header.run_id, durable.identity.run_id, sizeof header.run_id);
    header.rank = durable.identity.rank;
    header.size = durable.identity.size;
    syn_raw_encode(&header, block);
}

int syn_durable_open(struct syn_place *home, const char *spill, bool may_handle,
                     const struct syn_writer_identity *identity, const char **why)
{
    durable.identity = *identity;
    *why = strcmp(spill, "memory") == 0 ? "as wished"
           : !may_handle                ? "no signals may be handled"
                                        : open_file(home, spill);
    if (!*why && !(durable.records = take_block(SYN_RAW_UNIT)))
        *why = "no room";
    if (!*why) {
        label(durable.records,
              (struct syn_raw_header){.kind = SYN_RAW_RECORDS, .block_bytes = SYN_RAW_UNIT});
        return SYN_OK;
    }
    if (durable.place)
        remove_all();
    return SYN_ENOTSUP;
}

static bool is_active(void)
{
    return __atomic_load_n(&durable.active, __ATOMIC_ACQUIRE);
}

/* ---- blocks ---- */

bool syn_durable_was_full(void)
{
    return __atomic_load_n(&durable.was_full, __ATOMIC_RELAXED);
}

/* Returns the file's descriptor. Opens the file again if the program has closed or reused it. */
static int usable_file(void)
{
    int file = syn_guarded_get(&durable.file);
    if (file >= 0 || pthread_mutex_lock(&durable.reopening))
        return file;
    file = syn_guarded_get(&durable.file);
    if (file < 0)
        file = open_in_place(0);
    pthread_mutex_unlock(&durable.reopening);
    return file;
}

/* RATIONALE: asked for each block, since the program may have replaced our SIGBUS handler, or may
 * block the signal in this thread. Then a cut file would kill it. */
bool syn_durable_is_safe(void)
{
    sigset_t blocked;
    return pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGBUS) &&
           (!durable.guarded || syn_endings_is_first());
}

void *syn_durable_reserve(size_t bytes, uint64_t *offset)
{
    if (!is_active() || syn_mappings_mended() || !syn_durable_is_safe())
        return NULL;
    *offset = __atomic_fetch_add(&durable.taken_bytes, bytes, __ATOMIC_RELAXED);
    const int file = usable_file();
    if (file < 0)
        return NULL;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, (off_t)(*offset));
    return memory == MAP_FAILED || !syn_mappings_add(memory, bytes) ? NULL : memory;
}

/* RATIONALE: pages are written before they are touched, since the first touch makes some file
 * systems read ahead: 80 us for 16 KiB of ext4 instead of 13 us. MAP_POPULATE only reads the pages
 * of a shared mapping. */
bool syn_durable_prepare(void *memory, uint64_t offset, size_t bytes)
{
    static const unsigned char zeros[16 << 10];
    struct syn_signals signals;
    syn_signals_hold(&signals);
    const int file = usable_file();
    int failed = file < 0;
    if (!failed)
        do
            failed = fallocate(file, 0, (off_t)offset, (off_t)bytes);
        while (failed && errno == EINTR);
    for (size_t done = 0; !failed && done < bytes;) {
        const ssize_t put =
            pwrite(file, zeros, syn_least(bytes - done, sizeof zeros), (off_t)(offset + done));
        failed = put == 0 || (put < 0 && errno != EINTR);
        done += put > 0 ? (size_t)put : 0;
    }
    const size_t page_bytes = syn_page_bytes();
    for (size_t i = 0; !failed && i < bytes; i += page_bytes)
        *((volatile unsigned char *)memory + i) = 0;
    syn_signals_release(&signals);
    if (failed)
        __atomic_store_n(&durable.was_full, true, __ATOMIC_RELAXED);
    return !failed;
}

void syn_durable_label(void *block, size_t bytes, uint32_t thread, uint64_t first_event)
{
    label(block, (struct syn_raw_header){.kind = SYN_RAW_EVENTS,
                                         .thread = thread,
                                         .block_bytes = bytes,
                                         .first_event = first_event});
}

void syn_durable_label_open(void *block, uint32_t first_thread)
{
    label(block, (struct syn_raw_header){
                     .kind = SYN_RAW_OPEN, .thread = first_thread, .block_bytes = SYN_RAW_UNIT});
}

struct syn_event *syn_durable_take_pending(size_t *count)
{
    void *block = take_block(SYN_RAW_UNIT);
    if (!block)
        return NULL;
    label(block, (struct syn_raw_header){.kind = SYN_RAW_PENDING,
                                         .thread = SYN_RAW_NO_THREAD,
                                         .block_bytes = SYN_RAW_UNIT});
    *count = syn_raw_capacity(SYN_RAW_UNIT);
    return syn_raw_events(block);
}

/* ---- records, and the ending ---- */

SYN_HOT bool syn_durable_record(uint8_t frame_type, const void *record, size_t bytes, size_t *taken)
{
    const size_t before = durable.records_used;
    *taken = 0;
    if (!is_active())
        return true;
    if (!durable.records || !syn_raw_append(durable.records, SYN_RAW_UNIT, &durable.records_used,
                                            frame_type, record, bytes))
        return false;
    *taken = durable.records_used - before;
    return true;
}

SYN_HOT size_t syn_durable_record_bytes(void)
{
    return durable.records_used;
}

void syn_durable_forget_records(size_t upto)
{
    if (durable.records)
        syn_raw_forget(durable.records, &durable.records_used, upto);
}

uint32_t *syn_durable_ending(void)
{
    return durable.records ? syn_raw_ending(durable.records) : NULL;
}

void syn_durable_lose(uint64_t call_count)
{
    if (durable.records)
        __atomic_add_fetch(syn_raw_lost(durable.records), call_count, __ATOMIC_RELAXED);
}

void syn_durable_note_memory(bool in_memory)
{
    if (durable.records)
        __atomic_store_n(syn_raw_in_memory(durable.records), in_memory, __ATOMIC_RELAXED);
}

void syn_durable_note(enum syn_ending ending)
{
    if (durable.records)
        __atomic_store_n(syn_raw_ending(durable.records), (uint32_t)ending, __ATOMIC_RELAXED);
}

void syn_durable_guard(void)
{
    durable.guarded = true;
}

bool syn_durable_was_cut(void)
{
    if (!syn_mappings_mended())
        return false;
    syn_say(SYN_SAY_CUT,
            "rank %d: another program has cut %s: the events in it are lost, later ones are kept "
            "in memory",
            durable.identity.rank, durable.name);
    syn_durable_remove();
    return true;
}

void syn_durable_remove(void)
{
    if (is_active())
        remove_all();
}
