/* preload/facts/factors.h - the experimental factors of a run, as far as the running process can
 * see them. Hoefler & Belli 2015, rule 9: document all varying factors and the complete setup;
 * Hunold & Carpen-Amarie 2015, Table VI lists those of MPI benchmarks. Knows nothing of MPI: what
 * only the MPI library knows (its name, version, bindings) the recorder adds.
 *
 * Keys (docs/trace-format.md lists all of a trace's):
 *   host.*      name, kernel, os, boot_id, cpu_model, cpu_count, cpu_flags_tsc, microcode,
 * hypervisor, governor, frequency_driver, frequency_khz, turbo, smt, isolated_cpus, memory_bytes,
 * clocksource, thp, numa_balancing, aslr, load_average, network (with model and speed), caches
 *   program.*   path, args, directory,
 * build_id process.*   libc, nice, scheduler, cpu_quota, locked_memory_bytes, stack_bytes launcher,
 * launcher.parent env.NAME    variables that steer MPI, OpenMP, the network, the loader or us A key
 * that this machine has no answer for is not emitted. */
#ifndef SYN_FACTORS_H
#define SYN_FACTORS_H

#include <stdbool.h>

#include "preload/facts/fields.h"

/* Each calls emit(ctx, key, value) once for each factor that is known; the strings are valid during
 * that call only. A nonzero return of emit ends the collection. Reads a few small files of /proc
 * and /sys (0.1 to 0.3 ms), changes nothing, cannot fail: what cannot be read is left out. Of the
 * host: what is the same for all its processes (host.*). */
void syn_factors_of_host(int (*emit)(void *ctx, const char *key, const char *value), void *ctx);
/* Emits the factors of the process: all the rest. */
void syn_factors_of_process(int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

/* Whether an environment variable of this name belongs into a trace: it steers what is measured and
 * does not look like a secret. */
bool syn_factor_env_wanted(const char *name);

#endif
