/* analyze/report/figures/lateness.c - measures how much a run's instances depend on each other in
 * which rank came last. */
#include "analyze/report/figures/lateness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/numbering.h"
#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* A longer lead than this quantile of a sample of its kind's leads counts as the quantile, so that
 * no single lead dominates. */
#define SAMPLED    1024
#define NEARLY_ALL 0.95
/* All kinds together have at most this many batches, or SYN_LONG_RUN_LEAST each. */
#define BATCHES_MOST ((size_t)1 << 22)

/* A rank that came last in instances of a kind. */
struct pair {
    uint32_t kind;
    int32_t rank;
};

/* One rank's lateness, as means and counts of batches of consecutive instances. */
struct batches {
    int64_t rank;
    size_t size, count, done, in_batch;
    size_t in_hits;
    double in_sum, sum, squares; /* in_sum: of the current batch; sum, squares: of all batches */
    double *mean;                /* [count], mean lateness */
    size_t *hits;                /* [count], how often the rank came last */
};

struct state {
    struct syn_late_kinds *kinds;
    struct syn_numbering pairs; /* of struct pair */
    uint64_t *times;            /* [pairs], how often */
    size_t times_capacity;
    double *cap;     /* [kinds], upper limit of leads */
    double *lead;    /* samples of leads, kind by kind */
    size_t *sample;  /* [kinds + 1], offset of each kind's sample */
    uint64_t *met;   /* [kinds], instances of each kind seen so far */
    uint64_t *is_of; /* [kinds], bit c: rank c of the caller's came last in the kind */
    struct batches *of_kind, *of_rank; /* [kinds], [rank_count] */
    size_t rank_count;
};

typedef int visitor(struct state *state, const int64_t *last, const int64_t *lead_ns,
                    const int64_t *kind, size_t count);

static int walk(const struct syn_late_series *series, struct state *state, visitor *visit)
{
    int64_t last[SYN_BLOCK_VALUES], lead_ns[SYN_BLOCK_VALUES], kind[SYN_BLOCK_VALUES];
    int status = 0;
    for (size_t i = 0; i < series->last->count && status == SYN_OK; i += SYN_BLOCK_VALUES) {
        const size_t count = syn_least(series->last->count - i, SYN_BLOCK_VALUES);
        status = syn_column_read(series->last, series->store, i, count, last);
        SYN_STEP(status, syn_column_read(series->lead_ns, series->store, i, count, lead_ns));
        SYN_STEP(status, syn_column_read(series->kind, series->store, i, count, kind));
        SYN_STEP(status, visit(state, last, lead_ns, kind, count));
    }
    return status;
}

/* ---- counts of last arrivals ---- */

static int count_last(struct state *state, const int64_t *last, const int64_t *lead_ns,
                      const int64_t *kind, size_t count)
{
    (void)lead_ns;
    for (size_t i = 0; i < count; i++) {
        const struct pair pair = {(uint32_t)kind[i], (int32_t)last[i]};
        state->kinds->at[pair.kind].instance_count++;
        if (SYN_ROOM(state->times, state->times_capacity, state->pairs.count) != SYN_OK)
            return SYN_ENOMEM;
        const size_t known = state->pairs.count;
        const uint32_t number = syn_numbering_of(&state->pairs, &pair);
        if (number == SYN_NO_NUMBER)
            return SYN_ENOMEM;
        state->times[number] = number < known ? state->times[number] + 1 : 1;
    }
    return 0;
}

/* ---- leads ---- */

static int sample_leads(struct state *state, const int64_t *last, const int64_t *lead_ns,
                        const int64_t *kind, size_t count)
{
    (void)last;
    for (size_t i = 0; i < count; i++) {
        const uint64_t step = state->kinds->at[kind[i]].instance_count / SAMPLED + 1;
        const uint64_t met = state->met[kind[i]]++;
        if (met % step == 0)
            state->lead[state->sample[kind[i]] + met / step] = (double)lead_ns[i];
    }
    return 0;
}

static int find_caps(const struct syn_late_series *series, struct state *state)
{
    size_t sampled = 0;
    for (size_t k = 0; k < state->kinds->count; k++) {
        const uint64_t n = state->kinds->at[k].instance_count;
        state->sample[k] = sampled;
        sampled += n ? (n - 1) / (n / SAMPLED + 1) + 1 : 0;
    }
    state->sample[state->kinds->count] = sampled;
    state->lead = malloc((sampled + 1) * sizeof *state->lead);
    const int status = state->lead ? walk(series, state, sample_leads) : SYN_ENOMEM;
    for (size_t k = 0; k < state->kinds->count && status == SYN_OK; k++) {
        const size_t first = state->sample[k], count = state->sample[k + 1] - first;
        if (count == 0)
            continue;
        syn_sort(state->lead + first, count);
        state->cap[k] = syn_quantile_sorted(state->lead + first, count, NEARLY_ALL);
    }
    return status;
}

/* ---- batches ---- */

/* Begins batches for n instances: each of at least `iteration` instances, and at most `most`
 * batches. */
static int begin_batches(struct batches *batches, size_t n, size_t iteration, size_t most)
{
    batches->size = iteration * syn_long_run_batch(n / iteration);
    batches->size = syn_largest(batches->size, (n + most - 1) / most);
    batches->count = n / batches->size;
    batches->mean = malloc((batches->count + 1) * sizeof *batches->mean);
    batches->hits = malloc((batches->count + 1) * sizeof *batches->hits);
    return batches->mean && batches->hits ? 0 : SYN_ENOMEM;
}

static void add(struct batches *batches, int64_t last, double lead)
{
    if (batches->done == batches->count)
        return;
    batches->in_sum += last == batches->rank ? lead : -lead;
    batches->in_hits += last == batches->rank;
    batches->squares += lead * lead;
    if (++batches->in_batch < batches->size)
        return;
    batches->mean[batches->done] = batches->in_sum / (double)batches->size;
    batches->hits[batches->done++] = batches->in_hits;
    batches->sum += batches->in_sum;
    batches->in_sum = 0;
    batches->in_batch = batches->in_hits = 0;
}

/* Adds instances to the batches of their kinds and ranks. A lead is divided by its kind's limit, so
 * that all kinds have the same weight. */
static int add_to_batches(struct state *state, const int64_t *last, const int64_t *lead_ns,
                          const int64_t *kind, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double cap = state->cap[kind[i]], lead_of = (double)lead_ns[i];
        const double lead = cap > 0 ? fmin(lead_of, cap) / cap : 0;
        add(&state->of_kind[kind[i]], last[i], lead);
        for (uint64_t left = state->is_of[kind[i]]; left; left &= left - 1)
            add(&state->of_rank[__builtin_ctzll(left)], last[i], lead);
    }
    return 0;
}

/* Returns the larger factor: that of how often the rank came last, or that of lateness. NAN: too
 * few batches. */
static double factor_of(const struct batches *batches)
{
    if (batches->count < SYN_LONG_RUN_LEAST)
        return NAN;
    const double of_hits = syn_long_run_of_counts(batches->hits, batches->count, batches->size);
    /* Lateness is a lead or minus a lead, so its square is the square of the lead. */
    const double n = (double)batches->count * (double)batches->size, mean = batches->sum / n;
    const double variance = batches->squares / n - mean * mean;
    if (!(variance > 1e-12 * mean * mean)) /* the same lead each time, except for rounding */
        return fmax(of_hits, 1);
    return fmax(of_hits,
                syn_long_run_of_batches(batches->mean, batches->count, batches->size, variance));
}

/* ---- kinds and iterations ---- */

SYN_ORDER(most_first, uint64_t, SYN_DOWN_ITSELF)

/* Returns the length of an iteration, in instances of the kinds with bit `candidate`: half of these
 * instances are of kinds that occur at least once per iteration. Sets *n to the number of these
 * instances. scratch [kinds]. */
static size_t iteration_of(const struct state *state, size_t candidate, uint64_t *scratch,
                           size_t *n)
{
    size_t count = 0;
    uint64_t passed = 0;
    *n = 0;
    for (size_t k = 0; k < state->kinds->count; k++)
        if (state->is_of[k] >> candidate & 1)
            *n += scratch[count++] = state->kinds->at[k].instance_count;
    qsort(scratch, count, sizeof *scratch, most_first);
    for (size_t i = 0; i < count; i++)
        if (2 * (passed += scratch[i]) >= *n)
            return (*n + scratch[i] - 1) / scratch[i];
    return 1;
}

static int begin_all(struct state *state, const int64_t *rank)
{
    const size_t kind_count = state->kinds->count;
    const size_t most = syn_largest(BATCHES_MOST / (kind_count + 1), (size_t)SYN_LONG_RUN_LEAST);
    int status = 0;
    for (size_t k = 0; k < kind_count && status == SYN_OK; k++)
        status = begin_batches(&state->of_kind[k], state->kinds->at[k].instance_count, 1, most);
    for (size_t c = 0; c < state->rank_count && status == SYN_OK; c++) {
        size_t n;
        const size_t iteration = iteration_of(state, c, state->met, &n);
        state->of_rank[c].rank = rank[c];
        status = begin_batches(&state->of_rank[c], n, iteration, SYN_LONG_RUN_BATCHES);
    }
    return status;
}

static void set_factors(struct state *state, double *factor)
{
    for (size_t k = 0; k < state->kinds->count; k++) {
        struct syn_late_kind *kind = &state->kinds->at[k];
        const double n = fmax(1, (double)kind->instance_count), own = factor_of(&state->of_kind[k]);
        kind->factor = isnan(own) ? n : fmin(n, own);
    }
    for (size_t c = 0; c < state->rank_count; c++) {
        /* the larger factor: that of whole iterations, or the mean of the rank's kinds */
        double sum = 0, n = 0;
        for (size_t k = 0; k < state->kinds->count; k++) {
            const struct syn_late_kind *kind = &state->kinds->at[k];
            if (!(state->is_of[k] >> c & 1))
                continue;
            n += (double)kind->instance_count;
            sum += (double)kind->instance_count * kind->factor;
        }
        const double whole = factor_of(&state->of_rank[c]);
        factor[c] = isnan(whole) ? NAN : fmax(whole, sum / n);
    }
}

static void free_state(struct state *state)
{
    for (size_t k = 0; state->of_kind && k < state->kinds->count + state->rank_count; k++) {
        free(state->of_kind[k].mean);
        free(state->of_kind[k].hits);
    }
    free(state->of_kind);
    syn_numbering_free(&state->pairs);
    free(state->times);
    free(state->cap);
    free(state->lead);
    free(state->sample);
    free(state->met);
    free(state->is_of);
}

/* Walks over the series three times: each walk needs the results of the one before. */
int syn_late_dependence(const struct syn_late_series *series, struct syn_late_kinds *kinds,
                        const int64_t *rank, size_t rank_count, double *factor)
{
    if (rank_count > SYN_LATE_RANKS)
        return SYN_EINVAL;
    const size_t count = kinds->count + 1;
    struct state state = {.kinds = kinds,
                          .cap = calloc(count, sizeof *state.cap),
                          .sample = calloc(count, sizeof *state.sample),
                          .met = calloc(count, sizeof *state.met),
                          .is_of = calloc(count, sizeof *state.is_of),
                          .of_kind = calloc(count + rank_count, sizeof *state.of_kind),
                          .rank_count = rank_count};
    int status = state.cap && state.sample && state.met && state.is_of && state.of_kind
                     ? SYN_OK
                     : SYN_ENOMEM;
    syn_numbering_begin(&state.pairs, sizeof(struct pair));
    if (status == SYN_OK) {
        state.of_rank = state.of_kind + kinds->count;
        for (size_t k = 0; k < kinds->count; k++)
            kinds->at[k].instance_count = 0;
        status = walk(series, &state, count_last);
    }
    if (status == SYN_OK) {
        /* A kind's rank is the rank that came last most often in it; of several, the lowest. */
        uint64_t *most = state.met; /* zeros; set to zero again below */
        for (uint32_t i = 0; i < state.pairs.count; i++) {
            const struct pair *pair = syn_numbering_at(&state.pairs, i);
            struct batches *of_kind = &state.of_kind[pair->kind];
            if (state.times[i] > most[pair->kind] ||
                (state.times[i] == most[pair->kind] && pair->rank < of_kind->rank)) {
                most[pair->kind] = state.times[i];
                of_kind->rank = pair->rank;
            }
            for (size_t c = 0; c < state.rank_count; c++)
                state.is_of[pair->kind] |= (uint64_t)(rank[c] == pair->rank) << c;
        }
        memset(most, 0, state.kinds->count * sizeof *most);
        status = find_caps(series, &state);
    }
    SYN_STEP(status, begin_all(&state, rank));
    SYN_STEP(status, walk(series, &state, add_to_batches));
    if (status == SYN_OK)
        set_factors(&state, factor);
    free_state(&state);
    return status;
}

double syn_late_p(double last, double n, double expected, double effective)
{
    const double left = floor(effective + SYN_EFFECTIVE_ERROR);
    if (!(n > 0) || !syn_are_enough(left))
        return NAN;
    if (last <= expected)
        return 1;
    return syn_binomial_test((size_t)floor(last / n * left), (size_t)left, expected / n);
}
