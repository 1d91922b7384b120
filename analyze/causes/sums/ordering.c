/* analyze/causes/sums/ordering.c - orders points and labels by their texts.
 *
 * Threads and slices number call sites in the order in which they meet them. The order of texts
 * does not depend on that. Rounded shares and lists use it. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/tables.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

/* ---- points ---- */

struct worded {
    struct syn_cause_point point;
    const char *site, *phase, *comm; /* empty: none */
    uint32_t number;
};

static const char *text_of(const struct syn_names *names, uint32_t id)
{
    const char *text = names && id != SYN_NO_NAME ? syn_names_text(names, id) : NULL;
    return text ? text : "";
}

static struct worded worded(const struct syn_cause_tables *tables, const struct syn_names *names,
                            uint32_t number)
{
    const struct syn_cause_point *point = syn_point_at(tables, number);
    return (struct worded){.point = *point,
                           .site = text_of(names, point->site),
                           .phase = text_of(names, point->phase),
                           .comm = text_of(names, point->comm),
                           .number = number};
}

static int by_number(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

/* Compares points by their texts, not by the numbers of names. Reports show no difference between
 * points of equal texts. */
static int by_words(const void *left, const void *right)
{
    const struct worded *a = left, *b = right;
    int order = by_number(a->number != SYN_POINT_OUTSIDE, b->number != SYN_POINT_OUTSIDE);
    order = order ? order : strcmp(a->site, b->site);
    order = order ? order : strcmp(a->phase, b->phase);
    order = order ? order : by_number(a->point.op, b->point.op);
    order = order ? order : by_number(a->point.is_completion, b->point.is_completion);
    order = order ? order : strcmp(a->comm, b->comm);
    order = order ? order : by_number(a->point.bytes, b->point.bytes);
    order = order ? order : (a->point.root > b->point.root) - (a->point.root < b->point.root);
    return order ? order : by_number(a->number, b->number);
}

/* ---- labels ---- */

struct numbered {
    struct syn_label label; /* its points have their new numbers */
    uint32_t number;
};

static int by_ends(const void *left, const void *right)
{
    const struct syn_label *a = &((const struct numbered *)left)->label;
    const struct syn_label *b = &((const struct numbered *)right)->label;
    const int order = by_number(a->from, b->from);
    return order ? order : by_number((uint32_t)(a->to + 1), (uint32_t)(b->to + 1));
}

static int order_labels(struct syn_cause_tables *tables, const uint32_t *point, uint32_t *number)
{
    const size_t count = tables->labels.count;
    struct syn_numbering ordered;
    SYN_FREED struct numbered *list = malloc((count + 1) * sizeof *list);
    int status = list ? SYN_OK : SYN_ENOMEM;
    syn_numbering_begin(&ordered, sizeof(struct syn_label));
    for (uint32_t i = 0; list && i < count; i++) {
        const struct syn_label *label = syn_label_at(tables, i);
        list[i] = (struct numbered){
            {point[label->from], syn_label_is_call(label) ? SYN_POINT_INSIDE : point[label->to]},
            i};
    }
    if (list && count > 1)
        qsort(list, count, sizeof *list, by_ends);
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        number[list[i].number] = syn_numbering_append(&ordered, &list[i].label);
        status = number[list[i].number] == SYN_NO_NUMBER ? SYN_ENOMEM : SYN_OK;
    }
    syn_numbering_free(&tables->labels);
    tables->labels = ordered;
    return status;
}

/* ---- both ---- */

int syn_cause_tables_order(struct syn_cause_tables *tables, const struct syn_names *names,
                           uint32_t *label)
{
    SYN_FREED uint32_t *point = malloc((tables->points.count + 1) * sizeof *point);
    int status = point ? SYN_OK : SYN_ENOMEM;
    syn_numbering_free(&tables->kinds);
    if (status == SYN_OK) {
        /* Sets `point` [points.count] to the new number of each point. */
        const size_t count = tables->points.count;
        struct syn_numbering ordered;
        SYN_FREED struct worded *list = malloc((count + 1) * sizeof *list);
        status = list ? SYN_OK : SYN_ENOMEM;
        syn_numbering_begin(&ordered, sizeof(struct syn_cause_point));
        for (uint32_t i = 0; list && i < count; i++)
            list[i] = worded(tables, names, i);
        if (list && count > 1)
            qsort(list, count, sizeof *list, by_words);
        for (size_t i = 0; i < count && status == SYN_OK; i++) {
            point[list[i].number] = syn_numbering_append(&ordered, &list[i].point);
            status = point[list[i].number] == SYN_NO_NUMBER ? SYN_ENOMEM : SYN_OK;
        }
        syn_numbering_free(&tables->points);
        tables->points = ordered;
    }
    SYN_STEP(status, order_labels(tables, point, label));
    return status;
}

/* A call comes before the segments from the same point. */
int syn_label_compare(const struct syn_cause_tables *tables, const struct syn_names *names,
                      uint32_t a, uint32_t b)
{
    const struct syn_label *of_a = syn_label_at(tables, a), *of_b = syn_label_at(tables, b);
    struct worded ends[2] = {worded(tables, names, of_a->from), worded(tables, names, of_b->from)};
    const int order = of_a->from == of_b->from ? 0 : by_words(&ends[0], &ends[1]);
    const int kinds = by_number(syn_label_is_call(of_b), syn_label_is_call(of_a));
    if (order || kinds || of_a->to == of_b->to)
        return order ? order : kinds;
    ends[0] = worded(tables, names, of_a->to);
    ends[1] = worded(tables, names, of_b->to);
    return by_words(&ends[0], &ends[1]);
}
