/* analyze/match/members/said.h - the arguments of a member's call in an instance, and how those of
 * two members differ.
 *
 * MPI forbids that members differ in the operation, in the root, in the bytes if the operation
 * demands equal ones (SYN_OPF_SAME_BYTES), in the reduction, or in the class of the type of a
 * reduction. Only the operation is compared on intercommunicators, and if a call failed, since its
 * arguments are not known. Call sites may differ. Members may start persistent operations in any
 * order (MPI 4.1, 6.13), so these are not compared. */
#ifndef SYN_SAID_H
#define SYN_SAID_H

#include <stddef.h>
#include <stdint.h>

/* How two calls differ: the first of these that applies. */
enum syn_difference {
    SYN_DIFFERENCE_NONE,
    SYN_DIFFERENCE_OPERATION,
    SYN_DIFFERENCE_ROOT,
    SYN_DIFFERENCE_BYTES,
    SYN_DIFFERENCE_REDUCTION,
    SYN_DIFFERENCE_TYPE
};

#define SYN_SAID_NOTHING  UINT64_MAX
#define SYN_SAID_NO_BYTES SYN_SAID_NOTHING

/* The arguments of one member's call. */
struct syn_said {
    uint64_t bytes;  /* SYN_SAID_NO_BYTES: not known */
    uint32_t member; /* number of the member in the communicator (comms.h) */
    uint32_t site;   /* name number */
    int32_t root;
    uint16_t op, flags;
    uint16_t elements; /* reduction and type: trace/events/attributes.h; 0: not known */
};

/* Returns the value that `by` compares. SYN_SAID_NOTHING: it is not known, or need not be equal. */
uint64_t syn_said_value(const struct syn_said *said, enum syn_difference by);
/* Returns how two members' calls differ. */
enum syn_difference syn_said_difference(const struct syn_said *a, const struct syn_said *b);
/* Returns how the calls of an instance's members differ; count >= 1. */
enum syn_difference syn_said_compare(const struct syn_said *said, size_t count);

#endif
