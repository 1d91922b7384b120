/* analyze/causes/findings/passes.c - goes through each location's calls in their order, and counts
 * the segments between them. Durations are counted in bins of 0.8 %, so a segment takes a few
 * kilobytes however often it is passed. */
#include "analyze/causes/findings/passes.h"

#include <math.h>
#include <stdlib.h>

#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"

#define BUCKETS 62
#define BINS    256 /* bins of each bucket */
/* Long passes are periodic if there are at least GAPS_LEAST gaps between them, if at least
 * GAPS_ALIKE of the gaps certainly have one length, and if their median is at least LONGER_LEAST
 * times the median of all passes. */
#define GAPS_LEAST   3
#define GAPS_ALIKE   0.6
#define LONGER_LEAST 2

/* The gaps between the passes of a bucket and all higher ones, counted in passes. A majority vote
 * (Boyer and Moore) finds the length that most gaps have: at least `votes` of `gaps` have length
 * `gap`. */
struct rhythm {
    uint64_t last, gap, votes, gaps;
    bool begun;
};

struct bucket {
    struct rhythm rhythm;
    uint32_t bin[BINS];
};

/* The passes of a location through a label. */
struct counted {
    uint64_t count;
    int64_t most_ns;
    struct bucket *bucket[BUCKETS]; /* owned; NULL: no pass in the bucket */
};

/* A nonblocking operation or a message's half that is not completed. */
struct open {
    int64_t wait_start_ns, end_ns, messages_ns;
    uint32_t point;
    bool is_message; /* of several messages that a call completes, the first gives the point */
};

struct walk {
    int64_t end_ns;    /* end of the last call */
    uint32_t point;    /* point of the last call; SYN_POINT_OUTSIDE: no call yet */
    struct open *open; /* [open_count], owned */
    size_t open_count, open_capacity;
    struct counted **label; /* [label_count], each owned; NULL: no pass */
    size_t label_count;
};

struct syn_passes {
    size_t bytes, most_bytes; /* bytes of the counts, and their limit */
    bool is_full;             /* the limit was exceeded */
    const struct syn_cause_plan *plan;
    struct walk *walk;         /* [plan->location_count] */
    uint32_t *label_of_causes; /* [label_count] label number in these tables for each label of the
                                  causes; SYN_NO_NUMBER: none */
    size_t label_count;
    struct syn_cause_tables tables; /* own ones: those of the causes are final */
};

/* ---- counting ---- */

/* Returns the middle of a bin. Bucket 0 has bins of 1 ns from 0 to BINS - 1; bucket o has bins of
 * 2^o ns from BINS/2 to BINS - 1 times 2^o ns. */
static double bin_ns(unsigned bucket, unsigned bin)
{
    return bucket == 0 ? bin : ldexp(bin + 0.5, (int)bucket);
}

/* Returns whether the counts may grow by so many bytes, and adds these to passes->bytes. */
static bool has_room(struct syn_passes *passes, size_t bytes)
{
    passes->bytes += bytes;
    passes->is_full |= passes->bytes > passes->most_bytes;
    return !passes->is_full;
}

static int count_pass(struct syn_passes *passes, struct counted *counted, int64_t ns)
{
    const unsigned bucket = ns < BINS ? 0 : 63 - (unsigned)__builtin_clzll((uint64_t)ns) - 7;
    if (!counted->bucket[bucket] && has_room(passes, sizeof **counted->bucket))
        counted->bucket[bucket] = calloc(1, sizeof **counted->bucket);
    if (!counted->bucket[bucket])
        return SYN_ENOMEM;
    counted->bucket[bucket]->bin[ns >> bucket]++;
    for (unsigned o = 0; o <= bucket; o++)
        if (counted->bucket[o]) {
            struct rhythm *rhythm = &counted->bucket[o]->rhythm;
            const uint64_t gap = counted->count - rhythm->last;
            if (rhythm->begun) {
                rhythm->gaps++;
                if (rhythm->votes == 0)
                    rhythm->gap = gap;
                if (rhythm->gap == gap)
                    rhythm->votes++;
                else
                    rhythm->votes--;
            }
            rhythm->begun = true;
            rhythm->last = counted->count;
        }
    counted->count++;
    counted->most_ns = syn_largest(ns, counted->most_ns);
    return 0;
}

/* Returns the counts of a label on a location, made if there are none. Returns NULL if out of
 * memory. */
static struct counted *counted_of(struct syn_passes *passes, struct walk *walk, uint32_t label)
{
    if (label >= walk->label_count) {
        const size_t count = 2 * (size_t)label + 8;
        struct counted **grown = has_room(passes, (count - walk->label_count) * sizeof *grown)
                                     ? realloc(walk->label, count * sizeof *grown)
                                     : NULL;
        if (!grown)
            return NULL;
        for (size_t i = walk->label_count; i < count; i++)
            grown[i] = NULL;
        walk->label = grown;
        walk->label_count = count;
    }
    if (!walk->label[label] && has_room(passes, sizeof **walk->label))
        walk->label[label] = calloc(1, sizeof **walk->label);
    return walk->label[label];
}

/* ---- walking ---- */

/* Ends a segment at the start of a call, whose point is given, and counts the pass. Returns 0 or
 * SYN_ENOMEM. */
static int end_segment(struct syn_passes *passes, struct walk *walk, int64_t start_ns,
                       int64_t messages_ns, uint32_t point)
{
    if (walk->point == SYN_POINT_OUTSIDE)
        return 0;
    const uint32_t label = syn_label_of(&passes->tables, walk->point, point);
    struct counted *counted = label == SYN_NO_NUMBER ? NULL : counted_of(passes, walk, label);
    const int64_t ns = start_ns - walk->end_ns - messages_ns;
    return counted ? count_pass(passes, counted, syn_largest(ns, 0)) : SYN_ENOMEM;
}

/* Goes through the completing calls that began by until_ns, in their order. Returns 0 or
 * SYN_ENOMEM. */
static int complete_open(struct syn_passes *passes, struct walk *walk, int64_t until_ns)
{
    int status = 0;
    while (status == SYN_OK && walk->open_count > 0) {
        size_t first = 0;
        for (size_t i = 1; i < walk->open_count; i++)
            first = walk->open[i].wait_start_ns < walk->open[first].wait_start_ns ? i : first;
        const struct open of = walk->open[first];
        if (of.wait_start_ns > until_ns)
            break;
        if (of.wait_start_ns >= walk->end_ns) /* else the previous call completed it too */
            status = end_segment(passes, walk, of.wait_start_ns, of.messages_ns, of.point);
        if (!of.is_message || of.wait_start_ns >= walk->end_ns)
            walk->point = of.point;
        walk->end_ns = syn_largest(of.end_ns, walk->end_ns);
        for (size_t i = first + 1; i < walk->open_count; i++)
            walk->open[i - 1] = walk->open[i];
        walk->open_count--;
    }
    return status;
}

static int add_event(struct syn_passes *passes, struct walk *walk,
                     const struct syn_event_columns *columns, size_t i,
                     const struct syn_event_kind *kind)
{
    const int64_t start_ns = columns->start_ns[i];
    const int64_t *messages_ns = columns->messages_ns, *wait_ns = columns->wait_messages_ns;
    /* a message is completed by the call that posted it or by a later one */
    const bool is_posting = kind->message && kind->point == kind->completion_point;
    const bool is_one = kind->is_blocking || (kind->message && !columns->call_end_ns) ||
                        (is_posting && columns->call_end_ns[i] >= columns->end_ns[i]);
    int status = complete_open(passes, walk, start_ns);
    if (walk->end_ns > start_ns &&
        kind->message) /* the second message of an exchange belongs to the same call */
        return status;
    if (status == SYN_OK)
        status = end_segment(passes, walk, start_ns, messages_ns ? messages_ns[i] : 0, kind->point);
    walk->end_ns = syn_largest(is_one ? columns->end_ns[i] : columns->call_end_ns[i], walk->end_ns);
    walk->point = kind->point;
    if (status != SYN_OK || is_one || !kind->is_completed)
        return status;
    if (SYN_ROOM(walk->open, walk->open_capacity, walk->open_count) != SYN_OK)
        return SYN_ENOMEM;
    walk->open[walk->open_count++] =
        (struct open){columns->wait_start_ns[i], columns->end_ns[i], wait_ns ? wait_ns[i] : 0,
                      kind->completion_point, kind->message != 0};
    return 0;
}

static uint32_t take_kind(void *ctx, const struct syn_attributes *attributes,
                          const struct syn_comm_place *place)
{
    struct syn_passes *passes = ctx;
    return syn_event_kind_of(&passes->tables, passes->plan, attributes, place);
}

static int take_batch(void *ctx, const struct syn_match_batch *batch)
{
    struct syn_passes *passes = ctx;
    const uint32_t location = syn_location_of(passes->plan, batch->rank, batch->columns->thread);
    int status = 0;
    if (location == SYN_NO_NUMBER)
        return 0;
    for (size_t i = batch->first; i < batch->end && status == SYN_OK; i++) {
        const uint32_t number = batch->note[i - batch->first];
        if (number != SYN_NO_NUMBER)
            status = add_event(passes, &passes->walk[location], batch->columns, i,
                               syn_event_kind_at(&passes->tables, number));
    }
    return status;
}

/* ---- labels ---- */

/* Numbers the records of `theirs` in the same way. Returns 0 or SYN_ENOMEM. The caller frees *out
 * in either case. */
static int number_again(const struct syn_numbering *theirs, struct syn_numbering *out)
{
    syn_numbering_begin(out, theirs->record_bytes);
    for (uint32_t i = 0; i < theirs->count; i++)
        if (syn_numbering_of(out, syn_numbering_at(theirs, i)) == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    return 0;
}

/* Maps each label of the causes to the label in these tables. Labels that the causes lack are left
 * out. */
static int map_labels(struct syn_passes *passes, const struct syn_causes *causes)
{
    SYN_CLEANUP(syn_numbering_free) struct syn_numbering of_points = {0}, of_labels = {0};
    int status = number_again(&causes->tables.points, &of_points);
    const int labels = number_again(&causes->tables.labels, &of_labels);
    status = status != SYN_OK ? status : labels;
    passes->label_count = causes->tables.labels.count;
    passes->label_of_causes = malloc((passes->label_count + 1) * sizeof(uint32_t));
    status = status != SYN_OK || passes->label_of_causes ? status : SYN_ENOMEM;
    for (size_t i = 0; i < passes->label_count && status == SYN_OK; i++)
        passes->label_of_causes[i] = SYN_NO_NUMBER;
    for (uint32_t i = 0; i < passes->tables.labels.count && status == SYN_OK; i++) {
        const struct syn_label *label = syn_label_at(&passes->tables, i);
        const struct syn_label theirs = {
            syn_numbering_of(&of_points, syn_point_at(&passes->tables, label->from)),
            syn_numbering_of(&of_points, syn_point_at(&passes->tables, label->to))};
        const uint32_t number = syn_numbering_of(&of_labels, &theirs);
        if (number < passes->label_count)
            passes->label_of_causes[number] = i;
    }
    return status;
}

/* ---- the second reading ---- */

static int read_all(const struct syn_match *match, const struct syn_causes *causes,
                    struct syn_passes *passes)
{
    struct syn_match again = *match;
    again.disagreements = NULL; /* these were told by the first reading */
    struct syn_match_totals totals = {0};
    passes->plan = &causes->plan;
    passes->walk = calloc((size_t)causes->plan.location_count + 1, sizeof *passes->walk);
    if (!passes->walk || syn_cause_tables_begin(&passes->tables, 0) != SYN_OK)
        return SYN_ENOMEM;
    again.sink = (struct syn_match_sink){.kind = take_kind, .batch = take_batch, .ctx = passes};
    int status = syn_match_run(&again, &totals);
    syn_match_totals_free(&totals);
    for (uint32_t i = 0; i < causes->plan.location_count && status == SYN_OK; i++)
        status = complete_open(passes, &passes->walk[i], INT64_MAX);
    return status != SYN_OK ? status : map_labels(passes, causes);
}

int syn_passes_read(const struct syn_match *match, const struct syn_causes *causes,
                    size_t memory_bytes, struct syn_passes **out)
{
    struct syn_passes *passes = calloc(1, sizeof *passes);
    *out = NULL;
    if (!passes)
        return SYN_ENOMEM;
    passes->most_bytes = memory_bytes;
    const int status = read_all(match, causes, passes);
    const bool is_full = passes->is_full;
    if (status == SYN_OK)
        *out = passes;
    else
        syn_passes_free(passes);
    return is_full ? 0 : status;
}

void syn_passes_free(struct syn_passes *passes)
{
    if (!passes)
        return;
    for (uint32_t i = 0; passes->walk && i < passes->plan->location_count; i++) {
        for (size_t k = 0; k < passes->walk[i].label_count; k++) {
            struct counted *counted = passes->walk[i].label[k];
            for (unsigned o = 0; counted && o < BUCKETS; o++)
                free(counted->bucket[o]);
            free(counted);
        }
        free(passes->walk[i].label);
        free(passes->walk[i].open);
    }
    free(passes->walk);
    free(passes->label_of_causes);
    syn_cause_tables_free(&passes->tables);
    free(passes);
}

/* ---- figures ---- */

/* The sum of the passes of several locations. */
struct histogram {
    uint64_t bin[BUCKETS][BINS];
};

/* Returns the quantile `share` of all passes in buckets from `from` upwards. */
static double quantile(const struct histogram *sum, unsigned from, double share)
{
    uint64_t all = 0, seen = 0;
    for (unsigned o = from; o < BUCKETS; o++)
        for (unsigned bin = 0; bin < BINS; bin++)
            all += sum->bin[o][bin];
    for (unsigned o = from; o < BUCKETS; o++)
        for (unsigned bin = 0; bin < BINS; bin++) {
            seen += sum->bin[o][bin];
            if (sum->bin[o][bin] > 0 && (double)seen > share * (double)(all - 1))
                return bin_ns(o, bin);
        }
    return NAN;
}

/* Finds the lowest bucket whose passes, with those above, come regularly but not each time. `sum`
 * contains `counted` alone. */
static void find_period(const struct counted *counted, const struct histogram *sum,
                        struct syn_pass_figures *out)
{
    for (unsigned o = 0; o < BUCKETS; o++) {
        const struct rhythm *rhythm = counted->bucket[o] ? &counted->bucket[o]->rhythm : NULL;
        if (!rhythm || rhythm->gaps < GAPS_LEAST || rhythm->gap < 2 ||
            (double)rhythm->votes < GAPS_ALIKE * (double)rhythm->gaps)
            continue;
        const double ns = quantile(sum, o, 0.5);
        if (ns < LONGER_LEAST * out->median_ns)
            continue;
        out->period = rhythm->gap;
        out->periodic_ns = ns;
        return;
    }
}

bool syn_passes_of(const struct syn_passes *passes, const struct syn_causes *causes, uint32_t label,
                   int32_t rank, struct syn_pass_figures *out)
{
    const struct syn_cause_plan *plan = &causes->plan;
    const uint32_t first = rank < 0 ? 0 : plan->first_location[rank];
    const uint32_t end = rank < 0 ? plan->location_count : plan->first_location[rank + 1];
    SYN_FREED const struct counted **counted = malloc((end - first + 1) * sizeof(struct counted *));
    size_t count = 0;
    *out = (struct syn_pass_figures){.periodic_ns = NAN};
    const uint32_t own =
        label < passes->label_count ? passes->label_of_causes[label] : SYN_NO_NUMBER;
    for (uint32_t i = first; counted && own != SYN_NO_NUMBER && i < end; i++)
        if (own < passes->walk[i].label_count && passes->walk[i].label[own])
            counted[count++] = passes->walk[i].label[own];
    for (size_t i = 0; i < count; i++) {
        out->count += counted[i]->count;
        out->most_ns = fmax(out->most_ns, (double)counted[i]->most_ns);
    }
    SYN_FREED struct histogram *sum = count > 0 ? calloc(1, sizeof *sum) : NULL;
    for (size_t i = 0; sum && i < count; i++)
        for (unsigned o = 0; o < BUCKETS; o++)
            for (unsigned bin = 0; counted[i]->bucket[o] && bin < BINS; bin++)
                sum->bin[o][bin] += counted[i]->bucket[o]->bin[bin];
    if (sum) {
        out->median_ns = fmin(quantile(sum, 0, 0.5),
                              out->most_ns); /* the middle of a bin may exceed the longest pass */
        out->p99_ns = fmin(quantile(sum, 0, 0.99), out->most_ns);
    }
    if (sum && count == 1 && rank >= 0)
        find_period(counted[0], sum, out);
    return sum != NULL;
}
