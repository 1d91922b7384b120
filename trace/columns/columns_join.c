/* trace/columns/columns_join.c - puts call stacks and pauses from columns of their own into tuples.
 *
 * With thousands of call sites nearly every event would have a tuple of its own. A flag for the
 * events before which the recorder stopped would double every tuple. So the writer keeps both in
 * columns of their own. Readers need them in the tuples. So each combination of a tuple, a call
 * stack and a pause, a *pair*, becomes a tuple here. */
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/columns/columns_tables.h"

/* The columns that are not in the tuples. */
struct joined {
    const struct syn_chunk_column *stacks; /* empty: call stacks are in the tuples */
    const struct syn_chunk_column *paused;
    size_t event_count;
};

struct pairs {
    uint32_t *number; /* stack number of each event; 0 if call stacks are in the tuples */
    uint32_t
        *paused; /* [joined.paused->count]: places of events before which the recorder stopped */
    uint16_t *of_event; /* the tuple of each event, later its pair */
    uint64_t *pair;     /* [count] */
    size_t count;
    struct syn_index known;
};

/* A pair in one word: the tuple, the flag that the recorder stopped before the event, and the stack
 * number. */
#define PAIR_TUPLE_SHIFT 33
#define PAIR_PAUSED      (UINT64_C(1) << 32)

/* ---- the pair of each event ---- */

static bool is_pair(const void *pairs, uint32_t number, const void *pair)
{
    return ((const uint64_t *)pairs)[number] == *(const uint64_t *)pair;
}

/* Numbers pairs in the order in which they come. RATIONALE: the loop uses local copies. For the
 * compiler, a store into an array might change any field of *pairs. */
static void number_pairs(size_t first, size_t end, uint64_t paused, struct pairs *pairs)
{
    const struct syn_index known = pairs->known;
    const uint32_t *const number = pairs->number;
    uint16_t *const of_event = pairs->of_event;
    uint64_t *const pair = pairs->pair;
    size_t count = pairs->count;
    for (size_t i = first; i < end; i++) {
        const uint64_t like = (uint64_t)of_event[i] << PAIR_TUPLE_SHIFT | paused | number[i];
        uint32_t *slot = syn_index_slot(&known, syn_hash_word(like), is_pair, pair, &like);
        if (!*slot) {
            pair[count++] = like;
            *slot = (uint32_t)count;
        }
        of_event[i] = (uint16_t)(*slot - 1);
    }
    pairs->count = count;
}

static int find_pairs(const struct joined *joined, const struct syn_columns_payload *payload,
                      struct pairs *pairs)
{
    /* There are at most as many pairs as events. If call stacks are in the tuples, there are at
     * most twice as many pairs as tuples. */
    const size_t count = joined->event_count;
    const size_t most =
        joined->stacks->count ? count : syn_least(2 * payload->tables.tuple_count, count);
    pairs->number = malloc(count * sizeof *pairs->number);
    pairs->paused = malloc(count * sizeof *pairs->paused);
    pairs->of_event = malloc(count * sizeof *pairs->of_event);
    pairs->pair = malloc(most * sizeof *pairs->pair);
    const int status = pairs->number && pairs->paused && pairs->of_event && pairs->pair
                           ? syn_index_grow(&pairs->known, most, 0, NULL, NULL)
                           : SYN_ENOMEM;
    if (status != SYN_OK)
        return status;
    syn_columns_index(payload, 0, joined->event_count, pairs->of_event);
    if (!syn_column_places(joined->paused, joined->event_count, pairs->paused))
        return SYN_EDAMAGED;
    /* Decode the stack number of each event. None has more than 32 bits. */
    const struct syn_chunk_column *stacks = joined->stacks;
    const uint32_t least = stacks->count ? (uint32_t)stacks->least : 0;
    uint32_t *restrict number = pairs->number, beyond = stacks->least > UINT32_MAX;
    for (size_t i = 0; i < count; i++)
        number[i] = least;
    for (size_t k = 0; stacks->count && k < stacks->width; k++) {
        const uint8_t *restrict plane = stacks->data + k * count;
        for (size_t i = 0; i < count; i++)
            number[i] += (uint32_t)plane[i] << 8 * k;
    }
    for (size_t i = 0; i < count; i++)
        beyond |= number[i] < least;
    if (beyond)
        return SYN_EDAMAGED;
    size_t done = 0;
    for (size_t i = 0; i < joined->paused->count; done = pairs->paused[i++] + 1) {
        number_pairs(done, pairs->paused[i], 0, pairs);
        number_pairs(pairs->paused[i], pairs->paused[i] + 1, PAIR_PAUSED, pairs);
    }
    number_pairs(done, joined->event_count, 0, pairs);
    return SYN_OK;
}

/* ---- a tuple for each pair ---- */

static int widen_tuples(const struct joined *joined, const struct pairs *pairs,
                        struct syn_columns_tables *tables)
{
    struct syn_columns_tuples tuples;
    const size_t count = pairs->count;
    const uint64_t *restrict pair = pairs->pair;
    uint16_t *restrict tuple_of = malloc(count * sizeof *tuple_of);
    if (!tuple_of || !syn_columns_tuples_reserve(&tuples, count)) {
        free(tuple_of);
        return SYN_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        tuple_of[i] = (uint16_t)(pair[i] >> PAIR_TUPLE_SHIFT);
    const struct syn_columns_tuples *from = &tables->tuples;
    const size_t tuple_count = tables->tuple_count;
#define SPREAD(bits, name) syn_spread_##bits(from->name, tuple_count, tuple_of, count, tuples.name);
    SYN_TUPLE_VALUES(SPREAD)
    free(tuple_of);
    /* Store call stacks and pauses in the new tuples. */
    uint32_t *restrict stack = tuples.stack;
    uint16_t *restrict flags = tuples.flags;
    for (size_t i = 0; joined->stacks->count > 0 && i < count; i++)
        stack[i] = (uint32_t)pair[i] - 1;
    for (size_t i = 0; joined->paused->count > 0 && i < count; i++)
        flags[i] |= (uint16_t)(pair[i] & PAIR_PAUSED ? SYN_EVENT_PERTURBED : 0);
    free(tables->tuples.memory);
    tables->tuples = tuples;
    tables->tuple_count = count;
    return SYN_OK;
}

int syn_columns_join(const struct syn_columns_source *source, struct syn_columns_payload *payload)
{
    const struct joined joined = {&source->columns[SYN_COLUMN_STACK],
                                  &source->columns[SYN_COLUMN_PAUSED], source->event_count};
    if (joined.stacks->count == 0 && joined.paused->count == 0)
        return SYN_OK;
    const bool good = joined.stacks->count == 0 || (joined.stacks->count == source->event_count &&
                                                    joined.stacks->encoding == SYN_ENCODING_BYTES);
    if (!good)
        return SYN_EDAMAGED;
    struct pairs pairs = {0};
    int status = find_pairs(&joined, payload, &pairs);
    SYN_STEP(status, widen_tuples(&joined, &pairs, &payload->tables));
    SYN_STEP(status, syn_columns_own_index(payload, pairs.of_event));
    free(pairs.number);
    free(pairs.paused);
    free(pairs.of_event);
    free(pairs.pair);
    syn_index_free(&pairs.known);
    return status;
}
