/* preload/facts/cpu_model.h - names the processor of a machine in one line. */
#ifndef SYN_CPU_MODEL_H
#define SYN_CPU_MODEL_H

#include <stdbool.h>
#include <stddef.h>

/* Writes the processor's name to out [room], from the text of /proc/cpuinfo of any architecture. On
 * x86-64, POWER and RISC-V the kernel gives a name. On aarch64 it gives numbers: then the result is
 * "Neoverse-V1 (0x41 0xd40 r1p1)", or the numbers alone if the part is not in the table. Returns
 * false if there is neither. */
bool syn_cpu_model(const char *cpuinfo, char *out, size_t room);

#endif
