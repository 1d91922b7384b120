/* preload/base/own_code.h - the code of this library. */
#ifndef SYN_OWN_CODE_H
#define SYN_OWN_CODE_H

#include <stdbool.h>
#include <stdint.h>

/* Reads a byte of each page of this library, so that the kernel maps it before the program's first
 * call: then no recorded call waits for page faults in it. */
void syn_own_code_touch(void);
/* Returns true if the address lies in this library. */
bool syn_own_code_has(uintptr_t address);

#endif
