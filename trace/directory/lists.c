/* trace/directory/lists.c - see lists.h. */
#include "trace/directory/lists.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/status.h"

/* ---- ranks ---- */

struct range {
    long first, last, step;
};

/* Parses one range, up to the end or to a comma before another range. Returns the text after it;
 * NULL if it is invalid. */
static const char *parse_range(const char *text, struct range *range)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    range->first = range->last = strtol(text, &end, 10);
    range->step = 1;
    if (*end == '-' && isdigit((unsigned char)end[1]))
        range->last = strtol(end + 1, &end, 10);
    if (*end == ':' && isdigit((unsigned char)end[1]))
        range->step = strtol(end + 1, &end, 10);
    if (range->first > range->last || range->last > INT_MAX || range->step < 1)
        return NULL;
    return *end == ',' && end[1] ? end + 1 : *end ? NULL : end;
}

int syn_rank_list_check(const char *list)
{
    struct range range;
    const char *at = *list ? list : NULL;
    while (at && *at)
        at = parse_range(at, &range);
    return at ? SYN_OK : SYN_EINVAL;
}

bool syn_rank_list_has(const char *list, int rank)
{
    struct range range;
    const char *at = list;
    while (at && *at) {
        at = parse_range(at, &range);
        if (at && rank >= range.first && rank <= range.last &&
            (rank - range.first) % range.step == 0)
            return true;
    }
    return false;
}

/* ---- phases ---- */

struct phase {
    long level;
    const char *name;
    size_t length;
};

static const char *parse_phase(const char *text, struct phase *phase)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return NULL;
    phase->level = strtol(text, &end, 10);
    if (phase->level < 2 || phase->level > INT_MAX || *end != '=')
        return NULL;
    phase->name = end + 1;
    phase->length = strcspn(phase->name, ",");
    const char *rest = phase->name + phase->length;
    if (phase->length == 0)
        return NULL;
    return *rest == ',' && rest[1] ? rest + 1 : *rest ? NULL : rest;
}

int syn_phase_list_check(const char *list)
{
    struct phase phase;
    size_t length;
    const char *at = *list ? list : NULL;
    while (at && *at) {
        at = parse_phase(at, &phase);
        /* A level has one name. */
        if (at && syn_phase_list_find(list, (int)phase.level, &length) != phase.name)
            at = NULL;
    }
    return at ? SYN_OK : SYN_EINVAL;
}

const char *syn_phase_list_find(const char *list, int level, size_t *length)
{
    struct phase phase;
    const char *at = list;
    while (at && *at) {
        at = parse_phase(at, &phase);
        if (at && phase.level == level) {
            *length = phase.length;
            return phase.name;
        }
    }
    return NULL;
}
