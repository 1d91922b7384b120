/* preload/facts/topology.h - finds where this rank runs: package, NUMA node, core, and what it is
 * bound to. By hwloc, which is looked up when it is needed (dlopen) and never linked:
 * libsyncopate.so is loaded into every process under a launcher and must bring nothing with it.
 * Without hwloc only what the kernel says of the process is emitted.
 *
 * Usage: one rank of each machine reads it, all get a copy, and each finds its place in it.
 *
 * Keys: host.topology ("1 package, 1 NUMA node, 2 cores, 2 PUs"), host.l3 ("1 x 32 MiB"),
 *   rank.pu, rank.core, rank.numa_node, rank.package (of the PU that the thread last ran on; the
 * numbers are hwloc's logical ones but for pu and numa_node, which are the operating system's; they
 * count the whole machine, not what the rank may use of it), rank.bound_pus (list, "0-3,8"),
 * rank.bound_cores, rank.bound ("no" where all PUs are allowed), rank.l3_sharing (PUs that share
 * the L3 cache of that PU), topology.source ("hwloc 2.9.0", "kernel") */
#ifndef SYN_TOPOLOGY_H
#define SYN_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#define SYN_PU_COUNT_MAX 8192

/* The parts of the machine that a PU belongs to; -1: unknown. */
struct syn_pu {
    int16_t is_there; /* 1, else -1 */
    int16_t package;
    int16_t numa_node;
    int16_t core;
    int16_t l3;
};

/* The PUs of a machine, by the operating system's numbers. No pointers: ranks send it around. */
struct syn_machine {
    int32_t pu_count; /* 0: hwloc is not there */
    char topology[160];
    char l3[64];
    char source[32];
    struct syn_pu pu[SYN_PU_COUNT_MAX]; /* [pu_count] */
};

/* Ask hwloc; 2 ms, 10 and more on a busy or a big machine. Binding and environment of the process
 * stay as they are: hwloc is told not to bind, and I/O devices (64 ms) are not looked for. */
void syn_machine_read(struct syn_machine *out);
/* How much of it there is to send. */
size_t syn_machine_bytes(const struct syn_machine *machine);

/* As syn_factors_collect. */
void syn_topology_collect(const struct syn_machine *machine,
                          int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

#endif
