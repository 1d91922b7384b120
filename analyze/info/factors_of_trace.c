/* analyze/info/factors_of_trace.c - finds factors that all ranks share, and those that differ
 * between ranks. */
#include <stdlib.h>
#include <string.h>

#include "analyze/info/info.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

struct pair {
    const char *key, *value;
    int32_t rank;
};

struct pairs {
    struct pair *at;
    size_t count, capacity;
};

SYN_ORDER(by_key_value_rank, struct pair,
          strcmp(a->key, b->key) ?: strcmp(a->value, b->value) ?: SYN_UP(rank))

/* Returns the ranks of `count` pairs, which ascend, as "0-3,7". The caller frees the text. NULL: no
 * memory. */
static char *rank_list(const struct pair *pairs, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text text = {0};
    for (size_t i = 0; i < count;) {
        size_t run = 1;
        while (i + run < count && pairs[i + run].rank == pairs[i].rank + (int32_t)run)
            run++;
        syn_text_format(&text, "%s%d", i ? "," : "", pairs[i].rank);
        if (run > 1)
            syn_text_format(&text, "%c%d", run > 2 ? '-' : ',', pairs[i + run - 1].rank);
        i += run;
    }
    return text.failed ? NULL : strdup(syn_text_chars(&text));
}

/* Sets the values of a factor: that of the first rank, then the others. Returns 0 or SYN_ENOMEM. */
static int add_values(struct syn_factor *factor, const struct pair *pairs, size_t count)
{
    size_t first = 0;
    for (size_t i = 1; i < count; i++)
        first = pairs[i].rank < pairs[first].rank ? i : first;
    factor->value = pairs[first].value;
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && strcmp(pairs[end].value, pairs[i].value) == 0;)
            end++;
        char *ranks = rank_list(pairs + i, end - i);
        if (!ranks)
            return SYN_ENOMEM;
        if (strcmp(pairs[i].value, factor->value) == 0) {
            factor->ranks = ranks;
            continue;
        }
        struct syn_factor_other *others =
            realloc(factor->other, (factor->other_count + 1) * sizeof *others);
        if (!others) {
            free(ranks);
            return SYN_ENOMEM;
        }
        factor->other = others;
        others[factor->other_count++] = (struct syn_factor_other){pairs[i].value, ranks};
    }
    return 0;
}

static int build(const struct pairs *pairs, struct syn_factors *out)
{
    out->factor = calloc(pairs->count + 1, sizeof *out->factor);
    if (!out->factor)
        return SYN_ENOMEM;
    for (size_t i = 0, end; i < pairs->count; i = end) {
        for (end = i + 1; end < pairs->count && strcmp(pairs->at[end].key, pairs->at[i].key) == 0;)
            end++;
        struct syn_factor *factor = &out->factor[out->count++];
        factor->key = pairs->at[i].key;
        if (add_values(factor, pairs->at + i, end - i))
            return SYN_ENOMEM;
    }
    return 0;
}

int syn_info_factors(struct syn_trace *trace, struct syn_factors *out)
{
    struct pairs pairs = {0};
    const char *key, *value;
    int status = SYN_OK;
    memset(out, 0, sizeof *out);
    for (int32_t rank = 0; rank < syn_trace_size(trace); rank++) {
        const struct syn_rank_file *file = syn_trace_rank(trace, rank);
        for (size_t i = 0; file && status == SYN_OK && syn_rank_meta_at(file, i, &key, &value);
             i++) {
            status = SYN_ROOM(pairs.at, pairs.capacity, pairs.count);
            if (status == SYN_OK)
                pairs.at[pairs.count++] = (struct pair){key, value, rank};
        }
    }
    if (pairs.count)
        qsort(pairs.at, pairs.count, sizeof *pairs.at, by_key_value_rank);
    SYN_STEP(status, build(&pairs, out));
    free(pairs.at);
    return status;
}

void syn_info_factors_free(struct syn_factors *factors)
{
    for (size_t i = 0; i < factors->count; i++) {
        for (size_t j = 0; j < factors->factor[i].other_count; j++)
            free(factors->factor[i].other[j].ranks);
        free(factors->factor[i].other);
        free(factors->factor[i].ranks);
    }
    free(factors->factor);
    memset(factors, 0, sizeof *factors);
}
