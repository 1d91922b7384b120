/* analyze/match/members/said.h - a member's arguments in an instance, and the difference of two
 * members.
 *
 * MPI forbids another operation, another root, another number of bytes where the operation demands
 * equal ones (SYN_OPF_SAME_BYTES), another reduction, another class of type in a reduction. Of
 * intercommunicators only the operation is compared, and of calls that failed: their arguments are
 * not known. Places in the program may differ. Members may start persistent operations in any order
 * (MPI 4.1, 6.13), so these are not compared. */
#ifndef SYN_SAID_H
#define SYN_SAID_H

#include <stddef.h>
#include <stdint.h>

/* The first that holds, in this order. */
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
    uint32_t member; /* of the communicator (comms.h) */
    uint32_t site;   /* name number */
    int32_t root;
    uint16_t op, flags;
    uint16_t elements; /* reduction and type: trace/events/attributes.h; 0: not known */
};

/* The value in which calls may differ, as a member said it; SYN_SAID_NOTHING: it did not, or it may
 * be any. */
uint64_t syn_said_value(const struct syn_said *said, enum syn_difference by);
/* How two members' calls differ. */
enum syn_difference syn_said_difference(const struct syn_said *a, const struct syn_said *b);
/* How those of an instance do, `count` >= 1. */
enum syn_difference syn_said_compare(const struct syn_said *said, size_t count);

#endif
