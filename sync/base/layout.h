/* sync/base/layout.h - places code and variables. RATIONALE: what MPI itself runs through to make
 * and free a communicator is 350 lines of a cache that has 512, and what is ours a hundred. Lines
 * of both that share a place in it drive one another out. So what every call of a kind runs through
 * lies side by side, and what hardly any call needs somewhere else. And a program's first call, or
 * its first one from a place, comes after other work: it waits for each page of code that is in no
 * cache. */
#ifndef SYN_LAYOUT_H
#define SYN_LAYOUT_H

#define SYN_HOT  __attribute__((hot))
#define SYN_COLD __attribute__((cold))

/* Puts small variables side by side, in a section of their own. */
#define SYN_NEAR __attribute__((section("syn_near")))

#endif
