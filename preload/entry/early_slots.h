/* preload/entry/early_slots.h - references to our names that the dynamic linker has bound before
 * the library could hide any. */
#ifndef SYN_EARLY_SLOTS_H
#define SYN_EARLY_SLOTS_H

#include <link.h>

#include "preload/entry/elf_object.h"

/* Does the address lie in the code of the entries (entries.S)? */
SYN_HIDDEN bool syn_early_is_entry(const void *address);

/* The address that a reference to `name` gets without us; NULL if no object defines it. */
typedef void *syn_unhidden(const char *name);
/* Is this name of ours hidden? */
typedef bool syn_is_hidden(const char *name);

/* Bind each reference to a hidden entry anew, as it is without us, in all objects from `first` on
 * but `own`. Where an object had one, let its IFUNCs choose anew, for whoever calls them. Only
 * while the process has one thread. */
SYN_HIDDEN void syn_early_slots_mend(const struct link_map *first, const struct link_map *own,
                                     syn_is_hidden *is_hidden, syn_unhidden *without_us);

#endif
