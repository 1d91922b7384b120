/* preload/base/mappings.h - memory of ours that is mapped from a file, which somebody may cut.
 *
 * A store to a page behind a file's end raises SIGBUS. For such memory the handler (endings.c) puts
 * an empty page in its place, and the program goes on, as does recording: what was on the page is
 * lost. */
#ifndef SYN_MAPPINGS_H
#define SYN_MAPPINGS_H

#include <stdbool.h>
#include <stddef.h>

/* Remember a mapping, for good. False where there are too many. Any thread. */
bool syn_mappings_add(const void *memory, size_t bytes);
/* In a handler of SIGBUS: is the address in one of them, and is there memory again? */
bool syn_mappings_mend(const void *address);
/* Was there a page to be mended, ever? */
bool syn_mappings_struck(void);

#endif
