/* sync/time/identity.c - see identity.h. */
#include "sync/time/identity.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"

static int read_boot_id(char *buffer, size_t buffer_bytes, size_t *length)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (!file)
        return SYN_EMISSING;
    *length = fread(buffer, 1, buffer_bytes, file);
    fclose(file);
    return *length > 0 ? SYN_OK : SYN_EMISSING;
}

/* Returns a hash that differs between all processes of a run: of time, process id and an
 * address. */
static uint64_t hash_of_process(void)
{
    struct {
        struct timespec now;
        uint64_t pid;
        uint64_t address;
    } unique = {.pid = (uint64_t)getpid(), .address = (uint64_t)(uintptr_t)&hash_of_process};

    clock_gettime(CLOCK_REALTIME, &unique.now);
    return syn_hash64(&unique, sizeof unique);
}

static uint64_t time_namespace(void)
{
    struct stat status;

    return stat("/proc/self/ns/time", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static uint64_t rate_identity(enum syn_clock_kind kind, uint64_t multiplier)
{
    return multiplier ^ ((uint64_t)kind << 60);
}

int syn_machine_hash(uint64_t *hash)
{
    char boot_id[64];
    size_t length;
    const int status = read_boot_id(boot_id, sizeof boot_id, &length);

    if (status >= 0)
        *hash = syn_hash64(boot_id, length);
    return status;
}

int syn_clock_identity_read(const struct syn_tick_source *source, struct syn_clock_identity *out)
{
    if (source->kind == SYN_CLOCK_FUNCTION || syn_machine_hash(&out->machine) < 0)
        out->machine = hash_of_process();
    /* A time namespace shifts the kernel's clocks; reading the TSC bypasses the kernel. */
    out->namespace_ = source->kind == SYN_CLOCK_TSC ? 0 : time_namespace();
    out->rate = rate_identity(source->kind, source->multiplier);
    return SYN_OK;
}

void syn_clock_offer_make(const struct syn_tick_source *tsc, struct syn_clock_offer *out)
{
    *out = (struct syn_clock_offer){.namespace_ = time_namespace(),
                                    .multiplier = tsc->kind == SYN_CLOCK_TSC ? tsc->multiplier : 0};
    if (syn_machine_hash(&out->machine) < 0)
        out->machine = hash_of_process();
    syn_tick_reading_take(&out->sent);
}

void syn_tick_source_adopt(struct syn_tick_source *source, uint64_t multiplier)
{
    if (source->kind == SYN_CLOCK_TSC && multiplier != 0)
        source->multiplier = multiplier;
}

struct syn_clock_identity syn_clock_offer_identity(const struct syn_clock_offer *offer,
                                                   enum syn_clock_kind kind, uint64_t multiplier)
{
    if (kind == SYN_CLOCK_TSC && offer->multiplier == 0)
        kind = SYN_CLOCK_MONOTONIC_RAW;
    if (kind == SYN_CLOCK_TSC)
        return (struct syn_clock_identity){offer->machine, 0, rate_identity(kind, multiplier)};
    return (struct syn_clock_identity){offer->machine, offer->namespace_,
                                       rate_identity(kind, UINT64_C(1) << 32)};
}

int64_t syn_tick_reading_local_ns(const struct syn_tick_source *source,
                                  const struct syn_tick_reading *reading)
{
    return source->kind == SYN_CLOCK_TSC ? syn_tick_source_local(source, reading->ticks).ns
                                         : reading->raw_ns;
}

bool syn_clock_can_be_shared(const struct syn_tick_source *source,
                             const struct syn_tick_reading *sent,
                             const struct syn_tick_reading *root,
                             const struct syn_tick_reading *arrived)
{
    const int64_t root_ns = syn_tick_reading_local_ns(source, root);

    return syn_tick_reading_local_ns(source, sent) <= root_ns + SYN_SHARED_CLOCK_NS &&
           root_ns <= syn_tick_reading_local_ns(source, arrived) + SYN_SHARED_CLOCK_NS;
}
