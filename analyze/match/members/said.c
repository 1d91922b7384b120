/* analyze/match/members/said.c - compares the arguments of an instance's members. */
#include "analyze/match/members/said.h"

#include <stdbool.h>

#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"

/* Returns whether the type determines a class. MPI_BYTE and derived types match elements of any
 * class. */
static bool says_class(uint16_t elements)
{
    const enum syn_type_class class = syn_attributes_class(elements);
    return class != SYN_TYPE_NONE && class != SYN_TYPE_BYTE && class != SYN_TYPE_DERIVED;
}

static bool is_persistent(const struct syn_said *said)
{
    return said->op / SYN_OP_FORM_STRIDE == SYN_FORM_PERSISTENT;
}

uint64_t syn_said_value(const struct syn_said *said, enum syn_difference by)
{
    const uint32_t op = syn_op_flags(said->op);
    if (by == SYN_DIFFERENCE_OPERATION)
        return said->op;
    if (said->flags & (SYN_EVENT_INTERCOMM | SYN_EVENT_FAILED))
        return SYN_SAID_NOTHING;
    if (by == SYN_DIFFERENCE_ROOT && (op & SYN_OPF_ROOTED) && said->root >= 0)
        return (uint64_t)said->root;
    if (by == SYN_DIFFERENCE_BYTES && (op & SYN_OPF_SAME_BYTES))
        return said->bytes;
    if (by == SYN_DIFFERENCE_REDUCTION && (op & SYN_OPF_REDUCES) &&
        syn_attributes_reduction(said->elements) != SYN_REDUCTION_NONE)
        return syn_attributes_reduction(said->elements);
    if (by == SYN_DIFFERENCE_TYPE && (op & SYN_OPF_REDUCES) && says_class(said->elements))
        return syn_attributes_class(said->elements);
    return SYN_SAID_NOTHING;
}

enum syn_difference syn_said_difference(const struct syn_said *a, const struct syn_said *b)
{
    if (is_persistent(a) || is_persistent(b))
        return SYN_DIFFERENCE_NONE;
    for (enum syn_difference by = SYN_DIFFERENCE_OPERATION; by <= SYN_DIFFERENCE_TYPE; by++) {
        const uint64_t left = syn_said_value(a, by), right = syn_said_value(b, by);
        if (left != right && left != SYN_SAID_NOTHING && right != SYN_SAID_NOTHING)
            return by;
    }
    return SYN_DIFFERENCE_NONE;
}

/* Compares each member with the first. If nothing differs, compares it with the member before it,
 * as the first may lack a value. */
enum syn_difference syn_said_compare(const struct syn_said *said, size_t count)
{
    enum syn_difference found = SYN_DIFFERENCE_NONE;
    const struct syn_said *other = &said[0];
    for (size_t i = 1; i < count; i++) {
        enum syn_difference differs = syn_said_difference(&said[0], &said[i]);
        if (differs == SYN_DIFFERENCE_NONE)
            differs = syn_said_difference(other, &said[i]);
        if (differs != SYN_DIFFERENCE_NONE && (found == SYN_DIFFERENCE_NONE || differs < found))
            found = differs;
        other = &said[i];
    }
    return found;
}
