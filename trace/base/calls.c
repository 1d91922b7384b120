/* trace/base/calls.c - names and kinds of calls, from ops.def and messages.def. */
#include "trace/base/calls.h"

#include <stddef.h>

static const struct {
    uint16_t id;
    uint8_t kind;
    uint8_t waits;
    const char *name;
} others[] = {
#define SENDS(...)     SYN_WAITS_SENDS
#define RECEIVES(...)  SYN_WAITS_RECEIVES
#define EXCHANGES(...) SYN_WAITS_EXCHANGES
#define TARGETS(...)   SYN_WAITS_TARGETS
#define ACCESSES(...)  SYN_WAITS_ACCESSES
#define SOMEBODY()     SYN_WAITS_SOMEBODY
#define NOBODY()       SYN_WAITS_NOBODY
#define SYN_MESSAGE(row, Name, name, NAME, count, LARGE, WAITS, MOVES) \
    {SYN_CALL_##Name, SYN_CALL_KIND_MESSAGE, WAITS, "MPI_" #Name},
#define SYN_PREPARED(row, Name, name, NAME, count, LARGE, MOVES) \
    {SYN_CALL_##Name, SYN_CALL_KIND_MESSAGE, SYN_WAITS_NOBODY, "MPI_" #Name},
#define SYN_COMPLETION(row, Name) \
    {SYN_CALL_##Name, SYN_CALL_KIND_COMPLETION, SYN_WAITS_SOMEBODY, "MPI_" #Name},
#define SYN_LIFE(row, Name) \
    {SYN_CALL_##Name, SYN_CALL_KIND_FINALIZE, SYN_WAITS_NOBODY, "MPI_" #Name},
#include "trace/base/messages.def"
};
#define OTHER_COUNT (sizeof others / sizeof *others)

/* Returns the index of an id in `others`, or OTHER_COUNT. */
static size_t find(uint16_t id)
{
    size_t i = 0;
    while (i < OTHER_COUNT && others[i].id != id)
        i++;
    return i;
}

enum syn_sort_of_call syn_call_kind(uint16_t id)
{
    const size_t at = find(id);
    if (at < OTHER_COUNT)
        return (enum syn_sort_of_call)others[at].kind;
    return syn_op_name(id) ? SYN_CALL_KIND_COLLECTIVE : SYN_CALL_KIND_UNKNOWN;
}

enum syn_call_waits syn_call_waits(uint16_t id)
{
    const size_t at = find(id);
    return at < OTHER_COUNT ? (enum syn_call_waits)others[at].waits : SYN_WAITS_NOBODY;
}

const char *syn_call_name(uint16_t id)
{
    const size_t at = find(id);
    return at < OTHER_COUNT ? others[at].name : syn_op_name(id);
}
