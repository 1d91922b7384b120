/* sync/base/compare.h - comparison functions for qsort and bsearch, declared as lists of keys:
 *
 *     SYN_ORDER(by_time, struct piece, SYN_UP(start_ns) ?: SYN_DOWN(bytes) ?: SYN_UP(rank))
 *
 * A key counts if all before it are equal. SYN_UP puts small values first, SYN_DOWN large ones. */
#ifndef SYN_COMPARE_H
#define SYN_COMPARE_H

#define SYN_ORDER(name, type, keys)                      \
    static int name(const void *left, const void *right) \
    {                                                    \
        const type *const a = left;                      \
        const type *const b = right;                     \
        return keys;                                     \
    }
#define SYN_COMPARE(x, y) (((x) > (y)) - ((x) < (y)))
#define SYN_UP(member)    SYN_COMPARE(a->member, b->member)
#define SYN_DOWN(member)  SYN_COMPARE(b->member, a->member)
/* Keys of numbers that are no members of a struct. */
#define SYN_UP_ITSELF   SYN_COMPARE(*a, *b)
#define SYN_DOWN_ITSELF SYN_COMPARE(*b, *a)

#endif
