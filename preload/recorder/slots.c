/* preload/recorder/slots.c - see slots.h. */
#include "preload/recorder/slots.h"

#include <stddef.h>

#include "preload/base/lock.h"
#include "preload/recorder/durable.h"
#include "trace/write/raw.h"

/* 64 blocks of 1,022 slots are 4 MiB of the raw file. Further pending collectives count as lost. */
#define BLOCKS_MAX 64

static struct {
    struct syn_lock growing;
    struct syn_event *blocks[BLOCKS_MAX];
    uint32_t block_count; /* stored after the block */
    uint32_t taken_count;
    uint32_t per_block;
    bool refused; /* no further block will be made */
} slots = {.growing = SYN_LOCK_INITIALIZER};

static bool is_there(uint32_t number)
{
    const uint32_t block_count = __atomic_load_n(&slots.block_count, __ATOMIC_ACQUIRE);
    return block_count > 0 && number < block_count * slots.per_block;
}

static bool lacks(void)
{
    return !is_there(__atomic_load_n(&slots.taken_count, __ATOMIC_RELAXED)) &&
           !__atomic_load_n(&slots.refused, __ATOMIC_RELAXED);
}

bool syn_slots_prepare(void)
{
    if (__builtin_expect(!lacks(), 1) || !syn_lock_take(&slots.growing))
        return false;
    const uint32_t number = slots.block_count;
    struct syn_event *block = NULL;
    if (lacks()) {
        size_t per_block = 0;
        block = number < BLOCKS_MAX ? syn_durable_take_pending(&per_block) : NULL;
        if (!block) /* there is no room for another block */
            __atomic_store_n(&slots.refused, true, __ATOMIC_RELAXED);
        else if (number == 0)
            slots.per_block = (uint32_t)per_block;
    }
    if (block) {
        slots.blocks[number] = block;
        __atomic_store_n(&slots.block_count, number + 1, __ATOMIC_RELEASE);
    }
    syn_lock_give(&slots.growing);
    return block != NULL;
}

struct syn_event *syn_slots_take(void)
{
    const uint32_t number = slots.taken_count;
    if (!is_there(number))
        return NULL;
    __atomic_store_n(&slots.taken_count, number + 1, __ATOMIC_RELAXED);
    return &slots.blocks[number / slots.per_block][number % slots.per_block];
}

void syn_slot_fill(struct syn_event *slot, const struct syn_event *event, uint32_t thread)
{
    if (slot)
        syn_raw_pending_fill(slot, event, thread, event->end_ticks);
    else
        syn_durable_lose(1);
}

void syn_slot_clear(struct syn_event *slot)
{
    if (slot)
        syn_raw_pending_clear(slot);
    else
        syn_durable_lose(UINT64_MAX); /* one less */
}
