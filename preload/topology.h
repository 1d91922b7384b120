/* preload/topology.h - where this rank runs: package, NUMA node, core, and what it is bound to.
 * By hwloc, which is looked up when it is needed (dlopen) and never linked: libsyncopate.so is
 * loaded into every process under a launcher and must bring nothing with it. Without hwloc only
 * what the kernel says of the process is emitted.
 *
 * Keys: host.topology ("1 package, 1 NUMA node, 2 cores, 2 PUs"), host.l3 ("1 x 32 MiB"),
 *   rank.pu, rank.core, rank.numa_node, rank.package (of the PU that the thread last ran on; the
 * numbers are hwloc's logical ones but for pu and numa_node, which are the operating system's),
 *   rank.bound_pus (list, "0-3,8"), rank.bound_cores, rank.bound ("no" where all PUs are allowed),
 *   rank.l3_sharing (PUs that share the L3 cache of that PU), topology.source ("hwloc 2.9.0",
 * "kernel") */
#ifndef SYN_TOPOLOGY_H
#define SYN_TOPOLOGY_H

/* As syn_factors_collect. About 1 ms where hwloc loads. Binding and environment of the process stay
 * as they are: hwloc is told not to bind, and I/O devices (64 ms) are not looked for. */
void syn_topology_collect(int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

#endif
