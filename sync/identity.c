#include "identity.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "collect.h"
#include "status.h"

/* FNV-1a: spreads a short text over 64 bits. */
static uint64_t hash_bytes(const void *data, size_t bytes)
{
    const unsigned char *at = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static int read_boot_id(char *buffer, size_t buffer_bytes, size_t *length)
{
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");

    if (file == NULL)
        return SYN_EMISSING;
    *length = fread(buffer, 1, buffer_bytes, file);
    fclose(file);
    return *length > 0 ? SYN_OK : SYN_EMISSING;
}

/* Unlike any other process of the run: time, process and an address of its own address space. */
static uint64_t hash_of_process(void)
{
    struct {
        struct timespec now;
        uint64_t pid;
        uint64_t address;
    } unique = {.pid = (uint64_t)getpid(), .address = (uint64_t)(uintptr_t)&hash_of_process};

    clock_gettime(CLOCK_REALTIME, &unique.now);
    return hash_bytes(&unique, sizeof unique);
}

static uint64_t time_namespace(void)
{
    struct stat status;

    return stat("/proc/self/ns/time", &status) == 0 ? (uint64_t)status.st_ino : 0;
}

static uint64_t rate_identity(const struct syn_tick_source *source)
{
    return source->multiplier ^ ((uint64_t)source->kind << 60);
}

int syn_machine_hash(uint64_t *hash)
{
    char boot_id[64];
    size_t length;
    const int status = read_boot_id(boot_id, sizeof boot_id, &length);

    if (status >= 0)
        *hash = hash_bytes(boot_id, length);
    return status;
}

int syn_clock_identity_read(const struct syn_tick_source *source, struct syn_clock_identity *out)
{
    if (source->kind == SYN_CLOCK_FUNCTION || syn_machine_hash(&out->machine) < 0)
        out->machine = hash_of_process();
    /* A time namespace shifts the CLOCK_MONOTONICs; the TSC is read past the kernel. */
    out->namespace_ = source->kind == SYN_CLOCK_TSC ? 0 : time_namespace();
    out->rate = rate_identity(source);
    return SYN_OK;
}

struct rate_offer {
    uint64_t machine;
    uint64_t multiplier;
    uint64_t is_tsc;
};

/* The lowest rank of the same machine that reads the TSC. O(p) for one rank. */
static uint64_t shared_multiplier(const struct rate_offer *offers, int size,
                                  const struct rate_offer *own)
{
    for (int rank = 0; rank < size; rank++)
        if (offers[rank].is_tsc && offers[rank].machine == own->machine)
            return offers[rank].multiplier;
    return own->multiplier;
}

int syn_tick_source_share(struct syn_tick_source *source, const struct syn_transport *transport,
                          struct syn_clock_identity *identity)
{
    const struct rate_offer own = {identity->machine, source->multiplier,
                                   source->kind == SYN_CLOCK_TSC};
    const size_t all_bytes = (size_t)transport->size * sizeof own;
    struct rate_offer *offers = malloc(all_bytes);
    int status;

    if (offers == NULL)
        return SYN_ENOMEM;
    status = syn_collect_gather(transport, &own, sizeof own, offers);
    if (status >= 0)
        status = syn_collect_broadcast(transport, offers, all_bytes);
    if (status >= 0 && own.is_tsc) {
        source->multiplier = shared_multiplier(offers, transport->size, &own);
        identity->rate = rate_identity(source);
    }
    free(offers);
    return status < 0 ? status : SYN_OK;
}
