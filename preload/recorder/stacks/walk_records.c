/* preload/recorder/stacks/walk_records.c - walks on aarch64, and on processors without libunwind:
 * see walk.h. */
#include "preload/recorder/stacks/walk.h"

#if defined(__aarch64__)
#include <sys/uio.h>
#include <unistd.h>

#include "preload/base/own_code.h"
#include "sync/time/cpu.h"

/* Frame record; x29 points to it in every function that calls another (AAPCS64, 6.4.6). */
struct frame_record {
    uintptr_t outer;   /* the caller's record; 0 ends the chain */
    uintptr_t address; /* return address, perhaps signed */
};

void syn_walk_begin(void)
{
}

bool syn_walk_allowed(void)
{
    return true;
}

static bool is_record(const struct syn_walk_start *start, uintptr_t at)
{
    return syn_on_stack(start, at) && syn_on_stack(start, at + sizeof(uintptr_t));
}

/* RATIONALE: signed addresses are compared as they are. The signature depends on the address, the
 * frame's place and a key of the process, so it is always the same. Functions without frame
 * pointers are missing in the chain. If one has used x29 for something else, the chain ends at a
 * value that is no address on the stack. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk)
{
    (void)known;
    syn_walk_caller_only(start, walk);
    const struct frame_record *record = (const struct frame_record *)start->frame;
    while (walk->depth < start->depth) {
        const uintptr_t outer = record->outer;
        syn_check_later(walk, &record->outer, outer);
        if (outer <= (uintptr_t)record || !is_record(start, outer))
            break;
        record = (const struct frame_record *)outer;
        syn_check_later(walk, &record->address, record->address);
        if (record->address == 0)
            break;
        walk->addresses[walk->depth++] = syn_code_address(record->address);
    }
    walk->verifiable = true;
}

/* RATIONALE: the chain has no functions without frame pointers. So if the wrapper's record is in
 * the chain and the call came from such a function, it is unknown whose record it is. */
enum syn_walk_result syn_walk_to(const struct syn_walk_start *start, uintptr_t sought,
                                 struct syn_walk *walk)
{
    const struct frame_record *record = (const struct frame_record *)start->frame;
    syn_walk_caller_only(start, walk);
    while (record->outer > (uintptr_t)record && record->outer < sought &&
           is_record(start, record->outer))
        record = (const struct frame_record *)record->outer;
    if (record->outer == sought)
        return syn_own_code_has(syn_code_address(record->address)) ? SYN_WALK_MET : SYN_WALK_BROKE;
    return record->outer == 0 || record->outer > sought ? SYN_WALK_PASSED : SYN_WALK_BROKE;
}

/* Reads a record on a stack with unknown bounds, where an address may be invalid. */
static bool read_record(uintptr_t at, struct frame_record *record)
{
    const struct iovec here = {.iov_base = record, .iov_len = sizeof *record};
    const struct iovec there = {.iov_base = (void *)at, .iov_len = sizeof *record};
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == sizeof *record;
}

void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk)
{
    struct frame_record record;
    uintptr_t at = start->frame;
    if (is_record(start, at)) {
        syn_walk_verified(start, NULL, walk);
        return;
    }
    syn_walk_caller_only(start, walk);
    while (walk->depth < start->depth && read_record(at, &record) && record.outer > at) {
        at = record.outer;
        if (!read_record(at, &record) || record.address == 0)
            break;
        walk->addresses[walk->depth++] = syn_code_address(record.address);
    }
}
#elif !defined(SYN_HAVE_UNWIND) && !defined(__x86_64__)
void syn_walk_begin(void)
{
}

bool syn_walk_allowed(void)
{
    return true;
}

void syn_walk_quickly(const struct syn_walk_start *start, struct syn_walk *walk)
{
    syn_walk_caller_only(start, walk);
}

/* Here the stack is the caller alone, which is known. */
void syn_walk_verified(const struct syn_walk_start *start, const struct syn_walk *known,
                       struct syn_walk *walk)
{
    (void)known;
    syn_walk_caller_only(start, walk);
    walk->verifiable = true;
}

enum syn_walk_result syn_walk_to(const struct syn_walk_start *start, uintptr_t sought,
                                 struct syn_walk *walk)
{
    (void)sought;
    syn_walk_caller_only(start, walk);
    return SYN_WALK_BROKE;
}
#endif
