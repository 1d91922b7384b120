/* analyze/export/moments.c - a binary heap of moments (otf2.h). */
#include "analyze/export/otf2.h"

#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

static bool is_before(const struct syn_moment *a, const struct syn_moment *b)
{
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a->order < b->order;
}

int syn_moments_push(struct syn_moment_heap *moments, struct syn_moment moment)
{
    if (SYN_ROOM(moments->moment, moments->capacity, moments->count) != SYN_OK)
        return SYN_ENOMEM;
    moment.order = moments->pushed_count++;
    size_t at = moments->count++;
    for (; at > 0 && is_before(&moment, &moments->moment[(at - 1) / 2]); at = (at - 1) / 2)
        moments->moment[at] = moments->moment[(at - 1) / 2];
    moments->moment[at] = moment;
    return 0;
}

bool syn_moments_pop(struct syn_moment_heap *moments, int64_t until_ns, struct syn_moment *out)
{
    if (moments->count == 0 || moments->moment[0].time_ns > until_ns)
        return false;
    *out = moments->moment[0];
    const struct syn_moment last = moments->moment[--moments->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < moments->count; at = child) {
        if (child + 1 < moments->count &&
            is_before(&moments->moment[child + 1], &moments->moment[child]))
            child++;
        if (!is_before(&moments->moment[child], &last))
            break;
        moments->moment[at] = moments->moment[child];
    }
    moments->moment[at] = last;
    return true;
}

void syn_moments_free(struct syn_moment_heap *moments)
{
    free(moments->moment);
    *moments = (struct syn_moment_heap){0};
}
