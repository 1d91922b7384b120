/* analyze/hang/order.c - the shortest edit that explains where two sequences of calls part. */
#include "analyze/hang/order.h"

#include <string.h>

#include "sync/base/integers.h"

/* So many calls behind the shift have to agree, of those that are known or foreseen. */
#define AGREE_LEAST 3
#define AHEAD       32
#define STEPS_MAX   (SYN_ORDER_BEFORE + AHEAD)

struct steps {
    struct syn_step at[STEPS_MAX];
    size_t count;
    bool by_site; /* places count, too */
};

static bool is_same(const struct steps *a, size_t i, const struct steps *b, size_t j)
{
    return a->at[i].op == b->at[j].op && (!a->by_site || a->at[i].site == b->at[j].site);
}

/* How many steps up to i and up to j agree, backwards. */
static size_t context(const struct steps *steps, size_t i, size_t j)
{
    size_t length = 0;
    while (length <= j && is_same(steps, i - length, steps, j - length))
        length++;
    return length;
}

/* Programs repeat themselves: behind the last step comes what came behind the earlier place that is
 * most like it, as far as there is any. */
static void foresee(struct steps *steps, size_t wanted)
{
    size_t best = 0, best_length = 0;
    const size_t last = steps->count - 1;
    for (size_t j = 0; j < last; j++) {
        const size_t length = context(steps, last, j);
        if (length > 0 && length >= best_length) {
            best = j;
            best_length = length;
        }
    }
    for (size_t next = best + 1;
         best_length > 0 && steps->count < syn_least(wanted, (size_t)STEPS_MAX);)
        steps->at[steps->count++] = steps->at[next++];
}

/* Do both go on alike, one from i and the other from j on? */
static bool go_on(const struct steps *a, size_t i, const struct steps *b, size_t j)
{
    size_t length = 0;
    while (i + length < a->count && j + length < b->count && is_same(a, i + length, b, j + length))
        length++;
    return length >= AGREE_LEAST &&
           (i + length == a->count || j + length == b->count || length >= AHEAD / 2);
}

static bool find_shift(const struct steps *mine, const struct steps *others, size_t at,
                       struct syn_shift *out)
{
    for (size_t d = 1; d <= SYN_SHIFT_MAX; d++) {
        if (at + d < others->count && go_on(mine, at, others, at + d)) {
            *out = (struct syn_shift){-(int)d, at, others->at[at].op, others->at[at].site};
            return true;
        }
        if (at + d < mine->count && go_on(mine, at + d, others, at)) {
            *out = (struct syn_shift){(int)d, at, mine->at[at].op, mine->at[at].site};
            return true;
        }
    }
    return false;
}

/* The steps from `first` on. */
static void take(struct steps *steps, const struct syn_step *all, size_t count, size_t first,
                 bool by_site)
{
    steps->count = syn_least(count - first, (size_t)STEPS_MAX);
    steps->by_site = by_site;
    memcpy(steps->at, all + first, steps->count * sizeof *all);
}

/* Two programs with other lines for other ranks differ in places from the beginning: then places
 * say nothing. Else the first place that differs is where they part. */
bool syn_order_shift(const struct syn_step *mine, size_t mine_count, const struct syn_step *others,
                     size_t others_count, size_t at, struct syn_shift *out)
{
    const size_t first = at > SYN_ORDER_BEFORE ? at - SYN_ORDER_BEFORE : 0;
    for (int by_site = 1; by_site >= 0; by_site--) {
        struct steps left, right;
        size_t part = 0;
        take(&left, mine, mine_count, first, by_site != 0);
        take(&right, others, others_count, first, by_site != 0);
        while (part < at - first && is_same(&left, part, &right, part))
            part++;
        if (by_site && part == 0 && at > first)
            continue;
        foresee(&left, part + AHEAD);
        foresee(&right, part + AHEAD);
        if (find_shift(&left, &right, part, out)) {
            out->at += first;
            return true;
        }
    }
    return false;
}
