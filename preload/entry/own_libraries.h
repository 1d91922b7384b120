/* preload/entry/own_libraries.h - makes a backend call its own zstd and libunwind, even if another
 * object of the process defines the same names. */
#ifndef SYN_OWN_LIBRARIES_H
#define SYN_OWN_LIBRARIES_H

#include <link.h>

#include "preload/entry/elf_object.h"

/* Returns the last object in the dynamic linker's list of loaded objects. */
SYN_HIDDEN const struct link_map *syn_own_libraries_before(void);

/* Binds the backend's references to zstd and libunwind to the libraries that the backend is linked
 * with. Also binds these libraries' references to their own names, if they were loaded after
 * `before` and the backend's references led elsewhere. Idempotent; several threads may call it at
 * once. */
SYN_HIDDEN void syn_own_libraries_bind(const struct link_map *backend,
                                       const struct link_map *before);

#endif
