/* sync/base/layout.h - places code and variables in memory.
 *
 * RATIONALE: MPI's own code for making and freeing a communicator takes 350 of the 512 lines of an
 * instruction cache, and ours a hundred. Lines that compete for the same place evict one another.
 * So code that such calls run lies side by side (SYN_HOT), and rarely used code elsewhere
 * (SYN_COLD). Also, a program's first call comes after other work, so it waits for every page of
 * code it touches. */
#ifndef SYN_LAYOUT_H
#define SYN_LAYOUT_H

#define SYN_HOT  __attribute__((hot))
#define SYN_COLD __attribute__((cold))

/* Puts small variables side by side in a section of their own. */
#define SYN_NEAR __attribute__((section("syn_near")))

#endif
