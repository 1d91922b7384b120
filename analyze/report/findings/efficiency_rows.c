/* analyze/report/findings/efficiency_rows.c - computes efficiencies of parts of a run from the sums
 * of the causes. A segment belongs to the call that it leads to. */
#include "analyze/report/findings/efficiency_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/report/findings/keyed_causes.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define OF_LABELS (SYN_BY(SYN_KEY_OP) | SYN_BY(SYN_KEY_SITE) | SYN_BY(SYN_KEY_PHASE))
#define OF_RANKS  (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE))

/* A rank's time in the current part. */
struct rank_time {
    double useful_ns, time_ns;
    bool is_there;
};

/* The state of making rows. A part is all labels with one key; these labels are a linked list. */
struct making {
    const struct syn_run_facts *run;
    const struct syn_causes *causes;
    struct syn_efficiency_rows *rows;
    size_t capacity;           /* of rows->row */
    uint32_t *first, *next;    /* [keys], [labels]: lists of labels; SYN_NO_NUMBER: end */
    struct rank_time *of_rank; /* [rank_count] */
    double *useful_ns;         /* [rank_count], of the ranks in the part, side by side */
};

/* ---- keys ---- */

/* Returns the keys that are available. The causes distinguish sites, phases and operations; other
 * keys of calls need the sums of keyed_causes.h. */
static unsigned keys_to_be_had(const struct syn_run_facts *run, unsigned by)
{
    const unsigned calls = syn_is_keyed(run) ? run->keyed.tables.keys : by & OF_LABELS;
    const unsigned keys = calls | (by & (OF_RANKS | SYN_BY(SYN_KEY_RUN)));
    return keys ? keys : SYN_BY(SYN_KEY_PHASE);
}

static struct syn_efficiency_key key_of(const struct making *making, uint32_t number)
{
    const struct syn_cause_tables *tables = &making->causes->tables;
    const struct syn_label *label = syn_label_at(tables, number);
    const uint32_t point = syn_label_is_call(label) ? label->from : label->to;
    const struct syn_cause_point *at = syn_point_at(tables, point);
    const unsigned by = making->rows->by;
    struct syn_efficiency_key key = {
        .site = SYN_NO_NAME, .phase = SYN_NO_NAME, .comm = SYN_NO_NAME};
    if (!(by & ~(OF_RANKS | SYN_BY(SYN_KEY_RUN))))
        return key;
    if (point == SYN_POINT_OUTSIDE) {
        key.is_outside = 1;
        return key;
    }
    key.bytes = at->bytes;
    key.comm = at->comm;
    key.root = at->root;
    key.site = by & SYN_BY(SYN_KEY_SITE) ? at->site : SYN_NO_NAME;
    key.phase = by & SYN_BY(SYN_KEY_PHASE) ? at->phase : SYN_NO_NAME;
    key.op = by & SYN_BY(SYN_KEY_OP) ? at->op : 0;
    return key;
}

/* ---- a part ---- */

static double add_call(const struct syn_causes *causes, uint32_t location, uint32_t label,
                       struct rank_time *rank)
{
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    double transfer_ns = 0;
    rank->time_ns += (double)(syn_cell_ns(&causes->sums, location, label, SYN_CATEGORY_OPERATION) +
                              syn_cell_ns(&causes->sums, location, label, SYN_CATEGORY_WAITING));
    for (unsigned slot = 0; cell && slot < SYN_CATEGORIES_OF_LABEL; slot++)
        transfer_ns += (double)syn_category_sums_of(cell, slot)->path_ns;
    return transfer_ns;
}

static double add_segment(const struct syn_causes *causes, uint32_t location, uint32_t label,
                          struct rank_time *rank)
{
    const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, label);
    const double messages_ns =
        (double)syn_cell_ns(&causes->sums, location, label, SYN_CATEGORY_MESSAGES);
    const double own_ns =
        (double)(syn_cell_ns(&causes->sums, location, label, SYN_CATEGORY_COMPUTING) +
                 syn_cell_ns(&causes->sums, location, label, SYN_CATEGORY_OFF_CPU));
    rank->useful_ns += own_ns;
    rank->time_ns += own_ns + messages_ns;
    return cell ? (double)syn_category_sums_of(cell, syn_category_index(SYN_CATEGORY_MESSAGES))
                      ->path_ns
                : 0;
}

/* ---- ranks and nodes in a part ---- */

static int append(struct making *making, const struct syn_efficiency_row *row)
{
    struct syn_efficiency_rows *rows = making->rows;
    if (SYN_ROOM(rows->row, making->capacity, rows->count) != SYN_OK)
        return SYN_ENOMEM;
    rows->row[rows->count++] = *row;
    return 0;
}

/* Returns the row of a rank's time among the part's rows, from `first` on. Adds the row if there is
 * none. NULL: memory ran out. */
static struct syn_efficiency_row *row_of_rank(struct making *making, size_t first, int32_t rank,
                                              const struct syn_efficiency_row *all)
{
    const unsigned by = making->rows->by;
    const bool by_node = by & SYN_BY(SYN_KEY_NODE), by_rank = by & SYN_BY(SYN_KEY_RANK);
    const uint32_t node = by_node ? making->run->rank[rank].node : SYN_NO_NAME;
    struct syn_efficiency_rows *rows = making->rows;
    for (size_t i = first; !by_rank && i < rows->count; i++)
        if (rows->row[i].node == node)
            return &rows->row[i];
    const struct syn_efficiency_row row = {.key = all->key,
                                           .rank = by_rank ? rank : -1,
                                           .node = node,
                                           .longest_ns = all->longest_ns,
                                           .efficiency = all->efficiency};
    return append(making, &row) == SYN_OK ? &rows->row[rows->count - 1] : NULL;
}

static int add_rows_of_ranks(struct making *making, const struct syn_efficiency_row *all)
{
    const size_t first = making->rows->count;
    for (int32_t r = 0; r < making->causes->plan.rank_count; r++) {
        if (!making->of_rank[r].is_there)
            continue;
        struct syn_efficiency_row *row = row_of_rank(making, first, r, all);
        if (!row)
            return SYN_ENOMEM;
        row->rank_count++;
        row->time_ns += making->of_rank[r].time_ns;
        row->useful_ns += making->of_rank[r].useful_ns;
    }
    for (size_t i = first; i < making->rows->count; i++) {
        /* Load balance of these ranks is their mean useful time / the largest useful time of any
         * rank of the part. Communication happens between ranks, so it is that of the part. So the
         * mean over all ranks is the efficiency of the part. */
        const double most_ns = all->useful_ns / all->efficiency.load_balance;
        making->rows->row[i].time_ns /= (double)making->rows->row[i].rank_count;
        making->rows->row[i].useful_ns /= (double)making->rows->row[i].rank_count;
        making->rows->row[i].efficiency.load_balance = making->rows->row[i].useful_ns / most_ns;
        making->rows->row[i].efficiency.parallel = making->rows->row[i].efficiency.load_balance *
                                                   making->rows->row[i].efficiency.communication;
    }
    return 0;
}

/* ---- all parts ---- */

SYN_ORDER(by_time, struct syn_efficiency_row,
          SYN_DOWN(time_ns) ?: SYN_DOWN(useful_ns) ?: SYN_UP(key) ?: SYN_UP(rank))

static int begin_making(struct making *making)
{
    const size_t ranks = (size_t)making->causes->plan.rank_count;
    const size_t labels = making->causes->tables.labels.count;
    making->first = malloc((labels + 1) * sizeof *making->first);
    making->next = malloc((labels + 1) * sizeof *making->next);
    making->of_rank = malloc((ranks + 1) * sizeof *making->of_rank);
    making->useful_ns = malloc((ranks + 1) * sizeof *making->useful_ns);
    if (!making->first || !making->next || !making->of_rank || !making->useful_ns)
        return SYN_ENOMEM;
    memset(making->first, 0xFF, (labels + 1) * sizeof *making->first);
    /* add every label to the list of its key */
    struct syn_numbering *keys = &making->rows->keys;
    for (size_t i = 0; i < making->causes->tables.labels.count; i++) {
        const struct syn_efficiency_key of = key_of(making, (uint32_t)i);
        const uint32_t key = syn_numbering_of(keys, &of);
        if (key == SYN_NO_NUMBER)
            return SYN_ENOMEM;
        making->next[i] = making->first[key];
        making->first[key] = (uint32_t)i;
    }
    return 0;
}

/* Sums up each key's labels into rows, then sorts the rows by time. */
int syn_efficiency_rows_make(const struct syn_run_facts *run, unsigned by,
                             struct syn_efficiency_rows *out)
{
    struct making making = {
        .run = run, .causes = syn_is_keyed(run) ? &run->keyed : &run->causes, .rows = out};
    *out = (struct syn_efficiency_rows){.by = keys_to_be_had(run, by)};
    syn_numbering_begin(&out->keys, sizeof(struct syn_efficiency_key));
    int status = begin_making(&making);
    for (uint32_t key = 0; key < out->keys.count && status == SYN_OK; key++) {
        const size_t rank_count = (size_t)making.causes->plan.rank_count;
        const struct syn_cause_plan *plan = &making.causes->plan;
        double transfer_ns = 0; /* on the critical path, neither computing nor off the processor */
        memset(making.of_rank, 0, rank_count * sizeof *making.of_rank);
        for (uint32_t label = making.first[key]; label != SYN_NO_NUMBER; label = making.next[label])
            for (uint32_t i = 0; i < plan->location_count; i++)
                transfer_ns += (syn_label_is_call(syn_label_at(&making.causes->tables, label))
                                    ? add_call
                                    : add_segment)(making.causes, i, label,
                                                   &making.of_rank[plan->location[i].rank]);
        /* All recorded ranks count. If a communicator is a key, only ranks with calls on it
         * count. */
        const struct syn_efficiency_key *of_key = syn_numbering_at(&out->keys, key);
        const bool is_of_some = out->by & SYN_BY(SYN_KEY_COMM) && !of_key->is_outside;
        for (int32_t r = 0; r < plan->rank_count; r++)
            making.of_rank[r].is_there = plan->first_location[r + 1] > plan->first_location[r] &&
                                         !(is_of_some && making.of_rank[r].time_ns <= 0);
        /* the row of all ranks of the part */
        struct syn_efficiency_row row = {.key = key, .rank = -1, .node = SYN_NO_NAME};
        for (int32_t r = 0; r < plan->rank_count; r++) {
            const struct rank_time *rank = &making.of_rank[r];
            if (!rank->is_there)
                continue;
            row.time_ns += rank->time_ns;
            row.longest_ns = fmax(row.longest_ns, rank->time_ns);
            row.useful_ns += rank->useful_ns;
            making.useful_ns[row.rank_count++] = rank->useful_ns;
        }
        const struct syn_efficiency_of of = {making.useful_ns, row.rank_count, row.longest_ns,
                                             transfer_ns};
        syn_efficiency_make(&of, &row.efficiency);
        row.time_ns /= fmax(1, (double)row.rank_count);
        row.useful_ns /= fmax(1, (double)row.rank_count);
        status = out->by & OF_RANKS ? add_rows_of_ranks(&making, &row) : append(&making, &row);
    }
    if (status == SYN_OK && out->count > 1)
        qsort(out->row, out->count, sizeof *out->row, by_time);
    free(making.first);
    free(making.next);
    free(making.of_rank);
    free(making.useful_ns);
    return status;
}

void syn_efficiency_rows_free(struct syn_efficiency_rows *rows)
{
    syn_numbering_free(&rows->keys);
    free(rows->row);
}
