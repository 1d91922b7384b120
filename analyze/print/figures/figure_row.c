/* analyze/print/figures/figure_row.c - finds rows of figures by name, and reads their values from a
 * structure. */
#include "analyze/print/figures/figure_row.h"

#include <stdint.h>
#include <string.h>

const struct syn_figure_row *syn_figure_row_named(const struct syn_figure_object *object,
                                                  const char *name)
{
    for (size_t i = 0; i < object->count; i++) {
        const struct syn_figure_row *row = &object->row[i], *found = NULL;
        if (row->how == SYN_FIGURE_spread)
            found = syn_figure_row_named(row->inner, name);
        else if (row->how < SYN_FIGURE_column && strcmp(row->name, name) == 0)
            found = row;
        if (found)
            return found;
    }
    return NULL;
}

bool syn_figure_row_is_number(const struct syn_figure_row *row)
{
    return row->member.bytes > 0 && row->member.kind != SYN_MEMBER_TEXT;
}

double syn_figure_row_value(const struct syn_figure_row *row, const void *structure)
{
    const char *at = (const char *)structure + row->member.at;
    double number;
    uint64_t wide;
    uint32_t narrow;
    if (row->member.kind == SYN_MEMBER_DOUBLE) {
        memcpy(&number, at, sizeof number);
        return number;
    }
    if (row->member.kind == SYN_MEMBER_BOOL)
        return *(const bool *)at;
    if (row->member.bytes == sizeof wide) {
        memcpy(&wide, at, sizeof wide);
        return row->member.kind == SYN_MEMBER_SIGNED ? (double)(int64_t)wide : (double)wide;
    }
    memcpy(&narrow, at, sizeof narrow);
    return row->member.kind == SYN_MEMBER_SIGNED ? (double)(int32_t)narrow : (double)narrow;
}
