/* preload/base/own_code.h - maps the recorder's own code before the program's first call, so that
 * no recorded call waits for page faults in it. */
#ifndef SYN_OWN_CODE_H
#define SYN_OWN_CODE_H

/* Reads a byte of each page of this library, so that the kernel maps it. */
void syn_own_code_touch(void);

#endif
