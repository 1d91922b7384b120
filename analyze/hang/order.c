/* analyze/hang/order.c - finds the shortest edit that explains where two sequences of calls
 * differ. */
#include "analyze/hang/order.h"

#include <string.h>

#include "sync/base/integers.h"

/* AGREE_LEAST: calls after the shift that have to agree, recorded or predicted. AHEAD: calls after
 * the difference that are compared. */
#define AGREE_LEAST 3
#define AHEAD       32
#define STEPS_MAX   (SYN_ORDER_BEFORE + 2 * AHEAD)

struct steps {
    struct syn_step at[STEPS_MAX];
    size_t count;
    bool by_site; /* call sites are compared, too */
};

static bool is_same(const struct steps *a, size_t i, const struct steps *b, size_t j)
{
    return a->at[i].op == b->at[j].op && (!a->by_site || a->at[i].site == b->at[j].site);
}

/* Predicts steps up to `wanted`, since programs repeat their calls. Finds the place in `history`
 * whose steps before it are most like the last ones of `steps`, and appends the steps that followed
 * there. Only the first `known` steps of the history are recorded, and searched. */
static void foresee(struct steps *steps, const struct steps *history, size_t known, size_t wanted)
{
    size_t best = 0, best_length = 0;
    const size_t last = steps->count - 1;
    for (size_t j = 0; j + 1 < known; j++) {
        size_t length = 0; /* of steps that agree, counted backwards */
        while (length <= j && length <= last && is_same(steps, last - length, history, j - length))
            length++;
        if (length > 0 && length >= best_length) {
            best = j;
            best_length = length;
        }
    }
    wanted = syn_least(wanted, (size_t)STEPS_MAX);
    for (size_t next = best + 1; best_length > 0 && steps->count < wanted && next < history->count;
         next++)
        steps->at[steps->count++] = history->at[next];
}

/* Says whether the steps of `a` from i on and those of `b` from j on agree. */
static bool go_on(const struct steps *a, size_t i, const struct steps *b, size_t j)
{
    size_t length = 0;
    while (i + length < a->count && j + length < b->count && is_same(a, i + length, b, j + length))
        length++;
    return length >= AGREE_LEAST &&
           (i + length == a->count || j + length == b->count || length >= AHEAD / 2);
}

/* Finds the shift. If one call only replaces another, and all later calls agree, there is no
 * shift. */
static bool find_overlap(const struct steps *mine, const struct steps *others, size_t at,
                         struct syn_call_shift *out)
{
    if (go_on(mine, at + 1, others, at + 1))
        return false;
    for (size_t d = 1; d <= SYN_SHIFT_MAX; d++) {
        if (at + d < others->count && go_on(mine, at, others, at + d)) {
            *out = (struct syn_call_shift){-(int)d, at, others->at[at].op, others->at[at].site};
            return true;
        }
        if (at + d < mine->count && go_on(mine, at + d, others, at)) {
            *out = (struct syn_call_shift){(int)d, at, mine->at[at].op, mine->at[at].site};
            return true;
        }
    }
    return false;
}

/* Copies the steps from `first` on. */
static void take(struct steps *steps, const struct syn_step *all, size_t count, size_t first,
                 bool by_site)
{
    steps->count = syn_least(count - first, (size_t)STEPS_MAX);
    steps->by_site = by_site;
    memcpy(steps->at, all + first, steps->count * sizeof *all);
}

/* Compares with call sites first. If different ranks call at different lines from the beginning,
 * call sites say nothing, and operations alone are compared. */
bool syn_order_shift(const struct syn_step *mine, size_t mine_count, const struct syn_step *others,
                     size_t others_count, size_t at, struct syn_call_shift *out)
{
    const size_t first = at > SYN_ORDER_BEFORE ? at - SYN_ORDER_BEFORE : 0;
    for (int by_site = 1; by_site >= 0; by_site--) {
        struct steps left, right;
        size_t part = 0;
        take(&left, mine, mine_count, first, by_site != 0);
        take(&right, others, others_count, first, by_site != 0);
        while (part < at - first && is_same(&left, part, &right, part))
            part++;
        if (is_same(&left, part, &right, part) || (by_site && part == 0 && at > first))
            continue;
        const size_t known = right.count;
        foresee(&right, &right, known, part + 2 * AHEAD);
        foresee(&left, &right, known, part + AHEAD);
        if (find_overlap(&left, &right, part, out)) {
            out->at += first;
            return true;
        }
    }
    return false;
}
