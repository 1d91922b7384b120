/* analyze/causes/sums/tables.c - points, kinds of calls and labels of segments. */
#include "analyze/causes/sums/tables.h"

#include <stdlib.h>

#include "sync/base/status.h"

int syn_cause_tables_begin(struct syn_cause_tables *tables, unsigned keys)
{
    static const struct syn_cause_point outside = {
        .site = SYN_NO_NAME, .phase = SYN_NO_NAME, .comm = SYN_NO_NAME, .op = UINT32_MAX};
    tables->keys = keys;
    syn_numbering_begin(&tables->points, sizeof(struct syn_cause_point));
    syn_numbering_begin(&tables->kinds, sizeof(struct syn_event_kind));
    syn_numbering_begin(&tables->labels, sizeof(struct syn_label));
    return syn_numbering_of(&tables->points, &outside) == SYN_POINT_OUTSIDE ? 0 : SYN_ENOMEM;
}

void syn_cause_tables_free(struct syn_cause_tables *tables)
{
    syn_numbering_free(&tables->points);
    syn_numbering_free(&tables->kinds);
    syn_numbering_free(&tables->labels);
}

uint32_t syn_label_of(struct syn_cause_tables *tables, uint32_t from, uint32_t to)
{
    const bool has_one_end = tables->keys && to != SYN_POINT_INSIDE;
    const struct syn_label label = {has_one_end ? SYN_POINT_OUTSIDE : from, to};
    return syn_numbering_of(&tables->labels, &label);
}

/* ---- translating ---- */

static int map_points(struct syn_cause_tables *tables, const struct syn_cause_tables *theirs,
                      uint32_t *map)
{
    for (uint32_t i = 0; i < theirs->points.count; i++) {
        map[i] = syn_numbering_of(&tables->points, syn_point_at(theirs, i));
        if (map[i] == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    return 0;
}

static int map_kinds(struct syn_cause_tables *tables, const struct syn_cause_tables *theirs,
                     const uint32_t *point, uint32_t *map)
{
    for (uint32_t i = 0; i < theirs->kinds.count; i++) {
        struct syn_event_kind kind = *syn_event_kind_at(theirs, i);
        kind.point = point[kind.point];
        kind.completion_point = point[kind.completion_point];
        map[i] = syn_numbering_of(&tables->kinds, &kind);
        if (map[i] == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    return 0;
}

static int map_labels(struct syn_cause_tables *tables, const struct syn_cause_tables *theirs,
                      const uint32_t *point, uint32_t *map)
{
    for (uint32_t i = 0; i < theirs->labels.count; i++) {
        const struct syn_label *label = syn_label_at(theirs, i);
        map[i] = syn_label_of(tables, point[label->from],
                              syn_label_is_call(label) ? SYN_POINT_INSIDE : point[label->to]);
        if (map[i] == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    return 0;
}

int syn_cause_map_make(struct syn_cause_tables *tables, const struct syn_cause_tables *theirs,
                       struct syn_cause_map *out)
{
    uint32_t *point = malloc((theirs->points.count + 1) * sizeof *point);
    out->kind = malloc((theirs->kinds.count + 1) * sizeof *out->kind);
    out->label = malloc((theirs->labels.count + 1) * sizeof *out->label);
    int status = point && out->kind && out->label ? 0 : SYN_ENOMEM;
    if (status == SYN_OK)
        status = map_points(tables, theirs, point);
    if (status == SYN_OK)
        status = map_kinds(tables, theirs, point, out->kind);
    if (status == SYN_OK)
        status = map_labels(tables, theirs, point, out->label);
    free(point);
    return status;
}

void syn_cause_map_free(struct syn_cause_map *map)
{
    free(map->kind);
    free(map->label);
    *map = (struct syn_cause_map){0};
}
