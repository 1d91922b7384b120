/* preload/base/own_code.h - the recorder's own code is in the process's page table before the
 * program's first call. */
#ifndef SYN_OWN_CODE_H
#define SYN_OWN_CODE_H

/* The library that this is part of: a wrapper that is called for the first time else waits for its
 * page, and so does all that it calls. */
void syn_own_code_touch(void);

#endif
