/* trace/base/order.c - see order.h. */
#include "trace/base/order.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Length of the runs that are sorted by insertion. */
#define RUN_KEYS ((size_t)32)
/* Least number of keys in a step: a step does several short merges. */
#define STEP_KEYS ((size_t)1024)

int syn_order_begin(struct syn_order *order, size_t count)
{
    order->count = order->width = order->at = 0;
    if (count > order->capacity) {
        struct syn_order_key *keys = realloc(order->keys, 2 * count * sizeof *keys);
        if (!keys)
            return SYN_ENOMEM;
        order->keys = keys;
        order->capacity = count;
    }
    order->other = order->keys + order->capacity;
    order->count = count;
    return SYN_OK;
}

void syn_order_free(struct syn_order *order)
{
    free(order->keys);
    *order = (struct syn_order){0};
}

/* Merges two neighbouring sorted runs: [from, middle) and [middle, end). */
static void merge(struct syn_order *order, size_t from, size_t middle, size_t end)
{
    struct syn_order_key *keys = order->keys, *left = order->other;
    if (middle >= end || keys[middle - 1].time <= keys[middle].time)
        return;
    while (keys[from].time <= keys[middle].time)
        from++;
    while (keys[end - 1].time >= keys[middle - 1].time)
        end--;
    const size_t left_count = middle - from;
    memcpy(left, keys + from, left_count * sizeof *left);
    for (size_t i = 0, j = middle, k = from; i < left_count; k++)
        keys[k] = j < end && keys[j].time < left[i].time ? keys[j++] : left[i++];
}

/* Returns the number of keys of a step while runs of `width` are merged in pairs. */
static size_t step_keys(size_t width)
{
    return 2 * width > STEP_KEYS ? 2 * width : STEP_KEYS;
}

void syn_order_step(struct syn_order *order)
{
    const size_t end = syn_least(order->at + step_keys(order->width), order->count);
    if (order->width == 0) {
        for (size_t i = order->at; i < end; i += RUN_KEYS) {
            struct syn_order_key *keys = order->keys + i;
            size_t count = syn_least(RUN_KEYS, order->count - i);
            for (size_t k = 1; k < count; k++) {
                const struct syn_order_key key = keys[k];
                size_t j = k;
                for (; j > 0 && keys[j - 1].time > key.time; j--)
                    keys[j] = keys[j - 1];
                keys[j] = key;
            }
        }
    } else {
        const size_t width = order->width;
        for (size_t i = order->at; i < end; i += 2 * width)
            merge(order, i, syn_least(i + width, order->count),
                  syn_least(i + 2 * width, order->count));
    }
    order->at = end;
    if (end < order->count)
        return;
    order->at = 0;
    order->width = order->width ? 2 * order->width : RUN_KEYS;
}

size_t syn_order_steps_left(const struct syn_order *order)
{
    size_t steps = 0, at = order->at;
    for (size_t width = order->width; width < order->count;
         width = width ? 2 * width : RUN_KEYS, at = 0)
        steps += (order->count - at + step_keys(width) - 1) / step_keys(width);
    return steps;
}
