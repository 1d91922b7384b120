/* preload/facts/topology.h - finds where this rank runs: package, NUMA node and core, and to which
 * processing units (PUs) it is bound. The topology comes from hwloc, which is loaded by dlopen and
 * never linked: libsyncopate.so is loaded into every process under a launcher and must bring no
 * other library with it. Without hwloc only the kernel's facts are emitted.
 *
 * Usage: one rank of each machine reads the topology and sends it to the others. Each rank then
 * finds its own place.
 *
 * Keys:
 *   host.topology     "1 package, 1 NUMA node, 2 cores, 2 PUs"
 *   host.l3           L3 caches, "1 x 32768 KiB"
 *   rank.pu, rank.core, rank.numa_node, rank.package
 *                     of the PU on which the thread ran last. pu and numa_node are the operating
 *                     system's numbers, the others hwloc's logical ones. They count the whole
 *                     machine, not the part that the rank may use
 *   rank.bound_pus    list of PUs, "0-3,8"
 *   rank.bound_cores  list of cores
 *   rank.bound        "yes", or "no" if all PUs are allowed
 *   rank.l3_sharing   list of PUs that share the L3 cache of that PU
 *   topology.source   "hwloc 2.9.0" or "kernel" */
#ifndef SYN_TOPOLOGY_H
#define SYN_TOPOLOGY_H

#include <stddef.h>
#include <stdint.h>

#define SYN_PU_COUNT_MAX 8192

/* The objects that a PU belongs to, by number; -1: unknown. */
struct syn_pu {
    int16_t exists; /* 1: a PU has this number; else -1 */
    int16_t package;
    int16_t numa_node;
    int16_t core;
    int16_t l3;
};

/* The topology of a machine. It contains no pointers, because ranks send it to one another. */
struct syn_machine {
    int32_t pu_count; /* highest number of a PU, plus 1; 0: no hwloc */
    char topology[160];
    char l3[64];
    char source[32];
    struct syn_pu pu[SYN_PU_COUNT_MAX]; /* [pu_count] by the operating system's numbers */
};

/* Reads the topology from hwloc: 2 ms, 10 ms and more on a busy or large machine. Does not change
 * the binding of the thread, and does not search for I/O devices (64 ms). */
void syn_machine_read(struct syn_machine *out);
/* Returns the size of the used part of *machine. */
size_t syn_machine_bytes(const struct syn_machine *machine);

/* Emits the keys above, as syn_factors_of_host does (factors.h). */
void syn_topology_collect(const struct syn_machine *machine,
                          int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

#endif
