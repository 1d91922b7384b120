/* preload/entry/own_libraries.h - the libraries of a backend are called by it alone, and by
 * themselves, whatever else the process holds of their names. */
#ifndef SYN_OWN_LIBRARIES_H
#define SYN_OWN_LIBRARIES_H

#include <link.h>

#include "preload/entry/elf_object.h"

/* The last object that is loaded now. */
SYN_HIDDEN const struct link_map *syn_own_libraries_before(void);

/* Bind the backend's references to zstd and libunwind to these libraries where other objects come
 * first, and those of the libraries to themselves if they were loaded behind `before`. Idempotent;
 * any number of threads may call it at once. */
SYN_HIDDEN void syn_own_libraries_bind(const struct link_map *backend,
                                       const struct link_map *before);

#endif
