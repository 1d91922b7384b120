/* analyze/match/members/pending.c - the table of pending instances, and how they move from slice to
 * slice.
 *
 * A pending instance is one allocation, so it moves between tables by its pointer. RATIONALE: each
 * comes from malloc, since the thread that frees it may not be the one that made it. */
#include "analyze/match/members/pending.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define LISTS_LEAST 4096
#define LINE_BYTES  64

int syn_pending_begin(struct syn_pending_table *table, const struct syn_comms *comms)
{
    *table = (struct syn_pending_table){.comms = comms};
    for (size_t i = 0; i < comms->count; i++)
        if (comms->comm[i].known_count > table->capacity_max)
            table->capacity_max = comms->comm[i].known_count;
    table->free = calloc((size_t)table->capacity_max + 1, sizeof *table->free);
    return table->free ? syn_chains_begin(&table->chains, LISTS_LEAST) : SYN_ENOMEM;
}

static void free_list(struct syn_chained *pending)
{
    for (struct syn_chained *next; pending; pending = next) {
        next = pending->next;
        free(pending);
    }
}

void syn_pending_free(struct syn_pending_table *table)
{
    for (size_t i = 0; i < table->chains.head_count; i++)
        free_list(table->chains.head[i]);
    for (size_t i = 0; table->free && i <= table->capacity_max; i++)
        free_list(table->free[i]);
    syn_chains_free(&table->chains);
    free(table->free);
    syn_attributes_free(&table->attributes);
    *table = (struct syn_pending_table){0};
}

/* Returns the memory of a recycled instance, or new memory. Two instances share no cache line. */
static struct syn_pending *obtain(struct syn_pending_table *table, uint32_t capacity)
{
    struct syn_chained *unused = table->free[capacity];
    const size_t bytes =
        syn_pending_spans_offset(capacity) +
        capacity * (sizeof(struct syn_span) + sizeof(struct syn_request_times) + sizeof(uint32_t));
    if (!unused)
        return aligned_alloc(LINE_BYTES, (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES);
    table->free[capacity] = unused->next;
    return (struct syn_pending *)unused;
}

static int insert(struct syn_pending_table *table, struct syn_pending *pending)
{
    const int status = syn_chains_add(&table->chains, &pending->chained,
                                      syn_pending_hash(pending->comm, pending->sequence));
    table->count_most = syn_largest(table->count_most, table->chains.count);
    return status;
}

struct syn_pending *syn_pending_add(struct syn_pending_table *table, uint32_t comm,
                                    uint64_t sequence)
{
    const struct syn_communicator *of = &table->comms->comm[comm];
    struct syn_pending *pending = obtain(table, of->known_count);
    if (!pending)
        return NULL;
    *pending = (struct syn_pending){.sequence = sequence,
                                    .comm = comm,
                                    .capacity = of->known_count,
                                    .by_arrival = !syn_comm_can_complete(of)};
    memset(pending->attributes, 0xFF, of->known_count * sizeof *pending->attributes);
    if (insert(table, pending) == SYN_OK)
        return pending;
    free(pending);
    return NULL;
}

void syn_pending_recycle(struct syn_pending_table *table, struct syn_pending *pending)
{
    syn_chains_remove(&table->chains, &pending->chained);
    pending->chained.next = table->free[pending->capacity];
    table->free[pending->capacity] = &pending->chained;
}

void syn_pending_remove(struct syn_pending_table *table, struct syn_pending *pending)
{
    syn_chains_remove(&table->chains, &pending->chained);
    free(pending);
}

void syn_pending_extend(struct syn_pending *pending)
{
    const struct syn_span *span = syn_pending_spans(pending);
    struct syn_request_times *request = syn_pending_requests(pending);
    for (uint32_t m = 0; m < pending->capacity && !pending->has_request_times; m++)
        if (pending->attributes[m] != SYN_NO_ATTRIBUTES)
            request[m] = (struct syn_request_times){span[m].start_ns, span[m].start_ns};
    pending->has_request_times = true;
}

/* ---- leftovers of a slice ---- */

static int by_comm_then_sequence(const void *left, const void *right)
{
    const struct syn_pending *a = *(struct syn_pending *const *)left;
    const struct syn_pending *b = *(struct syn_pending *const *)right;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    return a->sequence < b->sequence ? -1 : a->sequence > b->sequence;
}

struct syn_pending **syn_pending_sorted(const struct syn_pending_table *table)
{
    struct syn_pending **sorted = malloc((table->chains.count + 1) * sizeof *sorted);
    size_t count = 0;
    if (!sorted)
        return NULL;
    for (struct syn_pending *pending = NULL; (pending = syn_pending_next(table, pending));)
        sorted[count++] = pending;
    qsort(sorted, count, sizeof *sorted, by_comm_then_sequence);
    return sorted;
}

/* Replaces the numbers of the members' attributes in `from` by their numbers in `to`. Returns 0 or
 * SYN_ENOMEM. */
static int renumber(struct syn_pending *pending, const struct syn_attribute_table *from,
                    struct syn_attribute_table *to)
{
    uint32_t last = SYN_NO_ATTRIBUTES, last_number = SYN_NO_ATTRIBUTES;
    for (uint32_t m = 0; m < pending->capacity; m++) {
        uint32_t *number = &pending->attributes[m];
        if (*number == SYN_NO_ATTRIBUTES)
            continue;
        if (*number != last) { /* most members have the same attributes */
            last = *number;
            last_number = syn_attributes_number(to, &from->at[last]);
        }
        if (last_number == SYN_NO_ATTRIBUTES)
            return SYN_ENOMEM;
        *number = last_number;
    }
    return 0;
}

int syn_pending_leave(struct syn_pending_table *table, struct syn_leftovers *out)
{
    out->pending = syn_pending_sorted(table);
    if (!out->pending)
        return SYN_ENOMEM;
    out->count = table->chains.count;
    syn_chains_clear(&table->chains);
    for (size_t i = 0; i < out->count; i++) {
        struct syn_pending *pending = out->pending[i];
        const struct syn_span *span = syn_pending_spans(pending);
        pending->first_start_ns = INT64_MAX;
        for (uint32_t m = 0; m < pending->capacity; m++)
            if (pending->attributes[m] != SYN_NO_ATTRIBUTES &&
                span[m].start_ns < pending->first_start_ns)
                pending->first_start_ns = span[m].start_ns;
        if (renumber(out->pending[i], &table->attributes, &out->attributes))
            return SYN_ENOMEM;
    }
    return 0;
}

void syn_leftovers_free(struct syn_leftovers *leftovers)
{
    for (size_t i = 0; i < leftovers->count; i++)
        free(leftovers->pending[i]);
    free(leftovers->pending);
    syn_attributes_free(&leftovers->attributes);
    *leftovers = (struct syn_leftovers){0};
}

/* ---- joining the members of an instance ---- */

/* Moves the members of `from` that `into` lacks. Returns the number of the others: the first event
 * of a member counts. */
static uint64_t take_members(struct syn_pending *into, struct syn_pending *from)
{
    uint64_t duplicate_count = 0;
    if (into->has_request_times || from->has_request_times) {
        syn_pending_extend(into);
        syn_pending_extend(from);
    }
    for (uint32_t m = 0; m < from->capacity; m++)
        if (from->attributes[m] != SYN_NO_ATTRIBUTES) {
            if (into->by_arrival ? syn_pending_is_over(into)
                                 : into->attributes[m] != SYN_NO_ATTRIBUTES)
                duplicate_count++;
            else {
                const uint32_t to = into->by_arrival ? into->arrived_count : m;
                into->attributes[to] = from->attributes[m];
                syn_pending_spans(into)[to] = syn_pending_spans(from)[m];
                if (into->has_request_times)
                    syn_pending_requests(into)[to] = syn_pending_requests(from)[m];
                if (into->by_arrival)
                    syn_pending_members(into)[to] = syn_pending_members(from)[m];
                into->arrived_count++;
            }
        }
    if (from->first_start_ns < into->first_start_ns)
        into->first_start_ns = from->first_start_ns;
    return duplicate_count;
}

int syn_pending_join(struct syn_pending_table *table, struct syn_leftovers *from, size_t i,
                     struct syn_pending **joined, uint64_t *duplicate_count)
{
    struct syn_pending *left = from->pending[i];
    *joined = syn_pending_find(table, left->comm, left->sequence);
    if (renumber(left, &from->attributes, &table->attributes))
        return SYN_ENOMEM;
    if (!*joined) {
        if (insert(table, *joined = left) != SYN_OK)
            return SYN_ENOMEM;
        from->pending[i] = NULL;
    } else {
        *duplicate_count += take_members(*joined, left);
    }
    return 0;
}

int syn_pending_forget(struct syn_pending_table *table)
{
    SYN_CLEANUP(syn_leftovers_free) struct syn_leftovers all = {0};
    struct syn_pending *joined;
    uint64_t none = 0;
    int status = syn_pending_leave(table, &all);
    syn_attributes_clear(&table->attributes);
    for (size_t i = 0; i < all.count && status == SYN_OK; i++)
        status = syn_pending_join(table, &all, i, &joined, &none);
    return status;
}
