/* preload/facts/cpu_model.h - names the processor of a machine in one line. */
#ifndef SYN_CPU_MODEL_H
#define SYN_CPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* From the text of /proc/cpuinfo, of any architecture: a name where the kernel gives one (x86-64,
 * POWER, RISC-V); on aarch64, where it gives numbers, "Neoverse-V1 (0x41 0xd40 r1p1)", or the
 * numbers alone of a part that is not known here. False where there is neither. */
bool syn_cpu_model(const char *cpuinfo, char *out, size_t room);

#endif
