/* sync/base/layout.h - where code lies.
 *
 * RATIONALE: what MPI itself runs through to make and free a communicator is 350 lines of a cache
 * that has 512, and what is ours a hundred. Lines of both that share a place in it drive one
 * another out. So what every call of a kind runs through lies side by side, and what hardly any
 * call needs somewhere else. */
#ifndef SYN_LAYOUT_H
#define SYN_LAYOUT_H

#define SYN_HOT  __attribute__((hot))
#define SYN_COLD __attribute__((cold))

/* The same of a file's variables, which are small. A call that comes after a while waits for each
 * page of them for as long as for four lines. (The name is one that every linker keeps together.)
 */
#define SYN_NEAR __attribute__((section("syn_near")))

#endif
