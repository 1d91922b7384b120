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
    syn_numbering_begin(&tables->kinds, sizeof(struct syn_call_kind));
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
                      const struct syn_name_map *names, uint32_t *map)
{
    for (uint32_t i = 0; i < theirs->points.count; i++) {
        struct syn_cause_point point = *syn_point_at(theirs, i);
        if (i != SYN_POINT_OUTSIDE) {
            point.site = (uint32_t)syn_name_mapped(names, point.site);
            point.phase = (uint32_t)syn_name_mapped(names, point.phase);
            point.comm = (uint32_t)syn_name_mapped(names, point.comm);
        }
        map[i] = syn_numbering_of(&tables->points, &point);
        if (map[i] == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    return 0;
}

static int map_kinds(struct syn_cause_tables *tables, const struct syn_cause_tables *theirs,
                     const uint32_t *point, uint32_t *map)
{
    for (uint32_t i = 0; i < theirs->kinds.count; i++) {
        struct syn_call_kind kind = *syn_call_kind_at(theirs, i);
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
                       const struct syn_name_map *names, struct syn_cause_map *out)
{
    uint32_t *point = malloc((theirs->points.count + 1) * sizeof *point);
    out->kind = malloc((theirs->kinds.count + 1) * sizeof *out->kind);
    out->label = malloc((theirs->labels.count + 1) * sizeof *out->label);
    int status = point && out->kind && out->label ? 0 : SYN_ENOMEM;
    if (status == SYN_OK)
        status = map_points(tables, theirs, names, point);
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

/* ---- as bytes ---- */

SYN_FIELDS(syn_cause_point_fields, struct syn_cause_point, SYN_FIELD(struct syn_cause_point, bytes),
           SYN_FIELD(struct syn_cause_point, site), SYN_FIELD(struct syn_cause_point, phase),
           SYN_FIELD(struct syn_cause_point, comm), SYN_FIELD(struct syn_cause_point, root),
           SYN_FIELD(struct syn_cause_point, op), SYN_FIELD(struct syn_cause_point, is_completion));

SYN_FIELDS(syn_call_kind_fields, struct syn_call_kind, SYN_FIELD(struct syn_call_kind, comm),
           SYN_FIELD(struct syn_call_kind, member), SYN_FIELD(struct syn_call_kind, point),
           SYN_FIELD(struct syn_call_kind, completion_point), SYN_FIELD(struct syn_call_kind, root),
           SYN_FIELD(struct syn_call_kind, op), SYN_FIELD(struct syn_call_kind, is_blocking),
           SYN_FIELD(struct syn_call_kind, is_completed));

SYN_FIELDS(syn_label_fields, struct syn_label, SYN_FIELD(struct syn_label, from),
           SYN_FIELD(struct syn_label, to));

static void put_numbering(const struct syn_numbering *numbering, const struct syn_fields *fields,
                          struct syn_bytes *out)
{
    syn_bytes_put_varint(out, numbering->count);
    syn_fields_put_all(fields, numbering->record, numbering->count, out);
}

_Static_assert(sizeof(struct syn_call_kind) <= 32 && sizeof(struct syn_cause_point) == 32,
               "a record has room, and a point no padding");

static int take_records(struct syn_take *take, const struct syn_fields *fields,
                        struct syn_numbering *into)
{
    const uint64_t count = syn_take_bounded(take, UINT32_MAX - 1);
    uint64_t record[4] = {0}; /* any of the structures */
    syn_numbering_free(into);
    for (uint64_t i = 0; i < count && !take->failed; i++) {
        syn_fields_take(fields, take, record);
        if (!take->failed && syn_numbering_of(into, record) == SYN_NO_NUMBER)
            return SYN_ENOMEM;
    }
    return take->failed ? SYN_ETRANSPORT : SYN_OK;
}

void syn_cause_tables_put(const struct syn_cause_tables *tables, struct syn_bytes *out)
{
    put_numbering(&tables->points, &syn_cause_point_fields, out);
    put_numbering(&tables->kinds, &syn_call_kind_fields, out);
    put_numbering(&tables->labels, &syn_label_fields, out);
}

/* Two names that differ there may be one here; numbers must not move, so points are translated in
 * place and never looked up in this table again. */
int syn_cause_tables_take(struct syn_take *take, const struct syn_name_map *names,
                          struct syn_cause_tables *into)
{
    int status = take_records(take, &syn_cause_point_fields, &into->points);
    if (status == SYN_OK)
        status = take_records(take, &syn_call_kind_fields, &into->kinds);
    if (status == SYN_OK)
        status = take_records(take, &syn_label_fields, &into->labels);
    for (uint32_t i = SYN_POINT_OUTSIDE + 1; status == SYN_OK && i < into->points.count; i++) {
        struct syn_cause_point *point =
            (struct syn_cause_point *)(void *)(into->points.record + i * into->points.record_bytes);
        point->site = (uint32_t)syn_name_mapped(names, point->site);
        point->phase = (uint32_t)syn_name_mapped(names, point->phase);
        point->comm = (uint32_t)syn_name_mapped(names, point->comm);
    }
    return status;
}
