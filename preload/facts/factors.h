/* preload/facts/factors.h - the experimental factors of a run that the running process can see.
 * Hoefler & Belli 2015, rule 9: document all varying factors and the complete setup. Hunold &
 * Carpen-Amarie 2015, Table VI, lists those of MPI benchmarks. The factors of the MPI library
 * (name, version, bindings) are not here; preload/run adds them.
 *
 * Keys (docs/trace-format.md lists all keys of a trace):
 *   host.*      name, kernel, os, boot_id, cpu_model, cpu_count, cpu_flags_tsc, microcode,
 *               hypervisor, governor, frequency_driver, frequency_khz, turbo, smt,
 *               isolated_cpus, memory_bytes, clocksource, thp, numa_balancing, aslr,
 *               load_average, network (with model and speed), caches
 *   program.*   path, args, directory, build_id
 *   process.*   libc, nice, scheduler, cpu_quota, locked_memory_bytes, stack_bytes
 *   launcher, launcher.parent
 *   env.NAME    variables that steer MPI, OpenMP, the network, the loader or the recorder
 * A key whose value this machine does not tell is not emitted. */
#ifndef SYN_FACTORS_H
#define SYN_FACTORS_H

#include <stdbool.h>

#include "preload/facts/fields.h"

/* Both call emit(ctx, key, value) once for each known factor. The strings are valid during that
 * call only. If emit returns nonzero, no more factors are emitted. The functions read small files
 * of /proc and /sys (0.1 to 0.3 ms), leave out what they cannot read, and change nothing. */
/* Emits host.*: the factors that are equal for all processes of the machine. */
void syn_factors_of_host(int (*emit)(void *ctx, const char *key, const char *value), void *ctx);
/* Emits all other factors: those of this process. */
void syn_factors_of_process(int (*emit)(void *ctx, const char *key, const char *value), void *ctx);

/* Returns true if the environment variable `name` is recorded: it steers the measured program and
 * its name does not look like that of a secret. */
bool syn_factor_env_wanted(const char *name);

#endif
