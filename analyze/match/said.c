/* analyze/match/said.c - how members of an instance differ. */
#include "analyze/match/said.h"

#include <stdbool.h>

#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"

static bool reduces_unlike(uint16_t a, uint16_t b)
{
    const enum syn_reduction left = syn_attributes_reduction(a),
                             right = syn_attributes_reduction(b);
    return left != right && left != SYN_REDUCTION_NONE && right != SYN_REDUCTION_NONE;
}

/* MPI_BYTE and derived types can stand for elements of any class. */
static bool says_class(uint16_t elements)
{
    const enum syn_type_class class = syn_attributes_class(elements);
    return class != SYN_TYPE_NONE && class != SYN_TYPE_BYTE && class != SYN_TYPE_DERIVED;
}

static bool is_of_other_type(uint16_t a, uint16_t b)
{
    return says_class(a) && says_class(b) && syn_attributes_class(a) != syn_attributes_class(b);
}

enum syn_difference syn_said_difference(const struct syn_said *a, const struct syn_said *b)
{
    const uint32_t op = syn_op_flags(a->op);
    if (a->op != b->op)
        return SYN_DIFFERENCE_OPERATION;
    if ((a->flags | b->flags) & (SYN_EVENT_INTERCOMM | SYN_EVENT_FAILED))
        return SYN_DIFFERENCE_NONE;
    if ((op & SYN_OPF_ROOTED) && a->root != b->root && a->root >= 0 && b->root >= 0)
        return SYN_DIFFERENCE_ROOT;
    if ((op & SYN_OPF_SAME_BYTES) && a->bytes != b->bytes && a->bytes != SYN_SAID_NO_BYTES &&
        b->bytes != SYN_SAID_NO_BYTES)
        return SYN_DIFFERENCE_BYTES;
    if (!(op & SYN_OPF_REDUCES))
        return SYN_DIFFERENCE_NONE;
    if (reduces_unlike(a->elements, b->elements))
        return SYN_DIFFERENCE_REDUCTION;
    return is_of_other_type(a->elements, b->elements) ? SYN_DIFFERENCE_TYPE : SYN_DIFFERENCE_NONE;
}

/* Each with the first, and where that does not know something, with the last that may know it. */
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
